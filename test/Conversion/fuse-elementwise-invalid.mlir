// What cannot join an epilogue, and why.

// RUN: bwgemm-opt %s --split-input-file --verify-diagnostics --convert-linalg-to-bwgemm

func.func @used_twice(%a: memref<32x48xbf16>, %b: memref<48x64xbf16>, %d: memref<32x64xf32>, %e: memref<32x64xf32>) {
  %t = memref.alloc() : memref<32x64xf32>
  linalg.matmul ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%t : memref<32x64xf32>)
  // expected-error @+1 {{'linalg.exp' op cannot join the epilogue of the matmul before it: the result of the matmul is used elsewhere, too}}
  linalg.exp ins(%t : memref<32x64xf32>) outs(%d : memref<32x64xf32>)
  linalg.exp ins(%t : memref<32x64xf32>) outs(%e : memref<32x64xf32>)
  return
}

// -----

// A caller sees %t.
func.func @argument(%a: memref<32x48xbf16>, %b: memref<48x64xbf16>, %t: memref<32x64xf32>, %d: memref<32x64xf32>) {
  linalg.matmul ins(%a, %b : memref<32x48xbf16>, memref<48x64xbf16>) outs(%t : memref<32x64xf32>)
  // expected-error @+1 {{cannot join the epilogue of the matmul before it: the result of the matmul is used elsewhere, too}}
  linalg.exp ins(%t : memref<32x64xf32>) outs(%d : memref<32x64xf32>)
  return
}

// -----

func.func @overwrites_operand(%a: memref<64x64xf16>, %b: memref<64x64xf16>) {
  %t = memref.alloc() : memref<64x64xf16>
  linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%t : memref<64x64xf16>)
  // expected-error @+1 {{cannot join the epilogue of the matmul before it: it may overwrite an operand of the matmul}}
  linalg.exp ins(%t : memref<64x64xf16>) outs(%a : memref<64x64xf16>)
  return
}

// -----

#mn = affine_map<(m, n) -> (m, n)>
#nm = affine_map<(m, n) -> (n, m)>

// Each element is read at another place than it is written.
func.func @overwrites_itself(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %d: memref<64x64xf16>) {
  %t = memref.alloc() : memref<64x64xf16>
  linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%t : memref<64x64xf16>)
  // expected-error @+1 {{cannot join the epilogue of the matmul before it: it may overwrite its own operand 1}}
  linalg.generic {indexing_maps = [#mn, #nm, #mn], iterator_types = ["parallel", "parallel"]}
    ins(%t, %d : memref<64x64xf16>, memref<64x64xf16>) outs(%d : memref<64x64xf16>) {
  ^bb0(%x: f16, %y: f16, %z: f16):
    %r = arith.addf %x, %y : f16
    linalg.yield %r : f16
  }
  return
}

// -----

#mn = affine_map<(m, n) -> (m, n)>
#nm = affine_map<(m, n) -> (n, m)>

func.func @two_orders(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %d: memref<64x64xf16>) {
  %t = memref.alloc() : memref<64x64xf16>
  linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%t : memref<64x64xf16>)
  // expected-error @+1 {{cannot join the epilogue of the matmul before it: expects it to read the result of the matmul element by element, in one order}}
  linalg.generic {indexing_maps = [#mn, #nm, #mn], iterator_types = ["parallel", "parallel"]}
    ins(%t, %t : memref<64x64xf16>, memref<64x64xf16>) outs(%d : memref<64x64xf16>) {
  ^bb0(%x: f16, %y: f16, %z: f16):
    %r = arith.addf %x, %y : f16
    linalg.yield %r : f16
  }
  return
}

// -----

#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>

func.func @reduction(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %d: memref<64xf16>) {
  %t = memref.alloc() : memref<64x64xf16>
  linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%t : memref<64x64xf16>)
  // expected-error @+1 {{cannot join the epilogue of the matmul before it: expects two parallel loops and one result}}
  linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
    ins(%t : memref<64x64xf16>) outs(%d : memref<64xf16>) {
  ^bb0(%x: f16, %y: f16):
    %r = arith.addf %x, %y : f16
    linalg.yield %r : f16
  }
  return
}

// -----

#mn = affine_map<(m, n) -> (m, n)>

func.func @unknown_op(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %d: memref<64x64xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%d : memref<64x64xf32>)
  // expected-error @+1 {{cannot join the epilogue of the matmul before it: it contains math.sin, which docs/Epilogues.md does not list for these types}}
  linalg.generic {indexing_maps = [#mn], iterator_types = ["parallel", "parallel"]} outs(%d : memref<64x64xf32>) {
  ^bb0(%x: f32):
    %r = math.sin %x : f32
    linalg.yield %r : f32
  }
  return
}

// -----

#mn = affine_map<(m, n) -> (m, n)>

func.func @f64(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %d: memref<64x64xf32>, %x: memref<64x64xf64>) {
  linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%d : memref<64x64xf32>)
  // expected-error @+1 {{cannot join the epilogue of the matmul before it: operand 0 expects elements of f32, f16, bf16, i8, i16 or i32, in places given by the loops or 0}}
  linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<64x64xf64>) outs(%d : memref<64x64xf32>) {
  ^bb0(%x0: f64, %y: f32):
    %t = arith.truncf %x0 : f64 to f32
    %r = arith.addf %t, %y : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// The first product of the two may not move behind the second one.
func.func @operand_written(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %d: memref<64x64xf16>) {
  %t = memref.alloc() : memref<64x64xf16>
  linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%t : memref<64x64xf16>)
  linalg.matmul ins(%b, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%a : memref<64x64xf16>)
  // expected-error @+1 {{cannot join the epilogue of the matmul before it: an operand of the matmul is written between them}}
  linalg.exp ins(%t : memref<64x64xf16>) outs(%d : memref<64x64xf16>)
  return
}

// -----

func.func @in_loop(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %d: memref<64x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = memref.alloc() : memref<64x64xf16>
  scf.for %i = %c0 to %c4 step %c1 {
    linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%t : memref<64x64xf16>)
    // expected-error @+1 {{cannot join the epilogue of the matmul before it: the result of the matmul is used elsewhere, too}}
    linalg.exp ins(%t : memref<64x64xf16>) outs(%d : memref<64x64xf16>)
  }
  return
}

// -----

func.func @transposed_in_place(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %d: memref<64x64xf16>) {
  linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%d : memref<64x64xf16>)
  // expected-error @+1 {{cannot join the epilogue of the matmul before it: expects it not to transpose the result of the matmul in place}}
  linalg.transpose ins(%d : memref<64x64xf16>) outs(%d : memref<64x64xf16>) permutation = [1, 0]
  return
}

// Views: the address of each operand is that of the view, not of its buffer.

// RUN: bwgemm-runner %s --device=emulator --func=offset --init=int --check=full --json | FileCheck %s
// RUN: bwgemm-runner %s --device=emulator --func=offset --schedule=naive --init=int --check=full --json | FileCheck %s
// RUN: bwgemm-runner %s --device=emulator --func=unaligned --init=int --check=full --json | FileCheck %s
// RUN: bwgemm-runner %s --device=emulator --func=columns --init=int --check=full --json | FileCheck %s
// RUN: bwgemm-runner %s --device=emulator --func=result --init=int --check=full --json | FileCheck %s
// RUN: bwgemm-runner %s --device=emulator --func=accumulated --init=int --check=full --json | FileCheck %s
// CHECK: "max_rel_err": 0.0
// CHECK: "status": "right"

// A is row 3, column 64 of a buffer with rows of 256 elements: byte
// 2 * (3 * 256 + 64), a multiple of 16.
func.func @offset(%a: memref<100x96xbf16, strided<[256, 1], offset: 832>>, %b: memref<72x96xbf16, strided<[104, 1], offset: 8>>, %d: memref<100x72xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<100x72xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<100x96xbf16, strided<[256, 1], offset: 832>>, memref<72x96xbf16, strided<[104, 1], offset: 8>>)
    outs(%d : memref<100x72xf32>)
  return
}

// One element further TMA cannot start: auto reads it another way.
func.func @unaligned(%a: memref<33x40xf16, strided<[64, 1], offset: 1>>, %b: memref<40x24xf16>, %d: memref<33x24xf16>) {
  %zero = arith.constant 0.0 : f16
  linalg.fill ins(%zero : f16) outs(%d : memref<33x24xf16>)
  linalg.matmul ins(%a, %b : memref<33x40xf16, strided<[64, 1], offset: 1>>, memref<40x24xf16>) outs(%d : memref<33x24xf16>)
  return
}

// Every second column.
func.func @columns(%a: memref<33x40xf16, strided<[80, 2]>>, %b: memref<40x24xf16>, %d: memref<33x24xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<33x24xf32>)
  linalg.matmul ins(%a, %b : memref<33x40xf16, strided<[80, 2]>>, memref<40x24xf16>) outs(%d : memref<33x24xf32>)
  return
}

// The result may lie anywhere: it is written with plain stores. Its rows are
// odd and start at an odd element.
func.func @result(%a: memref<70x64xbf16>, %b: memref<64x72xbf16>, %d: memref<70x72xbf16, strided<[75, 1], offset: 3>>) {
  %zero = arith.constant 0.0 : bf16
  linalg.fill ins(%zero : bf16) outs(%d : memref<70x72xbf16, strided<[75, 1], offset: 3>>)
  linalg.matmul ins(%a, %b : memref<70x64xbf16>, memref<64x72xbf16>) outs(%d : memref<70x72xbf16, strided<[75, 1], offset: 3>>)
  return
}

func.func @accumulated(%a: memref<70x64xbf16>, %b: memref<64x72xbf16>, %d: memref<70x72xf32, strided<[76, 1], offset: 4>>) {
  linalg.matmul ins(%a, %b : memref<70x64xbf16>, memref<64x72xbf16>) outs(%d : memref<70x72xf32, strided<[76, 1], offset: 4>>)
  return
}

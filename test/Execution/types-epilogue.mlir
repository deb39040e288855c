// Epilogues of sums of integers, and rows of 8-bit elements of any pitch.

// RUN: bwgemm-compile %s -o %t.sm_90a.so --target=sm_90a
// RUN: bwgemm-compile %s -o %t.sm_80.so --target=sm_80
// RUN: bwgemm-compile %s -o %t.naive.so --target=sm_80 --schedule=naive
// RUN: bwgemm-compile %s -o %t.sm_100a.so --target=sm_100a
// RUN: bwgemm-runner %t.sm_90a.so --func=dequantized --device=emulator --init=uniform --check=full --json | FileCheck %s
// RUN: bwgemm-runner %t.sm_80.so --func=dequantized --device=emulator --init=uniform --check=full --json | FileCheck %s
// RUN: bwgemm-runner %t.naive.so --func=dequantized --device=emulator --init=uniform --check=full --json | FileCheck %s
// RUN: bwgemm-runner %t.sm_100a.so --func=dequantized --device=emulator --init=uniform --check=full --json | FileCheck %s
// RUN: bwgemm-runner %t.sm_90a.so --func=rounded --device=emulator --init=int --check=full --json | FileCheck %s
// RUN: bwgemm-runner %t.sm_80.so --func=rounded --device=emulator --init=int --check=full --json | FileCheck %s
// RUN: bwgemm-runner %t.sm_100a.so --func=rounded --device=emulator --init=int --check=full --json | FileCheck %s
// RUN: bwgemm-runner %t.sm_80.so --func=rounded_half --device=emulator --init=int --check=full --json | FileCheck %s
// RUN: bwgemm-runner %t.sm_90a.so --func=shifted --device=emulator --init=uniform --check=full --json | FileCheck %s
// RUN: bwgemm-runner %t.sm_80.so --func=shifted --device=emulator --init=uniform --check=full --json | FileCheck %s
// RUN: bwgemm-runner %t.sm_90a.so --func=pitch_of_16 --device=emulator --init=int --check=full --json | FileCheck %s
// RUN: bwgemm-runner %t.sm_90a.so --func=pitch_of_8 --device=emulator --init=int --check=full --json | FileCheck %s
// RUN: bwgemm-runner %t.sm_90a.so --func=outer --device=emulator --init=normal --check=full --json | FileCheck %s
// CHECK: "max_rel_err": 0.0
// CHECK: "status": "right"

// RUN: bwgemm-compile %s --target=sm_90a --explain-schedule | FileCheck %s --check-prefix=SCHEDULE
// SCHEDULE-LABEL: pitch_of_16
// SCHEDULE: schedule   persistent
// SCHEDULE-LABEL: pitch_of_8
// SCHEDULE: schedule   multistage

// Scale and bias for each column, rounded to bf16: all steps are exact but for
// their own rounding.
func.func @dequantized(%a: memref<65x144xi8>, %b: memref<72x144xi8>, %scale: memref<72xf32>, %bias: memref<72xf32>, %d: memref<65x72xbf16>) {
  %zero = arith.constant 0 : i32
  %sum = memref.alloc() : memref<65x72xi32>
  linalg.fill ins(%zero : i32) outs(%sum : memref<65x72xi32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<65x144xi8>, memref<72x144xi8>) outs(%sum : memref<65x72xi32>)
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%sum, %scale, %bias : memref<65x72xi32>, memref<72xf32>, memref<72xf32>) outs(%d : memref<65x72xbf16>) {
  ^bb0(%s: i32, %x: f32, %y: f32, %o: bf16):
    %f = arith.sitofp %s : i32 to f32
    %p = arith.mulf %f, %x : f32
    %q = arith.addf %p, %y : f32
    %r = arith.truncf %q : f32 to bf16
    linalg.yield %r : bf16
  }
  memref.dealloc %sum : memref<65x72xi32>
  return
}

// An integer of 25 bits lies just above the middle of two bf16: by way of f32,
// which has 24, it would be rounded to the middle and then down.
func.func @rounded(%a: memref<16x32xi8>, %b: memref<16x32xi8>, %d: memref<16x16xbf16>) {
  %zero = arith.constant 0 : i32
  %sum = memref.alloc() : memref<16x16xi32>
  linalg.fill ins(%zero : i32) outs(%sum : memref<16x16xi32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<16x32xi8>, memref<16x32xi8>) outs(%sum : memref<16x16xi32>)
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%sum : memref<16x16xi32>) outs(%d : memref<16x16xbf16>) {
  ^bb0(%s: i32, %o: bf16):
    %c = arith.constant 16842752 : i32
    %t = arith.addi %s, %c : i32
    %r = arith.sitofp %t : i32 to bf16
    linalg.yield %r : bf16
  }
  memref.dealloc %sum : memref<16x16xi32>
  return
}

// The same for f16, whose infinity begins at 65520.
func.func @rounded_half(%a: memref<16x32xi8>, %b: memref<16x32xi8>, %d: memref<16x16xf16>) {
  %zero = arith.constant 0 : i32
  %sum = memref.alloc() : memref<16x16xi32>
  linalg.fill ins(%zero : i32) outs(%sum : memref<16x16xi32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<16x32xi8>, memref<16x32xi8>) outs(%sum : memref<16x16xi32>)
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%sum : memref<16x16xi32>) outs(%d : memref<16x16xf16>) {
  ^bb0(%s: i32, %o: f16):
    %c = arith.constant 65504 : i32
    %t = arith.addi %s, %c : i32
    %r = arith.sitofp %t : i32 to f16
    linalg.yield %r : f16
  }
  memref.dealloc %sum : memref<16x16xi32>
  return
}

// Integers to integers, with a zero point for each row.
func.func @shifted(%a: memref<33x64xi8>, %b: memref<24x64xi8>, %zero_point: memref<33xi8>, %d: memref<33x24xi32>) {
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%d : memref<33x24xi32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : memref<33x64xi8>, memref<24x64xi8>) outs(%d : memref<33x24xi32>)
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%zero_point : memref<33xi8>) outs(%d : memref<33x24xi32>) {
  ^bb0(%z: i8, %s: i32):
    %c = arith.constant 2147000000 : i32
    %w = arith.extsi %z : i8 to i32
    %p = arith.muli %w, %c : i32
    %r = arith.subi %s, %p : i32
    linalg.yield %r : i32
  }
  return
}

// Rows 16 bytes apart more than they are long are for TMA, 8 bytes are not.
func.func @pitch_of_16(%a: memref<65x96xf8E4M3FN, strided<[112, 1]>>, %b: memref<72x96xf8E4M3FN, strided<[112, 1]>>, %d: memref<65x72xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<65x72xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<65x96xf8E4M3FN, strided<[112, 1]>>, memref<72x96xf8E4M3FN, strided<[112, 1]>>) outs(%d : memref<65x72xf32>)
  return
}

func.func @pitch_of_8(%a: memref<65x96xf8E4M3FN, strided<[104, 1]>>, %b: memref<72x96xf8E4M3FN>, %d: memref<65x72xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<65x72xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<65x96xf8E4M3FN, strided<[104, 1]>>, memref<72x96xf8E4M3FN>) outs(%d : memref<65x72xf32>)
  return
}

// One product for each element, of which bf16 has all bits.
func.func @outer(%a: memref<1x1xf8E5M2>, %b: memref<128x1xf8E4M3FN>, %d: memref<1x128xbf16>) {
  %zero = arith.constant 0.0 : bf16
  linalg.fill ins(%zero : bf16) outs(%d : memref<1x128xbf16>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<1x1xf8E5M2>, memref<128x1xf8E4M3FN>) outs(%d : memref<1x128xbf16>)
  return
}

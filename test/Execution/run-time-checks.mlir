// What is only known at run time is checked then, before anything is launched.

// RUN: bwgemm-compile %s --schedule=swizzle -o %t.so

// Rows of A are 1022 bytes.
// RUN: not bwgemm-runner %t.so --device=emulator --shapes=64x511,511x64,64x64 2>&1 | FileCheck %s --check-prefix=PITCH
// PITCH: operand A: row pitch is 1022 bytes; TMA needs a multiple of 16 bytes

// RUN: bwgemm-runner %t.so --device=emulator --shapes=64x504,504x64,64x64 --init=int | FileCheck %s --check-prefix=RIGHT
// RUN: bwgemm-runner %t.so --device=emulator --shapes=1x511,511x64,1x64 --init=int | FileCheck %s --check-prefix=RIGHT
// RIGHT: right: all

// The same program on the path for any layout.
// RUN: bwgemm-runner %s --schedule=naive --device=emulator --shapes=64x511,511x64,64x64 --init=int | FileCheck %s --check-prefix=RIGHT

// D with an overwrite is never read.
// RUN: bwgemm-runner %t.so --device=emulator --shapes=64x504,504x64,64x64 --json | FileCheck %s --check-prefix=UNREAD
// UNREAD: "global_bytes_loaded": 0,
func.func @matmul(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<?x?xf32>)
  linalg.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// Products without elements, and of no terms, on memrefs and on tensors.

// RUN: split-file %s %t
// RUN: bwgemm-runner %t/no-terms.mlir --device=emulator --schedule=auto --init=nan-out --check=full --json | FileCheck %s --check-prefix=SUM
// RUN: bwgemm-runner %t/no-terms.mlir --device=emulator --schedule=naive --init=nan-out --check=full --json | FileCheck %s --check-prefix=SUM
// RUN: bwgemm-runner %t/no-terms.mlir --device=emulator --schedule=tma --init=nan-out --check=full --json | FileCheck %s --check-prefix=SUM
// RUN: bwgemm-runner %t/no-terms.mlir --device=emulator --schedule=persistent --init=nan-out --check=full --json | FileCheck %s --check-prefix=SUM
// SUM: "status": "right"
// RUN: bwgemm-runner %t/tensors.mlir --device=emulator --init=nan-out --check=full --json | FileCheck %s --check-prefix=SUM
// RUN: bwgemm-runner %t/no-rows.mlir --device=emulator | FileCheck %s --check-prefix=EMPTY
// RUN: bwgemm-runner %t/no-columns.mlir --device=emulator | FileCheck %s --check-prefix=EMPTY
// EMPTY-NOT: nothing checked
// EMPTY: no kernel was launched

//--- no-terms.mlir
func.func @no_terms(%a: memref<16x0xbf16>, %b: memref<0x24xbf16>, %d: memref<16x24xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<16x24xf32>)
  linalg.matmul ins(%a, %b : memref<16x0xbf16>, memref<0x24xbf16>) outs(%d : memref<16x24xf32>)
  return
}

//--- no-rows.mlir
func.func @no_rows(%a: memref<0x16xbf16>, %b: memref<16x24xbf16>, %d: memref<0x24xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<0x24xf32>)
  linalg.matmul ins(%a, %b : memref<0x16xbf16>, memref<16x24xbf16>) outs(%d : memref<0x24xf32>)
  return
}

//--- no-columns.mlir
func.func @no_columns(%a: tensor<16x8xbf16>, %b: tensor<8x0xbf16>) -> tensor<16x0xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x0xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x0xf32>) -> tensor<16x0xf32>
  %d = linalg.matmul ins(%a, %b : tensor<16x8xbf16>, tensor<8x0xbf16>) outs(%filled : tensor<16x0xf32>) -> tensor<16x0xf32>
  return %d : tensor<16x0xf32>
}

//--- tensors.mlir
func.func @no_terms(%a: tensor<16x0xbf16>, %b: tensor<0x24xbf16>) -> tensor<16x24xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x24xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x24xf32>) -> tensor<16x24xf32>
  %d = linalg.matmul ins(%a, %b : tensor<16x0xbf16>, tensor<0x24xbf16>) outs(%filled : tensor<16x24xf32>) -> tensor<16x24xf32>
  return %d : tensor<16x24xf32>
}

// Tensors all the way: results become arguments, and nothing is copied on the
// host.

// RUN: bwgemm-opt %s --bwgemm-lower="schedule=naive ptxas=none" | FileCheck %s --implicit-check-not=memcpy --implicit-check-not=memrefCopy
// RUN: not bwgemm-opt %s --bwgemm-lower="target=sm_1" 2>&1 | FileCheck %s --check-prefix=TARGET

// TARGET: error: unknown target 'sm_1'; expects one of sm_80

// CHECK: bwgemm.target = "sm_100a"
// CHECK-LABEL: llvm.func @new_result(
// CHECK-SAME: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64) attributes {llvm.emit_c_interface}
func.func @new_result(%a: tensor<?x64xbf16>, %b: tensor<64x?xbf16>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %n = tensor.dim %b, %c1 : tensor<64x?xbf16>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.matmul ins(%a, %b : tensor<?x64xbf16>, tensor<64x?xbf16>) outs(%filled : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// CHECK-LABEL: llvm.func @calls(
// CHECK: gpu.launch_func <%{{.*}} : !llvm.ptr> @bwgemm_kernels::@
func.func @calls(%a: tensor<?x64xbf16>, %b: tensor<64x?xbf16>) -> tensor<?x?xf32> {
  %d = call @new_result(%a, %b) : (tensor<?x64xbf16>, tensor<64x?xbf16>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// A buffer between two products is freed.
// CHECK-LABEL: llvm.func @chain(
// CHECK: llvm.call @malloc
// CHECK: gpu.launch_func
// CHECK: gpu.launch_func
// CHECK: llvm.call @free
// CHECK: llvm.return
func.func @chain(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %zero_bf16 = arith.constant 0.0 : bf16
  %t0 = tensor.empty() : tensor<64x64xbf16>
  %t1 = linalg.fill ins(%zero_bf16 : bf16) outs(%t0 : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %t = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%t1 : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %d0 = tensor.empty() : tensor<64x64xf32>
  %d1 = linalg.fill ins(%zero : f32) outs(%d0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %d = linalg.matmul ins(%t, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%d1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

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

// Elementwise ops on tensors join the kernel, also where sizes are asked of the
// product: one launch with K known, no buffer between.
// CHECK-LABEL: llvm.func @linear(
// CHECK-NOT: llvm.call @malloc
// CHECK: gpu.launch_func {{.*}}@bwgemm_kernels::@linear_kernel
// CHECK-NOT: gpu.launch_func
// CHECK: llvm.return
func.func @linear(%a: tensor<?x64xbf16>, %b: tensor<64x?xbf16>, %bias: tensor<?xf32>) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %n = tensor.dim %b, %c1 : tensor<64x?xbf16>
  %t0 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %t1 = linalg.fill ins(%zero : f32) outs(%t0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = linalg.matmul ins(%a, %b : tensor<?x64xbf16>, tensor<64x?xbf16>) outs(%t1 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %tm = tensor.dim %t, %c0 : tensor<?x?xf32>
  %tn = tensor.dim %t, %c1 : tensor<?x?xf32>
  %d0 = tensor.empty(%tm, %tn) : tensor<?x?xbf16>
  %d = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%t, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%d0 : tensor<?x?xbf16>) {
  ^bb0(%x: f32, %y: f32, %z: bf16):
    %s = arith.addf %x, %y : f32
    %r = arith.truncf %s : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<?x?xbf16>
  return %d : tensor<?x?xbf16>
}

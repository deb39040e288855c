// RUN: bwgemm-opt %s --bwgemm-bufferize --bwgemm-deallocate --split-input-file | FileCheck %s

// With tensors, what is allocated on the way is freed.

// CHECK-LABEL: func.func @tensors(
// CHECK-SAME: %[[A:.*]]: memref<4x4xf32>, %[[RESULT:.*]]: memref<4x4xf32>)
// CHECK: %[[TEMPORARY:.*]] = memref.alloc() {{.*}}: memref<4x4xf32>
// CHECK: linalg.matmul ins(%[[A]], %[[A]] : {{.*}}) outs(%[[TEMPORARY]] :
// CHECK: linalg.matmul ins(%[[TEMPORARY]], %[[A]] : {{.*}}) outs(%[[RESULT]] :
// CHECK: memref.dealloc %[[TEMPORARY]]
// CHECK: return
func.func @tensors(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %square = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%filled : tensor<4x4xf32>) -> tensor<4x4xf32>
  %cube = linalg.matmul ins(%square, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%filled : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %cube : tensor<4x4xf32>
}

// -----

// Without, allocations are left as they are, and ops of which upstream knows
// nothing may stand there.

// CHECK-LABEL: func.func @memrefs(
// CHECK-SAME: %[[A:.*]]: memref<4x4xf32>, %[[RESULT:.*]]: memref<4xf32>) {
// CHECK-NOT: bufferization
// CHECK: memref.alloc() : memref<2xf32>
// CHECK-NOT: memref.dealloc
// CHECK: bwgemm.to_device read %[[A]]
// CHECK: return
func.func @memrefs(%a: memref<4x4xf32>) -> memref<4xf32> {
  %kept = memref.alloc() : memref<2xf32>
  %device = bwgemm.to_device read %a : memref<4x4xf32>
  bwgemm.from_device %device : memref<4x4xf32>
  %result = memref.alloc() : memref<4xf32>
  return %result : memref<4xf32>
}

// -----

// A fill that several products begin with is one for each, without a copy.

// CHECK-LABEL: func.func @shared_fill(
// CHECK-SAME: %[[A:.*]]: memref<4x4xf32>, %[[D:.*]]: memref<4x4xf32>, %[[E:.*]]: memref<4x4xf32>)
// CHECK-NOT: memref.copy
// CHECK: linalg.fill {{.*}} outs(%[[D]] :
// CHECK: linalg.matmul {{.*}} outs(%[[D]] :
// CHECK: linalg.fill {{.*}} outs(%[[E]] :
// CHECK: linalg.matmul {{.*}} outs(%[[E]] :
// CHECK-NOT: memref.copy
func.func @shared_fill(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %d = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%filled : tensor<4x4xf32>) -> tensor<4x4xf32>
  %e = linalg.matmul ins(%d, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%filled : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %d, %e : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// So is a constant of one number.

// CHECK-LABEL: func.func @constant_init(
// CHECK-SAME: %[[A:.*]]: memref<4x4xf32>, %[[D:.*]]: memref<4x4xf32>)
// CHECK-NOT: memref.copy
// CHECK: linalg.fill {{.*}} outs(%[[D]] :
// CHECK: linalg.matmul {{.*}} outs(%[[D]] :
func.func @constant_init(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %init = arith.constant dense<0.0> : tensor<4x4xf32>
  %d = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%init : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %d : tensor<4x4xf32>
}

// RUN: bwgemm-opt %s --bwgemm-results-to-arguments --canonicalize | FileCheck %s

// A returned argument is updated in place.
// CHECK-LABEL: func.func @in_place(
// CHECK-SAME: %{{.*}}: memref<4xf32>, %{{.*}}: memref<4xf32>) {
// CHECK-NEXT: return
func.func @in_place(%a: memref<4xf32>, %c: memref<4xf32>) -> memref<4xf32> {
  return %c : memref<4xf32>
}

// A buffer of the function's own becomes the caller's, without a copy.
// CHECK-LABEL: func.func @fresh(
// CHECK-SAME: %[[X:.*]]: f32, %[[RESULT:.*]]: memref<4x8xf32>) {
// CHECK-NEXT: linalg.fill ins(%[[X]] : f32) outs(%[[RESULT]] : memref<4x8xf32>)
// CHECK-NEXT: return
func.func @fresh(%x: f32) -> memref<4x8xf32> {
  %d = memref.alloc() : memref<4x8xf32>
  linalg.fill ins(%x : f32) outs(%d : memref<4x8xf32>)
  return %d : memref<4x8xf32>
}

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %{{.*}}: index, %[[X:.*]]: f32, %[[RESULT:.*]]: memref<?x8xf32>) {
// CHECK-NEXT: linalg.fill ins(%[[X]] : f32) outs(%[[RESULT]] : memref<?x8xf32>)
// CHECK-NEXT: return
func.func @dynamic(%n: index, %x: f32) -> memref<?x8xf32> {
  %d = memref.alloc(%n) : memref<?x8xf32>
  linalg.fill ins(%x : f32) outs(%d : memref<?x8xf32>)
  return %d : memref<?x8xf32>
}

// A cast on the way out costs no copy either.
// CHECK-LABEL: func.func @cast(
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: return
func.func @cast(%n: index, %m: index, %x: f32) -> memref<?x8xf32> {
  %d = memref.alloc(%n, %m) : memref<?x?xf32>
  linalg.fill ins(%x : f32) outs(%d : memref<?x?xf32>)
  %r = memref.cast %d : memref<?x?xf32> to memref<?x8xf32>
  return %r : memref<?x8xf32>
}

// Callers follow, and visibility stays.
// CHECK-LABEL: func.func private @callee(%{{.*}}: f32, %{{.*}}: memref<4xf32>)
func.func private @callee(%x: f32) -> memref<4xf32> {
  %d = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%d : memref<4xf32>)
  return %d : memref<4xf32>
}
// CHECK-LABEL: func.func @caller(
// CHECK: call @callee(%{{.*}}, %{{.*}}) : (f32, memref<4xf32>) -> ()
func.func @caller(%x: f32, %out: memref<4xf32>) {
  %d = call @callee(%x) : (f32) -> memref<4xf32>
  memref.copy %d, %out : memref<4xf32> to memref<4xf32>
  return
}

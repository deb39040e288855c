// Loading and multiplying get a warp each, and the ring is all they share.

// RUN: bwgemm-opt %s --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-rings --bwgemm-warp-specialize --canonicalize | FileCheck %s

// CHECK: %[[THREADS:.*]] = arith.constant 192 : index
// CHECK: gpu.launch_func {{.*}} threads in (%[[THREADS]],
// CHECK-LABEL: gpu.func @f_kernel
// CHECK-SAME: known_block_size = array<i32: 192, 1, 1>
// CHECK: %[[OPERANDS:.*]] = bwgemm.ring : !bwgemm.ring<3 x
// CHECK: %[[SUMS:.*]] = bwgemm.ring releases 4
// CHECK: bwgemm.role "load" warps 4 to 4 elected {
// CHECK-NEXT: %[[BEGIN:.*]] = bwgemm.ring.begin %[[OPERANDS]]
// CHECK-NEXT: scf.for %{{.*}} iter_args(%[[C:.*]] = %[[BEGIN]]) -> (!bwgemm.cursor) {
// CHECK-NEXT: bwgemm.ring.acquire %[[OPERANDS]][%[[C]]]
// CHECK-NEXT: bwgemm.ring.commit %[[OPERANDS]][%[[C]]] by tma
// CHECK: bwgemm.tma_load
// CHECK: bwgemm.tma_load
// CHECK-NEXT: %[[NEXT:.*]] = bwgemm.ring.next %[[OPERANDS]][%[[C]]]
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK-NOT: tcgen05
// CHECK: bwgemm.role "multiply" warps 5 to 5 elected {
// CHECK-NOT: tma_load
// CHECK: bwgemm.ring.acquire %[[SUMS]]
// CHECK: scf.for %{{.*}} iter_args(%[[C2:.*]] = %{{.*}}) -> (!bwgemm.cursor) {
// CHECK-NEXT: bwgemm.ring.wait %[[OPERANDS]][%[[C2]]]
// CHECK-NEXT: bwgemm.fence tcgen05_after_thread_sync
// CHECK: bwgemm.tcgen05.mma
// CHECK-NEXT: bwgemm.ring.release %[[OPERANDS]][%[[C2]]] by mma
// CHECK: bwgemm.ring.commit %[[SUMS]][%{{.*}}] by mma
// CHECK: bwgemm.role "epilogue" warps 0 to 3 {
func.func @f(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <warp_specialized, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b"> : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
  return
}

// Copies run stages - 1 iterations ahead; a prologue fills the first slots.

// RUN: bwgemm-opt %s --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-rings --bwgemm-pipeline --canonicalize | FileCheck %s

// CHECK-LABEL: gpu.func @f_kernel
// CHECK-SAME: %[[K:[a-z0-9]*]]: index) kernel
// Two tiles of K of 64 each.
// CHECK-DAG: %[[AHEAD:.*]] = arith.constant 128 : index
// CHECK: bwgemm.role "load and multiply"
// CHECK: %[[BEGIN:.*]] = bwgemm.ring.begin %[[RING:[^ ]*]] :
// Where K is shorter than that, the prologue is all there is to load.
// CHECK: %[[END:.*]] = arith.minsi %[[K]], %[[AHEAD]]
// CHECK: %[[FILLED:.*]] = scf.for %{{.*}} = %{{.*}} to %[[END]] step %{{.*}} iter_args(%[[C:.*]] = %[[BEGIN]])
// CHECK-NEXT: bwgemm.ring.acquire %[[RING]][%[[C]]]
// CHECK-NEXT: bwgemm.ring.commit %[[RING]][%[[C]]] by tma
// CHECK: bwgemm.tma_load
// CHECK: bwgemm.tma_load
// CHECK-NEXT: %[[NEXT:.*]] = bwgemm.ring.next %[[RING]][%[[C]]]
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: scf.for %[[KK:.*]] = %{{.*}} to %[[K]] step %{{.*}} iter_args(%[[FILL:.*]] = %[[FILLED]], %[[USE:.*]] = %[[BEGIN]])
// CHECK: %[[LATER:.*]] = arith.addi %[[KK]], %[[AHEAD]]
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi slt, %[[LATER]], %[[K]]
// The multiplication is started before the wait for the one before it.
// CHECK-NEXT: bwgemm.ring.wait %[[RING]][%[[USE]]]
// CHECK: bwgemm.tcgen05.mma
// CHECK-NEXT: bwgemm.ring.release %[[RING]][%[[USE]]] by mma
// CHECK-NEXT: %[[REST:.*]] = scf.if %[[MORE]] -> (!bwgemm.cursor) {
// CHECK-NEXT:   bwgemm.ring.acquire %[[RING]][%[[FILL]]]
// CHECK:        bwgemm.tma_load %{{.*}}[%{{.*}}, %[[LATER]]]
// CHECK:        %[[FILL2:.*]] = bwgemm.ring.next %[[RING]][%[[FILL]]]
// CHECK-NEXT:   scf.yield %[[FILL2]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   scf.yield %[[FILL]]
// CHECK: %[[USE2:.*]] = bwgemm.ring.next %[[RING]][%[[USE]]]
// CHECK-NEXT: scf.yield %[[REST]], %[[USE2]]
func.func @f(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <pipelined, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b"> : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
  return
}

// With one slot there is nothing to run ahead of.
// CHECK-LABEL: gpu.func @one_kernel
// CHECK: scf.for
// CHECK: bwgemm.ring.acquire
// CHECK: bwgemm.tcgen05.mma
// CHECK-NOT: scf.for
// CHECK: bwgemm.role "epilogue"
func.func @one(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <pipelined, tile = 128x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b"> : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
  return
}

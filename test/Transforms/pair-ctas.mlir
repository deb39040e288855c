// Two CTAs of a cluster keep half of B each, and one multiplies for both.

// RUN: split-file %s %t
// RUN: bwgemm-opt %t/256.mlir --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-rings --bwgemm-warp-specialize --bwgemm-pair-ctas --canonicalize | FileCheck %s
// RUN: bwgemm-opt %t/256.mlir --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-rings --bwgemm-warp-specialize --bwgemm-pair-ctas --bwgemm-pair-ctas --bwgemm-multicast --canonicalize | FileCheck %s
// RUN: bwgemm-opt %t/128.mlir --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-rings --bwgemm-warp-specialize --bwgemm-pair-ctas --canonicalize | FileCheck %s --check-prefix=FOLDED
// RUN: bwgemm-opt %t/4x2.mlir --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-rings --bwgemm-warp-specialize --bwgemm-pair-ctas --bwgemm-multicast --canonicalize | FileCheck %s --check-prefix=SHARED

// CHECK-LABEL: gpu.func @f_kernel
// CHECK-SAME: %[[A:.*]]: !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>, %[[B:.*]]: !bwgemm.tensor_map<32x64xbf16, swizzle = 128B>
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK: %[[M:.*]], %[[N:.*]] = bwgemm.tile_coord 128 x 64 of %{{.*}} cluster [2, 1]
// CHECK: %[[OPERANDS:.*]] = bwgemm.ring cta_group 2 : !bwgemm.ring<3 x (!bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<32x64xbf16, k_major, swizzle = 128B>)>
// Four warps of each CTA read an accumulator.
// CHECK: %[[SUMS:.*]] = bwgemm.ring releases 8 cta_group 2 : !bwgemm.ring<1 x (!bwgemm.tmem<128x64xf32>)>
// Whoever allocates knows that the other CTA runs, and whoever multiplies that
// it has allocated.
// CHECK: bwgemm.cluster.barrier
// CHECK: bwgemm.tmem_alloc %{{.*}} cta_group 2
// CHECK: bwgemm.cluster.barrier
// CHECK: bwgemm.role "load" warps 4 to 4 elected {
// CHECK: %[[LAST:.*]] = scf.for %[[K:.*]] = {{.*}} iter_args(%[[C:.*]] = %{{.*}}) -> (!bwgemm.cursor) {
// CHECK: bwgemm.ring.commit %[[OPERANDS]][%[[C]]] by tma
// CHECK: bwgemm.tma_load %[[A]][%[[M]], %[[K]]], %{{.*}} cta_group 2 :
// CHECK: %[[RANK:.*]] = gpu.cluster_block_id x
// CHECK: %[[MEMBER:.*]] = arith.andi %[[RANK]], %{{.*}}
// CHECK: %[[SKIPPED:.*]] = arith.muli %[[MEMBER]], %[[C32]]
// CHECK: %[[AT:.*]] = arith.addi %[[N]], %[[SKIPPED]]
// CHECK: bwgemm.tma_load %[[B]][%[[AT]], %[[K]]], %{{.*}} cta_group 2 :
// CHECK: bwgemm.ring.drain %[[OPERANDS]][%[[LAST]]]
// CHECK: %[[PAIR:.*]] = bwgemm.cluster.mask pair of [2, 1] cta_group 2
// CHECK: bwgemm.role "multiply" warps 5 to 5 elected leader {
// CHECK: bwgemm.ring.acquire %[[SUMS]]
// CHECK: bwgemm.ring.wait %[[OPERANDS]]
// CHECK: bwgemm.tcgen05.mma {{.*}} cta_group 2 : !bwgemm.tmem<128x64xf32>, !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<32x64xbf16, k_major, swizzle = 128B>
// CHECK: bwgemm.ring.release %[[OPERANDS]][%{{.*}}] by mma to %[[PAIR]]
// CHECK: bwgemm.ring.commit %[[SUMS]][%{{.*}}] by mma to %[[PAIR]]
// CHECK: bwgemm.role "epilogue" warps 0 to 3 {
// CHECK: bwgemm.ring.wait %[[SUMS]]
// CHECK: bwgemm.ring.release %[[SUMS]][%{{.*}}] by thread
// CHECK: bwgemm.cluster.barrier
// CHECK: bwgemm.tmem_dealloc {{.*}} cta_group 2

// 64 rows in each CTA: the right half of the columns beside the left one.
// FOLDED: bwgemm.tile_coord 64 x 128 of %{{.*}} cluster [2, 1]
// FOLDED: bwgemm.ring releases 8 cta_group 2 : !bwgemm.ring<2 x (!bwgemm.tmem<64x128xf32, folded>)>
// FOLDED: bwgemm.tmem_slot : !bwgemm.tmem_slot<128>
// FOLDED: bwgemm.tmem_get {{.*}} -> !bwgemm.tmem<64x256xf32, folded>
// FOLDED: bwgemm.tcgen05.mma {{.*}} cta_group 2 : !bwgemm.tmem<64x128xf32, folded>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<64x64xbf16, mn_major, swizzle = 128B>
// FOLDED: bwgemm.store {{.*}} : !bwgemm.tmem<64x128xf32, folded>

// A column has two pairs, whose leaders share the first half of B and whose
// partners the second; a row has two CTAs, which share A. A slot is filled by
// its own pair, by the other one of the column and by that of the row.
// SHARED-LABEL: gpu.func @f_kernel
// SHARED-SAME: %[[A:.*]]: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %[[B:.*]]: !bwgemm.tensor_map<16x64xbf16, swizzle = 128B>
// SHARED: %[[OPERANDS:.*]] = bwgemm.ring releases 3 cta_group 2 :
// SHARED-DAG: %[[ROW:.*]] = bwgemm.cluster.mask row of [4, 2] cta_group 2
// SHARED-DAG: %[[COLUMN:.*]] = bwgemm.cluster.mask column of [4, 2] cta_group 2
// SHARED: bwgemm.role "load"
// SHARED: bwgemm.tma_load %[[A]]{{.*}} multicast %[[ROW]] cta_group 2
// SHARED: bwgemm.tma_load %[[B]]{{.*}} multicast %[[COLUMN]] cta_group 2
// SHARED: %[[CROSS:.*]] = bwgemm.cluster.mask cross of [4, 2] cta_group 2
// SHARED: bwgemm.role "multiply"
// SHARED: bwgemm.ring.release %[[OPERANDS]][%{{.*}}] by mma to %[[CROSS]]
// SHARED: bwgemm.ring.commit %{{.*}} by mma to %{{.*}}

//--- 256.mlir
func.func @f(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <two_cta, tile = 256x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", cta_group = 2, cluster = 2x1> : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
  return
}
//--- 128.mlir
func.func @f(%a: memref<512x256xbf16>, %b: memref<256x384xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d schedule <persistent, tile = 128x128x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", cta_group = 2, cluster = 2x1> : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xf32>
  return
}
//--- 4x2.mlir
func.func @f(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <two_cta, tile = 256x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", cta_group = 2, cluster = 4x2> : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
  return
}

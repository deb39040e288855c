// What CTAs of a cluster share is loaded once, and released to all who load it.

// RUN: split-file %s %t
// RUN: bwgemm-opt %t/2x2.mlir --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-rings --bwgemm-warp-specialize --bwgemm-multicast --canonicalize | FileCheck %s
// RUN: bwgemm-opt %t/2x2.mlir --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-rings --bwgemm-warp-specialize --bwgemm-multicast --bwgemm-multicast --canonicalize | FileCheck %s
// RUN: bwgemm-opt %t/4x1.mlir --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-rings --bwgemm-pipeline --bwgemm-multicast --canonicalize | FileCheck %s --check-prefix=TALL
// RUN: bwgemm-opt %t/1x4.mlir --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-rings --bwgemm-pipeline --bwgemm-multicast --canonicalize | FileCheck %s --check-prefix=WIDE
// RUN: bwgemm-opt %t/warpgroups.mlir --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warpgroups --bwgemm-multicast --canonicalize --cse | FileCheck %s --check-prefix=GROUPS

// Two rows of A and two columns of B: each CTA loads half of its tiles, 64 of
// 128 rows and 32 of 64. 4 x 6 tiles are 2 x 3 clusters of 4 CTAs.
// CHECK-LABEL: func.func @f
// CHECK-DAG: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[CTAS:.*]] = arith.constant 24 : index
// CHECK: bwgemm.tensor_map.encode {{.*}} : {{.*}} -> !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>
// CHECK: bwgemm.tensor_map.encode {{.*}} : {{.*}} -> !bwgemm.tensor_map<32x64xbf16, swizzle = 128B>
// CHECK: gpu.launch_func {{.*}} clusters in (%[[FOUR]], %{{.*}}, %{{.*}}) blocks in (%[[CTAS]],
// CHECK-LABEL: gpu.func @f_kernel
// CHECK-SAME: %[[A:.*]]: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %[[B:.*]]: !bwgemm.tensor_map<32x64xbf16, swizzle = 128B>
// CHECK-SAME: known_cluster_size = array<i32: 4, 1, 1>
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[M:.*]], %[[N:.*]] = bwgemm.tile_coord 128 x 64 of %{{.*}} cluster [2, 2]
// Both of a row, both of a column; itself is one of them.
// CHECK: %[[OPERANDS:.*]] = bwgemm.ring releases 3 :
// CHECK: bwgemm.cluster.barrier
// CHECK: %[[ROW:.*]] = bwgemm.cluster.mask row of [2, 2]
// CHECK: %[[COLUMN:.*]] = bwgemm.cluster.mask column of [2, 2]
// CHECK: bwgemm.role "load"
// CHECK: %[[LAST:.*]] = scf.for %[[K:.*]] = {{.*}} iter_args(%[[C:.*]] = %{{.*}}) -> (!bwgemm.cursor) {
// CHECK-NEXT: bwgemm.ring.acquire %[[OPERANDS]][%[[C]]]
// CHECK-NEXT: bwgemm.ring.commit %[[OPERANDS]][%[[C]]] by tma
// CHECK: %[[RANK:.*]] = gpu.cluster_block_id x
// CHECK: %[[J:.*]] = arith.divui %[[RANK]], %[[C2]]
// CHECK: %[[PART:.*]] = arith.muli %[[J]], %[[C64]]
// CHECK: %[[AT:.*]] = arith.addi %[[M]], %[[PART]]
// CHECK: bwgemm.tma_load %[[A]][%[[AT]], %[[K]]], %{{.*}}#0[%[[PART]], %{{.*}}], %{{.*}} multicast %[[ROW]] : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<128x64xbf16
// CHECK: %[[I:.*]] = arith.remui %{{.*}}, %[[C2]]
// CHECK: %[[PART2:.*]] = arith.muli %[[I]], %[[C32]]
// CHECK: %[[AT2:.*]] = arith.addi %[[N]], %[[PART2]]
// CHECK: bwgemm.tma_load %[[B]][%[[AT2]], %[[K]]], %{{.*}}#1[%[[PART2]], %{{.*}}], %{{.*}} multicast %[[COLUMN]] : !bwgemm.tensor_map<32x64xbf16
// Its peers may still be reading what it has loaded for them.
// CHECK: bwgemm.ring.drain %[[OPERANDS]][%[[LAST]]]
// CHECK: %[[CROSS:.*]] = bwgemm.cluster.mask cross of [2, 2]
// CHECK: bwgemm.role "multiply" warps 5 to 5 elected {
// CHECK: bwgemm.ring.release %[[OPERANDS]][%{{.*}}] by mma to %[[CROSS]]
// CHECK: bwgemm.cluster.barrier
// CHECK: bwgemm.role "free"

// A is not shared. Of B's 16 rows two CTAs load 8 each, the others none.
// TALL-LABEL: gpu.func @f_kernel
// TALL-SAME: !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>, %[[B:.*]]: !bwgemm.tensor_map<8x64xbf16, swizzle = 128B>
// TALL: %[[OPERANDS:.*]] = bwgemm.ring releases 4 :
// TALL: bwgemm.role "load and multiply"
// TALL: scf.for
// TALL: bwgemm.tma_load {{.*}} : !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>
// TALL: %[[LOADS:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}}
// TALL: scf.if %[[LOADS]] {
// TALL: bwgemm.tma_load %[[B]]{{.*}} multicast
// The loop that runs ahead hands its cursor to the other one.
// TALL: %[[LAST:.*]]:2 = scf.for
// TALL: scf.if
// TALL: bwgemm.tma_load %[[B]]{{.*}} multicast
// TALL: bwgemm.ring.commit %{{.*}} by mma :
// TALL: bwgemm.ring.drain %[[OPERANDS]][%[[LAST]]#0]

// A is M-contiguous: 128 elements are two columns of 128 bytes, too few for four
// CTAs, of which each loads 16 of the 64 rows of both.
// WIDE-LABEL: gpu.func @f_kernel
// WIDE-SAME: %[[A:.*]]: !bwgemm.tensor_map<16x64xbf16, swizzle = 128B>, %[[B:.*]]: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>
// WIDE: bwgemm.ring releases 4 :
// WIDE: bwgemm.role "load and multiply"
// WIDE: scf.for
// WIDE-DAG: %[[RANK:.*]] = gpu.cluster_block_id x
// WIDE-DAG: %[[ROW:.*]] = arith.muli %[[RANK]], %{{.*}}
// WIDE: bwgemm.tma_load %[[A]][{{.*}}], %{{.*}}#0[%{{.*}}, %[[ROW]]], %{{.*}} multicast
// WIDE: bwgemm.tma_load %[[A]][{{.*}}], %{{.*}}#0[%{{.*}}, %[[ROW]]], %{{.*}} multicast
// WIDE-NOT: tma_load %[[B]]{{.*}} multicast

// With wgmma each of eight warps of both CTAs releases the slots of both.
// GROUPS-LABEL: gpu.func @f_kernel
// GROUPS: bwgemm.ring releases 16 :
// GROUPS: %[[MASK:.*]] = bwgemm.cluster.mask cross of [2, 1]
// GROUPS: bwgemm.role "multiply" warps 0 to 7 {
// GROUPS-COUNT-2: bwgemm.ring.release %{{.*}}[%{{.*}}] by warp to %[[MASK]]

//--- warpgroups.mlir
module attributes {bwgemm.target = "sm_90a"} {
  func.func @f(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
    bwgemm.gemm %a, %b, %d transpose_b schedule <warp_specialized, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "16x256b", cluster = 2x1> : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
    return
  }
}
//--- 2x2.mlir
func.func @f(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <warp_specialized, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", cluster = 2x2> : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
  return
}
//--- 4x1.mlir
func.func @f(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <pipelined, tile = 128x16x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", cluster = 4x1> : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
  return
}
//--- 1x4.mlir
func.func @f(%a: memref<256x512xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d transpose_a transpose_b schedule <pipelined, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", cluster = 1x4> : memref<256x512xbf16>, memref<384x256xbf16>, memref<512x384xf32>
  return
}

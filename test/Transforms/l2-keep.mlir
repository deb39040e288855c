// `l2_keep` names the operand whose lines are the last to leave L2; those of the
// other one are the first. Every way to start copies says so, also for what CTAs
// of a cluster and of a pair share.

// RUN: split-file %s %t
// RUN: bwgemm-opt %t/async.mlir --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-async | FileCheck %s --check-prefix=ASYNC
// RUN: bwgemm-opt %t/pair.mlir --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-rings --bwgemm-warp-specialize --bwgemm-pair-ctas | FileCheck %s --check-prefix=PAIR
// RUN: bwgemm-opt %t/warpgroups.mlir --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warpgroups --bwgemm-multicast | FileCheck %s --check-prefix=GROUPS
// RUN: bwgemm-opt %t/open.mlir --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-async | FileCheck %s --check-prefix=OPEN

// ASYNC: gpu.func @async_kernel(%[[A:.*]]: !bwgemm.tensor_map<{{[^>]*}}>, %[[B:.*]]: !bwgemm.tensor_map<
// ASYNC: bwgemm.tma_load %[[A]][{{.*}}] l2 evict_last :
// ASYNC: bwgemm.tma_load %[[B]][{{.*}}] l2 evict_first :
// ASYNC-NOT: bwgemm.tma_load

// PAIR: gpu.func @pair_kernel(%[[A:.*]]: !bwgemm.tensor_map<{{[^>]*}}>, %[[B:.*]]: !bwgemm.tensor_map<
// PAIR: bwgemm.tma_load %[[A]][{{.*}}] cta_group 2 l2 evict_first :
// PAIR: bwgemm.tma_load %[[B]][{{.*}}] cta_group 2 l2 evict_last :
// PAIR-NOT: bwgemm.tma_load

// GROUPS: gpu.func @warpgroups_kernel(%[[A:.*]]: !bwgemm.tensor_map<{{[^>]*}}>, %[[B:.*]]: !bwgemm.tensor_map<
// GROUPS: bwgemm.tma_load %[[A]][{{.*}}] l2 evict_last :
// GROUPS: bwgemm.tma_load %[[B]][{{.*}}] multicast %{{.*}} l2 evict_first :
// GROUPS-NOT: bwgemm.tma_load

// OPEN: bwgemm.tma_load
// OPEN-NOT: evict

//--- async.mlir
func.func @async(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <swizzle, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b", l2_keep = a>
      : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
  return
}

//--- pair.mlir
func.func @pair(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <two_cta, tile = 256x128x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", l2_keep = b, cta_group = 2, cluster = 2x1>
      : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
  return
}

//--- warpgroups.mlir
module attributes {bwgemm.target = "sm_90a"} {
func.func @warpgroups(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <persistent, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "16x256b", l2_keep = a, cluster = 2x1>
      : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
  return
}
}

//--- open.mlir
func.func @open(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <swizzle, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b">
      : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
  return
}

// Persistent kernels in clusters: no more than run at once.

// RUN: bwgemm-opt %s --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-rings --bwgemm-warp-specialize --bwgemm-persist --canonicalize --cse | FileCheck %s

// Multiprocessors come in pairs, which any chip has a cluster of two for.
// CHECK-LABEL: func.func @two
// CHECK: %[[SMS:.*]] = bwgemm.multiprocessor_count
// CHECK: %[[MOST:.*]] = arith.divui %[[SMS]], %c2
// CHECK: %[[SOME:.*]] = arith.maxui %[[MOST]], %c1
// CHECK-NOT: bwgemm.resident_launch
// 192 tiles of clusters.
// CHECK: %[[TURNS:.*]] = arith.ceildivui %c192, %[[SOME]]
// CHECK: arith.maxui %[[TURNS]], %c1
// CHECK: %[[CLUSTERS:.*]] = arith.ceildivui %c192
// CHECK: %[[GRID:.*]] = arith.muli %[[CLUSTERS]], %c2
// CHECK: gpu.launch_func {{.*}} clusters in (%c2, {{.*}} blocks in (%[[GRID]],
func.func @two(%a: memref<2048x256xbf16>, %b: memref<1536x256xbf16>, %d: memref<2048x1536xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <persistent, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", cluster = 2x1> : memref<2048x256xbf16>, memref<1536x256xbf16>, memref<2048x1536xf32>
  return
}

// Four need not find theirs everywhere.
// CHECK-LABEL: func.func @four
// CHECK: %[[SMS:.*]] = bwgemm.multiprocessor_count
// CHECK: arith.divui %[[SMS]], %c4
// CHECK: bwgemm.resident_launch
// CHECK: gpu.launch_func {{.*}} clusters in (%c4,
func.func @four(%a: memref<2048x256xbf16>, %b: memref<1536x256xbf16>, %d: memref<2048x1536xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <persistent, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", cluster = 2x2> : memref<2048x256xbf16>, memref<1536x256xbf16>, memref<2048x1536xf32>
  return
}

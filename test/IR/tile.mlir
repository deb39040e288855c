// The synchronous tile program.

// RUN: bwgemm-opt %s | FileCheck %s
// RUN: bwgemm-opt %s | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --mlir-print-op-generic | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --emit-bytecode | bwgemm-opt | FileCheck %s

// CHECK-LABEL: func @program
// CHECK-SAME: (%[[AMAP:.*]]: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %[[BMAP:.*]]: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %[[D:.*]]: memref<?x?xbf16>, %[[COLUMNS:.*]]: index, %[[K:.*]]: index)
func.func @program(%amap: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %bmap: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>,
                   %d: memref<?x?xbf16>, %columns: index, %k: index) {
  // CHECK: %[[M:.*]], %[[N:.*]] = bwgemm.tile_coord 64 x 128 of %[[COLUMNS]]
  %m, %n = bwgemm.tile_coord 64 x 128 of %columns
  // CHECK: bwgemm.tile_coord 64 x 128 of %[[COLUMNS]] at %[[M]] raster 8 of %[[COLUMNS]]
  %m2, %n2 = bwgemm.tile_coord 64 x 128 of %columns at %m raster 8 of %columns
  // CHECK: bwgemm.tile_coord 64 x 128 of %[[COLUMNS]] raster 16 of %[[COLUMNS]] order hilbert cluster [2, 1]
  %m3, %n3 = bwgemm.tile_coord 64 x 128 of %columns raster 16 of %columns order hilbert cluster [2, 1]
  // CHECK: bwgemm.tile_coord 64 x 128 of %[[COLUMNS]] order serpentine
  %m4, %n4 = bwgemm.tile_coord 64 x 128 of %columns order serpentine
  // CHECK: bwgemm.tile_coord 64 x 128 of %[[COLUMNS]]{{$}}
  %m5, %n5 = bwgemm.tile_coord 64 x 128 of %columns order straight
  // CHECK: %[[ACC:.*]] = bwgemm.accumulator : !bwgemm.acc<64x128xf32>
  %acc = bwgemm.accumulator : !bwgemm.acc<64x128xf32>
  // CHECK: %[[A:.*]] = bwgemm.load %[[AMAP]][%[[M]], %[[K]]] : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B> -> !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  %a = bwgemm.load %amap[%m, %k] : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B> -> !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  // A tile may take several boxes: here two, of 64 rows each.
  // CHECK: %[[B:.*]] = bwgemm.load %[[BMAP]][%[[N]], %[[K]]] : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B> -> !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>
  %b = bwgemm.load %bmap[%n, %k] : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B> -> !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>
  // CHECK: bwgemm.mma %[[ACC]], %[[A]], %[[B]] : !bwgemm.acc<64x128xf32>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>
  bwgemm.mma %acc, %a, %b : !bwgemm.acc<64x128xf32>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>
  // CHECK: bwgemm.store %[[ACC]], %[[D]][%[[M]], %[[N]]] : !bwgemm.acc<64x128xf32>, memref<?x?xbf16>
  bwgemm.store %acc, %d[%m, %n] : !bwgemm.acc<64x128xf32>, memref<?x?xbf16>
  // CHECK: bwgemm.store %[[ACC]], %[[D]][%[[M]], %[[N]]] accumulate : !bwgemm.acc<64x128xf32>, memref<?x?xbf16>
  bwgemm.store %acc, %d[%m, %n] accumulate : !bwgemm.acc<64x128xf32>, memref<?x?xbf16>
  return
}

// An MN-major operand: the map's contiguous dimension is N. Without swizzle a
// column is 16 bytes wide.
// CHECK-LABEL: func @mn_major
func.func @mn_major(%map: !bwgemm.tensor_map<64x8xf16>, %wide: !bwgemm.tensor_map<32x64xf16, swizzle = 128B>, %k: index, %n: index) {
  // CHECK: bwgemm.load %{{.*}}[%{{.*}}, %{{.*}}] : !bwgemm.tensor_map<64x8xf16> -> !bwgemm.smem<128x64xf16, mn_major>
  %b = bwgemm.load %map[%k, %n] : !bwgemm.tensor_map<64x8xf16> -> !bwgemm.smem<128x64xf16, mn_major>
  // CHECK: bwgemm.load %{{.*}}[%{{.*}}, %{{.*}}] : !bwgemm.tensor_map<32x64xf16, swizzle = 128B> -> !bwgemm.smem<128x64xf16, mn_major, swizzle = 128B>
  %c = bwgemm.load %wide[%k, %n] : !bwgemm.tensor_map<32x64xf16, swizzle = 128B> -> !bwgemm.smem<128x64xf16, mn_major, swizzle = 128B>
  return
}

// A result that leaves in slices of 128 bytes.
// CHECK-LABEL: func @via_map
func.func @via_map(%acc: !bwgemm.acc<128x96xf32>, %t: !bwgemm.tmem<64x8xf32>, %d: memref<?x?xf32>, %h: memref<?x?xf16>,
                   %map: !bwgemm.tensor_map<128x32xf32, swizzle = 128B>, %narrow: !bwgemm.tensor_map<64x8xf16>, %i: index) {
  // CHECK: bwgemm.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] via %{{.*}} : !bwgemm.acc<128x96xf32>, memref<?x?xf32>, !bwgemm.tensor_map<128x32xf32, swizzle = 128B>
  bwgemm.store %acc, %d[%i, %i] via %map : !bwgemm.acc<128x96xf32>, memref<?x?xf32>, !bwgemm.tensor_map<128x32xf32, swizzle = 128B>
  // CHECK: bwgemm.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] via %{{.*}} : !bwgemm.tmem<64x8xf32>, memref<?x?xf16>, !bwgemm.tensor_map<64x8xf16>
  bwgemm.store %t, %h[%i, %i] via %narrow : !bwgemm.tmem<64x8xf32>, memref<?x?xf16>, !bwgemm.tensor_map<64x8xf16>
  return
}

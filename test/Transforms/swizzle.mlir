// Boxes as wide as the swizzle's span, in the kernel and where maps are made.

// RUN: bwgemm-opt %s --split-input-file --bwgemm-tile --bwgemm-swizzle --canonicalize | FileCheck %s

// 64 elements of bf16 are 128 bytes: one box is the whole tile.
// CHECK: bwgemm.tensor_map.encode %{{.*}}, "A" : memref<512x256xbf16> -> !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>
// CHECK: gpu.func @whole_kernel(%{{.*}}: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %{{.*}}: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>
// CHECK: bwgemm.load {{.*}} -> !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
// CHECK: bwgemm.load {{.*}} -> !bwgemm.smem<64x64xbf16, mn_major, swizzle = 128B>
func.func @whole(%a: memref<512x256xbf16>, %b: memref<256x384xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d schedule <swizzle, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b"> : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xf32>
  return
}

// -----

// CHECK: gpu.func @half_kernel(%{{.*}}: !bwgemm.tensor_map<128x32xbf16, swizzle = 64B>, %{{.*}}: !bwgemm.tensor_map<256x32xbf16, swizzle = 64B>
func.func @half(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <swizzle, tile = 128x256x64, stages = 1, swizzle = 64B, tmem_load = "32x32b"> : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
  return
}

// -----

// Kernels of preset tma are left alone.
// CHECK: gpu.func @plain_kernel(%{{.*}}: !bwgemm.tensor_map<64x8xbf16>, %{{.*}}: !bwgemm.tensor_map<64x8xbf16>
func.func @plain(%a: memref<512x256xbf16>, %b: memref<256x384xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d schedule <tma, tile = 64x64x64, stages = 1, swizzle = none, tmem_load = "16x256b"> : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xf32>
  return
}

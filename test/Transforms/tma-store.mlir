// The store of a tile program goes via a tensor map of D, which the host makes.

// RUN: bwgemm-opt %s --bwgemm-tile --bwgemm-swizzle --bwgemm-tma-store --split-input-file | FileCheck %s
// Once is enough.
// RUN: bwgemm-opt %s --bwgemm-tile --bwgemm-swizzle --bwgemm-tma-store --bwgemm-tma-store --split-input-file | FileCheck %s

module attributes {bwgemm.target = "sm_100a"} {
  // A slice of 64 bf16 is 128 bytes.
  // CHECK-LABEL: func.func @half
  // CHECK: %[[D:.*]] = bwgemm.to_device write %arg2
  // CHECK: %[[MAP:.*]] = bwgemm.tensor_map.encode %[[D]], "D" {{.*}}!bwgemm.tensor_map<128x64xbf16, swizzle = 128B>
  // CHECK: gpu.launch_func {{.*}} %[[MAP]] : !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>)
  func.func @half(%a: memref<512x256xbf16>, %b: memref<256x384xbf16>, %d: memref<512x384xbf16>) {
    bwgemm.gemm %a, %b, %d schedule <tma_store, tile = 128x128x64, stages = 1, swizzle = 128B, tmem_load = "16x256b", store = tma> : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xbf16>
    return
  }
  // CHECK: gpu.func @half_kernel(%{{.*}}: !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>, %{{.*}}: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %[[KD:.*]]: memref<512x384xbf16>, %{{.*}}: index, %[[KMAP:.*]]: !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>)
  // CHECK: bwgemm.store %{{.*}}, %[[KD]][%{{.*}}, %{{.*}}] via %[[KMAP]] : !bwgemm.acc<128x128xf32>, memref<512x384xbf16>, !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>
}

// -----

module attributes {bwgemm.target = "sm_100a"} {
  func.func @widths(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>, %h: memref<512x384xf16>) {
    // 24 f32 are 96 bytes: three slices of 32.
    bwgemm.gemm %a, %b, %d transpose_b schedule <tma_store, tile = 64x24x64, stages = 1, swizzle = 128B, tmem_load = "16x256b", store = tma> : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
    // 96 f16 are 192 bytes, three slices of 64.
    bwgemm.gemm %a, %b, %h transpose_b schedule <tma_store, tile = 64x96x64, stages = 1, swizzle = 128B, tmem_load = "16x256b", store = tma> : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf16>
    // 8 f16 are 16 bytes, which no swizzle permutes.
    bwgemm.gemm %a, %b, %h transpose_b schedule <tma_store, tile = 64x8x64, stages = 1, swizzle = 128B, tmem_load = "16x256b", store = tma> : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf16>
    // From registers.
    bwgemm.gemm %a, %b, %h transpose_b schedule <tma_store, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b"> : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf16>
    return
  }
  // CHECK: gpu.func @widths_kernel(
  // CHECK: bwgemm.store {{.*}} memref<512x384xf32>, !bwgemm.tensor_map<64x8xf32, swizzle = 32B>
  // CHECK: gpu.func @widths_kernel_1(
  // CHECK: bwgemm.store {{.*}} memref<512x384xf16>, !bwgemm.tensor_map<64x32xf16, swizzle = 64B>
  // CHECK: gpu.func @widths_kernel_2(
  // CHECK: bwgemm.store {{.*}} memref<512x384xf16>, !bwgemm.tensor_map<64x8xf16>
  // CHECK: gpu.func @widths_kernel_3(
  // CHECK: bwgemm.store {{.*}} : !bwgemm.acc<64x64xf32>, memref<512x384xf16>{{$}}
}

// What auto takes, by what TMA can address.

// RUN: bwgemm-opt %s --split-input-file --bwgemm-assign-schedule=schedule=auto | FileCheck %s


// A pitch of 510 bytes is no multiple of 16: auto takes the kernel that reads
// any layout.
// CHECK-LABEL: @odd_pitch
func.func @odd_pitch(%a: memref<512x255xbf16>, %b: memref<255x384xbf16>, %d: memref<512x384xf32>) {
  // CHECK: schedule <multistage
  bwgemm.gemm %a, %b, %d : memref<512x255xbf16>, memref<255x384xbf16>, memref<512x384xf32>
  return
}

// -----

// Nor does TMA go backwards from row to row.
// CHECK-LABEL: @upside_down
func.func @upside_down(%a: memref<512x256xbf16, strided<[-256, 1], offset: 130816>>, %b: memref<256x384xbf16>, %d: memref<512x384xf32>) {
  // CHECK: schedule <multistage
  bwgemm.gemm %a, %b, %d : memref<512x256xbf16, strided<[-256, 1], offset: 130816>>, memref<256x384xbf16>, memref<512x384xf32>
  return
}

// A single row has no pitch, and rows that do not touch may be of any length.
// CHECK-LABEL: @one_row
func.func @one_row(%a: memref<1x255xbf16>, %b: memref<255x384xbf16>, %d: memref<1x384xf32>) {
  // CHECK: schedule <warp_specialized,
  bwgemm.gemm %a, %b, %d : memref<1x255xbf16>, memref<255x384xbf16>, memref<1x384xf32>
  return
}

// -----

// Views: offsets of 1 and 4 elements are 2 and 8 bytes, 8 elements are 16.
// CHECK-LABEL: @offset_1
func.func @offset_1(%a: memref<64x64xbf16, strided<[64, 1], offset: 1>>, %b: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  // CHECK: schedule <multistage
  bwgemm.gemm %a, %b, %d : memref<64x64xbf16, strided<[64, 1], offset: 1>>, memref<64x64xbf16>, memref<64x64xf32>
  return
}
// CHECK-LABEL: @offset_4
func.func @offset_4(%a: memref<64x64xbf16, strided<[64, 1], offset: 4>>, %b: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  // CHECK: schedule <multistage
  bwgemm.gemm %a, %b, %d : memref<64x64xbf16, strided<[64, 1], offset: 4>>, memref<64x64xbf16>, memref<64x64xf32>
  return
}
// CHECK-LABEL: @offset_8
func.func @offset_8(%a: memref<64x64xbf16, strided<[64, 1], offset: 8>>, %b: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  // CHECK: schedule <warp_specialized,
  bwgemm.gemm %a, %b, %d : memref<64x64xbf16, strided<[64, 1], offset: 8>>, memref<64x64xbf16>, memref<64x64xf32>
  return
}

// -----

// Columns apart from each other.
// CHECK-LABEL: @inner_stride
func.func @inner_stride(%a: memref<64x64xbf16, strided<[128, 2]>>, %b: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  // CHECK: schedule <multistage
  bwgemm.gemm %a, %b, %d : memref<64x64xbf16, strided<[128, 2]>>, memref<64x64xbf16>, memref<64x64xf32>
  return
}

// -----

// A schedule in the program goes through the same checks and stays.
// CHECK-LABEL: @named
func.func @named(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  // CHECK: schedule <tma, tile = 128x16x32, stages = 1, swizzle = none, tmem_load = "16x256b">
  bwgemm.gemm %a, %b, %d schedule <tma, tile = 128x16x32, stages = 1, swizzle = none, tmem_load = "16x256b"> : memref<64x64xbf16>, memref<64x64xbf16>, memref<64x64xf32>
  return
}

// -----

// Where only the run decides, the gemm gets both.
// CHECK-LABEL: @unknown
func.func @unknown(%a: memref<?x?xbf16>, %b: memref<?x64xbf16>, %d: memref<?x64xf32>) {
  // CHECK: schedule <warp_specialized, {{.*}}> fallback <multistage,
  bwgemm.gemm %a, %b, %d : memref<?x?xbf16>, memref<?x64xbf16>, memref<?x64xf32>
  return
}
// Rows of a known length, however many there are, are always addressable.
// CHECK-LABEL: @known_pitch
func.func @known_pitch(%a: memref<?x64xbf16>, %b: memref<64x64xbf16>, %d: memref<?x64xf32>) {
  // CHECK: schedule <warp_specialized, {{.*}}> :
  bwgemm.gemm %a, %b, %d : memref<?x64xbf16>, memref<64x64xbf16>, memref<?x64xf32>
  return
}

// -----

// What the cost model takes: few tiles of D and a long K are split among CTAs;
// one row takes the smallest tile; a large product takes large tiles, CTAs that
// stay, and multicast.
// CHECK-LABEL: @deep
func.func @deep(%a: memref<256x32768xbf16>, %b: memref<256x32768xbf16>, %d: memref<256x256xf32>) {
  // CHECK: schedule <two_cta, tile = 256x64x64, {{.*}}, store = tma, cta_group = 2, cluster = 2x2, split_k = 16>
  bwgemm.gemm %a, %b, %d transpose_b : memref<256x32768xbf16>, memref<256x32768xbf16>, memref<256x256xf32>
  return
}
// CHECK-LABEL: @row
func.func @row(%a: memref<1x64xbf16>, %b: memref<256x64xbf16>, %d: memref<1x256xf32>) {
  // CHECK: schedule <warp_specialized, tile = 64x16x64,
  bwgemm.gemm %a, %b, %d transpose_b : memref<1x64xbf16>, memref<256x64xbf16>, memref<1x256xf32>
  return
}
// CHECK-LABEL: @large
func.func @large(%a: memref<4096x4096xbf16>, %b: memref<4096x4096xbf16>, %d: memref<4096x4096xbf16>) {
  // CHECK: schedule <persistent, tile = 128x192x64, stages = 4, {{.*}}, raster = 8, store = tma, cluster = 2x1>
  bwgemm.gemm %a, %b, %d transpose_b : memref<4096x4096xbf16>, memref<4096x4096xbf16>, memref<4096x4096xbf16>
  return
}
// Sizes that the run tells are taken to be large, and K is not split then.
// CHECK-LABEL: @dynamic
func.func @dynamic(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>) {
  // CHECK: schedule <persistent, tile = 128x192x64, stages = 5, {{.*}}, raster = 8, cluster = 2x1> fallback <multistage,
  bwgemm.gemm %a, %b, %d transpose_b : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
  return
}

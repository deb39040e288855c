// What a target with wgmma takes.

// RUN: bwgemm-opt %s --split-input-file --bwgemm-assign-schedule="target=sm_90a schedule=persistent" | FileCheck %s
// RUN: bwgemm-opt %s --split-input-file --bwgemm-assign-schedule="target=sm_90a schedule=auto database=none" | FileCheck %s --check-prefix=AUTO

// The widest tile, four slots of 48 KB; results of 16 bits go out from registers.
// Auto finds nothing better: 512 tiles are four waves on 132 multiprocessors.
// CHECK-LABEL: @cube
// CHECK: schedule <persistent, tile = 128x256x64, stages = 4, swizzle = 128B, tmem_load = "16x256b", raster = 8>
// AUTO-LABEL: @cube
// AUTO: schedule <persistent, tile = 128x256x64, stages = 4, swizzle = 128B, tmem_load = "16x256b", raster = 8>
func.func @cube(%a: memref<4096x4096xbf16>, %b: memref<4096x4096xbf16>, %d: memref<4096x4096xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<4096x4096xbf16>, memref<4096x4096xbf16>, memref<4096x4096xbf16>
  return
}

// -----

// Results of 32 bits leave by TMA, and so do those of 16 whose rows, or tiles, are
// not made of 16 bytes for each thread.
// CHECK-LABEL: @wide_result
// CHECK: store = tma>
func.func @wide_result(%a: memref<4096x4096xbf16>, %b: memref<4096x4096xbf16>, %d: memref<4096x4096xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<4096x4096xbf16>, memref<4096x4096xbf16>, memref<4096x4096xf32>
  return
}

// -----

// Rows by the dozen: small tiles take 128 elements of K at once. All are under way
// at once, in groups of four rows. So short a kernel begins while the one before it
// ends.
// AUTO-LABEL: @flat
// AUTO: schedule <persistent, tile = 64x32x128, stages = 8, {{.*}}, raster = 4, pdl = on>
func.func @flat(%a: memref<64x4096xbf16>, %b: memref<4096x4096xbf16>, %d: memref<64x4096xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<64x4096xbf16>, memref<4096x4096xbf16>, memref<64x4096xbf16>
  return
}

// -----

// 40 x 20 tiles of 256 columns would be 6.1 waves; with 224 columns 40 x 23 are
// 6.97.
// AUTO-LABEL: @last_wave
// AUTO: schedule <persistent, tile = 128x224x64,
func.func @last_wave(%a: memref<5120x5120xbf16>, %b: memref<5120x5120xbf16>, %d: memref<5120x5120xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<5120x5120xbf16>, memref<5120x5120xbf16>, memref<5120x5120xbf16>
  return
}

// -----

// Few tiles and a long sum: parts of K.
// AUTO-LABEL: @deep
// AUTO: schedule <persistent, {{.*}}, split_k = {{[0-9]+}}, pdl = on>
func.func @deep(%a: memref<256x32768xbf16>, %b: memref<256x32768xbf16>, %d: memref<256x256xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<256x32768xbf16>, memref<256x32768xbf16>, memref<256x256xbf16>
  return
}

// -----

// 16 rows fill the narrow side of a tile of D's transpose.
// AUTO-LABEL: @few_rows
// AUTO: schedule <persistent, tile = 64x16x128, {{.*}}swap_ab = on, pdl = on>
func.func @few_rows(%a: memref<16x4096xbf16>, %b: memref<8192x4096xbf16>, %d: memref<16x8192xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<16x4096xbf16>, memref<8192x4096xbf16>, memref<16x8192xbf16>
  return
}

// -----

// Rows of 8208 bytes do not begin with lines: CTAs of a cluster share some.
// AUTO-LABEL: @split_lines
// AUTO: schedule <persistent, {{.*}}, cluster = {{2x1|1x2}}>
func.func @split_lines(%a: memref<4095x4104xbf16>, %b: memref<4097x4104xbf16>, %d: memref<4095x4097xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<4095x4104xbf16>, memref<4097x4104xbf16>, memref<4095x4097xbf16>
  return
}

// -----

// A short sum: what each tile's end takes counts for more, and falls behind the
// products of another team.
// AUTO-LABEL: @shallow
// AUTO: schedule <persistent, tile = 128x192x64, {{.*}}, store = tma, pingpong = on>
func.func @shallow(%a: memref<8192x1024xbf16>, %b: memref<8192x1024xbf16>, %d: memref<8192x8192xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<8192x1024xbf16>, memref<8192x1024xbf16>, memref<8192x8192xbf16>
  return
}

// -----

// The same with a tanh behind it, whose code two blocks of rows would double.
// AUTO-LABEL: @shallow_tanh
// AUTO: schedule <persistent, tile = 128x
// AUTO-NOT: pingpong
// AUTO: return
func.func @shallow_tanh(%a: memref<8192x1024xbf16>, %b: memref<8192x1024xbf16>, %d: memref<8192x8192xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b epilogue(%sum) {
    %t = math.tanh %sum : f32
    %r = arith.truncf %t : f32 to bf16
    bwgemm.yield %r : bf16
  } : memref<8192x1024xbf16>, memref<8192x1024xbf16>, memref<8192x8192xbf16>
  return
}

// -----

// 6.2 waves of 128 x 256; of 256 x 192, two blocks of 64 rows for each warpgroup,
// 5.8, and three quarters of the lines from L2.
// AUTO-LABEL: @blocks
// AUTO: schedule <persistent, tile = 256x192x64,
func.func @blocks(%a: memref<6144x6144xbf16>, %b: memref<6144x6144xbf16>, %d: memref<6144x6144xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<6144x6144xbf16>, memref<6144x6144xbf16>, memref<6144x6144xbf16>
  return
}

// -----

// Rows of 510 bytes.
// AUTO-LABEL: @odd_pitch
// AUTO: schedule <naive
func.func @odd_pitch(%a: memref<512x255xbf16>, %b: memref<512x255xbf16>, %d: memref<512x512xbf16>) attributes {} {
  bwgemm.gemm %a, %b, %d transpose_b schedule <naive, tile = 16x16x1, stages = 1, swizzle = none, tmem_load = "32x32b"> : memref<512x255xbf16>, memref<512x255xbf16>, memref<512x512xbf16>
  return
}

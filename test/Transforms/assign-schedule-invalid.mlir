// Each refusal names the limit, what was asked, and what works.

// RUN: split-file %s %t
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=target=sm_42 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: unknown target 'sm_42'; expects one of sm_80, {{.*}}sm_100a, sm_100f, sm_103a
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=swizzle" 2>&1 | FileCheck %s --check-prefix=HOPPER
// HOPPER: gemm.mlir:2:3: error: 'bwgemm.gemm' op schedule 'swizzle': needs tcgen05 (sm_100a, sm_100f, sm_103a); presets for sm_90a are naive, warp_specialized and persistent
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,cluster=4x4" 2>&1 | FileCheck %s --check-prefix=HOPPERCLUSTER
// HOPPERCLUSTER: expects a cluster of at most 8 CTAs, but got 4x4
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,staging=1" 2>&1 | FileCheck %s --check-prefix=STAGINGTWO
// STAGINGTWO: expects staging=2 or more slices, of which one is written while TMA reads another one, but got 1
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,store=direct,staging=3" 2>&1 | FileCheck %s --check-prefix=STAGINGDIRECT
// STAGINGDIRECT: expects store=tma for staging=3, but got store=direct
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,store=tma,swap_ab=on" 2>&1 | FileCheck %s --check-prefix=SWAPTMA
// SWAPTMA: expects store=direct, which writes the transpose of a tile, for swap_ab=on, but got store=tma
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=multistage,swap_ab=on" 2>&1 | FileCheck %s --check-prefix=SWAPMMA
// SWAPMMA: has no swap_ab: its threads copy and multiply by mma.sync
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=multistage,staging=2" 2>&1 | FileCheck %s --check-prefix=STAGINGMMA
// STAGINGMMA: has no staging: its threads copy and multiply by mma.sync
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,tile=256x128x64,cta_group=2" 2>&1 | FileCheck %s --check-prefix=HOPPERPAIR
// HOPPERPAIR: expects cta_group=1 on sm_90a, but got 2
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,scheduler=clc" 2>&1 | FileCheck %s --check-prefix=HOPPERCLC
// HOPPERCLC: expects scheduler=static or scheduler=stream_k on sm_90a, but got clc
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,scheduler=stream_k,pingpong=on" 2>&1 | FileCheck %s --check-prefix=PINGPONGSTREAM
// PINGPONGSTREAM: expects scheduler=static with pingpong=on, which needs as many steps for all tiles, but got stream_k; pingpong=off goes with it
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=warp_specialized,scheduler=stream_k" 2>&1 | FileCheck %s --check-prefix=HOPPERSTREAM
// HOPPERSTREAM: has one tile for each CTA; scheduler=stream_k is for preset persistent
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,tmem_load=32x32b" 2>&1 | FileCheck %s --check-prefix=HOPPERLOAD
// HOPPERLOAD: expects tmem_load=16x256b, which is how wgmma leaves its result in registers, but got 32x32b
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,tile=192x64x64" 2>&1 | FileCheck %s --check-prefix=HOPPERM
// HOPPERM: expects a tile of M 64, 128 or 256, but got 192
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,tile=256x64x64,pingpong=on" 2>&1 | FileCheck %s --check-prefix=PINGPONGM
// PINGPONGM: expects a tile of M 64 or 128 with pingpong=on, but got 256
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,tile=256x208x32" 2>&1 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: expects a tile of N of at most 200 for M 256, of which each warpgroup has 2 blocks of 64 rows in registers, but got 208
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,tile=128x256x32,pingpong=on" 2>&1 | FileCheck %s --check-prefix=PINGPONGN
// PINGPONGN: expects a tile of N of at most 200 for M 128 with pingpong=on, of which each warpgroup has 2 blocks of 64 rows in registers, but got 256
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=warp_specialized,pingpong=on" 2>&1 | FileCheck %s --check-prefix=PINGPONGPRESET
// PINGPONGPRESET: schedule 'warp_specialized': has one tile for each CTA; pingpong=on is for preset persistent
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,pingpong=on,split_k=2" 2>&1 | FileCheck %s --check-prefix=PINGPONGSPLIT
// PINGPONGSPLIT: expects split_k=1 with pingpong=on, which needs as many steps for all tiles, but got 2; pingpong=off goes with any
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,pingpong=on,promote=128" 2>&1 | FileCheck %s --check-prefix=PINGPONGPROMOTE
// PINGPONGPROMOTE: expects no promote with pingpong=on, but got 128; pingpong=off goes with it
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,tile=256x64x64,promote=128" 2>&1 | FileCheck %s --check-prefix=BLOCKSPROMOTE
// BLOCKSPROMOTE: expects a tile of M 64 or 128 with promote, but got 256
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,pingpong=on,stages=1" 2>&1 | FileCheck %s --check-prefix=PINGPONGSTAGES
// PINGPONGSTAGES: expects two stages or more with pingpong=on, but got 1
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_100a schedule=persistent,pingpong=on" 2>&1 | FileCheck %s --check-prefix=PINGPONGTARGET
// PINGPONGTARGET: expects pingpong=off on sm_100a, where a second accumulator in tensor memory lets the next tile begin; pingpong=on is for wgmma (sm_90a)
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=multistage,pingpong=on" 2>&1 | FileCheck %s --check-prefix=PINGPONGMMASYNC
// PINGPONGMMASYNC: schedule 'multistage': has no pingpong: its threads copy and multiply by mma.sync
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_90a schedule=persistent,tile=128x20x64" 2>&1 | FileCheck %s --check-prefix=HOPPERN
// HOPPERN: expects a tile of N that is a multiple of 8 up to 256 for M 128, but got 20
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule="target=sm_100 schedule=swizzle" 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: error: 'bwgemm.gemm' op schedule 'swizzle': needs tcgen05 or wgmma (sm_90a, sm_100a, sm_100f, sm_103a), which target sm_100 lacks; presets for it are naive, microkernel, tiled, double_buffered and multistage

// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=fast 2>&1 | FileCheck %s --check-prefix=PRESET
// PRESET: error: schedule 'fast': unknown preset 'fast'; presets are auto, naive, microkernel, tiled, double_buffered, multistage, tma, swizzle, tma_store, pipelined, warp_specialized, two_cta, persistent
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=swizzle,threads=4 2>&1 | FileCheck %s --check-prefix=FIELD
// FIELD: error: schedule 'swizzle,threads=4': unknown field 'threads'; fields are tile=MxNxK
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=swizzle,tile=64x64 2>&1 | FileCheck %s --check-prefix=TILE
// TILE: error: schedule 'swizzle,tile=64x64': expected tile=MxNxK with extents of 1 to 65536, got '64x64'

// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=swizzle,tile=96x64x64 2>&1 | FileCheck %s --check-prefix=M
// M: error: 'bwgemm.gemm' op schedule 'swizzle': expects a tile of M 64 or 128, but got 96
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=swizzle,tile=128x24x64 2>&1 | FileCheck %s --check-prefix=N
// N: expects a tile of N that is a multiple of 16 up to 256 for M 128, but got 24
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=swizzle,tile=64x264x64 2>&1 | FileCheck %s --check-prefix=N64
// N64: expects a tile of N that is a multiple of 8 up to 256 for M 64, but got 264
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=tma,tile=64x64x24 2>&1 | FileCheck %s --check-prefix=K
// K: expects a tile of K that is a multiple of 16, but got 24
// (128 + 256) rows of 512 elements of 2 bytes, two mbarriers, and 4 bytes for the
// address of the tensor memory.
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=swizzle,tile=128x256x512 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: tile 128x256x512 needs 393236 bytes of shared memory, but sm_100a has 232448; the largest K that fits is 288
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=warp_specialized,scheduler=clc 2>&1 | FileCheck %s --check-prefix=CLC
// CLC: error: 'bwgemm.gemm' op schedule 'warp_specialized': has one tile for each CTA; scheduler=clc is for preset persistent
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=persistent,scheduler=stream_k,split_k=2 2>&1 | FileCheck %s --check-prefix=STREAM-SPLIT
// STREAM-SPLIT: error: 'bwgemm.gemm' op schedule 'persistent': expects split_k=1 with scheduler=stream_k, which shares out K by itself, but got 2
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=naive,pdl=on 2>&1 | FileCheck %s --check-prefix=NAIVE-PDL
// NAIVE-PDL: error: 'bwgemm.gemm' op schedule 'naive': takes no fields
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=swizzle,stages=3 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: expects stages=1, but got 3; it copies and multiplies in turn, and preset pipelined has a ring of stages
// 8 slots of (128 + 128) rows of 64 elements of 2 bytes and two mbarriers each, two
// for the accumulator, and 4 bytes.
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=pipelined,stages=8,store=direct 2>&1 | FileCheck %s --check-prefix=RING
// RING: error: 'bwgemm.gemm' op schedule 'pipelined': stages=8 of tile 128x128x64 need 262292 bytes of shared memory, but sm_100a has 232448; at most 7 stages fit
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=swizzle,swizzle=none 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: expects swizzle=32B|64B|128B; preset tma goes without
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=tma,swizzle=64B 2>&1 | FileCheck %s --check-prefix=TMA
// TMA: schedule 'tma': has no swizzle; expects swizzle=none, or preset swizzle
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=naive,tile=64x64x64 2>&1 | FileCheck %s --check-prefix=NAIVE
// NAIVE: schedule 'naive': takes no fields (one thread computes one output)
// B is K x N, so that N is contiguous: 24 elements are 48 bytes.
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=swizzle,tile=64x24x64,swizzle=32B 2>&1 | FileCheck %s --check-prefix=SPAN
// SPAN: expects N of the tile, contiguous in B, to be a multiple of 32 bytes (the swizzle), but got 48

// RUN: not bwgemm-opt %t/pitch.mlir --bwgemm-assign-schedule=schedule=swizzle 2>&1 | FileCheck %s --check-prefix=PITCH
// PITCH: schedule 'swizzle': operand A has a row pitch of 1022 bytes; TMA needs a multiple of 16; schedule=multistage reads any layout
// RUN: not bwgemm-opt %t/offset.mlir --bwgemm-assign-schedule=schedule=tma 2>&1 | FileCheck %s --check-prefix=OFFSET
// OFFSET: schedule 'tma': operand B starts 8 bytes into its buffer; TMA needs a multiple of 16
// RUN: not bwgemm-opt %t/stride.mlir --bwgemm-assign-schedule=schedule=tma 2>&1 | FileCheck %s --check-prefix=STRIDE
// STRIDE: operand A has a stride of 2 elements along its rows; TMA needs contiguous rows
// The same slots as above and two staging tiles of 128 rows of 128 bytes.
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=pipelined,stages=7,store=tma 2>&1 | FileCheck %s --check-prefix=STAGING
// STAGING: schedule 'pipelined': stages=7 of tile 128x128x64 need 262276 bytes of shared memory, but sm_100a has 232448; at most 6 stages fit
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=swizzle,store=tma 2>&1 | FileCheck %s --check-prefix=BELOW
// BELOW: schedule 'swizzle': writes its result from registers; store=tma is for preset tma_store and those above
// RUN: not bwgemm-opt %t/accumulate.mlir --bwgemm-assign-schedule=schedule=tma_store,store=tma 2>&1 | FileCheck %s --check-prefix=ADDS
// ADDS: schedule 'tma_store': expects store=direct, which adds to the result, for a gemm that accumulates, but got store=tma
// RUN: not bwgemm-opt %t/result.mlir --bwgemm-assign-schedule=schedule=tma_store,store=tma 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: schedule 'tma_store': operand D has a row pitch of 770 bytes; TMA needs a multiple of 16; store=direct writes any layout
// RUN: not bwgemm-opt %t/dynamic.mlir --bwgemm-assign-schedule=schedule=tma_store,store=tma 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: operand D has strides or an offset that are not known at compile time; store=direct writes any layout

// K of 256 elements.
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=pipelined,split_k=5 2>&1 | FileCheck %s --check-prefix=PARTS
// PARTS: schedule 'pipelined': split_k=5 needs that many tiles of K, but K of 256 has 4 of 64; at most split_k=4 fits
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=naive,split_k=2 2>&1 | FileCheck %s --check-prefix=SPLITNAIVE
// SPLITNAIVE: schedule 'naive': takes no fields
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=warp_specialized,cta_group=2 2>&1 | FileCheck %s --check-prefix=GROUP
// GROUP: schedule 'warp_specialized': expects cta_group=1, but got 2; cta_group=2 is for preset two_cta and those above
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=two_cta,cta_group=1 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: schedule 'two_cta': expects cta_group=2, but got 1; preset warp_specialized goes without pairs
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=tma_store,cluster=2x1 2>&1 | FileCheck %s --check-prefix=CLUSTER
// CLUSTER: schedule 'tma_store': expects cluster=1x1, but got 2x1; clusters are for preset pipelined and those above
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=pipelined,cluster=4x4 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: schedule 'pipelined': expects a cluster of at most 8 CTAs, but got 4x4
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=two_cta,cluster=1x2 2>&1 | FileCheck %s --check-prefix=EVEN
// EVEN: schedule 'two_cta': expects a cluster with an even number of CTAs along M for cta_group=2, but got 1x2
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=warp_specialized,tile=256x64x64 2>&1 | FileCheck %s --check-prefix=TALL
// TALL: schedule 'warp_specialized': expects a tile of M 64 or 128, but got 256; M 256 takes preset two_cta or persistent with cta_group=2
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=two_cta,tile=64x64x64 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: schedule 'two_cta': expects a tile of M 128 or 256 for a pair of CTAs, but got 64
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=two_cta,tile=256x48x64 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: schedule 'two_cta': expects a tile of N that is a multiple of 32 up to 256 for M 256 of a pair of CTAs, but got 48
// Each has (128 + 128) rows of 512 elements of 2 bytes, and 64 bytes beside.
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=two_cta,tile=256x256x512,store=direct 2>&1 | FileCheck %s --check-prefix=HALVES
// HALVES: schedule 'two_cta': tile 256x256x512 needs 262180 bytes of shared memory in each CTA, but sm_100a has 232448; the largest K that fits is 448
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=two_cta,stages=8,store=direct 2>&1 | FileCheck %s --check-prefix=SLOTS
// SLOTS: schedule 'two_cta': stages=8 of tile 256x256x64 need 262292 bytes of shared memory in each CTA, but sm_100a has 232448; at most 7 stages fit
// Half of N is contiguous in B: 16 elements are 32 bytes.
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=two_cta,tile=256x32x64,swizzle=64B 2>&1 | FileCheck %s --check-prefix=HALFSPAN
// HALFSPAN: schedule 'two_cta': expects half of N of the tile, contiguous in B, to be a multiple of 64 bytes (the swizzle), but got 32
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=persistent,scheduler=stream_k,cluster=2x1 2>&1 | FileCheck %s --check-prefix=STREAMCLUSTER
// STREAMCLUSTER: schedule 'persistent': expects cluster=1x1 with scheduler=stream_k, but got 2x1; scheduler=static and scheduler=clc walk by clusters
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=persistent,order=hilbert,raster=6 2>&1 | FileCheck %s --check-prefix=HILBERT
// HILBERT: schedule 'persistent': expects a raster that is a power of two, 2 at least, for order=hilbert, but got raster=6; order=serpentine takes any
// RUN: not bwgemm-opt %t/gemm.mlir --bwgemm-assign-schedule=schedule=naive,order=hilbert 2>&1 | FileCheck %s --check-prefix=NAIVEORDER
// NAIVEORDER: error:

//--- accumulate.mlir
func.func @f(%a: memref<512x256xbf16>, %b: memref<256x384xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d accumulate : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xf32>
  return
}
//--- result.mlir
func.func @f(%a: memref<512x256xbf16>, %b: memref<256x384xbf16>, %d: memref<512x384xbf16, strided<[385, 1]>>) {
  bwgemm.gemm %a, %b, %d : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xbf16, strided<[385, 1]>>
  return
}
//--- dynamic.mlir
func.func @f(%a: memref<512x256xbf16>, %b: memref<256x384xbf16>, %d: memref<?x?xf32>) {
  bwgemm.gemm %a, %b, %d : memref<512x256xbf16>, memref<256x384xbf16>, memref<?x?xf32>
  return
}
//--- gemm.mlir
func.func @f(%a: memref<512x256xbf16>, %b: memref<256x384xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xf32>
  return
}
//--- pitch.mlir
func.func @f(%a: memref<64x511xbf16>, %b: memref<511x384xbf16>, %d: memref<64x384xf32>) {
  bwgemm.gemm %a, %b, %d : memref<64x511xbf16>, memref<511x384xbf16>, memref<64x384xf32>
  return
}
//--- offset.mlir
func.func @f(%a: memref<64x64xf16>, %b: memref<64x64xf16, strided<[64, 1], offset: 4>>, %d: memref<64x64xf16>) {
  bwgemm.gemm %a, %b, %d : memref<64x64xf16>, memref<64x64xf16, strided<[64, 1], offset: 4>>, memref<64x64xf16>
  return
}
//--- stride.mlir
func.func @f(%a: memref<64x64xf16, strided<[128, 2]>>, %b: memref<64x64xf16>, %d: memref<64x64xf16>) {
  bwgemm.gemm %a, %b, %d : memref<64x64xf16, strided<[128, 2]>>, memref<64x64xf16>, memref<64x64xf16>
  return
}

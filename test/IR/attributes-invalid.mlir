// RUN: bwgemm-opt %s -split-input-file -verify-diagnostics

// swizzle_c1
// expected-error@+1 {{expects a swizzle shift of at least the number of bits (3), but got 2}}
module attributes { test.a = #bwgemm.swizzle<3, 4, 2> } {}

// -----

// swizzle_c2
// expected-error@+1 {{expects bits + base + shift of a swizzle to be at most 18 (shared memory addresses), but got 3 + 12 + 4}}
module attributes { test.a = #bwgemm.swizzle<3, 12, 4> } {}

// -----

// swizzle_c2: the sum does not wrap around.
// expected-error@+1 {{expects bits + base + shift of a swizzle to be at most 18 (shared memory addresses), but got 1 + 4294967295 + 3}}
module attributes { test.a = #bwgemm.swizzle<1, 4294967295, 3> } {}

// -----

// expected-error@+1 {{integer value too large}}
module attributes { test.a = #bwgemm.swizzle<4294967297, 4, 3> } {}

// -----

// expected-error@+1 {{expected integer value}}
module attributes { test.a = #bwgemm.swizzle<swirl> } {}

// -----

// expected-error@+1 {{expects a swizzle of 32B, 64B or 128B, but got 16B}}
module attributes { test.a = #bwgemm.swizzle<16B> } {}

// -----

// Too few and too many numbers.
// expected-error@+1 {{expected ','}}
module attributes { test.a = #bwgemm.swizzle<3, 4> } {}

// -----

// expected-error@+1 {{expected '>'}}
module attributes { test.a = #bwgemm.swizzle<3, 4, 3, 2> } {}

// -----

// schedule_c1
// expected-error@+1 {{expects tile extents of 1 to 65536, but got 64x64x65537}}
module attributes { test.a = #bwgemm.schedule<tma, tile = 64x64x65537, stages = 1, swizzle = none, tmem_load = "32x32b"> } {}

// -----

// schedule_c1: zero. The lexer takes 0x64 for 0 and x64.
// expected-error@+1 {{expects tile extents of 1 to 65536, but got 0x64x64}}
module attributes { test.a = #bwgemm.schedule<tma, tile = 0x64x64, stages = 1, swizzle = none, tmem_load = "32x32b"> } {}

// -----

// schedule_c2
// expected-error@+1 {{expects 1 to 65536 stages, but got 0}}
module attributes { test.a = #bwgemm.schedule<tma, tile = 64x64x64, stages = 0, swizzle = none, tmem_load = "32x32b"> } {}

// -----

// expected-error@+1 {{expects 1 to 65536 stages, but got -3}}
module attributes { test.a = #bwgemm.schedule<tma, tile = 64x64x64, stages = -3, swizzle = none, tmem_load = "32x32b"> } {}

// -----

// schedule_c3
// expected-error@+1 {{expects a swizzle that TMA knows (none, 32B, 64B or 128B), but got <2, 5, 2>}}
module attributes { test.a = #bwgemm.schedule<tma, tile = 64x64x64, stages = 1, swizzle = <2, 5, 2>, tmem_load = "32x32b"> } {}

// -----

// expected-error@+1 {{expects a schedule preset (auto, naive, microkernel, tiled, double_buffered, multistage, tma, swizzle, tma_store, pipelined, warp_specialized, two_cta, persistent), but got fast}}
module attributes { test.a = #bwgemm.schedule<fast, tile = 64x64x64, stages = 1, swizzle = none, tmem_load = "32x32b"> } {}

// -----

// Tiles of two, four and no extents.
// expected-error@+1 {{expects a tile of three extents (M x N x K), but got 2}}
module attributes { test.a = #bwgemm.schedule<tma, tile = 64x64, stages = 1, swizzle = none, tmem_load = "32x32b"> } {}

// -----

// expected-error@+1 {{expects a tile of three extents (M x N x K), but got 4}}
module attributes { test.a = #bwgemm.schedule<tma, tile = 64x64x64x64, stages = 1, swizzle = none, tmem_load = "32x32b"> } {}

// -----

// expected-error@+1 {{expects a tile of three extents (M x N x K), but got 0}}
module attributes { test.a = #bwgemm.schedule<tma, tile = , stages = 1, swizzle = none, tmem_load = "32x32b"> } {}

// -----

// expected-error@+1 {{expected static shape}}
module attributes { test.a = #bwgemm.schedule<tma, tile = 64x?x64, stages = 1, swizzle = none, tmem_load = "32x32b"> } {}

// -----

// expected-error@+1 {{expects a tensor-memory load shape of "32x32b" or "16x256b", but got "64x64b"}}
module attributes { test.a = #bwgemm.schedule<tma, tile = 64x64x64, stages = 1, swizzle = none, tmem_load = "64x64b"> } {}

// -----

// expected-error@+1 {{expects a swizzle: none, 32B, 64B, 128B or <bits, base, shift>}}
module attributes { test.a = #bwgemm.schedule<tma, tile = 64x64x64, stages = 1, swizzle = big, tmem_load = "32x32b"> } {}

// -----

// expected-error@+1 {{expects a swizzle of 32B, 64B or 128B, but got 256B}}
module attributes { test.a = #bwgemm.schedule<tma, tile = 64x64x64, stages = 1, swizzle = 256B, tmem_load = "32x32b"> } {}

// -----

// schedule_c4
// expected-error@+1 {{expects a raster of 1 to 65536 rows of tiles, but got 0}}
func.func private @f() attributes {s = #bwgemm.schedule<persistent, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", raster = 0>}

// -----

// schedule_c13
// expected-error@+1 {{expects a raster that is a power of two, 2 at least, for order = hilbert, but got 12}}
module attributes { test.a = #bwgemm.schedule<persistent, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", raster = 12, order = hilbert> } {}

// -----

// expected-error@+1 {{expects an order of straight, serpentine or hilbert, but got zigzag}}
module attributes { test.a = #bwgemm.schedule<persistent, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", raster = 12, order = zigzag> } {}

// -----

// schedule_c5
// expected-error@+1 {{expects store = tma from preset tma_store on, but got preset swizzle}}
module attributes { test.a = #bwgemm.schedule<swizzle, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", store = tma> } {}

// -----

// schedule_c15
// expected-error@+1 {{expects a staging of 2 to 65536 slices, but got 1}}
module attributes { test.a = #bwgemm.schedule<tma_store, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", store = tma, staging = 1> } {}

// -----

// schedule_c15
// expected-error@+1 {{expects staging with store = tma only, but got store = direct}}
module attributes { test.a = #bwgemm.schedule<tma_store, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", staging = 4> } {}

// -----

// schedule_c20
// expected-error@+1 {{expects pingpong = on with preset persistent, but got preset warp_specialized}}
module attributes { test.a = #bwgemm.schedule<warp_specialized, tile = 64x64x64, stages = 2, swizzle = 128B, tmem_load = "16x256b", pingpong = on> } {}

// -----

// expected-error@+1 {{expects an l2_keep of none, a or b, but got both}}
module attributes { test.a = #bwgemm.schedule<persistent, tile = 64x64x64, stages = 2, swizzle = 128B, tmem_load = "16x256b", l2_keep = both> } {}

// -----

// schedule_c21
// expected-error@+1 {{expects l2_keep = none but from preset tma on, but got preset multistage}}
module attributes { test.a = #bwgemm.schedule<multistage, tile = 64x64x64, stages = 2, swizzle = 128B, l2_keep = a> } {}

// -----

// expected-error@+1 {{expects a pingpong of on or off, but got yes}}
module attributes { test.a = #bwgemm.schedule<persistent, tile = 64x64x64, stages = 2, swizzle = 128B, tmem_load = "16x256b", pingpong = yes> } {}

// -----

// expected-error@+1 {{expects a swap_ab of on or off, but got yes}}
module attributes { test.a = #bwgemm.schedule<tma_store, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", swap_ab = yes> } {}

// -----

// expected-error@+1 {{expects a store of direct or tma, but got both}}
module attributes { test.a = #bwgemm.schedule<tma_store, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", store = both> } {}

// -----

// expected-error@+1 {{expects raster, order, store, staging, swap_ab, pingpong, l2_keep, cta_group, cluster, scheduler, split_k, warps, precision, accumulator, promote, compensated or pdl, but got depth}}
module attributes { test.a = #bwgemm.schedule<tma_store, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", depth = 3> } {}

// -----

// schedule_c6
// expected-error@+1 {{expects a cta_group of 1 or 2, but got 3}}
module attributes { test.a = #bwgemm.schedule<persistent, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", cta_group = 3> } {}

// -----

// schedule_c7
// expected-error@+1 {{expects a cluster of 1 to 8 CTAs, but got 4x4}}
module attributes { test.a = #bwgemm.schedule<persistent, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", cluster = 4x4> } {}

// -----

// expected-error@+1 {{expects a cluster of 1 to 8 CTAs, but got 16x1}}
module attributes { test.a = #bwgemm.schedule<persistent, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", cluster = 16x1> } {}

// -----

// expected-error@+1 {{expects a cluster of two extents (M x N), but got 3}}
module attributes { test.a = #bwgemm.schedule<persistent, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", cluster = 2x1x1> } {}

// -----

// schedule_c8
// expected-error@+1 {{expects a cluster with an even number of CTAs along M for cta_group = 2, but got 1x2}}
module attributes { test.a = #bwgemm.schedule<persistent, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", cta_group = 2, cluster = 1x2> } {}

// -----

// schedule_c9
// expected-error@+1 {{expects scheduler = clc with preset persistent, but got preset pipelined}}
module attributes { test.a = #bwgemm.schedule<pipelined, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", scheduler = clc> } {}

// -----

// expected-error@+1 {{expects a scheduler of static, clc or stream_k, but got dynamic}}
module attributes { test.a = #bwgemm.schedule<persistent, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", scheduler = dynamic> } {}

// -----

// schedule_c10
// expected-error@+1 {{expects a split_k of 1 to 65536, but got 0}}
module attributes { test.a = #bwgemm.schedule<persistent, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", split_k = 0> } {}

// -----

// expected-error@+1 {{expects a pdl of on or off, but got yes}}
module attributes { test.a = #bwgemm.schedule<persistent, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b", pdl = yes> } {}

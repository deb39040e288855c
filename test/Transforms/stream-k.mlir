// Every CTA has the same number of steps along K, and a second kernel adds up
// the tiles that several of them have a share in.

// RUN: bwgemm-opt %s --bwgemm-tile --bwgemm-swizzle --bwgemm-tma-store --bwgemm-insert-rings --bwgemm-warp-specialize --bwgemm-persist --bwgemm-launch-control --bwgemm-stream-k --canonicalize --cse > %t
// RUN: FileCheck %s --input-file=%t
// It is not done twice.
// RUN: bwgemm-opt %t --bwgemm-persist --bwgemm-stream-k | diff %t -

// 24 tiles of 4 steps are 96 steps: not more CTAs than that, nor than
// multiprocessors. Each may have two shares of 128 x 64 sums.
// CHECK-LABEL: func.func @f
// CHECK: %[[SMS:.*]] = bwgemm.multiprocessor_count
// CHECK: %[[CTAS:.*]] = arith.minui %[[SMS]], %c96
// CHECK: %[[ROWS:.*]] = arith.muli %[[CTAS]], %c256
// CHECK: %[[SHARES:.*]] = bwgemm.workspace.alloc(%[[ROWS]]) "{{.*}}" : memref<?x64xf32>
// CHECK: gpu.launch_func @bwgemm_kernels::@f_kernel blocks in (%[[CTAS]], %c1, %c1)
// CHECK-SAME: %[[SHARES]] : memref<?x64xf32>)
// Tiles that are as many for each CTA are whole, else all but one or two for
// each.
// CHECK: %[[EACH:.*]] = arith.divui %c24, %[[CTAS]]
// CHECK: %[[OVER:.*]] = arith.remui %c24, %[[CTAS]]
// CHECK: %[[FITS:.*]] = arith.cmpi eq, %[[OVER]], %c0
// CHECK: %[[ONE:.*]] = arith.maxui %[[EACH]], %c1
// CHECK: %[[LESS:.*]] = arith.subi %[[ONE]], %c1
// CHECK: %[[WHOLE:.*]] = arith.select %[[FITS]], %[[EACH]], %[[LESS]]
// CHECK: %[[WHOLES:.*]] = arith.muli %[[WHOLE]], %[[CTAS]]
// CHECK: %[[CUT:.*]] = arith.cmpi ne, %[[WHOLES]], %c24
// One CTA less: a place for each two that follow each other, if tiles are cut;
// 2 x 256 threads with 4 sums in 4 places each for a tile.
// CHECK: %[[NEIGHBOURS:.*]] = arith.subi %[[CTAS]], %c1
// CHECK: %[[PLACES:.*]] = arith.select %[[CUT]], %[[NEIGHBOURS]], %c0
// CHECK: gpu.launch_func @bwgemm_kernels::@f_kernel_reduce blocks in (%[[PLACES]], %c2, %c1) threads in (%c256,
// CHECK: bwgemm.workspace.free %[[SHARES]]

// CHECK-LABEL: gpu.func @f_kernel(
// CHECK-SAME: %[[K:[a-z0-9]*]]: index, %{{.*}}: !bwgemm.tensor_map<{{.*}}>, %[[WORKSPACE:.*]]: memref<?x64xf32>)
// CHECK: %[[DEPTH:.*]] = arith.ceildivui %[[K]], %c64
// CHECK: %[[CTA:.*]] = gpu.block_id x
// CHECK: %[[GRID:.*]] = gpu.grid_dim x
// CHECK: arith.divui %c24, %[[GRID]]
// CHECK: %[[WHOLE:.*]] = arith.select
// CHECK: %[[WHOLES:.*]] = arith.muli %[[WHOLE]], %[[GRID]]
// CHECK: %[[REST:.*]] = arith.subi %c24, %[[WHOLES]]
// CHECK: %[[STEPS:.*]] = arith.muli %[[REST]], %[[DEPTH]]
// CHECK: %[[EACH:.*]] = arith.divui %[[STEPS]], %[[GRID]]
// CHECK: %[[LONGER:.*]] = arith.remui %[[STEPS]], %[[GRID]]
// CHECK: %[[SHORTER:.*]] = arith.muli %[[CTA]], %[[EACH]]
// CHECK: %[[MORE:.*]] = arith.minui %[[CTA]], %[[LONGER]]
// CHECK: %[[FIRST:.*]] = arith.addi %[[SHORTER]], %[[MORE]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[CTA]], %c1
// CHECK: %[[END:.*]] = arith.addi
// CHECK: %[[FIRST_TILE:.*]] = arith.divui %[[FIRST]], %[[DEPTH]]
// CHECK: %[[END_TILE:.*]] = arith.ceildivui %[[END]], %[[DEPTH]]
// CHECK: %[[PARTS:.*]] = arith.subi %[[END_TILE]], %[[FIRST_TILE]]
// CHECK: %[[TILES:.*]] = arith.addi %[[WHOLE]], %[[PARTS]]

// Whole tiles a grid apart, and then those that this CTA has steps of.
// CHECK: bwgemm.role "load"
// CHECK: scf.for %[[TURN:.*]] = %c0 to %[[TILES]] step %c1 iter_args
// CHECK:   %[[IS_WHOLE:.*]] = arith.cmpi ult, %[[TURN]], %[[WHOLE]]
// CHECK:   %[[PART:.*]] = arith.subi %[[TURN]], %[[WHOLE]]
// CHECK:   %[[TILE:.*]] = arith.addi %[[FIRST_TILE]], %[[PART]]
// CHECK:   %[[START:.*]] = arith.muli %[[TILE]], %[[DEPTH]]
// CHECK:   %[[STOP:.*]] = arith.addi %[[START]], %[[DEPTH]]
// CHECK:   %[[LATER:.*]] = arith.maxui %[[FIRST]], %[[START]]
// CHECK:   %[[PART_FROM:.*]] = arith.subi %[[LATER]], %[[START]]
// CHECK:   %[[FROM:.*]] = arith.select %[[IS_WHOLE]], %c0, %[[PART_FROM]]
// CHECK:   %[[EARLIER:.*]] = arith.minui %[[END]], %[[STOP]]
// CHECK:   %[[PART_TO:.*]] = arith.subi %[[EARLIER]], %[[START]]
// CHECK:   %[[TO:.*]] = arith.select %[[IS_WHOLE]], %[[DEPTH]], %[[PART_TO]]
// CHECK:   %[[GRIDS:.*]] = arith.select %[[IS_WHOLE]], %[[TURN]], %[[WHOLE]]
// CHECK:   %[[BEFORE:.*]] = arith.muli %[[GRIDS]], %[[GRID]]
// CHECK:   %[[THERE:.*]] = arith.select %[[IS_WHOLE]], %[[CTA]], %[[TILE]]
// CHECK:   %[[NUMBER:.*]] = arith.addi %[[THERE]], %[[BEFORE]]
// CHECK:   bwgemm.tile_coord 128 x 64 of %{{.*}} at %[[NUMBER]] raster 8
// CHECK:   %[[LOWER:.*]] = arith.muli %[[FROM]], %c64
// CHECK:   %[[UPPER:.*]] = arith.muli %[[TO]], %c64
// CHECK:   scf.for %{{.*}} = %[[LOWER]] to %[[UPPER]] step %c64

// The first step begins a new sum.
// CHECK: bwgemm.role "multiply"
// CHECK:   scf.for %[[KK:.*]] = %[[BEGIN:.*]] to %{{.*}} step %c64
// CHECK:     %[[ADD:.*]] = arith.cmpi ne, %[[KK]], %[[BEGIN]]
// CHECK:     bwgemm.tcgen05.mma %{{.*}}, %[[ADD]]

// A share is number 2c of CTA c for the first tile that its steps are in, else
// 2c + 1.
// CHECK: bwgemm.role "epilogue"
// CHECK:   %[[IS_FIRST:.*]] = arith.cmpi eq, %{{.*}}, %[[WHOLE]]
// CHECK:   bwgemm.ring.wait
// CHECK:   %[[HAS:.*]] = arith.subi
// CHECK:   %[[WHOLE:.*]] = arith.cmpi eq, %[[HAS]], %[[DEPTH]]
// CHECK:   scf.if %[[WHOLE]] {
// CHECK-NEXT: bwgemm.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] via
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[ONE:.*]] = arith.select %[[IS_FIRST]], %c0, %c1
// CHECK-NEXT: %[[TWICE:.*]] = arith.muli %[[CTA]], %c2
// CHECK-NEXT: %[[SHARE:.*]] = arith.addi %[[TWICE]], %[[ONE]]
// CHECK-NEXT: %[[ROW:.*]] = arith.muli %[[SHARE]], %c128
// CHECK-NEXT: bwgemm.store %{{.*}}, %[[WORKSPACE]][%[[ROW]], %c0] : !bwgemm.tmem<128x64xf32>, memref<?x64xf32>

// Shares are added from the CTA that begins the tile on, as long as the next
// one begins within it.
// CHECK-LABEL: gpu.func @f_kernel_reduce(
// CHECK: %[[BEFORE:.*]] = gpu.block_id x
// CHECK: %[[SECOND:.*]] = arith.addi %[[BEFORE]], %c1
// CHECK: %[[CUT:.*]] = arith.cmpi ne
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi ule
// CHECK: arith.andi %[[CUT]], %[[IS_FIRST]]
// CHECK: %[[END:.*]] = scf.while (%[[CTA:.*]] = %[[SECOND]])
// CHECK:   scf.condition(%{{.*}}) %[[CTA]]
// CHECK: scf.for %[[PIECE:.*]] = %{{.*}} to %c2048 step
// CHECK:   %[[INITIAL:.*]] = vector.load %{{.*}} {alignment = 16 : i64} : memref<?x64xf32>, vector<4xf32>
// CHECK:   %[[SUM:.*]] = scf.for %{{.*}} = %[[SECOND]] to %[[END]] step %c1 iter_args(%[[BEFORE:.*]] = %[[INITIAL]])
// CHECK:     %[[SHARE:.*]] = vector.load
// CHECK:     arith.addf %[[BEFORE]], %[[SHARE]]
// CHECK:   vector.store %[[SUM]]
func.func @f(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <persistent, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", raster = 8, store = tma, scheduler = stream_k> : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
  return
}

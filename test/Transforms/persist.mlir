// Roles loop over tiles; cursors go on from one to the next.

// RUN: bwgemm-opt %s --bwgemm-tile --bwgemm-split-k --bwgemm-swizzle --bwgemm-insert-rings --bwgemm-warp-specialize --bwgemm-persist --canonicalize | FileCheck %s

// At most one CTA for each multiprocessor, of 4 x 6 tiles, and no more than it
// takes for as many turns.
// CHECK-LABEL: func.func @f
// CHECK-DAG: %[[TILES:.*]] = arith.constant 24 : index
// CHECK: %[[SMS:.*]] = bwgemm.multiprocessor_count
// CHECK: %[[TURNS:.*]] = arith.ceildivui %[[TILES]], %[[SMS]]
// CHECK: %[[SOME:.*]] = arith.maxui %[[TURNS]], %c1
// CHECK: %[[GRID:.*]] = arith.ceildivui %[[TILES]], %[[SOME]]
// CHECK: gpu.launch_func {{.*}} blocks in (%[[GRID]],

// CHECK-LABEL: gpu.func @f_kernel
// CHECK-DAG: %[[COUNT:.*]] = arith.constant 24 : index
// CHECK: %[[FIRST:.*]] = gpu.block_id x
// CHECK: %[[STEP:.*]] = gpu.grid_dim x
// Two accumulators of 64 columns.
// CHECK: %[[SUMS:.*]] = bwgemm.ring releases 4 : !bwgemm.ring<2 x (!bwgemm.tmem<128x64xf32>)>
// CHECK: bwgemm.tmem_slot : !bwgemm.tmem_slot<128>
// CHECK: bwgemm.role "load"
// CHECK-NEXT: %[[BEGIN:.*]] = bwgemm.ring.begin %[[OPERANDS:.*]] :
// CHECK-NEXT: scf.for %[[TILE:.*]] = %[[FIRST]] to %[[COUNT]] step %[[STEP]] iter_args(%[[C:.*]] = %[[BEGIN]]) -> (!bwgemm.cursor) {
// CHECK-NEXT:   %[[M:.*]], %[[N:.*]] = bwgemm.tile_coord 128 x 64 of %{{.*}} at %[[TILE]] raster 8 of %{{.*}}
// CHECK-NEXT:   %[[LAST:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %[[C]]) -> (!bwgemm.cursor) {
// CHECK:          bwgemm.tma_load %{{.*}}[%[[M]],
// CHECK:          bwgemm.tma_load %{{.*}}[%[[N]],
// CHECK:        }
// CHECK-NEXT:   scf.yield %[[LAST]]
// CHECK: bwgemm.role "multiply"
// CHECK:      scf.for %{{.*}} = %[[FIRST]] to %[[COUNT]] step %[[STEP]] iter_args(%[[OPERAND:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}}) -> (!bwgemm.cursor, !bwgemm.cursor) {
// CHECK:        bwgemm.ring.acquire %[[SUMS]][%[[SUM]]]
// CHECK:        %[[LAST2:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %[[OPERAND]])
// CHECK:        bwgemm.ring.commit %[[SUMS]][%[[SUM]]] by mma
// CHECK-NEXT:   %[[NEXT:.*]] = bwgemm.ring.next %[[SUMS]][%[[SUM]]]
// CHECK-NEXT:   scf.yield %[[LAST2]], %[[NEXT]]
// CHECK: bwgemm.role "epilogue"
// CHECK:      scf.for %[[TILE3:.*]] = %[[FIRST]] to %[[COUNT]] step %[[STEP]] iter_args(%[[C3:.*]] = %{{.*}}) -> (!bwgemm.cursor) {
// CHECK:        %[[M3:.*]], %[[N3:.*]] = bwgemm.tile_coord 128 x 64 of %{{.*}} at %[[TILE3]]
// CHECK:        bwgemm.ring.wait %[[SUMS]][%[[C3]]]
// CHECK:        bwgemm.store %{{.*}}[%[[M3]], %[[N3]]]
// CHECK:        bwgemm.ring.release %[[SUMS]][%[[C3]]] by thread
// CHECK:        bwgemm.ring.next %[[SUMS]][%[[C3]]]
func.func @f(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <persistent, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", raster = 8> : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xf32>
  return
}

// What follows from the tile is computed for each tile, in the roles that need
// it: the part of K in two of them, the rows of A in one.
// CHECK-LABEL: gpu.func @split_kernel
// CHECK: bwgemm.role "load"
// CHECK:      scf.for
// CHECK-NEXT:   %[[ROW:.*]], %[[N:.*]] = bwgemm.tile_coord
// CHECK:        %[[M:.*]] = arith.remui %[[ROW]], %[[SLICE:.*]] :
// CHECK:        %[[BEGIN:.*]] = arith.muli %{{.*}}, %c64
// CHECK:        scf.for %{{.*}} = %[[BEGIN]] to
// CHECK:          bwgemm.tma_load %{{.*}}[%[[M]],
// CHECK: bwgemm.role "multiply"
// CHECK:      scf.for
// CHECK-NEXT:   %[[ROW2:.*]], %{{.*}} = bwgemm.tile_coord
// CHECK:        arith.divui %[[ROW2]], %[[SLICE]]
// CHECK-NOT:    arith.remui %[[ROW2]]
// CHECK: bwgemm.role "epilogue"
// CHECK:      scf.for
// CHECK-NEXT:   %[[ROW3:.*]], %[[N3:.*]] = bwgemm.tile_coord
// CHECK-NOT:    arith.divui
// CHECK:        bwgemm.store %{{.*}}[%[[ROW3]], %[[N3]]]
func.func @split(%a: memref<?x256xbf16>, %b: memref<384x256xbf16>, %d: memref<?x384xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <persistent, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", split_k = 2> : memref<?x256xbf16>, memref<384x256xbf16>, memref<?x384xf32>
  return
}

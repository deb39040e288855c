// K in parts, each with a CTA of its own, and a kernel that adds them.

// RUN: bwgemm-opt %s --split-input-file --bwgemm-tile --bwgemm-split-k --canonicalize --cse | FileCheck %s
// Twice is once.
// RUN: bwgemm-opt %s --split-input-file --bwgemm-tile --bwgemm-split-k > %t.once
// RUN: bwgemm-opt %s --split-input-file --bwgemm-tile --bwgemm-split-k --bwgemm-split-k | diff %t.once -
// A gemm that is not split is left alone.
// RUN: sed 's/, split_k = 3//' %s > %t.whole.mlir
// RUN: bwgemm-opt %t.whole.mlir --split-input-file --bwgemm-tile > %t.tile
// RUN: bwgemm-opt %t.tile --split-input-file --bwgemm-split-k | diff %t.tile -

// 5 x 7 tiles of 64 x 64, K of 8 tiles in 3 parts: slices of 320 rows, the
// whole tiles that 300 rows take, and 448 columns.
// CHECK-LABEL: func.func @static
// CHECK-SAME: %{{.*}}, %{{.*}}, %[[D:.*]]: memref<300x400xbf16>)
// CHECK-DAG: %[[CTAS:.*]] = arith.constant 105 : index
// CHECK-DAG: %[[K:.*]] = arith.constant 500 : index
// 300 rows of 50 pieces of 8 elements, 256 in a CTA.
// CHECK-DAG: %[[PIECES:.*]] = arith.constant 59 : index
// CHECK-DAG: %[[THREADS:.*]] = arith.constant 256 : index
// CHECK: %[[DD:.*]] = bwgemm.to_device read write %[[D]]
// CHECK: %[[SUMS:.*]] = bwgemm.workspace.alloc() "the partial sums of split_k=3" : memref<960x448xf32>
// CHECK: gpu.launch_func @bwgemm_kernels::@static_kernel blocks in (%[[CTAS]], {{.*}} args(%{{.*}} : {{.*}}, %{{.*}} : {{.*}}, %[[SUMS]] : memref<960x448xf32>, %[[K]] : index)
// CHECK: gpu.launch_func @bwgemm_kernels::@static_kernel_reduce blocks in (%[[PIECES]], {{.*}}) threads in (%[[THREADS]], {{.*}} args(%[[SUMS]] : memref<960x448xf32>, %[[DD]] : memref<300x400xbf16>)
// CHECK-NEXT: bwgemm.workspace.free %[[SUMS]] : memref<960x448xf32>

// CHECK: gpu.func @static_kernel({{.*}}, %[[WS:.*]]: memref<960x448xf32>, %[[DEPTH:.*]]: index)
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[C448:.*]] = arith.constant 448 : index
// CHECK-DAG: %[[C320:.*]] = arith.constant 320 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK: %[[ROW:.*]], %[[N:.*]] = bwgemm.tile_coord 64 x 64 of %[[C448]]
// CHECK: %[[PART:.*]] = arith.divui %[[ROW]], %[[C320]]
// CHECK: %[[M:.*]] = arith.remui %[[ROW]], %[[C320]]
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[DEPTH]], %[[C64]]
// CHECK: %[[EACH:.*]] = arith.divui %[[TILES]], %[[C3]]
// CHECK: %[[LONGER:.*]] = arith.remui %[[TILES]], %[[C3]]
// CHECK: %[[BEFORE:.*]] = arith.muli %[[PART]], %[[EACH]]
// CHECK: %[[MORE:.*]] = arith.minui %[[PART]], %[[LONGER]]
// CHECK: %[[FIRST:.*]] = arith.addi %[[BEFORE]], %[[MORE]]
// CHECK: %[[BEGIN:.*]] = arith.muli %[[FIRST]], %[[C64]]
// CHECK: %[[END:.*]] = arith.muli %{{.*}}, %[[C64]]
// CHECK: scf.for %[[AT:.*]] = %[[BEGIN]] to %[[END]] step %[[C64]] {
// CHECK:   bwgemm.load %{{.*}}[%[[M]], %[[AT]]]
// CHECK:   bwgemm.load %{{.*}}[%[[AT]], %[[N]]]
// The tiles are not added to; the sums are.
// CHECK: bwgemm.store %{{.*}}, %[[WS]][%[[ROW]], %[[N]]] : !bwgemm.acc<64x64xf32>, memref<960x448xf32>

// CHECK: gpu.func @static_kernel_reduce(%[[WS:.*]]: memref<960x448xf32>, %[[D:.*]]: memref<300x400xbf16>) kernel attributes {known_block_size = array<i32: 256, 1, 1>, nvvm.minctasm = 2 : i32}
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C320:.*]] = arith.constant 320 : index
// CHECK: %[[FIRST:.*]] = vector.load %[[WS]][%[[ROW:.*]], %[[COLUMN:.*]]] {alignment = 32 : i64} : memref<960x448xf32>, vector<8xf32>
// CHECK: %[[SUM:.*]] = scf.for %[[PART:.*]] = %[[C1]] to %[[C3]] step %[[C1]] iter_args(%[[SOFAR:.*]] = %[[FIRST]])
// CHECK:   %[[ABOVE:.*]] = arith.muli %[[PART]], %[[C320]]
// CHECK:   %[[AT:.*]] = arith.addi %[[ABOVE]], %[[ROW]]
// CHECK:   %[[NEXT:.*]] = vector.load %[[WS]][%[[AT]], %[[COLUMN]]]
// CHECK:   arith.addf %[[SOFAR]], %[[NEXT]] : vector<8xf32>
// CHECK: scf.if
// CHECK:   %[[OLD:.*]] = vector.load %[[D]][%[[ROW]], %[[COLUMN]]] {alignment = 16 : i64} : memref<300x400xbf16>, vector<8xbf16>
// CHECK:   arith.extf %[[OLD]]
// CHECK:   %[[ALL:.*]] = arith.addf %[[SUM]],
// CHECK:   %[[ROUNDED:.*]] = arith.truncf %[[ALL]]
// CHECK:   vector.store %[[ROUNDED]], %[[D]][%[[ROW]], %[[COLUMN]]]
func.func @static(%a: memref<300x500xbf16>, %b: memref<500x400xbf16>, %d: memref<300x400xbf16>) {
  bwgemm.gemm %a, %b, %d accumulate schedule <tma, tile = 64x64x64, stages = 1, swizzle = none, tmem_load = "16x256b", split_k = 3> : memref<300x500xbf16>, memref<500x400xbf16>, memref<300x400xbf16>
  return
}

// -----

// Sizes that the run decides: never more parts than tiles of K, and the kernels
// are told.
// CHECK-LABEL: func.func @dynamic
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[K:.*]] = memref.dim %arg0, %c1
// CHECK: %[[TILES:.*]] = arith.ceildivui %[[K]], %[[C64]]
// CHECK: %[[PARTS:.*]] = arith.minui %[[TILES]], %[[C3]]
// CHECK: %[[ROWS:.*]] = arith.muli %[[PARTS]], %[[SLICE:.*]] : index
// CHECK: bwgemm.workspace.alloc(%[[ROWS]], %{{.*}}) "the partial sums of split_k=3" : memref<?x?xf32>
// CHECK: %[[CTAS:.*]] = arith.muli %{{.*}}, %[[PARTS]]
// CHECK: gpu.launch_func @bwgemm_kernels::@dynamic_kernel blocks in (%[[CTAS]], {{.*}}, %[[K]] : index, %[[PARTS]] : index, %[[SLICE]] : index)
// CHECK: gpu.launch_func @bwgemm_kernels::@dynamic_kernel_reduce {{.*}}, %[[PARTS]] : index, %[[SLICE]] : index)
func.func @dynamic(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>) {
  bwgemm.gemm %a, %b, %d schedule <tma, tile = 64x64x64, stages = 1, swizzle = none, tmem_load = "16x256b", split_k = 3> : memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf32>
  return
}

// -----

// Slices are whole clusters too: 2 x 1 tiles of 64 rows.
// CHECK-LABEL: func.func @cluster
// CHECK: bwgemm.workspace.alloc() "the partial sums of split_k=3" : memref<1152x448xf32>
func.func @cluster(%a: memref<300x500xbf16>, %b: memref<500x400xbf16>, %d: memref<300x400xbf16>) {
  bwgemm.gemm %a, %b, %d schedule <pipelined, tile = 64x64x64, stages = 2, swizzle = 128B, tmem_load = "16x256b", cluster = 2x1, split_k = 3> : memref<300x500xbf16>, memref<500x400xbf16>, memref<300x400xbf16>
  return
}

// Sums in f16: within the loop over K, and extended to f32 behind it.

// RUN: bwgemm-opt %s --convert-linalg-to-bwgemm --bwgemm-assign-schedule="target=sm_80 schedule=tiled,tile=64x64x32,accumulator=f16" --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warps | FileCheck %s --check-prefix=WARPS
// RUN: bwgemm-opt %s --convert-linalg-to-bwgemm --bwgemm-assign-schedule="target=sm_80 schedule=tiled,tile=64x64x32,accumulator=f16,promote=128" --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warps --bwgemm-promote | FileCheck %s --check-prefix=BLOCKS
// RUN: bwgemm-opt %s --convert-linalg-to-bwgemm --bwgemm-assign-schedule="target=sm_80 schedule=tiled,tile=64x64x32,accumulator=f16,promote=32" --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warps --bwgemm-promote | FileCheck %s --check-prefix=STEP
// RUN: bwgemm-opt %s --convert-linalg-to-bwgemm --bwgemm-assign-schedule="target=sm_80 schedule=multistage,tile=64x64x32,accumulator=f16,promote=128" --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warps --bwgemm-promote --bwgemm-multistage | FileCheck %s --check-prefix=STAGES
// RUN: bwgemm-opt %s --convert-linalg-to-bwgemm --bwgemm-assign-schedule="target=sm_80 schedule=multistage,tile=64x64x32,accumulator=f16,split_k=2" --bwgemm-tile --bwgemm-split-k --bwgemm-swizzle --bwgemm-insert-warps --bwgemm-promote --bwgemm-multistage | FileCheck %s --check-prefix=PARTS

// Either way to copy has its loop, and the extension behind it.
// WARPS-LABEL: gpu.func @matmul_kernel
// WARPS: %[[SUM:.*]] = scf.if %{{.*}} -> (!bwgemm.fragment<64x64xf32, warps = 2x2>) {
// WARPS: %[[ZERO:.*]] = bwgemm.fragment_zero : !bwgemm.fragment<64x64xf16, warps = 2x2>
// WARPS: %[[HALF:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]]) -> (!bwgemm.fragment<64x64xf16, warps = 2x2>)
// WARPS: bwgemm.mma_sync {{.*}} : !bwgemm.fragment<64x64xf16, warps = 2x2>, !bwgemm.operand<a, 32x16xf16>, !bwgemm.operand<b, 32x16xf16>
// WARPS: %[[WIDE:.*]] = bwgemm.fragment_extend %[[HALF]] : !bwgemm.fragment<64x64xf16, warps = 2x2> -> !bwgemm.fragment<64x64xf32, warps = 2x2>
// WARPS-NEXT: scf.yield %[[WIDE]]
// WARPS: } else {
// WARPS: bwgemm.fragment_extend
// WARPS: bwgemm.store %[[SUM]], %{{.*}} : !bwgemm.fragment<64x64xf32, warps = 2x2>, memref<128x96xf16>

// Blocks are extended one by one; each begins at zero.
// BLOCKS-LABEL: gpu.func @matmul_kernel
// BLOCKS: %[[ZERO:.*]] = bwgemm.fragment_zero : !bwgemm.fragment<64x64xf16, warps = 2x2>
// BLOCKS: %[[NONE:.*]] = bwgemm.fragment_zero : !bwgemm.fragment<64x64xf32, warps = 2x2>
// BLOCKS: %[[SUM:.*]]:2 = scf.for %[[BLOCK:.*]] = %{{.*}} to %{{.*}} step %c128{{.*}} iter_args(%[[TOTAL:.*]] = %[[NONE]], %[[START:.*]] = %[[ZERO]])
// BLOCKS: %[[HALF:.*]] = scf.for %{{.*}} = %[[BLOCK]] to %{{.*}} iter_args(%{{.*}} = %[[START]])
// BLOCKS: bwgemm.mma_sync
// BLOCKS: %[[PART:.*]] = bwgemm.fragment_extend %[[HALF]]
// BLOCKS-NEXT: %[[MORE:.*]], %{{.*}} = bwgemm.promote %[[TOTAL]], %[[PART]] : !bwgemm.fragment<64x64xf32, warps = 2x2>
// BLOCKS-NEXT: scf.yield %[[MORE]], %[[ZERO]]
// BLOCKS: scf.yield %[[SUM]]#0

// STEP-LABEL: gpu.func @matmul_kernel
// STEP: scf.for %{{.*}} step %c32
// STEP: scf.for
// STEP-NEXT: %[[NONE:.*]] = bwgemm.fragment_zero : !bwgemm.fragment<64x64xf16, warps = 2x2>
// STEP: bwgemm.mma_sync %[[NONE]],
// STEP: bwgemm.fragment_extend
// STEP-NEXT: bwgemm.promote

// STAGES-LABEL: gpu.func @matmul_kernel
// STAGES: %[[ZERO:.*]] = bwgemm.fragment_zero : !bwgemm.fragment<64x64xf16, warps = 2x2>
// STAGES: %[[NONE:.*]] = bwgemm.fragment_zero : !bwgemm.fragment<64x64xf32, warps = 2x2>
// STAGES: %[[SUM:.*]]:6 = scf.for %{{.*}} step %c128{{.*}} iter_args(%[[TOTAL:.*]] = %[[NONE]], %[[START:.*]] = %[[ZERO]], %{{.*}})
// STAGES: %[[BETWEEN:.*]]:5 = scf.for {{.*}} iter_args(%{{.*}} = %[[START]],
// STAGES: %[[HALF:.*]]:5 = scf.for {{.*}} iter_args(%{{.*}} = %[[BETWEEN]]#0,
// STAGES: %[[PART:.*]] = bwgemm.fragment_extend %[[HALF]]#0
// STAGES-NEXT: %[[MORE:.*]], %{{.*}} = bwgemm.promote %[[TOTAL]], %[[PART]] :
// STAGES-NEXT: scf.yield %[[MORE]], %[[ZERO]], %[[HALF]]#1,
// STAGES: scf.yield %[[SUM]]#0

// What parts of K write is f32, as always.
// PARTS-LABEL: gpu.func @matmul_kernel
// PARTS: %[[SUM:.*]] = scf.if
// PARTS: bwgemm.mma_sync {{.*}} : !bwgemm.fragment<64x64xf16, warps = 2x2>
// PARTS: bwgemm.fragment_extend
// PARTS: bwgemm.store %[[SUM]], %{{.*}} : !bwgemm.fragment<64x64xf32, warps = 2x2>, memref<{{.*}}xf32>
func.func @matmul(%a: memref<128x640xf16>, %b: memref<96x640xf16>, %d: memref<128x96xf16>) {
  %zero = arith.constant 0.0 : f16
  linalg.fill ins(%zero : f16) outs(%d : memref<128x96xf16>)
  linalg.matmul
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<128x640xf16>, memref<96x640xf16>) outs(%d : memref<128x96xf16>)
  return
}

// Copies run ahead, and with preset multistage the operands of each step too.

// RUN: bwgemm-opt %s --convert-linalg-to-bwgemm --bwgemm-assign-schedule="target=sm_80 schedule=double_buffered,tile=64x64x32" --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warps --bwgemm-multistage | FileCheck %s --check-prefix=TWO
// RUN: bwgemm-opt %s --convert-linalg-to-bwgemm --bwgemm-assign-schedule="target=sm_80 schedule=multistage,tile=64x64x32,stages=3" --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warps --bwgemm-multistage | FileCheck %s --check-prefix=THREE
// RUN: bwgemm-opt %s --convert-linalg-to-bwgemm --bwgemm-assign-schedule="target=sm_80 schedule=multistage,tile=64x64x64,stages=3" --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warps --bwgemm-multistage | FileCheck %s --check-prefix=PARTS
// RUN: bwgemm-opt %s --convert-linalg-to-bwgemm --bwgemm-assign-schedule="target=sm_80 schedule=multistage,tile=64x64x32,stages=3,promote=64,compensated=on" --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warps --bwgemm-promote --bwgemm-multistage | FileCheck %s --check-prefix=BLOCKS

// TWO-LABEL: gpu.func @matmul_kernel
// TWO-SAME: %[[K:arg[0-9]+]]: index)
// TWO: %[[SA:.*]] = bwgemm.smem_alloc : !bwgemm.smem<2x64x32xbf16, k_major, swizzle = 64B>
// TWO: %[[SB:.*]] = bwgemm.smem_alloc : !bwgemm.smem<2x64x32xbf16, k_major, swizzle = 64B>
// A tile at k starts the one at k + 32, which is whole if k + 64 is not behind
// the end of K, 72 or where a part of it ends.
// TWO: %[[LESS:.*]] = arith.minsi %[[K]], %{{.*}}
// TWO: %[[WHOLE:.*]] = arith.subi %{{.*}}, %c63
// TWO: bwgemm.copy_tile %{{.*}}, %[[SA]][%{{.*}}] until %[[K]] inside by 16
// TWO: bwgemm.copy_tile %{{.*}}, %[[SB]][%{{.*}}] until %[[K]] by 16
// TWO-NEXT: nvvm.cp.async.commit.group
// TWO: %[[MIDDLE:.*]] = arith.minsi %[[K]], %[[WHOLE]]
// TWO: %[[BETWEEN:.*]]:3 = scf.for %[[AT:.*]] = %{{.*}} to %[[MIDDLE]] step
// TWO: bwgemm.copy_tile %{{.*}}, %[[SA]][%{{.*}}] whole inside by 16
// TWO: bwgemm.copy_tile %{{.*}}, %[[SB]][%{{.*}}] whole by 16
// TWO: scf.yield
// The turns that are left.
// TWO: scf.for %[[AT:.*]] = %{{.*}} to %[[K]] step %{{.*}} iter_args(%{{.*}} = %[[BETWEEN]]#0, %[[READ:.*]] = %[[BETWEEN]]#1, %[[WRITE:.*]] = %[[BETWEEN]]#2) -> (!bwgemm.fragment<64x64xf32, warps = 2x2>, index, index)
// TWO-NEXT: nvvm.cp.async.wait.group 0
// TWO-NEXT: gpu.barrier
// TWO-NEXT: %[[AHEAD:.*]] = arith.addi %[[AT]], %{{.*}}
// TWO-NEXT: bwgemm.copy_tile %{{.*}}[%{{.*}}, %[[AHEAD]]], %[[SA]][%[[WRITE]]] until %[[K]] inside
// TWO-NEXT: bwgemm.copy_tile %{{.*}}[%{{.*}}, %[[AHEAD]]], %[[SB]][%[[WRITE]]]
// TWO-NEXT: nvvm.cp.async.commit.group
// TWO: bwgemm.ldmatrix %[[SA]][%[[READ]],
// TWO: bwgemm.ldmatrix %[[SB]][%[[READ]],
// TWO: bwgemm.mma_sync
// TWO: bwgemm.mma_sync
// TWO-NOT: gpu.barrier
// TWO: scf.yield %{{.*}}, %{{.*}}, %[[READ]]
// TWO: nvvm.cp.async.wait.group 0

// THREE-LABEL: gpu.func @matmul_kernel
// THREE: %[[SA:.*]] = bwgemm.smem_alloc : !bwgemm.smem<3x64x32xbf16, k_major, swizzle = 64B>
// Two tiles are started.
// THREE-COUNT-2: nvvm.cp.async.commit.group
// THREE: nvvm.cp.async.wait.group 1
// THREE-NEXT: gpu.barrier
// THREE: %[[A:.*]] = bwgemm.ldmatrix
// THREE: %[[B:.*]] = bwgemm.ldmatrix
// THREE: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[READ:.*]] = %{{.*}}, %[[WRITE:.*]] = %{{.*}}, %[[A0:.*]] = %[[A]], %[[B0:.*]] = %[[B]])
// THREE: %[[NEXT:.*]] = arith.select
// THREE: %[[A1:.*]] = bwgemm.ldmatrix %[[SA]][%[[READ]],
// THREE: %[[B1:.*]] = bwgemm.ldmatrix
// THREE: bwgemm.copy_tile {{.*}}, %[[SA]][%[[WRITE]]] whole inside by 16
// THREE: bwgemm.copy_tile {{.*}}[%[[WRITE]]] whole by 16
// THREE: %[[S0:.*]] = bwgemm.mma_sync %[[ACC]], %[[A0]], %[[B0]]
// THREE-NEXT: nvvm.cp.async.commit.group
// THREE-NEXT: nvvm.cp.async.wait.group 1
// THREE-NEXT: gpu.barrier
// THREE: %[[A2:.*]] = bwgemm.ldmatrix %[[SA]][%[[NEXT]],
// THREE: %[[B2:.*]] = bwgemm.ldmatrix
// THREE: %[[S1:.*]] = bwgemm.mma_sync %[[S0]], %[[A1]], %[[B1]]
// THREE-NEXT: scf.yield %[[S1]], %[[NEXT]], %[[READ]], %[[A2]], %[[B2]]

// Four steps: half of the copies ahead of each of the first two.
// PARTS-LABEL: gpu.func @matmul_kernel
// PARTS: scf.for
// PARTS: bwgemm.copy_tile {{.*}} whole inside part [0, 2] by 16
// PARTS: bwgemm.copy_tile {{.*}} whole part [0, 2] by 16
// PARTS: bwgemm.mma_sync
// PARTS: bwgemm.copy_tile {{.*}} part [1, 2] by 16
// PARTS: bwgemm.copy_tile {{.*}} part [1, 2] by 16
// PARTS: bwgemm.mma_sync
// PARTS-NOT: bwgemm.copy_tile
// PARTS: bwgemm.mma_sync
// PARTS-NEXT: nvvm.cp.async.commit.group
// PARTS-NOT: bwgemm.copy_tile
// PARTS: bwgemm.mma_sync
// PARTS: scf.yield

// Copies run ahead from one block of K into the next.
// BLOCKS-LABEL: gpu.func @matmul_kernel
// BLOCKS: %[[ZERO:.*]] = bwgemm.fragment_zero
// BLOCKS: scf.for %[[BLOCK:.*]] = %{{.*}} to %[[K:.*]] step %c64{{.*}} iter_args(%[[SUM:.*]] = %[[ZERO]], %[[START:.*]] = %[[ZERO]], %[[READ:.*]] = %c0{{.*}}, %[[WRITE:.*]] = %c2{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
// BLOCKS: %[[NEXT:.*]] = arith.addi %[[BLOCK]], %c64
// BLOCKS: %[[END:.*]] = arith.minsi %[[NEXT]], %[[K]]
// BLOCKS: scf.for {{.*}} iter_args(%{{.*}} = %[[START]], %{{.*}} = %[[READ]], %{{.*}} = %[[WRITE]],
// BLOCKS: %[[PART:.*]]:5 = scf.for {{.*}} to %[[END]]
// BLOCKS: %[[TOTAL:.*]], %[[ERROR:.*]] = bwgemm.promote %[[SUM]], %[[PART]]#0 compensated
// BLOCKS: scf.yield %[[TOTAL]], %[[ERROR]], %[[PART]]#1, %[[PART]]#2, %[[PART]]#3, %[[PART]]#4
func.func @matmul(%a: memref<128x72xbf16>, %b: memref<96x72xbf16>, %d: memref<128x96xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<128x96xf32>)
  linalg.matmul
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<128x72xbf16>, memref<96x72xbf16>) outs(%d : memref<128x96xf32>)
  return
}

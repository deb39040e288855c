// Copies run ahead, and with preset multistage the operands of each step too.

// RUN: bwgemm-opt %s --convert-linalg-to-bwgemm --bwgemm-assign-schedule="target=sm_80 schedule=double_buffered,tile=64x64x32" --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warps --bwgemm-multistage | FileCheck %s --check-prefix=TWO
// RUN: bwgemm-opt %s --convert-linalg-to-bwgemm --bwgemm-assign-schedule="target=sm_80 schedule=multistage,tile=64x64x32,stages=3" --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-warps --bwgemm-multistage | FileCheck %s --check-prefix=THREE

// TWO-LABEL: gpu.func @matmul_kernel
// TWO-SAME: %[[K:arg[0-9]+]]: index)
// TWO: %[[SA:.*]] = bwgemm.smem_alloc : !bwgemm.smem<2x64x32xbf16, k_major, swizzle = 64B>
// TWO: %[[SB:.*]] = bwgemm.smem_alloc : !bwgemm.smem<2x64x32xbf16, k_major, swizzle = 64B>
// TWO: bwgemm.copy_tile %{{.*}}, %[[SA]][%[[C0:.*]]] until %[[K]] by 2
// TWO: bwgemm.copy_tile %{{.*}}, %[[SB]][%[[C0]]] until %[[K]] by 2
// TWO-NEXT: nvvm.cp.async.commit.group
// TWO: scf.for %[[AT:.*]] = %{{.*}} to %[[K]] step %{{.*}} iter_args(%{{.*}} = %{{.*}}, %[[READ:.*]] = %{{.*}}, %[[WRITE:.*]] = %{{.*}}) -> (!bwgemm.fragment<64x64xf32, warps = 2x2>, index, index)
// TWO-NEXT: nvvm.cp.async.wait.group 0
// TWO-NEXT: gpu.barrier
// TWO-NEXT: %[[AHEAD:.*]] = arith.addi %[[AT]], %{{.*}}
// TWO-NEXT: bwgemm.copy_tile %{{.*}}[%{{.*}}, %[[AHEAD]]], %[[SA]][%[[WRITE]]]
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
// THREE: bwgemm.copy_tile {{.*}}, %[[SA]][%[[WRITE]]]
// THREE: %[[S0:.*]] = bwgemm.mma_sync %[[ACC]], %[[A0]], %[[B0]]
// THREE-NEXT: nvvm.cp.async.commit.group
// THREE-NEXT: nvvm.cp.async.wait.group 1
// THREE-NEXT: gpu.barrier
// THREE: %[[A2:.*]] = bwgemm.ldmatrix %[[SA]][%[[NEXT]],
// THREE: %[[B2:.*]] = bwgemm.ldmatrix
// THREE: %[[S1:.*]] = bwgemm.mma_sync %[[S0]], %[[A1]], %[[B1]]
// THREE-NEXT: scf.yield %[[S1]], %[[NEXT]], %[[READ]], %[[A2]], %[[B2]]
func.func @matmul(%a: memref<128x65xbf16>, %b: memref<96x65xbf16>, %d: memref<128x96xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<128x96xf32>)
  linalg.matmul
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<128x65xbf16>, memref<96x65xbf16>) outs(%d : memref<128x96xf32>)
  return
}

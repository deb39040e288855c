// wgmma and its descriptors, against values worked out from the PTX ISA's table:
// start address, LBO << 16 and SBO << 32 in units of 16 bytes, layout << 62 (1
// for 128B, 2 for 64B, 3 for 32B).

// RUN: bwgemm-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(convert-bwgemm-to-nvvm))' | FileCheck %s

// A, K-major with 64B: SBO 512 bytes from eight rows to the next (32), no LBO
// (1); the second warpgroup begins 64 rows of 64 bytes further; a step of K is
// 32 bytes. B, MN-major with 128B, 32 rows of K: SBO 1024 bytes (64), LBO 4096
// bytes from 64 columns to the next (256); a step of K is 16 rows of 128 bytes.
gpu.module @swizzled {
  // CHECK-LABEL: llvm.func @swizzled
  // CHECK-DAG: %[[FIELDSA:.*]] = llvm.mlir.constant(-9223371899415756800 : i64) : i64
  // CHECK-DAG: %[[FIELDSB:.*]] = llvm.mlir.constant(4611686293322072064 : i64) : i64
  // CHECK-DAG: %[[BITS:.*]] = llvm.mlir.constant(16383 : i32) : i32
  // CHECK-DAG: %[[ROWS:.*]] = llvm.mlir.constant(4096 : i32) : i32
  // CHECK-DAG: %[[STEPA:.*]] = llvm.mlir.constant(2 : i64) : i64
  // CHECK-DAG: %[[STEPB:.*]] = llvm.mlir.constant(128 : i64) : i64
  // CHECK: llvm.mul %{{.*}}, %[[ROWS]]
  // 14 bits of the address, behind which a cluster has its ranks.
  // CHECK: %[[LOW:.*]] = llvm.and %{{.*}}, %[[BITS]]
  // CHECK: %[[START:.*]] = llvm.zext %[[LOW]] : i32 to i64
  // CHECK: %[[A:.*]] = llvm.or %[[START]], %[[FIELDSA]]
  // CHECK: %[[B:.*]] = llvm.or %{{.*}}, %[[FIELDSB]]
  // CHECK: nvvm.wgmma.fence.aligned
  // CHECK: llvm.inline_asm has_side_effects {{.*}}wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
  // CHECK-DAG: %[[A1:.*]] = llvm.add %[[A]], %[[STEPA]]
  // CHECK-DAG: %[[B1:.*]] = llvm.add %[[B]], %[[STEPB]]
  // CHECK: llvm.inline_asm has_side_effects {{.*}}wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16{{.*}} %[[A1]], %[[B1]],
  // CHECK-NOT: wgmma.mma_async
  // CHECK: nvvm.wgmma.commit.group.sync.aligned
  // CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 0
  gpu.func @swizzled(%g: index, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<128x32xbf16, k_major, swizzle = 64B>
    %b = bwgemm.smem_alloc offset 16384 : !bwgemm.smem<64x32xbf16, mn_major, swizzle = 128B>
    %zero = bwgemm.fragment_zero : !bwgemm.fragment<128x64xf32>
    %sum = bwgemm.warpgroup_mma %zero, %a, %b in %g
        : !bwgemm.fragment<128x64xf32>, !bwgemm.smem<128x32xbf16, k_major, swizzle = 64B>, !bwgemm.smem<64x32xbf16, mn_major, swizzle = 128B>
    %v = bwgemm.fragment_read %sum[0, 56] : !bwgemm.fragment<128x64xf32> -> vector<4xf32>
    vector.store %v, %out[%c0] : memref<64xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

// Without swizzle, K-major: core matrices of 128 bytes, SBO to the next eight
// rows (8); LBO to the next 16 bytes of K, 64 rows of 16 bytes for A (64) and 16
// for B (16). One warpgroup takes all rows, one step all of K. f16.
gpu.module @plain {
  // CHECK-LABEL: llvm.func @plain
  // CHECK-DAG: %[[FIELDSA:.*]] = llvm.mlir.constant(34363932672 : i64) : i64
  // CHECK-DAG: %[[FIELDSB:.*]] = llvm.mlir.constant(34360786944 : i64) : i64
  // CHECK-NOT: llvm.mul
  // CHECK: llvm.or %{{.*}}, %[[FIELDSA]]
  // CHECK: llvm.or %{{.*}}, %[[FIELDSB]]
  // CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16
  // CHECK-NOT: wgmma.mma_async
  // The last four of eight registers.
  // CHECK: llvm.extractvalue %{{.*}}[4]
  // CHECK: llvm.extractvalue %{{.*}}[7]
  gpu.func @plain(%g: index, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x16xf16, k_major>
    %b = bwgemm.smem_alloc offset 16384 : !bwgemm.smem<16x16xf16, k_major>
    %zero = bwgemm.fragment_zero : !bwgemm.fragment<64x16xf32>
    %sum = bwgemm.warpgroup_mma %zero, %a, %b in %g
        : !bwgemm.fragment<64x16xf32>, !bwgemm.smem<64x16xf16, k_major>, !bwgemm.smem<16x16xf16, k_major>
    %v = bwgemm.fragment_read %sum[0, 8] : !bwgemm.fragment<64x16xf32> -> vector<4xf32>
    vector.store %v, %out[%c0] : memref<64xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

// Blocks of 64 rows of A are started together: the second one's begins 64 rows of
// 128 bytes further, and neither a fence nor a wait comes with it.
gpu.module @blocks {
  // CHECK-LABEL: llvm.func @blocks
  // CHECK-DAG: %[[ROWS:.*]] = llvm.mlir.constant(8192 : i32) : i32
  // CHECK: nvvm.wgmma.fence.aligned
  // CHECK: llvm.mul %{{.*}}, %[[ROWS]]
  // CHECK-NOT: nvvm.wgmma
  // CHECK: wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16
  // CHECK-NOT: nvvm.wgmma
  // CHECK: llvm.mul %{{.*}}, %[[ROWS]]
  // CHECK-NOT: nvvm.wgmma
  // CHECK: wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16
  // CHECK: nvvm.wgmma.commit.group.sync.aligned
  // CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 1
  gpu.func @blocks(%i: index, %j: index, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>
    %b = bwgemm.smem_alloc offset 16384 : !bwgemm.smem<32x64xbf16, k_major, swizzle = 128B>
    %zero = bwgemm.fragment_zero : !bwgemm.fragment<64x32xf32>
    nvvm.wgmma.fence.aligned
    %upper = bwgemm.warpgroup_mma async %zero, %a, %b in %i
        : !bwgemm.fragment<64x32xf32>, !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<32x64xbf16, k_major, swizzle = 128B>
    %lower = bwgemm.warpgroup_mma async %zero, %a, %b in %j
        : !bwgemm.fragment<64x32xf32>, !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<32x64xbf16, k_major, swizzle = 128B>
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 1
    %v = bwgemm.fragment_read %upper[0, 0] : !bwgemm.fragment<64x32xf32> -> vector<4xf32>
    %w = bwgemm.fragment_read %lower[0, 0] : !bwgemm.fragment<64x32xf32> -> vector<4xf32>
    vector.store %v, %out[%c0] : memref<64xf32>, vector<4xf32>
    vector.store %w, %out[%c0] : memref<64xf32>, vector<4xf32>
    gpu.return
  }
}

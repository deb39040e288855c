// Matrix and instruction descriptors, against values worked out from the PTX
// ISA's tables. Arguments of mma_smem_desc are in units of 16 bytes: start, LBO,
// SBO, base offset, mode, layout.

// RUN: bwgemm-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(convert-bwgemm-to-nvvm))' | FileCheck %s

// 64 x 64 bf16 without swizzle: core matrices of 128 bytes, LBO 1024 bytes to
// the next 16-byte column along K, SBO 128 bytes to the next eight rows. A step
// of K 16 is two columns, 2048 bytes.
// Instruction: D f32 (1 << 4), A and B bf16 (1 << 7, 1 << 10), N 64 (8 << 17),
// M 64 (4 << 24) = 68158608.
gpu.module @k_none {
  // CHECK-LABEL: llvm.func @k_none
  // CHECK-DAG: %[[LBO:.*]] = llvm.mlir.constant(64 : i32) : i32
  // CHECK-DAG: %[[SBO:.*]] = llvm.mlir.constant(8 : i32) : i32
  // CHECK-DAG: %[[IDESC:.*]] = llvm.mlir.constant(68158608 : i32) : i32
  // CHECK-DAG: %[[STEP1:.*]] = llvm.mlir.constant(128 : i64) : i64
  // CHECK-DAG: %[[STEP2:.*]] = llvm.mlir.constant(256 : i64) : i64
  // CHECK-DAG: %[[STEP3:.*]] = llvm.mlir.constant(384 : i64) : i64
  // CHECK-DAG: %[[NONE:.*]] = llvm.mlir.constant(0 : i8) : i8
  // CHECK-DAG: %[[FALSE:.*]] = llvm.mlir.constant(false) : i1
  // CHECK-DAG: %[[TRUE:.*]] = llvm.mlir.constant(true) : i1
  // CHECK: %[[A:.*]] = nvvm.tcgen05.mma_smem_desc(%{{.*}}, %[[LBO]], %[[SBO]], %[[NONE]], %[[FALSE]], %[[NONE]])
  // CHECK: %[[B:.*]] = nvvm.tcgen05.mma_smem_desc(%{{.*}}, %[[LBO]], %[[SBO]], %[[NONE]], %[[FALSE]], %[[NONE]])
  // CHECK: nvvm.tcgen05.mma %[[D:.*]], %[[A]], %[[B]], %[[IDESC]], %arg0 {ctaGroup = #nvvm.cta_group<cta_1>, kind = #nvvm.tcgen05_mma_kind<f16>}
  // CHECK: %[[A1:.*]] = llvm.add %[[A]], %[[STEP1]]
  // CHECK: %[[B1:.*]] = llvm.add %[[B]], %[[STEP1]]
  // Only the first instruction may overwrite.
  // CHECK: nvvm.tcgen05.mma %[[D]], %[[A1]], %[[B1]], %[[IDESC]], %[[TRUE]]
  // CHECK: llvm.add %[[A]], %[[STEP2]]
  // CHECK: nvvm.tcgen05.mma
  // CHECK: llvm.add %[[A]], %[[STEP3]]
  // CHECK: nvvm.tcgen05.mma
  // CHECK-NOT: nvvm.tcgen05.mma
  // CHECK: nvvm.tcgen05.commit %{{.*}} : !llvm.ptr<3>
  gpu.func @k_none(%p: i1) kernel {
    %c0 = arith.constant 0 : index
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x64xbf16, k_major>
    %b = bwgemm.smem_alloc offset 8192 : !bwgemm.smem<64x64xbf16, k_major>
    %bar = bwgemm.mbarrier.alloc offset 16384 : !bwgemm.mbarrier<1>
    %slot = bwgemm.tmem_slot offset 16392 : !bwgemm.tmem_slot<64>
    %t = bwgemm.tmem_get %slot : !bwgemm.tmem_slot<64> -> !bwgemm.tmem<64x64xf32>
    bwgemm.tcgen05.mma %t, %a, %b, %p : !bwgemm.tmem<64x64xf32>, !bwgemm.smem<64x64xbf16, k_major>, !bwgemm.smem<64x64xbf16, k_major>
    bwgemm.tcgen05.commit %bar[%c0] : !bwgemm.mbarrier<1>
    gpu.return
  }
}

// -----

// 128B swizzle, K-major: SBO 1024 bytes, layout 2; a step of K is 32 bytes
// inside of the row. f16 has code 0; M 128 and N 256: 1 << 4 | 32 << 17 |
// 8 << 24 = 138412048.
gpu.module @k_128 {
  // CHECK-LABEL: llvm.func @k_128
  // CHECK-DAG: %[[SBO:.*]] = llvm.mlir.constant(64 : i32) : i32
  // CHECK-DAG: %[[IDESC:.*]] = llvm.mlir.constant(138412048 : i32) : i32
  // CHECK-DAG: %[[LAYOUT:.*]] = llvm.mlir.constant(2 : i8) : i8
  // CHECK-DAG: %[[STEP:.*]] = llvm.mlir.constant(2 : i64) : i64
  // CHECK: %[[A:.*]] = nvvm.tcgen05.mma_smem_desc(%{{.*}}, %{{.*}}, %[[SBO]], %{{.*}}, %{{.*}}, %[[LAYOUT]])
  // CHECK: nvvm.tcgen05.mma %{{.*}}, %[[A]], %{{.*}}, %[[IDESC]], %arg0
  // CHECK: llvm.add %[[A]], %[[STEP]]
  gpu.func @k_128(%p: i1) kernel {
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<128x64xf16, k_major, swizzle = 128B>
    %b = bwgemm.smem_alloc offset 16384 : !bwgemm.smem<256x64xf16, k_major, swizzle = 128B>
    %slot = bwgemm.tmem_slot offset 65536 : !bwgemm.tmem_slot<256>
    %t = bwgemm.tmem_get %slot : !bwgemm.tmem_slot<256> -> !bwgemm.tmem<128x256xf32>
    bwgemm.tcgen05.mma %t, %a, %b, %p : !bwgemm.tmem<128x256xf32>, !bwgemm.smem<128x64xf16, k_major, swizzle = 128B>, !bwgemm.smem<256x64xf16, k_major, swizzle = 128B>
    gpu.return
  }
}

// -----

// MN-major without swizzle, 64 along K: SBO is the next 16-byte column along
// MN, 64 rows of 16 bytes = 1024; LBO the next eight along K, 128. A step of K
// is 16 rows, 256 bytes. Both transposed: bits 15 and 16.
// 68158608 + (1 << 15) + (1 << 16) = 68256912.
gpu.module @mn_none {
  // CHECK-LABEL: llvm.func @mn_none
  // CHECK-DAG: %[[LBO:.*]] = llvm.mlir.constant(8 : i32) : i32
  // CHECK-DAG: %[[SBO:.*]] = llvm.mlir.constant(64 : i32) : i32
  // CHECK-DAG: %[[IDESC:.*]] = llvm.mlir.constant(68256912 : i32) : i32
  // CHECK-DAG: %[[STEP:.*]] = llvm.mlir.constant(16 : i64) : i64
  // CHECK: %[[A:.*]] = nvvm.tcgen05.mma_smem_desc(%{{.*}}, %[[LBO]], %[[SBO]],
  // CHECK: nvvm.tcgen05.mma %{{.*}}, %[[A]], %{{.*}}, %[[IDESC]], %arg0
  // CHECK: llvm.add %[[A]], %[[STEP]]
  gpu.func @mn_none(%p: i1) kernel {
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x64xbf16, mn_major>
    %b = bwgemm.smem_alloc offset 8192 : !bwgemm.smem<64x64xbf16, mn_major>
    %slot = bwgemm.tmem_slot offset 65536 : !bwgemm.tmem_slot<64>
    %t = bwgemm.tmem_get %slot : !bwgemm.tmem_slot<64> -> !bwgemm.tmem<64x64xf32>
    bwgemm.tcgen05.mma %t, %a, %b, %p : !bwgemm.tmem<64x64xf32>, !bwgemm.smem<64x64xbf16, mn_major>, !bwgemm.smem<64x64xbf16, mn_major>
    gpu.return
  }
}

// -----

// MN-major with 64B swizzle, 64 x 32: LBO is the next span along MN, 32 rows of
// 64 bytes = 2048; SBO the next eight along K, 512; layout 4. A step of K is 16
// rows of 64 bytes = 1024. B stays K-major with 32B: SBO 256, layout 6; K 16 is
// a whole span, so that a step goes to the next column, 64 rows of 32 bytes.
gpu.module @mixed {
  // CHECK-LABEL: llvm.func @mixed
  // CHECK-DAG: %[[LBO_A:.*]] = llvm.mlir.constant(128 : i32) : i32
  // CHECK-DAG: %[[SBO_A:.*]] = llvm.mlir.constant(32 : i32) : i32
  // CHECK-DAG: %[[SBO_B:.*]] = llvm.mlir.constant(16 : i32) : i32
  // CHECK-DAG: %[[LAYOUT_A:.*]] = llvm.mlir.constant(4 : i8) : i8
  // CHECK-DAG: %[[LAYOUT_B:.*]] = llvm.mlir.constant(6 : i8) : i8
  // CHECK-DAG: %[[STEP_A:.*]] = llvm.mlir.constant(64 : i64) : i64
  // CHECK-DAG: %[[STEP_B:.*]] = llvm.mlir.constant(128 : i64) : i64
  // CHECK: %[[A:.*]] = nvvm.tcgen05.mma_smem_desc(%{{.*}}, %[[LBO_A]], %[[SBO_A]], %{{.*}}, %{{.*}}, %[[LAYOUT_A]])
  // CHECK: %[[B:.*]] = nvvm.tcgen05.mma_smem_desc(%{{.*}}, %{{.*}}, %[[SBO_B]], %{{.*}}, %{{.*}}, %[[LAYOUT_B]])
  // CHECK: llvm.add %[[A]], %[[STEP_A]]
  // CHECK: llvm.add %[[B]], %[[STEP_B]]
  gpu.func @mixed(%p: i1) kernel {
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x32xbf16, mn_major, swizzle = 64B>
    %b = bwgemm.smem_alloc offset 8192 : !bwgemm.smem<64x32xbf16, k_major, swizzle = 32B>
    %slot = bwgemm.tmem_slot offset 65536 : !bwgemm.tmem_slot<64>
    %t = bwgemm.tmem_get %slot : !bwgemm.tmem_slot<64> -> !bwgemm.tmem<64x64xf32>
    bwgemm.tcgen05.mma %t, %a, %b, %p : !bwgemm.tmem<64x64xf32>, !bwgemm.smem<64x32xbf16, mn_major, swizzle = 64B>, !bwgemm.smem<64x32xbf16, k_major, swizzle = 32B>
    gpu.return
  }
}

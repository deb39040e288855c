// What elements of 8 and of 32 bits become. Instruction descriptors are worked out
// from the PTX ISA's table: D at bit 4 (1 f32, 2 s32), A at 7, B at 10 (kind::i8: 0
// u8, 1 s8; f8f6f4: 0 e4m3, 1 e5m2; tf32: 2), B's transpose at 16, N / 8 at 17, M /
// 16 at 24.

// RUN: bwgemm-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(convert-bwgemm-to-nvvm))' | FileCheck %s

// S32 of S8 and U8.
gpu.module @integers {
  // CHECK-LABEL: llvm.func @integers
  // CHECK-DAG: %[[IDESC:.*]] = llvm.mlir.constant(68157600 : i32) : i32
  // CHECK-COUNT-4: nvvm.tcgen05.mma %{{.*}}, %{{.*}}, %{{.*}}, %[[IDESC]], %{{.*}} {{{.*}}kind = #nvvm.tcgen05_mma_kind<i8>
  // CHECK-NOT: nvvm.tcgen05.mma %
  gpu.func @integers(%p: i1) kernel {
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x128xi8, k_major, swizzle = 128B>
    %b = bwgemm.smem_alloc offset 16384 : !bwgemm.smem<64x128xui8, k_major, swizzle = 128B>
    %slot = bwgemm.tmem_slot offset 32768 : !bwgemm.tmem_slot<64>
    %d = bwgemm.tmem_get %slot : !bwgemm.tmem_slot<64> -> !bwgemm.tmem<64x64xi32>
    bwgemm.tcgen05.mma %d, %a, %b, %p
        : !bwgemm.tmem<64x64xi32>, !bwgemm.smem<64x128xi8, k_major, swizzle = 128B>, !bwgemm.smem<64x128xui8, k_major, swizzle = 128B>
    gpu.return
  }
}

// -----

// F32 of E4M3 and E5M2, which has N contiguous.
gpu.module @floats {
  // CHECK-LABEL: llvm.func @floats
  // CHECK-DAG: %[[IDESC:.*]] = llvm.mlir.constant(68224016 : i32) : i32
  // CHECK-COUNT-4: nvvm.tcgen05.mma %{{.*}}, %{{.*}}, %{{.*}}, %[[IDESC]], %{{.*}} {{{.*}}kind = #nvvm.tcgen05_mma_kind<f8f6f4>
  // CHECK-NOT: nvvm.tcgen05.mma %
  gpu.func @floats(%p: i1) kernel {
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x128xf8E4M3FN, k_major, swizzle = 128B>
    %b = bwgemm.smem_alloc offset 16384 : !bwgemm.smem<64x128xf8E5M2, mn_major, swizzle = 64B>
    %slot = bwgemm.tmem_slot offset 32768 : !bwgemm.tmem_slot<64>
    %d = bwgemm.tmem_get %slot : !bwgemm.tmem_slot<64> -> !bwgemm.tmem<64x64xf32>
    bwgemm.tcgen05.mma %d, %a, %b, %p
        : !bwgemm.tmem<64x64xf32>, !bwgemm.smem<64x128xf8E4M3FN, k_major, swizzle = 128B>, !bwgemm.smem<64x128xf8E5M2, mn_major, swizzle = 64B>
    gpu.return
  }
}

// -----

// F32 of TF32.
gpu.module @tf32 {
  // CHECK-LABEL: llvm.func @tf32
  // CHECK-DAG: %[[IDESC:.*]] = llvm.mlir.constant(68159760 : i32) : i32
  // CHECK-COUNT-4: nvvm.tcgen05.mma %{{.*}}, %{{.*}}, %{{.*}}, %[[IDESC]], %{{.*}} {{{.*}}kind = #nvvm.tcgen05_mma_kind<tf32>
  // CHECK-NOT: nvvm.tcgen05.mma %
  gpu.func @tf32(%p: i1) kernel {
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x32xf32, k_major, swizzle = 128B>
    %b = bwgemm.smem_alloc offset 16384 : !bwgemm.smem<64x32xf32, k_major, swizzle = 128B>
    %slot = bwgemm.tmem_slot offset 32768 : !bwgemm.tmem_slot<64>
    %d = bwgemm.tmem_get %slot : !bwgemm.tmem_slot<64> -> !bwgemm.tmem<64x64xf32>
    bwgemm.tcgen05.mma %d, %a, %b, %p
        : !bwgemm.tmem<64x64xf32>, !bwgemm.smem<64x32xf32, k_major, swizzle = 128B>, !bwgemm.smem<64x32xf32, k_major, swizzle = 128B>
    gpu.return
  }
}

// -----

gpu.module @warpgroup_integers {
  // CHECK-LABEL: llvm.func @warpgroup_integers
  // CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.u8
  // CHECK-NOT: wgmma.mma_async
  gpu.func @warpgroup_integers(%g: index, %out: memref<64xi32>) kernel {
    %c0 = arith.constant 0 : index
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x128xi8, k_major, swizzle = 128B>
    %b = bwgemm.smem_alloc offset 16384 : !bwgemm.smem<64x128xui8, k_major, swizzle = 128B>
    %zero = bwgemm.fragment_zero : !bwgemm.fragment<64x64xi32>
    %sum = bwgemm.warpgroup_mma %zero, %a, %b in %g
        : !bwgemm.fragment<64x64xi32>, !bwgemm.smem<64x128xi8, k_major, swizzle = 128B>, !bwgemm.smem<64x128xui8, k_major, swizzle = 128B>
    %v = bwgemm.fragment_read %sum[0, 56] : !bwgemm.fragment<64x64xi32> -> vector<4xi32>
    vector.store %v, %out[%c0] : memref<64xi32>, vector<4xi32>
    gpu.return
  }
}

// -----

gpu.module @warpgroup_floats {
  // CHECK-LABEL: llvm.func @warpgroup_floats
  // CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k32.f32.e5m2.e4m3
  // CHECK-NOT: wgmma.mma_async
  gpu.func @warpgroup_floats(%g: index, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x128xf8E5M2, k_major, swizzle = 128B>
    %b = bwgemm.smem_alloc offset 16384 : !bwgemm.smem<64x128xf8E4M3FN, k_major, swizzle = 128B>
    %zero = bwgemm.fragment_zero : !bwgemm.fragment<64x64xf32>
    %sum = bwgemm.warpgroup_mma %zero, %a, %b in %g
        : !bwgemm.fragment<64x64xf32>, !bwgemm.smem<64x128xf8E5M2, k_major, swizzle = 128B>, !bwgemm.smem<64x128xf8E4M3FN, k_major, swizzle = 128B>
    %v = bwgemm.fragment_read %sum[0, 56] : !bwgemm.fragment<64x64xf32> -> vector<4xf32>
    vector.store %v, %out[%c0] : memref<64xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @warpgroup_tf32 {
  // CHECK-LABEL: llvm.func @warpgroup_tf32
  // CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32
  // CHECK-NOT: wgmma.mma_async
  gpu.func @warpgroup_tf32(%g: index, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x32xf32, k_major, swizzle = 128B>
    %b = bwgemm.smem_alloc offset 16384 : !bwgemm.smem<64x32xf32, k_major, swizzle = 128B>
    %zero = bwgemm.fragment_zero : !bwgemm.fragment<64x64xf32>
    %sum = bwgemm.warpgroup_mma %zero, %a, %b in %g
        : !bwgemm.fragment<64x64xf32>, !bwgemm.smem<64x32xf32, k_major, swizzle = 128B>, !bwgemm.smem<64x32xf32, k_major, swizzle = 128B>
    %v = bwgemm.fragment_read %sum[0, 56] : !bwgemm.fragment<64x64xf32> -> vector<4xf32>
    vector.store %v, %out[%c0] : memref<64xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @warp_integers {
  // CHECK-LABEL: llvm.func @warp_integers
  // CHECK-COUNT-2: nvvm.ldmatrix
  // CHECK: nvvm.mma.sync A[%{{.*}}] B[%{{.*}}] C[%{{.*}}] {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, {{.*}}multiplicandAPtxType = #nvvm.mma_type<u8>, multiplicandBPtxType = #nvvm.mma_type<s8>, shape = #nvvm.shape<m = 16, n = 8, k = 32>}
  gpu.func @warp_integers(%out: memref<64xi32>, %row: index) kernel {
    %c0 = arith.constant 0 : index
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x32xui8, k_major, swizzle = 32B>
    %b = bwgemm.smem_alloc offset 16384 : !bwgemm.smem<64x32xi8, k_major, swizzle = 32B>
    %zero = bwgemm.fragment_zero : !bwgemm.fragment<16x8xi32>
    %left = bwgemm.ldmatrix %a[%row, %c0] : !bwgemm.smem<64x32xui8, k_major, swizzle = 32B> -> !bwgemm.operand<a, 16x32xui8>
    %right = bwgemm.ldmatrix %b[%row, %c0] : !bwgemm.smem<64x32xi8, k_major, swizzle = 32B> -> !bwgemm.operand<b, 8x32xi8>
    %sum = bwgemm.mma_sync %zero, %left, %right
        : !bwgemm.fragment<16x8xi32>, !bwgemm.operand<a, 16x32xui8>, !bwgemm.operand<b, 8x32xi8>
    %v = bwgemm.fragment_read %sum[0, 0] : !bwgemm.fragment<16x8xi32> -> vector<4xi32>
    vector.store %v, %out[%c0] : memref<64xi32>, vector<4xi32>
    gpu.return
  }
}

// -----

// Upstream's op refuses these types.
gpu.module @warp_floats {
  // CHECK-LABEL: llvm.func @warp_floats
  // CHECK-COUNT-2: nvvm.ldmatrix
  // CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32"(
  gpu.func @warp_floats(%out: memref<64xf32>, %row: index) kernel {
    %c0 = arith.constant 0 : index
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x32xf8E4M3FN, k_major, swizzle = 32B>
    %b = bwgemm.smem_alloc offset 16384 : !bwgemm.smem<64x32xf8E5M2, k_major, swizzle = 32B>
    %zero = bwgemm.fragment_zero : !bwgemm.fragment<16x8xf32>
    %left = bwgemm.ldmatrix %a[%row, %c0] : !bwgemm.smem<64x32xf8E4M3FN, k_major, swizzle = 32B> -> !bwgemm.operand<a, 16x32xf8E4M3FN>
    %right = bwgemm.ldmatrix %b[%row, %c0] : !bwgemm.smem<64x32xf8E5M2, k_major, swizzle = 32B> -> !bwgemm.operand<b, 8x32xf8E5M2>
    %sum = bwgemm.mma_sync %zero, %left, %right
        : !bwgemm.fragment<16x8xf32>, !bwgemm.operand<a, 16x32xf8E4M3FN>, !bwgemm.operand<b, 8x32xf8E5M2>
    %v = bwgemm.fragment_read %sum[0, 0] : !bwgemm.fragment<16x8xf32> -> vector<4xf32>
    vector.store %v, %out[%c0] : memref<64xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @warp_tf32 {
  // CHECK-LABEL: llvm.func @warp_tf32
  // CHECK-COUNT-2: nvvm.ldmatrix
  // CHECK: nvvm.mma.sync A[%{{.*}}] B[%{{.*}}] C[%{{.*}}] {{.*}}multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>, shape = #nvvm.shape<m = 16, n = 8, k = 8>}
  gpu.func @warp_tf32(%out: memref<64xf32>, %row: index) kernel {
    %c0 = arith.constant 0 : index
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x8xf32, k_major, swizzle = 32B>
    %b = bwgemm.smem_alloc offset 16384 : !bwgemm.smem<64x8xf32, k_major, swizzle = 32B>
    %zero = bwgemm.fragment_zero : !bwgemm.fragment<16x8xf32>
    %left = bwgemm.ldmatrix %a[%row, %c0] : !bwgemm.smem<64x8xf32, k_major, swizzle = 32B> -> !bwgemm.operand<a, 16x8xf32>
    %right = bwgemm.ldmatrix %b[%row, %c0] : !bwgemm.smem<64x8xf32, k_major, swizzle = 32B> -> !bwgemm.operand<b, 8x8xf32>
    %sum = bwgemm.mma_sync %zero, %left, %right
        : !bwgemm.fragment<16x8xf32>, !bwgemm.operand<a, 16x8xf32>, !bwgemm.operand<b, 8x8xf32>
    %v = bwgemm.fragment_read %sum[0, 0] : !bwgemm.fragment<16x8xf32> -> vector<4xf32>
    vector.store %v, %out[%c0] : memref<64xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

// One element of 8 bits goes through a register; what is outside is zero.
gpu.module @element {
  // CHECK-LABEL: llvm.func @element
  // CHECK: llvm.cond_br
  // CHECK: llvm.load {{.*}} -> i8
  // CHECK: llvm.store {{.*}} : i8, !llvm.ptr<3>
  gpu.func @element(%a: memref<?x?xf8E4M3FN>, %u: memref<?x?xi8>, %m: index, %k: index, %row: index, %column: index, %valid: index) kernel {
    %tile = bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x64xf8E4M3FN, k_major, swizzle = 64B>
    bwgemm.cp_async %a[%m, %k] row %row, %tile[%row, %column], %valid by 1 : memref<?x?xf8E4M3FN>, !bwgemm.smem<64x64xf8E4M3FN, k_major, swizzle = 64B>
    // CHECK: llvm.load {{.*}} -> i8
    // CHECK: llvm.store {{.*}} : i8, !llvm.ptr<3>
    %bytes = bwgemm.smem_alloc offset 4096 : !bwgemm.smem<64x64xui8, k_major, swizzle = 64B>
    bwgemm.cp_async %u[%m, %k] row %row, %bytes[%row, %column], %valid by 1 : memref<?x?xi8>, !bwgemm.smem<64x64xui8, k_major, swizzle = 64B>
    gpu.return
  }
}

// -----

// What ldmatrix does not transpose is loaded element by element: four of 8 bits
// for each of the four words of 16 rows, one of 32 bits.
gpu.module @gathered {
  // CHECK-LABEL: llvm.func @gathered
  // CHECK-NOT: nvvm.ldmatrix
  // CHECK-COUNT-16: llvm.load %{{.*}} : !llvm.ptr<3> -> i8
  // CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
  // CHECK-COUNT-8: llvm.load %{{.*}} : !llvm.ptr<3> -> i8
  // CHECK-NOT: llvm.load {{.*}}ptr<3>
  gpu.func @gathered(%out: memref<64xi32>, %f: memref<64xf32>, %row: index) kernel {
    %c0 = arith.constant 0 : index
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x32xi8, mn_major, swizzle = 64B>
    %left = bwgemm.ldmatrix %a[%row, %c0] : !bwgemm.smem<64x32xi8, mn_major, swizzle = 64B> -> !bwgemm.operand<a, 16x32xi8>
    %c = bwgemm.smem_alloc offset 8192 : !bwgemm.smem<64x8xf32, mn_major, swizzle = 128B>
    %right = bwgemm.ldmatrix %c[%row, %c0] : !bwgemm.smem<64x8xf32, mn_major, swizzle = 128B> -> !bwgemm.operand<b, 8x8xf32>
    %other = bwgemm.ldmatrix %c[%row, %c0] : !bwgemm.smem<64x8xf32, mn_major, swizzle = 128B> -> !bwgemm.operand<a, 16x8xf32>
    %zero = bwgemm.fragment_zero : !bwgemm.fragment<16x8xf32>
    %sum = bwgemm.mma_sync %zero, %other, %right : !bwgemm.fragment<16x8xf32>, !bwgemm.operand<a, 16x8xf32>, !bwgemm.operand<b, 8x8xf32>
    %v = bwgemm.fragment_read %sum[0, 0] : !bwgemm.fragment<16x8xf32> -> vector<4xf32>
    vector.store %v, %f[%c0] : memref<64xf32>, vector<4xf32>
    %mine = bwgemm.ldmatrix %a[%row, %c0] : !bwgemm.smem<64x32xi8, mn_major, swizzle = 64B> -> !bwgemm.operand<b, 8x32xi8>
    %none = bwgemm.fragment_zero : !bwgemm.fragment<16x8xi32>
    %total = bwgemm.mma_sync %none, %left, %mine : !bwgemm.fragment<16x8xi32>, !bwgemm.operand<a, 16x32xi8>, !bwgemm.operand<b, 8x32xi8>
    %w = bwgemm.fragment_read %total[0, 0] : !bwgemm.fragment<16x8xi32> -> vector<4xi32>
    vector.store %w, %out[%c0] : memref<64xi32>, vector<4xi32>
    gpu.return
  }
}

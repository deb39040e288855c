// Addresses of ldmatrix and cp.async, and the order of mma.sync.

// RUN: bwgemm-opt %s --split-input-file --pass-pipeline="builtin.module(gpu.module(convert-bwgemm-to-nvvm))" | FileCheck %s

gpu.module @kernels {
  // Rows of 64 bytes, swizzled: 16 rows are 1024 bytes, the second step of K is
  // 32 bytes on, which is XORed; stages are 4096 bytes.
  // CHECK-LABEL: llvm.func @k_major
  gpu.func @k_major(%out: memref<64xf32>, %stage: index, %row: index) kernel {
    %c16 = arith.constant 16 : index
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<2x64x32xbf16, k_major, swizzle = 64B>
    // CHECK-DAG: %[[XOR:.*]] = llvm.mlir.constant(32 : i32) : i32
    // CHECK-DAG: %[[STAGE:.*]] = llvm.mlir.constant(4096 : i32) : i32
    // CHECK: %[[AT:.*]] = llvm.xor %{{.*}}, %[[XOR]] : i32
    // CHECK: %[[SKIP:.*]] = llvm.mul %{{.*}}, %[[STAGE]]
    // CHECK: %[[SUM:.*]] = llvm.add %[[AT]], %[[SKIP]]
    // CHECK: %[[P:.*]] = llvm.getelementptr %{{.*}}[%[[SUM]]]
    // CHECK: %[[A0:.*]] = nvvm.ldmatrix %[[P]] {eltType = {{.*}}, layout = #nvvm.mma_layout<row>, num = 4 : i32, {{.*}}} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
    // CHECK: %[[P1:.*]] = llvm.getelementptr %{{.*}}[1024]
    // CHECK: nvvm.ldmatrix %[[P1]]
    %left = bwgemm.ldmatrix %a[%stage, %row, %c16] : !bwgemm.smem<2x64x32xbf16, k_major, swizzle = 64B> -> !bwgemm.operand<a, 32x16xbf16>
    // Rows of K are contiguous along N: ldmatrix transposes.
    %b = bwgemm.smem_alloc offset 8192 : !bwgemm.smem<16x32xbf16, mn_major, swizzle = 32B>
    // CHECK: nvvm.ldmatrix %{{.*}} {eltType = {{.*}}, layout = #nvvm.mma_layout<col>, num = 4 : i32
    %c0 = arith.constant 0 : index
    %right = bwgemm.ldmatrix %b[%c0, %c16] : !bwgemm.smem<16x32xbf16, mn_major, swizzle = 32B> -> !bwgemm.operand<b, 16x16xbf16>
    %zero = bwgemm.fragment_zero : !bwgemm.fragment<32x16xf32, warps = 1x1>
    // Two blocks of 16 rows times two of 8 columns; of B the registers of one
    // block are neighbours.
    // CHECK-COUNT-4: nvvm.mma.sync A[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] B[%{{.*}}, %{{.*}}] C[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>
    // CHECK-NOT: nvvm.mma.sync
    %sum = bwgemm.mma_sync %zero, %left, %right : !bwgemm.fragment<32x16xf32, warps = 1x1>, !bwgemm.operand<a, 32x16xbf16>, !bwgemm.operand<b, 16x16xbf16>
    %v = bwgemm.fragment_read %sum[16, 8] : !bwgemm.fragment<32x16xf32, warps = 1x1> -> vector<4xf32>
    vector.store %v, %out[%row] : memref<64xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // Sums in f16 are two words of two for each 16 x 8, the first with a row of the
  // upper eight. Products go there and back: the lower 16 rows begin with the
  // right 8 columns, where the upper ones have ended.
  // CHECK-LABEL: llvm.func @half
  gpu.func @half(%out: memref<64xf32>, %at: index, %a: !bwgemm.operand<a, 32x16xf16>, %b: !bwgemm.operand<b, 16x16xf16>) kernel {
    // CHECK: %[[ZERO:.*]] = llvm.mlir.zero : vector<2xf16>
    %zero = bwgemm.fragment_zero : !bwgemm.fragment<32x16xf16, warps = 1x1>
    // CHECK: nvvm.mma.sync A[%[[UP:[0-9]+]], %{{.*}}] B[%[[LEFT:[0-9]+]], %{{[0-9]+}}] C
    // CHECK: nvvm.mma.sync A[%[[UP]], %{{.*}}] B[%[[RIGHT:[0-9]+]], %{{[0-9]+}}] C
    // CHECK: %[[CORNER:.*]] = nvvm.mma.sync A[%[[DOWN:[0-9]+]], %{{.*}}, %{{.*}}, %{{.*}}] B[%[[RIGHT]], %{{[0-9]+}}] C[%[[ZERO]], %[[ZERO]]] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (vector<2xf16>, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
    %sum = bwgemm.mma_sync %zero, %a, %b : !bwgemm.fragment<32x16xf16, warps = 1x1>, !bwgemm.operand<a, 32x16xf16>, !bwgemm.operand<b, 16x16xf16>
    // CHECK: %[[UPPER:.*]] = llvm.extractvalue %[[CORNER]][0]
    // CHECK: %[[LOWER:.*]] = llvm.extractvalue %[[CORNER]][1]
    // CHECK: nvvm.mma.sync A[%[[DOWN]], %{{.*}}] B[%[[LEFT]], %{{[0-9]+}}] C
    // CHECK-NOT: nvvm.mma.sync
    // CHECK: %[[PAIR:.*]] = llvm.fpext %[[UPPER]] : vector<2xf16> to vector<2xf32>
    // CHECK: %[[E0:.*]] = llvm.extractelement %[[PAIR]]
    // CHECK: %[[E1:.*]] = llvm.extractelement %[[PAIR]]
    // CHECK: %[[PAIR:.*]] = llvm.fpext %[[LOWER]] : vector<2xf16> to vector<2xf32>
    // CHECK: %[[E2:.*]] = llvm.extractelement %[[PAIR]]
    // CHECK: %[[E3:.*]] = llvm.extractelement %[[PAIR]]
    // CHECK: llvm.insertelement %[[E0]]
    // CHECK: llvm.insertelement %[[E1]]
    // CHECK: llvm.insertelement %[[E2]]
    // CHECK: llvm.insertelement %[[E3]]
    %wide = bwgemm.fragment_extend %sum : !bwgemm.fragment<32x16xf16, warps = 1x1> -> !bwgemm.fragment<32x16xf32, warps = 1x1>
    %v = bwgemm.fragment_read %wide[16, 8] : !bwgemm.fragment<32x16xf32, warps = 1x1> -> vector<4xf32>
    vector.store %v, %out[%at] : memref<64xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // Parts of 32 rows, 64 bytes, begin at a multiple of that: one division says in
  // which column of 128 bytes, and the second block is 32 bytes on within its row.
  // CHECK-LABEL: llvm.func @parts
  // CHECK: llvm.udiv
  // CHECK: nvvm.ldmatrix
  // CHECK-NOT: llvm.udiv
  // CHECK: llvm.xor
  // CHECK: nvvm.ldmatrix
  gpu.func @parts(%out: memref<64xf32>, %warp: index) kernel {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %row = arith.muli %warp, %c32 : index
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<128x16xbf16, mn_major, swizzle = 128B>
    %left = bwgemm.ldmatrix %a[%row, %c0] : !bwgemm.smem<128x16xbf16, mn_major, swizzle = 128B> -> !bwgemm.operand<a, 32x16xbf16>
    %b = bwgemm.smem_alloc offset 4096 : !bwgemm.smem<8x16xbf16, k_major, swizzle = 32B>
    %right = bwgemm.ldmatrix %b[%c0, %c0] : !bwgemm.smem<8x16xbf16, k_major, swizzle = 32B> -> !bwgemm.operand<b, 8x16xbf16>
    %zero = bwgemm.fragment_zero : !bwgemm.fragment<32x8xf32, warps = 1x1>
    %sum = bwgemm.mma_sync %zero, %left, %right : !bwgemm.fragment<32x8xf32, warps = 1x1>, !bwgemm.operand<a, 32x16xbf16>, !bwgemm.operand<b, 8x16xbf16>
    %v = bwgemm.fragment_read %sum[16, 0] : !bwgemm.fragment<32x8xf32, warps = 1x1> -> vector<4xf32>
    vector.store %v, %out[%row] : memref<64xf32>, vector<4xf32>
    gpu.return
  }

  // From any row on, a block may lie in the next column: each is asked for.
  // CHECK-LABEL: llvm.func @any_row
  // CHECK: llvm.udiv
  // CHECK: nvvm.ldmatrix
  // CHECK: llvm.udiv
  // CHECK: nvvm.ldmatrix
  gpu.func @any_row(%out: memref<64xf32>, %row: index) kernel {
    %c0 = arith.constant 0 : index
    %a = bwgemm.smem_alloc offset 0 : !bwgemm.smem<128x16xbf16, mn_major, swizzle = 128B>
    %left = bwgemm.ldmatrix %a[%row, %c0] : !bwgemm.smem<128x16xbf16, mn_major, swizzle = 128B> -> !bwgemm.operand<a, 32x16xbf16>
    %b = bwgemm.smem_alloc offset 4096 : !bwgemm.smem<8x16xbf16, k_major, swizzle = 32B>
    %right = bwgemm.ldmatrix %b[%c0, %c0] : !bwgemm.smem<8x16xbf16, k_major, swizzle = 32B> -> !bwgemm.operand<b, 8x16xbf16>
    %zero = bwgemm.fragment_zero : !bwgemm.fragment<32x8xf32, warps = 1x1>
    %sum = bwgemm.mma_sync %zero, %left, %right : !bwgemm.fragment<32x8xf32, warps = 1x1>, !bwgemm.operand<a, 32x16xbf16>, !bwgemm.operand<b, 8x16xbf16>
    %v = bwgemm.fragment_read %sum[16, 0] : !bwgemm.fragment<32x8xf32, warps = 1x1> -> vector<4xf32>
    vector.store %v, %out[%row] : memref<64xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // CHECK-LABEL: llvm.func @copies
  gpu.func @copies(%a: memref<?x?xf16>, %m: index, %k: index, %row: index, %column: index, %valid: index) kernel {
    %c8 = arith.constant 8 : index
    %c4 = arith.constant 4 : index
    %tile = bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x32xf16, k_major, swizzle = 64B>
    // CHECK: nvvm.cp.async.shared.global %[[FIRST:.*]], %{{.*}}, 16, cache = {{ *}}cg, %{{.*}} :
    bwgemm.cp_async %a[%m, %k] row %row, %tile[%row, %column], %valid by 16 : memref<?x?xf16>, !bwgemm.smem<64x32xf16, k_major, swizzle = 64B>
    // Eight rows are a pattern of the swizzle: 512 bytes on.
    // CHECK: %[[NEXT:.*]] = llvm.getelementptr %[[FIRST]][512]
    // CHECK: nvvm.cp.async.shared.global %[[NEXT]], %{{.*}}, 8, cache = {{ *}}ca
    %further = arith.addi %row, %c8 : index
    bwgemm.cp_async %a[%m, %k] row %further, %tile[%further, %column], %c4 by 8 : memref<?x?xf16>, !bwgemm.smem<64x32xf16, k_major, swizzle = 64B>
    // One element: loaded if it is there, stored in any case.
    // CHECK: llvm.cond_br
    // CHECK: llvm.load {{.*}} -> f16
    // CHECK: llvm.store {{.*}} : f16, !llvm.ptr<3>
    bwgemm.cp_async %a[%m, %k] row %row, %tile[%row, %column], %valid by 2 : memref<?x?xf16>, !bwgemm.smem<64x32xf16, k_major, swizzle = 64B>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // CHECK-LABEL: llvm.func @aligned
  gpu.func @aligned(%a: memref<?x?xf16>, %out: memref<?xi1>, %at: index) kernel {
    // CHECK: %[[OR:.*]] = llvm.or
    // CHECK: %[[LOW:.*]] = llvm.and %[[OR]], %{{.*}}
    // CHECK: llvm.icmp "eq" %[[LOW]]
    // CHECK: llvm.icmp "ult"
    %wide = bwgemm.aligned %a to 16 : memref<?x?xf16>
    memref.store %wide, %out[%at] : memref<?xi1>
    gpu.return
  }
}

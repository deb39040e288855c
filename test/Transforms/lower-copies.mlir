// Which bytes each thread copies.

// RUN: bwgemm-opt %s --split-input-file --bwgemm-lower-copies --canonicalize | FileCheck %s

gpu.module @kernels {
  // 64 threads, four pieces of 16 bytes in a row of 64: thread t has row t / 4
  // and column 8 (t mod 4), and the same of rows 16, 32 and 48 further down.
  // CHECK-LABEL: gpu.func @k_major
  // CHECK-SAME: (%[[A:.*]]: memref<?x?xbf16>, %[[M:.*]]: index, %[[K:.*]]: index, %[[END:.*]]: index)
  // CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
  // CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: %[[T:.*]] = gpu.thread_id x
  // CHECK: %[[ROWS:.*]] = memref.dim %[[A]], %[[C0]]
  // CHECK: %[[DEPTH:.*]] = memref.dim
  // CHECK: %[[STOP:.*]] = arith.minui %[[DEPTH]], %[[END]]
  // CHECK: %[[ROW:.*]] = arith.divui %[[T]], %[[C4]]
  // CHECK: %[[PIECE:.*]] = arith.remui %[[T]], %[[C4]]
  // CHECK: %[[COLUMN:.*]] = arith.muli %[[PIECE]], %[[C8]]
  // CHECK: %[[KCOL:.*]] = arith.addi %[[K]], %[[COLUMN]]
  // CHECK: %[[LEFT:.*]] = arith.subi %[[STOP]], %[[KCOL]]
  // CHECK: %[[SOME:.*]] = arith.maxsi %[[LEFT]], %[[C0]]
  // CHECK: %[[VALID:.*]] = arith.minsi %[[SOME]], %[[C8]]
  // CHECK: %[[BELOW:.*]] = arith.subi %[[ROWS]], %[[M]]
  // CHECK: %[[LAST:.*]] = arith.subi %[[BELOW]]
  // CHECK: %[[FROM:.*]] = arith.minui %[[ROW]], %[[LAST]]
  // CHECK: bwgemm.cp_async %[[A]][%[[M]], %[[K]]] row %[[FROM]], %{{.*}}[%[[ROW]], %[[COLUMN]]], %[[VALID]] by 16
  // CHECK: arith.addi %{{.*}}, %[[C16]]
  // CHECK-COUNT-3: bwgemm.cp_async
  // CHECK-NOT: bwgemm.cp_async
  gpu.func @k_major(%a: memref<?x?xbf16>, %m: index, %k: index, %end: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %tile = bwgemm.smem_alloc : !bwgemm.smem<64x32xbf16, k_major, swizzle = 64B>
    bwgemm.copy_tile %a[%m, %k], %tile until %end by 16 : memref<?x?xbf16>, !bwgemm.smem<64x32xbf16, k_major, swizzle = 64B>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // Rows are along K here: those outside are not read. 96 pieces for 64 threads,
  // of which half have none in the second round.
  // CHECK-LABEL: gpu.func @mn_major
  // CHECK: scf.if
  // CHECK: %[[DEEP:.*]] = arith.cmpi ult
  // CHECK: arith.select %[[DEEP]], %{{.*}}, %c0
  // CHECK: bwgemm.cp_async
  // CHECK: arith.cmpi ult, %{{.*}}, %c96
  // CHECK: scf.if
  // CHECK: bwgemm.cp_async
  gpu.func @mn_major(%b: memref<?x?xbf16>, %n: index, %k: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %tile = bwgemm.smem_alloc : !bwgemm.smem<48x16xbf16, mn_major, swizzle = 32B>
    bwgemm.copy_tile %b[%k, %n], %tile by 16 : memref<?x?xbf16>, !bwgemm.smem<48x16xbf16, mn_major, swizzle = 32B>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // Whole tiles inside of the matrix: nothing is asked. The second one of three
  // parts of eight rounds is rounds 2 to 4.
  // CHECK-LABEL: gpu.func @whole
  // CHECK-NOT: arith.min
  // CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %c16
  // CHECK: bwgemm.cp_async %{{.*}} row %[[ROW]], %{{.*}}[%[[ROW]], %{{.*}}] by 16
  // CHECK: arith.addi %{{.*}}, %c24
  // CHECK: bwgemm.cp_async
  // CHECK: arith.addi %{{.*}}, %c32
  // CHECK: bwgemm.cp_async
  // CHECK-NOT: bwgemm.cp_async
  gpu.func @whole(%a: memref<?x?xbf16>, %m: index, %k: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %tile = bwgemm.smem_alloc : !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
    bwgemm.copy_tile %a[%m, %k], %tile whole inside part [1, 3] by 16 : memref<?x?xbf16>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
    gpu.return
  }

  // Of mn_major tiles rows are along K: all of them are there, but columns may
  // be outside.
  // CHECK-LABEL: gpu.func @whole_mn_major
  // CHECK-NOT: arith.cmpi ult
  // CHECK: %[[VALID:.*]] = arith.minsi
  // CHECK: bwgemm.cp_async {{.*}}, %[[VALID]] by 16
  gpu.func @whole_mn_major(%b: memref<?x?xbf16>, %n: index, %k: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %tile = bwgemm.smem_alloc : !bwgemm.smem<64x16xbf16, mn_major, swizzle = 128B>
    bwgemm.copy_tile %b[%k, %n], %tile whole by 16 : memref<?x?xbf16>, !bwgemm.smem<64x16xbf16, mn_major, swizzle = 128B>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // Of many copies a thread makes a loop.
  // CHECK-LABEL: gpu.func @elements
  // CHECK: scf.for
  // CHECK: bwgemm.cp_async {{.*}} by 2
  gpu.func @elements(%b: memref<?x?xbf16, strided<[?, ?]>>, %n: index, %k: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %tile = bwgemm.smem_alloc : !bwgemm.smem<48x16xbf16, k_major, swizzle = 32B>
    bwgemm.copy_tile %b[%n, %k], %tile by 2 : memref<?x?xbf16, strided<[?, ?]>>, !bwgemm.smem<48x16xbf16, k_major, swizzle = 32B>
    gpu.return
  }
}

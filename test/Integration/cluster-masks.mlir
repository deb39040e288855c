// Which CTAs a mask names, for every one of a cluster: exactly those that share
// a tile, and no rank that the cluster does not have.

// RUN: bwgemm-opt %s --pass-pipeline="builtin.module(gpu.module(convert-bwgemm-to-nvvm),bwgemm-serialize{ptxas=none},convert-bwgemm-host-to-llvm)" \
// RUN:   | env BWGEMM_DRIVER=emulator mlir-runner --entry-point-result=void \
// RUN:       --shared-libs=%cuda_runtime \
// RUN:       --shared-libs=%llvm_lib/libmlir_runner_utils.so \
// RUN:       --shared-libs=%llvm_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

// Row, column, cross and pair. In 2 x 2, rank 0 has 2 in its row, 1 in its
// column, and 0, 1 and 2 in both.
// CHECK: [5, 3, 7, 0]
// CHECK-NEXT: [10, 3, 11, 0]
// CHECK-NEXT: [5, 12, 13, 0]
// CHECK-NEXT: [10, 12, 14, 0]
// Four pairs: the column of rank 0 is 0 and 2, which hold the same half of B; its
// pair's rows are 0, 1, 4 and 5.
// CHECK: [17, 5, 63, 3]
// CHECK-NEXT: [34, 10, 63, 3]
// CHECK-NEXT: [68, 5, 207, 12]
// CHECK-NEXT: [136, 10, 207, 12]
// CHECK-NEXT: [17, 80, 243, 48]
// CHECK-NEXT: [34, 160, 243, 48]
// CHECK-NEXT: [68, 80, 252, 192]
// CHECK-NEXT: [136, 160, 252, 192]
// All in one row.
// CHECK: [15, 1, 15, 0]
// CHECK-NEXT: [15, 2, 15, 0]
// CHECK-NEXT: [15, 4, 15, 0]
// CHECK-NEXT: [15, 8, 15, 0]
// All in one column.
// CHECK: [1, 15, 15, 0]
// CHECK-NEXT: [2, 15, 15, 0]
// CHECK-NEXT: [4, 15, 15, 0]
// CHECK-NEXT: [8, 15, 15, 0]
// A pair that shares with nobody.
// CHECK: [1, 1, 3, 3]
// CHECK-NEXT: [2, 2, 3, 3]

module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_100a", features = "+ptx88">] {
    gpu.func @square(%m: memref<8x4xi32>) kernel {
      %b = gpu.block_id x
      %c0 = arith.constant 0 : index
      %mask0 = bwgemm.cluster.mask row of [2, 2]
      %wide0 = arith.extui %mask0 : i16 to i32
      memref.store %wide0, %m[%b, %c0] : memref<8x4xi32>
      %c1 = arith.constant 1 : index
      %mask1 = bwgemm.cluster.mask column of [2, 2]
      %wide1 = arith.extui %mask1 : i16 to i32
      memref.store %wide1, %m[%b, %c1] : memref<8x4xi32>
      %c2 = arith.constant 2 : index
      %mask2 = bwgemm.cluster.mask cross of [2, 2]
      %wide2 = arith.extui %mask2 : i16 to i32
      memref.store %wide2, %m[%b, %c2] : memref<8x4xi32>
      gpu.return
    }
    gpu.func @pairs(%m: memref<8x4xi32>) kernel {
      %b = gpu.block_id x
      %c0 = arith.constant 0 : index
      %mask0 = bwgemm.cluster.mask row of [4, 2] cta_group 2
      %wide0 = arith.extui %mask0 : i16 to i32
      memref.store %wide0, %m[%b, %c0] : memref<8x4xi32>
      %c1 = arith.constant 1 : index
      %mask1 = bwgemm.cluster.mask column of [4, 2] cta_group 2
      %wide1 = arith.extui %mask1 : i16 to i32
      memref.store %wide1, %m[%b, %c1] : memref<8x4xi32>
      %c2 = arith.constant 2 : index
      %mask2 = bwgemm.cluster.mask cross of [4, 2] cta_group 2
      %wide2 = arith.extui %mask2 : i16 to i32
      memref.store %wide2, %m[%b, %c2] : memref<8x4xi32>
      %c3 = arith.constant 3 : index
      %mask3 = bwgemm.cluster.mask pair of [4, 2] cta_group 2
      %wide3 = arith.extui %mask3 : i16 to i32
      memref.store %wide3, %m[%b, %c3] : memref<8x4xi32>
      gpu.return
    }
    gpu.func @row(%m: memref<8x4xi32>) kernel {
      %b = gpu.block_id x
      %c0 = arith.constant 0 : index
      %mask0 = bwgemm.cluster.mask row of [1, 4]
      %wide0 = arith.extui %mask0 : i16 to i32
      memref.store %wide0, %m[%b, %c0] : memref<8x4xi32>
      %c1 = arith.constant 1 : index
      %mask1 = bwgemm.cluster.mask column of [1, 4]
      %wide1 = arith.extui %mask1 : i16 to i32
      memref.store %wide1, %m[%b, %c1] : memref<8x4xi32>
      %c2 = arith.constant 2 : index
      %mask2 = bwgemm.cluster.mask cross of [1, 4]
      %wide2 = arith.extui %mask2 : i16 to i32
      memref.store %wide2, %m[%b, %c2] : memref<8x4xi32>
      gpu.return
    }
    gpu.func @column(%m: memref<8x4xi32>) kernel {
      %b = gpu.block_id x
      %c0 = arith.constant 0 : index
      %mask0 = bwgemm.cluster.mask row of [4, 1]
      %wide0 = arith.extui %mask0 : i16 to i32
      memref.store %wide0, %m[%b, %c0] : memref<8x4xi32>
      %c1 = arith.constant 1 : index
      %mask1 = bwgemm.cluster.mask column of [4, 1]
      %wide1 = arith.extui %mask1 : i16 to i32
      memref.store %wide1, %m[%b, %c1] : memref<8x4xi32>
      %c2 = arith.constant 2 : index
      %mask2 = bwgemm.cluster.mask cross of [4, 1]
      %wide2 = arith.extui %mask2 : i16 to i32
      memref.store %wide2, %m[%b, %c2] : memref<8x4xi32>
      gpu.return
    }
    gpu.func @pair(%m: memref<8x4xi32>) kernel {
      %b = gpu.block_id x
      %c0 = arith.constant 0 : index
      %mask0 = bwgemm.cluster.mask row of [2, 1] cta_group 2
      %wide0 = arith.extui %mask0 : i16 to i32
      memref.store %wide0, %m[%b, %c0] : memref<8x4xi32>
      %c1 = arith.constant 1 : index
      %mask1 = bwgemm.cluster.mask column of [2, 1] cta_group 2
      %wide1 = arith.extui %mask1 : i16 to i32
      memref.store %wide1, %m[%b, %c1] : memref<8x4xi32>
      %c2 = arith.constant 2 : index
      %mask2 = bwgemm.cluster.mask cross of [2, 1] cta_group 2
      %wide2 = arith.extui %mask2 : i16 to i32
      memref.store %wide2, %m[%b, %c2] : memref<8x4xi32>
      %c3 = arith.constant 3 : index
      %mask3 = bwgemm.cluster.mask pair of [2, 1] cta_group 2
      %wide3 = arith.extui %mask3 : i16 to i32
      memref.store %wide3, %m[%b, %c3] : memref<8x4xi32>
      gpu.return
    }
  }

  func.func @main() {
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %host = memref.alloc() : memref<8x4xi32>
    %any = memref.cast %host : memref<8x4xi32> to memref<*xi32>
    %s = gpu.wait async
    %m, %t = gpu.alloc async [%s] () : memref<8x4xi32>
    gpu.wait [%t]
    %n_square = arith.constant 4 : index
    %a_square = gpu.wait async
    %b_square = gpu.memset async [%a_square] %m, %zero : memref<8x4xi32>, i32
    %d_square = gpu.launch_func async [%b_square] @kernels::@square
        clusters in (%n_square, %c1, %c1) blocks in (%n_square, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%m : memref<8x4xi32>)
    %e_square = gpu.memcpy async [%d_square] %host, %m : memref<8x4xi32>, memref<8x4xi32>
    gpu.wait [%e_square]
    call @printMemrefI32(%any) : (memref<*xi32>) -> ()
    %n_pairs = arith.constant 8 : index
    %a_pairs = gpu.wait async
    %b_pairs = gpu.memset async [%a_pairs] %m, %zero : memref<8x4xi32>, i32
    %d_pairs = gpu.launch_func async [%b_pairs] @kernels::@pairs
        clusters in (%n_pairs, %c1, %c1) blocks in (%n_pairs, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%m : memref<8x4xi32>)
    %e_pairs = gpu.memcpy async [%d_pairs] %host, %m : memref<8x4xi32>, memref<8x4xi32>
    gpu.wait [%e_pairs]
    call @printMemrefI32(%any) : (memref<*xi32>) -> ()
    %n_row = arith.constant 4 : index
    %a_row = gpu.wait async
    %b_row = gpu.memset async [%a_row] %m, %zero : memref<8x4xi32>, i32
    %d_row = gpu.launch_func async [%b_row] @kernels::@row
        clusters in (%n_row, %c1, %c1) blocks in (%n_row, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%m : memref<8x4xi32>)
    %e_row = gpu.memcpy async [%d_row] %host, %m : memref<8x4xi32>, memref<8x4xi32>
    gpu.wait [%e_row]
    call @printMemrefI32(%any) : (memref<*xi32>) -> ()
    %n_column = arith.constant 4 : index
    %a_column = gpu.wait async
    %b_column = gpu.memset async [%a_column] %m, %zero : memref<8x4xi32>, i32
    %d_column = gpu.launch_func async [%b_column] @kernels::@column
        clusters in (%n_column, %c1, %c1) blocks in (%n_column, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%m : memref<8x4xi32>)
    %e_column = gpu.memcpy async [%d_column] %host, %m : memref<8x4xi32>, memref<8x4xi32>
    gpu.wait [%e_column]
    call @printMemrefI32(%any) : (memref<*xi32>) -> ()
    %n_pair = arith.constant 2 : index
    %a_pair = gpu.wait async
    %b_pair = gpu.memset async [%a_pair] %m, %zero : memref<8x4xi32>, i32
    %d_pair = gpu.launch_func async [%b_pair] @kernels::@pair
        clusters in (%n_pair, %c1, %c1) blocks in (%n_pair, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%m : memref<8x4xi32>)
    %e_pair = gpu.memcpy async [%d_pair] %host, %m : memref<8x4xi32>, memref<8x4xi32>
    gpu.wait [%e_pair]
    call @printMemrefI32(%any) : (memref<*xi32>) -> ()
    return
  }
  func.func private @printMemrefI32(memref<*xi32>)
}

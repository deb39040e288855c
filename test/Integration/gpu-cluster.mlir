// A launch in clusters of 2 x 1 x 1: every block writes which cluster it is in,
// its place there and how large the cluster is. griddepcontrol in between has
// nothing to wait for.

// RUN: mlir-opt %s --gpu-lower-to-nvvm-pipeline="cubin-chip=sm_90 cubin-features=+ptx80 cubin-format=isa" \
// RUN:   | env BWGEMM_DRIVER=emulator mlir-runner --entry-point-result=void \
// RUN:       --shared-libs=%cuda_runtime \
// RUN:       --shared-libs=%llvm_lib/libmlir_runner_utils.so \
// RUN:       --shared-libs=%llvm_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

// CHECK: Unranked Memref {{.*}} sizes = [6, 4]
// CHECK-NEXT: [0, 3, 0, 2]
// CHECK-NEXT: [0, 3, 1, 2]
// CHECK-NEXT: [1, 3, 0, 2]
// CHECK-NEXT: [1, 3, 1, 2]
// CHECK-NEXT: [2, 3, 0, 2]
// CHECK-NEXT: [2, 3, 1, 2]

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @where(%m: memref<6x4xi32>) kernel {
      nvvm.griddepcontrol wait
      %b = gpu.block_id x
      %cluster = gpu.cluster_id x
      %clusters = gpu.cluster_dim x
      %place = gpu.cluster_block_id x
      %size = gpu.cluster_dim_blocks x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %v0 = arith.index_cast %cluster : index to i32
      %v1 = arith.index_cast %clusters : index to i32
      %v2 = arith.index_cast %place : index to i32
      %v3 = arith.index_cast %size : index to i32
      memref.store %v0, %m[%b, %c0] : memref<6x4xi32>
      memref.store %v1, %m[%b, %c1] : memref<6x4xi32>
      memref.store %v2, %m[%b, %c2] : memref<6x4xi32>
      memref.store %v3, %m[%b, %c3] : memref<6x4xi32>
      nvvm.griddepcontrol launch_dependents
      gpu.return
    }
  }

  func.func @main() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c6 = arith.constant 6 : index
    %host = memref.alloc() : memref<6x4xi32>
    %s = gpu.wait async
    %m, %t0 = gpu.alloc async [%s] () : memref<6x4xi32>
    %t1 = gpu.launch_func async [%t0] @kernels::@where
        clusters in (%c2, %c1, %c1)
        blocks in (%c6, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%m : memref<6x4xi32>)
    %t2 = gpu.memcpy async [%t1] %host, %m : memref<6x4xi32>, memref<6x4xi32>
    gpu.wait [%t2]
    %any = memref.cast %host : memref<6x4xi32> to memref<*xi32>
    call @printMemrefI32(%any) : (memref<*xi32>) -> ()
    return
  }
  func.func private @printMemrefI32(memref<*xi32>)
}

// Asynchronous tokens: two independent chains of allocation, setting, kernel
// and copy, joined before the sum, on streams of their own.

// RUN: mlir-opt %s --gpu-lower-to-nvvm-pipeline="cubin-chip=sm_90 cubin-features=+ptx80 cubin-format=isa" \
// RUN:   | env BWGEMM_DRIVER=emulator mlir-runner --entry-point-result=void \
// RUN:       --shared-libs=%cuda_runtime \
// RUN:       --shared-libs=%llvm_lib/libmlir_runner_utils.so \
// RUN:       --shared-libs=%llvm_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

// (5 + i) + (7 + 10 i) = 12 + 11 i
// CHECK: Unranked Memref {{.*}} sizes = [4]
// CHECK-NEXT: [12, 23, 34, 45]

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @ramp(%m: memref<4xi32>, %step: i32) kernel {
      %t = gpu.thread_id x
      %i = arith.index_cast %t : index to i32
      %d = arith.muli %i, %step : i32
      %x = memref.load %m[%t] : memref<4xi32>
      %y = arith.addi %x, %d : i32
      memref.store %y, %m[%t] : memref<4xi32>
      gpu.return
    }
    gpu.func @sum(%a: memref<4xi32>, %b: memref<4xi32>) kernel {
      %t = gpu.thread_id x
      %x = memref.load %a[%t] : memref<4xi32>
      %y = memref.load %b[%t] : memref<4xi32>
      %z = arith.addi %x, %y : i32
      memref.store %z, %a[%t] : memref<4xi32>
      gpu.return
    }
  }

  func.func @main() {
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %one = arith.constant 1 : i32
    %ten = arith.constant 10 : i32
    %five = arith.constant 5 : i32
    %seven = arith.constant 7 : i32
    %host = memref.alloc() : memref<4xi32>
    %s0 = gpu.wait async
    %a, %a0 = gpu.alloc async [%s0] () : memref<4xi32>
    %a1 = gpu.memset async [%a0] %a, %five : memref<4xi32>, i32
    %a2 = gpu.launch_func async [%a1] @kernels::@ramp
        blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%a : memref<4xi32>, %one : i32)
    %s1 = gpu.wait async
    %b, %b0 = gpu.alloc async [%s1] () : memref<4xi32>
    %b1 = gpu.memset async [%b0] %b, %seven : memref<4xi32>, i32
    %b2 = gpu.launch_func async [%b1] @kernels::@ramp
        blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%b : memref<4xi32>, %ten : i32)
    %both = gpu.wait async [%a2, %b2]
    %c0 = gpu.launch_func async [%both] @kernels::@sum
        blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%a : memref<4xi32>, %b : memref<4xi32>)
    %d0 = gpu.memcpy async [%c0] %host, %a : memref<4xi32>, memref<4xi32>
    %d1 = gpu.dealloc async [%d0] %a : memref<4xi32>
    %d2 = gpu.dealloc async [%d1] %b : memref<4xi32>
    gpu.wait [%d2]
    %any = memref.cast %host : memref<4xi32> to memref<*xi32>
    call @printMemrefI32(%any) : (memref<*xi32>) -> ()
    return
  }
  func.func private @printMemrefI32(memref<*xi32>)
}

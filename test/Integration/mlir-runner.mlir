// A program in upstream's dialects alone, compiled by upstream's pipeline and
// run by upstream's mlir-runner with our runtime library on the emulator.

// RUN: mlir-opt %s --gpu-lower-to-nvvm-pipeline="cubin-chip=sm_90 cubin-features=+ptx80 cubin-format=isa" \
// RUN:   | env BWGEMM_DRIVER=emulator mlir-runner --entry-point-result=void \
// RUN:       --shared-libs=%cuda_runtime \
// RUN:       --shared-libs=%llvm_lib/libmlir_runner_utils.so \
// RUN:       --shared-libs=%llvm_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

// CHECK: Unranked Memref {{.*}} sizes = [2, 8]
// CHECK-NEXT: [0, 3, 6, 9, 12, 15, 18, 21]
// CHECK-NEXT: [100, 103, 106, 109, 112, 115, 118, 121]

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @triple(%matrix: memref<2x8xf32>, %offset: f32) kernel {
      %row = gpu.block_id x
      %column = gpu.thread_id x
      %x = memref.load %matrix[%row, %column] : memref<2x8xf32>
      %three = arith.constant 3.0 : f32
      %y = arith.mulf %x, %three : f32
      %i = arith.index_cast %row : index to i32
      %f = arith.sitofp %i : i32 to f32
      %o = arith.mulf %f, %offset : f32
      %z = arith.addf %y, %o : f32
      memref.store %z, %matrix[%row, %column] : memref<2x8xf32>
      gpu.return
    }
  }

  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %hundred = arith.constant 100.0 : f32
    %host = memref.alloc() : memref<2x8xf32>
    scf.for %i = %c0 to %c2 step %c1 {
      scf.for %j = %c0 to %c8 step %c1 {
        %n = arith.index_cast %j : index to i32
        %x = arith.sitofp %n : i32 to f32
        memref.store %x, %host[%i, %j] : memref<2x8xf32>
      }
    }
    %start = gpu.wait async
    %device, %t0 = gpu.alloc async [%start] () : memref<2x8xf32>
    %t1 = gpu.memcpy async [%t0] %device, %host : memref<2x8xf32>, memref<2x8xf32>
    %t2 = gpu.launch_func async [%t1] @kernels::@triple
        blocks in (%c2, %c1, %c1) threads in (%c8, %c1, %c1)
        args(%device : memref<2x8xf32>, %hundred : f32)
    %t3 = gpu.memcpy async [%t2] %host, %device : memref<2x8xf32>, memref<2x8xf32>
    %t4 = gpu.dealloc async [%t3] %device : memref<2x8xf32>
    gpu.wait [%t4]
    %any = memref.cast %host : memref<2x8xf32> to memref<*xf32>
    call @printMemrefF32(%any) : (memref<*xf32>) -> ()
    memref.dealloc %host : memref<2x8xf32>
    return
  }
  func.func private @printMemrefF32(memref<*xf32>)
}

// nvgpu.mbarrier ops, single and grouped: threads hand a value on through
// shared memory, one phase after the other.

// RUN: mlir-opt %s --gpu-lower-to-nvvm-pipeline="cubin-chip=sm_90 cubin-features=+ptx80 cubin-format=isa" \
// RUN:   | env BWGEMM_DRIVER=emulator mlir-runner --entry-point-result=void \
// RUN:       --shared-libs=%cuda_runtime \
// RUN:       --shared-libs=%llvm_lib/libmlir_runner_utils.so \
// RUN:       --shared-libs=%llvm_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

// 64 threads write t + 1 in phase 0; each then reads its mirror image, 64 - t,
// and adds to it what its neighbour has after phase 1: thread t ends with
// (64 - t) + (64 - (t xor 1)).
// CHECK: Unranked Memref {{.*}} sizes = [64]
// CHECK-NEXT: [127, 127, 123, 123, 119, 119, 115, 115, 111, 111,

!barrier = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 2>
!token = !nvgpu.mbarrier.token
!shared = memref<64xi32, #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @pass(%d: memref<64xi32>) workgroup(%first: !shared, %second: !shared) kernel {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c63 = arith.constant 63 : index
      %n = arith.constant 64 : index
      %one = arith.constant 1 : i32
      %b = nvgpu.mbarrier.create -> !barrier
      %leader = arith.cmpi eq, %t, %c0 : index
      nvgpu.mbarrier.init %b[%c0], %n, predicate = %leader : !barrier
      nvgpu.mbarrier.init %b[%c1], %n, predicate = %leader : !barrier
      gpu.barrier
      %i = arith.index_cast %t : index to i32
      %x = arith.addi %i, %one : i32
      memref.store %x, %first[%t] : !shared
      %k0 = nvgpu.mbarrier.arrive %b[%c0] : !barrier -> !token
      scf.while : () -> () {
        %done = nvgpu.mbarrier.test.wait %b[%c0], %k0 : !barrier, !token
        %true = arith.constant true
        %again = arith.xori %done, %true : i1
        scf.condition(%again)
      } do {
        scf.yield
      }
      %mirror = arith.subi %c63, %t : index
      %y = memref.load %first[%mirror] : !shared
      memref.store %y, %second[%t] : !shared
      %k1 = nvgpu.mbarrier.arrive %b[%c1] : !barrier -> !token
      %parity = arith.constant 0 : i1
      %ticks = arith.constant 1000000 : index
      nvgpu.mbarrier.try_wait.parity %b[%c1], %parity, %ticks : !barrier
      %neighbour = arith.xori %t, %c1 : index
      %z = memref.load %second[%neighbour] : !shared
      %sum = arith.addi %y, %z : i32
      memref.store %sum, %d[%t] : memref<64xi32>
      gpu.return
    }
  }

  func.func @main() {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %host = memref.alloc() : memref<64xi32>
    %s = gpu.wait async
    %d, %t0 = gpu.alloc async [%s] () : memref<64xi32>
    %t1 = gpu.launch_func async [%t0] @kernels::@pass
        blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%d : memref<64xi32>)
    %t2 = gpu.memcpy async [%t1] %host, %d : memref<64xi32>, memref<64xi32>
    gpu.wait [%t2]
    %any = memref.cast %host : memref<64xi32> to memref<*xi32>
    call @printMemrefI32(%any) : (memref<*xi32>) -> ()
    return
  }
  func.func private @printMemrefI32(memref<*xi32>)
}

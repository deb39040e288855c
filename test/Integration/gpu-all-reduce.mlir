// gpu.all_reduce over a block of 40 x 2 threads, by an operation and by a
// region: shuffles within warps, shared memory between them.

// RUN: mlir-opt %s --gpu-kernel-outlining --gpu-lower-to-nvvm-pipeline="cubin-chip=sm_90 cubin-features=+ptx80 cubin-format=isa" \
// RUN:   | env BWGEMM_DRIVER=emulator mlir-runner --entry-point-result=void \
// RUN:       --shared-libs=%cuda_runtime \
// RUN:       --shared-libs=%llvm_lib/libmlir_runner_utils.so \
// RUN:       --shared-libs=%llvm_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

// Thread i of 80 (row-major in a block of 80) holds i: the sum is 3160, the
// largest 79, and the bits of all numbers below 80 together are 127.
// CHECK: Unranked Memref {{.*}} sizes = [3]
// CHECK-NEXT: [3160, 79, 127]

func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c40 = arith.constant 40 : index
  %result = memref.alloc() : memref<3xi32>
  %any = memref.cast %result : memref<3xi32> to memref<*xi32>
  gpu.host_register %any : memref<*xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c40, %sy = %c2, %sz = %c1) {
    %row = arith.muli %ty, %sx : index
    %place = arith.addi %row, %tx : index
    %i = arith.index_cast %place : index to i32
    %sum = gpu.all_reduce add %i uniform {} : (i32) -> i32
    %most = gpu.all_reduce maxsi %i uniform {} : (i32) -> i32
    %bits = gpu.all_reduce %i uniform {
    ^bb(%a: i32, %b: i32):
      %both = arith.ori %a, %b : i32
      "gpu.yield"(%both) : (i32) -> ()
    } : (i32) -> i32
    %k0 = arith.constant 0 : index
    %k1 = arith.constant 1 : index
    %k2 = arith.constant 2 : index
    memref.store %sum, %result[%k0] : memref<3xi32>
    memref.store %most, %result[%k1] : memref<3xi32>
    memref.store %bits, %result[%k2] : memref<3xi32>
    gpu.terminator
  }
  call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  return
}
func.func private @printMemrefI32(memref<*xi32>)

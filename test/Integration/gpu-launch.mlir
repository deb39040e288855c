// gpu.launch in the middle of host code, outlined by upstream; sizes known only
// at run time, one thread for each element.

// RUN: mlir-opt %s --gpu-kernel-outlining --gpu-lower-to-nvvm-pipeline="cubin-chip=sm_90 cubin-features=+ptx80 cubin-format=isa" \
// RUN:   | env BWGEMM_DRIVER=emulator mlir-runner --entry-point-result=void \
// RUN:       --shared-libs=%cuda_runtime \
// RUN:       --shared-libs=%llvm_lib/libmlir_runner_utils.so \
// RUN:       --shared-libs=%llvm_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

// Element i is i + (100 - i) * 2 = 200 - i.
// CHECK: Unranked Memref {{.*}} sizes = [10]
// CHECK-NEXT: [200, 199, 198, 197, 196, 195, 194, 193, 192, 191]

func.func @add(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %blocks = arith.ceildivui %n, %c4 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    %first = arith.muli %bx, %sx : index
    %i = arith.addi %first, %tx : index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %two = arith.constant 2.0 : f32
      %x = memref.load %a[%i] : memref<?xf32>
      %y = memref.load %b[%i] : memref<?xf32>
      %z = arith.mulf %y, %two : f32
      %sum = arith.addf %x, %z : f32
      memref.store %sum, %c[%i] : memref<?xf32>
    }
    gpu.terminator
  }
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 10 : index
  %hundred = arith.constant 100.0 : f32
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  %c = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.index_cast %i : index to i32
    %x = arith.sitofp %k : i32 to f32
    %y = arith.subf %hundred, %x : f32
    memref.store %x, %a[%i] : memref<?xf32>
    memref.store %y, %b[%i] : memref<?xf32>
  }
  %anyA = memref.cast %a : memref<?xf32> to memref<*xf32>
  %anyB = memref.cast %b : memref<?xf32> to memref<*xf32>
  %anyC = memref.cast %c : memref<?xf32> to memref<*xf32>
  gpu.host_register %anyA : memref<*xf32>
  gpu.host_register %anyB : memref<*xf32>
  gpu.host_register %anyC : memref<*xf32>
  call @add(%a, %b, %c) : (memref<?xf32>, memref<?xf32>, memref<?xf32>) -> ()
  call @printMemrefF32(%anyC) : (memref<*xf32>) -> ()
  gpu.host_unregister %anyA : memref<*xf32>
  gpu.host_unregister %anyB : memref<*xf32>
  gpu.host_unregister %anyC : memref<*xf32>
  return
}
func.func private @printMemrefF32(memref<*xf32>)

// D[128x128] = A[128x64] * B[64x128] in f16 with f32 accumulators: both operands
// by TMA with the 128-byte swizzle, one warpgroup, nvgpu.warpgroup ops. A row of
// B is 256 bytes, so that two boxes of 64 columns are loaded.

// RUN: mlir-opt %s --gpu-lower-to-nvvm-pipeline="cubin-chip=sm_90a cubin-features=+ptx80 cubin-format=isa" \
// RUN:   | env BWGEMM_DRIVER=emulator mlir-runner --entry-point-result=void \
// RUN:       --shared-libs=%cuda_runtime \
// RUN:       --shared-libs=%llvm_lib/libmlir_runner_utils.so \
// RUN:       --shared-libs=%llvm_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

// A[i][k] = (i + 2 k) mod 5 - 2 and B[k][j] = (3 k + j) mod 7 - 3, so that every
// sum is a small integer. The host forms the same product with nested loops and
// counts the elements that differ, and those that are not zero. waitGroup says
// how many groups may still be under way: with the usual 1 the sums would be
// stored before they are there.
// CHECK: {{^}}0{{$}}
// CHECK-NEXT: {{^}}15441{{$}}

!space = memref<?xi8, #gpu.address_space<workgroup>>
!sharedA = memref<128x64xf16, #gpu.address_space<workgroup>>
!sharedB = memref<64x128xf16, #gpu.address_space<workgroup>>
!halfB = memref<64x64xf16, #gpu.address_space<workgroup>>
!mapA = !nvgpu.tensormap.descriptor<tensor = !sharedA, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
!mapB = !nvgpu.tensormap.descriptor<tensor = !halfB, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
!barrier = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
!accumulator = !nvgpu.warpgroup.accumulator<fragmented = vector<128x128xf32>>

// (a x + b y) mod n - m
func.func @pattern(%x: index, %y: index, %b: index, %n: index, %m: i32) -> f16 {
  %p = arith.muli %y, %b : index
  %q = arith.addi %x, %p : index
  %r = arith.remui %q, %n : index
  %i = arith.index_cast %r : index to i32
  %j = arith.subi %i, %m : i32
  %f = arith.sitofp %j : i32 to f16
  return %f : f16
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  // 16384 bytes each, and room to align them to 1024.
  %size = arith.constant 33792 : i32
  %a = memref.alloc() : memref<128x64xf16>
  %b = memref.alloc() : memref<64x128xf16>
  %d = memref.alloc() : memref<128x128xf32>
  scf.for %i = %c0 to %c128 step %c1 {
    scf.for %k = %c0 to %c64 step %c1 {
      %x = func.call @pattern(%i, %k, %c2, %c5, %two) : (index, index, index, index, i32) -> f16
      memref.store %x, %a[%i, %k] : memref<128x64xf16>
      %y = func.call @pattern(%i, %k, %c3, %c7, %three) : (index, index, index, index, i32) -> f16
      memref.store %y, %b[%k, %i] : memref<64x128xf16>
    }
  }
  %s = gpu.wait async
  %da, %t0 = gpu.alloc async [%s] () : memref<128x64xf16>
  %db, %t1 = gpu.alloc async [%t0] () : memref<64x128xf16>
  %dd, %t2 = gpu.alloc async [%t1] () : memref<128x128xf32>
  %t3 = gpu.memcpy async [%t2] %da, %a : memref<128x64xf16>, memref<128x64xf16>
  %t4 = gpu.memcpy async [%t3] %db, %b : memref<64x128xf16>, memref<64x128xf16>
  gpu.wait [%t4]
  %anyA = memref.cast %da : memref<128x64xf16> to memref<*xf16>
  %anyB = memref.cast %db : memref<64x128xf16> to memref<*xf16>
  %mapA = nvgpu.tma.create.descriptor %anyA box[%c128, %c64] : memref<*xf16> -> !mapA
  %mapB = nvgpu.tma.create.descriptor %anyB box[%c64, %c64] : memref<*xf16> -> !mapB

  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%sx = %c128, %sy = %c1, %sz = %c1)
             dynamic_shared_memory_size %size {
    %k0 = arith.constant 0 : index
    %k1 = arith.constant 1 : index
    %k64 = arith.constant 64 : index
    %ticks = arith.constant 1000000 : index
    %align = arith.constant 1024 : index
    %bytesA = arith.constant 16384 : index
    %bytesHalf = arith.constant 8192 : index
    %bytes = arith.constant 32768 : index
    %parity = arith.constant 0 : i1
    %dynamic = gpu.dynamic_shared_memory : !space
    %start = memref.extract_aligned_pointer_as_index %dynamic : !space -> index
    %over = arith.remui %start, %align : index
    %atA = arith.subi %align, %over : index
    %atB = arith.addi %atA, %bytesA : index
    %atB2 = arith.addi %atB, %bytesHalf : index
    %sa = memref.view %dynamic[%atA][] : !space to !sharedA
    %sb = memref.view %dynamic[%atB][] : !space to !sharedB
    %sb1 = memref.view %dynamic[%atB][] : !space to !halfB
    %sb2 = memref.view %dynamic[%atB2][] : !space to !halfB
    %first = arith.cmpi eq, %t, %k0 : index
    %barrier = nvgpu.mbarrier.create -> !barrier
    nvgpu.mbarrier.init %barrier[%k0], %k1, predicate = %first : !barrier
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %barrier[%k0], %bytes, predicate = %first : !barrier
    nvgpu.tma.async.load %mapA[%k0, %k0], %barrier[%k0] to %sa, predicate = %first
        : !mapA, !barrier -> !sharedA
    nvgpu.tma.async.load %mapB[%k0, %k0], %barrier[%k0] to %sb1, predicate = %first
        : !mapB, !barrier -> !halfB
    nvgpu.tma.async.load %mapB[%k64, %k0], %barrier[%k0] to %sb2, predicate = %first
        : !mapB, !barrier -> !halfB
    nvgpu.mbarrier.try_wait.parity %barrier[%k0], %parity, %ticks : !barrier

    %descriptorA = nvgpu.warpgroup.generate.descriptor %sa, %mapA
        : !sharedA, !mapA -> !nvgpu.warpgroup.descriptor<tensor = !sharedA>
    %descriptorB = nvgpu.warpgroup.generate.descriptor %sb, %mapB
        : !sharedB, !mapB -> !nvgpu.warpgroup.descriptor<tensor = !sharedB>
    %zero = nvgpu.warpgroup.mma.init.accumulator -> !accumulator
    %product = nvgpu.warpgroup.mma %descriptorA, %descriptorB, %zero {transposeB, waitGroup = 0}
        : !nvgpu.warpgroup.descriptor<tensor = !sharedA>,
          !nvgpu.warpgroup.descriptor<tensor = !sharedB>, !accumulator -> !accumulator
    nvgpu.warpgroup.mma.store %product, %dd : !accumulator to memref<128x128xf32>
    gpu.terminator
  }

  %s2 = gpu.wait async
  %t5 = gpu.memcpy async [%s2] %d, %dd : memref<128x128xf32>, memref<128x128xf32>
  gpu.wait [%t5]
  %zeroI = arith.constant 0 : i64
  %oneI = arith.constant 1 : i64
  %zeroF = arith.constant 0.0 : f32
  %counts:2 = scf.for %i = %c0 to %c128 step %c1
      iter_args(%w0 = %zeroI, %n0 = %zeroI) -> (i64, i64) {
    %row:2 = scf.for %j = %c0 to %c128 step %c1
        iter_args(%w1 = %w0, %n1 = %n0) -> (i64, i64) {
      %want = scf.for %k = %c0 to %c64 step %c1 iter_args(%sum = %zeroF) -> (f32) {
        %x = memref.load %a[%i, %k] : memref<128x64xf16>
        %y = memref.load %b[%k, %j] : memref<64x128xf16>
        %xf = arith.extf %x : f16 to f32
        %yf = arith.extf %y : f16 to f32
        %p = arith.mulf %xf, %yf : f32
        %next = arith.addf %sum, %p : f32
        scf.yield %next : f32
      }
      %have = memref.load %d[%i, %j] : memref<128x128xf32>
      %differs = arith.cmpf une, %have, %want : f32
      %nonzero = arith.cmpf une, %want, %zeroF : f32
      %dw = arith.select %differs, %oneI, %zeroI : i64
      %dn = arith.select %nonzero, %oneI, %zeroI : i64
      %w2 = arith.addi %w1, %dw : i64
      %n2 = arith.addi %n1, %dn : i64
      scf.yield %w2, %n2 : i64, i64
    }
    scf.yield %row#0, %row#1 : i64, i64
  }
  vector.print %counts#0 : i64
  vector.print %counts#1 : i64
  return
}

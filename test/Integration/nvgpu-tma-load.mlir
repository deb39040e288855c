// One TMA load of a 8x64 f16 tile with the 128-byte swizzle: thread t reads the
// eight values of row t / 8, 16-byte unit t mod 8, where the swizzle has put
// unit (t mod 8) xor (row mod 8) of the row.

// RUN: mlir-opt %s --gpu-lower-to-nvvm-pipeline="cubin-chip=sm_90a cubin-features=+ptx80 cubin-format=isa" \
// RUN:   | env BWGEMM_DRIVER=emulator mlir-runner --entry-point-result=void \
// RUN:       --shared-libs=%cuda_runtime \
// RUN:       --shared-libs=%llvm_lib/libmlir_runner_utils.so \
// RUN:       --shared-libs=%llvm_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

// The first element of every unit: row * 64 + unit * 8 in global memory.
// CHECK: Unranked Memref {{.*}} sizes = [8, 8]
// CHECK-NEXT: [0, 8, 16, 24, 32, 40, 48, 56]
// CHECK-NEXT: [72, 64, 88, 80, 104, 96, 120, 112]
// CHECK-NEXT: [144, 152, 128, 136, 176, 184, 160, 168]
// CHECK-NEXT: [216, 208, 200, 192, 248, 240, 232, 224]
// CHECK-NEXT: [288, 296, 304, 312, 256, 264, 272, 280]

!shared = memref<8x64xf16, #gpu.address_space<workgroup>>
!map = !nvgpu.tensormap.descriptor<tensor = !shared, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
!barrier = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %size = arith.constant 2048 : i32
  %a = memref.alloc() : memref<8x64xf16>
  %d = memref.alloc() : memref<8x8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c64 step %c1 {
      %row = arith.muli %i, %c64 : index
      %n = arith.addi %row, %j : index
      %k = arith.index_cast %n : index to i32
      %x = arith.sitofp %k : i32 to f16
      memref.store %x, %a[%i, %j] : memref<8x64xf16>
    }
  }
  %s = gpu.wait async
  %da, %t0 = gpu.alloc async [%s] () : memref<8x64xf16>
  %dd, %t1 = gpu.alloc async [%t0] () : memref<8x8xf32>
  %t2 = gpu.memcpy async [%t1] %da, %a : memref<8x64xf16>, memref<8x64xf16>
  gpu.wait [%t2]
  %any = memref.cast %da : memref<8x64xf16> to memref<*xf16>
  %map = nvgpu.tma.create.descriptor %any box[%c8, %c64] : memref<*xf16> -> !map
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1)
             dynamic_shared_memory_size %size {
    %k0 = arith.constant 0 : index
    %k1 = arith.constant 1 : index
    %k8 = arith.constant 8 : index
    %ticks = arith.constant 1000000 : index
    %bytes = arith.constant 1024 : index
    %parity = arith.constant 0 : i1
    // The swizzle is a function of the address: the tile needs 1024 bytes of
    // alignment, and dynamic shared memory begins somewhere.
    %dynamic = gpu.dynamic_shared_memory
        : memref<?xi8, #gpu.address_space<workgroup>>
    %start = memref.extract_aligned_pointer_as_index %dynamic
        : memref<?xi8, #gpu.address_space<workgroup>> -> index
    %over = arith.remui %start, %bytes : index
    %missing = arith.subi %bytes, %over : index
    %tile = memref.view %dynamic[%missing][]
        : memref<?xi8, #gpu.address_space<workgroup>> to !shared
    %first = arith.cmpi eq, %t, %k0 : index
    %barrier = nvgpu.mbarrier.create -> !barrier
    nvgpu.mbarrier.init %barrier[%k0], %k1, predicate = %first : !barrier
    gpu.barrier
    nvgpu.tma.prefetch.descriptor %map, predicate = %first : !map
    nvgpu.mbarrier.arrive.expect_tx %barrier[%k0], %bytes, predicate = %first
        : !barrier
    nvgpu.tma.async.load %map[%k0, %k0], %barrier[%k0] to %tile,
        predicate = %first : !map, !barrier -> !shared
    nvgpu.mbarrier.try_wait.parity %barrier[%k0], %parity, %ticks : !barrier
    %row = arith.divui %t, %k8 : index
    %unit = arith.remui %t, %k8 : index
    %column = arith.muli %unit, %k8 : index
    %x = memref.load %tile[%row, %column] : !shared
    %y = arith.extf %x : f16 to f32
    memref.store %y, %dd[%row, %unit] : memref<8x8xf32>
    gpu.terminator
  }
  %s2 = gpu.wait async
  %t3 = gpu.memcpy async [%s2] %d, %dd : memref<8x8xf32>, memref<8x8xf32>
  gpu.wait [%t3]
  %out = memref.cast %d : memref<8x8xf32> to memref<*xf32>
  call @printMemrefF32(%out) : (memref<*xf32>) -> ()
  return
}
func.func private @printMemrefF32(memref<*xf32>)

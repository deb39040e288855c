// One warp: cp.async of both operands to shared memory, ldmatrix, and
// mma.sync m16n8k16 f16 with f32 accumulators, in upstream's nvgpu ops.

// RUN: mlir-opt %s --gpu-lower-to-nvvm-pipeline="cubin-chip=sm_80 cubin-features=+ptx75 cubin-format=isa" \
// RUN:   | env BWGEMM_DRIVER=emulator mlir-runner --entry-point-result=void \
// RUN:       --shared-libs=%cuda_runtime \
// RUN:       --shared-libs=%llvm_lib/libmlir_runner_utils.so \
// RUN:       --shared-libs=%llvm_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

// A[i][k] = i where k = 1, 1 where k = 3, else 0; B[n][k] = n + 1 where k = 1,
// 10 where k = 3. So D[i][n] = i (n + 1) + 10.
// CHECK: Unranked Memref {{.*}} sizes = [16, 8]
// CHECK-NEXT: [10, 10, 10, 10, 10, 10, 10, 10]
// CHECK-NEXT: [11, 12, 13, 14, 15, 16, 17, 18]
// CHECK-NEXT: [12, 14, 16, 18, 20, 22, 24, 26]
// CHECK: [25, 40, 55, 70, 85, 100, 115, 130]

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @mma(%a: memref<16x16xf16>, %b: memref<8x16xf16>,
                  %d: memref<16x8xf32>)
        workgroup(%sa: memref<16x16xf16, #gpu.address_space<workgroup>>,
                  %sb: memref<8x16xf16, #gpu.address_space<workgroup>>)
        kernel {
      %lane = gpu.lane_id
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      // 8 elements are 16 bytes; two such pieces are a row.
      %row = arith.divui %lane, %c2 : index
      %half = arith.remui %lane, %c2 : index
      %column = arith.muli %half, %c8 : index
      %t0 = nvgpu.device_async_copy %a[%row, %column], %sa[%row, %column], 8
          {bypassL1} : memref<16x16xf16> to memref<16x16xf16, #gpu.address_space<workgroup>>
      %small = arith.cmpi ult, %lane, %c16 : index
      scf.if %small {
        %t1 = nvgpu.device_async_copy %b[%row, %column], %sb[%row, %column], 8
            {bypassL1} : memref<8x16xf16> to memref<8x16xf16, #gpu.address_space<workgroup>>
      }
      %group = nvgpu.device_async_create_group
      nvgpu.device_async_wait %group {numGroups = 0 : i32}
      gpu.barrier
      // ldmatrix: lane l gives the address of row l mod 16, column half l / 16.
      %ra = arith.remui %lane, %c16 : index
      %ha = arith.divui %lane, %c16 : index
      %ca = arith.muli %ha, %c8 : index
      %fa = nvgpu.ldmatrix %sa[%ra, %ca] {numTiles = 4 : i32, transpose = false}
          : memref<16x16xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
      %rb = arith.remui %lane, %c8 : index
      %hb0 = arith.divui %lane, %c8 : index
      %hb = arith.remui %hb0, %c2 : index
      %cb = arith.muli %hb, %c8 : index
      %fb = nvgpu.ldmatrix %sb[%rb, %cb] {numTiles = 2 : i32, transpose = false}
          : memref<8x16xf16, #gpu.address_space<workgroup>> -> vector<2x2xf16>
      %zero = arith.constant dense<0.0> : vector<2x2xf32>
      %fd = nvgpu.mma.sync (%fa, %fb, %zero) {mmaShape = [16, 8, 16]}
          : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      // Lane l holds columns 2 (l mod 4), +1 of rows l / 4 and l / 4 + 8.
      %rd = arith.divui %lane, %c4 : index
      %rd8 = arith.addi %rd, %c8 : index
      %q = arith.remui %lane, %c4 : index
      %cd = arith.muli %q, %c2 : index
      %top = vector.extract %fd[0] : vector<2xf32> from vector<2x2xf32>
      %bottom = vector.extract %fd[1] : vector<2xf32> from vector<2x2xf32>
      vector.store %top, %d[%rd, %cd] : memref<16x8xf32>, vector<2xf32>
      vector.store %bottom, %d[%rd8, %cd] : memref<16x8xf32>, vector<2xf32>
      gpu.return
    }
  }

  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f16
    %one = arith.constant 1.0 : f16
    %ten = arith.constant 10.0 : f16
    %a = memref.alloc() : memref<16x16xf16>
    %b = memref.alloc() : memref<8x16xf16>
    %d = memref.alloc() : memref<16x8xf32>
    scf.for %i = %c0 to %c16 step %c1 {
      scf.for %k = %c0 to %c16 step %c1 {
        memref.store %zero, %a[%i, %k] : memref<16x16xf16>
      }
    }
    scf.for %n = %c0 to %c8 step %c1 {
      scf.for %k = %c0 to %c16 step %c1 {
        memref.store %zero, %b[%n, %k] : memref<8x16xf16>
      }
    }
    scf.for %i = %c0 to %c16 step %c1 {
      %k = arith.index_cast %i : index to i32
      %x = arith.sitofp %k : i32 to f16
      memref.store %x, %a[%i, %c1] : memref<16x16xf16>
      memref.store %one, %a[%i, %c3] : memref<16x16xf16>
    }
    scf.for %n = %c0 to %c8 step %c1 {
      %k = arith.index_cast %n : index to i32
      %x0 = arith.sitofp %k : i32 to f16
      %x = arith.addf %x0, %one : f16
      memref.store %x, %b[%n, %c1] : memref<8x16xf16>
      memref.store %ten, %b[%n, %c3] : memref<8x16xf16>
    }
    %s = gpu.wait async
    %da, %t0 = gpu.alloc async [%s] () : memref<16x16xf16>
    %db, %t1 = gpu.alloc async [%t0] () : memref<8x16xf16>
    %dd, %t2 = gpu.alloc async [%t1] () : memref<16x8xf32>
    %t3 = gpu.memcpy async [%t2] %da, %a : memref<16x16xf16>, memref<16x16xf16>
    %t4 = gpu.memcpy async [%t3] %db, %b : memref<8x16xf16>, memref<8x16xf16>
    %t5 = gpu.launch_func async [%t4] @kernels::@mma
        blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%da : memref<16x16xf16>, %db : memref<8x16xf16>, %dd : memref<16x8xf32>)
    %t6 = gpu.memcpy async [%t5] %d, %dd : memref<16x8xf32>, memref<16x8xf32>
    gpu.wait [%t6]
    %any = memref.cast %d : memref<16x8xf32> to memref<*xf32>
    call @printMemrefF32(%any) : (memref<*xf32>) -> ()
    return
  }
  func.func private @printMemrefF32(memref<*xf32>)
}

// One warp: gpu.subgroup_mma ops, which become wmma, with strided operands and
// a result that is added to.

// RUN: mlir-opt %s --gpu-lower-to-nvvm-pipeline="cubin-chip=sm_80 cubin-features=+ptx75 cubin-format=isa" \
// RUN:   | env BWGEMM_DRIVER=emulator mlir-runner --entry-point-result=void \
// RUN:       --shared-libs=%cuda_runtime \
// RUN:       --shared-libs=%llvm_lib/libmlir_runner_utils.so \
// RUN:       --shared-libs=%llvm_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

// A[i][k] = i where k = 1, 1 where k = 3, else 0; B[k][j] = j + 1 where k = 1,
// 10 where k = 3; D[i][j] = 100 before. So D[i][j] = i (j + 1) + 110.
// CHECK: Unranked Memref {{.*}} sizes = [16, 16]
// CHECK-NEXT: [110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110]
// CHECK-NEXT: [111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126]
// CHECK: [125, 140, 155, 170, 185, 200, 215, 230, 245, 260, 275, 290, 305, 320, 335, 350]

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @mma(%a: memref<16x24xf16>, %b: memref<16x32xf16>, %d: memref<16x16xf32>) kernel {
      %c0 = arith.constant 0 : index
      %fa = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 24 : index}
          : memref<16x24xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
      %fb = gpu.subgroup_mma_load_matrix %b[%c0, %c0] {leadDimension = 32 : index}
          : memref<16x32xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
      %fc = gpu.subgroup_mma_load_matrix %d[%c0, %c0] {leadDimension = 16 : index}
          : memref<16x16xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
      %fd = gpu.subgroup_mma_compute %fa, %fb, %fc
          : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
      gpu.subgroup_mma_store_matrix %fd, %d[%c0, %c0] {leadDimension = 16 : index}
          : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
      gpu.return
    }
  }

  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %c24 = arith.constant 24 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f16
    %one = arith.constant 1.0 : f16
    %ten = arith.constant 10.0 : f16
    %hundred = arith.constant 100.0 : f32
    %a = memref.alloc() : memref<16x24xf16>
    %b = memref.alloc() : memref<16x32xf16>
    %d = memref.alloc() : memref<16x16xf32>
    scf.for %i = %c0 to %c16 step %c1 {
      %word = arith.index_cast %i : index to i32
      %value = arith.sitofp %word : i32 to f16
      scf.for %k = %c0 to %c24 step %c1 {
        memref.store %zero, %a[%i, %k] : memref<16x24xf16>
      }
      memref.store %value, %a[%i, %c1] : memref<16x24xf16>
      memref.store %one, %a[%i, %c3] : memref<16x24xf16>
      scf.for %j = %c0 to %c32 step %c1 {
        %next = arith.addi %j, %c1 : index
        %column = arith.index_cast %next : index to i32
        %number = arith.sitofp %column : i32 to f16
        %isOne = arith.cmpi eq, %i, %c1 : index
        %isThree = arith.cmpi eq, %i, %c3 : index
        %first = arith.select %isOne, %number, %zero : f16
        %second = arith.select %isThree, %ten, %first : f16
        memref.store %second, %b[%i, %j] : memref<16x32xf16>
      }
      scf.for %j = %c0 to %c16 step %c1 {
        memref.store %hundred, %d[%i, %j] : memref<16x16xf32>
      }
    }
    %s = gpu.wait async
    %da, %t0 = gpu.alloc async [%s] () : memref<16x24xf16>
    %db, %t1 = gpu.alloc async [%t0] () : memref<16x32xf16>
    %dd, %t2 = gpu.alloc async [%t1] () : memref<16x16xf32>
    %t3 = gpu.memcpy async [%t2] %da, %a : memref<16x24xf16>, memref<16x24xf16>
    %t4 = gpu.memcpy async [%t3] %db, %b : memref<16x32xf16>, memref<16x32xf16>
    %t5 = gpu.memcpy async [%t4] %dd, %d : memref<16x16xf32>, memref<16x16xf32>
    %t6 = gpu.launch_func async [%t5] @kernels::@mma
        blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%da : memref<16x24xf16>, %db : memref<16x32xf16>, %dd : memref<16x16xf32>)
    %t7 = gpu.memcpy async [%t6] %d, %dd : memref<16x16xf32>, memref<16x16xf32>
    gpu.wait [%t7]
    %any = memref.cast %d : memref<16x16xf32> to memref<*xf32>
    call @printMemrefF32(%any) : (memref<*xf32>) -> ()
    return
  }
  func.func private @printMemrefF32(memref<*xf32>)
}

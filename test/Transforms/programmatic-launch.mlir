// Kernels wait behind their prologue, and let the next one begin behind their
// last copy.

// RUN: bwgemm-opt %s --bwgemm-tile --bwgemm-swizzle --bwgemm-insert-rings --bwgemm-pipeline --bwgemm-warp-specialize --bwgemm-persist --bwgemm-launch-control --bwgemm-lower-rings --bwgemm-lower-roles --bwgemm-insert-async --bwgemm-programmatic-launch > %t
// RUN: FileCheck %s --input-file=%t
// RUN: bwgemm-opt %t --bwgemm-programmatic-launch | diff %t -

// CHECK-LABEL: func.func @f
// CHECK-COUNT-4: bwgemm.programmatic_launch
// CHECK-NEXT: gpu.launch_func
// CHECK-NOT: bwgemm.programmatic_launch
// CHECK: gpu.launch_func

// CHECK-LABEL: gpu.func @f_kernel(
// CHECK: bwgemm.tmem_alloc
// CHECK: bwgemm.tensor_map.prefetch
// CHECK: gpu.barrier
// CHECK-NOT: scf.for
// CHECK: nvvm.griddepcontrol wait
// CHECK-NEXT: scf.for
// CHECK: bwgemm.tma_load
// CHECK: bwgemm.mbarrier.wait
// CHECK: bwgemm.mbarrier.wait
// CHECK: scf.yield %{{.*}} : i32
// CHECK-NEXT: }
// CHECK-NEXT: nvvm.griddepcontrol launch_dependents
// CHECK-NOT: nvvm.griddepcontrol
// CHECK: bwgemm.store

// One thread loads and multiplies, and the last copy is in the second loop.
// CHECK-LABEL: gpu.func @f_kernel_1(
// CHECK: gpu.barrier
// CHECK: nvvm.griddepcontrol wait
// CHECK-NEXT: scf.if
// CHECK: scf.for
// CHECK: bwgemm.tma_load
// CHECK: scf.for
// CHECK: bwgemm.tma_load
// CHECK: scf.yield %{{.*}}, %{{.*}} : i32, i32
// CHECK-NEXT: }
// CHECK-NEXT: nvvm.griddepcontrol launch_dependents

// Behind the last tile of a CTA that stays.
// CHECK-LABEL: gpu.func @f_kernel_2(
// CHECK: gpu.barrier
// CHECK: nvvm.griddepcontrol wait
// CHECK: scf.for
// CHECK-NEXT: bwgemm.tile_coord
// CHECK: bwgemm.tma_load
// CHECK: }
// CHECK-NEXT: scf.yield %{{.*}} : i32
// CHECK-NEXT: }
// CHECK-NEXT: nvvm.griddepcontrol launch_dependents
// CHECK: bwgemm.tcgen05.mma

// CHECK-LABEL: gpu.func @f_kernel_3(
// CHECK: nvvm.griddepcontrol wait
// CHECK: scf.while
// CHECK: bwgemm.tma_load
// CHECK: bwgemm.launch_control.first_cta
// CHECK: scf.yield {{.*}} : index, i32, i32, i32
// CHECK-NEXT: }
// CHECK-NEXT: nvvm.griddepcontrol launch_dependents

// CHECK-LABEL: gpu.func @f_kernel_4(
// CHECK-NOT: griddepcontrol
!a = memref<512x256xbf16>
!b = memref<384x256xbf16>
!d = memref<512x384xf32>
func.func @f(%a: !a, %b: !b, %d: !d) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <swizzle, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b", pdl = on> : !a, !b, !d
  bwgemm.gemm %a, %b, %d transpose_b schedule <pipelined, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", pdl = on> : !a, !b, !d
  bwgemm.gemm %a, %b, %d transpose_b schedule <persistent, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", pdl = on> : !a, !b, !d
  bwgemm.gemm %a, %b, %d transpose_b schedule <persistent, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b", scheduler = clc, pdl = on> : !a, !b, !d
  bwgemm.gemm %a, %b, %d transpose_b schedule <persistent, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b"> : !a, !b, !d
  return
}

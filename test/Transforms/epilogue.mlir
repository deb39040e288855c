// An epilogue goes with the store from rung to rung, and its operands with the
// launch.

// RUN: bwgemm-opt %s --bwgemm-tile | FileCheck %s
// RUN: bwgemm-opt %s --bwgemm-tile --bwgemm-swizzle --bwgemm-tma-store --bwgemm-insert-rings | FileCheck %s --check-prefix=RINGS
// RUN: bwgemm-opt %s --bwgemm-tile --bwgemm-swizzle --bwgemm-tma-store --bwgemm-insert-rings --bwgemm-pipeline --bwgemm-warp-specialize --bwgemm-persist --bwgemm-lower-rings --bwgemm-lower-roles --bwgemm-lower-epilogue --canonicalize --cse | FileCheck %s --check-prefix=STAGED

// The operands are staged, compared with D, and passed behind K.
// CHECK-LABEL: func.func @linear
// CHECK: %[[N:.*]] = memref.dim %arg3
// CHECK: bwgemm.require_equal %[[N]], %{{.*}}, "gemm: dimension 0 of operand 0 of the epilogue ({got}) must equal the columns of the result ({expected})"
// CHECK: %[[BIAS:.*]] = bwgemm.to_device read %arg3 : memref<?xf32>
// CHECK: gpu.launch_func @bwgemm_kernels::@linear_kernel {{.*}} %[[BIAS]] : memref<?xf32>, %arg4 : f32)
// CHECK: bwgemm.from_device %[[BIAS]]
// K is 256: no kernel for an empty product.
// CHECK-NOT: gpu.func @linear_epilogue
// CHECK: gpu.func @linear_kernel({{.*}}, %[[B:.*]]: memref<?xf32>, %[[S:.*]]: f32)
// CHECK: bwgemm.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] epilogue(%{{.*}}, %{{.*}} = %[[B]][n] : memref<?xf32>, %{{.*}} = %[[S]] : f32) {
// CHECK: } : !bwgemm.acc<128x64xf32>, memref<512x384xbf16>

// RINGS: bwgemm.role "epilogue"
// RINGS: bwgemm.store %{{.*}} via %{{.*}} epilogue(
// RINGS: } : !bwgemm.tmem<128x64xf32>, memref<512x384xbf16>, !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>

// Where the tile is inside of D and the bias is aligned, it is read in vectors,
// else one by one, and never outside.
// STAGED: %[[SUMS:.*]] = bwgemm.tmem_wait
// STAGED: scf.if
// STAGED: vector.load %{{.*}} {alignment = 16 : i64} : memref<?xf32>, vector<8xf32>
// STAGED: } else {
// STAGED: arith.minui
// STAGED: memref.load
// STAGED: arith.mulf %{{.*}}, %{{.*}} : vector<8xf32>
// STAGED: arith.addf %{{.*}}, %{{.*}} : vector<8xf32>
// STAGED: bwgemm.smem_store
func.func @linear(%a: memref<512x256xbf16>, %b: memref<384x256xbf16>, %d: memref<512x384xbf16>, %bias: memref<?xf32>, %alpha: f32) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <persistent, tile = 128x64x64, stages = 4, swizzle = 128B, tmem_load = "32x32b", store = tma> epilogue(%sum, %x = %bias[n] : memref<?xf32>, %s = %alpha : f32) {
    %0 = arith.mulf %sum, %s : f32
    %1 = arith.addf %0, %x : f32
    %2 = arith.truncf %1 : f32 to bf16
    bwgemm.yield %2 : bf16
  } : memref<512x256xbf16>, memref<384x256xbf16>, memref<512x384xbf16>
  return
}

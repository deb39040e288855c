// A gemm becomes a kernel that computes one tile, and its launch.

// RUN: bwgemm-opt %s --split-input-file --bwgemm-tile --canonicalize | FileCheck %s

// K-major A and B: coordinates are (row, k). Grid: ceil(500/64) * ceil(380/64)
// = 8 * 6 = 48.
// CHECK-LABEL: func.func @k_major
// CHECK-SAME: (%[[A:.*]]: memref<500x256xbf16>, %[[B:.*]]: memref<380x256xbf16>, %[[D:.*]]: memref<500x380xf32>)
// CHECK-DAG: %[[GRID:.*]] = arith.constant 48 : index
// CHECK-DAG: %[[K:.*]] = arith.constant 256 : index
// CHECK-DAG: %[[DD:.*]] = bwgemm.to_device write %[[D]]
// CHECK-DAG: %[[DA:.*]] = bwgemm.to_device read %[[A]]
// CHECK-DAG: %[[DB:.*]] = bwgemm.to_device read %[[B]]
// CHECK-DAG: %[[MA:.*]] = bwgemm.tensor_map.encode %[[DA]], "A" : memref<500x256xbf16> -> !bwgemm.tensor_map<64x8xbf16>
// CHECK-DAG: %[[MB:.*]] = bwgemm.tensor_map.encode %[[DB]], "B" : memref<380x256xbf16> -> !bwgemm.tensor_map<64x8xbf16>
// CHECK: gpu.launch_func @bwgemm_kernels::@k_major_kernel blocks in (%[[GRID]], %{{.*}}, %{{.*}}) threads in (%{{.*}}) dynamic_shared_memory_size %{{.*}} args(%[[MA]] : {{.*}}, %[[MB]] : {{.*}}, %[[DD]] : memref<500x380xf32>, %[[K]] : index)
// CHECK: bwgemm.from_device %[[DD]]
// CHECK: gpu.module @bwgemm_kernels [#nvvm.target<O = 3, chip = "sm_100a", features = "+ptx88", verifyTarget = false>]
// CHECK: gpu.func @k_major_kernel(%[[AMAP:.*]]: !bwgemm.tensor_map<64x8xbf16>, %[[BMAP:.*]]: !bwgemm.tensor_map<64x8xbf16>, %[[OUT:.*]]: memref<500x380xf32>, %[[DEPTH:.*]]: index) kernel
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK: %[[M:.*]], %[[N:.*]] = bwgemm.tile_coord 64 x 64 of %c380
// CHECK: %[[ACC:.*]] = bwgemm.accumulator : !bwgemm.acc<64x64xf32>
// CHECK: scf.for %[[K:.*]] = %c0 to %[[DEPTH]] step %c64 {
// CHECK:   %[[TA:.*]] = bwgemm.load %[[AMAP]][%[[M]], %[[K]]] : !bwgemm.tensor_map<64x8xbf16> -> !bwgemm.smem<64x64xbf16, k_major>
// CHECK:   %[[TB:.*]] = bwgemm.load %[[BMAP]][%[[N]], %[[K]]]
// CHECK:   bwgemm.mma %[[ACC]], %[[TA]], %[[TB]]
// CHECK: bwgemm.store %[[ACC]], %[[OUT]][%[[M]], %[[N]]] : !bwgemm.acc<64x64xf32>, memref<500x380xf32>
func.func @k_major(%a: memref<500x256xbf16>, %b: memref<380x256xbf16>, %d: memref<500x380xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <tma, tile = 64x64x64, stages = 1, swizzle = none, tmem_load = "16x256b"> : memref<500x256xbf16>, memref<380x256xbf16>, memref<500x380xf32>
  return
}

// -----

// MN-major operands: coordinates are (k, row), and boxes are K rows high.
// CHECK-LABEL: func.func @mn_major
// CHECK: gpu.func @mn_major_kernel
// CHECK: bwgemm.load %{{.*}}[%[[K:.*]], %[[M:.*]]] : !bwgemm.tensor_map<32x8xf16> -> !bwgemm.smem<128x32xf16, mn_major>
// CHECK: bwgemm.load %{{.*}}[%[[K]], %[[N:.*]]] : !bwgemm.tensor_map<32x8xf16> -> !bwgemm.smem<48x32xf16, mn_major>
// CHECK: bwgemm.store %{{.*}}[%[[M]], %[[N]]] accumulate
func.func @mn_major(%a: memref<256x128xf16>, %b: memref<256x96xf16>, %d: memref<128x96xf16>) {
  bwgemm.gemm %a, %b, %d transpose_a accumulate schedule <tma, tile = 128x48x32, stages = 1, swizzle = none, tmem_load = "32x32b"> : memref<256x128xf16>, memref<256x96xf16>, memref<128x96xf16>
  return
}

// -----

// Dynamic sizes are compared on the host, and empty problems launch nothing.
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[M:.*]] = memref.dim %arg2, %c0
// CHECK: %[[N:.*]] = memref.dim %arg2, %c1
// CHECK: %[[K:.*]] = memref.dim %arg0, %c1
// CHECK: bwgemm.require_equal %{{.*}}, %[[M]], "gemm: M of A ({got}) must equal the rows of the result ({expected})"
// CHECK: bwgemm.require_equal %{{.*}}, %[[N]], "gemm: N of B ({got}) must equal the columns of the result ({expected})"
// CHECK: bwgemm.require_equal %{{.*}}, %[[K]], "gemm: K of B ({got}) must equal K of A ({expected})"
// CHECK: scf.if
// CHECK:   bwgemm.to_device write %arg2
// CHECK:   %[[EMPTY:.*]] = arith.cmpi eq, %[[K]], %c0
// CHECK:   scf.if %[[EMPTY]] {
// CHECK:     bwgemm.zero_fill
// CHECK:   } else {
// CHECK:     gpu.launch_func
// CHECK:   }
// CHECK:   bwgemm.from_device
func.func @dynamic(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>) {
  bwgemm.gemm %a, %b, %d schedule <tma, tile = 64x64x64, stages = 1, swizzle = none, tmem_load = "16x256b"> : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
  return
}

// -----

// K of zero: with an overwrite the result is zero, with accumulation it stays.
// CHECK-LABEL: func.func @no_depth
// CHECK: bwgemm.zero_fill
// CHECK-NOT: gpu.launch_func
func.func @no_depth(%a: memref<16x0xbf16>, %b: memref<0x16xbf16>, %d: memref<16x16xf32>) {
  bwgemm.gemm %a, %b, %d schedule <tma, tile = 64x64x64, stages = 1, swizzle = none, tmem_load = "16x256b"> : memref<16x0xbf16>, memref<0x16xbf16>, memref<16x16xf32>
  return
}
// CHECK-LABEL: func.func @no_depth_accumulate
// CHECK-NOT: bwgemm.zero_fill
// CHECK-NOT: gpu.launch_func
func.func @no_depth_accumulate(%a: memref<16x0xbf16>, %b: memref<0x16xbf16>, %d: memref<16x16xf32>) {
  bwgemm.gemm %a, %b, %d accumulate schedule <tma, tile = 64x64x64, stages = 1, swizzle = none, tmem_load = "16x256b"> : memref<16x0xbf16>, memref<0x16xbf16>, memref<16x16xf32>
  return
}
// CHECK-LABEL: func.func @no_rows
// CHECK-NEXT: return
func.func @no_rows(%a: memref<0x16xbf16>, %b: memref<16x16xbf16>, %d: memref<0x16xf32>) {
  bwgemm.gemm %a, %b, %d schedule <tma, tile = 64x64x64, stages = 1, swizzle = none, tmem_load = "16x256b"> : memref<0x16xbf16>, memref<16x16xbf16>, memref<0x16xf32>
  return
}

// -----

// Two gemms of one function are two kernels.
// CHECK: gpu.func @two_kernel(
// CHECK: gpu.func @two_kernel_1(
func.func @two(%a: memref<16x16xbf16>, %b: memref<16x16xbf16>, %d: memref<16x16xf32>) {
  bwgemm.gemm %a, %b, %d schedule <tma, tile = 64x64x64, stages = 1, swizzle = none, tmem_load = "16x256b"> : memref<16x16xbf16>, memref<16x16xbf16>, memref<16x16xf32>
  bwgemm.gemm %a, %b, %d accumulate schedule <tma, tile = 64x64x64, stages = 1, swizzle = none, tmem_load = "16x256b"> : memref<16x16xbf16>, memref<16x16xbf16>, memref<16x16xf32>
  return
}

// -----

// A tile of 512 along K has more rows than a box may: two boxes of 256.
// CHECK: gpu.func @tall_kernel(%{{.*}}: !bwgemm.tensor_map<256x8xbf16>, %{{.*}}: !bwgemm.tensor_map<16x8xbf16>
func.func @tall(%a: memref<512x64xbf16>, %b: memref<16x512xbf16>, %d: memref<64x16xf32>) {
  bwgemm.gemm %a, %b, %d transpose_a transpose_b schedule <tma, tile = 64x16x512, stages = 1, swizzle = none, tmem_load = "16x256b"> : memref<512x64xbf16>, memref<16x512xbf16>, memref<64x16xf32>
  return
}

// -----

// The transpose of D, 40 columns of 500 rows, is B's transpose by A's: rows of B
// stand where those of A would, and the result is seen through other strides.
// ceil(500/64) * ceil(40/16) = 24 CTAs.
// CHECK-LABEL: func.func @swapped
// CHECK-SAME: (%[[A:.*]]: memref<40x256xbf16>, %[[B:.*]]: memref<500x256xbf16>, %[[D:.*]]: memref<40x500xf32>, %[[BIAS:.*]]: memref<500xf32>)
// CHECK-DAG: %[[GRID:.*]] = arith.constant 24 : index
// CHECK-DAG: %[[DD:.*]] = bwgemm.to_device write %[[D]]
// CHECK-DAG: %[[DA:.*]] = bwgemm.to_device read %[[A]]
// CHECK-DAG: %[[DB:.*]] = bwgemm.to_device read %[[B]]
// CHECK-DAG: %[[T:.*]] = memref.transpose %[[DD]] (d0, d1) -> (d1, d0) : memref<40x500xf32> to memref<500x40xf32, strided<[1, 500]>>
// CHECK-DAG: %[[MA:.*]] = bwgemm.tensor_map.encode %[[DA]], "A" : memref<40x256xbf16> -> !bwgemm.tensor_map<16x8xbf16>
// CHECK-DAG: %[[MB:.*]] = bwgemm.tensor_map.encode %[[DB]], "B" : memref<500x256xbf16> -> !bwgemm.tensor_map<64x8xbf16>
// CHECK: gpu.launch_func {{.*}} blocks in (%[[GRID]], {{.*}} args(%[[MB]] : {{.*}}, %[[MA]] : {{.*}}, %[[T]] : memref<500x40xf32, strided<[1, 500]>>,
// CHECK: gpu.func @swapped_kernel
// CHECK: %[[M:.*]], %[[N:.*]] = bwgemm.tile_coord 64 x 16 of %c40
// The columns of D are its rows here.
// CHECK: bwgemm.store %{{.*}}, %{{.*}}[%[[M]], %[[N]]] epilogue(%{{.*}}, %{{.*}} = %{{.*}}[m] : memref<500xf32>)
func.func @swapped(%a: memref<40x256xbf16>, %b: memref<500x256xbf16>, %d: memref<40x500xf32>, %bias: memref<500xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b schedule <tma, tile = 64x16x64, stages = 1, swizzle = none, tmem_load = "16x256b", swap_ab = on> epilogue(%x, %y = %bias[n] : memref<500xf32>) {
    %0 = arith.addf %x, %y : f32
    bwgemm.yield %0 : f32
  } : memref<40x256xbf16>, memref<500x256xbf16>, memref<40x500xf32>
  return
}

// What is computed.

// RUN: bwgemm-opt %s | FileCheck %s
// RUN: bwgemm-opt %s | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --mlir-print-op-generic | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --emit-bytecode | bwgemm-opt | FileCheck %s

// CHECK-LABEL: func @plain
// CHECK-SAME: (%[[A:.*]]: memref<512x256xbf16>, %[[B:.*]]: memref<256x384xbf16>, %[[D:.*]]: memref<512x384xf32>)
// CHECK: bwgemm.gemm %[[A]], %[[B]], %[[D]] : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xf32>
func.func @plain(%a: memref<512x256xbf16>, %b: memref<256x384xbf16>, %d: memref<512x384xf32>) {
  bwgemm.gemm %a, %b, %d : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xf32>
  return
}

// CHECK-LABEL: func @transposes
func.func @transposes(%mk: memref<16x32xf16>, %km: memref<32x16xf16>, %kn: memref<32x8xf16>, %nk: memref<8x32xf16>, %d: memref<16x8xf16>) {
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} transpose_a : memref<32x16xf16>, memref<32x8xf16>, memref<16x8xf16>
  bwgemm.gemm %km, %kn, %d transpose_a : memref<32x16xf16>, memref<32x8xf16>, memref<16x8xf16>
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} transpose_b : memref<16x32xf16>, memref<8x32xf16>, memref<16x8xf16>
  bwgemm.gemm %mk, %nk, %d transpose_b : memref<16x32xf16>, memref<8x32xf16>, memref<16x8xf16>
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} transpose_a transpose_b accumulate : memref<32x16xf16>, memref<8x32xf16>, memref<16x8xf16>
  bwgemm.gemm %km, %nk, %d transpose_a transpose_b accumulate : memref<32x16xf16>, memref<8x32xf16>, memref<16x8xf16>
  return
}

// Any extent may be dynamic or zero, and operands may be views.
// CHECK-LABEL: func @extents
func.func @extents(%a: memref<?x?xbf16>, %b: memref<?x64xbf16, strided<[?, 1], offset: ?>>, %d: memref<32x?xbf16>,
                   %a0: memref<4x0xf16>, %b0: memref<0x8xf16>, %d0: memref<4x8xf32>) {
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} : memref<?x?xbf16>, memref<?x64xbf16, strided<[?, 1], offset: ?>>, memref<32x?xbf16>
  bwgemm.gemm %a, %b, %d : memref<?x?xbf16>, memref<?x64xbf16, strided<[?, 1], offset: ?>>, memref<32x?xbf16>
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} : memref<4x0xf16>, memref<0x8xf16>, memref<4x8xf32>
  bwgemm.gemm %a0, %b0, %d0 : memref<4x0xf16>, memref<0x8xf16>, memref<4x8xf32>
  return
}

// CHECK-LABEL: func @scheduled
func.func @scheduled(%a: memref<64x64xf16>, %d: memref<64x64xf32>) {
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} schedule <swizzle, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b"> : memref<64x64xf16>, memref<64x64xf16>, memref<64x64xf32>
  bwgemm.gemm %a, %a, %d schedule <swizzle, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b"> : memref<64x64xf16>, memref<64x64xf16>, memref<64x64xf32>
  return
}

// CHECK-LABEL: func @fallback
func.func @fallback(%a: memref<?x?xf16>, %d: memref<?x?xf32>) {
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} accumulate schedule <swizzle, {{.*}}> fallback <naive, tile = 16x16x1, stages = 1, swizzle = none, tmem_load = "32x32b"> : memref<?x?xf16>
  bwgemm.gemm %a, %a, %d accumulate schedule <swizzle, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b"> fallback <naive, tile = 16x16x1, stages = 1, swizzle = none, tmem_load = "32x32b"> : memref<?x?xf16>, memref<?x?xf16>, memref<?x?xf32>
  return
}

// CHECK-LABEL: func @types
func.func @types(%i: memref<16x32xi8>, %j: memref<8x32xi8>, %s: memref<16x8xi32>, %r: memref<16x8xbf16>,
                 %p: memref<16x32xf8E4M3FN>, %q: memref<32x8xf8E5M2>, %x: memref<16x32xf32>, %y: memref<32x8xf32>, %d: memref<16x8xf32>) {
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} transpose_b : memref<16x32xi8>, memref<8x32xi8>, memref<16x8xi32>
  bwgemm.gemm %i, %j, %s transpose_b : memref<16x32xi8>, memref<8x32xi8>, memref<16x8xi32>
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} transpose_b unsigned_a unsigned_b accumulate : memref<16x32xi8>
  bwgemm.gemm %i, %j, %s transpose_b unsigned_a unsigned_b accumulate : memref<16x32xi8>, memref<8x32xi8>, memref<16x8xi32>
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} transpose_b unsigned_b epilogue(%[[SUM:.*]] : i32) {
  // CHECK-NEXT: arith.sitofp %[[SUM]] : i32 to bf16
  bwgemm.gemm %i, %j, %r transpose_b unsigned_b epilogue(%sum : i32) {
    %v = arith.sitofp %sum : i32 to bf16
    bwgemm.yield %v : bf16
  } : memref<16x32xi8>, memref<8x32xi8>, memref<16x8xbf16>
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} : memref<16x32xf8E4M3FN>, memref<32x8xf8E5M2>, memref<16x8xbf16>
  bwgemm.gemm %p, %q, %r : memref<16x32xf8E4M3FN>, memref<32x8xf8E5M2>, memref<16x8xbf16>
  // CHECK: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} : memref<16x32xf32>, memref<32x8xf32>, memref<16x8xf32>
  bwgemm.gemm %x, %y, %d : memref<16x32xf32>, memref<32x8xf32>, memref<16x8xf32>
  return
}

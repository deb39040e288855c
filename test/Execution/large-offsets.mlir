// Offsets and pitches past 2^31 elements keep 64 bits, static or dynamic.

// RUN: bwgemm-compile %s --schedule=naive --emit=ptx | FileCheck %s
// RUN: bwgemm-compile %s --schedule=swizzle --emit=ptx -o %t.ptx

// 2779057360 elements of two bytes.
// CHECK-LABEL: .entry static_kernel(
// CHECK: 5558114720
func.func @static(%a: memref<64x64xbf16, strided<[3221225472, 1], offset: 2779057360>>, %b: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xbf16, strided<[3221225472, 1], offset: 2779057360>>, memref<64x64xbf16>) outs(%d : memref<64x64xf32>)
  return
}

// CHECK-LABEL: .entry dynamic_kernel(
// CHECK: mul.lo.s64
func.func @dynamic(%a: memref<64x64xbf16, strided<[?, 1], offset: ?>>, %b: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xbf16, strided<[?, 1], offset: ?>>, memref<64x64xbf16>) outs(%d : memref<64x64xf32>)
  return
}

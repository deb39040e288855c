// RUN: bwgemm-opt %s -split-input-file -verify-diagnostics

// tensor_map_encode_c1
func.func @f(%a: memref<512x256xbf16>) {
  // expected-error@+1 {{'bwgemm.tensor_map.encode' op expects a box of the source's rank (2), but got 3}}
  %map = bwgemm.tensor_map.encode %a, "A" : memref<512x256xbf16> -> !bwgemm.tensor_map<1x64x64xbf16, swizzle = 128B>
  return
}

// -----

// tensor_map_encode_c2
func.func @f(%a: memref<512x256xf16>) {
  // expected-error@+1 {{'bwgemm.tensor_map.encode' op expects the map's element type to be the source's ('f16'), but got 'bf16'}}
  %map = bwgemm.tensor_map.encode %a, "A" : memref<512x256xf16> -> !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>
  return
}

// -----

// A device view has the type of its buffer.
func.func @f(%a: memref<8x8xf16>) {
  // expected-error@+1 {{'bwgemm.to_device' op failed to verify that all of {source, result} have same type}}
  %da = "bwgemm.to_device"(%a) {read} : (memref<8x8xf16>) -> memref<8x8xbf16>
  return
}

// -----

func.func @f(%x: index) {
  // expected-error@+1 {{'bwgemm.require_equal' op requires attribute 'what'}}
  %ok = "bwgemm.require_equal"(%x, %x) : (index, index) -> i1
  return
}

// -----

// workspace_alloc_c1
func.func @f() {
  // expected-error@+1 {{'bwgemm.workspace.alloc' op expects a matrix (rank 2) without gaps, but got 'memref<64x64xf32, strided<[128, 1]>>'}}
  %w = bwgemm.workspace.alloc() "sums" : memref<64x64xf32, strided<[128, 1]>>
  return
}

// -----

// workspace_alloc_c1
func.func @f() {
  // expected-error@+1 {{'bwgemm.workspace.alloc' op expects a matrix (rank 2) without gaps, but got 'memref<64xf32>'}}
  %w = bwgemm.workspace.alloc() "sums" : memref<64xf32>
  return
}

// -----

// workspace_alloc_c2
func.func @f(%x: index) {
  // expected-error@+1 {{'bwgemm.workspace.alloc' op expects a size for each of the 2 dynamic dimensions, but got 1}}
  %w = bwgemm.workspace.alloc(%x) "sums" : memref<?x?xf32>
  return
}

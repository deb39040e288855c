// The host side of a launch.

// RUN: bwgemm-opt %s | FileCheck %s
// RUN: bwgemm-opt %s | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --mlir-print-op-generic | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --emit-bytecode | bwgemm-opt | FileCheck %s

// CHECK-LABEL: func @sizes
// CHECK-SAME: (%[[X:.*]]: index, %[[Y:.*]]: index)
func.func @sizes(%x: index, %y: index) -> i1 {
  // CHECK: bwgemm.require_equal %[[X]], %[[Y]], "columns of A and rows of B"
  %ok = bwgemm.require_equal %x, %y, "columns of A and rows of B"
  return %ok : i1
}

// CHECK-LABEL: func @views
func.func @views(%a: memref<512x256xbf16>, %d: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  // CHECK: bwgemm.require_layout %{{.*}}, "argument 0 of 'views'" : memref<512x256xbf16>
  bwgemm.require_layout %a, "argument 0 of 'views'" : memref<512x256xbf16>
  // CHECK: %[[A:.*]] = bwgemm.to_device read %{{.*}} : memref<512x256xbf16>
  %da = bwgemm.to_device read %a : memref<512x256xbf16>
  // CHECK: %[[D:.*]] = bwgemm.to_device write %{{.*}} : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %dd = bwgemm.to_device write %d : memref<?x?xf32, strided<[?, 1], offset: ?>>
  // CHECK: bwgemm.to_device read write %{{.*}} : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %both = bwgemm.to_device read write %d : memref<?x?xf32, strided<[?, 1], offset: ?>>
  // CHECK: bwgemm.zero_fill %[[D]] : memref<?x?xf32, strided<[?, 1], offset: ?>>
  bwgemm.zero_fill %dd : memref<?x?xf32, strided<[?, 1], offset: ?>>
  // CHECK: bwgemm.from_device %[[D]] : memref<?x?xf32, strided<[?, 1], offset: ?>>
  bwgemm.from_device %dd : memref<?x?xf32, strided<[?, 1], offset: ?>>
  // CHECK: bwgemm.from_device %[[A]] : memref<512x256xbf16>
  bwgemm.from_device %da : memref<512x256xbf16>
  return
}

// CHECK-LABEL: func @maps
func.func @maps(%a: memref<512x256xbf16>, %v: memref<?xf32>) {
  // CHECK: bwgemm.tensor_map.encode %{{.*}}, "A" : memref<512x256xbf16> -> !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>
  %map = bwgemm.tensor_map.encode %a, "A" : memref<512x256xbf16> -> !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>
  // CHECK: bwgemm.tensor_map.encode %{{.*}}, "bias" : memref<?xf32> -> !bwgemm.tensor_map<64xf32>
  %bias = bwgemm.tensor_map.encode %v, "bias" : memref<?xf32> -> !bwgemm.tensor_map<64xf32>
  return
}

// CHECK-LABEL: func @addressable
func.func @addressable(%a: memref<?x64xbf16, strided<[?, 1], offset: ?>>) -> i1 {
  // CHECK: bwgemm.tma_addressable %{{.*}} : memref<?x64xbf16, strided<[?, 1], offset: ?>>
  %ok = bwgemm.tma_addressable %a : memref<?x64xbf16, strided<[?, 1], offset: ?>>
  return %ok : i1
}

// CHECK-LABEL: func @workspace
// CHECK-SAME: (%[[ROWS:.*]]: index)
func.func @workspace(%rows: index) {
  // CHECK: %[[W:.*]] = bwgemm.workspace.alloc(%[[ROWS]]) "partial sums" : memref<?x384xf32>
  %w = bwgemm.workspace.alloc(%rows) "partial sums" : memref<?x384xf32>
  // CHECK: bwgemm.workspace.free %[[W]] : memref<?x384xf32>
  bwgemm.workspace.free %w : memref<?x384xf32>
  // CHECK: bwgemm.workspace.alloc() "flags" : memref<1x64xi32>
  %flags = bwgemm.workspace.alloc() "flags" : memref<1x64xi32>
  bwgemm.workspace.free %flags : memref<1x64xi32>
  return
}

// CHECK-LABEL: func @multiprocessors
func.func @multiprocessors() -> index {
  // CHECK: bwgemm.multiprocessor_count
  %sms = bwgemm.multiprocessor_count
  return %sms : index
}

// CHECK-LABEL: func @resident
func.func @resident() {
  // CHECK: bwgemm.resident_launch
  bwgemm.resident_launch
  return
}

// CHECK-LABEL: func @early
func.func @early() {
  // CHECK: bwgemm.programmatic_launch
  bwgemm.programmatic_launch
  return
}

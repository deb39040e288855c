// Host code calls the launch runtime.

// RUN: bwgemm-opt %s --bwgemm-lower="schedule=tma ptxas=none" | FileCheck %s

// Strings and functions come once each.
// CHECK-DAG: llvm.mlir.global internal constant @[[NAME_A:.*]]("A\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[NAME_B:.*]]("B\00")
// CHECK-DAG: llvm.func @bwgemmHostToDevice(!llvm.ptr, i64, i64, !llvm.ptr, !llvm.ptr, i64, i32) -> !llvm.ptr
// CHECK-DAG: llvm.func @bwgemmHostFromDevice(!llvm.ptr)
// CHECK-DAG: llvm.func @bwgemmHostEncodeTensorMap(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i32, !llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i32)
// CHECK-DAG: llvm.func @bwgemmHostZero2D(!llvm.ptr, i64, i64, i64, i64, i64)
// CHECK-DAG: llvm.func @bwgemmHostRequireEqual(i64, i64, !llvm.ptr) -> i32

// CHECK-LABEL: llvm.func @matmul(
// CHECK-SAME: attributes {llvm.emit_c_interface}
// All of the call's work goes to one stream, for which its end waits.
// CHECK: llvm.call @bwgemmHostBegin() : () -> ()
// CHECK-COUNT-3: llvm.call @bwgemmHostRequireLayout({{.*}}) : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> ()
// CHECK: llvm.call @bwgemmHostRequireEqual
// CHECK: llvm.icmp "ne"
// D is only written (2), A and B only read (1).
// CHECK-DAG: %[[WRITE:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK: llvm.call @bwgemmHostToDevice({{.*}}) : (!llvm.ptr, i64, i64, !llvm.ptr, !llvm.ptr, i64, i32) -> !llvm.ptr
// CHECK: llvm.call @bwgemmHostZero2D
// CHECK: llvm.call @bwgemmHostToDevice
// CHECK: llvm.call @bwgemmHostToDevice
// A map is 128 bytes, passed by value.
// CHECK: llvm.call @bwgemmHostEncodeTensorMap
// CHECK: %[[MAP:.*]] = llvm.load %{{.*}} {alignment = 64 : i64} : !llvm.ptr -> !llvm.array<16 x i64>
// CHECK: llvm.call @bwgemmHostEncodeTensorMap
// CHECK: %[[STREAM:.*]] = llvm.call @bwgemmHostStream() : () -> !llvm.ptr
// CHECK-NEXT: gpu.launch_func <%[[STREAM]] : !llvm.ptr> @bwgemm_kernels::@matmul_kernel blocks in {{.*}} args(%[[MAP]] : !llvm.array<16 x i64>
// CHECK: llvm.call @bwgemmHostFromDevice
// CHECK: llvm.call @bwgemmHostFromDevice
// CHECK: llvm.call @bwgemmHostFromDevice
// CHECK: llvm.call @bwgemmHostEnd() : () -> ()
// CHECK-NEXT: llvm.return
// CHECK: llvm.func @_mlir_ciface_matmul(
// RUN: bwgemm-opt %s --bwgemm-lower="schedule=auto ptxas=none" | FileCheck %s --check-prefix=AUTO
// AUTO: llvm.call @bwgemmHostTmaAddressable({{.*}}) : (!llvm.ptr, i64, i32, !llvm.ptr, !llvm.ptr, i32) -> i32
// AUTO: llvm.icmp "ne"
// AUTO: gpu.launch_func <%{{.*}} : !llvm.ptr> @bwgemm_kernels::@matmul_kernel{{(_1)?}} {{(clusters|blocks)}} in
// AUTO: gpu.launch_func <%{{.*}} : !llvm.ptr> @bwgemm_kernels::@matmul_kernel{{(_1)?}} {{(clusters|blocks)}} in
func.func @matmul(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  bwgemm.gemm %a, %b, %d : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32>
  return
}

// What works on no device memory begins no call.
// CHECK-LABEL: llvm.func @multiprocessors
// CHECK-NOT: @bwgemmHostBegin
// CHECK: %[[COUNT:.*]] = llvm.call @bwgemmHostMultiprocessorCount() : () -> i64
// CHECK: llvm.return %[[COUNT]]
func.func @multiprocessors() -> index {
  %count = bwgemm.multiprocessor_count
  return %count : index
}

// CHECK-LABEL: llvm.func @workspace
// CHECK-SAME: (%[[ROWS:.*]]: i64)
// CHECK-DAG: %[[COLUMNS:.*]] = llvm.mlir.constant(384 : i64)
// CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(4 : i64)
// CHECK: %[[MEMORY:.*]] = llvm.call @bwgemmHostAllocWorkspace(%[[ROWS]], %[[COLUMNS]], %[[BYTES]], %{{.*}}) : (i64, i64, i64, !llvm.ptr) -> !llvm.ptr
// CHECK: llvm.insertvalue %[[MEMORY]], %{{.*}}[1]
// CHECK: llvm.call @bwgemmHostFreeWorkspace(
func.func @workspace(%rows: index) {
  %w = bwgemm.workspace.alloc(%rows) "partial sums" : memref<?x384xf32>
  bwgemm.workspace.free %w : memref<?x384xf32>
  return
}

// CHECK-LABEL: llvm.func @resident
// CHECK: llvm.call @bwgemmHostResidentLaunch() : () -> ()
func.func @resident() {
  bwgemm.resident_launch
  return
}

// CHECK-LABEL: llvm.func @early
// CHECK: llvm.call @bwgemmHostProgrammaticLaunch() : () -> ()
func.func @early() {
  bwgemm.programmatic_launch
  return
}

// A gpu.module becomes a gpu.binary that begins with its PTX.

// RUN: bwgemm-opt %s --bwgemm-serialize=ptxas=none | FileCheck %s

// The text is LLVM's own, and a function of the input alone: there are no
// timings among the properties.
// CHECK: gpu.binary @kernels <#gpu.select_object<0 : i64>> [#gpu.object<#nvvm.target<O = 3, chip = "sm_100a", features = "+ptx88">, properties = {O = 3 : i32}, assembly = "
// CHECK-SAME: .version 8.8\0A.target sm_100a\0A.address_size 64
// CHECK-SAME: .visible .entry store_index(
// CHECK-SAME: .reqntid 128, 1, 1
// CHECK-SAME: mov.u32 \09%r{{[0-9]+}}, %tid.x;
// CHECK-SAME: st.global.b32
// CHECK-NOT: bin =
// CHECK-NOT: gpu.module
gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_100a", features = "+ptx88">] {
  llvm.func @store_index(%out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %element = llvm.getelementptr %out[%thread] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %thread, %element : i32, !llvm.ptr<1>
    llvm.return
  }
}

// What the GPU provides need not be defined.
// CHECK: gpu.binary @prints {{.*}}.extern .func (.param .b32 func_retval0) vprintf
gpu.module @prints [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx70">] {
  llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
  llvm.func @print(%format: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %null = llvm.mlir.zero : !llvm.ptr
    %count = llvm.call @vprintf(%format, %null) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
}

// A module without kernels is a binary without entries.
// CHECK: gpu.binary @nothing {{.*}}assembly = "
// CHECK-NOT: .entry
// CHECK-SAME: .target sm_103a
gpu.module @nothing [#nvvm.target<chip = "sm_103a", features = "+ptx88">] {
}

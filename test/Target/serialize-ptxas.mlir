// With ptxas a second object holds the cubin of the very PTX in the first.
// REQUIRES: ptxas

// RUN: bwgemm-opt %s --bwgemm-serialize | FileCheck %s
// RUN: not bwgemm-opt %s --bwgemm-serialize=ptxas=/no/such/ptxas 2>&1 | FileCheck %s --check-prefix=MISSING

// 7f 45 4c 46 is the magic number of ELF.
// CHECK: gpu.binary @kernels <#gpu.select_object<0 : i64>> [#gpu.object<{{[^"]*}}"sm_100a"{{.*}}assembly = "
// CHECK-SAME: properties = {O = 3 : i32, ptxas = {store = {registers = {{[0-9]+}} : i64, spill_bytes = 0 : i64, stack_bytes = 0 : i64}}}, bin = "\7FELF
// MISSING: error: no program '/no/such/ptxas' to use as ptxas
gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_100a", features = "+ptx88">] {
  llvm.func @store(%out: !llvm.ptr<1>, %value: f32) attributes {gpu.kernel, nvvm.kernel} {
    llvm.store %value, %out : f32, !llvm.ptr<1>
    llvm.return
  }
}

// Kernels join the description that an earlier run left; registers come from
// what ptxas reported.

// RUN: bwgemm-opt %s --bwgemm-describe | FileCheck %s

// CHECK: \22functions\22:[{
// CHECK-SAME: \22kernels\22:[{\22block\22:[128,1,1],\22name\22:\22f_kernel\22,\22registers\22:40,\22shared_bytes\22:17408,\22spill_bytes\22:0,\22stack_bytes\22:16},
// CHECK-SAME: {\22block\22:[32,2,1],\22name\22:\22g_kernel\22,\22ptx_symbol\22:\22bwgemm_ptx_1\22,\22shared_bytes\22:0}],
// CHECK-SAME: \22name\22:\22f\22,\22operations\22:[{\22op\22:\22gemm\22}]
// CHECK-SAME: \22kept\22:5
module attributes {gpu.container_module, bwgemm.description = "{\"kept\":5,\"functions\":[{\"name\":\"f\",\"operations\":[{\"op\":\"gemm\"}]}]}"} {
  gpu.binary @first <#gpu.select_object<0 : i64>> [
    #gpu.object<#nvvm.target<chip = "sm_100a">, assembly = "text">,
    #gpu.object<#nvvm.target<chip = "sm_100a">, properties = {ptxas = {f_kernel = {registers = 40 : i64, stack_bytes = 16 : i64, spill_bytes = 0 : i64}}}, bin = "code">]
  gpu.binary @second <#gpu.select_object<0 : i64>> [
    #gpu.object<#nvvm.target<chip = "sm_100a">, assembly = "text">]
  func.func @f(%n: index) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %bytes = arith.constant 17408 : i32
    gpu.launch_func @first::@f_kernel blocks in (%n, %c1, %c1) threads in (%c128, %c1, %c1) dynamic_shared_memory_size %bytes
    gpu.launch_func @second::@g_kernel blocks in (%n, %c1, %c1) threads in (%c32, %c2, %c1)
    return
  }
}

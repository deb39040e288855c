// A kernel of a stock program that fails while it runs: the diagnosis, the
// driver's result, and exit status 3; nothing after it is printed.

// RUN: mlir-opt %s --gpu-lower-to-nvvm-pipeline="cubin-chip=sm_90 cubin-features=+ptx80 cubin-format=isa" > %t.mlir
// RUN: env BWGEMM_DRIVER=emulator %python %S/../DriverApi/Inputs/exit_status.py 3 \
// RUN:     mlir-runner %t.mlir --entry-point-result=void \
// RUN:       --shared-libs=%cuda_runtime \
// RUN:       --shared-libs=%llvm_lib/libmlir_c_runner_utils.so 2>&1 \
// RUN:   | FileCheck %s

// CHECK: bwgemm emulator: trap: out of bounds
// CHECK: bwgemm: error: {{.*}}CUDA_ERROR_ILLEGAL_ADDRESS (700)
// CHECK-NOT: 1234567

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @beyond(%memory: memref<8xi32>) kernel {
      %thread = gpu.thread_id x
      %value = arith.constant 1 : i32
      memref.store %value, %memory[%thread] : memref<8xi32>
      gpu.return
    }
  }

  func.func @main() {
    %c1 = arith.constant 1 : index
    %c1000 = arith.constant 1000 : index
    %start = gpu.wait async
    %device, %t0 = gpu.alloc async [%start] () : memref<8xi32>
    %t1 = gpu.launch_func async [%t0] @kernels::@beyond
        blocks in (%c1, %c1, %c1) threads in (%c1000, %c1, %c1)
        args(%device : memref<8xi32>)
    gpu.wait [%t1]
    %after = arith.constant 1234567 : i64
    vector.print %after : i64
    return
  }
}

// RUN: bwgemm-opt %s --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(convert-bwgemm-to-nvvm))'

gpu.module @kernels {
  gpu.func @unplanned() kernel {
    // expected-error @+2 {{has no offset in shared memory; run bwgemm-plan-resources first}}
    // expected-error @+1 {{failed to legalize operation 'bwgemm.mbarrier.alloc'}}
    %b = bwgemm.mbarrier.alloc : !bwgemm.mbarrier<1>
    gpu.return
  }
}

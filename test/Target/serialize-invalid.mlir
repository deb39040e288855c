// RUN: bwgemm-opt %s --bwgemm-serialize=ptxas=none --split-input-file --verify-diagnostics

// expected-error@+1 {{expects one target such as #nvvm.target<chip = "sm_100a">, but got none}}
gpu.module @no_target {
}

// -----

// expected-error@+1 {{expects one target, but got 2; make a gpu.module for each}}
gpu.module @two_targets [#nvvm.target<chip = "sm_100a">, #nvvm.target<chip = "sm_90a">] {
}

// -----

// expected-error@+1 {{expects an #nvvm.target, but got #rocdl.target<chip = "gfx942">}}
gpu.module @other_maker [#rocdl.target<chip = "gfx942">] {
}

// -----

// LLVM would only warn and write the name into the PTX.
// expected-error@+1 {{unknown target 'sm_101'; targets are sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_100f, sm_103a, sm_120, sm_120a}}
gpu.module @unknown_target [#nvvm.target<chip = "sm_101">] {
}

// -----

// expected-error@+1 {{kernels use the function '__nv_expf', which is not defined in their gpu.module}}
gpu.module @undefined [#nvvm.target<chip = "sm_100a", features = "+ptx88">] {
  llvm.func @__nv_expf(f32) -> f32
  llvm.func @kernel(%out: !llvm.ptr<1>, %x: f32) attributes {gpu.kernel, nvvm.kernel} {
    %y = llvm.call @__nv_expf(%x) : (f32) -> f32
    llvm.store %y, %out : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

gpu.module @not_lowered [#nvvm.target<chip = "sm_100a", features = "+ptx88">] {
  // expected-error@+1 {{unsupported GPU operation: gpu.func}}
  gpu.func @kernel() kernel {
    gpu.return
  }
}

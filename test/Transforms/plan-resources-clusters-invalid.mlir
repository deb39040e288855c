// Clusters on a target that has none are refused here, since LLVM would abort.

// RUN: bwgemm-opt %s --split-input-file --verify-diagnostics --bwgemm-plan-resources

module attributes {bwgemm.target = "sm_80"} {
  gpu.module @kernels {
    gpu.func @barrier() kernel {
      // expected-error @+1 {{needs clusters of CTAs, which target sm_80 lacks; targets with them are sm_90, sm_90a, sm_100, sm_100a, sm_100f, sm_103a, sm_120, sm_120a}}
      bwgemm.cluster.barrier
      gpu.return
    }
  }
}

// -----

module attributes {bwgemm.target = "sm_89"} {
  gpu.module @kernels {
    gpu.func @upstream(%out: memref<1xindex>) kernel {
      %c0 = arith.constant 0 : index
      // expected-error @+1 {{needs clusters of CTAs, which target sm_89 lacks}}
      %rank = gpu.cluster_block_id x
      memref.store %rank, %out[%c0] : memref<1xindex>
      gpu.return
    }
  }
}

// -----

module attributes {bwgemm.target = "sm_86"} {
  gpu.module @kernels {
    // expected-error @+1 {{needs clusters of CTAs, which target sm_86 lacks}}
    gpu.func @sized() kernel attributes {known_cluster_size = array<i32: 2, 1, 1>} {
      gpu.return
    }
  }
}

// -----

module attributes {bwgemm.target = "sm_80", gpu.container_module} {
  gpu.module @kernels {
    gpu.func @plain() kernel {
      gpu.return
    }
  }
  func.func @launch() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    // expected-error @+1 {{needs clusters of CTAs, which target sm_80 lacks}}
    gpu.launch_func @kernels::@plain clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}

// -----

module attributes {bwgemm.target = "sm_90"} {
  gpu.module @kernels {
    gpu.func @barrier() kernel {
      bwgemm.cluster.barrier
      gpu.return
    }
  }
}

module {}

// -----

// No target, and nothing in it.
gpu.module @kernels {}

// -----

gpu.module @kernels [#nvvm.target<chip = "sm_100a">, #nvvm.target<chip = "sm_90a">] {}

// -----

module attributes {bwgemm.target = "sm_100a"} {
  gpu.module @kernels [#nvvm.target<chip = "sm_100a">] {}
}

// -----

module attributes {bwgemm.target = 7 : i32} {
  gpu.module @kernels [#nvvm.target<chip = "sm_100a">] {
    gpu.func @empty() kernel { gpu.return }
  }
}

// -----

gpu.module @kernels {
  gpu.func @empty() kernel { gpu.return }
  gpu.func @declared(memref<4xf32>) kernel { gpu.return }
}

// -----

// An attribute that a pass reads, on a kernel that is none of ours.
module attributes {bwgemm.target = "sm_100a"} {
  gpu.module @kernels [#nvvm.target<chip = "sm_100a">] {
    gpu.func @empty() kernel attributes {bwgemm.schedule = #bwgemm.schedule<persistent, tile = 128x64x64, stages = 3, swizzle = 128B, tmem_load = "32x32b">} { gpu.return }
  }
}

// -----

func.func private @nothing(memref<?x?xbf16>)
func.func @called(%a: memref<?x?xbf16>) {
  call @nothing(%a) : (memref<?x?xbf16>) -> ()
  return
}

// RUN: bwgemm-opt %s --split-input-file --verify-diagnostics --bwgemm-results-to-arguments

func.func @twice() -> (memref<4x4xf32>, memref<4x4xf32>) {
  %d = memref.alloc() : memref<4x4xf32>
  // expected-error @+1 {{results 0 and 1 are one buffer, which cannot become two of the caller's; return it once}}
  return %d, %d : memref<4x4xf32>, memref<4x4xf32>
}

// -----

func.func @cast(%x: f32) -> (memref<4x4xf32>, f32, memref<?x4xf32>) {
  %d = memref.alloc() : memref<4x4xf32>
  %e = memref.cast %d : memref<4x4xf32> to memref<?x4xf32>
  // expected-error @+1 {{results 0 and 2 are one buffer}}
  return %d, %x, %e : memref<4x4xf32>, f32, memref<?x4xf32>
}

// The stock mlir-opt with our plugin reads the dialect and runs the passes, one
// by one and as a pipeline, with the same result as bwgemm-opt.

// RUN: mlir-opt --load-dialect-plugin=%bwgemm_plugin %S/Inputs/types.mlir | FileCheck %s --check-prefix=PARSE
// PARSE: func.func private @types(!bwgemm.smem<4x64x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<4>)

// RUN: mlir-opt --load-dialect-plugin=%bwgemm_plugin --load-pass-plugin=%bwgemm_plugin %s \
// RUN:   --pass-pipeline="builtin.module(convert-linalg-to-bwgemm,bwgemm-assign-schedule{schedule=tma})" \
// RUN:   | FileCheck %s --check-prefix=STEP
// STEP: bwgemm.gemm %{{.*}}, %{{.*}}, %{{.*}} schedule <tma, tile = 64x64x64

// RUN: mlir-opt --load-dialect-plugin=%bwgemm_plugin --load-pass-plugin=%bwgemm_plugin %s \
// RUN:   --pass-pipeline="builtin.module(bwgemm-lower{target=sm_100f schedule=swizzle ptxas=none})" > %t.stock
// RUN: bwgemm-opt --bwgemm-lower="target=sm_100f schedule=swizzle ptxas=none" %s > %t.ours
// RUN: diff %t.stock %t.ours
// RUN: FileCheck %s --check-prefix=LOWER < %t.stock
// LOWER: llvm.func @matmul
// LOWER: gpu.binary @bwgemm_kernels {{.*}}.target sm_100f

// Every op, and every pass by itself.
// RUN: %python %S/Inputs/stock.py %bwgemm_plugin %source_root %s | FileCheck %s --check-prefix=EACH
// EACH: {{[2-9][0-9]}} ops, 25 passes

// RUN: mlir-opt --load-pass-plugin=%bwgemm_plugin --help | FileCheck %s --check-prefix=HELP
// HELP-DAG: --bwgemm-lower
// HELP-DAG: --bwgemm-serialize
// HELP-DAG: --bwgemm-tile
// HELP-DAG: --convert-linalg-to-bwgemm

func.func @matmul(%a: memref<128x64xbf16>, %b: memref<64x128xbf16>, %d: memref<128x128xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<128x128xf32>)
  linalg.matmul ins(%a, %b : memref<128x64xbf16>, memref<64x128xbf16>) outs(%d : memref<128x128xf32>)
  return
}

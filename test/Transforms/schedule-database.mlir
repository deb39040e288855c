// What auto takes of a database of measured schedules, and what of the model.
// The entries are unlike what the model takes, so that they show.

// RUN: split-file %s %t
// RUN: bwgemm-opt %t/products.mlir --bwgemm-assign-schedule="target=sm_90a database=%t/db.json" | FileCheck %t/products.mlir --check-prefixes=CHECK,MEASURED
// RUN: bwgemm-opt %t/products.mlir --bwgemm-assign-schedule="target=sm_90a database=none" | FileCheck %t/products.mlir --check-prefixes=CHECK,MODEL
// The environment names one where the option does not, and the option wins.
// RUN: env BWGEMM_DATABASE=%t/db.json bwgemm-opt %t/products.mlir --bwgemm-assign-schedule="target=sm_90a" | FileCheck %t/products.mlir --check-prefixes=CHECK,MEASURED
// RUN: env BWGEMM_DATABASE=%t/db.json bwgemm-opt %t/products.mlir --bwgemm-assign-schedule="target=sm_90a database=none" | FileCheck %t/products.mlir --check-prefixes=CHECK,MODEL
// RUN: env BWGEMM_DATABASE=none bwgemm-opt %t/products.mlir --bwgemm-assign-schedule="target=sm_90a" | FileCheck %t/products.mlir --check-prefixes=CHECK,MODEL

// Fields beside auto ask the model; pdl is added to what was measured.
// RUN: bwgemm-opt %t/products.mlir --bwgemm-assign-schedule="target=sm_90a schedule=auto,stages=4 database=%t/db.json" | FileCheck %t/products.mlir --check-prefix=BOUND
// RUN: bwgemm-opt %t/products.mlir --bwgemm-assign-schedule="target=sm_90a schedule=auto,pdl=on database=%t/db.json" | FileCheck %t/products.mlir --check-prefix=PDL
// A schedule that is asked for is not looked up.
// RUN: bwgemm-opt %t/products.mlir --bwgemm-assign-schedule="target=sm_90a schedule=multistage database=%t/db.json" | FileCheck %t/products.mlir --check-prefix=OWN
// Entries are for their target.
// RUN: bwgemm-opt %t/products.mlir --bwgemm-assign-schedule="target=sm_100a database=%t/db.json" | FileCheck %t/products.mlir --check-prefix=OTHER

// The whole pipeline takes the option too.
// RUN: bwgemm-opt %t/one.mlir --bwgemm-lower="target=sm_90a database=%t/db.json ptxas=none" --mlir-print-ir-after=bwgemm-assign-schedule -o %t/lowered.mlir 2>&1 | FileCheck %t/one.mlir

// An entry whose schedule does not fit its own product: a warning, and the
// model chooses; in a view of other strides nothing is said.
// RUN: bwgemm-opt %t/unfit.mlir --bwgemm-assign-schedule="target=sm_90a database=%t/db.json" --verify-diagnostics | FileCheck %t/unfit.mlir

//--- db.json
{
"format": "bwgemm schedules", "version": 1,
"entries": [
{"target": "sm_90a", "device": "a GPU", "operands": "bf16", "result": "bf16", "transposes": "nt", "epilogue": "none", "m": 1024, "n": 1024, "k": 1024, "schedule": "persistent,tile=128x256x64,stages=2,raster=3", "us": 9.5},
{"target": "sm_90a", "device": "another GPU", "operands": "bf16", "result": "bf16", "transposes": "nt", "epilogue": "none", "m": 1024, "n": 1024, "k": 1024, "schedule": "persistent,tile=64x8x64", "us": 1},
{"target": "sm_90a", "device": "a GPU", "operands": "bf16", "result": "bf16", "transposes": "nt", "epilogue": "none", "m": 4096, "n": 4096, "k": 4096, "schedule": "persistent,tile=128x256x64,stages=3,raster=5", "us": 172},
{"target": "sm_90a", "device": "a GPU", "operands": "bf16", "result": "bf16", "transposes": "nt", "epilogue": "accumulate", "m": 1024, "n": 1024, "k": 1024, "schedule": "persistent,tile=64x128x64,stages=2,raster=7", "us": 12},
{"target": "sm_90a", "device": "a GPU", "operands": "f16", "result": "f32", "transposes": "tn", "epilogue": "none", "m": 1024, "n": 1024, "k": 1024, "schedule": "persistent,tile=64x128x64,stages=2,raster=6", "us": 12},
{"target": "sm_90a", "device": "a GPU", "operands": "bf16", "result": "f32", "transposes": "nn", "epilogue": "none", "m": 256, "n": 256, "k": 256, "schedule": "persistent,tile=128x256x64,stages=60", "us": 12},
{"target": "sm_90a", "device": "a GPU", "operands": "bf16", "result": "f32", "transposes": "nn", "epilogue": "none", "m": 256, "n": 256, "k": 255, "schedule": "multistage,tile=64x64x32,stages=2,raster=9", "us": 12},
{"target": "sm_90a", "device": "a GPU", "operands": "bf16", "result": "bf16", "transposes": "nn", "epilogue": "none", "m": 2048, "n": 512, "k": 512, "schedule": "persistent,tile=64x128x64,raster=11", "us": 12},
{"target": "sm_90a", "device": "a GPU", "operands": "f16", "result": "f16", "transposes": "nn", "epilogue": "none", "m": 2048, "n": 512, "k": 512, "schedule": "persistent,tile=64x128x64,raster=10", "us": 12},
{"target": "sm_90a", "device": "a GPU", "operands": "bf16", "result": "bf16", "transposes": "nt", "epilogue": "none", "m": 6144, "n": 6144, "k": 6144, "schedule": "persistent,tile=256x192x64,raster=12", "us": 560},
{"target": "sm_90a", "device": "a GPU", "operands": "bf16", "result": "bf16", "transposes": "nt", "epilogue": "none", "m": 32, "n": 96, "k": 511, "schedule": "multistage,tile=32x32x32,raster=13", "us": 5},
{"target": "sm_90a", "device": "a GPU", "operands": "bf16", "result": "bf16", "transposes": "nn", "epilogue": "none", "m": 4096, "n": 2048, "k": 1024, "schedule": "persistent,tile=128x256x64,raster=14", "us": 5},
{"target": "sm_90a", "device": "a GPU", "operands": "bf16", "result": "bf16", "transposes": "nn", "epilogue": "bias_of_tomorrow", "m": 4096, "n": 2048, "k": 1024, "schedule": "persistent,tile=128x256x64,raster=15", "us": 5},
{"target": "sm_90a", "device": "a GPU", "operands": "bf16", "result": "bf16", "transposes": "nn", "epilogue": "bias_relu", "m": 4096, "n": 2048, "k": 1024, "schedule": "persistent,tile=64x64x64,stages=2,raster=16,store=direct", "us": 5},
{"target": "sm_90a", "device": "a GPU", "operands": "bf16", "result": "bf16", "transposes": "nn", "epilogue": "bias_gelu", "m": 4096, "n": 2048, "k": 1024, "schedule": "persistent,tile=256x192x64,stages=2,raster=17", "us": 5},
{"target": "sm_90a", "device": "a GPU", "operands": "bf16", "result": "bf16", "transposes": "nn", "epilogue": "bias_gelu_approx", "m": 4096, "n": 2048, "k": 1024, "schedule": "persistent,tile=128x256x64,stages=3,raster=18,store=tma,staging=4", "us": 5}
]}

//--- one.mlir
// CHECK: schedule <persistent, {{.*}}, raster = 3{{.*}}>
func.func @one(%a: memref<1024x1024xbf16>, %b: memref<1024x1024xbf16>, %d: memref<1024x1024xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<1024x1024xbf16>, memref<1024x1024xbf16>, memref<1024x1024xbf16>
  return
}

//--- products.mlir
// The first of the entries for these sizes.
// CHECK-LABEL: @exact
// MEASURED: schedule <persistent, tile = 128x256x64, stages = 2, {{.*}}, raster = 3{{.*}}>
// MODEL: schedule <persistent, {{.*}}, raster = {{[48]}}, pdl = on>
// PDL-LABEL: @exact
// PDL: schedule <persistent, tile = 128x256x64, stages = 2, {{.*}}, raster = 3, pdl = on>
// BOUND-LABEL: @exact
// BOUND: schedule <persistent, {{.*}}, stages = 4, {{.*}}, raster = {{[48]}}, pdl = on>
// OWN-LABEL: @exact
// OWN: schedule <multistage,
// OTHER-LABEL: @exact
// OTHER-NOT: raster = 3
func.func @exact(%a: memref<1024x1024xbf16>, %b: memref<1024x1024xbf16>, %d: memref<1024x1024xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<1024x1024xbf16>, memref<1024x1024xbf16>, memref<1024x1024xbf16>
  return
}

// Sizes that only one of the operands tells are known.
// CHECK-LABEL: @known
// MEASURED: schedule <persistent, {{.*}}, raster = 3{{.*}}>
// MODEL: raster = {{[48]}}
func.func @known(%a: memref<1024x1024xbf16>, %b: memref<1024x?xbf16>, %d: memref<?x1024xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<1024x1024xbf16>, memref<1024x?xbf16>, memref<?x1024xbf16>
  return
}

// A batch is many products of these sizes.
// CHECK-LABEL: @batch
// MEASURED: raster = 3
// MODEL: raster = {{[48]}}
func.func @batch(%a: memref<5x1024x1024xbf16>, %b: memref<5x1024x1024xbf16>, %d: memref<5x1024x1024xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<5x1024x1024xbf16>, memref<5x1024x1024xbf16>, memref<5x1024x1024xbf16>
  return
}

// What is near takes the entry too, as long as the model finds it about as good:
// 4224 rows of tiles of 128 still make four waves of 256 columns.
// CHECK-LABEL: @near
// MEASURED: schedule <persistent, tile = 128x256x64, stages = 3, {{.*}}, raster = 5>
// MODEL: raster = {{[48]}}
func.func @near(%a: memref<4224x4096xbf16>, %b: memref<4096x4096xbf16>, %d: memref<4224x4096xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<4224x4096xbf16>, memref<4096x4096xbf16>, memref<4224x4096xbf16>
  return
}

// 1024 x 1024 x 1024 in tiles of 128 x 256 is far from what the model takes.
// CHECK-LABEL: @near_but_slow
// CHECK: raster = {{[48]}}
func.func @near_but_slow(%a: memref<1024x1088xbf16>, %b: memref<1024x1088xbf16>, %d: memref<1024x1024xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<1024x1088xbf16>, memref<1024x1088xbf16>, memref<1024x1024xbf16>
  return
}

// CHECK-LABEL: @far
// CHECK: raster = {{[48]}}
func.func @far(%a: memref<8192x4096xbf16>, %b: memref<4096x4096xbf16>, %d: memref<8192x4096xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<8192x4096xbf16>, memref<4096x4096xbf16>, memref<8192x4096xbf16>
  return
}

// Sizes that the run tells.
// CHECK-LABEL: @dynamic
// CHECK: raster = {{[48]}}{{.*}} fallback <multistage
func.func @dynamic(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
  return
}

// Known sizes with strides that the run tells: what was measured, and something
// for operands that TMA cannot address.
// CHECK-LABEL: @strides
// MEASURED: schedule <persistent, {{.*}}, raster = 3{{.*}}> fallback <multistage
// MODEL: raster = {{[48]}}{{.*}} fallback <multistage
func.func @strides(%a: memref<1024x1024xbf16, strided<[?, 1], offset: ?>>, %b: memref<1024x1024xbf16>, %d: memref<1024x1024xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<1024x1024xbf16, strided<[?, 1], offset: ?>>, memref<1024x1024xbf16>, memref<1024x1024xbf16>
  return
}

// Types, transposes and what becomes of the result have entries of their own.
// CHECK-LABEL: @accumulate
// MEASURED: raster = 7
// MODEL: raster = {{[48]}}
func.func @accumulate(%a: memref<1024x1024xbf16>, %b: memref<1024x1024xbf16>, %d: memref<1024x1024xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b accumulate : memref<1024x1024xbf16>, memref<1024x1024xbf16>, memref<1024x1024xbf16>
  return
}
// CHECK-LABEL: @types
// MEASURED: raster = 6
// MODEL: raster = {{[48]}}
func.func @types(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %d: memref<1024x1024xf32>) {
  bwgemm.gemm %a, %b, %d transpose_a : memref<1024x1024xf16>, memref<1024x1024xf16>, memref<1024x1024xf32>
  return
}
// f16 counts as bf16, where there is nothing for the types themselves.
// CHECK-LABEL: @half
// MEASURED: raster = 3
// MODEL: raster = {{[48]}}
func.func @half(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %d: memref<1024x1024xf16>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<1024x1024xf16>, memref<1024x1024xf16>, memref<1024x1024xf16>
  return
}
// CHECK-LABEL: @other_half
// MEASURED: raster = 6
// MODEL: raster = {{[48]}}
func.func @other_half(%a: memref<1024x1024xbf16>, %b: memref<1024x1024xbf16>, %d: memref<1024x1024xf32>) {
  bwgemm.gemm %a, %b, %d transpose_a : memref<1024x1024xbf16>, memref<1024x1024xbf16>, memref<1024x1024xf32>
  return
}
// CHECK-LABEL: @own_half
// MEASURED: raster = 10
// MODEL: raster = {{[48]}}
func.func @own_half(%a: memref<2048x512xf16>, %b: memref<512x512xf16>, %d: memref<2048x512xf16>) {
  bwgemm.gemm %a, %b, %d : memref<2048x512xf16>, memref<512x512xf16>, memref<2048x512xf16>
  return
}
// CHECK-LABEL: @result
// CHECK: raster = {{[48]}}
func.func @result(%a: memref<1024x1024xbf16>, %b: memref<1024x1024xbf16>, %d: memref<1024x1024xf32>) {
  bwgemm.gemm %a, %b, %d transpose_b : memref<1024x1024xbf16>, memref<1024x1024xbf16>, memref<1024x1024xf32>
  return
}
// Elementwise ops behind it: what was measured of the product alone, but for
// stages and store, if the model finds it about as good as its own choice.
// CHECK-LABEL: @epilogue
// MEASURED: schedule <persistent, tile = 128x256x64, stages = 4, {{.*}}, raster = 5, store = tma{{.*}}>
// MODEL: raster = {{[48]}}
func.func @epilogue(%a: memref<4096x4096xbf16>, %b: memref<4096x4096xbf16>, %d: memref<4096x4096xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b epilogue(%sum) {
    %x = arith.negf %sum : f32
    %y = arith.truncf %x : f32 to bf16
    bwgemm.yield %y : bf16
  } : memref<4096x4096xbf16>, memref<4096x4096xbf16>, memref<4096x4096xbf16>
  return
}
// CHECK-LABEL: @slow_epilogue
// CHECK: raster = {{[48]}}
func.func @slow_epilogue(%a: memref<1024x1024xbf16>, %b: memref<1024x1024xbf16>, %d: memref<1024x1024xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b epilogue(%sum) {
    %x = arith.negf %sum : f32
    %y = arith.truncf %x : f32 to bf16
    bwgemm.yield %y : bf16
  } : memref<1024x1024xbf16>, memref<1024x1024xbf16>, memref<1024x1024xbf16>
  return
}

// Two blocks of accumulators for each warpgroup, and a function that takes many
// instructions for each element; not if it is the hardware's.
// CHECK-LABEL: @long_epilogue
// CHECK: raster = {{[48]}}
func.func @long_epilogue(%a: memref<6144x6144xbf16>, %b: memref<6144x6144xbf16>, %d: memref<6144x6144xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b epilogue(%sum) {
    %x = math.tanh %sum : f32
    %y = arith.truncf %x : f32 to bf16
    bwgemm.yield %y : bf16
  } : memref<6144x6144xbf16>, memref<6144x6144xbf16>, memref<6144x6144xbf16>
  return
}
// CHECK-LABEL: @flat_epilogue
// MEASURED: schedule <multistage, tile = 32x32x32, {{.*}}, raster = 13
// MODEL: schedule <multistage
func.func @flat_epilogue(%a: memref<32x511xbf16>, %b: memref<96x511xbf16>, %d: memref<32x96xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b epilogue(%sum) {
    %x = math.tanh %sum : f32
    %y = arith.truncf %x : f32 to bf16
    bwgemm.yield %y : bf16
  } : memref<32x511xbf16>, memref<96x511xbf16>, memref<32x96xbf16>
  return
}
// CHECK-LABEL: @short_epilogue
// MEASURED: schedule <persistent, tile = 256x192x64, {{.*}}, raster = 12
// MODEL: raster = {{[48]}}
func.func @short_epilogue(%a: memref<6144x6144xbf16>, %b: memref<6144x6144xbf16>, %d: memref<6144x6144xbf16>) {
  bwgemm.gemm %a, %b, %d transpose_b epilogue(%sum) {
    %x = math.tanh %sum fastmath<afn> : f32
    %y = arith.truncf %x : f32 to bf16
    bwgemm.yield %y : bf16
  } : memref<6144x6144xbf16>, memref<6144x6144xbf16>, memref<6144x6144xbf16>
  return
}

// Elementwise ops have entries by what they cost, which come before that of the
// product alone: `store` and `stages` are as they were measured, however much the
// model would differ.
// CHECK-LABEL: @elementwise
// MEASURED: schedule <persistent, tile = 64x64x64, stages = 2, {{.*}}, raster = 16, pdl = on>
// MODEL: raster = {{[48]}}
func.func @elementwise(%a: memref<4096x1024xbf16>, %b: memref<1024x2048xbf16>, %d: memref<4096x2048xbf16>) {
  bwgemm.gemm %a, %b, %d epilogue(%sum) {
    %x = arith.negf %sum : f32
    %y = arith.truncf %x : f32 to bf16
    bwgemm.yield %y : bf16
  } : memref<4096x1024xbf16>, memref<1024x2048xbf16>, memref<4096x2048xbf16>
  return
}
// CHECK-LABEL: @functions
// MEASURED: schedule <persistent, tile = 256x192x64, stages = 2, {{.*}}, raster = 17
// MODEL: raster = {{[48]}}
func.func @functions(%a: memref<4096x1024xbf16>, %b: memref<1024x2048xbf16>, %d: memref<4096x2048xbf16>) {
  bwgemm.gemm %a, %b, %d epilogue(%sum) {
    %x = math.erf %sum : f32
    %y = arith.truncf %x : f32 to bf16
    bwgemm.yield %y : bf16
  } : memref<4096x1024xbf16>, memref<1024x2048xbf16>, memref<4096x2048xbf16>
  return
}
// CHECK-LABEL: @approximations
// MEASURED: schedule <persistent, tile = 128x256x64, stages = 3, {{.*}}, raster = 18, store = tma, staging = 4
// MODEL: raster = {{[48]}}
func.func @approximations(%a: memref<4096x1024xbf16>, %b: memref<1024x2048xbf16>, %d: memref<4096x2048xbf16>) {
  bwgemm.gemm %a, %b, %d epilogue(%sum) {
    %x = math.tanh %sum fastmath<afn> : f32
    %y = arith.truncf %x : f32 to bf16
    bwgemm.yield %y : bf16
  } : memref<4096x1024xbf16>, memref<1024x2048xbf16>, memref<4096x2048xbf16>
  return
}
// Where D is no memory for TMA, the store is the compiler's choice.
// CHECK-LABEL: @approximations_in_a_view
// MEASURED: schedule <persistent, tile = 128x256x64, stages = 4, {{.*}}, raster = 18{{.*}}>
// MODEL: raster = {{[48]}}
func.func @approximations_in_a_view(%a: memref<4096x1024xbf16>, %b: memref<1024x2048xbf16>, %d: memref<4096x2048xbf16, strided<[2049, 1]>>) {
  bwgemm.gemm %a, %b, %d epilogue(%sum) {
    %x = math.tanh %sum fastmath<afn> : f32
    %y = arith.truncf %x : f32 to bf16
    bwgemm.yield %y : bf16
  } : memref<4096x1024xbf16>, memref<1024x2048xbf16>, memref<4096x2048xbf16, strided<[2049, 1]>>
  return
}
// What is not approximated counts.
// CHECK-LABEL: @both
// MEASURED: raster = 17
// MODEL: raster = {{[48]}}
func.func @both(%a: memref<4096x1024xbf16>, %b: memref<1024x2048xbf16>, %d: memref<4096x2048xbf16>) {
  bwgemm.gemm %a, %b, %d epilogue(%sum) {
    %x0 = math.tanh %sum fastmath<afn> : f32
    %x = math.exp %x0 : f32
    %y = arith.truncf %x : f32 to bf16
    bwgemm.yield %y : bf16
  } : memref<4096x1024xbf16>, memref<1024x2048xbf16>, memref<4096x2048xbf16>
  return
}
// For other sizes the model has to find it about as good, as with any entry.
// CHECK-LABEL: @near_elementwise
// CHECK: raster = {{[48]}}
func.func @near_elementwise(%a: memref<4096x1024xbf16>, %b: memref<1024x2056xbf16>, %d: memref<4096x2056xbf16>) {
  bwgemm.gemm %a, %b, %d epilogue(%sum) {
    %x = arith.negf %sum : f32
    %y = arith.truncf %x : f32 to bf16
    bwgemm.yield %y : bf16
  } : memref<4096x1024xbf16>, memref<1024x2056xbf16>, memref<4096x2056xbf16>
  return
}

// Rows of 510 bytes: an entry of mma.sync.
// CHECK-LABEL: @portable
// MEASURED: schedule <multistage, tile = 64x64x32, stages = 2, {{.*}}, raster = 9
// MODEL: schedule <multistage
func.func @portable(%a: memref<256x255xbf16>, %b: memref<255x256xbf16>, %d: memref<256x256xf32>) {
  bwgemm.gemm %a, %b, %d : memref<256x255xbf16>, memref<255x256xbf16>, memref<256x256xf32>
  return
}
// It is near 256 x 256 x 253, and another kind of kernel than what TMA can do
// for 256 x 256 x 248.
// CHECK-LABEL: @portable_near
// MEASURED: schedule <multistage, {{.*}}, raster = 9
// MODEL: schedule <multistage
func.func @portable_near(%a: memref<256x253xbf16>, %b: memref<253x256xbf16>, %d: memref<256x256xf32>) {
  bwgemm.gemm %a, %b, %d : memref<256x253xbf16>, memref<253x256xbf16>, memref<256x256xf32>
  return
}
// CHECK-LABEL: @other_kind
// CHECK: schedule <persistent
func.func @other_kind(%a: memref<264x248xbf16>, %b: memref<248x256xbf16>, %d: memref<264x256xf32>) {
  bwgemm.gemm %a, %b, %d : memref<264x248xbf16>, memref<248x256xbf16>, memref<264x256xf32>
  return
}
// Nothing to compute.
// CHECK-LABEL: @empty
// CHECK: schedule <
func.func @empty(%a: memref<8x0xbf16>, %b: memref<0x16xbf16>, %d: memref<8x16xf32>) {
  bwgemm.gemm %a, %b, %d : memref<8x0xbf16>, memref<0x16xbf16>, memref<8x16xf32>
  return
}

//--- unfit.mlir
// CHECK-LABEL: @unfit
// CHECK: schedule <persistent
func.func @unfit(%a: memref<256x256xbf16>, %b: memref<256x256xbf16>, %d: memref<256x256xf32>) {
  // expected-warning @+1 {{db.json: entry 6, 256x256x256 bf16-f32 nn, does not fit: stages=60 of tile 128x256x64 need}}
  bwgemm.gemm %a, %b, %d : memref<256x256xbf16>, memref<256x256xbf16>, memref<256x256xf32>
  return
}
// CHECK-LABEL: @view
// CHECK: schedule <persistent
func.func @view(%a: memref<256x256xbf16, strided<[512, 1]>>, %b: memref<256x256xbf16>, %d: memref<256x256xf32>) {
  bwgemm.gemm %a, %b, %d : memref<256x256xbf16, strided<[512, 1]>>, memref<256x256xbf16>, memref<256x256xf32>
  return
}

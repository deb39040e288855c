// Functions of f32 in kernels without a library, numbers and vectors alike.

// RUN: bwgemm-opt %s --bwgemm-expand-math | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @exact
  // CHECK-NEXT: %[[A:.*]] = llvm.call_intrinsic "llvm.fabs"(%arg0) : (f32) -> f32
  // CHECK-NEXT: %[[B:.*]] = llvm.call_intrinsic "llvm.sqrt"(%[[A]]) : (f32) -> f32
  // CHECK-NEXT: %[[C:.*]] = llvm.call_intrinsic "llvm.floor"(%[[B]]) : (f32) -> f32
  // CHECK-NEXT: %[[D:.*]] = llvm.call_intrinsic "llvm.ceil"(%[[C]]) : (f32) -> f32
  // CHECK-NEXT: llvm.intr.fma(%[[D]], %[[A]], %[[B]])
  gpu.func @exact(%x: f32, %p: memref<f32>) kernel {
    %a = math.absf %x : f32
    %b = math.sqrt %a : f32
    %c = math.floor %b : f32
    %d = math.ceil %c : f32
    %e = math.fma %d, %a, %b : f32
    memref.store %e, %p[] : memref<f32>
    gpu.return
  }

  // What is a number counts beside what is none; no library has to say so.
  // CHECK-LABEL: gpu.func @numbers
  // CHECK-NEXT: %[[A:.*]] = llvm.intr.maxnum(%arg0, %arg1) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  // CHECK-NEXT: llvm.intr.minnum(%[[A]], %arg1)
  gpu.func @numbers(%x: vector<4xf32>, %y: vector<4xf32>, %p: memref<8x4xf32>, %i: index) kernel {
    %a = arith.maxnumf %x, %y : vector<4xf32>
    %b = arith.minnumf %a, %y : vector<4xf32>
    vector.store %b, %p[%i, %i] : memref<8x4xf32>, vector<4xf32>
    gpu.return
  }

  // What is not a number stays one: maximumf and minimumf keep it.
  // CHECK-LABEL: gpu.func @exponential
  // CHECK: arith.maximumf %arg0, %{{.*}} : vector<4xf32>
  // CHECK: arith.minimumf
  // CHECK: %[[ROUNDED:.*]] = llvm.intr.fma
  // CHECK: arith.subf %[[ROUNDED]]
  // CHECK-COUNT-8: llvm.intr.fma
  // CHECK: arith.bitcast %[[ROUNDED]] : vector<4xf32> to vector<4xi32>
  // CHECK-COUNT-2: arith.mulf
  // CHECK-NOT: math.
  gpu.func @exponential(%x: vector<4xf32>, %p: memref<8x4xf32>, %i: index) kernel {
    %y = math.exp %x : vector<4xf32>
    vector.store %y, %p[%i, %i] : memref<8x4xf32>, vector<4xf32>
    gpu.return
  }

  // e^(2 |x|) - 1 over itself and 2: the hardware's reciprocal and one step of
  // Newton's, element by element.
  // CHECK-LABEL: gpu.func @tangent
  // CHECK: %[[SIZE:.*]] = arith.minimumf
  // CHECK: %[[GROWN:.*]] = llvm.intr.fma
  // CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : vector<2xf32>
  // CHECK-COUNT-2: nvvm.rcp.approx.ftz.f
  // CHECK: %[[GUESS:.*]] = vector.from_elements
  // CHECK: %[[ERROR:.*]] = llvm.intr.fma(%{{.*}}, %[[GUESS]], %{{.*}})
  // CHECK: %[[INVERSE:.*]] = llvm.intr.fma(%[[GUESS]], %[[ERROR]], %[[GUESS]])
  // CHECK: %[[SIZED:.*]] = arith.mulf %{{.*}}, %[[INVERSE]]
  // CHECK: llvm.call_intrinsic "llvm.copysign"(%[[SIZED]], %arg0)
  gpu.func @tangent(%x: vector<2xf32>, %p: memref<8x4xf32>, %i: index) kernel {
    %y = math.tanh %x : vector<2xf32>
    vector.store %y, %p[%i, %i] : memref<8x4xf32>, vector<2xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @others
  // CHECK-NOT: math.
  // CHECK: gpu.return
  gpu.func @others(%x: f32, %p: memref<f32>) kernel {
    %a = math.exp2 %x : f32
    %b = math.log %a : f32
    %c = math.log2 %b : f32
    %d = math.tanh %c : f32
    %e = math.erf %d : f32
    %f = math.rsqrt %e : f32
    memref.store %f, %p[] : memref<f32>
    gpu.return
  }
}

gpu.module @approximate {
  // With afn the hardware's tanh and 2^x, which LLVM selects.
  // CHECK-LABEL: gpu.func @approximate
  // CHECK-NEXT: %[[T:.*]] = llvm.call_intrinsic "llvm.tanh"(%arg0) {fastmathFlags = #llvm.fastmath<afn>} : (vector<4xf32>) -> vector<4xf32>
  // CHECK-NEXT: %[[LOG2E:.*]] = arith.constant dense<1.442695
  // CHECK: %[[P:.*]] = arith.mulf %[[T]], %[[LOG2E]]
  // CHECK: %[[E:.*]] = llvm.call_intrinsic "llvm.exp2"(%[[P]]) {fastmathFlags = #llvm.fastmath<afn>}
  // CHECK: llvm.call_intrinsic "llvm.exp2"(%[[E]]) {fastmathFlags = #llvm.fastmath<afn>}
  // Of other functions the flag changes nothing.
  // CHECK: llvm.intr.fma
  // CHECK-NOT: math.
  gpu.func @approximate(%x: vector<4xf32>, %p: memref<8x4xf32>, %i: index) kernel {
    %t = math.tanh %x fastmath<afn> : vector<4xf32>
    %e = math.exp %t fastmath<fast> : vector<4xf32>
    %f = math.exp2 %e fastmath<afn> : vector<4xf32>
    %y = math.erf %f fastmath<afn> : vector<4xf32>
    vector.store %y, %p[%i, %i] : memref<8x4xf32>, vector<4xf32>
    gpu.return
  }
}

// Host code is none of its business.
// CHECK-LABEL: func.func @host
// CHECK: math.exp %arg0 : f32
func.func @host(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}

// An epilogue is described step by step, so that a checker can follow it.

// RUN: bwgemm-opt %s --bwgemm-describe | FileCheck %s

// CHECK: module attributes
// CHECK-SAME: \22epilogue\22:{\22operands\22:[{\22arg\22:3,\22place\22:[\22n\22]},{\22arg\22:4},{\22arg\22:5,\22place\22:[\220\22,\22n\22]}],
// CHECK-SAME: \22result\22:8,
// CHECK-SAME: \22steps\22:[{\22bits\22:1065353216,\22op\22:\22constant\22,\22type\22:\22f32\22},
// CHECK-SAME: {\22args\22:[0,1],\22op\22:\22addf\22,\22type\22:\22f32\22},
// CHECK-SAME: {\22args\22:[5,4],\22op\22:\22cmpf\22,\22predicate\22:\22olt\22,\22type\22:\22i1\22},
// CHECK-SAME: {\22args\22:[6,2,5],\22op\22:\22select\22,\22type\22:\22f32\22},
// CHECK-SAME: {\22args\22:[7],\22op\22:\22truncf\22,\22type\22:\22bf16\22}]}

// Of a batch.
// CHECK-SAME: \22epilogue\22:{\22operands\22:[{\22arg\22:3,\22place\22:[\22b\22,\22m\22]}],\22result\22:2,

// What may be the hardware's approximation.
// CHECK-SAME: \22steps\22:[{\22approximate\22:true,\22args\22:[0],\22op\22:\22tanh\22,\22type\22:\22f32\22},
// CHECK-SAME: {\22args\22:[1],\22op\22:\22erf\22,\22type\22:\22f32\22}

// An operand that is no argument.
// CHECK-SAME: \22reason\22:\22operand epilogue operand 0 is not an argument of the function\22
module {
  func.func @linear(%a: memref<8x8xbf16>, %b: memref<8x8xbf16>, %d: memref<8x8xbf16>, %bias: memref<8xf32>, %s: f32, %r: memref<1x8xf32>) {
    bwgemm.gemm %a, %b, %d epilogue(%sum, %x = %bias[n] : memref<8xf32>, %y = %s : f32, %z = %r[0, n] : memref<1x8xf32>) {
      %one = arith.constant 1.0 : f32
      %0 = arith.addf %sum, %x : f32
      %1 = arith.cmpf olt, %0, %one : f32
      %2 = arith.select %1, %y, %0 : f32
      %3 = arith.truncf %2 : f32 to bf16
      bwgemm.yield %3 : bf16
    } : memref<8x8xbf16>, memref<8x8xbf16>, memref<8x8xbf16>
    return
  }
  func.func @batch(%a: memref<2x8x8xbf16>, %b: memref<8x8xbf16>, %d: memref<2x8x8xf32>, %v: memref<2x8xf32>) {
    bwgemm.gemm %a, %b, %d epilogue(%sum, %x = %v[b, m] : memref<2x8xf32>) {
      %0 = arith.addf %sum, %x : f32
      bwgemm.yield %0 : f32
    } : memref<2x8x8xbf16>, memref<8x8xbf16>, memref<2x8x8xf32>
    return
  }
  func.func @approximate(%a: memref<8x8xbf16>, %b: memref<8x8xbf16>, %d: memref<8x8xf32>) {
    bwgemm.gemm %a, %b, %d epilogue(%sum) {
      %0 = math.tanh %sum fastmath<afn> : f32
      %1 = math.erf %0 fastmath<afn> : f32
      bwgemm.yield %1 : f32
    } : memref<8x8xbf16>, memref<8x8xbf16>, memref<8x8xf32>
    return
  }
  func.func @intermediate(%a: memref<8x8xbf16>, %b: memref<8x8xbf16>, %d: memref<8x8xf32>) {
    %t = memref.alloc() : memref<8x8xf32>
    bwgemm.gemm %a, %b, %d epilogue(%sum, %x = %t[m, n] : memref<8x8xf32>) {
      %0 = arith.addf %sum, %x : f32
      bwgemm.yield %0 : f32
    } : memref<8x8xbf16>, memref<8x8xbf16>, memref<8x8xf32>
    return
  }
}

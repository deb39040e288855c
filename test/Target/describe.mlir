// RUN: bwgemm-opt %s --bwgemm-describe | FileCheck %s

// Quotes are escaped in an attribute; one line per function keeps this legible.
// CHECK: module attributes
// CHECK-SAME: \22bwgemm\22:1

// CHECK-SAME: {\22access\22:\22read\22,\22element_type\22:\22bf16\22,\22shape\22:[4096,-1]}
// CHECK-SAME: {\22access\22:\22read\22,\22element_type\22:\22bf16\22,\22shape\22:[64,-1]}
// CHECK-SAME: {\22access\22:\22write\22,\22element_type\22:\22f32\22,\22shape\22:[4096,64]}
// CHECK-SAME: \22name\22:\22overwrite\22
// CHECK-SAME: {\22a\22:{\22arg\22:0,\22transposed\22:false},\22accumulate\22:false,\22b\22:{\22arg\22:1,\22transposed\22:true},\22d\22:{\22arg\22:2},\22multiplied_by\22:\22tcgen05\22,\22op\22:\22gemm\22}
// CHECK-SAME: \22schedule\22:\22swizzle,tile=64x64x64,stages=1,swizzle=128B,tmem_load=32x32b\22

// Strides of an argument that are not those of its shape.
// CHECK-SAME: \22offset\22:-1,\22shape\22:[64,32],\22strides\22:[-1,1]
// CHECK-SAME: \22access\22:\22read_write\22
// CHECK-SAME: {\22element_type\22:\22index\22,\22scalar\22:true}
// CHECK-SAME: \22name\22:\22accumulate\22
// CHECK-SAME: \22accumulate\22:true

// What a checker cannot follow is said.
// CHECK-SAME: \22name\22:\22intermediate\22
// CHECK-SAME: \22checkable\22:false,\22d\22:{\22value\22:0},\22op\22:\22gemm\22,\22reason\22:\22operand D is not an argument of the function\22
// CHECK-SAME: \22a\22:{\22transposed\22:false,\22value\22:0}

// CHECK-SAME: \22name\22:\22other_writes\22
// CHECK-SAME: \22reason\22:\22the function also runs linalg.fill\22

// CHECK-SAME: \22name\22:\22in_loop\22
// CHECK-SAME: \22reason\22:\22it stands inside of scf.for\22

// How operands multiply, where it is not what their types say.
// CHECK-SAME: \22name\22:\22types\22
// CHECK-SAME: {\22a\22:{\22arg\22:0,\22transposed\22:false},\22accumulate\22:true,\22b\22:{\22arg\22:1,\22transposed\22:false,\22unsigned\22:true},\22d\22:{\22arg\22:2},\22op\22:\22gemm\22}
// CHECK-SAME: \22multiplied_by\22:\22mma.sync\22,\22op\22:\22gemm\22,\22precision\22:\22tf32\22}
// CHECK-SAME: {{[{]}}\22a\22:{\22arg\22:5,{{.*}}\22accumulator\22:\22f16\22,{{.*}}\22op\22:\22gemm\22,\22promote\22:128}

// CHECK-SAME: \22results\22:[{\22element_type\22:\22i32\22,\22scalar\22:true}]
// CHECK-SAME: \22ptx_symbol\22:\22bwgemm_ptx\22,\22target\22:\22sm_100a\22

// CHECK-NOT: hidden{{.*}}{{\\}}22
module attributes {bwgemm.target = "sm_100a"} {
  func.func @overwrite(%a: memref<4096x?xbf16>, %b: memref<64x?xbf16>, %d: memref<4096x64xf32>) {
    bwgemm.gemm %a, %b, %d transpose_b schedule <swizzle, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b">
        : memref<4096x?xbf16>, memref<64x?xbf16>, memref<4096x64xf32>
    return
  }
  func.func @accumulate(%a: memref<64x32xf16, strided<[?, 1], offset: ?>>, %b: memref<32x64xf16>, %d: memref<64x64xf32>, %n: index) {
    bwgemm.gemm %a, %b, %d accumulate : memref<64x32xf16, strided<[?, 1], offset: ?>>, memref<32x64xf16>, memref<64x64xf32>
    return
  }
  func.func @intermediate(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %d: memref<64x64xf16>) {
    %t = memref.alloc() : memref<64x64xf16>
    bwgemm.gemm %a, %b, %t : memref<64x64xf16>, memref<64x64xf16>, memref<64x64xf16>
    bwgemm.gemm %t, %b, %d : memref<64x64xf16>, memref<64x64xf16>, memref<64x64xf16>
    memref.dealloc %t : memref<64x64xf16>
    return
  }
  func.func @other_writes(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %d: memref<64x64xf16>, %x: f16) {
    linalg.fill ins(%x : f16) outs(%d : memref<64x64xf16>)
    bwgemm.gemm %a, %b, %d accumulate : memref<64x64xf16>, memref<64x64xf16>, memref<64x64xf16>
    return
  }
  func.func @in_loop(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %d: memref<64x64xf16>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      bwgemm.gemm %a, %b, %d accumulate : memref<64x64xf16>, memref<64x64xf16>, memref<64x64xf16>
    }
    return
  }
  func.func @types(%i: memref<64x64xi8>, %j: memref<64x64xi8>, %s: memref<64x64xi32>, %a: memref<64x64xf32>, %d: memref<64x64xf32>, %h: memref<64x64xf16>) {
    bwgemm.gemm %i, %j, %s unsigned_b accumulate : memref<64x64xi8>, memref<64x64xi8>, memref<64x64xi32>
    bwgemm.gemm %a, %a, %d transpose_b schedule <tiled, tile = 64x64x16, stages = 1, swizzle = 64B, warps = 2x2, precision = tf32>
        : memref<64x64xf32>, memref<64x64xf32>, memref<64x64xf32>
    bwgemm.gemm %h, %h, %d schedule <tiled, tile = 64x64x64, stages = 1, swizzle = 128B, warps = 2x2, accumulator = f16, promote = 128>
        : memref<64x64xf16>, memref<64x64xf16>, memref<64x64xf32>
    return
  }
  func.func @scalar() -> i32 {
    %c7 = arith.constant 7 : i32
    return %c7 : i32
  }
  func.func private @hidden(%a: memref<64x64xf16>) {
    return
  }
}

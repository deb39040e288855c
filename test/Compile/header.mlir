// The C header says how to call each function, and compiles as C and C++.

// RUN: rm -rf %t && mkdir %t
// RUN: bwgemm-compile %s --ptxas=none --schedule=naive -o %t/libseveral.so --header=%t/several.h
// RUN: FileCheck %s < %t/several.h
// RUN: %cc -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only %t/several.h
// RUN: %cc -x c++ -std=c++17 -pedantic -Wall -Wextra -Werror -fsyntax-only %t/several.h

// Two headers of one name do not hide each other.
// RUN: mkdir %t/a %t/b
// RUN: bwgemm-compile %s --ptxas=none --schedule=naive -o %t/a/x.so
// RUN: bwgemm-compile %S/Inputs/matmul.mlir --ptxas=none --schedule=naive -o %t/b/x.so
// RUN: cat %t/a/x.h %t/b/x.h > %t/both.h
// RUN: %cc -std=c11 -pedantic -Wall -Wextra -Werror -E %t/both.h | FileCheck %s --check-prefix=BOTH
// BOTH: _mlir_ciface_once
// BOTH: _mlir_ciface_matmul

// CHECK: #ifndef BWGEMM_LIBRARY_LIBSEVERAL_{{[0-9A-F]+}}_H
// CHECK: } bwgemm_memref_2d_t;

// The operands of a single product are called as in its definition.
// CHECK: /* once: schedule naive
// CHECK-NEXT: *   a  f16 [64 x 32], read
// CHECK-NEXT: *   b  f16 [32 x any], read
// CHECK-NEXT: *   d  f16 [64 x any], read and written
// CHECK: void _mlir_ciface_once(bwgemm_memref_2d_t *a, bwgemm_memref_2d_t *b,
// CHECK: void once(
// CHECK: void *d_allocated, void *d_aligned, int64_t d_offset, int64_t d_size0, int64_t d_size1, int64_t d_stride0, int64_t d_stride1);
func.func @once(%a: memref<64x32xf16>, %b: memref<32x?xf16>, %d: memref<64x?xf16>) {
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x?xf16>) outs(%d : memref<64x?xf16>)
  return
}

// CHECK: int32_t _mlir_ciface_answer(float arg0, int64_t arg1);
func.func @answer(%x: f32, %n: index) -> i32 {
  %c42 = arith.constant 42 : i32
  return %c42 : i32
}

// CHECK: /* with.dot: not declared, because its name is not one in C. */
func.func @with.dot() {
  return
}

// Names with a meaning of their own are called by the other name.
// CHECK: void _mlir_ciface_main(bwgemm_memref_2d_t *arg0);
// CHECK-NEXT: /* main itself, with the fields of each descriptor as arguments, is not
// CHECK-NEXT:  * declared, because its name has a meaning in C or C++. */
func.func @main(%a: memref<4x4xf32>) {
  return
}
// CHECK: int32_t _mlir_ciface_int(void);
// CHECK-NOT: int32_t int(
func.func @int() -> i32 {
  %c42 = arith.constant 42 : i32
  return %c42 : i32
}
// CHECK: int32_t _mlir_ciface_int32_t(void);
func.func @int32_t() -> i32 {
  %c42 = arith.constant 42 : i32
  return %c42 : i32
}

// CHECK-NOT: hidden
func.func private @hidden() {
  return
}

// CHECK: void bwgemm_set_error_handler(
// CHECK: extern const char bwgemm_ptx[];

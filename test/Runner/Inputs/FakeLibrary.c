//===- FakeLibrary.c - A library with known faults ---------------*- C -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks like a library made by bwgemm-compile, but computes on the host, which
// the emulator's device memory allows: there, device addresses are host
// addresses. Macros choose a fault, so that tests can see whether the runner
// finds it:
//
//   FAULT_ELEMENT      D[1][2] is off by a thousandth
//   FAULT_LAST_ROWS    the last, partial row of 16 x 16 tiles is not written
//   FAULT_LOST_K       the last quarter of K is missing
//   FAULT_TRANSPOSED   B is read as if it were not transposed
//   FAULT_UNSTEADY     from the third call on D[1][2] has another last bit
//   FAULT_PAST_END     a number is written past the end of D
//   FAULT_INPUT        A[0][0] is overwritten
//   FAULT_READ_C       D is added to, although it should be overwritten
//   FAULT_REPORTED     an error is reported, with the status STATUS
//   FAULT_HANG         the call never returns
//   METADATA           the JSON text instead of the usual one
//
//===----------------------------------------------------------------------===//

#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

typedef struct {
  float *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
} memref;

#ifndef METADATA
#define ARGUMENT(shape, access)                                                \
  "{\"element_type\": \"f32\", \"shape\": " shape ", \"access\": \"" access    \
  "\"}"
#define FUNCTION(name, shape, access, accumulate)                              \
  "{\"name\": \"" name "\", \"schedule\": \"naive,tile=16x16x16\", "           \
  "\"arguments\": [" ARGUMENT(shape, "read") ", " ARGUMENT(                    \
      shape,                                                                   \
      "read") ", " ARGUMENT(shape,                                             \
                            access) "], \"operations\": [{\"op\": \"gemm\", "  \
                                    "\"a\": {\"arg\": 0, \"transposed\": "     \
                                    "false}, "                                 \
                                    "\"b\": {\"arg\": 1, \"transposed\": "     \
                                    "true}, \"d\": {\"arg\": 2}, "             \
                                    "\"accumulate\": " accumulate "}]}"
#define METADATA                                                               \
  "{\"bwgemm\": 1, \"target\": \"sm_100a\", \"functions\": [" FUNCTION(        \
      "matmul", "[-1, -1]", "write",                                           \
      "false") ", " FUNCTION("square", "[24, 24]", "write",                    \
                             "false") ", " FUNCTION("accumulate", "[-1, -1]",  \
                                                    "read_write", "true") "]}"
#endif

#ifndef NO_METADATA
const char bwgemm_metadata[] = METADATA;
#endif

typedef void (*error_handler)(const char *, int, void *);
static error_handler handler;
static void *handler_user;

void bwgemm_set_error_handler(error_handler function, void *user) {
  handler = function;
  handler_user = user;
}
void bwgemm_clear_error(void) {}
const char *bwgemm_last_error(void) { return NULL; }

static float *at(const memref *m, int64_t row, int64_t column) {
  return m->aligned + m->offset + row * m->strides[0] + column * m->strides[1];
}

static void gemm(memref *a, memref *b, memref *d, int accumulate) {
  int64_t m = d->sizes[0], n = d->sizes[1], k = a->sizes[1];
  int64_t rows = m;
#ifdef FAULT_READ_C
  accumulate = 1;
#endif
#ifdef FAULT_LOST_K
  k -= k / 4;
#endif
#ifdef FAULT_LAST_ROWS
  rows = m / 16 * 16;
#endif
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = accumulate ? *at(d, i, j) : 0;
      for (int64_t p = 0; p < k; ++p)
#ifdef FAULT_TRANSPOSED
        sum += *at(a, i, p) * *at(b, p, j);
#else
        sum += *at(a, i, p) * *at(b, j, p);
#endif
      *at(d, i, j) = sum;
    }
#ifdef FAULT_ELEMENT
  *at(d, 1, 2) *= 1.001f;
#endif
#ifdef FAULT_UNSTEADY
  static int calls;
  if (++calls > 2)
    *at(d, 1, 2) *= 1.0000001f;
#endif
#ifdef FAULT_PAST_END
  at(d, m - 1, n - 1)[3] = 1;
#endif
#ifdef FAULT_INPUT
  *at(a, 0, 0) = 7;
#endif
#ifdef FAULT_REPORTED
  if (handler)
    handler("the kernel did not like it", STATUS, handler_user);
#endif
#ifdef FAULT_HANG
  for (;;)
    sleep(1);
#endif
}

void _mlir_ciface_matmul(memref *a, memref *b, memref *d) { gemm(a, b, d, 0); }
void _mlir_ciface_square(memref *a, memref *b, memref *d) { gemm(a, b, d, 0); }
void _mlir_ciface_accumulate(memref *a, memref *b, memref *d) {
  gemm(a, b, d, 1);
}

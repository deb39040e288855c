//===- KernelLibrary.c - A library with a kernel of its own ------*- C -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What bwgemm-compile makes, written by hand: host code that launches PTX
// through libbwgemm_launch.a, for D = A B in f32 with one thread per element of
// D. It runs on a GPU as on the emulator. Macros:
//
//   TARGET             what the PTX and the description say, "sm_100a"
//   FAULT_TRAP         thread 0 of the last block traps
//   FAULT_WRONG_WRITE  thread 0 of the last block writes to address 8
//   FAULT_GUARD        no bounds are checked: partial tiles write too much
//   FAULT_FENCE        a bulk copy reads shared memory that its thread has
//                      written, without a fence between the two
//
//===----------------------------------------------------------------------===//

#include <stddef.h>
#include <stdint.h>

#ifndef TARGET
#define TARGET "sm_100a"
#endif

typedef struct {
  float *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
} memref;

#define ARGUMENT(access)                                                       \
  "{\"element_type\": \"f32\", \"shape\": [-1, -1], \"access\": \"" access "\"}"
const char bwgemm_metadata[] =
    "{\"bwgemm\": 1, \"target\": \"" TARGET "\", \"functions\": [{\"name\": "
    "\"matmul\", \"schedule\": \"naive,tile=16x16\", \"arguments\": ["
    // clang-format off
    ARGUMENT("read") ", " ARGUMENT("read") ", " ARGUMENT("write")
    // clang-format on
    "], \"operations\": [{\"op\": \"gemm\", \"a\": {\"arg\": 0}, \"b\": "
    "{\"arg\": 1}, \"d\": {\"arg\": 2}, \"accumulate\": false}]}]}";

static char ptx[] =
    ".version 8.7\n.target " TARGET "\n.address_size 64\n"
    ".global .align 16 .b8 sink[16];\n"
    ".visible .entry matmul(.param .u64 pa, .param .u64 pb, .param .u64 pd,\n"
    "                       .param .u32 pm, .param .u32 pn, .param .u32 pk)\n"
    "{\n"
    ".reg .u64 %a, %b, %d, %t, %stride;\n"
    ".reg .u32 %m, %n, %k, %row, %col, %x, %y;\n"
    ".reg .f32 %sum, %va, %vb;\n"
    ".reg .pred %p, %q;\n"
    ".reg .b32 %s;\n.reg .u64 %g;\n.shared .align 128 .b8 tile[128];\n"
    "ld.param.u64 %a, [pa];\nld.param.u64 %b, [pb];\nld.param.u64 %d, [pd];\n"
    "ld.param.u32 %m, [pm];\nld.param.u32 %n, [pn];\nld.param.u32 %k, [pk];\n"
    "mov.u32 %x, %ctaid.x;\nmov.u32 %y, %tid.x;\n"
    "mad.lo.u32 %col, %x, 16, %y;\n"
    "mov.u32 %x, %ctaid.y;\nmov.u32 %y, %tid.y;\n"
    "mad.lo.u32 %row, %x, 16, %y;\n"
#ifdef FAULT_TRAP
    "sub.u32 %x, %m, 1;\nsub.u32 %y, %n, 1;\n"
    "setp.eq.u32 %p, %x, %row;\nsetp.eq.and.u32 %p, %y, %col, %p;\n"
    "@%p trap;\n"
#endif
#ifdef FAULT_WRONG_WRITE
    "sub.u32 %x, %m, 1;\nsub.u32 %y, %n, 1;\n"
    "setp.eq.u32 %p, %x, %row;\nsetp.eq.and.u32 %p, %y, %col, %p;\n"
    "mov.u64 %t, 8;\n@%p st.global.u32 [%t], %x;\n"
#endif
#ifdef FAULT_FENCE
    "mov.u32 %s, tile;\nst.shared.v4.u32 [%s], {%row, %row, %row, %row};\n"
    "mov.u64 %g, sink;\ncvta.global.u64 %g, %g;\n"
    "cp.async.bulk.global.shared::cta.bulk_group [%g], [%s], 16;\n"
    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"
#endif
#ifndef FAULT_GUARD
    "setp.ge.u32 %p, %row, %m;\nsetp.ge.u32 %q, %col, %n;\n"
    "@%p bra done;\n@%q bra done;\n"
#endif
    "cvta.to.global.u64 %a, %a;\ncvta.to.global.u64 %b, %b;\n"
    "cvta.to.global.u64 %d, %d;\n"
    "mul.lo.u32 %x, %row, %k;\nmad.wide.u32 %a, %x, 4, %a;\n"
    "mad.wide.u32 %b, %col, 4, %b;\nmul.wide.u32 %stride, %n, 4;\n"
    "mov.f32 %sum, 0f00000000;\n"
    "loop:\n"
    "setp.eq.u32 %p, %k, 0;\n@%p bra store;\n"
    "ld.global.f32 %va, [%a];\nld.global.f32 %vb, [%b];\n"
    "fma.rn.f32 %sum, %va, %vb, %sum;\n"
    "add.u64 %a, %a, 4;\nadd.u64 %b, %b, %stride;\nsub.u32 %k, %k, 1;\n"
    "bra loop;\n"
    "store:\n"
    "mad.lo.u32 %x, %row, %n, %col;\nmad.wide.u32 %d, %x, 4, %d;\n"
    "st.global.f32 [%d], %sum;\n"
    "done:\nret;\n}\n";

void *mgpuModuleLoad(void *, size_t);
void *mgpuModuleGetFunction(void *, const char *);
void *mgpuStreamCreate(void);
void mgpuStreamSynchronize(void *);
void mgpuStreamDestroy(void *);
void mgpuLaunchKernel(void *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
                      intptr_t, int32_t, void *, void **, void **, size_t);

void _mlir_ciface_matmul(memref *a, memref *b, memref *d) {
  static void *module;
  if (!module)
    module = mgpuModuleLoad(ptx, sizeof ptx);
  void *function = mgpuModuleGetFunction(module, "matmul");
  float *pa = a->aligned + a->offset, *pb = b->aligned + b->offset,
        *pd = d->aligned + d->offset;
  uint32_t m = (uint32_t)d->sizes[0], n = (uint32_t)d->sizes[1],
           k = (uint32_t)a->sizes[1];
  void *parameters[] = {&pa, &pb, &pd, &m, &n, &k};
  void *stream = mgpuStreamCreate();
  mgpuLaunchKernel(function, (n + 15) / 16, (m + 15) / 16, 1, 16, 16, 1, 0,
                   stream, parameters, NULL, 6);
  mgpuStreamSynchronize(stream);
  mgpuStreamDestroy(stream);
}

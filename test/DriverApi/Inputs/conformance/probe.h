/* What the driver says, one line for each call: "CALL -> RESULT". The programs
   here are run on an H200 and on the emulator, and the two logs compared, so
   they print nothing that may differ from run to run (addresses, times). */
#ifndef PROBE_H
#define PROBE_H

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline const char *nameOf(CUresult result) {
  const char *name = NULL;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
    return "?";
  return name;
}

static inline CUresult show(const char *call, CUresult result) {
  printf("%s -> %s\n", call, nameOf(result));
  fflush(stdout);
  return result;
}

/* A call whose result is the point. */
#define R(call) show(#call, call)

/* A call that must succeed for the rest to make sense. */
#define OK(call)                                                               \
  do {                                                                         \
    CUresult result_ = call;                                                   \
    if (result_ != CUDA_SUCCESS) {                                             \
      printf("failed: %s -> %s\n", #call, nameOf(result_));                    \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

/* A number that is the point. */
#define N(value) printf("  %s = %lld\n", #value, (long long)(value))

static CUcontext context;
static CUdevice device;
static CUmodule module;

static inline void start(void) {
  OK(cuInit(0));
  OK(cuDeviceGet(&device, 0));
  OK(cuDevicePrimaryCtxRetain(&context, device));
  OK(cuCtxSetCurrent(context));
}

static const char code[] =
    ".version 8.0\n"
    ".target sm_90\n"
    ".address_size 64\n"
    ".global .align 4 .u32 counter = 7;\n"
    ".const .align 8 .b8 table[24];\n"
    ".extern .shared .align 16 .b8 dynamic[];\n"
    ".visible .entry empty() { ret; }\n"
    ".visible .entry store(.param .u64 to, .param .u32 value) {\n"
    "  .reg .b64 %a; .reg .b32 %v;\n"
    "  ld.param.u64 %a, [to]; ld.param.u32 %v, [value];\n"
    "  st.global.u32 [%a], %v; ret; }\n"
    ".visible .entry bump(.param .u64 to) {\n"
    "  .reg .b64 %a; .reg .b32 %v;\n"
    "  ld.param.u64 %a, [to]; ld.global.u32 %v, [%a]; add.u32 %v, %v, 1;\n"
    "  st.global.u32 [%a], %v; ret; }\n"
    ".visible .entry mixed(.param .u8 a, .param .u64 b,\n"
    "  .param .align 4 .b8 c[12], .param .u16 d) { ret; }\n"
    ".visible .entry fixed() {\n"
    "  .shared .align 4 .b8 block[1000]; .reg .b32 %v;\n"
    "  mov.u32 %v, 1; st.shared.u32 [block], %v; ret; }\n"
    ".visible .entry most() .maxntid 128 { ret; }\n"
    ".visible .entry exactly() .reqntid 64 { ret; }\n"
    ".visible .entry pair() .reqnctapercluster 2, 1, 1 { ret; }\n"
    ".visible .entry any() .explicitcluster { ret; }\n"
    ".visible .entry reach() {\n"
    "  .reg .b32 %v; mov.u32 %v, 1; st.shared.u32 [dynamic], %v; ret; }\n"
    ".visible .entry trap_now() { trap; }\n"
    "\n";

static inline CUfunction kernel(const char *name) {
  CUfunction function;
  if (!module)
    OK(cuModuleLoadData(&module, code));
  OK(cuModuleGetFunction(&function, module, name));
  return function;
}

#endif

/* A kernel fails: what every call says afterwards. The argument is the kind. */
#include "probe.h"

int main(int argc, char **argv) {
  CUdeviceptr memory = 0, more = 0, wrong = 0;
  CUstream s = NULL, t = NULL;
  CUevent e = NULL, f = NULL;
  CUfunction store, bump;
  unsigned value = 1;
  int number = 0;
  char host[16];
  size_t bytes = 0;
  if (argc != 2)
    return 2;
  start();
  store = kernel("store");
  bump = kernel("bump");
  OK(cuMemAlloc(&memory, 256));
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
  OK(cuEventCreate(&e, 0));
  OK(cuEventCreate(&f, 0));
  void *arguments[] = {&wrong, &value};
  if (!strcmp(argv[1], "address"))
    wrong = 4096;
  else if (!strcmp(argv[1], "alignment"))
    wrong = memory + 2;
  else if (!strcmp(argv[1], "trap"))
    store = kernel("trap_now");
  OK(cuEventRecord(e, s));
  R(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, s, arguments, NULL));
  R(cuStreamSynchronize(s));
  R(cuStreamSynchronize(t));
  R(cuStreamQuery(s));
  R(cuCtxSynchronize());
  R(cuMemAlloc(&more, 16));
  R(cuMemcpyDtoH(host, memory, 16));
  R(cuMemcpyHtoDAsync(memory, host, 16, t));
  R(cuLaunchKernel(bump, 1, 1, 1, 1, 1, 1, 0, t, arguments, NULL));
  R(cuEventRecord(f, s));
  R(cuEventQuery(e));
  R(cuEventSynchronize(e));
  R(cuMemGetInfo(&bytes, &bytes));
  R(cuFuncGetAttribute(&number, CU_FUNC_ATTRIBUTE_NUM_REGS, bump));
  R(cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
  R(cuDeviceGetAttribute(&number, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  R(cuCtxGetDevice(&number));
  R(cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE));
  R(cuEventCreate(&f, 0));
  R(cuStreamCreate(&t, 0));
  R(cuEventDestroy(e));
  R(cuStreamDestroy(s));
  R(cuMemFree(memory));
  R(cuModuleUnload(module));
  R(cuDevicePrimaryCtxReset(0));
  R(cuCtxSynchronize());
  R(cuMemAlloc(&more, 16));
  R(cuDevicePrimaryCtxRelease(0));
  return 0;
}

/* freed.c PTX: a kernel reads memory that cuMemFree has freed; wrong handles.
 */
#include <cuda.h>
#include <stdio.h>

static void say(const char *call, CUresult result) {
  const char *name = "?";
  cuGetErrorName(result, &name);
  printf("%s -> %s\n", call, name);
}
#define SAY(call) say(#call, call)

int main(int argc, char **argv) {
  CUcontext context;
  CUmodule module;
  CUfunction f;
  CUdeviceptr a, b, c;
  unsigned n = 4;
  void *arguments[] = {&a, &b, &c, &n};
  int garbage[64] = {0};
  if (argc != 2)
    return 2;
  SAY(cuInit(0));
  SAY(cuCtxCreate(&context, NULL, 0, 0));
  SAY(cuModuleLoad(&module, argv[1]));
  SAY(cuModuleGetFunction(&f, module, "vector_add"));
  /* Handles of the wrong kind, freed ones, and what is none at all. */
  SAY(cuStreamSynchronize((CUstream)module));
  SAY(cuEventQuery((CUevent)garbage));
  SAY(cuModuleGetFunction(&f, (CUmodule)garbage, "vector_add"));
  SAY(cuLaunchKernel((CUfunction)garbage, 1, 1, 1, 1, 1, 1, 0, 0, arguments,
                     NULL));
  SAY(cuGraphLaunch((CUgraphExec)garbage, 0));
  SAY(cuCtxSetCurrent((CUcontext)garbage));
  SAY(cuMemFree((CUdeviceptr)garbage));
  SAY(cuMemPoolDestroy((CUmemoryPool)garbage));
  SAY(cuMemAlloc(&a, 1 << 20));
  SAY(cuMemAlloc(&b, 1 << 20));
  SAY(cuMemAlloc(&c, 1 << 20));
  SAY(cuMemFree(b));
  SAY(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, arguments, NULL));
  SAY(cuCtxSynchronize());
  SAY(cuCtxDestroy(context));
  SAY(cuCtxCreate(&context, NULL, 0, 0));
  SAY(cuCtxSynchronize());
  return 0;
}

/* A program that reaches the GPU through the CUDA driver API and knows of
   nothing else. Its one argument is a file of PTX with the kernel vector_add.
   Written without cuda.h, so that the test needs no toolkit. */
#include <stdio.h>
#include <stdlib.h>

typedef unsigned long long CUdeviceptr;
extern int cuInit(unsigned), cuDeviceGet(int *, int);
extern int cuCtxCreate_v2(void **, unsigned, int), cuCtxDestroy_v2(void *);
extern int cuModuleLoad(void **, const char *);
extern int cuModuleGetFunction(void **, void *, const char *);
extern int cuMemAlloc_v2(CUdeviceptr *, size_t), cuMemFree_v2(CUdeviceptr);
extern int cuMemcpyHtoD_v2(CUdeviceptr, const void *, size_t);
extern int cuMemcpyDtoH_v2(void *, CUdeviceptr, size_t);
extern int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned,
                          unsigned, unsigned, unsigned, void *, void **,
                          void **);
extern int cuCtxSynchronize(void), cuGetErrorName(int, const char **);

static void check(int result, const char *what) {
  const char *name = "?";
  if (result == 0)
    return;
  cuGetErrorName(result, &name);
  printf("%s: %s\n", what, name);
  exit(1);
}
#define CHECK(call) check(call, #call)

int main(int argc, char **argv) {
  enum { n = 1000 };
  static float a[n], b[n], c[n];
  int device, i;
  unsigned count = n;
  void *context, *module, *function;
  CUdeviceptr da, db, dc;
  void *parameters[] = {&da, &db, &dc, &count};
  if (argc != 2)
    return 2;
  for (i = 0; i < n; ++i) {
    a[i] = (float)i;
    b[i] = 0.5f * (float)i;
  }
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuCtxCreate_v2(&context, 0, device));
  CHECK(cuModuleLoad(&module, argv[1]));
  CHECK(cuModuleGetFunction(&function, module, "vector_add"));
  CHECK(cuMemAlloc_v2(&da, sizeof(a)));
  CHECK(cuMemAlloc_v2(&db, sizeof(b)));
  CHECK(cuMemAlloc_v2(&dc, sizeof(c)));
  CHECK(cuMemcpyHtoD_v2(da, a, sizeof(a)));
  CHECK(cuMemcpyHtoD_v2(db, b, sizeof(b)));
  CHECK(cuLaunchKernel(function, (n + 127) / 128, 1, 1, 128, 1, 1, 0, 0,
                       parameters, 0));
  CHECK(cuCtxSynchronize());
  CHECK(cuMemcpyDtoH_v2(c, dc, sizeof(c)));
  for (i = 0; i < n; ++i)
    if (c[i] != 1.5f * (float)i) {
      printf("c[%d] is %g, expected %g\n", i, c[i], 1.5f * (float)i);
      return 1;
    }
  CHECK(cuMemFree_v2(da));
  CHECK(cuMemFree_v2(db));
  CHECK(cuMemFree_v2(dc));
  CHECK(cuCtxDestroy_v2(context));
  printf("%d sums are right\n", n);
  return 0;
}

/* pipeline.c PTX: vector additions in several streams, ordered by events; the
   same as a captured graph with a fork and a join, launched three times; from
   several threads at once, each with a context of its own. */
#include <cuda.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                            \
  do {                                                                         \
    CUresult result_ = call;                                                   \
    const char *name_ = "?";                                                   \
    if (result_ != CUDA_SUCCESS) {                                             \
      cuGetErrorName(result_, &name_);                                         \
      printf("%s: %s\n", #call, name_);                                        \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

enum { n = 500, chains = 3 };
static const char *file;

static void add(CUfunction f, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c,
                CUstream s) {
  unsigned count = n;
  void *arguments[] = {&a, &b, &c, &count};
  CHECK(
      cuLaunchKernel(f, (n + 63) / 64, 1, 1, 64, 1, 1, 0, s, arguments, NULL));
}

/* out = in + in * 2^chains in the other streams, joined in the first. */
static void work(CUfunction f, CUdeviceptr in, CUdeviceptr *doubled,
                 CUdeviceptr out, CUstream *streams, CUevent begin,
                 CUevent *end) {
  CHECK(cuEventRecord(begin, streams[0]));
  for (int i = 1; i < chains; ++i) {
    CHECK(cuStreamWaitEvent(streams[i], begin, 0));
    add(f, in, in, doubled[i], streams[i]);
    for (int j = 1; j < i; ++j)
      add(f, doubled[i], doubled[i], doubled[i], streams[i]);
    CHECK(cuEventRecord(end[i], streams[i]));
  }
  CHECK(cuMemcpyDtoDAsync(out, in, n * sizeof(float), streams[0]));
  for (int i = 1; i < chains; ++i) {
    CHECK(cuStreamWaitEvent(streams[0], end[i], 0));
    add(f, out, doubled[i], out, streams[0]);
  }
}

static void expect(CUdeviceptr out, float factor, float offset) {
  float host[n];
  CHECK(cuMemcpyDtoH(host, out, sizeof(host)));
  for (int i = 0; i < n; ++i)
    if (host[i] != factor * ((float)i + offset)) {
      printf("element %d is %g, expected %g\n", i, host[i],
             factor * ((float)i + offset));
      exit(1);
    }
}

static void *thread(void *data) {
  float offset = *(float *)data, host[n];
  CUcontext context;
  CUmodule module;
  CUfunction f;
  CUstream streams[chains];
  CUevent begin, end[chains];
  CUdeviceptr in, out, doubled[chains];
  CUgraph graph;
  CUgraphExec exec;
  CHECK(cuCtxCreate(&context, NULL, 0, 0));
  CHECK(cuModuleLoad(&module, file));
  CHECK(cuModuleGetFunction(&f, module, "vector_add"));
  CHECK(cuEventCreate(&begin, CU_EVENT_DISABLE_TIMING));
  for (int i = 0; i < chains; ++i) {
    CHECK(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    CHECK(cuEventCreate(&end[i], CU_EVENT_DISABLE_TIMING));
    CHECK(cuMemAllocAsync(&doubled[i], sizeof(host), streams[i]));
  }
  CHECK(cuMemAlloc(&in, sizeof(host)));
  CHECK(cuMemAlloc(&out, sizeof(host)));
  for (int i = 0; i < n; ++i)
    host[i] = (float)i + offset;
  CHECK(cuMemcpyHtoD(in, host, sizeof(host)));
  /* 1 + 2 + 4 times what came in. */
  work(f, in, doubled, out, streams, begin, end);
  CHECK(cuStreamSynchronize(streams[0]));
  expect(out, 7, offset);

  CHECK(cuStreamBeginCapture(streams[0], CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  work(f, in, doubled, out, streams, begin, end);
  add(f, out, in, in, streams[0]); /* For the next launch 8 times as much. */
  CHECK(cuStreamEndCapture(streams[0], &graph));
  CHECK(cuGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; ++i)
    CHECK(cuGraphLaunch(exec, streams[1]));
  CHECK(cuStreamSynchronize(streams[1]));
  expect(out, 7 * 64, offset);
  expect(in, 512, offset);
  for (int i = 0; i < chains; ++i)
    CHECK(cuMemFreeAsync(doubled[i], streams[i]));
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(graph));
  CHECK(cuCtxDestroy(context));
  return NULL;
}

int main(int argc, char **argv) {
  enum { threads = 6 };
  pthread_t running[threads];
  float offsets[threads];
  if (argc != 2)
    return 2;
  file = argv[1];
  CHECK(cuInit(0));
  for (int i = 0; i < threads; ++i) {
    offsets[i] = (float)i;
    pthread_create(&running[i], NULL, thread, &offsets[i]);
  }
  for (int i = 0; i < threads; ++i)
    pthread_join(running[i], NULL);
  printf("%d threads are right\n", threads);
  return 0;
}

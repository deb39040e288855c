/* Stream capture: what may be captured, and what spoils it. */
#include "probe.h"

static CUstream s, t;
static CUgraph graph;
static CUdeviceptr memory;
static CUstreamCaptureStatus status;
static cuuint64_t id;

static void ended(void) {
  size_t count = 99;
  graph = NULL;
  R(cuStreamEndCapture(s, &graph));
  if (graph) {
    OK(cuGraphGetNodes(graph, NULL, &count));
    N(count);
    OK(cuGraphDestroy(graph));
  }
  graph = NULL;
  R(cuStreamIsCapturing(s, &status));
  N(status);
}

static void CUDA_CB nothing(void *data) { (void)data; }

int main(void) {
  CUevent e = NULL, f = NULL;
  CUdeviceptr other = 0;
  CUgraph seen = NULL;
  const CUgraphNode *last = NULL;
  const CUgraphEdgeData *edges = NULL;
  size_t count = 99;
  char host[64] = {0};
  start();
  CUfunction empty = kernel("empty");
  OK(cuMemAlloc(&memory, 4096));
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
  OK(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
  OK(cuEventCreate(&f, CU_EVENT_DISABLE_TIMING));

  printf("# begin and end\n");
  R(cuStreamEndCapture(s, &graph));
  R(cuStreamBeginCapture(0, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuStreamBeginCapture(s, (CUstreamCaptureMode)7));
  R(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuStreamIsCapturing(s, &status));
  N(status);
  R(cuStreamGetCaptureInfo(s, &status, &id, &seen, &last, &edges, &count));
  N(id != 0);
  N(seen != NULL);
  N(count);
  R(cuStreamGetCaptureInfo(t, &status, &id, &seen, &last, &edges, &count));
  N(status);
  R(cuLaunchKernel(empty, 1, 1, 1, 32, 1, 1, 0, s, NULL, NULL));
  R(cuMemsetD32Async(memory, 1, 4, s));
  R(cuMemcpyDtoHAsync(host, memory, 16, s));
  R(cuLaunchHostFunc(s, nothing, NULL));
  R(cuStreamGetCaptureInfo(s, &status, &id, &seen, &last, &edges, &count));
  N(count);
  ended();

  printf("# fork and join\n");
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuEventRecord(e, s));
  R(cuStreamWaitEvent(t, e, 0));
  R(cuStreamIsCapturing(t, &status));
  N(status);
  R(cuLaunchKernel(empty, 1, 1, 1, 32, 1, 1, 0, t, NULL, NULL));
  R(cuStreamEndCapture(t, &graph));
  R(cuEventRecord(f, t));
  R(cuStreamWaitEvent(s, f, 0));
  ended();
  R(cuStreamIsCapturing(t, &status));
  N(status);
  R(cuEventQuery(e));
  R(cuEventSynchronize(e));
  R(cuStreamWaitEvent(t, e, 0));

  printf("# fork without join\n");
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuEventRecord(e, s));
  R(cuStreamWaitEvent(t, e, 0));
  R(cuLaunchKernel(empty, 1, 1, 1, 32, 1, 1, 0, t, NULL, NULL));
  ended();
  R(cuStreamIsCapturing(t, &status));
  N(status);

  printf("# synchronising the capturing stream\n");
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuStreamSynchronize(s));
  R(cuStreamIsCapturing(s, &status));
  N(status);
  R(cuLaunchKernel(empty, 1, 1, 1, 32, 1, 1, 0, s, NULL, NULL));
  ended();

  printf("# query\n");
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuStreamQuery(s));
  ended();

  printf("# allocation\n");
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuMemAlloc(&other, 64));
  ended();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  R(cuMemAlloc(&other, 64));
  ended();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  R(cuMemAlloc(&other, 64));
  ended();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  R(cuThreadExchangeStreamCaptureMode(&mode));
  N(mode);
  R(cuMemAlloc(&other, 64));
  R(cuThreadExchangeStreamCaptureMode(&mode));
  N(mode);
  ended();

  printf("# other forbidden calls\n");
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuMemFree(other));
  ended();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuMemcpyHtoD(memory, host, 16));
  ended();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuMemsetD32(memory, 1, 4));
  ended();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuCtxSynchronize());
  ended();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuLaunchKernel(empty, 1, 1, 1, 32, 1, 1, 0, 0, NULL, NULL));
  ended();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuEventQuery(e));
  ended();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuEventRecord(e, s));
  R(cuEventQuery(e));
  ended();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuEventRecord(e, s));
  R(cuEventSynchronize(e));
  ended();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuEventRecordWithFlags(e, s, CU_EVENT_RECORD_EXTERNAL));
  R(cuStreamWaitEvent(s, e, CU_EVENT_WAIT_EXTERNAL));
  ended();
  OK(cuEventRecord(f, t));
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuStreamWaitEvent(s, f, 0));
  ended();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CUmodule another = NULL;
  R(cuModuleLoadData(&another, code));
  ended();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CUstream u = NULL;
  R(cuStreamCreate(&u, 0));
  R(cuEventCreate(&f, 0));
  void *pinned = NULL;
  ended();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuMemAllocHost(&pinned, 64));
  ended();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuStreamAddCallback(s, (CUstreamCallback)nothing, NULL, 0));
  ended();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuStreamWriteValue32(s, memory, 1, 0));
  ended();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuMemAllocAsync(&other, 64, s));
  R(cuMemFreeAsync(other, s));
  ended();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuMemcpyHtoDAsync(64, host, 16, s));
  ended();

  printf("# two captures\n");
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuStreamBeginCapture(t, CU_STREAM_CAPTURE_MODE_GLOBAL));
  R(cuEventRecord(e, t));
  R(cuStreamWaitEvent(s, e, 0));
  ended();
  R(cuStreamEndCapture(t, &graph));

  printf("# dependencies\n");
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  OK(cuLaunchKernel(empty, 1, 1, 1, 32, 1, 1, 0, s, NULL, NULL));
  OK(cuStreamGetCaptureInfo(s, &status, &id, &seen, &last, &edges, &count));
  CUgraphNode first = last[0];
  OK(cuLaunchKernel(empty, 1, 1, 1, 32, 1, 1, 0, s, NULL, NULL));
  R(cuStreamUpdateCaptureDependencies(s, &first, NULL, 1,
                                      CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  OK(cuLaunchKernel(empty, 1, 1, 1, 32, 1, 1, 0, s, NULL, NULL));
  OK(cuStreamGetCaptureInfo(s, &status, &id, &seen, &last, &edges, &count));
  OK(cuGraphGetEdges(seen, NULL, NULL, NULL, &count));
  N(count);
  ended();
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  OK(cuLaunchKernel(empty, 1, 1, 1, 32, 1, 1, 0, s, NULL, NULL));
  R(cuStreamUpdateCaptureDependencies(s, NULL, NULL, 0,
                                      CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  ended();
  OK(cuGraphCreate(&graph, 0));
  R(cuStreamBeginCaptureToGraph(s, graph, NULL, NULL, 0,
                                CU_STREAM_CAPTURE_MODE_RELAXED));
  OK(cuLaunchKernel(empty, 1, 1, 1, 32, 1, 1, 0, s, NULL, NULL));
  seen = NULL;
  R(cuStreamEndCapture(s, &seen));
  N(seen == graph);
  OK(cuGraphGetNodes(graph, NULL, &count));
  N(count);
  return 0;
}

/* Graphs built by hand: nodes, edges, instantiation, update. */
#include "probe.h"

static CUdeviceptr memory;
static unsigned word(void) {
  unsigned value = 0;
  OK(cuStreamSynchronize(0));
  OK(cuMemcpyDtoH(&value, memory, 4));
  return value;
}
static int called;
static void CUDA_CB onHost(void *data) { called += *(int *)data; }

int main(void) {
  CUgraph graph = NULL, child = NULL, copy = NULL;
  CUgraphNode a = NULL, b = NULL, c = NULL, h = NULL, m = NULL, n = NULL;
  CUgraphNode list[8];
  CUgraphExec exec = NULL;
  CUgraphNodeType type;
  CUDA_KERNEL_NODE_PARAMS launch, got;
  CUDA_MEMSET_NODE_PARAMS set;
  CUDA_MEMCPY3D flat;
  CUDA_HOST_NODE_PARAMS host;
  CUgraphExecUpdateResultInfo info;
  size_t count = 8;
  unsigned value = 3;
  int one = 1, data[4] = {0};
  start();
  OK(cuMemAlloc(&memory, 4096));
  OK(cuMemsetD8(memory, 0, 4096));
  void *arguments[] = {&memory, &value};

  printf("# building\n");
  R(cuGraphCreate(&graph, 1));
  R(cuGraphCreate(NULL, 0));
  R(cuGraphCreate(&graph, 0));
  memset(&launch, 0, sizeof(launch));
  launch.func = kernel("store");
  launch.gridDimX = launch.gridDimY = launch.gridDimZ = 1;
  launch.blockDimX = launch.blockDimY = launch.blockDimZ = 1;
  launch.kernelParams = arguments;
  R(cuGraphAddKernelNode(&a, graph, NULL, 0, &launch));
  value = 99; /* The node has its own copy. */
  launch.func = kernel("bump");
  R(cuGraphAddKernelNode(&b, graph, &a, 1, &launch));
  launch.blockDimX = 2000;
  R(cuGraphAddKernelNode(&c, graph, &a, 1, &launch));
  launch.blockDimX = 1;
  launch.func = NULL;
  R(cuGraphAddKernelNode(&c, graph, &a, 1, &launch));
  launch.func = kernel("bump");
  R(cuGraphAddKernelNode(&c, graph, NULL, 1, &launch));
  R(cuGraphAddEmptyNode(&c, graph, &b, 1));
  host.fn = onHost;
  host.userData = &one;
  R(cuGraphAddHostNode(&h, graph, &c, 1, &host));
  memset(&set, 0, sizeof(set));
  set.dst = memory + 64;
  set.value = 0x5a;
  set.elementSize = 1;
  set.width = 16;
  set.height = 1;
  R(cuGraphAddMemsetNode(&m, graph, NULL, 0, &set, context));
  set.elementSize = 3;
  R(cuGraphAddMemsetNode(&n, graph, NULL, 0, &set, context));
  set.elementSize = 1;
  memset(&flat, 0, sizeof(flat));
  flat.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  flat.srcDevice = memory + 64;
  flat.dstMemoryType = CU_MEMORYTYPE_HOST;
  flat.dstHost = data;
  flat.WidthInBytes = 16;
  flat.Height = flat.Depth = 1;
  R(cuGraphAddMemcpyNode(&n, graph, &m, 1, &flat, context));
  R(cuGraphGetNodes(graph, NULL, &count));
  N(count);
  count = 8;
  R(cuGraphGetNodes(graph, list, &count));
  N(list[0] == a && list[1] == b && list[2] == c);
  N(count);
  count = 2;
  R(cuGraphGetNodes(graph, list, &count));
  N(count);
  count = 8;
  R(cuGraphGetRootNodes(graph, list, &count));
  N(count);
  R(cuGraphGetEdges(graph, NULL, NULL, NULL, &count));
  N(count);
  count = 8;
  R(cuGraphNodeGetDependencies(b, list, NULL, &count));
  N(count);
  N(list[0] == a);
  count = 8;
  R(cuGraphNodeGetDependentNodes(b, list, NULL, &count));
  N(count);
  CUgraphNode order[] = {a, b, c, h, m, n};
  for (int i = 0; i < 6; ++i) {
    OK(cuGraphNodeGetType(order[i], &type));
    N(type);
  }
  R(cuGraphAddDependencies(graph, &b, &a, NULL, 1)); /* A cycle. */
  R(cuGraphInstantiate(&exec, graph, 0));
  R(cuGraphRemoveDependencies(graph, &b, &a, NULL, 1));
  R(cuGraphAddDependencies(graph, &a, &a, NULL, 1));
  R(cuGraphAddDependencies(graph, &a, &b, NULL, 1));
  R(cuGraphAddDependencies(graph, &a, &h, NULL, 1));
  R(cuGraphRemoveDependencies(graph, &a, &h, NULL, 1));
  R(cuGraphRemoveDependencies(graph, &a, &h, NULL, 1));
  R(cuGraphKernelNodeGetParams(a, &got));
  N(got.gridDimX);
  N(*(unsigned *)got.kernelParams[1]);
  R(cuGraphKernelNodeGetParams(m, &got));

  printf("# each kind alone\n");
  for (int i = 0; i < 6; ++i) {
    CUgraph single = NULL;
    CUgraphNode only = NULL;
    CUgraphExec ready = NULL;
    OK(cuGraphCreate(&single, 0));
    if (i == 0)
      OK(cuGraphAddKernelNode(&only, single, NULL, 0, &launch));
    if (i == 1)
      OK(cuGraphAddHostNode(&only, single, NULL, 0, &host));
    if (i == 2)
      OK(cuGraphAddMemsetNode(&only, single, NULL, 0, &set, context));
    if (i == 3)
      OK(cuGraphAddMemcpyNode(&only, single, NULL, 0, &flat, context));
    if (i == 4) {
      flat.srcPitch = flat.dstPitch = 16;
      flat.srcHeight = flat.dstHeight = 1;
      OK(cuGraphAddMemcpyNode(&only, single, NULL, 0, &flat, context));
      flat.srcPitch = flat.dstPitch = flat.srcHeight = flat.dstHeight = 0;
    }
    CUresult result = cuGraphInstantiate(&ready, single, 0);
    printf("instantiate %d -> %s\n", i, nameOf(result));
    if (result == CUDA_SUCCESS)
      OK(cuGraphLaunch(ready, 0));
    OK(cuStreamSynchronize(0));
  }
  called = 0;
  OK(cuMemsetD8(memory, 0, 4096));
  memset(data, 0, sizeof(data));

  printf("# running\n");
  R(cuGraphInstantiate(&exec, graph, 0));
  cuuint64_t flags = 9;
  R(cuGraphExecGetFlags(exec, &flags));
  N(flags);
  R(cuGraphUpload(exec, 0));
  R(cuGraphLaunch(exec, 0));
  N(word());
  N(called);
  N(data[3] == 0x5a5a5a5a);
  R(cuGraphLaunch(exec, 0));
  N(word());
  N(called);

  printf("# changing\n");
  launch.func = kernel("store");
  value = 50;
  R(cuGraphExecKernelNodeSetParams(exec, a, &launch));
  R(cuGraphLaunch(exec, 0));
  N(word());
  R(cuGraphExecKernelNodeSetParams(exec, m, &launch));
  value = 60;
  R(cuGraphKernelNodeSetParams(a, &launch));
  R(cuGraphLaunch(exec, 0));
  N(word());
  R(cuGraphExecUpdate(exec, graph, &info));
  N(info.result);
  R(cuGraphLaunch(exec, 0));
  N(word());
  R(cuGraphNodeSetEnabled(exec, b, 0));
  unsigned enabled = 9;
  R(cuGraphNodeGetEnabled(exec, b, &enabled));
  N(enabled);
  R(cuGraphNodeSetEnabled(exec, h, 0));
  R(cuGraphLaunch(exec, 0));
  N(word());
  R(cuGraphNodeSetEnabled(exec, b, 1));

  printf("# clones and children\n");
  R(cuGraphClone(&copy, graph));
  R(cuGraphNodeFindInClone(&n, a, copy));
  N(n != a);
  R(cuGraphNodeFindInClone(&n, n, copy));
  R(cuGraphExecUpdate(exec, copy, &info));
  N(info.result);
  OK(cuGraphCreate(&child, 0));
  R(cuGraphAddChildGraphNode(&n, child, NULL, 0, copy));
  R(cuGraphDestroy(copy));
  R(cuGraphExecUpdate(exec, child, &info));
  N(info.result);
  CUgraphExec second = NULL;
  R(cuGraphInstantiate(&second, child, 0));
  R(cuGraphLaunch(second, 0));
  N(word());
  R(cuGraphExecDestroy(second));
  R(cuGraphDestroyNode(b));
  R(cuGraphGetNodes(graph, NULL, &count));
  N(count);
  R(cuGraphGetEdges(graph, NULL, NULL, NULL, &count));
  N(count);
  R(cuGraphExecUpdate(exec, graph, &info));
  N(info.result);
  launch.func = kernel("bump");
  R(cuGraphKernelNodeSetParams(a, &launch));
  R(cuGraphInstantiate(&second, graph, 0));
  R(cuGraphLaunch(second, 0));
  N(word());
  R(cuGraphInstantiate(&second, graph, 0x40));

  printf("# memory and events\n");
  CUgraph more = NULL;
  CUDA_MEM_ALLOC_NODE_PARAMS allocation;
  CUevent event = NULL, back = NULL;
  OK(cuEventCreate(&event, 0));
  OK(cuGraphCreate(&more, 0));
  memset(&allocation, 0, sizeof(allocation));
  allocation.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  allocation.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  allocation.bytesize = 1024;
  R(cuGraphAddMemAllocNode(&a, more, NULL, 0, &allocation));
  N(allocation.dptr != 0);
  set.dst = allocation.dptr;
  R(cuGraphAddMemsetNode(&b, more, &a, 1, &set, context));
  R(cuGraphAddMemFreeNode(&c, more, &b, 1, allocation.dptr));
  R(cuGraphAddEventRecordNode(&h, more, &c, 1, event));
  R(cuGraphAddEventWaitNode(&m, more, &h, 1, event));
  R(cuGraphEventRecordNodeGetEvent(h, &back));
  N(back == event);
  R(cuGraphInstantiate(&second, more, 0));
  R(cuGraphLaunch(second, 0));
  R(cuStreamSynchronize(0));
  R(cuEventQuery(event));
  R(cuGraphLaunch(second, 0));
  R(cuStreamSynchronize(0));
  R(cuGraphExecDestroy(second));
  R(cuGraphExecDestroy(NULL));
  R(cuGraphDestroy(NULL));

  printf("# generic nodes\n");
  CUgraphNodeParams any;
  memset(&any, 0, sizeof(any));
  any.type = CU_GRAPH_NODE_TYPE_EMPTY;
  R(cuGraphAddNode(&a, more, NULL, NULL, 0, &any));
  any.type = CU_GRAPH_NODE_TYPE_MEMSET;
  any.memset.dst = memory;
  any.memset.value = 7;
  any.memset.elementSize = 4;
  any.memset.width = 1;
  any.memset.height = 1;
  any.memset.ctx = context;
  R(cuGraphAddNode(&b, more, &a, NULL, 1, &any));
  R(cuGraphInstantiate(&second, more, 0));
  R(cuGraphLaunch(second, 0));
  N(word());
  any.memset.value = 8;
  R(cuGraphExecNodeSetParams(second, b, &any));
  R(cuGraphLaunch(second, 0));
  N(word());
  return 0;
}

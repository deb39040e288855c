/* The device, its context, and what they say of themselves. */
#include "probe.h"

/* Attributes that belong to the machine, not to the kind of device. */
static int local(int attribute) {
  static const int numbers[] = {33, 34, 50, 131, 134, 139, 140};
  for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i)
    if (numbers[i] == attribute)
      return 1;
  return 0;
}

int main(void) {
  int value = 0;
  CUcontext other = NULL, popped = NULL;
  CUdevice found = 5;
  unsigned flags = 9, version = 0;
  size_t bytes = 0;
  R(cuDeviceGetCount(&value));
  R(cuCtxGetCurrent(&other));
  R(cuInit(1));
  R(cuInit(0));
  R(cuDeviceGet(&found, 7));
  R(cuDeviceGet(NULL, 0));
  R(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 7));
  R(cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  for (int i = 0; i < 160; ++i) {
    CUresult result = cuDeviceGetAttribute(&value, (CUdevice_attribute)i, 0);
    if (local(i))
      continue;
    if (result == CUDA_SUCCESS)
      printf("attribute %d = %d\n", i, value);
    else
      printf("attribute %d -> %s\n", i, nameOf(result));
  }
  R(cuDeviceTotalMem(NULL, 0));
  R(cuDeviceTotalMem(&bytes, 3));
  R(cuDeviceGetByPCIBusId(&found, "nothing"));
  R(cuDeviceGetByPCIBusId(&found, "ffff:ff:1f.0"));
  R(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0,
                            0));
  R(cuDeviceCanAccessPeer(&value, 0, 0));
  N(value);
  R(cuDeviceGetExecAffinitySupport(&value, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
  N(value);
  R(cuDriverGetVersion(NULL));
  R(cuCtxSynchronize());
  R(cuCtxGetDevice(&found));
  R(cuMemAlloc((CUdeviceptr *)&other, 16));
  R(cuCtxPopCurrent(&popped));
  R(cuCtxPushCurrent(NULL));
  R(cuCtxGetCurrent(&other));
  N(other == NULL);
  R(cuDevicePrimaryCtxGetState(0, &flags, &value));
  N(flags);
  N(value);
  R(cuDevicePrimaryCtxRelease(0));
  R(cuDevicePrimaryCtxRetain(&context, 3));
  R(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
  R(cuDevicePrimaryCtxSetFlags(0, 0x7f));
  R(cuDevicePrimaryCtxGetState(0, &flags, &value));
  N(flags);
  R(cuDevicePrimaryCtxRetain(&context, 0));
  R(cuDevicePrimaryCtxGetState(0, &flags, &value));
  N(flags);
  N(value);
  R(cuCtxSetCurrent(context));
  R(cuCtxGetApiVersion(context, &version));
  N(version);
  R(cuCtxGetFlags(&flags));
  N(flags);
  R(cuCtxDestroy(context));
  R(cuCtxCreate(&other, NULL, 0x100, 0));
  R(cuCtxCreate(NULL, NULL, 0, 0));
  R(cuCtxCreate(&other, NULL, CU_CTX_SCHED_SPIN, 0));
  R(cuCtxGetFlags(&flags));
  N(flags);
  R(cuCtxGetApiVersion(other, &version));
  N(version);
  R(cuCtxGetCurrent(&popped));
  N(popped == other);
  R(cuCtxPopCurrent(&popped));
  N(popped == other);
  R(cuCtxGetCurrent(&popped));
  N(popped == context);
  R(cuCtxDestroy(other));
  R(cuCtxCreate(&other, NULL, 0, 0));
  R(cuCtxDestroy(other));
  R(cuCtxGetCurrent(&popped));
  N(popped == context);
  for (int i = 0; i < 10; ++i) {
    CUresult result = cuCtxGetLimit(&bytes, (CUlimit)i);
    if (result == CUDA_SUCCESS)
      printf("limit %d = %zu\n", i, bytes);
    else
      printf("limit %d -> %s\n", i, nameOf(result));
  }
  R(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
  R(cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE));
  N(bytes);
  R(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 16 << 20));
  R(cuCtxGetLimit(&bytes, CU_LIMIT_MALLOC_HEAP_SIZE));
  N(bytes);
  R(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 32));
  R(cuCtxGetLimit(&bytes, CU_LIMIT_MAX_L2_FETCH_GRANULARITY));
  N(bytes);
  R(cuCtxSetLimit((CUlimit)99, 1));
  R(cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE));
  int least = 9, greatest = 9;
  R(cuCtxGetStreamPriorityRange(&least, &greatest));
  N(least);
  N(greatest);
  CUfunc_cache cache = CU_FUNC_CACHE_PREFER_L1;
  R(cuCtxGetCacheConfig(&cache));
  N(cache);
  R(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_SHARED));
  R(cuCtxGetCacheConfig(&cache));
  N(cache);
  R(cuCtxSetCacheConfig((CUfunc_cache)9));
  R(cuCtxSynchronize());
  R(cuCtxResetPersistingL2Cache());
  R(cuCtxEnablePeerAccess(context, 0));
  R(cuFlushGPUDirectRDMAWrites(
      CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
      CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER));
  cuuint64_t used = 1;
  R(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
  N(used);
  R(cuDeviceGraphMemTrim(0));
  R(cuDevicePrimaryCtxReset(0));
  R(cuCtxSynchronize());
  R(cuDevicePrimaryCtxRelease(0));
  R(cuCtxSynchronize());
  R(cuDevicePrimaryCtxRelease(0));
  const char *text = "x";
  R(cuGetErrorName((CUresult)12345, &text));
  N(text == NULL);
  for (int i = 0; i < 1000; ++i)
    if (cuGetErrorName((CUresult)i, &text) == CUDA_SUCCESS)
      printf("result %d = %s\n", i, text);
  return 0;
}

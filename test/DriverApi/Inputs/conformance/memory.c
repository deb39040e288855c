/* Memory: allocation, copies, setting, pointers, pools, mapping. */
#include "probe.h"

static CUdeviceptr a, b, bad = 64;
static char host[4096], back[4096];

static void allocation(void) {
  size_t bytes = 0, pitch = 0, total = 0;
  CUdeviceptr base = 0;
  void *pinned = NULL;
  unsigned flags = 99;
  R(cuMemAlloc(&a, 0));
  R(cuMemAlloc(NULL, 16));
  R(cuMemAlloc(&a, (size_t)1 << 60));
  R(cuMemAlloc(&a, 1000));
  R(cuMemAlloc(&b, 4096));
  N(a % 256);
  R(cuMemGetAddressRange(&base, &bytes, a + 10));
  N(base == a);
  N(bytes);
  R(cuMemGetAddressRange(&base, &bytes, bad));
  R(cuMemGetAddressRange(NULL, &bytes, b));
  N(bytes);
  R(cuMemFree(0));
  R(cuMemFree(bad));
  R(cuMemFree(a + 16));
  R(cuMemAllocPitch(&base, &pitch, 100, 10, 4));
  N(pitch);
  R(cuMemFree(base));
  R(cuMemAllocPitch(&base, &pitch, 600, 10, 16));
  N(pitch);
  R(cuMemFree(base));
  R(cuMemAllocPitch(&base, &pitch, 100, 10, 3));
  R(cuMemAllocPitch(&base, &pitch, 0, 10, 4));
  R(cuMemAllocPitch(&base, NULL, 16, 10, 4));
  R(cuMemGetInfo(&bytes, NULL));
  R(cuMemGetInfo(&bytes, &total));
  N(bytes > 0 && bytes <= total);
  R(cuMemAllocHost(&pinned, 0));
  R(cuMemAllocHost(&pinned, 100));
  R(cuMemHostGetFlags(&flags, pinned));
  N(flags);
  R(cuMemHostGetDevicePointer(&base, pinned, 0));
  N(base == (CUdeviceptr)pinned);
  R(cuMemHostGetDevicePointer(&base, host, 0));
  R(cuMemHostGetFlags(&flags, host));
  R(cuMemFree((CUdeviceptr)pinned));
  R(cuMemFreeHost(pinned));
  R(cuMemFreeHost(host));
  R(cuMemFreeHost(NULL));
  R(cuMemHostAlloc(&pinned, 64,
                   CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_WRITECOMBINED));
  R(cuMemHostGetFlags(&flags, pinned));
  N(flags);
  R(cuMemFreeHost(pinned));
  R(cuMemHostAlloc(&pinned, 64, 0x80));
  R(cuMemHostRegister(host, 0, 0));
  R(cuMemHostRegister(host, 4096, 0x80));
  R(cuMemHostRegister(host, 4096, 0));
  R(cuMemHostRegister(host, 4096, 0));
  R(cuMemHostGetDevicePointer(&base, host + 8, 0));
  N(base == (CUdeviceptr)host + 8);
  R(cuMemHostUnregister(host + 8));
  R(cuMemHostUnregister(host));
  R(cuMemHostUnregister(host));
  R(cuMemAllocManaged(&base, 100, 0));
  R(cuMemAllocManaged(&base, 100, CU_MEM_ATTACH_SINGLE));
  R(cuMemAllocManaged(&base, 100, CU_MEM_ATTACH_GLOBAL));
  R(cuMemFree(base));
}

static void copies(void) {
  CUDA_MEMCPY2D flat;
  CUDA_MEMCPY3D deep;
  R(cuMemcpyHtoD(a, host, 1000));
  R(cuMemcpyHtoD(bad, host, 10));
  R(cuMemcpyHtoD(a, NULL, 10));
  R(cuMemcpyHtoD(0, host, 10));
  R(cuMemcpyHtoD(0, host, 0));
  R(cuMemcpyDtoH(back, bad, 10));
  R(cuMemcpyDtoD(a, bad, 10));
  R(cuMemcpyDtoD(a, b, 100));
  R(cuMemcpy(a, b, 100));
  R(cuMemcpy((CUdeviceptr)back, a, 100));
  R(cuMemcpyDtoD((CUdeviceptr)back, a, 100));
  R(cuMemcpyPeer(a, context, b, context, 100));
  R(cuMemcpyHtoDAsync(a, host, 100, (CUstream)0));
  R(cuMemcpyHtoDAsync(a, host, 100, CU_STREAM_LEGACY));
  R(cuMemcpyHtoDAsync(a, host, 100, CU_STREAM_PER_THREAD));
  memset(&flat, 0, sizeof(flat));
  flat.srcMemoryType = CU_MEMORYTYPE_HOST;
  flat.srcHost = host;
  flat.srcPitch = 64;
  flat.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  flat.dstDevice = b;
  flat.dstPitch = 128;
  flat.WidthInBytes = 64;
  flat.Height = 8;
  R(cuMemcpy2D(&flat));
  flat.srcPitch = 32;
  R(cuMemcpy2D(&flat));
  flat.srcPitch = 0;
  R(cuMemcpy2D(&flat));
  flat.dstPitch = 0;
  R(cuMemcpy2D(&flat));
  flat.WidthInBytes = 0;
  R(cuMemcpy2D(&flat));
  flat.WidthInBytes = 64;
  flat.Height = 0;
  R(cuMemcpy2D(&flat));
  flat.Height = 8;
  flat.dstMemoryType = (CUmemorytype)9;
  R(cuMemcpy2D(&flat));
  R(cuMemcpy2D(NULL));
  memset(&deep, 0, sizeof(deep));
  deep.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  deep.srcDevice = b;
  deep.srcPitch = 32;
  deep.srcHeight = 4;
  deep.dstMemoryType = CU_MEMORYTYPE_HOST;
  deep.dstHost = back;
  deep.dstPitch = 16;
  deep.dstHeight = 2;
  deep.WidthInBytes = 16;
  deep.Height = 2;
  deep.Depth = 3;
  R(cuMemcpy3D(&deep));
  deep.dstHeight = 1;
  R(cuMemcpy3D(&deep));
  deep.dstHeight = 0;
  R(cuMemcpy3D(&deep));
  deep.Depth = 0;
  R(cuMemcpy3D(&deep));
}

static void setting(void) {
  unsigned words[8];
  R(cuMemsetD8(b, 0x11, 4096));
  R(cuMemsetD8(bad, 1, 4));
  R(cuMemsetD8(0, 1, 0));
  R(cuMemsetD16(b + 1, 2, 4));
  R(cuMemsetD32(b + 2, 2, 4));
  R(cuMemsetD2D32(b, 16, 0x22222222, 3, 2));
  R(cuMemsetD2D32(b, 8, 0x33333333, 3, 2));
  R(cuMemsetD2D32(b, 0, 0x44444444, 1, 1));
  R(cuMemsetD2D32(b, 18, 5, 3, 2));
  R(cuMemsetD2D8(b, 16, 5, 0, 2));
  OK(cuMemcpyDtoH(words, b, sizeof(words)));
  for (int i = 0; i < 8; ++i)
    printf("word %d = %#x\n", i, words[i]);
}

static void pointers(void) {
  unsigned type = 0, flag = 7;
  int ordinal = 7;
  CUdeviceptr address = 0, managed = 0;
  void *pinned = NULL, *pointer = NULL;
  size_t bytes = 0;
  CUcontext owner = NULL;
  unsigned long long id = 0;
  CUpointer_attribute names[] = {
      CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_CONTEXT,
      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_IS_MANAGED,
      CU_POINTER_ATTRIBUTE_DEVICE_POINTER, CU_POINTER_ATTRIBUTE_MAPPED};
  unsigned mapped = 7;
  void *values[] = {&type, &owner, &ordinal, &flag, &address, &mapped};
  OK(cuMemAllocHost(&pinned, 64));
  OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
  R(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, a));
  N(type);
  R(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                          (CUdeviceptr)pinned));
  N(type);
  R(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, managed));
  N(type);
  R(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                          (CUdeviceptr)back));
  R(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 0));
  R(cuPointerGetAttribute(NULL, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, a));
  R(cuPointerGetAttribute(&type, (CUpointer_attribute)99, a));
  R(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, a));
  N(owner == context);
  R(cuPointerGetAttribute(&pointer, CU_POINTER_ATTRIBUTE_HOST_POINTER, a));
  R(cuPointerGetAttribute(&pointer, CU_POINTER_ATTRIBUTE_HOST_POINTER,
                          (CUdeviceptr)pinned));
  R(cuPointerGetAttribute(&pointer, CU_POINTER_ATTRIBUTE_HOST_POINTER,
                          managed));
  N(pointer == (void *)managed);
  R(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, a));
  N(ordinal);
  R(cuPointerGetAttribute(&flag, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
  N(flag);
  R(cuPointerGetAttribute(&flag, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, a));
  N(flag);
  R(cuPointerGetAttribute(&address, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                          b + 5));
  N(address == b);
  R(cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, b + 5));
  N(bytes);
  R(cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, b));
  N(id != 0);
  R(cuPointerGetAttribute(&flag, CU_POINTER_ATTRIBUTE_MAPPED, b));
  N(flag);
  flag = 1;
  R(cuPointerSetAttribute(&flag, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, b));
  R(cuPointerSetAttribute(&flag, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, b));
  CUdeviceptr which[] = {a, managed, (CUdeviceptr)pinned, (CUdeviceptr)back};
  for (int i = 0; i < 4; ++i) {
    printf("pointer %d\n", i);
    R(cuPointerGetAttributes(6, names, values, which[i]));
    N(type);
    N(owner == context);
    N(owner == NULL);
    N(ordinal);
    N(flag);
    N(address == which[i]);
    N(mapped);
  }
  OK(cuMemFreeHost(pinned));
  OK(cuMemFree(managed));
}

static void pools(void) {
  CUmemoryPool pool = NULL, usual = NULL, now = NULL;
  CUmemPoolProps properties;
  CUdeviceptr p = 0;
  cuuint64_t number = 0;
  int flag = 0;
  R(cuDeviceGetDefaultMemPool(&usual, 0));
  R(cuDeviceGetMemPool(&now, 0));
  N(now == usual);
  memset(&properties, 0, sizeof(properties));
  R(cuMemPoolCreate(&pool, &properties));
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  R(cuMemPoolCreate(&pool, &properties));
  R(cuMemPoolCreate(NULL, &properties));
  for (int i = 1; i <= 3; ++i) {
    CUresult result =
        cuMemPoolGetAttribute(pool, (CUmemPool_attribute)i, &flag);
    printf("pool attribute %d = %d -> %s\n", i, flag, nameOf(result));
  }
  for (int i = 4; i <= 9; ++i) {
    number = 77;
    CUresult result =
        cuMemPoolGetAttribute(pool, (CUmemPool_attribute)i, &number);
    printf("pool attribute %d = %llu -> %s\n", i, (unsigned long long)number,
           nameOf(result));
  }
  number = 1 << 20;
  R(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &number));
  R(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &number));
  R(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &number));
  number = 0;
  R(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &number));
  R(cuMemAllocFromPoolAsync(&p, 1000, pool, 0));
  R(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &number));
  N(number >= 1000);
  R(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &number));
  N(number >= 1000);
  CUmemoryPool of = NULL;
  R(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p));
  N(of == pool);
  R(cuMemFreeAsync(p, 0));
  R(cuStreamSynchronize(0));
  R(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &number));
  N(number);
  R(cuMemPoolTrimTo(pool, 0));
  R(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &number));
  N(number);
  R(cuMemAllocAsync(&p, 0, 0));
  R(cuMemAllocAsync(&p, 64, 0));
  R(cuMemFree(p));
  R(cuMemFreeAsync(0, 0));
  R(cuMemFreeAsync(bad, 0));
  R(cuDeviceSetMemPool(0, pool));
  R(cuDeviceGetMemPool(&now, 0));
  N(now == pool);
  R(cuMemPoolDestroy(usual));
  R(cuMemPoolDestroy(pool));
  R(cuDeviceGetMemPool(&now, 0));
  N(now == usual);
}

static void mapping(void) {
  CUmemAllocationProp property, got;
  CUmemGenericAllocationHandle handle = 0, again = 0;
  CUmemAccessDesc access;
  size_t least = 0, best = 0;
  CUdeviceptr range = 0;
  memset(&property, 0, sizeof(property));
  R(cuMemGetAllocationGranularity(&least, &property,
                                  CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  property.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  property.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  R(cuMemGetAllocationGranularity(&least, &property,
                                  CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  R(cuMemGetAllocationGranularity(&best, &property,
                                  CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
  N(least);
  N(best);
  R(cuMemCreate(&handle, 1000, &property, 0));
  R(cuMemCreate(&handle, least, &property, 0));
  R(cuMemAddressReserve(&range, 1000, 0, 0, 0));
  R(cuMemAddressReserve(&range, 2 * least, 0, 0, 0));
  N(range % least);
  R(cuMemMap(range, 2 * least, 0, handle, 0));
  R(cuMemMap(range + 8, least, 0, handle, 0));
  R(cuMemMap(range, least, 0, handle, 0));
  R(cuMemMap(range, least, 0, handle, 0));
  R(cuMemcpyHtoD(range, host, 16));
  access.location = property.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  R(cuMemSetAccess(range, 2 * least, &access, 1));
  R(cuMemSetAccess(range, least, &access, 1));
  unsigned long long flags = 0;
  R(cuMemGetAccess(&flags, &property.location, range));
  N(flags);
  R(cuMemcpyHtoD(range, host, 16));
  R(cuMemcpyDtoH(back, range, 16));
  R(cuMemRetainAllocationHandle(&again, (void *)range));
  N(again == handle);
  R(cuMemRelease(again));
  R(cuMemGetAllocationPropertiesFromHandle(&got, handle));
  N(got.type);
  N(got.location.type);
  R(cuMemAddressFree(range, 2 * least));
  R(cuMemRelease(handle));
  R(cuMemcpyDtoH(back, range, 16));
  R(cuMemUnmap(range, least));
  R(cuMemUnmap(range, least));
  R(cuMemAddressFree(range, 2 * least));
  R(cuMemAddressFree(range, 2 * least));
}

int main(void) {
  start();
  for (int i = 0; i < 4096; ++i)
    host[i] = (char)i;
  allocation();
  copies();
  setting();
  pointers();
  pools();
  mapping();
  return 0;
}

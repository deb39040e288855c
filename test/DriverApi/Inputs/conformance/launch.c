/* Launches that are right and wrong, and occupancy. */
#include "probe.h"

static CUdeviceptr memory;

static void shape(const char *name, unsigned gx, unsigned gy, unsigned gz,
                  unsigned bx, unsigned by, unsigned bz, unsigned bytes) {
  void *arguments[] = {&memory, &memory, &memory, &memory};
  CUresult result = cuLaunchKernel(kernel(name), gx, gy, gz, bx, by, bz, bytes,
                                   0, arguments, NULL);
  printf("launch %s %ux%ux%u of %ux%ux%u with %u -> %s\n", name, gx, gy, gz, bx,
         by, bz, bytes, nameOf(result));
}

static void clusters(const char *name, unsigned grid, unsigned x, unsigned y,
                     unsigned z) {
  CUlaunchConfig config;
  CUlaunchAttribute attribute;
  memset(&config, 0, sizeof(config));
  memset(&attribute, 0, sizeof(attribute));
  config.gridDimX = grid;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 32;
  config.blockDimY = config.blockDimZ = 1;
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim.x = x;
  attribute.value.clusterDim.y = y;
  attribute.value.clusterDim.z = z;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CUresult result = cuLaunchKernelEx(&config, kernel(name), NULL, NULL);
  printf("launch %s %u in clusters of %ux%ux%u -> %s\n", name, grid, x, y, z,
         nameOf(result));
}

static void attribute(const char *what, CUlaunchAttributeID id,
                      CUlaunchAttributeValue value) {
  CUlaunchConfig config;
  CUlaunchAttribute attribute;
  memset(&config, 0, sizeof(config));
  memset(&attribute, 0, sizeof(attribute));
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 32;
  config.blockDimY = config.blockDimZ = 1;
  attribute.id = id;
  attribute.value = value;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CUresult result = cuLaunchKernelEx(&config, kernel("empty"), NULL, NULL);
  printf("launch with %s -> %s\n", what, nameOf(result));
}

static void occupancy(const char *name, int threads, size_t bytes) {
  int blocks = -1;
  size_t room = 0;
  CUresult result = cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, kernel(name), threads, bytes);
  printf("occupancy %s %d %zu -> %s, %d blocks\n", name, threads, bytes,
         nameOf(result), blocks);
  result =
      cuOccupancyAvailableDynamicSMemPerBlock(&room, kernel(name), 2, threads);
  printf("room for two %s of %d -> %s, %zu\n", name, threads, nameOf(result),
         room);
}

static size_t CUDA_CB perBlock(int threads) { return (size_t)threads * 128; }

static void clusterOccupancy(const char *name, unsigned width, unsigned threads,
                             unsigned bytes) {
  CUlaunchConfig config;
  CUlaunchAttribute attribute;
  int count = -1;
  memset(&config, 0, sizeof(config));
  memset(&attribute, 0, sizeof(attribute));
  config.gridDimX = 1024;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = threads;
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = bytes;
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim.x = width;
  attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CUresult result = cuOccupancyMaxActiveClusters(&count, kernel(name), &config);
  printf("active clusters %s of %u, %u threads, %u bytes -> %s, %d\n", name,
         width, threads, bytes, nameOf(result), count);
  config.numAttrs = 0;
  count = -1;
  result = cuOccupancyMaxPotentialClusterSize(&count, kernel(name), &config);
  printf("cluster size %s %u threads %u bytes -> %s, %d\n", name, threads,
         bytes, nameOf(result), count);
}

int main(void) {
  unsigned value = 5;
  CUlaunchAttributeValue v;
  start();
  OK(cuMemAlloc(&memory, 4096));
  printf("# shapes\n");
  shape("empty", 1, 1, 1, 32, 1, 1, 0);
  shape("empty", 0, 1, 1, 32, 1, 1, 0);
  shape("empty", 1, 1, 1, 0, 1, 1, 0);
  shape("empty", 1, 65536, 1, 32, 1, 1, 0);
  shape("empty", 1, 1, 65536, 32, 1, 1, 0);
  shape("empty", 2147483648u, 1, 1, 32, 1, 1, 0);
  shape("empty", 1, 1, 1, 1025, 1, 1, 0);
  shape("empty", 1, 1, 1, 1024, 2, 1, 0);
  shape("empty", 1, 1, 1, 1, 1, 65, 0);
  shape("empty", 1, 1, 1, 1024, 1, 1, 49152);
  shape("empty", 1, 1, 1, 32, 1, 1, 49153);
  shape("empty", 1, 1, 1, 32, 1, 1, 1000000);
  shape("fixed", 1, 1, 1, 32, 1, 1, 48152);
  shape("fixed", 1, 1, 1, 32, 1, 1, 48153);
  shape("most", 1, 1, 1, 128, 1, 1, 0);
  shape("most", 1, 1, 1, 129, 1, 1, 0);
  shape("exactly", 1, 1, 1, 64, 1, 1, 0);
  shape("exactly", 1, 1, 1, 32, 1, 1, 0);
  shape("exactly", 1, 1, 1, 32, 2, 1, 0);
  shape("pair", 2, 1, 1, 32, 1, 1, 0);
  shape("pair", 3, 1, 1, 32, 1, 1, 0);
  shape("any", 2, 1, 1, 32, 1, 1, 0);
  OK(cuFuncSetAttribute(kernel("reach"),
                        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                        100000));
  shape("reach", 1, 1, 1, 32, 1, 1, 100000);
  shape("reach", 1, 1, 1, 32, 1, 1, 100001);

  printf("# arguments\n");
  CUfunction store = kernel("store");
  char buffer[12];
  size_t bytes = 12;
  memcpy(buffer, &memory, 8);
  memcpy(buffer + 8, &value, 4);
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer,
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  void *arguments[] = {&memory, &value};
  R(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, 0, NULL, extra));
  bytes = 16;
  R(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, 0, NULL, extra));
  R(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, 0, arguments, extra));
  R(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL));
  R(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL));
  R(cuCtxSynchronize());

  printf("# clusters\n");
  clusters("empty", 8, 2, 1, 1);
  clusters("empty", 8, 8, 1, 1);
  clusters("empty", 16, 16, 1, 1);
  clusters("empty", 9, 2, 1, 1);
  clusters("empty", 8, 0, 1, 1);
  clusters("empty", 8, 1, 1, 1);
  clusters("empty", 8, 3, 1, 1);
  clusters("empty", 9, 3, 1, 1);
  clusters("empty", 8, 2, 2, 1);
  clusters("pair", 8, 2, 1, 1);
  clusters("pair", 8, 4, 1, 1);
  clusters("any", 8, 4, 1, 1);
  R(cuFuncSetAttribute(kernel("most"),
                       CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  clusters("most", 16, 16, 1, 1);
  clusters("most", 32, 32, 1, 1);
  R(cuCtxSynchronize());

  printf("# attributes\n");
  memset(&v, 0, sizeof(v));
  attribute("nothing", CU_LAUNCH_ATTRIBUTE_IGNORE, v);
  v.cooperative = 1;
  attribute("cooperative", CU_LAUNCH_ATTRIBUTE_COOPERATIVE, v);
  memset(&v, 0, sizeof(v));
  v.programmaticStreamSerializationAllowed = 1;
  attribute("programmatic serialization",
            CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, v);
  v.programmaticStreamSerializationAllowed = 5;
  attribute("programmatic 5",
            CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, v);
  memset(&v, 0, sizeof(v));
  v.priority = -3;
  attribute("priority", CU_LAUNCH_ATTRIBUTE_PRIORITY, v);
  memset(&v, 0, sizeof(v));
  v.clusterSchedulingPolicyPreference = CU_CLUSTER_SCHEDULING_POLICY_SPREAD;
  attribute("policy", CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
            v);
  memset(&v, 0, sizeof(v));
  v.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
  attribute("domain", CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, v);
  memset(&v, 0, sizeof(v));
  attribute("access policy", CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, v);
  CUevent event = NULL;
  OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  memset(&v, 0, sizeof(v));
  v.programmaticEvent.event = event;
  attribute("programmatic event", CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, v);
  memset(&v, 0, sizeof(v));
  attribute("unknown", (CUlaunchAttributeID)99, v);
  R(cuLaunchCooperativeKernel(kernel("empty"), 132, 1, 1, 32, 1, 1, 0, 0,
                              NULL));
  R(cuLaunchCooperativeKernel(kernel("empty"), 132 * 32, 1, 1, 32, 1, 1, 0, 0,
                              NULL));
  R(cuLaunchCooperativeKernel(kernel("empty"), 132 * 32 + 1, 1, 1, 32, 1, 1, 0,
                              0, NULL));
  R(cuCtxSynchronize());

  printf("# occupancy\n");
  occupancy("empty", 32, 0);
  occupancy("empty", 128, 0);
  occupancy("empty", 1024, 0);
  occupancy("empty", 33, 0);
  occupancy("empty", 1025, 0);
  occupancy("empty", 0, 0);
  occupancy("empty", 128, 10000);
  occupancy("empty", 128, 49152);
  occupancy("empty", 128, 49153);
  occupancy("fixed", 256, 20000);
  occupancy("most", 128, 0);
  occupancy("most", 256, 0);
  occupancy("exactly", 64, 0);
  occupancy("reach", 128, 100000);
  int least = 0, best = 0;
  R(cuOccupancyMaxPotentialBlockSize(&least, &best, kernel("empty"), NULL, 0,
                                     0));
  N(least);
  N(best);
  R(cuOccupancyMaxPotentialBlockSize(&least, &best, kernel("empty"), NULL,
                                     40000, 0));
  N(least);
  N(best);
  R(cuOccupancyMaxPotentialBlockSize(&least, &best, kernel("empty"), perBlock,
                                     0, 0));
  N(least);
  N(best);
  R(cuOccupancyMaxPotentialBlockSize(&least, &best, kernel("most"), NULL, 0,
                                     0));
  N(least);
  N(best);
  R(cuOccupancyMaxPotentialBlockSize(&least, &best, kernel("empty"), NULL, 0,
                                     200));
  N(least);
  N(best);
  clusterOccupancy("empty", 1, 128, 0);
  clusterOccupancy("empty", 2, 128, 0);
  clusterOccupancy("empty", 4, 128, 0);
  clusterOccupancy("empty", 8, 128, 0);
  clusterOccupancy("empty", 16, 128, 0);
  clusterOccupancy("most", 16, 128, 0);
  clusterOccupancy("empty", 2, 1024, 0);
  OK(cuFuncSetAttribute(kernel("reach"),
                        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                        232448));
  clusterOccupancy("reach", 2, 128, 232448);
  clusterOccupancy("reach", 4, 128, 232448);
  clusterOccupancy("reach", 8, 128, 232448);
  return 0;
}

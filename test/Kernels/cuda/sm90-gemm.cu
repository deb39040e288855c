// D = A * B^T in bf16 for sm_90a: a producer warpgroup fills a ring of stages
// with TMA, two consumer warpgroups multiply with wgmma, 64 rows each, and
// store with stmatrix and TMA. With -DCLUSTER=2 the CTAs of a cluster, which
// are neighbours along M, load half of their common tile of B each and
// multicast it.
//
// A is M x K, B is N x K, both K-major; M, N multiples of 128 (of 256 along M
// in clusters), K of 64.

#include <stdint.h>

#ifndef CLUSTER
#define CLUSTER 1
#endif

constexpr int tileM = 128, tileN = 128, tileK = 64, stages = 4;
constexpr int bytesA = tileM * tileK * 2, bytesB = tileN * tileK * 2;
constexpr int consumers = 2;

struct alignas(64) TensorMap {
  char opaque[128];
};

struct alignas(1024) Shared {
  alignas(1024) uint8_t a[stages][bytesA];
  alignas(1024) uint8_t b[stages][bytesB];
  alignas(1024) uint8_t d[tileM * tileN * 2];
  uint64_t full[stages], empty[stages];
};

__device__ uint32_t address(const void *pointer) {
  return uint32_t(__cvta_generic_to_shared(pointer));
}

__device__ uint32_t clusterRank() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

__device__ bool electOne() {
  uint32_t elected;
  asm volatile("{\n"
               ".reg .pred P;\n"
               "elect.sync _|P, 0xffffffff;\n"
               "selp.u32 %0, 1, 0, P;\n"
               "}\n"
               : "=r"(elected));
  return elected;
}

__device__ void initBarrier(uint64_t &barrier, uint32_t count) {
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(&barrier)),
      "r"(count));
}

__device__ void waitBarrier(uint64_t &barrier, uint32_t parity) {
  asm volatile("{\n"
               ".reg .pred P;\n"
               "LAB_WAIT:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 P, [%0], %1;\n"
               "@P bra DONE;\n"
               "bra LAB_WAIT;\n"
               "DONE:\n"
               "}\n" ::"r"(address(&barrier)),
               "r"(parity)
               : "memory");
}

__device__ void expectBytes(uint64_t &barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   address(&barrier)),
               "r"(bytes)
               : "memory");
}

/// Arrives at the barrier of the CTA `rank`, if `on`.
__device__ void arriveCluster(uint64_t &barrier, uint32_t rank, uint32_t on) {
  asm volatile("{\n"
               ".reg .pred p;\n"
               ".reg .b32 remote;\n"
               "setp.ne.b32 p, %2, 0;\n"
               "@p mapa.shared::cluster.u32 remote, %0, %1;\n"
               "@p mbarrier.arrive.shared::cluster.b64 _, [remote];\n"
               "}\n" ::"r"(address(&barrier)),
               "r"(rank), "r"(on)
               : "memory");
}

__device__ void load(const TensorMap &map, void *to, uint64_t &barrier, int x,
                     int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
      "bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(address(to)),
      "l"(&map), "r"(address(&barrier)), "r"(x), "r"(y)
      : "memory");
}

__device__ void loadMulticast(const TensorMap &map, void *to, uint64_t &barrier,
                              int x, int y, uint16_t mask) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
      "bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(
          address(to)),
      "l"(&map), "r"(address(&barrier)), "r"(x), "r"(y), "h"(mask)
      : "memory");
}

/// K-major, 128-byte swizzle, groups of eight rows 1024 bytes apart.
__device__ uint64_t descriptor(const void *tile) {
  uint64_t start = (address(tile) & 0x3ffff) >> 4;
  return start | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

__device__ void multiply(float (&d)[64], uint64_t a, uint64_t b,
                         int accumulate) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "
      "%30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, "
      "%44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, "
      "%58, %59, %60, %61, %62, %63}, %64, %65, p, 1, 1, 0, 0;\n"
      "}\n"
#define D8(i)                                                                  \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]),  \
      "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
      : D8(0), D8(8), D8(16), D8(24), D8(32), D8(40), D8(48), D8(56)
      : "l"(a), "l"(b), "r"(accumulate));
}

__device__ uint32_t pack(float low, float high) {
  uint32_t both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}

extern "C" __global__ void __launch_bounds__(128 * (1 + consumers), 1)
#if CLUSTER > 1
    __cluster_dims__(CLUSTER, 1, 1)
#endif
        gemm(const __grid_constant__ TensorMap mapA,
             const __grid_constant__ TensorMap mapB,
             const __grid_constant__ TensorMap mapD, int k) {
  extern __shared__ uint8_t memory[];
  Shared &shared = *reinterpret_cast<Shared *>(
      (reinterpret_cast<uintptr_t>(memory) + 1023) & ~uintptr_t(1023));
  const int warpgroup = threadIdx.x / 128;
  const uint32_t rank = CLUSTER > 1 ? clusterRank() : 0;
  const int row = blockIdx.x * tileM, column = blockIdx.y * tileN;
  const int blocks = k / tileK;

  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s) {
      initBarrier(shared.full[s], 1);
      initBarrier(shared.empty[s], consumers * CLUSTER);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  if (CLUSTER > 1) {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
  } else {
    __syncthreads();
  }

  if (warpgroup == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x < 32 && electOne()) {
      asm volatile("prefetch.tensormap [%0];" ::"l"(&mapA) : "memory");
      asm volatile("prefetch.tensormap [%0];" ::"l"(&mapB) : "memory");
      for (int i = 0; i < blocks; ++i) {
        int s = i % stages;
        waitBarrier(shared.empty[s], (i / stages + 1) & 1);
        expectBytes(shared.full[s], bytesA + bytesB);
        load(mapA, shared.a[s], shared.full[s], i * tileK, row);
        if (CLUSTER > 1) {
          int part = rank * (tileN / CLUSTER);
          loadMulticast(mapB, shared.b[s] + part * tileK * 2, shared.full[s],
                        i * tileK, column + part, (1 << CLUSTER) - 1);
        } else {
          load(mapB, shared.b[s], shared.full[s], i * tileK, column);
        }
      }
      // Nobody signals the empty barriers of a CTA that has exited.
      for (int i = blocks; CLUSTER > 1 && i < blocks + stages; ++i)
        waitBarrier(shared.empty[i % stages], (i / stages + 1) & 1);
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int part = warpgroup - 1;
    const uint32_t thread = threadIdx.x % 128;
    float d[64];
    for (int i = 0; i < blocks; ++i) {
      int s = i % stages;
      waitBarrier(shared.full[s], (i / stages) & 1);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      uint64_t a = descriptor(shared.a[s] + part * 64 * tileK * 2);
      uint64_t b = descriptor(shared.b[s]);
#pragma unroll
      for (int step = 0; step < tileK / 16; ++step)
        multiply(d, a + 2 * step, b + 2 * step, i != 0 || step != 0);
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      // The block before this one has been read.
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
      if (i > 0)
        arriveCluster(shared.empty[(i - 1) % stages], thread, thread < CLUSTER);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    arriveCluster(shared.empty[(blocks - 1) % stages], thread,
                  thread < CLUSTER);

    // Two boxes of 64 by 64 in the 128-byte swizzle.
    const uint32_t lane = thread % 32;
    const uint32_t inTile = thread / 32 * 16 + lane % 16;
    uint8_t *tile = shared.d + part * 64 * tileN * 2;
#pragma unroll
    for (int j = 0; j < tileN / 16; ++j) {
      uint32_t col = 16 * j + lane / 16 * 8;
      uint32_t chunk = (col % 64 / 8) ^ (inTile % 8);
      uint32_t to = address(tile) + col / 64 * 8192 + inTile * 128 + chunk * 16;
      const float *x = d + 8 * j;
      asm volatile(
          "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::
              "r"(to),
          "r"(pack(x[0], x[1])), "r"(pack(x[2], x[3])), "r"(pack(x[4], x[5])),
          "r"(pack(x[6], x[7]))
          : "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("bar.sync %0, 128;" ::"r"(1 + part) : "memory");
    if (thread == 0) {
      for (int box = 0; box < 2; ++box)
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
                     "[%0, {%2, %3}], [%1];" ::"l"(&mapD),
                     "r"(address(tile) + box * 8192), "r"(column + box * 64),
                     "r"(row + part * 64)
                     : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
  }
}

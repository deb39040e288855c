// D = A * B^T, bf16 to f32, for sm_100a. Persistent: warp 0 fills a ring of
// stages with TMA, warp 1 multiplies with tcgen05.mma into two accumulators in
// turn, warps 2 to 5 store the one that is ready. With -DPAIR=1 a CTA pair
// shares a tile of 256 rows: .cta_group::2.
//
// A is M x K, B is N x K, both K-major; M a multiple of 128 (256 for pairs), N
// of 128, K of 64.

#include <stdint.h>

#ifndef PAIR
#define PAIR 0
#endif

#if PAIR
#define GROUP "cta_group::2"
#else
#define GROUP "cta_group::1"
#endif

constexpr int ctas = PAIR ? 2 : 1;
constexpr int rowsA = 128, columns = 128, depth = 64, stages = 4;
constexpr int rowsB = columns / ctas;
constexpr int bytesA = rowsA * depth * 2, bytesB = rowsB * depth * 2;
constexpr int epilogueThreads = 128;

struct alignas(64) TensorMap {
  char opaque[128];
};

struct alignas(1024) Shared {
  alignas(1024) uint8_t a[stages][bytesA];
  alignas(1024) uint8_t b[stages][bytesB];
  uint64_t full[stages], empty[stages];
  uint64_t ready[2], drained[2];
  uint32_t tensorAddress;
};

__device__ uint32_t address(const void *pointer) {
  return uint32_t(__cvta_generic_to_shared(pointer));
}

__device__ uint32_t clusterRank() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// The same place in the even CTA of the pair.
__device__ uint32_t inLeader(uint32_t shared) {
  return PAIR ? shared & 0xfeffffff : shared;
}

__device__ void initBarrier(uint64_t &barrier, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
                   address(&barrier)),
               "r"(count));
}

__device__ void waitBarrier(uint64_t &barrier, uint32_t parity) {
  asm volatile("{\n"
               ".reg .pred P;\n"
               "AGAIN:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 P, [%0], %1;\n"
               "@!P bra AGAIN;\n"
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

/// Arrives on the even CTA's barrier.
__device__ void arriveInLeader(uint64_t &barrier) {
  asm volatile("{\n"
               ".reg .b32 place;\n"
               "mapa.shared::cluster.u32 place, %0, %1;\n"
               "mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
               "[place];\n"
               "}\n" ::"r"(address(&barrier)),
               "r"(PAIR ? clusterRank() & ~1u : clusterRank())
               : "memory");
}

__device__ void load(const TensorMap &map, int k, int row, void *to,
                     uint64_t &barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile."
               "mbarrier::complete_tx::bytes." GROUP
               " [%0], [%1, {%2, %3}], [%4];" ::"r"(address(to)),
               "l"(&map), "r"(k), "r"(row), "r"(inLeader(address(&barrier)))
               : "memory");
}

/// K-major tile with the 128-byte swizzle.
__device__ uint64_t descriptor(uint32_t shared) {
  return uint64_t((shared & 0x3ffff) >> 4) | uint64_t(1024 >> 4) << 32 |
         uint64_t(1) << 46 | uint64_t(2) << 61;
}

__device__ void multiply(uint32_t d, uint64_t a, uint64_t b, bool accumulate) {
  // bf16 by bf16 to f32.
  constexpr uint32_t instruction = 1u << 4 | 1u << 7 | 1u << 10 |
                                   (columns / 8) << 17 |
                                   (rowsA * ctas / 16) << 24;
  asm volatile("{\n"
               ".reg .pred P;\n"
               "setp.ne.u32 P, %4, 0;\n"
               "tcgen05.mma." GROUP ".kind::f16 [%0], %1, %2, %3, P;\n"
               "}\n" ::"r"(d),
               "l"(a), "l"(b), "r"(instruction), "r"(uint32_t(accumulate))
               : "memory");
}

/// Arrives in all CTAs that share the tile when the mmas before are complete.
__device__ void commit(uint64_t &barrier) {
#if PAIR
  uint16_t mask = uint16_t(3u << (clusterRank() & ~1u));
  asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one."
               "shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(
                   address(&barrier)),
               "h"(mask)
               : "memory");
#else
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one."
               "shared::cluster.b64 [%0];" ::"r"(address(&barrier))
               : "memory");
#endif
}

__device__ void loadAccumulator(uint32_t from, uint32_t (&r)[16]) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x16.b32 {%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15}, [%16];\n"
      "tcgen05.wait::ld.sync.aligned;"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]),
        "=r"(r[6]), "=r"(r[7]), "=r"(r[8]), "=r"(r[9]), "=r"(r[10]),
        "=r"(r[11]), "=r"(r[12]), "=r"(r[13]), "=r"(r[14]), "=r"(r[15])
      : "r"(from)
      : "memory");
}

__device__ void beforeSync() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}
__device__ void afterSync() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

/// All threads of all CTAs that share the tile.
__device__ void syncTile() {
  beforeSync();
#if PAIR
  asm volatile("barrier.cluster.arrive.release.aligned;\n"
               "barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
#else
  __syncthreads();
#endif
  afterSync();
}

#if PAIR
#define CLUSTER __cluster_dims__(2, 1, 1)
#else
#define CLUSTER
#endif

extern "C" __global__ void CLUSTER __launch_bounds__(192)
    gemm(const __grid_constant__ TensorMap mapA,
         const __grid_constant__ TensorMap mapB, float *d, int m, int n,
         int k) {
  extern __shared__ uint8_t memory[];
  Shared &shared = *reinterpret_cast<Shared *>(
      memory + ((1024 - (address(memory) & 1023)) & 1023));
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int half = PAIR ? int(clusterRank() & 1) : 0;
  const bool isLeader = half == 0;
  const int tileColumns = n / columns;
  const int tiles = m / (rowsA * ctas) * tileColumns;
  const int firstTile = blockIdx.x / ctas, step = gridDim.x / ctas;
  const int steps = k / depth;

  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s) {
      initBarrier(shared.full[s], 1);
      initBarrier(shared.empty[s], 1);
    }
    for (int s = 0; s < 2; ++s) {
      initBarrier(shared.ready[s], 1);
      initBarrier(shared.drained[s], epilogueThreads * ctas);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
#if PAIR
  // Whoever allocates must know that the other CTA runs.
  syncTile();
#endif
  if (warp == 1) {
    asm volatile("tcgen05.alloc." GROUP
                 ".sync.aligned.shared::cta.b32 [%0], 256;\n"
                 "tcgen05.relinquish_alloc_permit." GROUP ".sync.aligned;" ::"r"(
                     address(&shared.tensorAddress))
                 : "memory");
  }
  syncTile();
  const uint32_t tensor = shared.tensorAddress;

  if (warp == 0 && lane == 0) {
    int stage = 0, phase = 0;
    for (int tile = firstTile; tile < tiles; tile += step) {
      int rowA = tile / tileColumns * rowsA * ctas + half * rowsA;
      int rowB = tile % tileColumns * columns + half * rowsB;
      for (int i = 0; i < steps; ++i) {
        waitBarrier(shared.empty[stage], phase ^ 1);
        if (isLeader)
          expectBytes(shared.full[stage], ctas * (bytesA + bytesB));
        load(mapA, i * depth, rowA, shared.a[stage], shared.full[stage]);
        load(mapB, i * depth, rowB, shared.b[stage], shared.full[stage]);
        if (++stage == stages) {
          stage = 0;
          phase ^= 1;
        }
      }
    }
    // The leader's last commits are still to come to the other CTA.
    for (int s = 0; s < stages; ++s) {
      waitBarrier(shared.empty[stage], phase ^ 1);
      if (++stage == stages) {
        stage = 0;
        phase ^= 1;
      }
    }
  } else if (warp == 1 && lane == 0 && isLeader) {
    int stage = 0, phase = 0, count = 0;
    for (int tile = firstTile; tile < tiles; tile += step, ++count) {
      const int buffer = count & 1;
      waitBarrier(shared.drained[buffer], (count >> 1 & 1) ^ 1);
      afterSync();
      for (int i = 0; i < steps; ++i) {
        waitBarrier(shared.full[stage], phase);
        afterSync();
        uint64_t a = descriptor(address(shared.a[stage]));
        uint64_t b = descriptor(address(shared.b[stage]));
        for (int j = 0; j < depth / 16; ++j)
          multiply(tensor + buffer * columns, a + 2 * j, b + 2 * j,
                   i + j > 0);
        commit(shared.empty[stage]);
        if (++stage == stages) {
          stage = 0;
          phase ^= 1;
        }
      }
      commit(shared.ready[buffer]);
    }
  } else if (warp >= 2) {
    const int quarter = warp % 4;
    int count = 0;
    for (int tile = firstTile; tile < tiles; tile += step, ++count) {
      const int buffer = count & 1;
      waitBarrier(shared.ready[buffer], count >> 1 & 1);
      afterSync();
      int row = tile / tileColumns * rowsA * ctas + half * rowsA +
                quarter * 32 + lane;
      float *to = d + size_t(row) * n + tile % tileColumns * columns;
      uint32_t from = tensor + buffer * columns + (quarter << 21);
      for (int c = 0; c < columns; c += 16) {
        uint32_t r[16];
        loadAccumulator(from + c, r);
        for (int i = 0; i < 16; i += 4)
          *reinterpret_cast<uint4 *>(to + c + i) =
              make_uint4(r[i], r[i + 1], r[i + 2], r[i + 3]);
      }
      beforeSync();
      arriveInLeader(shared.drained[buffer]);
    }
  }
  __syncwarp();
  syncTile();
  if (warp == 1)
    asm volatile("tcgen05.dealloc." GROUP ".sync.aligned.b32 %0, 256;" ::"r"(
        tensor));
}

// Block-scaled GEMM for sm_100a in one CTA per 128 x 128 tile: D = A * B^T in
// f32, where A and B are rows of e4m3 with a UE8M0 scale for every 32 elements
// or, with -DFP4, of e2m1 with a UE4M3 scale for every 16.
//
// A stage is 128 bytes of every row. Its scales lie in memory as tensor memory
// wants them: for every 128 rows and four scales along K a block of 512 bytes,
// row r's in bytes (r % 32) * 16 + (r / 32) * 4 onwards; tcgen05.cp spreads
// such a block over four columns.

#include <cstdint>

#ifdef FP4
constexpr int perByte = 2, scaleBlocks = 4; // 16 scales of 16 elements.
#else
constexpr int perByte = 1, scaleBlocks = 1; // 4 scales of 32 elements.
#endif
constexpr int tile = 128, stages = 2, stageBytes = tile * 128;
constexpr int scaleBytes = scaleBlocks * 512;
constexpr int columnsA = 128, columnsB = columnsA + 4 * scaleBlocks;

struct alignas(128) TensorMap {
  char bytes[128];
};

struct alignas(1024) Shared {
  char a[stages][stageBytes], b[stages][stageBytes];
  char scalesA[stages][scaleBytes], scalesB[stages][scaleBytes];
  uint64_t full[stages], empty[stages], done;
  uint32_t tensor;
};

__device__ uint32_t address(const void *p) {
  return uint32_t(__cvta_generic_to_shared(p));
}
__device__ void wait(uint64_t *barrier, uint32_t parity) {
  asm volatile("{\n.reg .pred p;\nWAIT:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
               "@!p bra WAIT;\n}" ::"r"(address(barrier)),
               "r"(parity)
               : "memory");
}
__device__ void loadTile(const TensorMap *map, void *to, int k, int row,
                         uint64_t *barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
      "complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(address(to)),
      "l"(map), "r"(k), "r"(row), "r"(address(barrier))
      : "memory");
}
__device__ void loadBytes(const char *from, void *to, int bytes,
                          uint64_t *barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
               "bytes [%0], [%1], %2, [%3];" ::"r"(address(to)),
               "l"(from), "r"(bytes), "r"(address(barrier))
               : "memory");
}
/// 128-byte swizzle, eight rows every 1024 bytes.
__device__ uint64_t tileDescriptor(uint32_t at) {
  return uint64_t(at >> 4) | 64ull << 32 | 1ull << 46 | 2ull << 61;
}
/// No swizzle: 32 rows of 16 bytes, eight of them every 128 bytes.
__device__ uint64_t scaleDescriptor(uint32_t at) {
  return uint64_t(at >> 4) | 8ull << 32 | 1ull << 46;
}
__device__ void copyScales(uint32_t to, const char *from) {
  for (int block = 0; block < scaleBlocks; ++block)
    asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(
                     to + 4 * block),
                 "l"(scaleDescriptor(address(from) + 512 * block))
                 : "memory");
}
__device__ void multiply(uint32_t d, uint32_t a, uint32_t b, int step,
                         bool accumulate) {
#ifdef FP4
  // e2m1, N, UE4M3, M; every step has columns of scales of its own.
  uint32_t descriptor = 1u << 7 | 1u << 10 | (tile >> 3) << 17 | 1u << 27;
  uint32_t scaleA = d + columnsA + 4 * step, scaleB = d + columnsB + 4 * step;
#define KIND "mxf4nvf4.block_scale.scale_vec::4X"
#else
  // e4m3, N, UE8M0, M; a step's scales are byte `step` of the same columns.
  uint32_t descriptor =
      step << 4 | (tile >> 3) << 17 | 1u << 23 | 1u << 27 | step << 29;
  uint32_t scaleA = d + columnsA, scaleB = d + columnsB;
#define KIND "mxf8f6f4.block_scale.scale_vec::1X"
#endif
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %6, 0;\n"
               "tcgen05.mma.cta_group::1.kind::" KIND
               " [%0], %1, %2, %3, [%4], [%5], p;\n}" ::"r"(d),
               "l"(tileDescriptor(a + 32 * step)),
               "l"(tileDescriptor(b + 32 * step)), "r"(descriptor), "r"(scaleA),
               "r"(scaleB), "r"(uint32_t(accumulate))
               : "memory");
}
__device__ void commit(uint64_t *barrier) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::"
               "cluster.b64 [%0];" ::"r"(address(barrier))
               : "memory");
}

extern "C" __global__ void __launch_bounds__(128)
    gemm(const __grid_constant__ TensorMap mapA,
         const __grid_constant__ TensorMap mapB, const char *scalesA,
         const char *scalesB, float *d, int n, int k) {
  extern __shared__ __align__(1024) char raw[];
  Shared &shared = *reinterpret_cast<Shared *>(raw);
  int warp = threadIdx.x / 32, tiles = k / (128 * perByte);
  if (threadIdx.x == 0) {
    for (uint64_t *barrier = shared.full; barrier <= &shared.done; ++barrier)
      asm volatile(
          "mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(barrier))
          : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  if (warp == 0) {
    asm volatile(
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 "
        "[%0], 256;\n"
        "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::"r"(
            address(&shared.tensor))
        : "memory");
  }
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  uint32_t tensor = shared.tensor;

  if (threadIdx.x == 0) {
    auto load = [&](int t) {
      int s = t % stages;
      if (t >= stages)
        wait(&shared.empty[s], (t / stages - 1) & 1);
      asm volatile(
          "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
              address(&shared.full[s])),
          "r"(2 * (stageBytes + scaleBytes))
          : "memory");
      loadTile(&mapA, shared.a[s], 128 * t, tile * blockIdx.x, &shared.full[s]);
      loadTile(&mapB, shared.b[s], 128 * t, tile * blockIdx.y, &shared.full[s]);
      loadBytes(scalesA + (size_t(blockIdx.x) * tiles + t) * scaleBytes,
                shared.scalesA[s], scaleBytes, &shared.full[s]);
      loadBytes(scalesB + (size_t(blockIdx.y) * tiles + t) * scaleBytes,
                shared.scalesB[s], scaleBytes, &shared.full[s]);
    };
    load(0);
    for (int t = 0; t < tiles; ++t) {
      int s = t % stages;
      if (t + 1 < tiles)
        load(t + 1);
      wait(&shared.full[s], (t / stages) & 1);
      asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
      copyScales(tensor + columnsA, shared.scalesA[s]);
      copyScales(tensor + columnsB, shared.scalesB[s]);
      for (int step = 0; step < 4; ++step)
        multiply(tensor, address(shared.a[s]), address(shared.b[s]), step,
                 t + step > 0);
      commit(&shared.empty[s]);
    }
    commit(&shared.done);
  }
  __syncwarp();
  wait(&shared.done, 0);
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  float *row =
      d + size_t(tile * blockIdx.x + threadIdx.x) * n + tile * blockIdx.y;
  for (int column = 0; column < tile; column += 4) {
    float v[4];
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, "
                 "[%4];\ntcgen05.wait::ld.sync.aligned;"
                 : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                 : "r"(tensor + (uint32_t(32 * warp) << 16) + column));
    *reinterpret_cast<float4 *>(row + column) =
        make_float4(v[0], v[1], v[2], v[3]);
  }
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  if (warp == 0)
    asm volatile(
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 256;" ::"r"(tensor));
}

// D = A B for sm_80, as a CUDA kernel writer would do it: a ring of stages
// that cp.async fills, ldmatrix, mma.sync, any M, N, K.
//
// A is M x K in rows and B is N x K in rows (K-major), pitches multiples of 16
// bytes; `gemm_f16_nn` has B as K x N in rows and reads it with ldmatrix.trans.
// Shared memory is swizzled: of the 16-byte chunks of a row, number c lies at
// c ^ (row % chunks).

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace {

template <int Bytes>
__device__ __forceinline__ void copyAsync(uint32_t to, const void *from,
                                          int valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], %2, %3;" ::"r"(to),
               "l"(from), "n"(Bytes), "r"(valid));
}

__device__ __forceinline__ uint32_t sharedAddress(const void *pointer) {
  return uint32_t(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void ldmatrix4(uint32_t (&r)[4], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(at));
}

__device__ __forceinline__ void ldmatrix4Transposed(uint32_t (&r)[4],
                                                    uint32_t at) {
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
      : "r"(at));
}

#define MMA(NAME, SHAPE, TYPES, ACCUMULATOR, CONSTRAINT)                       \
  struct NAME {                                                                \
    using Sum = ACCUMULATOR;                                                   \
    static __device__ __forceinline__ void                                     \
    multiply(ACCUMULATOR (&d)[4], const uint32_t (&a)[4], uint32_t b0,         \
             uint32_t b1) {                                                    \
      asm volatile("mma.sync.aligned." SHAPE ".row.col." TYPES                 \
                   " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"    \
                   : "+" CONSTRAINT(d[0]), "+" CONSTRAINT(d[1]),               \
                     "+" CONSTRAINT(d[2]), "+" CONSTRAINT(d[3])                \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0),      \
                     "r"(b1));                                                 \
    }                                                                          \
  };

MMA(F16, "m16n8k16", "f32.f16.f16.f32", float, "f")
MMA(BF16, "m16n8k16", "f32.bf16.bf16.f32", float, "f")
MMA(TF32, "m16n8k8", "f32.tf32.tf32.f32", float, "f")
MMA(S8, "m16n8k32", "s32.s8.s8.s32", int32_t, "r")

/// A tile of rows of `Chunks` chunks of 16 bytes, filled by the CTA's threads.
template <int Rows, int Chunks, int Threads>
__device__ __forceinline__ void
fillTile(uint32_t tile, const char *matrix, size_t pitch, int firstRow,
         int rows, int firstByte, int rowBytes) {
#pragma unroll
  for (int i = 0; i < Rows * Chunks; i += Threads) {
    int index = i + threadIdx.x;
    int row = index / Chunks, chunk = index % Chunks;
    int byte = firstByte + 16 * chunk;
    int valid = firstRow + row < rows ? min(max(rowBytes - byte, 0), 16) : 0;
    const char *from = matrix + size_t(firstRow + row) * pitch + byte;
    copyAsync<16>(tile + row * Chunks * 16 +
                      ((chunk ^ (row % Chunks)) * 16),
                  valid ? from : matrix, valid);
  }
}

/// The address of row `row`, chunk `chunk` in a tile.
template <int Chunks>
__device__ __forceinline__ uint32_t place(uint32_t tile, int row, int chunk) {
  return tile + row * Chunks * 16 + ((chunk ^ (row % Chunks)) * 16);
}

/// A CTA of 4 warps, 64 x 64 of D; a warp has 32 x 32. A stage holds 64 bytes
/// of K of A and of B.
template <class Mma, int ElementBytes, int Stages, bool BByRows>
__device__ __forceinline__ void gemm(const char *a, const char *b,
                                     typename Mma::Sum *d, int m, int n, int k,
                                     int aPitch, int bPitch, int dPitch) {
  constexpr int Chunks = 4, KBytes = 16 * Chunks;
  constexpr int KElements = KBytes / ElementBytes;
  // B by rows: KElements rows of 64 elements.
  constexpr int BChunks = BByRows ? 64 * ElementBytes / 16 : Chunks;
  constexpr int BRows = BByRows ? KElements : 64;
  constexpr int ABytes = 64 * KBytes, BBytes = BRows * BChunks * 16;
  extern __shared__ __align__(128) char shared[];
  const uint32_t base = sharedAddress(shared);
  const int firstRow = blockIdx.y * 64, firstColumn = blockIdx.x * 64;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warpRow = warp / 2 * 32, warpColumn = warp % 2 * 32;
  const int steps = (k + KElements - 1) / KElements;

  auto fill = [&](int step) {
    uint32_t stage = base + step % Stages * (ABytes + BBytes);
    fillTile<64, Chunks, 128>(stage, a, aPitch, firstRow, m, step * KBytes,
                              k * ElementBytes);
    if constexpr (BByRows)
      fillTile<BRows, BChunks, 128>(stage + ABytes, b, bPitch,
                                    step * KElements, k,
                                    firstColumn * ElementBytes,
                                    n * ElementBytes);
    else
      fillTile<64, Chunks, 128>(stage + ABytes, b, bPitch, firstColumn, n,
                                step * KBytes, k * ElementBytes);
  };
  for (int s = 0; s < Stages - 1; ++s) {
    if (s < steps)
      fill(s);
    asm volatile("cp.async.commit_group;");
  }

  typename Mma::Sum sum[2][4][4] = {};
  for (int step = 0; step < steps; ++step) {
    asm volatile("cp.async.wait_group %0;" ::"n"(Stages - 2));
    __syncthreads();
    if (step + Stages - 1 < steps)
      fill(step + Stages - 1);
    asm volatile("cp.async.commit_group;");
    uint32_t aTile = base + step % Stages * (ABytes + BBytes);
    uint32_t bTile = aTile + ABytes;
    // 32 bytes of K at a time, whatever the type.
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      uint32_t aRegisters[2][4], bRegisters[2][4];
      for (int i = 0; i < 2; ++i)
        ldmatrix4(aRegisters[i],
                  place<Chunks>(aTile, warpRow + 16 * i + lane % 16,
                                2 * half + lane / 16));
      // Two columns of eight at a time: registers 0 and 1 of the first, 2 and
      // 3 of the second.
      for (int j = 0; j < 2; ++j) {
        if constexpr (BByRows) {
          int row = half * (KElements / 2) + lane % 16;
          int chunk = (warpColumn + 16 * j) / 8 + lane / 16;
          ldmatrix4Transposed(bRegisters[j],
                              place<BChunks>(bTile, row, chunk));
        } else {
          ldmatrix4(bRegisters[j],
                    place<Chunks>(bTile,
                                  warpColumn + 16 * j + lane % 8 +
                                      lane / 16 * 8,
                                  2 * half + lane / 8 % 2));
        }
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
          Mma::multiply(sum[i][j], aRegisters[i], bRegisters[j / 2][j % 2 * 2],
                        bRegisters[j / 2][j % 2 * 2 + 1]);
    }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e) {
        int row = firstRow + warpRow + 16 * i + lane / 4 + e / 2 * 8;
        int column = firstColumn + warpColumn + 8 * j + lane % 4 * 2 + e % 2;
        if (row < m && column < n)
          d[size_t(row) * dPitch + column] = sum[i][j][e];
      }
}

} // namespace

#define KERNEL(NAME, MMA_, BYTES, STAGES, BY_ROWS)                             \
  extern "C" __global__ void __launch_bounds__(128)                            \
      NAME(const char *a, const char *b, MMA_::Sum *d, int m, int n, int k,    \
           int aPitch, int bPitch, int dPitch) {                               \
    gemm<MMA_, BYTES, STAGES, BY_ROWS>(a, b, d, m, n, k, aPitch, bPitch,       \
                                       dPitch);                                \
  }

KERNEL(gemm_f16, F16, 2, 3, false)
KERNEL(gemm_f16_nn, F16, 2, 4, true)
KERNEL(gemm_bf16, BF16, 2, 2, false)
KERNEL(gemm_tf32, TF32, 4, 3, false)
KERNEL(gemm_s8, S8, 1, 4, false)

// TMA: tensor maps and copies.

// RUN: bwgemm-opt %s | FileCheck %s
// RUN: bwgemm-opt %s | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --mlir-print-op-generic | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --emit-bytecode | bwgemm-opt | FileCheck %s

// CHECK-LABEL: func @copies
func.func @copies(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %a: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>,
                  %ring: !bwgemm.smem<4x128x64xbf16, k_major, swizzle = 128B>, %full: !bwgemm.mbarrier<4>,
                  %m: index, %k: index, %stage: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // CHECK: bwgemm.tensor_map.prefetch %{{.*}} : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>
  bwgemm.tensor_map.prefetch %map : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>
  // CHECK: bwgemm.tma_load %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}[%c0, %c0], %{{.*}}[%{{.*}}] : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<4>
  bwgemm.tma_load %map[%m, %k], %a[%c0, %c0], %full[%stage]
      : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<4>
  // The second of two boxes of a stage.
  // CHECK: bwgemm.tma_load %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}[%{{.*}}, %c64, %c0], %{{.*}}[%{{.*}}] : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<4x128x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<4>
  bwgemm.tma_load %map[%m, %k], %ring[%stage, %c64, %c0], %full[%stage]
      : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<4x128x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<4>
  return
}

// Without swizzle the 64 x 64 tile of bf16 takes eight copies of 64 x 8; an
// MN-major tile has its columns along MN.
// CHECK-LABEL: func @columns
func.func @columns(%map: !bwgemm.tensor_map<64x8xbf16>, %k_major: !bwgemm.smem<64x64xbf16, k_major>,
                   %mn_major: !bwgemm.smem<64x64xbf16, mn_major>, %full: !bwgemm.mbarrier<1>, %i: index) {
  %c0 = arith.constant 0 : index
  %c56 = arith.constant 56 : index
  // CHECK: bwgemm.tma_load %{{.*}}, %{{.*}}[%c0, %c56]
  bwgemm.tma_load %map[%i, %i], %k_major[%c0, %c56], %full[%c0]
      : !bwgemm.tensor_map<64x8xbf16>, !bwgemm.smem<64x64xbf16, k_major>, !bwgemm.mbarrier<1>
  // CHECK: bwgemm.tma_load %{{.*}}, %{{.*}}[%c56, %c0]
  bwgemm.tma_load %map[%i, %i], %mn_major[%c56, %c0], %full[%c0]
      : !bwgemm.tensor_map<64x8xbf16>, !bwgemm.smem<64x64xbf16, mn_major>, !bwgemm.mbarrier<1>
  return
}

// CHECK-LABEL: func @stores
func.func @stores(%map: !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>, %tiles: !bwgemm.smem<2x128x64xbf16, k_major, swizzle = 128B>,
                  %m: index, %n: index, %stage: index) {
  %c0 = arith.constant 0 : index
  // CHECK: bwgemm.tma_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}[%{{.*}}, %c0, %c0] : !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>, !bwgemm.smem<2x128x64xbf16, k_major, swizzle = 128B>
  bwgemm.tma_store %map[%m, %n], %tiles[%stage, %c0, %c0]
      : !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>, !bwgemm.smem<2x128x64xbf16, k_major, swizzle = 128B>
  // CHECK: bwgemm.tma_store.commit
  bwgemm.tma_store.commit
  // CHECK: bwgemm.tma_store.wait 1 read
  bwgemm.tma_store.wait 1 read
  // CHECK: bwgemm.tma_store.wait 0{{$}}
  bwgemm.tma_store.wait 0
  return
}

// The types by themselves: what is printed parses again, in text, in the
// generic form and in bytecode.

// RUN: bwgemm-opt %s | FileCheck %s
// RUN: bwgemm-opt %s | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --mlir-print-op-generic | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --emit-bytecode | bwgemm-opt | FileCheck %s

// CHECK-LABEL: @tensor_maps
// CHECK-SAME: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>
// CHECK-SAME: !bwgemm.tensor_map<64x8xbf16>
// CHECK-SAME: !bwgemm.tensor_map<256x256xi8>
// CHECK-SAME: !bwgemm.tensor_map<4xf32>
// CHECK-SAME: !bwgemm.tensor_map<1x2x3x4x16xf16, swizzle = 32B>
func.func private @tensor_maps(
    !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>,
    // No swizzle is not printed.
    !bwgemm.tensor_map<64x8xbf16, swizzle = none>,
    !bwgemm.tensor_map<256x256xi8>,
    !bwgemm.tensor_map<4xf32>,
    !bwgemm.tensor_map<1x2x3x4x16xf16, swizzle = <1, 4, 3>>)

// CHECK-LABEL: @tiles
// CHECK-SAME: !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
// CHECK-SAME: !bwgemm.smem<4x128x64xf16, k_major, swizzle = 64B>
// CHECK-SAME: !bwgemm.smem<64x16xbf16, mn_major, swizzle = 32B>
// CHECK-SAME: !bwgemm.smem<8x8xbf16, k_major>
// CHECK-SAME: !bwgemm.smem<64x64xbf16, k_major, swizzle = <2, 5, 2>>
// CHECK-SAME: !bwgemm.smem<1816x64xbf16, k_major, swizzle = 128B>
func.func private @tiles(
    !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>,
    !bwgemm.smem<4x128x64xf16, k_major, swizzle = 64B>,
    !bwgemm.smem<64x16xbf16, mn_major, swizzle = 32B>,
    !bwgemm.smem<8x8xbf16, k_major>,
    !bwgemm.smem<64x64xbf16, k_major, swizzle = <2, 5, 2>>,
    // 1816 x 64 x 2 = 232448 bytes: all that a CTA has.
    !bwgemm.smem<1816x64xbf16, k_major, swizzle = 128B>)

// CHECK-LABEL: @accumulators
// CHECK-SAME: !bwgemm.tmem<64x8xf32>, !bwgemm.tmem<128x512xf32>
// CHECK-SAME: !bwgemm.acc<1x1xf32>, !bwgemm.acc<65536x65536xf32>
func.func private @accumulators(
    !bwgemm.tmem<64x8xf32>, !bwgemm.tmem<128x512xf32>,
    !bwgemm.acc<1x1xf32>, !bwgemm.acc<65536x65536xf32>)

// CHECK-LABEL: @slots_and_barriers
// CHECK-SAME: !bwgemm.tmem_slot<32>, !bwgemm.tmem_slot<512>
// CHECK-SAME: !bwgemm.mbarrier<1>, !bwgemm.mbarrier<29056>
func.func private @slots_and_barriers(
    !bwgemm.tmem_slot<32>, !bwgemm.tmem_slot<512>,
    !bwgemm.mbarrier<1>, !bwgemm.mbarrier<29056>)

// CHECK-LABEL: @responses
// CHECK-SAME: !bwgemm.work<1>, !bwgemm.work<14528>, !bwgemm.ring<3 x (!bwgemm.work<1>)>
func.func private @responses(
    !bwgemm.work<1>, !bwgemm.work<14528>, !bwgemm.ring<3 x (!bwgemm.work<1>)>)

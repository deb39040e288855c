//===- SharedLayout.cpp - Matrices in shared memory, as MMAs see *- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/SharedLayout.h"

#include <algorithm>

namespace bwgemm::emulator {

static uint32_t field(uint64_t bits, unsigned from, unsigned width) {
  return uint32_t((bits >> from) & ((1ull << width) - 1));
}

bool MatrixDescriptor::decode(uint64_t bits, MatrixDescriptor &result,
                              std::string &error, bool &unsupported) {
  auto refuse = [&](bool notModelled, std::string text) {
    unsupported = notModelled;
    error = "shared memory descriptor: " + std::move(text);
    return false;
  };
  // The ISA gives bits 46..48 as the constant 0b001; a descriptor made for
  // sm_90 has zero there.
  if (uint32_t version = field(bits, 46, 3); version != 1)
    return refuse(false, "bits 46..48 are " + std::to_string(version) +
                             ", expected the constant 1 of sm_100");
  if (field(bits, 52, 1))
    return refuse(true, "an absolute leading dimension address (bit 52) "
                        "exists on sm_103a alone and is not modelled");
  if (uint32_t zero = field(bits, 53, 8))
    return refuse(false,
                  "bits 53..60 are " + std::to_string(zero) + ", expected 0");
  uint32_t layout = field(bits, 61, 3);
  MatrixDescriptor decoded;
  switch (layout) {
  case 0:
    decoded.swizzle = TensorSwizzle::None;
    break;
  case 1:
    decoded.swizzle = TensorSwizzle::B128;
    decoded.atom32 = true;
    break;
  case 2:
    decoded.swizzle = TensorSwizzle::B128;
    break;
  case 4:
    decoded.swizzle = TensorSwizzle::B64;
    break;
  case 6:
    decoded.swizzle = TensorSwizzle::B32;
    break;
  default:
    return refuse(false, "layout " + std::to_string(layout) +
                             ", expected 0 (none), 1 (128B with 32B atom), 2 "
                             "(128B), 4 (64B) or 6 (32B)");
  }
  decoded.start = field(bits, 0, 14) << 4;
  decoded.leadingOffset = field(bits, 16, 14) << 4;
  decoded.strideOffset = field(bits, 32, 14) << 4;
  decoded.baseOffset = field(bits, 49, 3);
  result = decoded;
  return true;
}

MatrixDescriptor MatrixDescriptor::decodeWgmma(uint64_t bits) {
  static constexpr TensorSwizzle layouts[] = {
      TensorSwizzle::None, TensorSwizzle::B128, TensorSwizzle::B64,
      TensorSwizzle::B32};
  MatrixDescriptor decoded;
  decoded.start = field(bits, 0, 14) << 4;
  decoded.leadingOffset = field(bits, 16, 14) << 4;
  decoded.strideOffset = field(bits, 32, 14) << 4;
  decoded.baseOffset = field(bits, 49, 3);
  decoded.swizzle = layouts[field(bits, 62, 2)];
  return decoded;
}

SharedMatrix::SharedMatrix(const MatrixDescriptor &descriptor, bool mnMajor)
    : start(descriptor.start), swizzle(swizzleMask(descriptor.swizzle)),
      shift(descriptor.baseOffset << 7), mnMajor(mnMajor) {
  unsigned span = swizzleSpan(descriptor.swizzle);
  within8 = span ? span : 16;
  if (span == 0) {
    group8 = mnMajor ? descriptor.leadingOffset : descriptor.strideOffset;
    chunkGroup = mnMajor ? descriptor.strideOffset : descriptor.leadingOffset;
    return;
  }
  // K-major, only a sparse wgmma's 64 bytes of K of B leave a 32-byte span:
  // LBO leads to the next (measured on an H200).
  group8 = descriptor.strideOffset;
  chunk = 16;
  chunkWrap = span / 16;
  chunkGroup = descriptor.leadingOffset;
  if (descriptor.atom32) {
    groupShift = 2;
    swizzle = 3;
    atomShift = 5;
  }
}

uint32_t SharedMatrix::end(uint32_t indices, uint32_t chunks) const {
  // Every stride is non-negative, so the last index of each loop is the
  // highest; the swizzle only permutes within a 1024-byte pattern.
  uint32_t highest = start +
                     std::min(indices - 1, (1u << groupShift) - 1) * within8 +
                     ((indices - 1) >> groupShift) * group8 +
                     std::min(chunks - 1, chunkWrap - 1) * chunk +
                     ((chunks - 1) / chunkWrap) * chunkGroup + 16;
  if (swizzle != 0)
    highest = (highest + 127) & ~127u;
  return highest;
}

} // namespace bwgemm::emulator

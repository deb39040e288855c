//===- Descriptors.h - What matrix descriptors say --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Strides and offsets of operand tiles, for the descriptors of tcgen05.mma and
/// of wgmma, whose fields lie in different bits.
///
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_CONVERSION_BWGEMMTONVVM_DESCRIPTORS_H
#define BWGEMM_LIB_CONVERSION_BWGEMMTONVVM_DESCRIPTORS_H

#include "bwgemm/IR/Bwgemm.h"

namespace mlir::bwgemm {

/// Bytes of K that one tcgen05.mma or wgmma.mma_async consumes.
constexpr int64_t kInstructionBytes = 32;

/// The strides of a matrix descriptor, in bytes.
struct DescriptorStrides {
  int64_t leading;
  int64_t stride;
};

/// PTX ISA, canonical layouts of tcgen05 and wgmma. K-major: SBO is the
/// distance between groups of eight rows, LBO that between the two 16-byte
/// columns of an instruction, which only exists without swizzle. MN-major:
/// without swizzle LBO is the distance between groups of eight along K and SBO
/// that between 16-byte columns along MN; with swizzle the two change roles.
DescriptorStrides getStrides(SmemType type);

/// How far into a tile the operand of K step `step` begins, in bytes. The
/// hardware swizzles the address that it forms, so that a step inside of a
/// swizzled row is a plain offset.
int64_t getStepOffset(SmemType type, int64_t step);

/// How far into a tile row `row` of its MN mode begins, in bytes. A multiple of
/// 64 is the first of a group of rows in every layout.
int64_t getRowOffset(SmemType type, int64_t row);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_CONVERSION_BWGEMMTONVVM_DESCRIPTORS_H

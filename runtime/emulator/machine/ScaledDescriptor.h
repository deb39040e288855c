//===- ScaledDescriptor.h - Descriptors of block-scaled mmas ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instruction descriptors of kind::mxf8f6f4, mxf4 and mxf4nvf4 (PTX ISA,
// "Instruction descriptor" and "Block scaling"):
//
//   bits    mxf8f6f4                      mxf4, mxf4nvf4
//   0, 1    0                             0
//   2       sparse                        sparse
//   3       0                             0
//   4, 5    byte of B's scale factors     the same: 0 or 2, 0 with 4X
//   6       0                             0
//   7..9    type of A, as in f8f6f4       1, e2m1
//   10..12  type of B                     1 in bits 10 and 11; 12 is 0
//   13, 14  negate A, B                   negate A, B
//   15, 16  transpose A, B                0
//   17..22  N / 8                         N / 8
//   23      scale type: 1, UE8M0          1, UE8M0, or 0, UE4M3
//   24..26  0                             0
//   27, 28  M / 128                       M / 128
//   29, 30  byte of A's scale factors     the same: 0 or 2, 0 with 4X
//   31      0                             1: K is 96
//
// D is f32. UE4M3 exists for mxf4nvf4 with 4X alone, which has both types.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_SCALEDDESCRIPTOR_H
#define BWGEMM_EMULATOR_MACHINE_SCALEDDESCRIPTOR_H

#include "machine/MmaDescriptor.h"

namespace bwgemm::emulator {

/// MmaDescriptor::decode for the three kinds.
bool decodeScaledDescriptor(const MmaForm &form, uint32_t bits,
                            MmaDescriptor &result, std::string &error,
                            bool &unsupported);

/// The element that code 0, 1, 3, 4 or 5 stands for in f8f6f4 and mxf8f6f4;
/// false for another code.
bool narrowElement(uint32_t code, MmaElement &result);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_SCALEDDESCRIPTOR_H

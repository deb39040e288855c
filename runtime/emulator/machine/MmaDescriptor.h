//===- MmaDescriptor.h - Instruction descriptors of tcgen05.mma -*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 32-bit instruction descriptor of tcgen05.mma for the kinds without block
// scaling (PTX ISA, "Instruction descriptor"), and which shapes and types are
// legal for each kind ("Matrix shape").
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_MMADESCRIPTOR_H
#define BWGEMM_EMULATOR_MACHINE_MMADESCRIPTOR_H

#include <cstdint>
#include <string>

namespace bwgemm::emulator {

enum class MmaKind : uint8_t { F16, TF32, F8F6F4, I8 };

/// The name in PTX: "f16", "tf32", "f8f6f4", "i8".
const char *mmaKindName(MmaKind kind);

enum class MmaElement : uint8_t { F16, BF16, TF32, E4M3, E5M2, U8, S8 };
enum class MmaAccumulator : uint8_t { F16, F32, S32 };

/// Bytes of one element in shared memory.
unsigned mmaElementBytes(MmaElement element);

/// The decoded fields of an instruction descriptor.
struct MmaDescriptor {
  MmaKind kind = MmaKind::F16;
  MmaElement a = MmaElement::F16, b = MmaElement::F16;
  MmaAccumulator d = MmaAccumulator::F32;
  bool negateA = false, negateB = false;
  bool mnMajorA = false, mnMajorB = false; ///< The transpose bits.
  bool saturate = false;                   ///< i8 only.
  uint32_t m = 0, n = 0;

  bool operator==(const MmaDescriptor &other) const {
    return kind == other.kind && a == other.a && b == other.b && d == other.d &&
           negateA == other.negateA && negateB == other.negateB &&
           mnMajorA == other.mnMajorA && mnMajorB == other.mnMajorB &&
           saturate == other.saturate && m == other.m && n == other.n;
  }

  /// Elements along K of one instruction: 32 bytes of operand.
  uint32_t k() const { return 32 / mmaElementBytes(a); }

  /// Decodes `bits` for a dense tcgen05.mma with cta_group::1. On a field or
  /// a shape that is not legal, or not modelled, returns false and names it
  /// with its value; `unsupported` tells the two apart.
  static bool decode(MmaKind kind, uint32_t bits, MmaDescriptor &result,
                     std::string &error, bool &unsupported);
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_MMADESCRIPTOR_H

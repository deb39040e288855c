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

#include "machine/MmaElement.h"
#include "machine/Tcgen05Scale.h"

#include <cstdint>
#include <string>

namespace bwgemm::emulator {

enum class MmaKind : uint8_t {
  F16,
  TF32,
  F8F6F4,
  I8,
  MXF8F6F4,
  MXF4,
  MXF4NVF4,
};

/// True for the kinds with block scaling.
inline bool isScaled(MmaKind kind) { return kind >= MmaKind::MXF8F6F4; }

/// The name in PTX: "f16", "tf32", …
const char *mmaKindName(MmaKind kind);

enum class MmaAccumulator : uint8_t { F16, F32, S32 };

/// What the qualifiers of the instruction say, and the descriptor does not.
struct MmaForm {
  MmaKind kind = MmaKind::F16;
  uint8_t ctas = 1;        ///< .cta_group
  bool ws = false;         ///< .ws
  bool sparse = false;     ///< .sp
  uint8_t scaleBlocks = 0; ///< 1, 2, 4 of .scale_vec; 0 without scaling.

  MmaForm() = default;
  MmaForm(MmaKind kind) : kind(kind) {}
};

/// The decoded fields of an instruction descriptor.
struct MmaDescriptor {
  MmaKind kind = MmaKind::F16;
  uint8_t ctas = 1; ///< 2: a CTA pair shares the instruction.
  bool ws = false;
  bool sparse = false;
  MmaElement a = MmaElement::F16, b = MmaElement::F16;
  MmaAccumulator d = MmaAccumulator::F32;
  bool negateA = false, negateB = false;
  bool mnMajorA = false, mnMajorB = false; ///< The transpose bits.
  bool saturate = false;                   ///< i8 only.
  uint32_t m = 0, n = 0;
  uint32_t maxShift = 0;        ///< .ws: the largest column shift of B.
  uint8_t sparsitySelector = 0; ///< f16 and tf32: the column of the metadata.
  uint8_t scaleBlocks = 0;      ///< Scale factors along K; 0: no scaling.
  ScaleType scaleType = ScaleType::UE8M0;
  uint8_t scaleIdA = 0, scaleIdB = 0; ///< The byte of the first factor.

  bool operator==(const MmaDescriptor &other) const {
    return kind == other.kind && ctas == other.ctas && ws == other.ws &&
           sparse == other.sparse && a == other.a && b == other.b &&
           d == other.d && negateA == other.negateA &&
           negateB == other.negateB && mnMajorA == other.mnMajorA &&
           mnMajorB == other.mnMajorB && saturate == other.saturate &&
           m == other.m && n == other.n;
  }

  /// Elements that A stores of each row: 32 bytes.
  uint32_t storedK() const { return 2 * mmaElementsPerChunk(a); }
  /// Elements along K of one instruction.
  uint32_t k() const { return storedK() * (sparse ? 2 : 1); }

  /// Decodes `bits`. On a field or a shape that is not
  /// legal, or not modelled, returns false and names it with its value;
  /// `unsupported` tells the two apart.
  static bool decode(const MmaForm &form, uint32_t bits, MmaDescriptor &result,
                     std::string &error, bool &unsupported);

  /// Empty, or why not all sources agree that the shape is legal: the PTX ISA
  /// up to 9.1 allows every N that is a multiple of 8 (16 for a pair), while
  /// its later texts and public kernel libraries want twice that.
  std::string shapeDoubt() const;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_MMADESCRIPTOR_H

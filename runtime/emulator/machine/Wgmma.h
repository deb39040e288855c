//===- Wgmma.h - D = A * B + D in registers ---------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic of wgmma.mma_async (PTX ISA, "Asynchronous warpgroup level
// matrix instructions"), and where the elements of D, A and the metadata of a
// sparse A lie in the registers of the four warps.
//
// D is kept as columns of 64 cells of 32 bits, row r of column n at
// n * 64 + r: rows 16 w to 16 w + 15 are those of warp w of the warpgroup.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_WGMMA_H
#define BWGEMM_EMULATOR_MACHINE_WGMMA_H

#include "Emulator.h"
#include "machine/MmaDescriptor.h"
#include "machine/SharedLayout.h"
#include "machine/SharedWindow.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bwgemm::emulator {

/// Rows of D, and cells from one of its columns to the next.
inline constexpr uint32_t wgmmaRows = 64;
inline constexpr unsigned warpgroupWarps = 4;

/// Everything about the instruction that is written in it.
struct WgmmaShape {
  MmaElement a = MmaElement::F16, b = MmaElement::F16;
  MmaAccumulator d = MmaAccumulator::F32;
  uint32_t n = 8;
  bool bits = false; ///< .b1: 256 bits along K; `a` and `b` are U8 then.
  bool sparse = false;
  unsigned selector = 0; ///< Which threads hold the metadata.
  bool aInRegisters = false;
  bool negate = false; ///< One of A and B is negated.
  bool mnMajorA = false, mnMajorB = false;
  bool saturate = false;

  bool operator==(const WgmmaShape &other) const {
    return a == other.a && b == other.b && d == other.d && n == other.n &&
           bits == other.bits && sparse == other.sparse &&
           selector == other.selector && aInRegisters == other.aInRegisters &&
           negate == other.negate && mnMajorA == other.mnMajorA &&
           mnMajorB == other.mnMajorB && saturate == other.saturate;
  }
  /// Elements of A along K, as stored: 32 bytes (.b1 as bytes).
  uint32_t storedK() const { return 32 / mmaElementBytes(a); }
  /// Elements of B along K.
  uint32_t k() const { return storedK() << sparse; }
  /// Registers of D in a thread.
  uint32_t registers() const { return n / (d == MmaAccumulator::F16 ? 4 : 2); }
  bool isInteger() const { return d == MmaAccumulator::S32; }
};

/// The operands of one wgmma.
struct WgmmaInput {
  SharedMatrix a, b;
  bool accumulate = false;
  /// A in registers: register r of lane l of warp w at (w * 4 + r) * 32 + l.
  std::vector<uint32_t> aRegisters;
  /// Metadata of a sparse A: lane l of warp w at w * 32 + l.
  std::vector<uint32_t> metadata;
};

/// Decodes the descriptor of operand `name` ('A' or 'B'). On a matrix that
/// leaves the CTA's shared memory returns false and says so.
bool decodeWgmmaOperand(const WgmmaShape &shape, char name, uint64_t bits,
                        const SharedWindow &shared, SharedMatrix &result,
                        std::string &error);

/// The addresses of the 16-byte chunks of operand `name`, appended.
void appendWgmmaChunks(const WgmmaShape &shape, char name,
                       const SharedMatrix &matrix,
                       std::vector<uint32_t> &addresses);

/// True if the sums of wgmmas of this shape may be formed as one chain of
/// multiply-adds over several instructions with Numerics::Fast.
bool wgmmaChains(const WgmmaShape &shape);

/// Executes `count` wgmmas of one shape and accumulator, more than one (at most
/// maxMmaChain) only where wgmmaChains says so and all but the first
/// accumulate.
void wgmmaMultiply(const WgmmaShape &shape, const WgmmaInput *const *inputs,
                   uint32_t count, const SharedWindow &shared,
                   Numerics numerics, uint32_t *cells);

/// Moves the rows of warp `warp` (0 to 3) of D between its registers and the
/// cells; `slots` are the places of the registers in the register file.
void wgmmaLoadCells(const WgmmaShape &shape, const std::byte *file,
                    const uint32_t *slots, unsigned warp, uint32_t *cells);
void wgmmaStoreCells(const WgmmaShape &shape, std::byte *file,
                     const uint32_t *slots, unsigned warp,
                     const uint32_t *cells);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_WGMMA_H

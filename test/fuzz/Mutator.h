//===- Mutator.h - Changes PTX text along its grammar -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TEST_FUZZ_MUTATOR_H
#define BWGEMM_TEST_FUZZ_MUTATOR_H

#include <cstddef>
#include <cstdint>

namespace bwgemm::fuzz {

/// Changes the PTX text in `data` in place and returns its new size, at most
/// `maxSize`. Most changes keep the text close to what the decoder accepts:
/// statements are repeated, dropped and moved, modifiers, registers and
/// numbers exchanged for others, instructions made of a registered mnemonic
/// and operands of the text.
size_t mutatePtx(uint8_t *data, size_t size, size_t maxSize, uint32_t seed);

} // namespace bwgemm::fuzz

#endif // BWGEMM_TEST_FUZZ_MUTATOR_H

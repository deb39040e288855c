//===- ConvertNarrow.h - cvt of packed 8-, 6- and 4-bit types ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_INSTRUCTIONS_CONVERTNARROW_H
#define BWGEMM_EMULATOR_INSTRUCTIONS_CONVERTNARROW_H

#include "instructions/Registry.h"

#include <optional>

namespace bwgemm::emulator {

/// Decodes a cvt from or to e4m3, e5m2, e2m3, e3m2, e2m1, ue8m0, s2f6, or one
/// with .rs (PTX ISA, cvt). Nothing if it is none of these.
std::optional<bool> decodeNarrowCvt(Decode &decode);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_INSTRUCTIONS_CONVERTNARROW_H

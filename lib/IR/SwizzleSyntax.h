//===- SwizzleSyntax.h - Swizzles inside of other attributes ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_IR_SWIZZLESYNTAX_H
#define BWGEMM_LIB_IR_SWIZZLESYNTAX_H

#include "bwgemm/IR/Bwgemm.h"

namespace mlir::bwgemm {

/// Parses the part after `swizzle =` in types and schedules: `none`, `32B`,
/// `64B`, `128B` or `<bits, base, shift>`.
FailureOr<SwizzleAttr> parseSwizzleName(AsmParser &parser);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_IR_SWIZZLESYNTAX_H

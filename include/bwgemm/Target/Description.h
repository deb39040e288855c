//===- Description.h - What a compiled library says of itself ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TARGET_DESCRIPTION_H
#define BWGEMM_TARGET_DESCRIPTION_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::bwgemm {

/// The module attribute that holds the description, a JSON object; see
/// docs/Description.md for its fields.
constexpr llvm::StringLiteral kDescriptionAttr = "bwgemm.description";

/// The version of the format, the field "bwgemm". Fields may be added without
/// a new version; readers ignore those that they do not know.
constexpr int64_t kDescriptionVersion = 1;

/// The symbol under which a library exports the PTX of its `index`-th kernel
/// module, NUL-terminated: "bwgemm_ptx", then "bwgemm_ptx_1" and so on.
std::string getPtxSymbol(unsigned index);

} // namespace mlir::bwgemm

#endif // BWGEMM_TARGET_DESCRIPTION_H

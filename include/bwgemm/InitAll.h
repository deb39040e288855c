//===- InitAll.h - What a program that uses bwgemm registers ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_INITALL_H
#define BWGEMM_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::bwgemm {

/// The bwgemm dialect alone, for programs that have registered upstream's.
void registerDialect(DialectRegistry &registry);

/// The bwgemm dialect and those upstream dialects, external models and
/// translations that `bwgemm-lower` and the translation to LLVM IR need. Far
/// fewer than mlir::registerAllDialects, so that a compiler starts quickly.
void registerRequiredDialects(DialectRegistry &registry);

/// The passes of bwgemm and the pipeline `bwgemm-lower`, in the global
/// registry.
void registerPasses();

} // namespace mlir::bwgemm

#endif // BWGEMM_INITALL_H

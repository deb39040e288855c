//===- Patterns.h - Lowering patterns by family -----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_CONVERSION_BWGEMMTONVVM_PATTERNS_H
#define BWGEMM_LIB_CONVERSION_BWGEMMTONVVM_PATTERNS_H

#include "bwgemm/IR/Bwgemm.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::bwgemm {

/// Address spaces of NVVM pointers.
constexpr unsigned kGlobalSpace = 1;
constexpr unsigned kSharedSpace = 3;
constexpr unsigned kTensorSpace = 6;
constexpr unsigned kSharedClusterSpace = 7;

/// Name of the module's dynamic shared memory.
constexpr llvm::StringLiteral kDynamicShared = "bwgemm_dynamic_shared";

/// Tensor maps become generic pointers, what lives in shared memory pointers in
/// address space 3, accumulators pointers in address space 6.
void addTypeConversions(TypeConverter &converter);

void populateSharedMemoryPatterns(const TypeConverter &converter,
                                  RewritePatternSet &patterns);
void populateLaunchControlPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns);
void populateMBarrierPatterns(const TypeConverter &converter,
                              RewritePatternSet &patterns);
void populateStagingPatterns(const TypeConverter &converter,
                             RewritePatternSet &patterns);
void populateTMAPatterns(const TypeConverter &converter,
                         RewritePatternSet &patterns);
void populateTileCoordPatterns(const TypeConverter &converter,
                               RewritePatternSet &patterns);
void populateTensorMemoryPatterns(const TypeConverter &converter,
                                  RewritePatternSet &patterns);
void populateMMAPatterns(const TypeConverter &converter,
                         RewritePatternSet &patterns);
void populateClusterPatterns(const TypeConverter &converter,
                             RewritePatternSet &patterns);
void populateMmaSyncPatterns(const TypeConverter &converter,
                             RewritePatternSet &patterns);
void populateWarpgroupPatterns(const TypeConverter &converter,
                               RewritePatternSet &patterns);

//===----------------------------------------------------------------------===//
// Small pieces that all families use
//===----------------------------------------------------------------------===//

Value constantI32(OpBuilder &builder, Location loc, int64_t value);
Value constantIndex(OpBuilder &builder, Location loc, int64_t value);
/// An index as a 32-bit integer, folded where it is constant.
Value castToI32(OpBuilder &builder, Location loc, Value index);
/// `pointer` moved by `bytes` (an index).
Value offsetPointer(OpBuilder &builder, Location loc, Value pointer,
                    Value bytes);
/// The address of mbarrier `index` of an array.
Value getBarrierAddress(OpBuilder &builder, Location loc, Value barriers,
                        Value index);
/// The qualifier for `group` CTAs that multiply together, 1 or 2.
NVVM::CTAGroupKind getCtaGroup(int64_t group);

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_CONVERSION_BWGEMMTONVVM_PATTERNS_H

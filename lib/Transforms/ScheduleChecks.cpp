//===- ScheduleChecks.cpp - What all schedules are asked ------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleChecks.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::bwgemm;

/// Rows of tiles that are walked together, unless the SPEC says otherwise:
/// about a square of tiles is under way at one time.
static constexpr int64_t kRaster = 8;

LogicalResult
bwgemm::checkSplitK(GemmOp gemm, int64_t splitK, int64_t tileK,
                    llvm::function_ref<InFlightDiagnostic()> refuse) {
  int64_t depth = gemm.getAType().getDimSize(gemm.getKDimOfA());
  if (ShapedType::isDynamic(depth))
    depth = gemm.getBType().getDimSize(gemm.getKDimOfB());
  // K = 0 has no kernel.
  if (splitK == 1 || ShapedType::isDynamic(depth) || depth == 0)
    return success();
  int64_t most = llvm::divideCeil(depth, tileK);
  if (splitK > most)
    return refuse() << "split_k=" << splitK << " needs that many tiles of K, "
                    << "but K of " << depth << " has " << most << " of "
                    << tileK << "; at most split_k=" << most << " fits";
  return success();
}

LogicalResult
bwgemm::checkPromotion(GemmOp gemm, const ScheduleSpec &spec, int64_t tileK,
                       llvm::function_ref<InFlightDiagnostic()> refuse) {
  if (spec.compensated.value_or(false) && !spec.promote)
    return refuse() << "expects promote=K with compensated=on, the elements of "
                       "K after which sums are added; promote=512 is one";
  if (!spec.promote)
    return success();
  if (!isa<FloatType>(gemm.getAType().getElementType()))
    return refuse() << "expects no promote for operands of "
                    << gemm.getAType().getElementType()
                    << ", whose sums are exact";
  if (*spec.promote % tileK != 0)
    return refuse() << "expects a promote of a multiple of the tile's K, "
                    << tileK << ", but got " << *spec.promote << "; "
                    << llvm::alignTo(*spec.promote, tileK) << " is one";
  return success();
}

LogicalResult
bwgemm::chooseOrder(const ScheduleSpec &spec, bool inGroups,
                    ScheduleFields &fields,
                    llvm::function_ref<InFlightDiagnostic()> refuse) {
  fields.order = spec.order.value_or(TileOrder::Straight);
  bool hilbert = fields.order == TileOrder::Hilbert;
  fields.raster = spec.raster.value_or(inGroups || hilbert ? kRaster : 1);
  if (hilbert && !isHilbertRaster(fields.raster))
    return refuse() << "expects a raster that is a power of two, 2 at least, "
                       "for order=hilbert, but got raster="
                    << fields.raster << "; order=serpentine takes any";
  return success();
}

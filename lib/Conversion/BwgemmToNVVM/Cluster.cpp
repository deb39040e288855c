//===- Cluster.cpp - Cluster ops to NVVM ----------------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

using namespace mlir;
using namespace mlir::bwgemm;

NVVM::CTAGroupKind bwgemm::getCtaGroup(int64_t group) {
  return group == 2 ? NVVM::CTAGroupKind::CTA_2 : NVVM::CTAGroupKind::CTA_1;
}

namespace {

struct BarrierLowering : OpConversionPattern<ClusterBarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ClusterBarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    UnitAttr aligned = rewriter.getUnitAttr();
    NVVM::ClusterArriveOp::create(rewriter, loc, aligned);
    NVVM::ClusterWaitOp::create(rewriter, loc, aligned);
    rewriter.eraseOp(op);
    return success();
  }
};

struct MaskLowering : OpConversionPattern<ClusterMaskOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ClusterMaskOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t rows = op.getCluster()[0], columns = op.getCluster()[1];
    auto group = static_cast<int64_t>(op.getCtaGroup());
    Value rank = NVVM::ClusterId::create(rewriter, loc, rewriter.getI32Type());
    auto constant = [&](int64_t value) {
      return constantI32(rewriter, loc, value);
    };
    auto shift = [&](int64_t bits, Value by) -> Value {
      return LLVM::ShlOp::create(rewriter, loc, constant(bits), by);
    };
    // Ranks go down the columns, whose lengths need not be powers of two.
    auto row = [&]() -> Value {
      return LLVM::URemOp::create(rewriter, loc, rank, constant(rows));
    };
    auto columnStart = [&](Value row) -> Value {
      return LLVM::SubOp::create(rewriter, loc, rank, row);
    };
    auto ofPair = [&](Value rank) -> Value {
      return LLVM::AndOp::create(rewriter, loc, rank, constant(-group));
    };
    int64_t along = 0, down = 0, together = (1 << group) - 1;
    for (int64_t j = 0; j < columns; ++j)
      along |= int64_t(1) << (j * rows);
    for (int64_t i = 0; i < rows; i += group)
      down |= int64_t(1) << i;
    Value mask;
    switch (op.getSet()) {
    case ClusterSet::Row:
      mask = shift(along, row());
      break;
    case ClusterSet::Column: {
      Value here = row();
      Value half =
          LLVM::AndOp::create(rewriter, loc, here, constant(group - 1));
      mask = shift(down,
                   LLVM::AddOp::create(rewriter, loc, columnStart(here), half));
      break;
    }
    case ClusterSet::Cross: {
      Value here = row();
      // Each multiplication reads the memory of all CTAs of its group.
      Value rowsOfGroup = shift(along * together, ofPair(here));
      Value column = shift((int64_t(1) << rows) - 1, columnStart(here));
      mask = LLVM::OrOp::create(rewriter, loc, rowsOfGroup, column);
      break;
    }
    case ClusterSet::Pair:
      mask = shift(together, ofPair(rank));
      break;
    }
    rewriter.replaceOpWithNewOp<LLVM::TruncOp>(op, rewriter.getI16Type(), mask);
    return success();
  }
};

} // namespace

void bwgemm::populateClusterPatterns(const TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<BarrierLowering, MaskLowering>(converter, patterns.getContext());
}

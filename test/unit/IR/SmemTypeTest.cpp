//===- SmemTypeTest.cpp - Sizes and places of tiles and boxes -------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/IR/Bwgemm.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

class SmemTypeTest : public ::testing::Test {
protected:
  SmemTypeTest() : builder(&context) { context.loadDialect<BwgemmDialect>(); }

  SmemType tile(ArrayRef<int64_t> shape, Major major, unsigned span,
                Type element = nullptr) {
    return SmemType::get(shape, element ? element : builder.getBF16Type(),
                         major, SwizzleAttr::getForSpan(&context, span));
  }

  MLIRContext context;
  Builder builder;
};

TEST_F(SmemTypeTest, ShapeByMode) {
  SmemType plain = tile({128, 64}, Major::K, 128);
  EXPECT_FALSE(plain.hasStages());
  EXPECT_EQ(plain.getStages(), 1);
  EXPECT_EQ(plain.getMN(), 128);
  EXPECT_EQ(plain.getK(), 64);
  EXPECT_EQ(plain.getRows(), 128);
  EXPECT_EQ(plain.getContiguous(), 64);
  EXPECT_EQ(plain.getStageBytes(), 16384);
  EXPECT_EQ(plain.getBytes(), 16384);

  SmemType ring = tile({4, 256, 64}, Major::MN, 128);
  EXPECT_TRUE(ring.hasStages());
  EXPECT_EQ(ring.getStages(), 4);
  EXPECT_EQ(ring.getMN(), 256);
  EXPECT_EQ(ring.getK(), 64);
  EXPECT_EQ(ring.getRows(), 64);
  EXPECT_EQ(ring.getContiguous(), 256);
  EXPECT_EQ(ring.getStageBytes(), 32768);
  EXPECT_EQ(ring.getBytes(), 131072);
}

// The usual tile, 64 x 64 bf16. Without swizzle: eight columns of core
// matrices, 1024 bytes apart (the descriptor's leading dimension offset), each
// of 8 rows x 16 bytes = 128 bytes (its stride dimension offset). With 128B one
// column, hence one TMA copy.
TEST_F(SmemTypeTest, ColumnsOfTheUsualTile) {
  struct Case {
    unsigned span;
    int64_t rowElements, columns, columnBytes;
  };
  for (Case c : {Case{0, 8, 8, 1024}, Case{32, 16, 4, 2048},
                 Case{64, 32, 2, 4096}, Case{128, 64, 1, 8192}}) {
    for (Major major : {Major::K, Major::MN}) {
      SmemType type = tile({64, 64}, major, c.span);
      EXPECT_EQ(type.getRowElements(), c.rowElements) << c.span;
      EXPECT_EQ(type.getColumns(), c.columns) << c.span;
      EXPECT_EQ(type.getColumnBytes(), c.columnBytes) << c.span;
    }
  }
}

// Elements of other widths fill the same bytes.
TEST_F(SmemTypeTest, RowElementsFollowTheWidth) {
  EXPECT_EQ(
      tile({64, 128}, Major::K, 128, builder.getI8Type()).getRowElements(),
      128);
  EXPECT_EQ(
      tile({64, 32}, Major::K, 128, builder.getF32Type()).getRowElements(), 32);
  EXPECT_EQ(tile({64, 32}, Major::K, 0, builder.getF32Type()).getRowElements(),
            4);
}

// A swizzle is a function of the address, so a tile begins with its pattern;
// TMA asks for 128 bytes in any case.
TEST_F(SmemTypeTest, Alignment) {
  EXPECT_EQ(tile({64, 64}, Major::K, 0).getAlignment(), 128);
  EXPECT_EQ(tile({64, 64}, Major::K, 32).getAlignment(), 256);
  EXPECT_EQ(tile({64, 64}, Major::K, 64).getAlignment(), 512);
  EXPECT_EQ(tile({64, 64}, Major::K, 128).getAlignment(), 1024);
}

// The formula of the type's documentation places every byte of a tile once,
// within the tile, whatever the swizzle.
TEST_F(SmemTypeTest, EveryByteHasItsPlace) {
  for (unsigned span : {0, 32, 64, 128}) {
    SmemType type = tile({64, 128}, Major::K, span);
    int64_t rowBytes = type.getSwizzle().getRowBytes();
    std::set<uint64_t> places;
    for (int64_t row = 0; row < type.getRows(); ++row)
      for (int64_t x = 0; x < type.getContiguous() * 2; ++x)
        places.insert(
            type.getSwizzle().apply(x / rowBytes * type.getColumnBytes() +
                                    row * rowBytes + x % rowBytes));
    EXPECT_EQ(places.size(), 64u * 128 * 2) << span;
    EXPECT_EQ(*places.begin(), 0u) << span;
    EXPECT_EQ(*places.rbegin(), 64u * 128 * 2 - 1) << span;
  }
}

TEST_F(SmemTypeTest, BoxBytes) {
  auto map = [&](ArrayRef<int64_t> box, Type element, unsigned span) {
    return TensorMapType::get(box, element,
                              SwizzleAttr::getForSpan(&context, span));
  };
  EXPECT_EQ(map({64, 64}, builder.getBF16Type(), 128).getBoxBytes(), 8192);
  EXPECT_EQ(map({64, 8}, builder.getF16Type(), 0).getBoxBytes(), 1024);
  EXPECT_EQ(map({256, 32}, builder.getF32Type(), 128).getBoxBytes(), 32768);
  EXPECT_EQ(map({2, 3, 16}, builder.getI8Type(), 0).getBoxBytes(), 96);
}

// tcgen05.alloc takes powers of two from 32 to 512 columns.
TEST_F(SmemTypeTest, AllocatedColumns) {
  auto allocated = [&](int64_t columns) {
    return TmemType::get(&context, 128, columns, builder.getF32Type())
        .getAllocatedColumns();
  };
  EXPECT_EQ(allocated(8), 32);
  EXPECT_EQ(allocated(32), 32);
  EXPECT_EQ(allocated(40), 64);
  EXPECT_EQ(allocated(256), 256);
  EXPECT_EQ(allocated(264), 512);
  EXPECT_EQ(allocated(512), 512);
}

} // namespace

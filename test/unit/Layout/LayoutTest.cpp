//===- LayoutTest.cpp - Compiler and emulator agree on layouts ------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler's types say where each byte of a tile lies; the emulator finds
// it through tensor maps and matrix descriptors. Both were written from the PTX
// ISA without sharing code, and this is the only program that links both. Where
// a descriptor is needed, its offsets are worked out here, from the tile's
// extents and the table of canonical layouts.
//
//===----------------------------------------------------------------------===//

#include "bwgemm/IR/Bwgemm.h"
#include "machine/SharedLayout.h"
#include "machine/TensorMap.h"
#include "machine/Tma.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace mlir;
using namespace mlir::bwgemm;
namespace emulator = ::bwgemm::emulator;

namespace {

struct Mode {
  unsigned span;
  emulator::TensorSwizzle swizzle;
  /// Bits 61 to 63 of a tcgen05 shared-memory descriptor.
  uint64_t descriptorLayout;
};

constexpr Mode kModes[] = {{0, emulator::TensorSwizzle::None, 0},
                           {32, emulator::TensorSwizzle::B32, 6},
                           {64, emulator::TensorSwizzle::B64, 4},
                           {128, emulator::TensorSwizzle::B128, 2}};

constexpr uint32_t kTileStart = 8192;

class LayoutTest : public ::testing::Test {
protected:
  LayoutTest() : builder(&context) { context.loadDialect<BwgemmDialect>(); }

  SmemType tile(int64_t mn, int64_t k, Major major, const Mode &mode) {
    return SmemType::get({mn, k}, builder.getBF16Type(), major,
                         SwizzleAttr::getForSpan(&context, mode.span));
  }

  /// The address that !bwgemm.smem gives byte `x` (along the contiguous mode)
  /// of row `row` in a tile at kTileStart.
  static uint64_t compilerAddress(SmemType type, int64_t row, int64_t x) {
    int64_t rowBytes = type.getSwizzle().getRowBytes();
    return type.getSwizzle().apply(kTileStart +
                                   x / rowBytes * type.getColumnBytes() +
                                   row * rowBytes + x % rowBytes);
  }

  MLIRContext context;
  Builder builder;
};

/// Decodes a descriptor of these fields with the emulator.
emulator::SharedMatrix makeMatrix(uint64_t start, uint64_t leadingOffset,
                                  uint64_t strideOffset, const Mode &mode,
                                  bool mnMajor) {
  uint64_t bits = (start >> 4) | (leadingOffset >> 4) << 16 |
                  (strideOffset >> 4) << 32 | uint64_t(1) << 46 |
                  mode.descriptorLayout << 61;
  emulator::MatrixDescriptor descriptor;
  std::string error;
  bool unsupported = false;
  EXPECT_TRUE(
      emulator::MatrixDescriptor::decode(bits, descriptor, error, unsupported))
      << error;
  return emulator::SharedMatrix(descriptor, mnMajor);
}

TEST_F(LayoutTest, SwizzlesAgreeOnEveryAddress) {
  for (const Mode &mode : kModes) {
    SwizzleAttr swizzle = SwizzleAttr::getForSpan(&context, mode.span);
    uint32_t mask = emulator::swizzleMask(mode.swizzle);
    for (uint32_t address = 0; address < (1 << 18); ++address)
      ASSERT_EQ(swizzle.apply(address), emulator::swizzleAddress(address, mask))
          << mode.span << " at " << address;
  }
}

// K-major operands. One MMA takes 32 bytes of K: two chunks of 16. PTX ISA,
// canonical layouts: without swizzle the leading offset leads to the next
// chunk and the stride offset to the next eight rows; with one, chunks of a
// span are neighbours.
TEST_F(LayoutTest, KMajorTilesAgreeOnEveryChunk) {
  for (const Mode &mode : kModes) {
    for (int64_t rows : {64, 128, 256}) {
      SmemType type = tile(rows, 64, Major::K, mode);
      for (int64_t k = 0; k < 128; k += 32) {
        int64_t rowBytes = mode.span ? mode.span : 16;
        uint64_t start =
            kTileStart + k / rowBytes * rows * rowBytes + k % rowBytes;
        emulator::SharedMatrix matrix = makeMatrix(
            start, mode.span ? 16 : rows * 16, 8 * rowBytes, mode, false);
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t chunk = 0; chunk < 2; ++chunk)
            ASSERT_EQ(compilerAddress(type, row, k + chunk * 16),
                      matrix.address(row, chunk))
                << "swizzle " << mode.span << ", row " << row << ", byte "
                << k + chunk * 16;
      }
    }
  }
}

// MN-major operands. One MMA takes 16 rows of K. Without swizzle the stride
// offset leads to the next chunk along MN and the leading offset to the next
// eight rows; with one, the leading offset leads to the next span and the
// stride offset to the next eight rows.
TEST_F(LayoutTest, MNMajorTilesAgreeOnEveryChunk) {
  for (const Mode &mode : kModes) {
    for (int64_t mn : {64, 128, 256}) {
      constexpr int64_t k = 64;
      SmemType type = tile(mn, k, Major::MN, mode);
      int64_t rowBytes = mode.span ? mode.span : 16;
      int64_t columnBytes = k * rowBytes, groupBytes = 8 * rowBytes;
      for (int64_t first = 0; first < k; first += 16) {
        emulator::SharedMatrix matrix = makeMatrix(
            kTileStart + first * rowBytes, mode.span ? columnBytes : groupBytes,
            mode.span ? groupBytes : columnBytes, mode, true);
        for (int64_t row = 0; row < 16; ++row)
          for (int64_t chunk = 0; chunk < mn / 8; ++chunk)
            ASSERT_EQ(compilerAddress(type, first + row, chunk * 16),
                      matrix.address(row, chunk))
                << "swizzle " << mode.span << ", row " << first + row
                << ", byte " << chunk * 16;
      }
    }
  }
}

// TMA copies of one column each put every element where the type says. The
// elements' values are their places in the tensor.
TEST_F(LayoutTest, TmaFillsTilesAsTheTypesSay) {
  constexpr int64_t rows = 64, contiguous = 128;
  std::vector<uint16_t> storage(rows * contiguous + 8);
  auto base = (reinterpret_cast<uintptr_t>(storage.data()) + 15) & ~15ull;
  auto *tensor = reinterpret_cast<uint16_t *>(base);
  for (int64_t i = 0; i < rows * contiguous; ++i)
    tensor[i] = static_cast<uint16_t>(i + 1);
  emulator::GlobalCheck anything{
      [](void *, uint64_t, uint64_t) { return true; }, nullptr};

  for (const Mode &mode : kModes) {
    SmemType type = tile(rows, contiguous, Major::K, mode);
    emulator::TensorMap map;
    map.globalAddress = base;
    map.rank = 2;
    map.element = emulator::TensorElement::BF16;
    map.swizzle = mode.swizzle;
    map.dims = {contiguous, rows};
    map.strides = {2, contiguous * 2};
    map.box = {static_cast<uint32_t>(type.getRowElements()), rows};
    map.elementStrides = {1, 1};
    emulator::TmaPlan plan;
    emulator::TmaTrap trap;
    ASSERT_TRUE(emulator::TmaPlan::make(map, plan, trap)) << trap.message;

    std::vector<std::byte> memory(kTileStart + type.getBytes());
    emulator::SharedWindow shared{memory.data(), 0,
                                  static_cast<uint32_t>(memory.size())};
    for (int64_t column = 0; column < type.getColumns(); ++column) {
      emulator::TmaCoordinates at{
          static_cast<int32_t>(column * type.getRowElements()), 0};
      auto destination =
          static_cast<uint32_t>(kTileStart + column * type.getColumnBytes());
      ASSERT_TRUE(emulator::checkTensorLoad(plan, at, destination, shared,
                                            anything, trap))
          << trap.message;
      emulator::tensorLoad(plan, at, destination, shared);
    }
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t x = 0; x < contiguous; ++x) {
        uint16_t value;
        std::memcpy(&value, &memory[compilerAddress(type, row, 2 * x)], 2);
        ASSERT_EQ(value, row * contiguous + x + 1)
            << "swizzle " << mode.span << ", row " << row << ", element " << x;
      }
    }
  }
}

} // namespace

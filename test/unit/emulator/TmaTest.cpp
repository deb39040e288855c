//===- TmaTest.cpp - Images of tensor copies --------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every byte of shared memory is compared with what the PTX ISA's swizzle
// figures give for it, worked out here byte by byte.
//
//===----------------------------------------------------------------------===//

#include "machine/Tma.h"
#include "machine/HalfConvert.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

using namespace bwgemm::emulator;

namespace {
constexpr uint32_t sharedBegin = 1024, sharedEnd = 128 * 1024;
constexpr std::byte untouched{0xA5};

struct Fixture {
  std::vector<std::byte> storage;
  SharedWindow shared;
  std::vector<uint8_t> tensor;
  uint64_t allowedBegin = 0, allowedEnd = 0;
  TmaTrap trap;

  explicit Fixture(size_t tensorBytes)
      : storage(sharedEnd, untouched), tensor(tensorBytes + 64) {
    shared = {storage.data(), sharedBegin, sharedEnd};
    for (size_t i = 0; i < tensor.size(); ++i)
      tensor[i] = uint8_t(1 + (i * 37 + (i >> 8) * 11) % 250);
    allowedBegin = address();
    allowedEnd = address() + tensorBytes;
  }
  uint64_t address() const {
    return (reinterpret_cast<uint64_t>(tensor.data()) + 15) & ~15ull;
  }
  GlobalCheck check() {
    return {[](void *context, uint64_t address, uint64_t bytes) {
              auto *self = static_cast<Fixture *>(context);
              return address >= self->allowedBegin &&
                     address + bytes <= self->allowedEnd;
            },
            this};
  }
  std::byte byteAt(uint32_t address) const {
    return storage[address - sharedBegin];
  }
  bool load(const TensorMap &map, TmaCoordinates at, uint32_t destination) {
    TmaPlan plan;
    if (!TmaPlan::make(map, plan, trap) ||
        !checkTensorLoad(plan, at, destination, shared, check(), trap))
      return false;
    tensorLoad(plan, at, destination, shared);
    return true;
  }
  bool store(const TensorMap &map, TmaCoordinates at, uint32_t source) {
    TmaPlan plan;
    if (!TmaPlan::make(map, plan, trap) ||
        !checkTensorStore(plan, at, source, shared, check(), trap))
      return false;
    tensorStore(plan, at, source, shared);
    return true;
  }
};

TensorMap matrixMap(const Fixture &f, TensorElement element, uint64_t columns,
                    uint64_t rows, uint64_t pitch, uint32_t boxColumns,
                    uint32_t boxRows, TensorSwizzle swizzle) {
  TensorMap map;
  map.globalAddress = f.address();
  map.rank = 2;
  map.element = element;
  map.swizzle = swizzle;
  map.dims = {columns, rows};
  map.strides = {map.elementBytes(), pitch};
  map.box = {boxColumns, boxRows};
  map.elementStrides = {1, 1};
  return map;
}

/// Where the ISA's figures put byte `offset` of row `row` of a box: within
/// lines of 128 bytes, the 16-byte chunk's number is XORed with the line's.
uint32_t placeOf(uint32_t destination, uint32_t row, uint32_t offset,
                 uint32_t pitch, TensorSwizzle swizzle) {
  uint32_t address = destination + row * pitch + offset;
  uint32_t line = address / 128, chunk = (address % 128) / 16;
  switch (swizzle) {
  case TensorSwizzle::None:
    break;
  case TensorSwizzle::B32:
    chunk ^= line % 2;
    break;
  case TensorSwizzle::B64:
    chunk ^= line % 4;
    break;
  case TensorSwizzle::B128:
    chunk ^= line % 8;
    break;
  }
  return line * 128 + chunk * 16 + address % 16;
}
} // namespace

/// Each swizzle, each inner width, destinations that are not aligned to the
/// pattern; every byte of the box and every byte round it.
TEST(Tma, EveryByteOfEverySwizzle) {
  const uint32_t rows = 24, pitch = 512;
  for (unsigned mode = 0; mode < 4; ++mode) {
    TensorSwizzle swizzle = TensorSwizzle(mode);
    uint32_t span = mode == 0 ? 256 : 16u << mode;
    for (uint32_t inner = 16; inner <= span; inner += 16)
      for (uint32_t destination = 2048; destination < 2048 + 1024;
           destination += 128) {
        Fixture f(pitch * 64);
        TensorMap map = matrixMap(f, TensorElement::U16, 256, 64, pitch,
                                  inner / 2, rows, swizzle);
        ASSERT_TRUE(f.load(map, {16, 5}, destination)) << f.trap.message;
        std::vector<std::byte> expected(f.storage.size(), untouched);
        uint32_t rowPitch = mode == 0 ? inner : span;
        const uint8_t *data = reinterpret_cast<uint8_t *>(f.address());
        for (uint32_t r = 0; r < rows; ++r)
          for (uint32_t b = 0; b < inner; ++b)
            expected[placeOf(destination, r, b, rowPitch, swizzle) -
                     sharedBegin] =
                std::byte(data[(5 + r) * pitch + 16 * 2 + b]);
        ASSERT_EQ(f.storage, expected)
            << "swizzle " << mode << " inner " << inner << " destination "
            << destination;
      }
  }
}

/// The element (row, column) of a 64 x 64 bf16 tile with 128-byte swizzle, at
/// a pattern-aligned address: chunk column / 8 XOR row % 8.
TEST(Tma, AddressesOfTheUsualTile) {
  Fixture f(128 * 128 * 2);
  TensorMap map = matrixMap(f, TensorElement::BF16, 128, 128, 256, 64, 64,
                            TensorSwizzle::B128);
  ASSERT_TRUE(f.load(map, {64, 64}, 4096));
  for (uint32_t r = 0; r < 64; ++r)
    for (uint32_t c = 0; c < 64; ++c) {
      uint32_t at = 4096 + r * 128 + ((c / 8) ^ (r % 8)) * 16 + (c % 8) * 2;
      uint16_t found, expected;
      std::memcpy(&found, f.storage.data() + at - sharedBegin, 2);
      std::memcpy(&expected,
                  reinterpret_cast<uint8_t *>(f.address()) +
                      ((64 + r) * 128 + 64 + c) * 2,
                  2);
      ASSERT_EQ(found, expected) << r << ", " << c;
    }
}

TEST(Tma, FillsOutsideOfTheTensor) {
  for (bool nan : {false, true})
    for (auto start : {TmaCoordinates{-8, -3}, TmaCoordinates{40, 28},
                       TmaCoordinates{-2147483648, 0}, TmaCoordinates{0, 1000},
                       TmaCoordinates{8, -100}}) {
      Fixture f(32 * 128);
      // 50 columns: the last chunk is partly inside.
      TensorMap map = matrixMap(f, TensorElement::BF16, 50, 30, 128, 32, 8,
                                TensorSwizzle::B64);
      map.nanFill = nan;
      ASSERT_TRUE(f.load(map, start, 1024)) << f.trap.message;
      const uint8_t *data = reinterpret_cast<uint8_t *>(f.address());
      for (int64_t r = 0; r < 8; ++r)
        for (int64_t c = 0; c < 32; ++c) {
          int64_t x = start[0] + c, y = start[1] + r;
          uint16_t expected = nan ? 0x7ff7 : 0, found;
          if (x >= 0 && x < 50 && y >= 0 && y < 30)
            std::memcpy(&expected, data + y * 128 + x * 2, 2);
          uint32_t at = placeOf(1024, uint32_t(r), uint32_t(c * 2), 64,
                                TensorSwizzle::B64);
          std::memcpy(&found, f.storage.data() + at - sharedBegin, 2);
          ASSERT_EQ(found, expected) << x << ", " << y;
        }
    }
}

TEST(Tma, RanksOneToFive) {
  for (unsigned rank = 1; rank <= 5; ++rank) {
    Fixture f(1 << 16);
    TensorMap map;
    map.globalAddress = f.address();
    map.rank = rank;
    map.element = TensorElement::U32;
    map.dims = {20, 5, 4, 3, 3};
    map.strides = {4, 80, 400, 1600, 4800};
    map.box = {8, 3, 2, 3, 2};
    map.elementStrides = {1, 1, 1, 1, 1};
    TmaCoordinates at{4, 3, -1, 1, 2};
    ASSERT_TRUE(f.load(map, at, 1152)) << f.trap.message;
    uint32_t offset = 1152;
    std::array<uint32_t, 5> n = map.box;
    for (unsigned d = rank; d < 5; ++d)
      n[d] = 1, at[d] = 0;
    for (uint32_t e = 0; e < n[4]; ++e)
      for (uint32_t d = 0; d < n[3]; ++d)
        for (uint32_t c = 0; c < n[2]; ++c)
          for (uint32_t b = 0; b < n[1]; ++b)
            for (uint32_t a = 0; a < n[0]; ++a, offset += 4) {
              const int64_t p[5] = {at[0] + int64_t(a), at[1] + int64_t(b),
                                    at[2] + int64_t(c), at[3] + int64_t(d),
                                    at[4] + int64_t(e)};
              bool inside = true;
              uint64_t from = f.address();
              for (unsigned i = 0; i < rank; ++i) {
                inside &= p[i] >= 0 && uint64_t(p[i]) < map.dims[i];
                from += uint64_t(p[i]) * map.strides[i];
              }
              uint32_t expected = 0, found;
              if (inside)
                std::memcpy(&expected, reinterpret_cast<void *>(from), 4);
              std::memcpy(&found, f.storage.data() + offset - sharedBegin, 4);
              ASSERT_EQ(found, expected) << "rank " << rank;
            }
    EXPECT_EQ(f.byteAt(offset), untouched);
  }
}

TEST(Tma, ElementStridesTakeEveryNthRow) {
  Fixture f(64 * 64);
  TensorMap map =
      matrixMap(f, TensorElement::U8, 64, 64, 64, 16, 10, TensorSwizzle::None);
  map.elementStrides = {2, 4}; // Dimension 0 is encoded and ignored.
  TmaPlan plan;
  ASSERT_TRUE(TmaPlan::make(map, plan, f.trap));
  EXPECT_EQ(plan.txBytes(), 16u * 3); // ceil(10 / 4) rows
  ASSERT_TRUE(f.load(map, {16, 3}, 1024));
  const uint8_t *data = reinterpret_cast<uint8_t *>(f.address());
  for (uint32_t r = 0; r < 3; ++r)
    for (uint32_t b = 0; b < 16; ++b)
      ASSERT_EQ(f.byteAt(1024 + r * 16 + b),
                std::byte(data[(3 + 4 * r) * 64 + 16 + b]));
  EXPECT_EQ(f.byteAt(1024 + 48), untouched);
}

TEST(Tma, CompletesTheBytesOfTheWholeBox) {
  Fixture f(1 << 14);
  TensorMap map = matrixMap(f, TensorElement::BF16, 64, 64, 128, 8, 40,
                            TensorSwizzle::B128);
  TmaPlan plan;
  ASSERT_TRUE(TmaPlan::make(map, plan, f.trap));
  EXPECT_EQ(plan.txBytes(), 8u * 2 * 40);
  EXPECT_EQ(plan.sharedExtent(), 39u * 128 + 16);
}

TEST(Tma, RoundsToTf32) {
  const uint32_t in[] = {0x3F801000, 0x3F803000, 0x7F7FFFFF, 0x7F800001,
                         0x007FFFFF, 0x00000001, 0xBF801001, 0x7F800000};
  const uint32_t out[] = {0x3F800000, 0x3F804000, 0x7F800000, 0x7FFFE000,
                          0x00800000, 0x00000000, 0xBF802000, 0x7F800000};
  for (unsigned i = 0; i < 8; ++i)
    EXPECT_EQ(roundToTf32(in[i]), out[i]) << i;
  Fixture f(1024);
  std::memcpy(reinterpret_cast<void *>(f.address()), in, sizeof(in));
  TensorMap map =
      matrixMap(f, TensorElement::F32, 8, 1, 32, 8, 1, TensorSwizzle::B32);
  map.roundTf32 = true;
  ASSERT_TRUE(f.load(map, {0, 0}, 1024));
  EXPECT_EQ(std::memcmp(f.storage.data(), out, sizeof(out)), 0);
}

TEST(Tma, Traps) {
  Fixture f(64 * 128);
  TensorMap map = matrixMap(f, TensorElement::BF16, 64, 64, 128, 32, 8,
                            TensorSwizzle::None);
  auto traps = [&](TmaCoordinates at, uint32_t address, const char *text) {
    f.trap = {};
    EXPECT_FALSE(f.load(map, at, address)) << text;
    EXPECT_NE(f.trap.message.find(text), std::string::npos) << f.trap.message;
  };
  for (uint32_t offset : {8u, 16u, 32u, 64u})
    traps({0, 0}, 2048 + offset, "multiple of 128");
  for (int32_t x : {1, 4, 7, -1, 9, 1001})
    traps({x, 0}, 2048, "multiple of 16 bytes");
  traps({0, 0}, sharedEnd - 256, "outside of the CTA's shared memory");
  traps({0, 0}, 512, "outside of the CTA's shared memory");
  EXPECT_TRUE(f.load(map, {0, 0}, sharedEnd - 512));
  // The tensor claims more rows than its memory has.
  map.dims[1] = 100;
  traps({0, 60}, 2048, "no allocation contains");
  EXPECT_EQ(f.trap.address, f.address() + 64 * 128);
  map.im2col = true;
  traps({0, 0}, 2048, "im2col");
  EXPECT_TRUE(f.trap.unsupported);
}

TEST(Tma, StoresClip) {
  for (unsigned mode = 0; mode < 4; ++mode) {
    TensorSwizzle swizzle = TensorSwizzle(mode);
    Fixture f(32 * 128);
    TensorMap map = matrixMap(
        f, TensorElement::U16, 21, 30, 128, 16, 8,
        swizzle == TensorSwizzle::None ? TensorSwizzle::None : swizzle);
    uint32_t pitch = mode == 0 ? 32 : 16u << mode;
    for (size_t i = 0; i < f.storage.size(); ++i)
      f.storage[i] = std::byte(i * 7 + (i >> 8));
    std::vector<uint8_t> expected = f.tensor;
    size_t skew = f.address() - reinterpret_cast<uint64_t>(f.tensor.data());
    for (uint32_t r = 0; r < 8; ++r)
      for (uint32_t b = 0; b < 32; ++b)
        // 5 of the 16 columns are inside; they end in the first unit of 16
        // bytes, which is written whole.
        if (b < 16 && 25 + r < 30)
          expected[skew + (25 + r) * 128 + 32 + b] =
              uint8_t(f.byteAt(placeOf(2176, r, b, pitch, swizzle)));
    ASSERT_TRUE(f.store(map, {16, 25}, 2176)) << f.trap.message;
    EXPECT_EQ(f.tensor, expected) << "swizzle " << mode;
    // Wholly outside: nothing is written.
    ASSERT_TRUE(f.store(map, {24, 0}, 2176));
    ASSERT_TRUE(f.store(map, {0, 30}, 2176));
    EXPECT_EQ(f.tensor, expected);
    EXPECT_FALSE(f.store(map, {-8, 0}, 2176));
    EXPECT_NE(f.trap.message.find("coordinate 0 of a tensor store is -8"),
              std::string::npos);
    EXPECT_FALSE(f.store(map, {0, -1}, 2176));
    // The last row has no memory behind its 21 columns.
    f.allowedEnd = f.address() + 29 * 128 + 42;
    EXPECT_FALSE(f.store(map, {16, 25}, 2176));
    EXPECT_NE(f.trap.message.find("writes 16 bytes"), std::string::npos)
        << f.trap.message;
  }
}

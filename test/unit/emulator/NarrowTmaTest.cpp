//===- NarrowTmaTest.cpp - 4-bit and 6-bit types, swizzle atoms -*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor copies that exist on sm_100 alone. Where each byte lies is worked out
// here from the PTX ISA's description of the types and of the swizzle modes.
//
//===----------------------------------------------------------------------===//

#include "machine/Tma.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <vector>

using namespace bwgemm::emulator;

namespace {

constexpr uint32_t sharedBegin = 1024, sharedEnd = 64 * 1024, at = 4096;
constexpr uint8_t untouched = 0xA5;

struct Call {
  unsigned dataType = 14;
  uint64_t address = 0x7f0012345600;
  uint64_t dims[2] = {256, 64}, strides[1] = {128};
  uint32_t box[2] = {128, 16}, elementStrides[2] = {1, 1};
  int swizzle = 3, interleave = 0, fill = 0;
  bool blackwell = true;
  std::string error;
  TensorMapWords words{};

  bool encode() {
    TiledMapArguments args;
    args.dataType = dataType;
    args.rank = 2;
    args.globalAddress = address;
    args.dims = dims;
    args.strides = strides;
    args.box = box;
    args.elementStrides = elementStrides;
    args.interleave = interleave;
    args.swizzle = swizzle;
    args.oobFill = fill;
    args.blackwell = blackwell;
    return encodeTiled(args, words, error);
  }
};

struct Fixture {
  std::vector<std::byte> storage;
  SharedWindow shared;
  std::vector<uint8_t> tensor;
  TmaTrap trap;

  explicit Fixture(size_t bytes)
      : storage(sharedEnd, std::byte(untouched)), tensor(bytes + 64) {
    shared = {storage.data(), sharedBegin, sharedEnd};
    for (size_t i = 0; i < tensor.size(); ++i)
      tensor[i] = uint8_t(1 + (i * 37 + (i >> 8) * 11) % 160);
  }
  uint8_t *data() {
    uint64_t address = reinterpret_cast<uint64_t>(tensor.data());
    return tensor.data() + ((address + 31) / 32 * 32 - address);
  }
  bool load(TensorMap map, TmaCoordinates c) {
    map.globalAddress = reinterpret_cast<uint64_t>(data());
    GlobalCheck everywhere = {[](void *, uint64_t, uint64_t) { return true; },
                              nullptr};
    TmaPlan plan;
    if (!TmaPlan::make(map, plan, trap) ||
        !checkTensorLoad(plan, c, at, shared, everywhere, trap))
      return false;
    txBytes = plan.txBytes();
    tensorLoad(plan, c, at, shared);
    return true;
  }
  uint8_t byteAt(uint32_t address) const {
    return uint8_t(*shared.at(address));
  }
  uint64_t txBytes = 0;
};

TensorMap mapOf(Call call) {
  TensorMap map;
  std::string error;
  EXPECT_TRUE(call.encode()) << call.error;
  EXPECT_TRUE(TensorMap::decode(call.words, map, error)) << error;
  return map;
}

} // namespace

TEST(NarrowTma, MapsOfBlackwell) {
  for (unsigned type : {13u, 14u, 15u}) {
    Call call;
    call.dataType = type;
    EXPECT_EQ(unsigned(mapOf(call).element), type);
    call.blackwell = false;
    EXPECT_FALSE(call.encode());
    EXPECT_NE(call.error.find("needs sm_100"), std::string::npos) << call.error;
  }
  for (int swizzle : {4, 5, 6}) {
    Call call;
    call.dataType = 0;
    call.swizzle = swizzle;
    TensorMap map = mapOf(call);
    EXPECT_EQ(map.swizzle, TensorSwizzle::B128);
    EXPECT_EQ(int(map.atom), swizzle - 3);
    call.blackwell = false;
    EXPECT_FALSE(call.encode());
    EXPECT_NE(call.error.find("128B_ATOM_"), std::string::npos) << call.error;
  }
}

TEST(NarrowTma, Refusals) {
  auto refuses = [](std::function<void(Call &)> change, const char *text) {
    Call call;
    change(call);
    EXPECT_FALSE(call.encode()) << text;
    EXPECT_NE(call.error.find(text), std::string::npos) << call.error;
  };
  refuses([](Call &c) { c.address += 16; }, "must be a multiple of 32");
  refuses([](Call &c) { c.strides[0] = 144; }, "expected a multiple of 32");
  refuses([](Call &c) { c.dims[0] = 192; }, "expected a multiple of 128");
  refuses([](Call &c) { c.box[0] = 64; }, "expected 128 with a padded");
  refuses([](Call &c) { c.swizzle = 2; }, "no swizzle or one of 128B");
  refuses([](Call &c) { c.swizzle = 5; }, "flips 8 bytes");
  refuses([](Call &c) { c.fill = 1; }, "floating-point");
  refuses([](Call &c) { c.dataType = 13, c.dims[0] = 255; },
          "expected a multiple of 2");
  refuses([](Call &c) { c.dataType = 16; }, "expected 0 to 15");
  refuses([](Call &c) { c.swizzle = 7; }, "expected 0 to 6");
}

/// Row r of the box is line r. Sixteen elements take 8 or 12 bytes of memory
/// and 16 of shared memory, whose last bytes stay as they were.
TEST(NarrowTma, PaddedElements) {
  for (unsigned type : {14u, 15u})
    for (int swizzle : {0, 3, 4, 6}) {
      uint32_t unit = type == 14 ? 8 : 12, pitch = 512 / 16 * unit;
      Fixture f(64 * pitch);
      Call call;
      call.dataType = type;
      call.dims[0] = 512;
      call.dims[1] = 20; // The last four rows of the box are outside.
      call.strides[0] = pitch;
      call.swizzle = swizzle;
      ASSERT_TRUE(f.load(mapOf(call), {128, 8})) << f.trap.message;
      EXPECT_EQ(f.txBytes, 16u * 8 * unit);
      for (uint32_t row = 0; row < 16; ++row)
        for (uint32_t u = 0; u < 8; ++u)
          for (uint32_t i = 0; i < 16; ++i) {
            uint32_t line = (at + 128 * row) / 128, offset = 16 * u;
            if (swizzle == 3)
              offset ^= line % 8 * 16;
            if (swizzle == 4)
              offset ^= line % 4 * 32;
            if (swizzle == 6)
              offset ^= line % 2 * 64;
            uint8_t want = untouched;
            if (i < unit)
              want = row < 12 ? f.data()[(8 + row) * pitch + (8 + u) * unit + i]
                              : 0;
            ASSERT_EQ(f.byteAt(at + 128 * row + offset + i), want)
                << "type " << type << ", swizzle " << swizzle << ", row " << row
                << ", unit " << u << ", byte " << i;
          }
    }
}

TEST(NarrowTma, PackedElementsAreBytes) {
  Fixture f(64 * 128);
  Call call;
  call.dataType = 13;
  call.swizzle = 0;
  call.box[0] = 64;
  ASSERT_TRUE(f.load(mapOf(call), {32, 1})) << f.trap.message;
  EXPECT_EQ(f.txBytes, 16u * 32);
  for (uint32_t row = 0; row < 16; ++row)
    for (uint32_t i = 0; i < 32; ++i)
      ASSERT_EQ(f.byteAt(at + 32 * row + i),
                f.data()[(1 + row) * 128 + 16 + i]);
}

TEST(NarrowTma, AtomsOfTheSwizzle) {
  for (int swizzle : {4, 5, 6}) {
    Fixture f(64 * 256);
    Call call;
    call.dataType = 0;
    call.swizzle = swizzle;
    call.strides[0] = 256;
    ASSERT_TRUE(f.load(mapOf(call), {0, 0})) << f.trap.message;
    for (uint32_t row = 0; row < 16; ++row)
      for (uint32_t i = 0; i < 128; ++i) {
        uint32_t line = (at + 128 * row) / 128;
        uint32_t to = swizzle == 6 ? i ^ line % 2 * 64 : i ^ line % 4 * 32;
        if (swizzle == 5)
          to ^= line % 2 * 8;
        ASSERT_EQ(f.byteAt(at + 128 * row + to), f.data()[row * 256 + i])
            << "swizzle " << swizzle << ", row " << row << ", byte " << i;
      }
  }
}

TEST(NarrowTma, CoordinatesAndStores) {
  Fixture f(64 * 128);
  Call call;
  EXPECT_FALSE(f.load(mapOf(call), {64, 0}));
  EXPECT_NE(f.trap.message.find("is 64, expected a multiple of 128"),
            std::string::npos);
  call.dataType = 13;
  EXPECT_FALSE(f.load(mapOf(call), {16, 0}));
  EXPECT_NE(f.trap.message.find("is 16, expected a multiple of 32"),
            std::string::npos);
  TmaPlan plan;
  TmaTrap trap;
  GlobalCheck everywhere = {[](void *, uint64_t, uint64_t) { return true; },
                            nullptr};
  call.dataType = 15;
  ASSERT_TRUE(TmaPlan::make(mapOf(call), plan, trap));
  EXPECT_FALSE(checkTensorStore(plan, {0, 0}, at, f.shared, everywhere, trap));
  EXPECT_TRUE(trap.unsupported);
}

//===- TensorMapTest.cpp - Tensor map words and refusals --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/TensorMap.h"

#include <gtest/gtest.h>
#include <vector>

using namespace bwgemm::emulator;

namespace {
/// A call that the driver accepts; tests change one thing of it.
struct Call {
  unsigned dataType = 9;
  unsigned rank = 2;
  uint64_t address = 0x7f0012345600;
  std::vector<uint64_t> dims{1000, 300, 7, 5, 3};
  std::vector<uint64_t> strides{2000 + 48, 1 << 20, 1 << 24, 1 << 28};
  std::vector<uint32_t> box{64, 128, 2, 1, 1};
  std::vector<uint32_t> elementStrides{1, 1, 1, 1, 1};
  int interleave = 0, swizzle = 3, promotion = 2, fill = 0;
  std::string error;
  TensorMapWords words{};

  bool encode() {
    TiledMapArguments args;
    args.dataType = dataType;
    args.rank = rank;
    args.globalAddress = address;
    args.dims = dims.data();
    args.strides = strides.data();
    args.box = box.data();
    args.elementStrides = elementStrides.data();
    args.interleave = interleave;
    args.swizzle = swizzle;
    args.l2Promotion = promotion;
    args.oobFill = fill;
    return encodeTiled(args, words, error);
  }
};
} // namespace

TEST(TensorMap, WordsOfAMatrix) {
  Call call;
  ASSERT_TRUE(call.encode()) << call.error;
  const TensorMapWords expected = {
      0x7f0012345600,
      // rank - 1 = 1 at 4, bf16 = 10 at 7, swizzle 3 at 13, promotion 2 at 17;
      // stride 2048 / 16 = 128 above.
      0x10ull | 10ull << 7 | 3ull << 13 | 2ull << 17 | 128ull << 32,
      0,
      0,
      999ull | 299ull << 32,
      0,
      63ull << 56,
      127,
      64 * 128 * 2,
      1024,
  };
  EXPECT_EQ(call.words, expected);
}

TEST(TensorMap, WordsOfAllFields) {
  Call call;
  call.dataType = 7; // f32
  call.rank = 5;
  call.strides = {4096, (1ull << 36) + 32, 1ull << 37, (1ull << 40) - 16};
  call.dims = {1ull << 32, 2, 3, 4, 5};
  call.box = {8, 16, 4, 3, 2};
  call.elementStrides = {1, 2, 3, 4, 8};
  call.swizzle = 1;
  call.promotion = 3;
  call.fill = 1;
  ASSERT_TRUE(call.encode()) << call.error;
  EXPECT_EQ(call.words[1], 0x40ull | 7ull << 7 | 1ull << 13 | 1ull << 15 |
                               3ull << 17 | 256ull << 32);
  // (2^36 + 32) / 16 = 2^32 + 2 and 2^37 / 16 = 2^33: low halves 2 and 0.
  EXPECT_EQ(call.words[2], 2ull);
  // (2^40 - 16) / 16 = 2^36 - 1: low half all ones, high nibble 15.
  EXPECT_EQ(call.words[3],
            0xffffffffull | 1ull << 36 | 2ull << 40 | 15ull << 44);
  EXPECT_EQ(call.words[4], 0xffffffffull | 1ull << 32);
  EXPECT_EQ(call.words[5], 2ull | 3ull << 32);
  EXPECT_EQ(call.words[6], 4ull | 1ull << 35 | 2ull << 38 | 3ull << 41 |
                               7ull << 44 | 7ull << 56);
  EXPECT_EQ(call.words[7], 15ull | 3ull << 8 | 2ull << 16 | 1ull << 24);
  // 4 bytes * 8 * floor(16/2) * floor(4/3) * floor(3/4) * floor(2/8)
  EXPECT_EQ(call.words[8], 0ull);
  EXPECT_EQ(call.words[9], 256ull);

  TensorMap map;
  std::string error;
  ASSERT_TRUE(TensorMap::decode(call.words, map, error)) << error;
  EXPECT_EQ(map.rank, 5u);
  EXPECT_EQ(map.element, TensorElement::F32);
  EXPECT_EQ(map.dims[0], 1ull << 32);
  EXPECT_EQ(map.strides[2], (1ull << 36) + 32);
  EXPECT_EQ(map.strides[4], (1ull << 40) - 16);
  EXPECT_EQ(map.box[3], 3u);
  EXPECT_EQ(map.elementStrides[4], 8u);
  EXPECT_TRUE(map.nanFill);
  EXPECT_EQ(map.encode(), call.words);
}

TEST(TensorMap, ElementCodes) {
  // CUtensorMapDataType 0..12 to the code of the map and the tf32 bit.
  const unsigned codes[13] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 7, 8};
  for (unsigned type = 0; type < 13; ++type) {
    Call call;
    call.dataType = type;
    call.box[0] = 16;
    call.swizzle = 0;
    ASSERT_TRUE(call.encode()) << type << ": " << call.error;
    EXPECT_EQ((call.words[1] >> 7) & 15, codes[type]) << type;
    EXPECT_EQ((call.words[1] >> 16) & 1, type >= 11 ? 1u : 0u) << type;
  }
}

TEST(TensorMap, PatternAlignmentOfSwizzles) {
  const uint64_t expected[4] = {16, 256, 512, 1024};
  for (int swizzle = 0; swizzle < 4; ++swizzle) {
    Call call;
    call.swizzle = swizzle;
    call.box[0] = 8;
    ASSERT_TRUE(call.encode()) << call.error;
    EXPECT_EQ(call.words[9], expected[swizzle]);
  }
}

TEST(TensorMap, AcceptedLimits) {
  auto accepts = [](auto change) {
    Call call;
    change(call);
    bool result = call.encode();
    EXPECT_TRUE(result) << call.error;
    return result;
  };
  accepts([](Call &c) { c.address = 0; });
  accepts([](Call &c) { c.address = 1ull << 56; });
  accepts([](Call &c) { c.strides[0] = 0; });
  accepts([](Call &c) { c.strides[0] = 16; });
  accepts([](Call &c) { c.box[1] = 256; });
  accepts([](Call &c) {
    c.rank = 3;
    c.swizzle = 2;
    c.box[0] = 32;
    c.interleave = 2;
  });
  // What lies beyond the rank is not looked at.
  accepts([](Call &c) {
    c.box[2] = 0;
    c.elementStrides[3] = 0;
    c.dims[4] = 0;
  });
  // 16 x 103 x 140 = 230 720 bytes.
  accepts([](Call &c) {
    c.dataType = 0, c.swizzle = 0, c.rank = 3, c.box = {16, 103, 140, 1, 1};
  });
}

TEST(TensorMap, Refusals) {
  auto refuses = [](auto change, const char *text) {
    Call call;
    call.words.fill(42);
    change(call);
    EXPECT_FALSE(call.encode()) << text;
    EXPECT_NE(call.error.find(text), std::string::npos)
        << "got: " << call.error << "\nexpected: " << text;
    EXPECT_EQ(call.words[0], 42u);
  };
  refuses([](Call &c) { c.rank = 0; }, "rank 0, expected 1 to 5");
  refuses([](Call &c) { c.rank = 6; }, "rank 6, expected 1 to 5");
  refuses([](Call &c) { c.dataType = 13; }, "element type 13");
  refuses([](Call &c) { c.dataType = 16; }, "element type 16");
  refuses([](Call &c) { c.swizzle = 4; }, "128B_ATOM_32B");
  refuses([](Call &c) { c.swizzle = 7; }, "swizzle 7, expected 0 to 3");
  refuses([](Call &c) { c.interleave = 3; }, "interleave 3");
  refuses([](Call &c) { c.interleave = 1; }, "needs rank 3");
  refuses([](Call &c) { c.promotion = -1; }, "L2 promotion -1");
  refuses([](Call &c) { c.promotion = 4; }, "L2 promotion 4");
  refuses([](Call &c) { c.fill = 2; }, "out-of-bounds fill 2");
  refuses([](Call &c) { c.fill = 1, c.dataType = 2, c.box[0] = 16; },
          "NaN fill");
  refuses([](Call &c) { c.address += 8; },
          "multiple of 16, got a remainder of 8");
  refuses([](Call &c) { c.rank = 3, c.interleave = 2, c.address += 16; },
          "multiple of 32");
  refuses([](Call &c) { c.address = 1ull << 57; }, "below 2^57");
  refuses([](Call &c) { c.dims[1] = 0; }, "dimension 1 is 0");
  refuses([](Call &c) { c.dims[0] = (1ull << 32) + 1; }, "dimension 0 is");
  refuses([](Call &c) { c.strides[0] = 2008; },
          "stride of dimension 1 is 2008");
  refuses([](Call &c) { c.strides[0] = 1ull << 40; }, "below 2^40");
  refuses([](Call &c) { c.box[1] = 0; }, "box dimension 1 is 0");
  refuses([](Call &c) { c.box[1] = 257; }, "box dimension 1 is 257");
  refuses([](Call &c) { c.box[0] = 60; },
          "120 bytes, expected a multiple of 16");
  refuses([](Call &c) { c.swizzle = 2; }, "swizzle span of 64");
  refuses([](Call &c) { c.elementStrides[0] = 0; }, "element stride 0 is 0");
  refuses([](Call &c) { c.elementStrides[1] = 9; }, "element stride 1 is 9");
  refuses(
      [](Call &c) {
        c.dataType = 0, c.swizzle = 0, c.rank = 3, c.box = {16, 116, 126, 1, 1};
      },
      "233856 bytes of shared memory, expected at most 232448");

  TiledMapArguments null;
  null.rank = 1;
  TensorMapWords words{};
  std::string error;
  EXPECT_FALSE(encodeTiled(null, words, error));
}

TEST(TensorMap, DecodeRefusesWhatIsNoMap) {
  TensorMapWords words{};
  TensorMap map;
  std::string error;
  words[1] = 5 << 4;
  EXPECT_FALSE(TensorMap::decode(words, map, error));
  EXPECT_NE(error.find("rank 6"), std::string::npos);
  words[1] = 11 << 7;
  EXPECT_FALSE(TensorMap::decode(words, map, error));
  EXPECT_NE(error.find("element code 11"), std::string::npos);
  words[1] = 1 << 20;
  EXPECT_FALSE(TensorMap::decode(words, map, error));
}

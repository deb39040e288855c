//===- HostTensorMapTest.cpp - Tensor maps of views -------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The limits are those of cuTensorMapEncodeTiled in the CUDA Driver API; the
// encoding was measured on an H200.
//
//===----------------------------------------------------------------------===//

#include "LaunchFixture.h"

#include <array>

using namespace bwgemm::cuda;

namespace {

class HostTensorMapTest : public LaunchTest {
protected:
  /// Encodes the map of a bf16 matrix, unless told otherwise.
  std::array<uint64_t, 16>
  encode(uintptr_t address, int64_t offset, std::array<int64_t, 2> sizes,
         std::array<int64_t, 2> strides, std::array<int32_t, 2> box = {64, 64},
         int32_t swizzle = CU_TENSOR_MAP_SWIZZLE_128B,
         int32_t type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16) {
    std::array<uint64_t, 16> words{};
    bwgemmHostEncodeTensorMap(
        words.data(), "A", reinterpret_cast<void *>(address), offset, 2,
        sizes.data(), strides.data(), type, box.data(), swizzle);
    return words;
  }
};

TEST_F(HostTensorMapTest, OutermostFirstBecomesInnermostFirst) {
  std::array<uint64_t, 16> words =
      encode(0x10000, 16, {300, 200}, {208, 1}, {128, 64});
  ASSERT_TRUE(reports.empty());
  EXPECT_EQ(words[0], 0x10020u);                    // 16 bf16 further
  EXPECT_EQ(words[1] >> 32, 208u * 2 / 16);         // row pitch / 16
  EXPECT_EQ(words[4], (uint64_t(299) << 32) | 199); // sizes - 1
  EXPECT_EQ(words[6] >> 56, 63u);                   // inner box - 1
  EXPECT_EQ(words[7] & 0xff, 127u);                 // outer box - 1
  EXPECT_EQ((words[1] >> 13) & 3, 3u);              // swizzle 128B
}

TEST_F(HostTensorMapTest, RowPitch) {
  encode(0x10000, 0, {300, 500}, {511, 1});
  EXPECT_EQ(onlyReport(),
            "operand A: row pitch is 1022 bytes; TMA needs a multiple of 16 "
            "bytes (8 elements of bf16); pad the leading dimension to 512");
  encode(0x10000, 0, {300, 500}, {int64_t(1) << 39, 1});
  EXPECT_NE(onlyReport().find("TMA needs less than 2^40 bytes"),
            std::string::npos);
  encode(0x10000, 0, {300, 500}, {-512, 1});
  EXPECT_NE(onlyReport().find("row pitch is -512 elements"), std::string::npos);
}

TEST_F(HostTensorMapTest, OneRowMayHaveAnyPitch) {
  encode(0x10000, 0, {1, 511}, {511, 1});
  EXPECT_TRUE(reports.empty());
}

TEST_F(HostTensorMapTest, AddressableSaysWhatEncodingWould) {
  auto addressable = [](uintptr_t address, int64_t offset,
                        std::array<int64_t, 2> sizes,
                        std::array<int64_t, 2> strides) {
    return bwgemmHostTmaAddressable(reinterpret_cast<void *>(address), offset,
                                    2, sizes.data(), strides.data(),
                                    CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  };
  EXPECT_EQ(addressable(0x10000, 0, {300, 504}, {504, 1}), 1);
  EXPECT_EQ(addressable(0x10000, 0, {300, 510}, {510, 1}), 0);
  EXPECT_EQ(addressable(0x10000, 0, {300, 511}, {511, 1}), 0);
  EXPECT_EQ(addressable(0x10000, 0, {1, 511}, {511, 1}), 1);
  EXPECT_EQ(addressable(0x10000, 4, {300, 504}, {504, 1}), 0);
  EXPECT_EQ(addressable(0x10000, 8, {300, 504}, {504, 1}), 1);
  EXPECT_EQ(addressable(0x10000, 0, {300, 504}, {1008, 2}), 0);
  EXPECT_TRUE(reports.empty()) << "a question is no error";
}

TEST_F(HostTensorMapTest, BaseAddress) {
  encode(0x10000, 3, {300, 512}, {512, 1});
  EXPECT_EQ(onlyReport(),
            "operand A: the first element's address is 6 bytes past a multiple "
            "of 16; TMA needs a multiple of 16 (8 elements of bf16); align the "
            "memory or the offset");
  encode(0x10004, 6, {300, 512}, {512, 1});
  EXPECT_TRUE(reports.empty()) << "4 + 12 is 16";
}

TEST_F(HostTensorMapTest, InnermostStride) {
  encode(0x10000, 0, {300, 512}, {1024, 2});
  EXPECT_EQ(onlyReport(),
            "operand A: the innermost stride is 2 elements; TMA needs 1");
}

TEST_F(HostTensorMapTest, Sizes) {
  encode(0x10000, 0, {0, 512}, {512, 1});
  EXPECT_EQ(onlyReport(),
            "operand A: size 0 in dimension 0; TMA needs 1 to 2^32");
  encode(0x10000, 0, {(int64_t(1) << 32) + 1, 8}, {8, 1});
  EXPECT_NE(onlyReport().find("4294967297"), std::string::npos);
}

TEST_F(HostTensorMapTest, Boxes) {
  encode(0x10000, 0, {300, 512}, {512, 1}, {257, 64});
  EXPECT_EQ(onlyReport(), "operand A: the box has 257 elements in dimension 0; "
                          "TMA needs 1 to 256");
  encode(0x10000, 0, {300, 512}, {512, 1}, {64, 4});
  EXPECT_EQ(onlyReport(), "operand A: the box's rows are 8 bytes; TMA needs a "
                          "multiple of 16 bytes");
  encode(0x10000, 0, {300, 512}, {512, 1}, {64, 64}, CU_TENSOR_MAP_SWIZZLE_64B);
  EXPECT_EQ(onlyReport(),
            "operand A: the box's rows are 128 bytes; swizzle 64B takes at "
            "most 64");
  encode(0x10000, 0, {300, 512}, {512, 1}, {64, 64}, 4);
  EXPECT_NE(onlyReport().find("swizzle 4 is unknown"), std::string::npos);
}

TEST_F(HostTensorMapTest, ElementTypeAndRank) {
  encode(0x10000, 0, {300, 512}, {512, 1}, {64, 32}, 3,
         CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B);
  EXPECT_NE(onlyReport().find("element type 13"), std::string::npos);
  std::array<uint64_t, 16> words{};
  bwgemmHostEncodeTensorMap(words.data(), "B", nullptr, 0, 6, nullptr, nullptr,
                            0, nullptr, 0);
  EXPECT_EQ(onlyReport(), "operand B: rank 6; TMA needs 1 to 5");
}

} // namespace

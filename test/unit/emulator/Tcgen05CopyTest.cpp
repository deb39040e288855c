//===- Tcgen05CopyTest.cpp - tcgen05.cp and tcgen05.shift -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where each byte of the source goes, for every shape: the lanes are listed
// here as the PTX ISA's qualifiers name the warps that share them.
//
//===----------------------------------------------------------------------===//

#include "machine/Tcgen05Copy.h"

#include "PtxFixture.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <random>

using namespace bwgemm::emulator;

namespace {

constexpr uint32_t sharedBegin = 1024, sharedEnd = 64 * 1024;

struct Memories {
  std::unique_ptr<std::byte[]> storage{new std::byte[sharedEnd]};
  SharedWindow shared{storage.get(), sharedBegin, sharedEnd};
  TensorMemory tensor;
  std::string error;
  bool unsupported = false;

  Memories() {
    std::mt19937 random(5);
    for (uint32_t i = 0; i < sharedEnd; ++i)
      storage[i] = std::byte(random());
    uint32_t address;
    tensor.allocate(64, address, error);
  }
  bool run(CopyShape shape, unsigned narrowBits, uint32_t address,
           uint64_t descriptor) {
    TensorFill fill;
    error.clear();
    if (!TensorFill::issue(shape, narrowBits, address, descriptor, tensor,
                           shared, fill, error, unsupported))
      return false;
    fill.land(tensor, shared);
    return true;
  }
  uint32_t word(uint32_t address) const {
    uint32_t value;
    std::memcpy(&value, shared.at(address), 4);
    return value;
  }
};

struct ShapeCase {
  CopyShape shape;
  uint32_t rows, chunks;
  std::vector<uint32_t> (*lanes)(uint32_t row);
};

const ShapeCase shapeCases[] = {
    {CopyShape::S128x256b, 128, 2,
     [](uint32_t r) { return std::vector<uint32_t>{r}; }},
    {CopyShape::S128x128b, 128, 1,
     [](uint32_t r) { return std::vector<uint32_t>{r}; }},
    {CopyShape::S4x256b, 4, 2,
     [](uint32_t r) { return std::vector<uint32_t>{5 + 32 * r}; }},
    // Warps 0 and 2 have the same 32 rows, and warps 1 and 3.
    {CopyShape::S64x128b02_13, 64, 1,
     [](uint32_t r) {
       return r < 32 ? std::vector<uint32_t>{r, 64 + r}
                     : std::vector<uint32_t>{32 + r - 32, 96 + r - 32};
     }},
    // Warps 0 and 1, and warps 2 and 3.
    {CopyShape::S64x128b01_23, 64, 1,
     [](uint32_t r) {
       return r < 32 ? std::vector<uint32_t>{r, 32 + r}
                     : std::vector<uint32_t>{64 + r - 32, 96 + r - 32};
     }},
    {CopyShape::S32x128bX4, 32, 1,
     [](uint32_t r) {
       return std::vector<uint32_t>{r, 32 + r, 64 + r, 96 + r};
     }},
};

} // namespace

TEST(Tcgen05Copy, EveryShapeAndSwizzle) {
  struct Mode {
    uint32_t code, span;
  };
  for (Mode mode : {Mode{0, 16}, Mode{6, 32}, Mode{4, 64}, Mode{2, 128}})
    for (const ShapeCase &test : shapeCases) {
      Memories m;
      uint32_t start = 2048, lbo = 4096, sbo = 8 * mode.span + 1024;
      uint64_t descriptor = uint64_t(start >> 4) | uint64_t(lbo >> 4) << 16 |
                            uint64_t(sbo >> 4) << 32 | 1ull << 46 |
                            uint64_t(mode.code) << 61;
      uint32_t base = test.shape == CopyShape::S4x256b ? 5 : 0;
      ASSERT_TRUE(m.run(test.shape, 0, base << 16 | 16, descriptor)) << m.error;
      TensorMemory::LaneSet expected;
      for (uint32_t row = 0; row < test.rows; ++row)
        for (uint32_t c = 0; c < test.chunks; ++c) {
          uint32_t at = start + row % 8 * mode.span + row / 8 * sbo +
                        c * (mode.span == 16 ? lbo : 16);
          uint32_t line = at / 128, unit = at / 16 % 8;
          at = line * 128 + (unit ^ line % (mode.span / 16)) * 16;
          for (uint32_t lane : test.lanes(row)) {
            expected.insert(TensorMemory::LaneSet::range(lane, 1));
            for (uint32_t i = 0; i < 4; ++i)
              ASSERT_EQ(m.tensor.column(16 + 4 * c + i)[lane],
                        m.word(at + 4 * i))
                  << "shape " << int(test.shape) << ", row " << row;
          }
        }
      for (uint32_t column = 0; column < 64; ++column) {
        bool inside = column >= 16 && column < 16 + 4 * test.chunks;
        TensorMemory::LaneSet written = m.tensor.writtenLanes(column);
        EXPECT_EQ(written.low, inside ? expected.low : 0) << column;
        EXPECT_EQ(written.high, inside ? expected.high : 0) << column;
      }
    }
}

TEST(Tcgen05Copy, SpreadsNarrowElements) {
  for (unsigned bits : {4u, 6u}) {
    Memories m;
    uint64_t descriptor = uint64_t(2048 >> 4) | uint64_t(128 >> 4) << 32 |
                          uint64_t(4096 >> 4) << 16 | 1ull << 46;
    ASSERT_TRUE(m.run(CopyShape::S128x256b, bits, 0, descriptor)) << m.error;
    for (uint32_t row = 0; row < 128; ++row)
      for (uint32_t k = 0; k < 32; ++k) {
        // Element k % 16 of its chunk, least significant bit first.
        uint32_t at = 2048 + row * 16 + k / 16 * 4096, value = 0;
        for (uint32_t i = 0; i < bits; ++i) {
          uint32_t bit = k % 16 * bits + i;
          value |= ((uint32_t(*m.shared.at(at + bit / 8)) >> (bit % 8)) & 1)
                   << i;
        }
        uint32_t cell = m.tensor.column(k / 4)[row];
        ASSERT_EQ((cell >> (8 * (k % 4))) & 255, bits == 4 ? value << 2 : value)
            << bits << " bits, row " << row << ", k " << k;
      }
  }
}

TEST(Tcgen05Copy, Refuses) {
  Memories m;
  uint64_t good = uint64_t(2048 >> 4) | uint64_t(128 >> 4) << 32 | 1ull << 46;
  EXPECT_TRUE(m.run(CopyShape::S32x128bX4, 0, 0, good));
  auto refuses = [&](CopyShape shape, uint32_t address, uint64_t descriptor,
                     const char *text) {
    EXPECT_FALSE(m.run(shape, 0, address, descriptor));
    EXPECT_NE(m.error.find(text), std::string::npos) << m.error;
  };
  refuses(CopyShape::S32x128bX4, 32 << 16, good, "lane 32, expected lane 0");
  refuses(CopyShape::S4x256b, 32 << 16, good, "lane 32, expected lane 0 to 31");
  refuses(CopyShape::S32x128bX4, 61, good, "column 64 of columns 61 to 64");
  refuses(CopyShape::S32x128bX4, 0, good & ~(1ull << 46), "bits 46..48 are 0");
  refuses(CopyShape::S32x128bX4, 0, good | 1ull << 61, "layout 1");
  EXPECT_TRUE(m.unsupported);
  refuses(CopyShape::S128x128b, 0, good | 0x3fffull << 32,
          "outside of the CTA's shared memory");
  refuses(CopyShape::S128x128b, 0, good & ~0x3fffull,
          "outside of the CTA's shared memory");
}

TEST(Tcgen05Shift, MovesThirtyOneLanes) {
  Memories m;
  for (uint32_t column = 8; column < 16; ++column) {
    for (uint32_t lane = 32; lane < 63; ++lane)
      m.tensor.column(column)[lane] = 1000 * column + lane;
    m.tensor.markWritten(column, TensorMemory::LaneSet::range(32, 31));
  }
  TensorAddress address(32u << 16 | 8);
  ASSERT_TRUE(checkShift(address, m.tensor, m.error));
  ASSERT_TRUE(landShift(address, m.tensor, m.error)) << m.error;
  for (uint32_t column = 8; column < 16; ++column) {
    EXPECT_EQ(m.tensor.column(column)[32], 1000 * column + 32);
    for (uint32_t lane = 33; lane < 64; ++lane)
      EXPECT_EQ(m.tensor.column(column)[lane], 1000 * column + lane - 1);
    EXPECT_TRUE(m.tensor.writtenLanes(column).test(63));
    EXPECT_FALSE(m.tensor.writtenLanes(column).test(64));
  }
  EXPECT_FALSE(checkShift(TensorAddress(16u << 16), m.tensor, m.error));
  EXPECT_NE(m.error.find("lane 16, expected a multiple of 32"),
            std::string::npos);
  EXPECT_FALSE(landShift(TensorAddress(0), m.tensor, m.error));
  EXPECT_NE(m.error.find("uninitialised"), std::string::npos);
}

namespace {
class Tcgen05CopyPtx : public PtxFixture {};
} // namespace

/// Eight bytes of descriptor for a chunk column of shared memory, eight rows
/// 128 bytes apart: SBO 128, version 1.
static const char *const descriptorOf =
    "mov.u32 %r10, tile;\nshr.u32 %r10, %r10, 4;\ncvt.u64.u32 %w10, %r10;\n"
    "or.b64 %w10, %w10, 0x0000400800000000;\n";

/// Copies 32 rows of 16 bytes, which hold their index, to all four quarters,
/// shifts the first, and reads a quarter back.
static std::string copyKernel(const std::string &between) {
  return std::string(
             ".shared .align 128 .b8 tile[512];\n.shared .align 8 .b64 bar;\n"
             ".shared .align 4 .b32 base;\n"
             "mov.u32 %r1, tile;\nshl.b32 %r2, %t, 4;\nadd.u32 %r1, %r1, %r2;\n"
             "add.u32 %r3, %t, 100;\n"
             "st.shared.v4.b32 [%r1], {%r3, %r3, %r3, %r3};\n"
             "fence.proxy.async.shared::cta;\n"
             "setp.ne.u32 %p1, %t, 0;\n"
             "@%p1 bra ALLOC;\nmbarrier.init.shared::cta.b64 [bar], 1;\n"
             "fence.proxy.async.shared::cta;\nALLOC:\n"
             "bar.warp.sync 0xffffffff;\n"
             "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], "
             "32;\n"
             "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
             "bar.sync 0;\nld.shared.b32 %r7, [base];\n") +
         descriptorOf + between +
         "@%p1 bra WAIT;\n"
         "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster."
         "b64 "
         "[bar];\n"
         "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n"
         "@!%p2 bra WAIT;\n"
         "tcgen05.fence::after_thread_sync;\n"
         "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, [%r7];\n"
         "tcgen05.wait::ld.sync.aligned;\n"
         "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r7, 32;\n";
}

TEST_F(Tcgen05CopyPtx, CopyAndShiftLandBeforeTheCommit) {
  for (bool random : {false, true}) {
    options.schedule = random ? WarpOrder::Random : WarpOrder::Fair;
    options.hazards = true;
    std::vector<uint32_t> result = words(copyKernel(
        "@!%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r7], %w10;\n"
        "@!%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r7 + 4], %w10;\n"
        "@!%p1 tcgen05.shift.cta_group::1.down [%r7];\n"));
    for (uint32_t t = 0; t < 32; ++t)
      EXPECT_EQ(result[t], 100 + (t ? t - 1 : 0));
  }
}

TEST_F(Tcgen05CopyPtx, ModifiersThatDoNotBelongTogether) {
  auto refuses = [&](const std::string &text, const char *message) {
    std::string error = loadError(kernel(text));
    EXPECT_NE(error.find(message), std::string::npos) << error;
  };
  std::string cp = "tcgen05.cp.cta_group::1.";
  refuses(cp + "64x128b [%r7], %w10;", ".64x128b needs .warpx2::02_13");
  refuses(cp + "64x128b.warpx4 [%r7], %w10;", ".64x128b needs .warpx2::02_13");
  refuses(cp + "32x128b [%r7], %w10;", ".32x128b needs .warpx4");
  refuses(cp + "32x128b.warpx2::01_23 [%r7], %w10;", ".32x128b needs .warpx4");
  refuses(cp + "128x256b.warpx4 [%r7], %w10;", "are for .64x128b and .32x128b");
  refuses(cp + "16x256b [%r7], %w10;", "expected .128x256b");
  refuses(cp + "4x256b.b4x16_p64 [%r7], %w10;", "expected .b8x16");
  refuses(cp + "4x256b.b8x16 [%r7], %w10;", "expected .b4x16_p64");
  refuses("tcgen05.shift.cta_group::1 [%r7];", "expected .down");
  refuses("tcgen05.shift.down [%r7];", "expected .cta_group::1");
}

TEST_F(Tcgen05CopyPtx, HazardsOfTheSource) {
  options.hazards = true;
  uint64_t out = memory.allocate(128);
  // Without the fence behind the ordinary stores.
  std::string text =
      copyKernel("@!%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r7], %w10;\n");
  size_t fence = text.find("fence.proxy.async.shared::cta;\nsetp");
  ASSERT_NE(fence, std::string::npos);
  text.erase(fence, std::strlen("fence.proxy.async.shared::cta;\n"));
  LaunchReport report = run(kernel(text), {1, 1, 1}, {32, 1, 1}, {out});
  ASSERT_FALSE(report.fault) << report.fault->render();
  ASSERT_FALSE(report.hazards.empty());
  EXPECT_NE(
      report.hazards[0].message.find("the tcgen05.cp reads shared memory"),
      std::string::npos)
      << report.hazards[0].message;
  // A read that does not wait for the commit.
  text =
      copyKernel("@!%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r7], %w10;\n");
  size_t wait = text.find("mbarrier.try_wait"),
         end = text.find("tcgen05.fence::after");
  ASSERT_LT(wait, end);
  text.erase(wait, end - wait);
  report = run(kernel(text), {1, 1, 1}, {32, 1, 1}, {out});
  ASSERT_FALSE(report.hazards.empty());
  EXPECT_NE(report.hazards[0].message.find(
                "reads tensor memory that the tcgen05.cp of line"),
            std::string::npos)
      << report.hazards[0].message;
}

/// One thread of the even CTA copies and shifts in both CTAs, each from its own
/// shared memory.
TEST_F(Tcgen05CopyPtx, CtaPairs) {
  std::string text = copyKernel(
      "mov.u32 %r20, %cluster_ctarank;\nsetp.ne.u32 %p3, %r20, 0;\n"
      "or.pred %p1, %p1, %p3;\n"
      "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
      "@!%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r7], %w10;\n"
      "@!%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r7 + 4], %w10;\n"
      "@!%p1 tcgen05.shift.cta_group::1.down [%r7];\n");
  auto edit = [&](const std::string &from, const std::string &to) {
    size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    for (; at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  edit("cta_group::1", "cta_group::2");
  // The odd CTA's rows hold other numbers, and only the even one commits.
  edit("add.u32 %r3, %t, 100;\n", "mov.u32 %r21, %cluster_ctarank;\n"
                                  "mad.lo.u32 %r3, %r21, 1000, %t;\n"
                                  "add.u32 %r3, %r3, 100;\n");
  edit("WAIT:\n", "WAIT:\n@%p3 bra WAITED;\n");
  edit("@!%p2 bra WAIT;\n", "@!%p2 bra WAIT;\nWAITED:\n"
                            "barrier.cluster.arrive.aligned;\n"
                            "barrier.cluster.wait.aligned;\n");
  options.hazards = true;
  std::vector<uint32_t> result = words(text, 32, 2, {2, 1, 1});
  for (uint32_t cta = 0; cta < 2; ++cta)
    for (uint32_t t = 0; t < 32; ++t)
      EXPECT_EQ(result[32 * cta + t], 1000 * cta + 100 + (t ? t - 1 : 0))
          << cta << ", " << t;
}

//===- WmmaTest.cpp - wmma: layout, refusals, traps -------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts are those that an H200 showed; test/Differential/forms/wmma.py
// compares all of them and every product.
//
//===----------------------------------------------------------------------===//

#include "PtxFixture.h"

using namespace bwgemm::emulator;

namespace {
class WmmaTest : public PtxFixture {
protected:
  /// Shared memory with 16-bit word i at byte 2 i, then `load`, then register
  /// `reg` of the fragment %r10...
  static std::string loaded(const std::string &load, unsigned reg) {
    return ".shared .align 32 .b8 m[1024];\n"
           "mov.u32 %r1, m;\nmov.u32 %r2, 0;\n"
           "FILL:\nmad.lo.u32 %r3, %r2, 32, %t;\nshl.b32 %r4, %r3, 1;\n"
           "add.u32 %r4, %r4, %r1;\ncvt.u16.u32 %h1, %r3;\n"
           "st.shared.b16 [%r4], %h1;\nadd.u32 %r2, %r2, 1;\n"
           "setp.lt.u32 %p1, %r2, 16;\n@%p1 bra FILL;\nbar.sync 0;\n" +
           load + "\nmov.b32 %r0, %r" + std::to_string(10 + reg) + ";";
  }
  static std::string registers(unsigned first, unsigned count) {
    std::string text = "{";
    for (unsigned n = 0; n < count; ++n)
      text += (n ? ", %r" : "%r") + std::to_string(first + n);
    return text + "}";
  }
};
} // namespace

TEST_F(WmmaTest, OperandsLieAsThoseOfMma) {
  // Lane 5: row 1, columns 2 and 3 of a block of 8 x 8.
  std::string load = "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " +
                     registers(10, 8) + ", [%r1], 16;";
  auto pair = [](unsigned low, unsigned high) { return low | high << 16; };
  EXPECT_EQ(words(loaded(load, 0))[5], pair(1 * 16 + 2, 1 * 16 + 3));
  EXPECT_EQ(words(loaded(load, 1))[5], pair(9 * 16 + 2, 9 * 16 + 3));
  EXPECT_EQ(words(loaded(load, 2))[5], pair(1 * 16 + 10, 1 * 16 + 11));
  EXPECT_EQ(words(loaded(load, 3))[5], pair(9 * 16 + 10, 9 * 16 + 11));
  // The matrix once more.
  EXPECT_EQ(words(loaded(load, 6))[5], pair(1 * 16 + 10, 1 * 16 + 11));
  // By columns, and without a stride: the columns follow each other.
  load = "wmma.load.a.sync.aligned.col.m16n16k16.shared.f16 " +
         registers(10, 8) + ", [%r1];";
  EXPECT_EQ(words(loaded(load, 1))[5], pair(2 * 16 + 9, 3 * 16 + 9));
  // B: lane 5 has column 1, rows 2 and 3; its K comes first.
  load = "wmma.load.b.sync.aligned.row.m16n16k16.shared.f16 " +
         registers(10, 8) + ", [%r1], 16;";
  EXPECT_EQ(words(loaded(load, 1))[5], pair(10 * 16 + 1, 11 * 16 + 1));
  EXPECT_EQ(words(loaded(load, 2))[5], pair(2 * 16 + 9, 3 * 16 + 9));
  // Of m8n32 the product is transposed, and so is what it adds to.
  load = "wmma.load.c.sync.aligned.row.m8n32k16.shared.f16 " +
         registers(10, 4) + ", [%r1], 32;";
  EXPECT_EQ(words(loaded(load, 1))[5], pair(2 * 32 + 9, 3 * 32 + 9));
}

TEST_F(WmmaTest, Refusals) {
  auto error = [&](const std::string &text) { return loadError(kernel(text)); };
  EXPECT_NE(error("wmma.load.a.sync.aligned.row.m16n8k16.f16 " +
                  registers(10, 8) + ", [%w1];")
                .find("expected .m16n16k16, .m32n8k16, .m8n32k16 with .f16"),
            std::string::npos);
  EXPECT_NE(error("wmma.load.b.sync.aligned.row.m8n8k32.s4 {%r1}, [%w1];")
                .find("expected .col, which elements below 8 bits must have"),
            std::string::npos);
  EXPECT_NE(error("wmma.load.c.sync.aligned.row.m8n8k4.f32 {%f1, %f2}, [%w1];")
                .find("no product of this shape has .f32 as the type of C"),
            std::string::npos);
  EXPECT_NE(error("wmma.mma.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 "
                  "{%r1, %r2}, {%r3}, {%r4}, {%r1, %r2};")
                .find("expected .xor.popc or .and.popc with .b1"),
            std::string::npos);
  EXPECT_NE(error("wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32 " +
                  registers(10, 8) + ", {%r1, %r2}, {%r3, %r4}, " +
                  registers(10, 8) + ";")
                .find("expected one type for A and B"),
            std::string::npos);
  // A part of the product would read what another has written.
  EXPECT_NE(error("wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 " +
                  registers(10, 8) + ", {%r1, %r10}, {%r3, %r4}, " +
                  registers(10, 8) + ";")
                .find("expected registers for D that A and B do not use"),
            std::string::npos);
}

TEST_F(WmmaTest, AddressesAreOneAndAligned) {
  std::string shared = ".shared .align 32 .b8 m[1024];\nmov.u32 %r1, m;\n";
  std::string load = "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " +
                     registers(10, 8) + ", [%r1], 16;";
  EXPECT_NE(fault(shared + "mad.lo.u32 %r1, %t, 2, %r1;\n" + load)
                .render()
                .find("expected one address for all lanes of the warp"),
            std::string::npos);
  EXPECT_NE(fault(shared + "add.u32 %r1, %r1, 1;\n" + load)
                .render()
                .find("misaligned address"),
            std::string::npos);
  EXPECT_NE(fault(shared + "add.u32 %r1, %r1, 768;\n" + load)
                .render()
                .find("out of bounds"),
            std::string::npos);
  EXPECT_NE(fault(shared + load, 31).render().find("all 32 threads"),
            std::string::npos);
}

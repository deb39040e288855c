//===- LdmatrixTest.cpp - Matrices of 8, 6 and 4 bits -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forms that no sm_90 has; those of 16 bits are in test/Emulator. Lane l
// fills row l % 16 of shared memory, 16 bytes, with 16 l + byte, modulo 256.
//
//===----------------------------------------------------------------------===//

#include "PtxFixture.h"

using namespace bwgemm::emulator;

namespace {
class Ldmatrix : public PtxFixture {
protected:
  /// Rows filled; %r1 is the address of row %t, %r2 that of row 0.
  static std::string filled(const std::string &body) {
    return ".shared .align 16 .b8 s[512];\nmov.u32 %r2, s;\n"
           "mad.lo.u32 %r1, %t, 16, %r2;\n"
           "mul.lo.u32 %r3, %t, 0x10101010;\n"
           "or.b32 %r4, %r3, 0x03020100;\nor.b32 %r5, %r3, 0x07060504;\n"
           "or.b32 %r6, %r3, 0x0b0a0908;\nor.b32 %r7, %r3, 0x0f0e0d0c;\n"
           "st.shared.v4.b32 [%r1], {%r4, %r5, %r6, %r7};\nbar.sync 0;\n" +
           body;
  }
};
} // namespace

TEST_F(Ldmatrix, BytesTransposed) {
  // Lane 4c + r: columns c and c + 8 of rows 4r and 4r + 1, then of 4r + 2 and
  // 4r + 3.
  auto first = words(filled("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 "
                            "{%r0, %r10}, [%r1];"));
  EXPECT_EQ(first[0], 0x18081000u);
  EXPECT_EQ(first[4 * 3 + 2], 0x9b8b9383u);
  auto second = words(filled("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 "
                             "{%r10, %r0}, [%r1];"));
  EXPECT_EQ(second[0], 0x38283020u);
}

TEST_F(Ldmatrix, FourAndSixBits) {
  // 4 bits: byte b of row 0 holds the elements b % 16 and b / 16.
  auto four = words(filled("ldmatrix.sync.aligned.m8n16.x1.shared.b8x16."
                           "b4x16_p64 {%r0}, [%r1];"));
  EXPECT_EQ(four[0], 0x00010000u);
  EXPECT_EQ(four[1], 0x00030002u);
  EXPECT_EQ(four[4 * 5], 0x05010500u);
  // 6 bits: bytes 0, 1, 2 of row 0 are 00 01 02: 0, 4, 32, 0.
  auto six = words(filled("ldmatrix.sync.aligned.m8n16.x1.shared.b8x16."
                          "b6x16_p32 {%r0}, [%r1];"));
  EXPECT_EQ(six[0], 0x00200400u);
}

TEST_F(Ldmatrix, StoresBytesTransposed) {
  // Lane 4c + r: columns c and c + 8 of rows 2r and 2r + 1.
  auto got =
      words(filled("mul.lo.u32 %r3, %t, 4;\nmul.lo.u32 %r3, %r3, 0x01010101;\n"
                   "add.u32 %r3, %r3, 0x03020100;\n"
                   "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r1], "
                   "{%r3};\nbar.sync 0;\n"
                   "mad.lo.u32 %r9, %t, 4, %r2;\nld.shared.b32 %r0, [%r9];"));
  // Row 0: columns 0 to 3 are byte 0 of lanes 0, 4, 8, 12; column 8 byte 2.
  EXPECT_EQ(got[0], 0x30201000u);
  EXPECT_EQ(got[2], 0x32221202u);
  // Row 1: byte 1; row 2: byte 0 of lanes 1, 5, 9, 13.
  EXPECT_EQ(got[4], 0x31211101u);
  EXPECT_EQ(got[8], 0x34241404u);
}

TEST_F(Ldmatrix, RefusesWhatTheTargetLacks) {
  auto error = [&](const std::string &line) {
    std::string text = kernel(".shared .align 16 .b8 s[512];\n" + line);
    text.replace(text.find("sm_100a"), 7, "sm_90");
    return loadError(text);
  };
  EXPECT_NE(error("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 "
                  "{%r0, %r1}, [s];")
                .find("ldmatrix of 8 or fewer bits needs .target sm_100a"),
            std::string::npos);
  EXPECT_NE(error("mma.sync.aligned.m16n8k16.row.col.f32.s8.s8.f32 "
                  "{%f0,%f1,%f2,%f3}, {%r0,%r1}, {%r2}, {%f0,%f1,%f2,%f3};")
                .find("expected .s32 for C and D"),
            std::string::npos);
  EXPECT_NE(error("mma.sync.aligned.m16n8k64.row.col.f32.f16.f16.f32 "
                  "{%f0,%f1,%f2,%f3}, {%r0,%r1}, {%r2}, {%f0,%f1,%f2,%f3};")
                .find("expected the shape .m8n8k4, .m16n8k8, .m16n8k16 with "
                      ".f16, got .m16n8k64"),
            std::string::npos);
}

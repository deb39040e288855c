//===- Tcgen05MmaFormsTest.cpp - Modifiers of tcgen05.mma -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which kinds, scale vectors and operands go together; what ptxas 13.0 refuses
// is refused here.
//
//===----------------------------------------------------------------------===//

#include "PtxFixture.h"

using namespace bwgemm::emulator;

namespace {
class Tcgen05MmaForms : public PtxFixture {
protected:
  void accepts(const std::string &text) {
    std::string error;
    EXPECT_TRUE(Module::load(kernel(text), "test.ptx", memory, error))
        << text << "\n"
        << error;
  }
  void refuses(const std::string &text, const char *message) {
    std::string error = loadError(kernel(text));
    EXPECT_NE(error.find(message), std::string::npos)
        << text << "\n"
        << error << "\nexpected: " << message;
  }
};
} // namespace

static std::string scaled(const std::string &modifiers) {
  return "tcgen05.mma.cta_group::1." + modifiers +
         " [%r1], %w1, %w2, %r2, [%r3], [%r4], %p1;\n";
}

TEST_F(Tcgen05MmaForms, ScaleVectors) {
  accepts(scaled("kind::mxf8f6f4.block_scale"));
  accepts(scaled("kind::mxf8f6f4.block_scale.scale_vec::1X"));
  accepts(scaled("kind::mxf8f6f4.block_scale.block32"));
  accepts(scaled("kind::mxf4.block_scale"));
  accepts(scaled("kind::mxf4.block_scale.scale_vec::2X"));
  accepts(scaled("kind::mxf4.block_scale.block32"));
  accepts(scaled("kind::mxf4nvf4.block_scale.scale_vec::2X"));
  accepts(scaled("kind::mxf4nvf4.block_scale.scale_vec::4X"));
  accepts(scaled("kind::mxf4nvf4.block_scale.block16.collector::a::fill"));
  accepts(scaled("kind::mxf4nvf4.block_scale.block32"));
  refuses(scaled("kind::mxf4nvf4.block_scale"), "needs .scale_vec::2X or 4X");
  refuses(scaled("kind::mxf8f6f4.block_scale.scale_vec::2X"),
          "scale_vec::2X, expected scale_vec::1X");
  refuses(scaled("kind::mxf8f6f4.block_scale.block16"), "scale_vec::4X");
  refuses(scaled("kind::mxf4.block_scale.scale_vec::4X"),
          "scale_vec::4X, expected scale_vec::2X");
  refuses(scaled("kind::mxf4.block_scale.scale_vec::1X"), "scale_vec::1X");
  refuses(scaled("kind::mxf4nvf4.block_scale.scale_vec::1X"),
          "expected scale_vec::2X or 4X");
  refuses(scaled("kind::mxf4"), "needs .block_scale");
  refuses(scaled("kind::f8f6f4.block_scale"), "has no .block_scale");
  refuses(scaled("kind::f4"), "expected .kind::f16");
}

TEST_F(Tcgen05MmaForms, Operands) {
  accepts("tcgen05.mma.sp.cta_group::1.kind::f16 [%r1], %w1, %w2, [%r3], %r2, "
          "%p1;\n");
  accepts("tcgen05.mma.sp.cta_group::1.kind::f16 [%r1], [%r5], %w2, [%r3], "
          "%r2, {%r6, %r6, %r6, %r6}, %p1, 3;\n");
  accepts("tcgen05.mma.sp.cta_group::1.kind::mxf4.block_scale [%r1], [%r5], "
          "%w2, [%r3], %r2, [%r4], [%r6], %p1;\n");
  refuses("tcgen05.mma.sp.cta_group::1.kind::f16 [%r1], %w1, %w2, %r2, %p1;\n",
          "operands");
  refuses("tcgen05.mma.cta_group::1.kind::mxf4.block_scale [%r1], %w1, %w2, "
          "%r2, %p1;\n",
          "operands");
  refuses("tcgen05.mma.cta_group::1.kind::mxf4.block_scale [%r1], %w1, %w2, "
          "%r2, [%r3], [%r4], {%r6, %r6, %r6, %r6}, %p1;\n",
          "operands");
  refuses("tcgen05.mma.sp.cta_group::1.kind::i8 [%r1], %w1, %w2, [%r3], %r2, "
          "%p1, 3;\n",
          "scale-input-d exists for kind::f16 and tf32 alone");
}

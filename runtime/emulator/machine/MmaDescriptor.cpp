//===- MmaDescriptor.cpp - Instruction descriptors of tcgen05.mma *- C++ -*===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/MmaDescriptor.h"
#include "machine/ScaledDescriptor.h"

namespace bwgemm::emulator {

const char *mmaKindName(MmaKind kind) {
  switch (kind) {
  case MmaKind::F16:
    return "f16";
  case MmaKind::TF32:
    return "tf32";
  case MmaKind::F8F6F4:
    return "f8f6f4";
  case MmaKind::I8:
    return "i8";
  case MmaKind::MXF8F6F4:
    return "mxf8f6f4";
  case MmaKind::MXF4:
    return "mxf4";
  case MmaKind::MXF4NVF4:
    return "mxf4nvf4";
  }
  return "?";
}

namespace {
/// Reads fields and collects the refusal.
struct Decoder {
  const MmaForm &form;
  MmaKind kind;
  uint32_t bits;
  std::string &error;
  bool &unsupported;

  uint32_t field(unsigned from, unsigned width) const {
    return (bits >> from) & ((1u << width) - 1);
  }

  bool refuse(std::string text, bool notModelled = false) const {
    unsupported = notModelled;
    error = std::string("instruction descriptor of kind::") +
            mmaKindName(kind) + ": " + std::move(text);
    return false;
  }

  bool element(const char *which, uint32_t code, MmaElement &result) const;
  bool accumulator(MmaAccumulator &result) const;
  bool shape(MmaDescriptor &result) const;
  bool sparsity(MmaDescriptor &result) const;
};
} // namespace

bool Decoder::element(const char *which, uint32_t code,
                      MmaElement &result) const {
  std::string type = std::string(which) + " type " + std::to_string(code);
  switch (kind) {
  case MmaKind::F16:
    if (code > 1)
      return refuse(type + ", expected 0 (f16) or 1 (bf16)");
    result = code == 0 ? MmaElement::F16 : MmaElement::BF16;
    return true;
  case MmaKind::TF32:
    if (code != 2)
      return refuse(type + ", expected 2 (tf32)");
    result = MmaElement::TF32;
    return true;
  case MmaKind::F8F6F4:
    return narrowElement(code, result) ||
           refuse(type + ", expected 0 (e4m3), 1 (e5m2), 3 (e2m3), 4 (e3m2) "
                         "or 5 (e2m1)");
  case MmaKind::I8:
    if (code > 1)
      return refuse(type + ", expected 0 (u8) or 1 (s8)");
    result = code == 0 ? MmaElement::U8 : MmaElement::S8;
    return true;
  default:
    break; // ScaledDescriptor.cpp
  }
  return false;
}

bool Decoder::accumulator(MmaAccumulator &result) const {
  uint32_t code = field(4, 2);
  std::string type = "D type " + std::to_string(code);
  switch (kind) {
  case MmaKind::F16:
  case MmaKind::F8F6F4:
    if (code > 1)
      return refuse(type + ", expected 0 (f16) or 1 (f32)");
    result = code == 0 ? MmaAccumulator::F16 : MmaAccumulator::F32;
    return true;
  case MmaKind::TF32:
    if (code != 1)
      return refuse(type + ", expected 1 (f32)");
    result = MmaAccumulator::F32;
    return true;
  case MmaKind::I8:
    if (code != 2)
      return refuse(type + ", expected 2 (s32)");
    result = MmaAccumulator::S32;
    return true;
  default:
    break; // ScaledDescriptor.cpp
  }
  return false;
}

/// What the PTX ISA's table of shapes says of M and N ("Matrix shape").
static std::string shapeRule(const MmaForm &form, uint32_t m, uint32_t n) {
  if (form.ws) {
    if (m != 32 && m != 64 && m != 128)
      return "expected an M of 32, 64 or 128 with .ws";
    if (form.sparse && n != 64 && n != 128)
      return "expected an N of 64 or 128 with .ws and .sp";
    if (n != 64 && n != 128 && n != 256)
      return "expected an N of 64, 128 or 256 with .ws";
    return "";
  }
  bool isPair = form.ctas == 2;
  if (isPair ? m != 128 && m != 256 : m != 64 && m != 128)
    return isPair ? "expected an M of 128 or 256 with cta_group::2"
                  : "expected an M of 64 or 128 with cta_group::1";
  if (form.kind == MmaKind::I8) {
    if (isPair && (n < 32 || n > 256 || n % 32 != 0))
      return "expected an N of 32 to 256 that is a multiple of 32";
    if (!isPair && (n < 8 || n > 256 || (n > 32 && n % 16 != 0)))
      return "expected an N of 8, 16, 24, or a multiple of 16 up to 256";
    return "";
  }
  uint32_t step = isPair ? 16 : 8;
  if (n < step || n > 256 || n % step != 0)
    return "expected an N of " + std::to_string(step) +
           " to 256 that is a multiple of " + std::to_string(step);
  return "";
}

bool Decoder::shape(MmaDescriptor &result) const {
  result.n = field(17, 6) << 3;
  result.m = field(24, 5) << 4;
  std::string rule = shapeRule(form, result.m, result.n);
  return rule.empty() || refuse("M = " + std::to_string(result.m) + ", N = " +
                                std::to_string(result.n) + ": " + rule);
}

bool Decoder::sparsity(MmaDescriptor &result) const {
  uint32_t selector = field(0, 2);
  std::string text = "the sparsity selector is " + std::to_string(selector);
  result.sparsitySelector = uint8_t(selector);
  if (field(2, 1) != uint32_t(form.sparse))
    return refuse(form.sparse ? "the sparsity bit (2) is clear with .sp"
                              : "the sparsity bit is set in a dense mma");
  if (!form.sparse)
    return selector == 0 || refuse(text + " in a dense mma, expected 0");
  if (kind != MmaKind::F16 && kind != MmaKind::TF32)
    return selector == 0 || refuse(text + ", expected 0");
  return selector <= 1 ||
         refuse(text + ", which is not modelled; 0 and 1 are", true);
}

std::string MmaDescriptor::shapeDoubt() const {
  uint32_t step = ctas == 2 ? 32 : m == 128 && !ws ? 16 : 8;
  if (n % step == 0)
    return "";
  return "M = " + std::to_string(m) + ", N = " + std::to_string(n) +
         ": the PTX ISA 9.1 allows this shape with cta_group::" +
         std::to_string(ctas) +
         ", later texts and public kernel libraries want an N that is a "
         "multiple of " +
         std::to_string(step);
}

bool MmaDescriptor::decode(const MmaForm &form, uint32_t bits,
                           MmaDescriptor &result, std::string &error,
                           bool &unsupported) {
  MmaKind kind = form.kind;
  if (isScaled(kind))
    return decodeScaledDescriptor(form, bits, result, error, unsupported);
  Decoder decoder{form, kind, bits, error, unsupported};
  MmaDescriptor decoded;
  decoded.kind = kind;
  decoded.ctas = form.ctas;
  decoded.ws = form.ws;
  decoded.sparse = form.sparse;
  if (!decoder.sparsity(decoded))
    return false;
  if (decoder.field(6, 1) || decoder.field(23, 1) || decoder.field(29, 1))
    return decoder.refuse("a reserved bit (6, 23 or 29) is set");
  if (decoder.field(30, 2) && !form.ws)
    return decoder.refuse("the maximum shift is " +
                          std::to_string(decoder.field(30, 2)) +
                          ", expected 0 without .ws");
  if (!decoder.element("A", decoder.field(7, 3), decoded.a) ||
      !decoder.element("B", decoder.field(10, 3), decoded.b) ||
      !decoder.accumulator(decoded.d) || !decoder.shape(decoded))
    return false;
  // The ISA lets the two types differ in f8f6f4 alone; i8 lists its types per
  // operand, too.
  if (kind == MmaKind::F16 && decoded.a != decoded.b)
    return decoder.refuse("A and B have different types, expected the same");
  if (uint32_t code = decoder.field(30, 2); code && form.ws)
    decoded.maxShift = 4u << code;
  decoded.saturate = decoder.field(3, 1);
  decoded.negateA = decoder.field(13, 1);
  decoded.negateB = decoder.field(14, 1);
  decoded.mnMajorA = decoder.field(15, 1);
  decoded.mnMajorB = decoder.field(16, 1);
  if (decoded.saturate && kind != MmaKind::I8)
    return decoder.refuse("saturation (bit 3) exists for kind::i8 alone");
  if ((decoded.negateA || decoded.negateB) && kind == MmaKind::I8)
    return decoder.refuse("negation (bits 13, 14) does not exist for kind::i8");
  if ((isSubByte(decoded.a) && decoded.mnMajorA) ||
      (isSubByte(decoded.b) && decoded.mnMajorB))
    return decoder.refuse("an operand of 6-bit or 4-bit elements must be "
                          "K-major (transpose bits 15 and 16 clear)");
  uint32_t step = 16 * form.ctas;
  if (mmaElementBytes(decoded.b) == 1 && decoded.mnMajorB &&
      decoded.n % step != 0)
    return decoder.refuse("N = " + std::to_string(decoded.n) +
                          ": an MN-major B of 8-bit elements needs a multiple "
                          "of " +
                          std::to_string(step));
  result = decoded;
  return true;
}

} // namespace bwgemm::emulator

//===- MmaDescriptor.cpp - Instruction descriptors of tcgen05.mma *- C++ -*===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/MmaDescriptor.h"

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
  }
  return "?";
}

unsigned mmaElementBytes(MmaElement element) {
  switch (element) {
  case MmaElement::F16:
  case MmaElement::BF16:
    return 2;
  case MmaElement::TF32:
    return 4;
  case MmaElement::E4M3:
  case MmaElement::E5M2:
  case MmaElement::U8:
  case MmaElement::S8:
    return 1;
  }
  return 1;
}

namespace {
/// Reads fields and collects the refusal.
struct Decoder {
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
    if (code > 5 || code == 2)
      return refuse(type + ", expected 0 (e4m3), 1 (e5m2), 3 (e2m3), 4 (e3m2) "
                           "or 5 (e2m1)");
    if (code > 1)
      return refuse(type + " (6-bit and 4-bit types) is not modelled; 0 (e4m3) "
                           "and 1 (e5m2) are",
                    true);
    result = code == 0 ? MmaElement::E4M3 : MmaElement::E5M2;
    return true;
  case MmaKind::I8:
    if (code > 1)
      return refuse(type + ", expected 0 (u8) or 1 (s8)");
    result = code == 0 ? MmaElement::U8 : MmaElement::S8;
    return true;
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
  }
  return false;
}

bool Decoder::shape(MmaDescriptor &result) const {
  result.n = field(17, 6) << 3;
  result.m = field(24, 5) << 4;
  std::string text =
      "M = " + std::to_string(result.m) + ", N = " + std::to_string(result.n);
  if (result.m != 64 && result.m != 128)
    return refuse(text + ": expected an M of 64 or 128 with cta_group::1");
  if (result.n < 8 || result.n > 256)
    return refuse(text + ": expected an N of 8 to 256");
  if (kind == MmaKind::I8 && result.n > 32 && result.n % 16 != 0)
    return refuse(text + ": expected an N of 8, 16, 24, or a multiple of 16");
  return true;
}

bool MmaDescriptor::decode(MmaKind kind, uint32_t bits, MmaDescriptor &result,
                           std::string &error, bool &unsupported) {
  Decoder decoder{kind, bits, error, unsupported};
  MmaDescriptor decoded;
  decoded.kind = kind;
  if (decoder.field(2, 1))
    return decoder.refuse("the sparsity bit is set in a dense mma");
  if (decoder.field(0, 2))
    return decoder.refuse("the sparsity selector is " +
                          std::to_string(decoder.field(0, 2)) +
                          " in a dense mma, expected 0");
  if (decoder.field(6, 1) || decoder.field(23, 1) || decoder.field(29, 1))
    return decoder.refuse("a reserved bit (6, 23 or 29) is set");
  if (decoder.field(30, 2))
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
  decoded.saturate = decoder.field(3, 1);
  decoded.negateA = decoder.field(13, 1);
  decoded.negateB = decoder.field(14, 1);
  decoded.mnMajorA = decoder.field(15, 1);
  decoded.mnMajorB = decoder.field(16, 1);
  if (decoded.saturate && kind != MmaKind::I8)
    return decoder.refuse("saturation (bit 3) exists for kind::i8 alone");
  if ((decoded.negateA || decoded.negateB) && kind == MmaKind::I8)
    return decoder.refuse("negation (bits 13, 14) does not exist for kind::i8");
  if (mmaElementBytes(decoded.b) == 1 && decoded.mnMajorB &&
      decoded.n % 16 != 0)
    return decoder.refuse("N = " + std::to_string(decoded.n) +
                          ": an MN-major B of 8-bit elements needs a multiple "
                          "of 16");
  result = decoded;
  return true;
}

} // namespace bwgemm::emulator

//===- ScaledDescriptor.cpp - Descriptors of block-scaled mmas --*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/ScaledDescriptor.h"

namespace bwgemm::emulator {

bool narrowElement(uint32_t code, MmaElement &result) {
  static constexpr MmaElement types[6] = {MmaElement::E4M3, MmaElement::E5M2,
                                          MmaElement::E5M2, MmaElement::E2M3,
                                          MmaElement::E3M2, MmaElement::E2M1};
  if (code > 5 || code == 2)
    return false;
  result = types[code];
  return true;
}

namespace {
struct ScaledDecoder {
  const MmaForm &form;
  uint32_t bits;
  std::string &error;

  uint32_t field(unsigned from, unsigned width) const {
    return (bits >> from) & ((1u << width) - 1);
  }
  bool refuse(std::string text) const {
    error = std::string("instruction descriptor of kind::") +
            mmaKindName(form.kind) + ": " + std::move(text);
    return false;
  }
  bool isMxf8() const { return form.kind == MmaKind::MXF8F6F4; }
  /// Bits that the kind does not define.
  bool reserved() const;
  bool types(MmaDescriptor &result) const;
  bool shape(MmaDescriptor &result) const;
  bool scales(MmaDescriptor &result) const;
};
} // namespace

bool ScaledDecoder::reserved() const {
  if (field(0, 2))
    return refuse("bits 0 and 1 are " + std::to_string(field(0, 2)) +
                  ", expected 0");
  if (field(3, 1) || field(6, 1) || (!isMxf8() && field(12, 1)))
    return refuse(isMxf8() ? "a reserved bit (3 or 6) is set"
                           : "a reserved bit (3, 6 or 12) is set");
  if (field(24, 3))
    return refuse("bits 24 to 26 are " + std::to_string(field(24, 3)) +
                  ", expected 0: M / 128 is in bits 27 and 28");
  if (isMxf8() && field(31, 1))
    return refuse("reserved bit 31 is set");
  return true;
}

bool ScaledDecoder::types(MmaDescriptor &result) const {
  result.mnMajorA = field(15, 1);
  result.mnMajorB = field(16, 1);
  if (!isMxf8()) {
    if (field(7, 3) != 1 || field(10, 2) != 1)
      return refuse("A type " + std::to_string(field(7, 3)) + " and B type " +
                    std::to_string(field(10, 2)) + ", expected 1 (e2m1)");
    if (result.mnMajorA || result.mnMajorB)
      return refuse("a transpose bit (15 or 16) is set, expected 0: both "
                    "operands are K-major");
    result.a = result.b = MmaElement::PackedE2M1;
    return true;
  }
  const char *names[] = {"A", "B"};
  MmaElement *elements[] = {&result.a, &result.b};
  bool transposed[] = {result.mnMajorA, result.mnMajorB};
  for (unsigned i = 0; i < 2; ++i) {
    uint32_t code = field(7 + 3 * i, 3);
    if (!narrowElement(code, *elements[i]))
      return refuse(std::string(names[i]) + " type " + std::to_string(code) +
                    ", expected 0 (e4m3), 1 (e5m2), 3 (e2m3), 4 (e3m2) or 5 "
                    "(e2m1)");
    if (isSubByte(*elements[i]) && transposed[i])
      return refuse("an operand of 6-bit or 4-bit elements must be K-major "
                    "(transpose bits 15 and 16 clear)");
  }
  return true;
}

bool ScaledDecoder::shape(MmaDescriptor &result) const {
  result.n = field(17, 6) << 3;
  result.m = field(27, 2) << 7;
  std::string text =
      "M = " + std::to_string(result.m) + ", N = " + std::to_string(result.n);
  if (form.ctas == 1 && result.m != 128)
    return refuse(text + ": expected an M of 128 with cta_group::1");
  if (form.ctas == 2 && form.sparse && result.m != 256)
    return refuse(text + ": expected an M of 256 with cta_group::2 and .sp");
  if (form.ctas == 2 && result.m != 128 && result.m != 256)
    return refuse(text + ": expected an M of 128 or 256 with cta_group::2");
  uint32_t step = 8 * form.ctas;
  if (result.n < step || result.n > 256 || result.n % step != 0)
    return refuse(text + ": expected an N of " + std::to_string(step) +
                  " to 256 that is a multiple of " + std::to_string(step));
  step = 16 * form.ctas;
  if (result.mnMajorB && result.n % step != 0)
    return refuse(text +
                  ": an MN-major B of 8-bit elements needs a multiple "
                  "of " +
                  std::to_string(step));
  return true;
}

bool ScaledDecoder::scales(MmaDescriptor &result) const {
  result.scaleBlocks = form.scaleBlocks;
  result.scaleType = ScaleType(field(23, 1));
  result.scaleIdA = uint8_t(field(29, 2));
  result.scaleIdB = uint8_t(field(4, 2));
  bool mayBeUE4M3 = form.kind == MmaKind::MXF4NVF4 && result.scaleBlocks == 4;
  if (result.scaleType == ScaleType::UE4M3 && !mayBeUE4M3)
    return refuse("scale type 0 (UE4M3) with scale_vec::" +
                  std::to_string(result.scaleBlocks) +
                  "X, expected 1 (UE8M0): UE4M3 is for kind::mxf4nvf4 with "
                  "scale_vec::4X");
  const char *names[] = {"A", "B"};
  uint8_t ids[] = {result.scaleIdA, result.scaleIdB};
  for (unsigned i = 0; i < 2; ++i)
    if (ids[i] % result.scaleBlocks != 0)
      return refuse(std::string("the id of ") + names[i] +
                    "'s scale factors is " + std::to_string(ids[i]) +
                    ", expected 0" + (result.scaleBlocks == 2 ? " or 2" : "") +
                    " with scale_vec::" + std::to_string(result.scaleBlocks) +
                    "X");
  return true;
}

bool decodeScaledDescriptor(const MmaForm &form, uint32_t bits,
                            MmaDescriptor &result, std::string &error,
                            bool &unsupported) {
  ScaledDecoder decoder{form, bits, error};
  unsupported = false;
  if (decoder.field(2, 1) != uint32_t(form.sparse))
    return decoder.refuse(form.sparse
                              ? "the sparsity bit (2) is clear with .sp"
                              : "the sparsity bit is set in a dense mma");
  MmaDescriptor decoded;
  decoded.kind = form.kind;
  decoded.ctas = form.ctas;
  decoded.sparse = form.sparse;
  decoded.negateA = decoder.field(13, 1);
  decoded.negateB = decoder.field(14, 1);
  if (!decoder.reserved() || !decoder.types(decoded) ||
      !decoder.shape(decoded) || !decoder.scales(decoded))
    return false;
  if (!decoder.isMxf8() && decoder.field(31, 1)) {
    unsupported = true;
    return decoder.refuse("K = 96 (bit 31) exists on sm_103a alone and is not "
                          "modelled; K = 64 is");
  }
  result = decoded;
  return true;
}

} // namespace bwgemm::emulator

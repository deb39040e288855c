//===- MmaSync.cpp - Decoding of mma.sync and mma.sp ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "mma" and "mma.sp": which shapes go with which types, and what
// target they need. Execution is in MmaSyncRun.cpp.
//
//===----------------------------------------------------------------------===//

#include "instructions/MmaSync.h"

#include "instructions/WarpMatrix.h"

#include <algorithm>
#include <cstdlib>

namespace bwgemm::emulator {

namespace {

enum class Family : uint8_t { Quads, Floats, Doubles, Integers, Bits, Scaled };

/// One shape of one group of types.
struct Shape {
  const char *type; ///< Of A, or a kind.
  bool sparse;
  uint8_t m;
  uint16_t k;
  uint8_t target; ///< The least architecture; 120: sm_120a and its family.
  Family family;
};

/// Types that share a line: s8 stands for u8, s4 for u4, e4m3 for e5m2.
constexpr Shape shapes[] = {
    {"f16", false, 8, 4, 70, Family::Quads},
    {"f16", false, 16, 8, 75, Family::Floats},
    {"f16", false, 16, 16, 80, Family::Floats},
    {"bf16", false, 16, 8, 80, Family::Floats},
    {"bf16", false, 16, 16, 80, Family::Floats},
    {"tf32", false, 16, 4, 80, Family::Floats},
    {"tf32", false, 16, 8, 80, Family::Floats},
    {"e4m3", false, 16, 16, 89, Family::Floats},
    {"e4m3", false, 16, 32, 89, Family::Floats},
    {"f64", false, 8, 4, 80, Family::Doubles},
    {"f64", false, 16, 4, 90, Family::Doubles},
    {"f64", false, 16, 8, 90, Family::Doubles},
    {"f64", false, 16, 16, 90, Family::Doubles},
    {"s8", false, 8, 16, 75, Family::Integers},
    {"s8", false, 16, 16, 80, Family::Integers},
    {"s8", false, 16, 32, 80, Family::Integers},
    {"s4", false, 8, 32, 75, Family::Integers},
    {"s4", false, 16, 32, 80, Family::Integers},
    {"s4", false, 16, 64, 80, Family::Integers},
    {"b1", false, 8, 128, 75, Family::Bits},
    {"b1", false, 16, 128, 80, Family::Bits},
    {"b1", false, 16, 256, 80, Family::Bits},
    {"kind::f8f6f4", false, 16, 32, 120, Family::Floats},
    {"kind::mxf8f6f4", false, 16, 32, 120, Family::Scaled},
    {"kind::mxf4", false, 16, 64, 120, Family::Scaled},
    {"kind::mxf4nvf4", false, 16, 64, 120, Family::Scaled},
    {"f16", true, 16, 16, 80, Family::Floats},
    {"f16", true, 16, 32, 80, Family::Floats},
    {"bf16", true, 16, 16, 80, Family::Floats},
    {"bf16", true, 16, 32, 80, Family::Floats},
    {"tf32", true, 16, 8, 80, Family::Floats},
    {"tf32", true, 16, 16, 80, Family::Floats},
    {"e4m3", true, 16, 64, 89, Family::Floats},
    {"s8", true, 16, 32, 80, Family::Integers},
    {"s8", true, 16, 64, 80, Family::Integers},
    {"s4", true, 16, 64, 80, Family::Integers},
    {"s4", true, 16, 128, 80, Family::Integers},
    {"kind::f8f6f4", true, 16, 64, 120, Family::Floats},
    {"kind::mxf8f6f4", true, 16, 64, 120, Family::Scaled},
    {"kind::mxf4", true, 16, 128, 120, Family::Scaled},
    {"kind::mxf4nvf4", true, 16, 128, 120, Family::Scaled},
};

/// What the modifiers say.
struct Words {
  unsigned m = 0, n = 0, k = 0;
  std::string_view d, a, b, c, scale, kind;
};

} // namespace

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

bool parseMmaShape(std::string_view word, unsigned &m, unsigned &n,
                   unsigned &k) {
  std::string text(word);
  char *end = nullptr;
  if (text.size() < 6 || text[0] != 'm')
    return false;
  m = unsigned(std::strtoul(text.c_str() + 1, &end, 10));
  if (*end != 'n')
    return false;
  n = unsigned(std::strtoul(end + 1, &end, 10));
  if (*end != 'k')
    return false;
  k = unsigned(std::strtoul(end + 1, &end, 10));
  return *end == '\0';
}

static bool isElementWord(std::string_view word) {
  for (std::string_view known :
       {"f16", "bf16", "tf32", "f32", "f64", "s32", "s8", "u8", "s4", "u4",
        "b1", "e4m3", "e5m2", "e3m2", "e2m3", "e2m1", "ue8m0", "ue4m3"})
    if (word == known)
      return true;
  return false;
}

static bool takeWords(Decode &decode, Words &words) {
  if (!takeSync(decode))
    return false;
  std::string_view *types[] = {&words.d, &words.a, &words.b, &words.c,
                               &words.scale};
  unsigned count = 0;
  for (std::string_view part : decode.source.parts) {
    if (words.m == 0 && parseMmaShape(part, words.m, words.n, words.k)) {
      decode.take(part);
    } else if (part.substr(0, 6) == "kind::") {
      words.kind = part;
      decode.take(part);
    } else if (count < 5 && isElementWord(part)) {
      *types[count++] = part;
      decode.take(part);
    }
  }
  if (words.m == 0)
    return decode.error("expected a shape such as .m16n8k16 in '" +
                        decode.mnemonic() + "'");
  return count >= 4 || decode.error("expected the types of D, A, B and C in '" +
                                    decode.mnemonic() + "'");
}

/// The word by which `shapes` knows the types.
static std::string_view groupOf(const Words &words) {
  if (!words.kind.empty())
    return words.kind;
  if (words.a == "u8")
    return "s8";
  if (words.a == "u4")
    return "s4";
  return words.a == "e5m2" ? "e4m3" : words.a;
}

static const Shape *findShape(Decode &decode, const Words &words, bool sparse) {
  std::string_view group = groupOf(words);
  std::string list;
  for (const Shape &shape : shapes) {
    if (group != shape.type || shape.sparse != sparse)
      continue;
    if (shape.m == words.m && words.n == 8 && shape.k == words.k)
      return &shape;
    list += std::string(list.empty() ? ".m" : ", .m") +
            std::to_string(shape.m) + "n8k" + std::to_string(shape.k);
  }
  if (list.empty())
    decode.error("expected .f16, .bf16, .tf32, .f64, .s8, .u8, .s4, .u4, .b1, "
                 ".e4m3 or .e5m2, or a .kind::f8f6f4, ::mxf8f6f4, ::mxf4, "
                 "::mxf4nvf4, as the type of A in '" +
                 decode.mnemonic() + "'");
  else
    decode.error("expected the shape " + list + " with ." + std::string(group) +
                 ", got .m" + std::to_string(words.m) + "n" +
                 std::to_string(words.n) + "k" + std::to_string(words.k));
  return nullptr;
}

/// .row.col, or any of the four for m8n8k4.
static bool takeLayouts(Decode &decode, bool any, WarpMmaForm &form) {
  std::string_view layouts[2];
  unsigned count = 0;
  for (std::string_view part : decode.source.parts)
    if (count < 2 && (part == "row" || part == "col")) {
      layouts[count++] = part;
      decode.take(part);
    }
  if (count < 2 || (!any && (layouts[0] != "row" || layouts[1] != "col")))
    return decode.error(std::string("expected .row.col") +
                        (any ? ", .row.row, .col.col or .col.row" : "") +
                        " in '" + decode.mnemonic() + "'");
  form.aByColumns = layouts[0] == "col";
  form.bByRows = layouts[1] == "row";
  return true;
}

static bool badTypes(Decode &decode, const char *expected) {
  return decode.error(std::string("expected ") + expected + " in '" +
                      decode.mnemonic() + "'");
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// An element of the kinds for 8 and fewer bits.
static bool narrowElement(std::string_view word, bool packed,
                          MmaElement &element) {
  if (word == "e2m1") {
    element = packed ? MmaElement::PackedE2M1 : MmaElement::E2M1;
    return true;
  }
  if (packed)
    return false;
  element = word == "e4m3"   ? MmaElement::E4M3
            : word == "e5m2" ? MmaElement::E5M2
            : word == "e3m2" ? MmaElement::E3M2
                             : MmaElement::E2M3;
  return word == "e4m3" || word == "e5m2" || word == "e3m2" || word == "e2m3";
}

static bool floatTypes(Decode &decode, const Words &words, const Shape &shape,
                       WarpMmaForm &form) {
  form.cIsF16 = words.c == "f16";
  form.dIsF16 = words.d == "f16";
  bool c = form.cIsF16 || words.c == "f32", d = form.dIsF16 || words.d == "f32";
  if (shape.family == Family::Quads) {
    form.a = form.b = MmaElement::F16;
    return (words.b == "f16" && c && d && (form.cIsF16 || !form.dIsF16)) ||
           badTypes(decode, ".f16 or .f32 for C and D, and not .f16 for D "
                            "with .f32 for C,");
  }
  bool sixteen = words.a == "f16" && words.kind.empty();
  if (!c || !d || form.cIsF16 != form.dIsF16)
    return badTypes(decode, "the same of .f16 and .f32 for C and D");
  if (sixteen || words.a == "bf16" || words.a == "tf32") {
    form.a = form.b = sixteen             ? MmaElement::F16
                      : words.a == "bf16" ? MmaElement::BF16
                                          : MmaElement::TF32;
    if (words.b != words.a)
      return badTypes(decode, "the same type for A and B");
    return sixteen || !form.dIsF16 || badTypes(decode, ".f32 for C and D");
  }
  bool packed = words.kind == "kind::mxf4" || words.kind == "kind::mxf4nvf4";
  if (!narrowElement(words.a, packed, form.a) ||
      !narrowElement(words.b, packed, form.b))
    return badTypes(decode,
                    packed ? ".e2m1 for A and B"
                           : ".e4m3, .e5m2, .e3m2, .e2m3 or .e2m1 for A and B");
  if (words.kind.empty() &&
      (form.a > MmaElement::E5M2 || form.b > MmaElement::E5M2))
    return badTypes(decode, ".kind::f8f6f4 with elements of 6 or 4 bits");
  bool onlyF32 =
      shape.family == Family::Scaled || (shape.sparse && words.kind.empty());
  return !onlyF32 || !form.dIsF16 || badTypes(decode, ".f32 for C and D");
}

static bool integerTypes(Decode &decode, const Words &words,
                         WarpMmaForm &form) {
  form.integerBits = words.a[1] == '8' ? 8 : 4;
  form.aIsSigned = words.a[0] == 's';
  form.bIsSigned = words.b[0] == 's';
  form.saturates = decode.take("satfinite");
  return (words.d == "s32" && words.c == "s32" && words.b.size() == 2 &&
          words.b[1] == words.a[1] && words.b != "b1") ||
         badTypes(decode, ".s32 for C and D, and as many bits for B as for A");
}

static bool takeScaling(Decode &decode, const Words &words, WarpMmaForm &form) {
  if (!decode.take("block_scale"))
    return badTypes(decode, ".block_scale");
  int vector =
      decode.takeOne({"scale_vec::1X", "scale_vec::2X", "scale_vec::4X"});
  form.scaleType = words.scale == "ue4m3" ? ScaleType::UE4M3 : ScaleType::UE8M0;
  if (words.scale != "ue8m0" && words.scale != "ue4m3")
    return badTypes(decode, ".ue8m0 or .ue4m3 as the type of the factors");
  if (words.kind == "kind::mxf8f6f4") {
    form.scaleBlocks = 1;
    return (vector <= 0 && form.scaleType == ScaleType::UE8M0) ||
           badTypes(decode, ".scale_vec::1X and .ue8m0");
  }
  if (words.kind == "kind::mxf4") {
    form.scaleBlocks = 2;
    return ((vector < 0 || vector == 1) &&
            form.scaleType == ScaleType::UE8M0) ||
           badTypes(decode, ".scale_vec::2X and .ue8m0");
  }
  form.scaleBlocks = vector == 1 ? 2 : 4;
  return (vector == 1 && form.scaleType == ScaleType::UE8M0) || vector == 2 ||
         badTypes(decode, ".scale_vec::4X, or .scale_vec::2X and .ue8m0,");
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The metadata register and the selector.
static bool sparseOperands(Decode &decode, size_t index, WarpMmaForm &form,
                           unsigned bits) {
  WarpSparsity &sparsity = form.sparsity;
  sparsity.chunk = bits == 32 ? 2 : bits == 4 ? 8 : 4;
  sparsity.group = bits == 4 ? 2 : 1;
  sparsity.halves = bits >= 16;
  int64_t selector = 0;
  if (!decode.sourceOperand(index, Type::B32) ||
      !decode.immediate(index + 1, selector))
    return false;
  // Four lanes hold 16 columns of two rows each.
  int64_t choices = 4 / std::max(1u, form.k / sparsity.chunk / 4);
  if (selector < 0 || selector >= choices)
    return decode.error("expected a sparsity selector below " +
                        std::to_string(choices) + ", got " +
                        std::to_string(selector));
  sparsity.selector = unsigned(selector);
  return true;
}

static bool scaleOperands(Decode &decode, size_t index) {
  for (unsigned ofB = 0; ofB < 2; ++ofB)
    if (!fragmentSource(decode, index + 2 * ofB, Type::B32, 1) ||
        !decode.vectorSource(index + 2 * ofB + 1, Type::U16, 2))
      return false;
  return true;
}

static bool decodeOperands(Decode &decode, const Shape &shape,
                           WarpMmaForm &form, unsigned aBits, unsigned bBits) {
  const bool isDouble = shape.family == Family::Doubles;
  const unsigned halves = form.rows / 8, perRegister = isDouble ? 256 : 128;
  unsigned aCount = form.k * aBits / (shape.sparse ? 2 : 1) / perRegister;
  unsigned bCount = form.k * bBits / perRegister;
  unsigned cCount = 2 * halves / (form.cIsF16 ? 2 : 1);
  unsigned dCount = 2 * halves / (form.dIsF16 ? 2 : 1);
  aCount *= halves;
  Type element = isDouble ? Type::F64 : Type::B32;
  if (shape.family == Family::Quads) {
    aCount = bCount = 2;
    cCount = form.cIsF16 ? 4 : 8;
    dCount = form.dIsF16 ? 4 : 8;
  }
  const bool scaled = shape.family == Family::Scaled;
  const size_t operands = size_t(4 + 2 * shape.sparse + 4 * scaled);
  Type accumulator = isDouble ? Type::F64 : Type::B32;
  if (!decode.expectOperands(operands, operands) ||
      !fragmentDestination(decode, 0, accumulator, dCount) ||
      !fragmentSource(decode, 1, element, aCount) ||
      !fragmentSource(decode, 2, element, bCount) ||
      !fragmentSource(decode, 3, accumulator, cCount))
    return false;
  if (shape.sparse && !sparseOperands(decode, 4, form, aBits))
    return false;
  if (!scaled)
    return true;
  if (!scaleOperands(decode, shape.sparse ? 6 : 4))
    return false;
  // The factors are a register each.
  for (unsigned at = 4 + shape.sparse; at < decode.out.operandCount; at += 2)
    decode.out.operands[at] = Operand(decode.out.operands[at].elements[0]);
  return true;
}

static bool decodeForm(Decode &decode, bool sparse) {
  Words words;
  if (!takeWords(decode, words))
    return false;
  const Shape *shape = findShape(decode, words, sparse);
  if (!shape)
    return false;
  std::string what = "." + std::string(groupOf(words)) + " with .m" +
                     std::to_string(words.m) + "n8k" + std::to_string(words.k);
  if (shape->target == 120
          ? !requireSpecificTarget(decode, {120, 121}, "mma of " + what)
          : !requireTarget(decode, shape->target, "mma of " + what))
    return false;
  auto *form = decode.newData<WarpMmaForm>();
  form->rows = words.m;
  form->k = words.k;
  form->flops = uint64_t(2) * words.m * 8 * words.k *
                (shape->family == Family::Quads ? 4 : 1);
  if (!takeLayouts(decode, shape->family == Family::Quads, *form))
    return false;
  unsigned aBits = 1, bBits = 1;
  switch (shape->family) {
  case Family::Quads:
  case Family::Floats:
  case Family::Scaled:
    if (!floatTypes(decode, words, *shape, *form) ||
        (shape->family == Family::Scaled && !takeScaling(decode, words, *form)))
      return false;
    aBits = warpElementBits(form->a);
    bBits = warpElementBits(form->b);
    break;
  case Family::Doubles:
    aBits = bBits = 64;
    if (words.b != "f64" || words.c != "f64" || words.d != "f64")
      return badTypes(decode, ".f64 for B, C and D");
    break;
  case Family::Integers:
    if (!integerTypes(decode, words, *form))
      return false;
    aBits = bBits = form->integerBits;
    break;
  case Family::Bits: {
    form->isXor = decode.take("xor");
    if (!form->isXor && !decode.take("and"))
      return badTypes(decode, ".xor.popc or .and.popc");
    if (!decode.take("popc") || words.b != "b1" || words.c != "s32" ||
        words.d != "s32")
      return badTypes(decode, ".popc, .b1 for B, and .s32 for C and D,");
    break;
  }
  }
  if (!decodeOperands(decode, *shape, *form, aBits, bBits))
    return false;
  decode.out.data = form;
  bool halves = !shape->sparse && !form->dIsF16 &&
                (form->a == MmaElement::F16 || form->a == MmaElement::BF16);
  decode.out.handler = shape->family == Family::Quads      ? warpMmaQuads
                       : shape->family == Family::Doubles  ? warpMmaDoubles
                       : shape->family == Family::Integers ? warpMmaIntegers
                       : shape->family == Family::Bits     ? warpMmaBits
                       : halves                            ? warpMmaHalves
                                                           : warpMmaFloats;
  return true;
}

static bool decodeMma(Decode &decode) { return decodeForm(decode, false); }
static bool decodeSparse(Decode &decode) { return decodeForm(decode, true); }

void registerMmaSync(Registry &registry) {
  registry.add("mma", decodeMma);
  registry.add("mma.sp", decodeSparse);
  registry.add("mma.sp::ordered_metadata", decodeSparse);
}

} // namespace bwgemm::emulator

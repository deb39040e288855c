//===- Wmma.cpp - wmma.load, wmma.store, wmma.mma ---------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "wmma". It leaves open which element of a matrix lies in which
// register. On an H200 (measured, test/Differential/forms/wmma.py) a product is
// several mma.sync one after the other, and so are the registers: those of A
// and B are blocks of 8 rows (columns of B) by 16 bytes of K, those of C and D
// blocks of 8 x 8.
//
// - The operand with 16 or 32 rows comes as mma.sync's A, 16 rows after the
//   other, the other as its B, 8 columns after the other. Of m8n32 that is
//   B^T * A^T = D^T.
// - f16 operands have eight registers whatever the shape; the matrix repeats in
//   them, and the first copy is multiplied.
//
//===----------------------------------------------------------------------===//

#include "instructions/MmaSync.h"
#include "instructions/WarpMatrix.h"
#include "machine/Cta.h"
#include "machine/Observer.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace bwgemm::emulator {

namespace {

struct Shape {
  unsigned m, n, k;
};

/// What goes together (PTX ISA, wmma, "Matrix shape").
struct Row {
  const char *type; ///< Of A and B.
  Shape shape;
  uint8_t bits;
  uint8_t target; ///< The least architecture.
};

constexpr Row rows[] = {
    {"f16", {16, 16, 16}, 16, 70}, {"f16", {32, 8, 16}, 16, 70},
    {"f16", {8, 32, 16}, 16, 70},  {"bf16", {16, 16, 16}, 16, 80},
    {"bf16", {32, 8, 16}, 16, 80}, {"bf16", {8, 32, 16}, 16, 80},
    {"tf32", {16, 16, 8}, 32, 80}, {"f64", {8, 8, 4}, 64, 80},
    {"s8", {16, 16, 16}, 8, 72},   {"s8", {32, 8, 16}, 8, 72},
    {"s8", {8, 32, 16}, 8, 72},    {"u8", {16, 16, 16}, 8, 72},
    {"u8", {32, 8, 16}, 8, 72},    {"u8", {8, 32, 16}, 8, 72},
    {"s4", {8, 8, 32}, 4, 75},     {"u4", {8, 8, 32}, 4, 75},
    {"b1", {8, 8, 128}, 1, 75},
};

/// Types of C and D that go with a type of A and B.
bool accumulates(std::string_view type, std::string_view cell) {
  if (type == "f16")
    return cell == "f16" || cell == "f32";
  if (type == "bf16" || type == "tf32")
    return cell == "f32";
  return cell == (type == "f64" ? "f64" : "s32");
}

unsigned cellBits(std::string_view cell) {
  return cell == "f16" ? 16 : cell == "f64" ? 64 : 32;
}

/// A matrix in memory and in registers. `rows` x `columns` with the columns
/// along K, or along B's columns for C and D.
struct MatrixForm {
  unsigned rows = 0, columns = 0, bits = 0;
  /// Columns lie side by side in memory, else rows.
  bool alongColumns = true;
  /// As A of mma.sync: two blocks of 8 rows before the next columns.
  bool isLeading = true;
  bool isAccumulator = false;
  unsigned registers = 0;

  unsigned runs() const { return alongColumns ? rows : columns; }
  unsigned runBytes() const {
    return (alongColumns ? columns : rows) * bits / 8;
  }
};

unsigned operandRegisters(std::string_view type, unsigned rows, unsigned k,
                          unsigned bits) {
  if (type == "f16")
    return 8;
  return rows * k * bits / 8 / (bits == 64 ? 256 : 128);
}

const MatrixForm &fragmentOf(const Instruction &i) {
  return *static_cast<const MatrixForm *>(i.data);
}

/// Where the elements begin that lane `lane` has in register `reg`, and how
/// many there are.
struct Place {
  unsigned row, column, count;
};
Place placeOf(const MatrixForm &fragment, unsigned reg, unsigned lane) {
  const unsigned halves = fragment.isLeading && fragment.rows >= 16 ? 2 : 1;
  const unsigned width = fragment.isAccumulator || fragment.bits == 64
                             ? (fragment.isAccumulator ? 8u : 4u)
                             : 128 / fragment.bits;
  // Cells of 32 and 64 bits have a register each, of every two neighbours.
  const bool single = fragment.isAccumulator && fragment.bits >= 32;
  unsigned block = single ? reg / 2 : reg;
  const unsigned across = fragment.columns / width;
  block %= fragment.rows / 8 * across;
  const unsigned group = block / (halves * across);
  const unsigned within = block % (halves * across);
  const unsigned perLane = width / 4;
  Place place;
  place.row = 8 * (group * halves + within % halves) + lane / 4;
  place.column = within / halves * width + lane % 4 * perLane;
  place.count = perLane;
  if (single) {
    place.column += reg % 2;
    place.count = 1;
  }
  return place;
}

} // namespace

//===----------------------------------------------------------------------===//
// wmma.load, wmma.store
//===----------------------------------------------------------------------===//

/// Finds the runs of a matrix in memory. Operands: the fragment, the address
/// and, if it is given, the stride in elements.
static bool locateRuns(Warp &w, const Instruction &i,
                       const MatrixForm &fragment, unsigned addressIndex,
                       unsigned strideIndex, bool isWrite, std::byte **runs) {
  const Space space = Space(i.extra);
  const Operand &address = i.operands[addressIndex];
  const uint64_t base = w.address(address, 0);
  uint64_t stride = fragment.runBytes() * 8 / fragment.bits;
  for (unsigned l = 0; l < warpSize; ++l) {
    if (w.address(address, l) != base) {
      w.trap(i, l, "expected one address for all lanes of the warp", base);
      return false;
    }
    if (!i.operands[strideIndex])
      continue;
    uint64_t value = uint32_t(w.value(i.operands[strideIndex], l));
    if (l != 0 && value != stride) {
      w.trap(i, l, "expected one stride for all lanes of the warp");
      return false;
    }
    stride = value;
  }
  const unsigned align = fragment.bits < 8 ? 4 : fragment.bits / 8;
  for (unsigned run = 0; run < fragment.runs(); ++run) {
    uint64_t at = base + run * stride * fragment.bits / 8;
    runs[run] = w.access(i, space, at, fragment.runBytes(), align, 0,
                         isWrite ? "wmma write of a row or column"
                                 : "wmma read of a row or column");
    if (!runs[run])
      return false;
    if (Observer *observer = w.observer())
      observer->access(w, i, 0, space, at, fragment.runBytes(), isWrite);
  }
  return true;
}

/// The bytes of an element; those of fewer than 8 bits lie along columns, and
/// a place begins at a whole byte.
static std::byte *element(const MatrixForm &fragment, std::byte *const *runs,
                          unsigned row, unsigned column) {
  if (!fragment.alongColumns)
    std::swap(row, column);
  return runs[row] + column * fragment.bits / 8;
}

static Step loadFragment(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  if (!allThreads(w, i, mask, step))
    return step;
  const MatrixForm &fragment = fragmentOf(i);
  std::byte *runs[32];
  if (!locateRuns(w, i, fragment, 1, 2, /*isWrite=*/false, runs))
    return Step::Fault;
  for (unsigned reg = 0; reg < fragment.registers; ++reg) {
    const Operand &to = i.operands[0].elements[reg];
    for (unsigned l = 0; l < warpSize; ++l) {
      Place place = placeOf(fragment, reg, l);
      uint64_t bits = 0;
      if (fragment.bits < 8) {
        std::memcpy(&bits, element(fragment, runs, place.row, place.column), 4);
      } else {
        for (unsigned e = 0; e < place.count; ++e) {
          uint64_t value = 0;
          std::memcpy(&value,
                      element(fragment, runs, place.row, place.column + e),
                      fragment.bits / 8);
          bits |= value << (e * fragment.bits);
        }
      }
      if (fragment.bits == 64)
        w.out<uint64_t>(to)[l] = bits;
      else
        w.out<uint32_t>(to)[l] = uint32_t(bits);
    }
  }
  w.count(Counter::SharedLoads, Space(i.extra) == Space::Shared);
  return Step::Next;
}

/// Operands: the address, the fragment, the stride.
static Step storeFragment(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  if (!allThreads(w, i, mask, step))
    return step;
  const MatrixForm &fragment = fragmentOf(i);
  std::byte *runs[32];
  if (!locateRuns(w, i, fragment, 0, 2, /*isWrite=*/true, runs))
    return Step::Fault;
  for (unsigned reg = 0; reg < fragment.registers; ++reg) {
    const Operand &from = i.operands[1].elements[reg];
    for (unsigned l = 0; l < warpSize; ++l) {
      Place place = placeOf(fragment, reg, l);
      uint64_t bits = fragment.bits == 64 ? w.in<uint64_t>(from)[l]
                                          : w.in<uint32_t>(from)[l];
      for (unsigned e = 0; e < place.count; ++e) {
        uint64_t value = bits >> (e * fragment.bits % 64);
        std::memcpy(element(fragment, runs, place.row, place.column + e),
                    &value, fragment.bits / 8);
      }
    }
  }
  w.cluster().noteWrite();
  w.count(Counter::SharedStores, Space(i.extra) == Space::Shared);
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// Takes the shape; `type` may be empty, then any type with the shape will do.
static const Row *takeRow(Decode &decode, std::string_view type) {
  Shape shape{};
  for (std::string_view part : decode.source.parts)
    if (shape.m == 0 && parseMmaShape(part, shape.m, shape.n, shape.k))
      decode.take(part);
  std::string list;
  for (const Row &row : rows) {
    if (!type.empty() && type != row.type)
      continue;
    if (row.shape.m == shape.m && row.shape.n == shape.n &&
        row.shape.k == shape.k)
      return &row;
    std::string name = ".m" + std::to_string(row.shape.m) + "n" +
                       std::to_string(row.shape.n) + "k" +
                       std::to_string(row.shape.k);
    if (list.find(name) == std::string::npos)
      list += (list.empty() ? "" : ", ") + name;
  }
  decode.error("expected " + list +
               (type.empty() ? "" : " with ." + std::string(type)) + " in '" +
               decode.mnemonic() + "'");
  return nullptr;
}

/// Takes the .row or .col that comes after `before` others.
static bool takeLayout(Decode &decode, unsigned before, bool &isRow) {
  for (std::string_view part : decode.source.parts)
    if ((part == "row" || part == "col") && before-- == 0) {
      isRow = part == "row";
      return decode.take(part);
    }
  return decode.error("expected .row or .col in '" + decode.mnemonic() + "'");
}

/// Takes an element type of operands, or of cells.
static bool takeElement(Decode &decode, bool isCell, std::string_view &type) {
  static constexpr std::string_view operands[] = {
      "f16", "bf16", "tf32", "f64", "s8", "u8", "s4", "u4", "b1"};
  static constexpr std::string_view cells[] = {"f16", "f32", "f64", "s32"};
  for (std::string_view part : decode.source.parts) {
    bool known = false;
    if (isCell)
      for (std::string_view cell : cells)
        known |= part == cell;
    else
      for (std::string_view operand : operands)
        known |= part == operand;
    if (known) {
      type = part;
      return decode.take(part);
    }
  }
  return decode.error(std::string("expected ") +
                      (isCell ? ".f16, .f32, .f64 or .s32"
                              : ".f16, .bf16, .tf32, .f64, .s8, .u8, .s4, .u4 "
                                "or .b1") +
                      " in '" + decode.mnemonic() + "'");
}

/// .global, .shared or none.
static bool takeMemory(Decode &decode) {
  Space space = decode.takeSpace();
  decode.out.extra = uint64_t(space);
  return space == Space::Generic || space == Space::Shared ||
         space == Space::Global ||
         decode.error("expected .global, .shared or no state space in '" +
                      decode.mnemonic() + "'");
}

/// The address at `index` and, behind the fragment, a stride.
static bool takeStride(Decode &decode) {
  return decode.source.operands.size() < 3 ? (decode.noOperand(), true)
                                           : decode.sourceOperand(2, Type::B32);
}

static bool isSwapped(const Shape &shape) {
  return shape.m == 8 && shape.n == 32;
}

static MatrixForm accumulatorOf(const Shape &shape, unsigned bits, bool isRow) {
  MatrixForm fragment;
  fragment.isAccumulator = true;
  fragment.bits = bits;
  fragment.rows = isSwapped(shape) ? shape.n : shape.m;
  fragment.columns = isSwapped(shape) ? shape.m : shape.n;
  fragment.alongColumns = isRow != isSwapped(shape);
  fragment.registers = shape.m * shape.n * bits / 8 / (bits == 64 ? 256 : 128);
  return fragment;
}

static bool decodeLoad(Decode &decode) {
  int matrix = decode.takeOne({"a", "b", "c"});
  if (matrix < 0)
    return decode.error("expected .a, .b or .c in '" + decode.mnemonic() + "'");
  bool isRow;
  std::string_view type;
  if (!takeSync(decode) || !takeLayout(decode, 0, isRow) ||
      !takeElement(decode, matrix == 2, type) || !takeMemory(decode))
    return false;
  const Row *row = takeRow(decode, matrix == 2 ? "" : type);
  if (!row)
    return false;
  const Shape &shape = row->shape;
  auto *fragment = decode.newData<MatrixForm>();
  if (matrix == 2) {
    bool fits = false;
    for (const Row &other : rows)
      fits |= other.shape.m == shape.m && other.shape.n == shape.n &&
              other.shape.k == shape.k && accumulates(other.type, type);
    if (!fits)
      return decode.error("no product of this shape has ." + std::string(type) +
                          " as the type of C in '" + decode.mnemonic() + "'");
    *fragment = accumulatorOf(shape, cellBits(type), isRow);
  } else {
    fragment->bits = row->bits;
    fragment->rows = matrix == 0 ? shape.m : shape.n;
    fragment->columns = shape.k;
    fragment->alongColumns = isRow == (matrix == 0);
    fragment->isLeading = (matrix == 0) != isSwapped(shape);
    fragment->registers =
        operandRegisters(type, fragment->rows, shape.k, row->bits);
    if (row->bits < 8 && !fragment->alongColumns)
      return decode.error(std::string("expected .") +
                          (matrix == 0 ? "row" : "col") +
                          ", which elements below 8 bits must have, in '" +
                          decode.mnemonic() + "'");
  }
  decode.out.data = fragment;
  decode.out.handler = loadFragment;
  return requireTarget(decode, row->target, "wmma of ." + std::string(type)) &&
         decode.expectOperands(2, 3) &&
         fragmentDestination(decode, 0,
                             fragment->bits == 64 ? Type::F64 : Type::B32,
                             fragment->registers) &&
         decode.address(1, Space(decode.out.extra)) && takeStride(decode);
}

static bool decodeStore(Decode &decode) {
  bool isRow;
  std::string_view type;
  if (!decode.take("d"))
    return decode.error("expected .d in '" + decode.mnemonic() + "'");
  if (!takeSync(decode) || !takeLayout(decode, 0, isRow) ||
      !takeElement(decode, /*isCell=*/true, type) || !takeMemory(decode))
    return false;
  const Row *row = takeRow(decode, "");
  if (!row)
    return false;
  auto *fragment = decode.newData<MatrixForm>();
  *fragment = accumulatorOf(row->shape, cellBits(type), isRow);
  decode.out.data = fragment;
  decode.out.handler = storeFragment;
  return requireTarget(decode, row->target, "wmma") &&
         decode.expectOperands(2, 3) &&
         decode.address(0, Space(decode.out.extra)) &&
         fragmentSource(decode, 1, fragment->bits == 64 ? Type::F64 : Type::B32,
                        fragment->registers) &&
         takeStride(decode);
}

//===----------------------------------------------------------------------===//
// wmma.mma
//===----------------------------------------------------------------------===//

namespace {
/// The mma.sync that a wmma.mma consists of.
struct Parts {
  std::vector<Instruction> list;
};
} // namespace

static Step multiply(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  if (!allThreads(w, i, mask, step))
    return step;
  for (const Instruction &part : static_cast<const Parts *>(i.data)->list) {
    step = part.handler(w, part, mask);
    if (step != Step::Next)
      return step;
  }
  return Step::Next;
}

/// `count` registers of a vector, from `first` on.
static Operand slice(const Operand &vector, unsigned first, unsigned count) {
  Operand part = vector;
  part.elements += first;
  part.count = uint16_t(count);
  return part;
}

/// Parts write their results before later ones read: what is read later must
/// not be what is written.
static bool overlaps(const Operand &results, const Operand &sources,
                     bool inPlace) {
  for (unsigned d = 0; d < results.count; ++d)
    for (unsigned s = 0; s < sources.count; ++s)
      if (results.elements[d].kind == Operand::Kind::Register &&
          sources.elements[s].kind == Operand::Kind::Register &&
          results.elements[d].slot == sources.elements[s].slot &&
          !(inPlace && d == s))
        return true;
  return false;
}

static bool splitProduct(Decode &decode, const Row &row,
                         const WarpMmaForm &form, Handler handler) {
  const bool swapped = isSwapped(row.shape);
  const Operand &d = decode.out.operands[0], &c = decode.out.operands[3];
  const Operand &a = decode.out.operands[swapped ? 2 : 1];
  const Operand &b = decode.out.operands[swapped ? 1 : 2];
  const unsigned aRows = swapped ? row.shape.n : row.shape.m;
  const unsigned bRows = swapped ? row.shape.m : row.shape.n;
  const unsigned groups = aRows / form.rows, columns = bRows / 8;
  // An f16 operand's first copy.
  const unsigned perRegister = row.bits == 64 ? 256 : 128;
  const unsigned aCount = form.rows * form.k * row.bits / 8 / perRegister;
  const unsigned bCount = 8 * form.k * row.bits / 8 / perRegister;
  const unsigned steps = row.shape.k / form.k;
  const unsigned dCount = d.count / (groups * columns);
  const unsigned cCount = c.count / (groups * columns);
  if (overlaps(d, a, false) || overlaps(d, b, false) ||
      overlaps(d, c, d.count == c.count))
    return decode.error("expected registers for D that A and B do not use, and "
                        "C only in the same places");
  auto *parts = decode.newData<Parts>();
  for (unsigned cell = 0; cell < groups * columns; ++cell)
    for (unsigned step = 0; step < steps; ++step) {
      const unsigned group = cell / columns, column = cell % columns;
      Instruction part;
      part.handler = handler;
      part.line = decode.out.line;
      part.text = decode.out.text;
      part.data = &form;
      part.operandCount = 4;
      part.operands[0] = slice(d, cell * dCount, dCount);
      part.operands[1] = slice(a, (group * steps + step) * aCount, aCount);
      part.operands[2] = slice(b, (column * steps + step) * bCount, bCount);
      // A second step adds to what the first has left.
      part.operands[3] =
          step == 0 ? slice(c, cell * cCount, cCount) : part.operands[0];
      parts->list.push_back(part);
    }
  decode.out.data = parts;
  decode.out.handler = multiply;
  return true;
}

/// The types of D, A, B and C; of f16 products only D and C are named.
static bool takeTypes(Decode &decode, std::string_view (&types)[4]) {
  unsigned count = 0;
  for (std::string_view part : decode.source.parts) {
    bool known = false;
    for (std::string_view type : {"f16", "bf16", "tf32", "f32", "f64", "s32",
                                  "s8", "u8", "s4", "u4", "b1"})
      known |= part == type;
    if (known && count < 4) {
      types[count++] = part;
      decode.take(part);
    }
  }
  if (count == 2) {
    types[3] = types[1];
    types[1] = types[2] = "f16";
    return true;
  }
  return count == 4 || decode.error("expected the types of D and C, or of D, "
                                    "A, B and C in '" +
                                    decode.mnemonic() + "'");
}

static bool decodeProduct(Decode &decode) {
  auto *form = decode.newData<WarpMmaForm>();
  form->isXor = decode.take("xor");
  const bool counts = form->isXor || decode.take("and");
  if (counts && !decode.take("popc"))
    return decode.error("expected .popc in '" + decode.mnemonic() + "'");
  bool aIsRow, bIsRow;
  std::string_view types[4];
  if (!takeSync(decode) || !takeLayout(decode, 0, aIsRow) ||
      !takeLayout(decode, 1, bIsRow) || !takeTypes(decode, types))
    return false;
  auto [d, a, b, c] = types;
  const Row *row = takeRow(decode, a);
  if (!row || !requireTarget(decode, row->target, "wmma of ." + std::string(a)))
    return false;
  if (a != b || !accumulates(a, c) || !accumulates(a, d))
    return decode.error("expected one type for A and B, and types of C and D "
                        "that go with it, in '" +
                        decode.mnemonic() + "'");
  if ((a == "b1") != counts)
    return decode.error("expected .xor.popc or .and.popc with .b1, and with no "
                        "other type, in '" +
                        decode.mnemonic() + "'");
  if (row->bits < 8 && (!aIsRow || bIsRow))
    return decode.error("expected .row.col with elements below 8 bits in '" +
                        decode.mnemonic() + "'");
  form->rows = row->shape.m == 8 && row->shape.n == 8 ? 8 : 16;
  form->k = row->shape.k;
  form->cIsF16 = c == "f16";
  form->dIsF16 = d == "f16";
  Handler handler = warpMmaFloats;
  if (a == "f16" || a == "bf16" || a == "tf32") {
    form->a = form->b = a == "f16"    ? MmaElement::F16
                        : a == "bf16" ? MmaElement::BF16
                                      : MmaElement::TF32;
    // Two steps of K, as the H200's bits show.
    if (a == "tf32")
      form->k = 4;
    if (a != "tf32" && !form->cIsF16 && !form->dIsF16)
      handler = warpMmaHalves;
  } else if (a == "f64") {
    decode.take("rn");
    handler = warpMmaDoubles;
  } else if (a == "b1") {
    handler = warpMmaBits;
  } else {
    form->integerBits = row->bits;
    form->aIsSigned = form->bIsSigned = a[0] == 's';
    form->saturates = decode.take("satfinite");
    handler = warpMmaIntegers;
  }
  form->flops = uint64_t(2) * form->rows * 8 * form->k;
  const Type element = row->bits == 64 ? Type::F64 : Type::B32;
  auto cellRegisters = [&](std::string_view type) {
    return accumulatorOf(row->shape, cellBits(type), true).registers;
  };
  auto registers = [&](unsigned extent) {
    return operandRegisters(a, extent, row->shape.k, row->bits);
  };
  return decode.expectOperands(4, 4) &&
         fragmentDestination(decode, 0, element, cellRegisters(d)) &&
         fragmentSource(decode, 1, element, registers(row->shape.m)) &&
         fragmentSource(decode, 2, element, registers(row->shape.n)) &&
         fragmentSource(decode, 3, element, cellRegisters(c)) &&
         splitProduct(decode, *row, *form, handler);
}

void registerWmma(Registry &registry) {
  registry.add("wmma.load", decodeLoad);
  registry.add("wmma.store", decodeStore);
  registry.add("wmma.mma", decodeProduct);
}

} // namespace bwgemm::emulator

//===- Ldmatrix.cpp - ldmatrix, stmatrix, movmatrix -------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices between shared memory and the registers of a warp (PTX ISA,
// "ldmatrix", "stmatrix", "movmatrix"). A matrix is eight or sixteen rows of
// 16 bytes; consecutive lanes give the rows' addresses, those of the first
// matrix first, and lanes beyond them give none. In registers,
//
// - m8n8 (b16), m8n16: lane 4r + c holds word c of row r;
// - m8n8 with .trans: lane 4c + r holds the elements of column c in rows 2r
//   and 2r + 1;
// - m16n16.trans (b8): lane 4c + r holds in register j, byte v, column
//   c + 8 (v / 2) of row 4r + 2j + v % 2; m16n8.trans of stmatrix the same with
//   rows 2r + v % 2 and one register. Both are published in CuTe's layouts.
//
// 4- and 6-bit elements (b4x16_p64, b6x16_p32) lie packed in the first 8 or 12
// bytes of a row and arrive in the low bits of a byte each.
//
//===----------------------------------------------------------------------===//

#include "instructions/WarpMatrix.h"
#include "machine/Cta.h"

#include <cstring>

namespace bwgemm::emulator {

namespace {
enum class Unpack : uint8_t { None, Four, Six };
} // namespace

/// The lanes that give the addresses of `rows` rows.
static LaneMask addressLanes(unsigned rows) {
  return rows >= warpSize ? allLanes : (1u << rows) - 1;
}

//===----------------------------------------------------------------------===//
// ldmatrix
//===----------------------------------------------------------------------===//

/// The 16 bytes that a row of packed elements stands for.
static void unpackRow(Unpack unpack, const std::byte *row, uint8_t *bytes) {
  if (unpack == Unpack::None) {
    std::memcpy(bytes, row, 16);
    return;
  }
  uint8_t packed[16];
  std::memcpy(packed, row, 16);
  if (unpack == Unpack::Four) {
    for (unsigned k = 0; k < 16; ++k)
      bytes[k] = uint8_t(packed[k / 2] >> (4 * (k % 2))) & 15;
    return;
  }
  for (unsigned k = 0; k < 16; ++k) {
    unsigned bit = 6 * k;
    unsigned pair = packed[bit / 8] | unsigned(packed[bit / 8 + 1]) << 8;
    bytes[k] = uint8_t(pair >> (bit % 8)) & 63;
  }
}

/// Finds the `count` rows that an ldmatrix reads; if it cannot go on, `step` is
/// what the handler returns.
static bool beginLoad(Warp &w, const Instruction &i, LaneMask mask,
                      unsigned count, LanePlaces rows, Step &step) {
  if (!allThreads(w, i, mask, step))
    return false;
  const LaneMask lanes = addressLanes(count);
  step = Step::Fault;
  if (!locateLanes(w, i, i.operands[1], Space(i.extra), lanes, 16,
                   "ldmatrix read of a row", rows))
    return false;
  observeLanes(w, i, i.operands[1], Space(i.extra), lanes, 16, false);
  return true;
}

/// m8n8 and m8n16: `count` matrices. `flags` is an Unpack, `extra` the state
/// space. Operands: vector of destinations, address.
template <unsigned count>
static Step loadRows(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  LanePlaces rows;
  if (!beginLoad(w, i, mask, 8 * count, rows, step))
    return step;
  for (unsigned j = 0; j < count; ++j) {
    uint32_t *d = w.out<uint32_t>(i.operands[0].elements[j]);
    if (Unpack(i.flags) == Unpack::None) {
      for (unsigned r = 0; r < 8; ++r)
        std::memcpy(d + 4 * r, rows[8 * j + r], 16);
      continue;
    }
    for (unsigned r = 0; r < 8; ++r) {
      uint8_t bytes[16];
      unpackRow(Unpack(i.flags), rows[8 * j + r], bytes);
      std::memcpy(d + 4 * r, bytes, 16);
    }
  }
  w.count(Counter::SharedLoads);
  return Step::Next;
}

/// m8n8.trans.
template <unsigned count>
static Step loadTransposed(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  LanePlaces rows;
  if (!beginLoad(w, i, mask, 8 * count, rows, step))
    return step;
  for (unsigned j = 0; j < count; ++j) {
    uint32_t *d = w.out<uint32_t>(i.operands[0].elements[j]);
    for (unsigned pair = 0; pair < 4; ++pair) {
      uint16_t even[8], odd[8];
      std::memcpy(even, rows[8 * j + 2 * pair], 16);
      std::memcpy(odd, rows[8 * j + 2 * pair + 1], 16);
      for (unsigned c = 0; c < 8; ++c)
        d[4 * c + pair] = even[c] | uint32_t(odd[c]) << 16;
    }
  }
  w.count(Counter::SharedLoads);
  return Step::Next;
}

/// m16n16.trans of bytes; two registers a matrix.
template <unsigned count>
static Step loadTransposedBytes(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  LanePlaces rows;
  if (!beginLoad(w, i, mask, 16 * count, rows, step))
    return step;
  for (unsigned j = 0; j < count; ++j) {
    uint8_t matrix[16][16];
    for (unsigned r = 0; r < 16; ++r)
      unpackRow(Unpack(i.flags), rows[16 * j + r], matrix[r]);
    for (unsigned half = 0; half < 2; ++half) {
      uint32_t *d = w.out<uint32_t>(i.operands[0].elements[2 * j + half]);
      for (unsigned l = 0; l < warpSize; ++l) {
        const uint8_t (*from)[16] = matrix + 4 * (l % 4) + 2 * half;
        unsigned c = l / 4;
        d[l] = from[0][c] | uint32_t(from[1][c]) << 8 |
               uint32_t(from[0][c + 8]) << 16 | uint32_t(from[1][c + 8]) << 24;
      }
    }
  }
  w.count(Counter::SharedLoads);
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// stmatrix
//===----------------------------------------------------------------------===//

namespace {
enum class StoreForm : uint8_t { Rows, Transposed, TransposedBytes };
} // namespace

/// One register of all lanes to the eight rows of a matrix.
static void storeMatrix(StoreForm form, const uint32_t *a, std::byte **rows) {
  if (form == StoreForm::Rows) {
    for (unsigned r = 0; r < 8; ++r)
      std::memcpy(rows[r], a + 4 * r, 16);
    return;
  }
  if (form == StoreForm::Transposed) {
    for (unsigned pair = 0; pair < 4; ++pair) {
      uint16_t even[8], odd[8];
      for (unsigned c = 0; c < 8; ++c) {
        even[c] = uint16_t(a[4 * c + pair]);
        odd[c] = uint16_t(a[4 * c + pair] >> 16);
      }
      std::memcpy(rows[2 * pair], even, 16);
      std::memcpy(rows[2 * pair + 1], odd, 16);
    }
    return;
  }
  for (unsigned pair = 0; pair < 4; ++pair) {
    uint8_t even[16], odd[16];
    for (unsigned c = 0; c < 8; ++c) {
      uint32_t word = a[4 * c + pair];
      even[c] = uint8_t(word);
      odd[c] = uint8_t(word >> 8);
      even[c + 8] = uint8_t(word >> 16);
      odd[c + 8] = uint8_t(word >> 24);
    }
    std::memcpy(rows[2 * pair], even, 16);
    std::memcpy(rows[2 * pair + 1], odd, 16);
  }
}

/// Operands: address, vector of sources. `flags` is a StoreForm.
static Step storeMatrices(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  if (!allThreads(w, i, mask, step))
    return step;
  const Operand &sources = i.operands[1];
  const LaneMask lanes = addressLanes(8 * sources.count);
  LanePlaces rows;
  if (!locateLanes(w, i, i.operands[0], Space(i.extra), lanes, 16,
                   "stmatrix write of a row", rows))
    return Step::Fault;
  observeLanes(w, i, i.operands[0], Space(i.extra), lanes, 16, true);
  for (unsigned j = 0; j < sources.count; ++j)
    storeMatrix(StoreForm(i.flags), w.in<uint32_t>(sources.elements[j]),
                rows + 8 * j);
  w.cluster().noteWrite();
  w.count(Counter::SharedStores);
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// movmatrix
//===----------------------------------------------------------------------===//

static Step moveMatrix(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  if (!allThreads(w, i, mask, step))
    return step;
  uint32_t a[warpSize];
  std::memcpy(a, w.in<uint32_t>(i.operands[1]), sizeof(a));
  uint32_t *d = w.out<uint32_t>(i.operands[0]);
  for (unsigned l = 0; l < warpSize; ++l) {
    // Element (row, column) is half column % 2 of lane 4 row + column / 2.
    unsigned column = l / 4, row = 2 * (l % 4), shift = 16 * (column % 2);
    uint32_t low = a[4 * row + column / 2] >> shift;
    uint32_t high = a[4 * (row + 1) + column / 2] >> shift;
    d[l] = (low & 0xffff) | high << 16;
  }
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// Takes .x1, .x2 or .x4.
static bool takeCount(Decode &decode, unsigned &count) {
  int index = decode.takeOne({"x1", "x2", "x4"});
  count = 1u << (index < 0 ? 0 : index);
  return index >= 0 || decode.error("expected .x1, .x2 or .x4 in '" +
                                    decode.mnemonic() + "'");
}

static bool takeSharedSpace(Decode &decode) {
  Space space = decode.takeSpace();
  decode.out.extra = uint64_t(space);
  return space == Space::Generic || space == Space::Shared ||
         decode.error("expected .shared::cta or no state space in '" +
                      decode.mnemonic() + "'");
}

static bool decodeLdmatrix(Decode &decode) {
  unsigned count;
  int shape = decode.takeOne({"m8n8", "m8n16", "m16n16"});
  if (shape < 0)
    return decode.error("expected .m8n8, .m8n16 or .m16n16 in '" +
                        decode.mnemonic() + "'");
  if (!takeSync(decode) || !takeCount(decode, count) ||
      !takeSharedSpace(decode))
    return false;
  bool transposed = decode.take("trans");
  Unpack unpack = Unpack::None;
  if (decode.take("b8x16")) {
    int source = decode.takeOne({"b4x16_p64", "b6x16_p32"});
    if (source < 0)
      return decode.error("expected .b4x16_p64 or .b6x16_p32 behind .b8x16");
    unpack = source == 0 ? Unpack::Four : Unpack::Six;
  } else if (!decode.take(shape == 0 ? "b16" : "b8") || shape == 1) {
    return decode.error(shape == 0   ? "expected .b16 with .m8n8"
                        : shape == 1 ? "expected .b8x16.b4x16_p64 or "
                                       ".b8x16.b6x16_p32 with .m8n16"
                                     : "expected .b8, .b8x16.b4x16_p64 or "
                                       ".b8x16.b6x16_p32 with .m16n16");
  }
  if (shape == 0 ? unpack != Unpack::None : transposed != (shape == 2))
    return decode.error(shape == 0 ? "expected .b16 with .m8n8"
                        : shape == 1
                            ? ".m8n16 has no .trans; .m16n16 has"
                            : "expected .trans, which .m16n16 must have");
  if (shape == 0
          ? !requireTarget(decode, 75, "ldmatrix")
          : !requireSpecificTarget(decode, {100, 101, 103, 110, 120, 121},
                                   "ldmatrix of 8 or fewer bits"))
    return false;
  if (shape == 2 && count == 4)
    return decode.error("expected .x1 or .x2 with .m16n16");
  unsigned registers = shape == 2 ? 2 * count : count;
  if (!decode.expectOperands(2, 2))
    return false;
  if (!fragmentDestination(decode, 0, Type::B32, registers) ||
      !decode.address(1, Space(decode.out.extra)))
    return false;
  decode.out.flags = uint8_t(unpack);
  if (shape == 2)
    decode.out.handler =
        count == 1 ? loadTransposedBytes<1> : loadTransposedBytes<2>;
  else if (transposed)
    decode.out.handler = count == 1   ? loadTransposed<1>
                         : count == 2 ? loadTransposed<2>
                                      : loadTransposed<4>;
  else
    decode.out.handler = count == 1   ? loadRows<1>
                         : count == 2 ? loadRows<2>
                                      : loadRows<4>;
  return true;
}

static bool decodeStmatrix(Decode &decode) {
  unsigned count;
  int shape = decode.takeOne({"m8n8", "m16n8"});
  if (shape < 0)
    return decode.error("expected .m8n8 or .m16n8 in '" + decode.mnemonic() +
                        "'");
  if (!takeSync(decode) || !takeCount(decode, count) ||
      !takeSharedSpace(decode))
    return false;
  bool transposed = decode.take("trans");
  if (!decode.take(shape == 0 ? "b16" : "b8"))
    return decode.error(shape == 0 ? "expected .b16 with .m8n8"
                                   : "expected .b8 with .m16n8");
  if (shape == 1 && !transposed)
    return decode.error("expected .trans, which .m16n8 must have");
  if (shape == 0
          ? !requireTarget(decode, 90, "stmatrix")
          : !requireSpecificTarget(decode, {100, 101, 103, 110, 120, 121},
                                   "stmatrix of 8 bits"))
    return false;
  StoreForm form = shape == 1   ? StoreForm::TransposedBytes
                   : transposed ? StoreForm::Transposed
                                : StoreForm::Rows;
  decode.out.flags = uint8_t(form);
  decode.out.handler = storeMatrices;
  return decode.expectOperands(2, 2) &&
         decode.address(0, Space(decode.out.extra)) &&
         fragmentSource(decode, 1, Type::B32, count);
}

static bool decodeMovmatrix(Decode &decode) {
  decode.out.handler = moveMatrix;
  if (!requireTarget(decode, 75, "movmatrix") || !takeSync(decode))
    return false;
  if (!decode.take("m8n8") || !decode.take("trans") || !decode.take("b16"))
    return decode.error("expected movmatrix.sync.aligned.m8n8.trans.b16, got "
                        "'" +
                        decode.mnemonic() + "'");
  return decode.expectOperands(2, 2) && decode.destination(0, Type::B32) &&
         decode.sourceOperand(1, Type::B32);
}

void registerLdmatrix(Registry &registry) {
  registry.add("ldmatrix", decodeLdmatrix);
  registry.add("stmatrix", decodeStmatrix);
  registry.add("movmatrix", decodeMovmatrix);
}

} // namespace bwgemm::emulator

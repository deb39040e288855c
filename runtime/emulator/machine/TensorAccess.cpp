//===- TensorAccess.cpp - Register maps of tcgen05.ld and .st ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/TensorAccess.h"

#include <cstring>

namespace bwgemm::emulator {

namespace {
/// What a shape reads with .x1.
struct ShapeFacts {
  const char *name;
  uint32_t registers, columns, maxRepeat;
};
} // namespace

static const ShapeFacts &factsOf(TensorShape shape) {
  static constexpr ShapeFacts facts[] = {
      {"32x32b", 1, 1, 128}, {"16x64b", 1, 2, 128},   {"16x128b", 2, 4, 64},
      {"16x256b", 4, 8, 32}, {"16x32bx2", 1, 1, 128},
  };
  return facts[unsigned(shape)];
}

bool TensorAccess::check(std::string &error) const {
  const ShapeFacts &facts = factsOf(shape);
  if (repeat >= 1 && repeat <= facts.maxRepeat && (repeat & (repeat - 1)) == 0)
    return true;
  error = std::string("shape ") + facts.name + " with x" +
          std::to_string(repeat) + ", expected a power of two from x1 to x" +
          std::to_string(facts.maxRepeat);
  return false;
}

uint32_t TensorAccess::registers() const {
  return factsOf(shape).registers * repeat;
}

uint32_t TensorAccess::columns() const {
  uint32_t count = factsOf(shape).columns * repeat * (packed ? 2 : 1);
  return shape == TensorShape::S16x32bx2 ? count + splitOffset : count;
}

TensorAccess::Cell TensorAccess::cell(uint32_t t, uint32_t r) const {
  uint32_t scale = packed ? 2 : 1;
  switch (shape) {
  case TensorShape::S32x32b:
    return {t, scale * r};
  case TensorShape::S16x64b:
    return {8 * (t % 2) + t / 4, scale * (2 * r + (t / 2) % 2)};
  case TensorShape::S16x128b:
    return {t / 4 + 8 * (r % 2), scale * (4 * (r / 2) + t % 4)};
  case TensorShape::S16x256b:
    return {t / 4 + 8 * ((r / 2) % 2),
            scale * (8 * (r / 4) + 2 * (t % 4) + r % 2)};
  case TensorShape::S16x32bx2:
    return {t % 16, scale * r + (t / 16) * splitOffset};
  }
  return {0, 0};
}

bool TensorAccess::checkAddress(const TensorAddress &address, uint32_t quarter,
                                const TensorMemory &tensor,
                                std::string &trap) const {
  uint32_t first = 32 * quarter;
  bool inQuarter = lanes() == 32
                       ? address.lane == first
                       : address.lane == first || address.lane == first + 16;
  if (!inQuarter) {
    trap = "tensor memory lane " + std::to_string(address.lane) +
           ": a warp with index mod 4 = " + std::to_string(quarter) +
           " may access lanes " + std::to_string(first) + " to " +
           std::to_string(first + 31) + ", beginning at lane " +
           std::to_string(first) +
           (lanes() == 32 ? "" : " or " + std::to_string(first + 16));
    return false;
  }
  if (shape != TensorShape::S16x32bx2)
    return tensor.checkAllocated(address.column, columns(), trap);
  uint32_t count = columns() - splitOffset;
  return tensor.checkAllocated(address.column, count, trap) &&
         tensor.checkAllocated(address.column + splitOffset, count, trap);
}

bool TensorAccess::checkWritten(const TensorAddress &address,
                                const TensorMemory &tensor,
                                std::string &trap) const {
  TensorMemory::LaneSet set =
      TensorMemory::LaneSet::range(address.lane, lanes());
  if (shape != TensorShape::S16x32bx2)
    return tensor.checkWritten(address.column, columns(), set, trap);
  uint32_t count = columns() - splitOffset;
  return tensor.checkWritten(address.column, count, set, trap) &&
         tensor.checkWritten(address.column + splitOffset, count, set, trap);
}

void TensorAccess::load(const TensorMemory &tensor,
                        const TensorAddress &address, uint32_t *values) const {
  if (shape == TensorShape::S32x32b && !packed) {
    for (uint32_t r = 0; r < repeat; ++r)
      std::memcpy(values + 32 * r,
                  tensor.column(address.column + r) + address.lane, 128);
    return;
  }
  for (uint32_t r = 0; r < registers(); ++r)
    for (uint32_t t = 0; t < 32; ++t) {
      Cell c = cell(t, r);
      const uint32_t *from =
          tensor.column(address.column + c.column) + address.lane + c.lane;
      values[32 * r + t] =
          packed ? (from[0] & 0xffff) | from[TensorMemory::columnStride] << 16
                 : from[0];
    }
}

void TensorAccess::store(TensorMemory &tensor, const TensorAddress &address,
                         const uint32_t *values) const {
  for (uint32_t r = 0; r < registers(); ++r)
    for (uint32_t t = 0; t < 32; ++t) {
      Cell c = cell(t, r);
      uint32_t *to =
          tensor.column(address.column + c.column) + address.lane + c.lane;
      uint32_t value = values[32 * r + t];
      to[0] = packed ? value & 0xffff : value;
      if (packed)
        to[TensorMemory::columnStride] = value >> 16;
    }
  TensorMemory::LaneSet set =
      TensorMemory::LaneSet::range(address.lane, lanes());
  for (uint32_t c = 0; c < columns(); ++c)
    // Between the two halves of 16x32bx2 there may be columns left alone.
    if (shape != TensorShape::S16x32bx2 || c < columns() - splitOffset ||
        c >= splitOffset)
      tensor.markWritten(address.column + c, set);
}

} // namespace bwgemm::emulator

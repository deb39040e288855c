//===- Tma.cpp - Tensor copies between global and shared memory -*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Tma.h"
#include "machine/HalfConvert.h"

#include <algorithm>
#include <cstring>

namespace bwgemm::emulator {

/// The longest row: 256 elements of 8 bytes.
static constexpr uint32_t maxRowBytes = 2048;

bool TmaPlan::make(const TensorMap &map, TmaPlan &plan, TmaTrap &trap) {
  if (map.im2col || map.interleave != 0) {
    trap.message = map.im2col
                       ? "im2col tensor maps are not modelled; tiled ones are"
                       : "interleaved tensor maps are not modelled; "
                         "interleave none is";
    trap.unsupported = true;
    return false;
  }
  TmaPlan result;
  result.base = map.globalAddress;
  result.rank = map.rank;
  result.element = map.element;
  result.elementBytes = map.elementBytes();
  if (isSubByte(map.element)) {
    bool isSixBits = map.element == TensorElement::B6x16P32;
    result.perElement = isPadded(map.element) ? 16 : 2;
    result.elementBytes = !isPadded(map.element) ? 1 : isSixBits ? 12 : 8;
    if (isPadded(map.element))
      result.unitPadding = isSixBits ? 4 : 8;
  }
  result.innerElements = map.box[0] / result.perElement;
  result.innerBytes = result.innerElements * result.elementBytes;
  uint32_t rowBytes = result.sharedRowBytes();
  unsigned span = swizzleSpan(map.swizzle);
  if (rowBytes % 16 != 0 || rowBytes == 0 || (span && rowBytes > span) ||
      map.box[0] % result.perElement != 0) {
    trap.message = "the inner box dimension of the tensor map takes " +
                   std::to_string(rowBytes) +
                   " bytes, expected a multiple of 16" +
                   (span ? " up to " + std::to_string(span) : std::string());
    return false;
  }
  if (map.atom != SwizzleAtom::B16 &&
      (map.swizzle != TensorSwizzle::B128 ||
       (map.atom == SwizzleAtom::B32Flip8 && result.unitPadding))) {
    trap.message = "the tensor map has swizzle atom " +
                   std::to_string(unsigned(map.atom)) +
                   ", which its swizzle or element type does not go with";
    return false;
  }
  result.pitch = span ? span : rowBytes;
  result.swizzle = swizzleMask(map.swizzle);
  result.atom = map.atom;
  result.nanFill = map.nanFill;
  result.roundTf32 = map.roundTf32;
  result.dims.fill(1);
  result.counts.fill(1);
  result.steps.fill(1);
  result.rows = 1;
  // Dimension 0 of the element strides is encoded, and ignored by copies
  // (measured on an H200).
  result.counts[0] = result.innerElements;
  result.dims[0] = map.dims[0] / result.perElement;
  result.strides[0] = result.elementBytes;
  for (unsigned d = 1; d < map.rank; ++d) {
    uint32_t step = map.elementStrides[d];
    result.dims[d] = map.dims[d];
    result.strides[d] = map.strides[d];
    result.steps[d] = step;
    result.counts[d] = (map.box[d] + step - 1) / step;
    result.rows *= result.counts[d];
  }
  plan = result;
  return true;
}

bool TmaPlan::takeFourRows(TmaTrap &trap) {
  if (rank != 2 || rows != 1) {
    trap.message = "tile::gather4 and tile::scatter4 need a tensor map of rank "
                   "2 whose box has one row, got rank " +
                   std::to_string(rank) + " and " + std::to_string(rows) +
                   " rows";
    return false;
  }
  fourRows = true;
  rows = 4;
  return true;
}

static bool fail(TmaTrap &trap, std::string message) {
  trap.message = std::move(message);
  return false;
}

static bool failAt(TmaTrap &trap, std::string message, uint64_t address) {
  trap.address = address;
  trap.hasAddress = true;
  return fail(trap, std::move(message));
}

static bool checkShared(const TmaPlan &plan, const TmaCoordinates &coordinates,
                        uint32_t address, const SharedWindow &shared,
                        TmaTrap &trap) {
  if (address % 128 != 0)
    return failAt(trap,
                  "misaligned address: a tensor copy needs a shared address "
                  "that is a multiple of 128, got a remainder of " +
                      std::to_string(address % 128),
                  address);
  if (plan.perElement != 1 &&
      coordinates[0] % (plan.unitPadding ? 128 : 32) != 0)
    return fail(trap, "illegal instruction: coordinate 0 of a tensor copy of "
                      "4-bit or 6-bit elements is " +
                          std::to_string(coordinates[0]) +
                          ", expected a multiple of " +
                          (plan.unitPadding ? "128" : "32"));
  int64_t innerOffset =
      int64_t(coordinates[0]) / plan.perElement * plan.elementBytes;
  if (innerOffset % 16 != 0)
    return fail(trap,
                "illegal instruction: coordinate 0 of a tensor copy times "
                "the element size must be a multiple of 16 bytes, got " +
                    std::to_string(coordinates[0]) + " x " +
                    std::to_string(plan.elementBytes));
  if (!shared.contains(address, plan.sharedExtent()))
    return failAt(trap,
                  "out of bounds: the box of " +
                      std::to_string(plan.sharedExtent()) +
                      " bytes at shared address " + std::to_string(address) +
                      " is outside of the CTA's shared memory [" +
                      std::to_string(shared.begin) + ", " +
                      std::to_string(shared.end) + ")",
                  address);
  return true;
}

namespace {
/// The part of the box inside of the tensor, in elements copied, per
/// dimension: [first, last).
struct Interior {
  std::array<uint32_t, TensorMap::maxRank> first{}, last{};
  bool empty = false;
  /// The bytes of a row that lie inside of the tensor.
  uint32_t firstByte = 0, lastByte = 0;
};
} // namespace

static Interior interiorOf(const TmaPlan &plan,
                           const TmaCoordinates &coordinates) {
  Interior interior;
  interior.last.fill(1);
  // Rows that are named one by one are looked at one by one.
  unsigned rank = plan.fourRows ? 1 : plan.rank;
  for (unsigned d = 0; d < rank; ++d) {
    int64_t step = plan.steps[d], count = plan.counts[d];
    int64_t start = coordinates[d], end = int64_t(plan.dims[d]);
    int64_t first = start >= 0 ? 0 : (-start + step - 1) / step;
    int64_t last = start >= end ? 0 : (end - start + step - 1) / step;
    first = std::min(first, count);
    last = std::min(last, count);
    interior.empty |= first >= last;
    interior.first[d] = uint32_t(first);
    interior.last[d] = uint32_t(std::max(first, last));
  }
  interior.firstByte = interior.first[0] * plan.elementBytes;
  interior.lastByte = interior.last[0] * plan.elementBytes;
  return interior;
}

/// Address of the first byte of the row at index `i` of dimensions 1 to 4; the
/// row itself may begin before the tensor does.
static uint64_t rowAddress(const TmaPlan &plan, const TmaCoordinates &c,
                           const std::array<uint32_t, TensorMap::maxRank> &i) {
  uint64_t address = plan.base + uint64_t(int64_t(c[0])) * plan.elementBytes;
  for (unsigned d = 1; d < plan.rank; ++d)
    address += uint64_t(int64_t(c[d]) + int64_t(i[d]) * plan.steps[d]) *
               plan.strides[d];
  return address;
}

/// Calls `visit(rowIndex, address, inside)` for each row of the box.
template <typename Visit>
static void forEachRow(const TmaPlan &plan, const TmaCoordinates &coordinates,
                       const Interior &interior, Visit visit) {
  if (plan.fourRows) {
    for (uint32_t row = 0; row < 4; ++row) {
      int64_t y = coordinates[1 + row];
      visit(row,
            plan.base + uint64_t(int64_t(coordinates[0])) * plan.elementBytes +
                uint64_t(y) * plan.strides[1],
            !interior.empty && y >= 0 && uint64_t(y) < plan.dims[1]);
    }
    return;
  }
  std::array<uint32_t, TensorMap::maxRank> i{};
  uint32_t row = 0;
  uint64_t step = uint64_t(plan.steps[1]) * plan.strides[1];
  for (i[4] = 0; i[4] < plan.counts[4]; ++i[4])
    for (i[3] = 0; i[3] < plan.counts[3]; ++i[3])
      for (i[2] = 0; i[2] < plan.counts[2]; ++i[2]) {
        bool inside = !interior.empty;
        for (unsigned d = 2; d < plan.rank; ++d)
          inside &= i[d] >= interior.first[d] && i[d] < interior.last[d];
        i[1] = 0;
        uint64_t address = rowAddress(plan, coordinates, i);
        for (uint32_t r = 0; r < plan.counts[1]; ++r, ++row, address += step)
          visit(row, address,
                inside && r >= interior.first[1] && r < interior.last[1]);
      }
}

/// What a store or a reduction writes: whole units of 16 bytes along dimension
/// 0 (measured on an H200 in 67 cases over all element sizes, with and without
/// swizzle).
static Interior writtenBy(const TmaPlan &plan,
                          const TmaCoordinates &coordinates) {
  Interior interior = interiorOf(plan, coordinates);
  interior.lastByte = (interior.lastByte + 15) & ~15u;
  return interior;
}

/// Every byte of global memory that the copy touches must be accessible.
static bool checkGlobal(const TmaPlan &plan, const TmaCoordinates &coordinates,
                        const Interior &interior, const GlobalCheck &global,
                        const char *verb, TmaTrap &trap) {
  if (interior.empty)
    return true;
  std::array<uint32_t, TensorMap::maxRank> low = interior.first;
  std::array<uint32_t, TensorMap::maxRank> high = interior.last;
  for (uint32_t &index : high)
    --index;
  uint64_t begin = rowAddress(plan, coordinates, low) + interior.firstByte;
  uint64_t end = rowAddress(plan, coordinates, high) + interior.lastByte;
  if (!plan.fourRows && global(begin, end - begin))
    return true;
  // The gaps between rows need not be accessible, so look at each row.
  uint32_t bytes = interior.lastByte - interior.firstByte;
  bool legal = true;
  forEachRow(plan, coordinates, interior,
             [&](uint32_t, uint64_t address, bool inside) {
               uint64_t first = address + interior.firstByte;
               if (!inside || !legal || global(first, bytes))
                 return;
               legal = failAt(trap,
                              std::string("out of bounds: a tensor copy ") +
                                  verb + " " + std::to_string(bytes) +
                                  " bytes of global memory that no "
                                  "allocation contains",
                              first);
             });
  return legal;
}

/// Coordinates in the plan's elements.
static TmaCoordinates ofPlan(const TmaPlan &plan, TmaCoordinates coordinates) {
  if (plan.perElement != 1)
    coordinates[0] /= int32_t(plan.perElement);
  return coordinates;
}

bool checkTensorLoad(const TmaPlan &plan, const TmaCoordinates &coordinates,
                     uint32_t destination, const SharedWindow &shared,
                     const GlobalCheck &global, TmaTrap &trap) {
  return checkShared(plan, coordinates, destination, shared, trap) &&
         checkGlobal(plan, ofPlan(plan, coordinates),
                     interiorOf(plan, ofPlan(plan, coordinates)), global,
                     "reads", trap);
}

bool checkTensorStore(const TmaPlan &plan, const TmaCoordinates &coordinates,
                      uint32_t source, const SharedWindow &shared,
                      const GlobalCheck &global, TmaTrap &trap) {
  if (plan.unitPadding || plan.atom == SwizzleAtom::B32Flip8) {
    trap.unsupported = plan.unitPadding;
    return fail(trap, plan.unitPadding
                          ? "stores of a padded 4-bit or 6-bit type are not "
                            "modelled; loads are"
                          : "a swizzle that flips 8 bytes is for loads alone");
  }
  for (unsigned d = 0; d < (plan.fourRows ? 5 : plan.rank); ++d)
    if (coordinates[d] < 0)
      return fail(trap, "illegal instruction: coordinate " + std::to_string(d) +
                            " of a tensor store is " +
                            std::to_string(coordinates[d]) +
                            ", expected 0 or more");
  return checkShared(plan, coordinates, source, shared, trap) &&
         checkGlobal(plan, ofPlan(plan, coordinates),
                     writtenBy(plan, ofPlan(plan, coordinates)), global,
                     "writes", trap);
}

/// The 16-byte chunks of a row whose shared address is `address`. A row never
/// crosses a 128-byte line when it is swizzled, so that one XOR serves it all.
template <typename Copy>
static void forEachChunk(const TmaPlan &plan, uint32_t address, Copy copy) {
  if (plan.atom != SwizzleAtom::B16) {
    for (uint32_t offset = 0; offset < plan.innerBytes; offset += 16)
      copy(plan.place(address + offset), offset);
    return;
  }
  uint32_t flip = ((address >> 7) & plan.swizzle) << 4;
  for (uint32_t offset = 0; offset < plan.innerBytes; offset += 16)
    copy((address + offset) ^ flip, offset);
}

/// `count` chunks of a row, a number that the compiler knows.
template <uint32_t count>
static void writeChunks(const TmaPlan &plan, std::byte *shared,
                        uint32_t address, const std::byte *source) {
  uint32_t flip = ((address >> 7) & plan.swizzle) << 4;
#pragma GCC unroll 8
  for (uint32_t i = 0; i < count; ++i)
    std::memcpy(shared + ((address + 16 * i) ^ flip), source + 16 * i, 16);
}

/// A row of elements with padding behind them, which is left as it is; or one
/// whose swizzle flips the halves of 16 bytes.
static void writeOddRow(const TmaPlan &plan, std::byte *shared,
                        uint32_t address, const std::byte *source) {
  if (plan.unitPadding) {
    uint32_t pitch = plan.elementBytes + plan.unitPadding;
    for (uint32_t i = 0; i < plan.innerElements; ++i)
      std::memcpy(shared + plan.place(address + i * pitch),
                  source + i * plan.elementBytes, plan.elementBytes);
    return;
  }
  uint32_t flip = (address >> 7) & 1 ? 8 : 0;
  for (uint32_t offset = 0; offset < plan.innerBytes; offset += 8)
    std::memcpy(shared + (plan.place(address + offset) ^ flip), source + offset,
                8);
}

static void writeRow(const TmaPlan &plan, std::byte *shared, uint32_t address,
                     const std::byte *source) {
  if (plan.unitPadding || plan.atom == SwizzleAtom::B32Flip8)
    return writeOddRow(plan, shared, address, source);
  if (plan.swizzle == 0) {
    std::memcpy(shared + address, source, plan.innerBytes);
    return;
  }
  switch (plan.atom == SwizzleAtom::B16 ? plan.innerBytes : 0) {
  case 128:
    return writeChunks<8>(plan, shared, address, source);
  case 64:
    return writeChunks<4>(plan, shared, address, source);
  case 32:
    return writeChunks<2>(plan, shared, address, source);
  default:
    forEachChunk(plan, address, [&](uint32_t to, uint32_t offset) {
      std::memcpy(shared + to, source + offset, 16);
    });
  }
}

/// A row with elements outside of the tensor, or with elements to round.
static void buildRow(const TmaPlan &plan, const Interior &interior, bool inside,
                     uint64_t address, std::byte *row) {
  // NaN fill writes 0x7ff7 to every 16-bit half, whatever the element type.
  uint16_t fill = plan.nanFill ? 0x7ff7 : 0;
  for (uint32_t i = 0; i < plan.innerBytes; i += 2)
    std::memcpy(row + i, &fill, 2);
  if (!inside)
    return;
  uint32_t bytes = interior.lastByte - interior.firstByte;
  std::memcpy(row + interior.firstByte,
              reinterpret_cast<const std::byte *>(address) + interior.firstByte,
              bytes);
  if (!plan.roundTf32)
    return;
  for (uint32_t i = interior.firstByte; i < interior.lastByte; i += 4) {
    uint32_t bits;
    std::memcpy(&bits, row + i, 4);
    bits = roundToTf32(bits);
    std::memcpy(row + i, &bits, 4);
  }
}

namespace {
/// Rows lie far apart, which no host prefetcher foresees: fetches the rows of
/// the box that come next, and, at its end, the first ones of the box that most
/// often follows, along dimension 0.
class Lookahead {
public:
  Lookahead(const TmaPlan &plan, const TmaCoordinates &coordinates)
      : rows(plan.counts[1]), bytes(plan.innerBytes),
        isFlat(plan.rows == plan.counts[1]) {
    // Far enough that memory answers in time, and little enough for the
    // second-level cache to hold when pitches are powers of two.
    uint32_t ahead = std::min(64u, rows);
    uint64_t step = plan.steps[1] * plan.strides[1];
    turn = rows - ahead;
    within = ahead * step;
    int64_t next = int64_t(coordinates[0]) + plan.innerElements;
    hasNext = next >= 0 && next < int64_t(plan.dims[0]);
    beyond = within - rows * step + plan.innerBytes;
  }
  void fetch(uint32_t row, uint64_t address) const {
    bool isWithin = (isFlat ? row : row % rows) < turn;
    if (!isWithin && !hasNext)
      return;
    address += isWithin ? within : beyond;
    for (uint32_t offset = 0; offset < bytes; offset += 64)
      __builtin_prefetch(reinterpret_cast<const void *>(address + offset), 0,
                         2);
  }

private:
  uint32_t rows, bytes, turn;
  uint64_t within, beyond;
  bool isFlat, hasNext;
};
} // namespace

void tensorLoad(const TmaPlan &plan, const TmaCoordinates &mapCoordinates,
                uint32_t destination, const SharedWindow &shared) {
  TmaCoordinates coordinates = ofPlan(plan, mapCoordinates);
  Interior interior = interiorOf(plan, coordinates);
  std::byte *origin = shared.origin();
  const Lookahead lookahead(plan, coordinates);
  bool wholeRows = interior.firstByte == 0 &&
                   interior.lastByte == plan.innerBytes && !plan.roundTf32;
  forEachRow(plan, coordinates, interior,
             [&](uint32_t row, uint64_t address, bool inside) {
               uint32_t to = destination + row * plan.pitch;
               lookahead.fetch(row, address);
               if (inside && wholeRows) {
                 writeRow(plan, origin, to,
                          reinterpret_cast<const std::byte *>(address));
                 return;
               }
               alignas(16) std::byte buffer[maxRowBytes];
               buildRow(plan, interior, inside, address, buffer);
               writeRow(plan, origin, to, buffer);
             });
}

uint64_t tensorStore(const TmaPlan &plan, const TmaCoordinates &mapCoordinates,
                     uint32_t source, const SharedWindow &shared) {
  TmaCoordinates coordinates = ofPlan(plan, mapCoordinates);
  Interior interior = writtenBy(plan, coordinates);
  const std::byte *origin = shared.origin();
  uint64_t written = 0;
  forEachRow(plan, coordinates, interior,
             [&](uint32_t row, uint64_t address, bool inside) {
               if (!inside)
                 return;
               std::byte *to = reinterpret_cast<std::byte *>(address);
               uint32_t from = source + row * plan.pitch;
               forEachChunk(plan, from, [&](uint32_t at, uint32_t offset) {
                 if (offset >= interior.lastByte)
                   return;
                 std::memcpy(to + offset, origin + at, 16);
                 written += 16;
               });
             });
  return written;
}

uint64_t tensorReduce(const TmaPlan &plan, const TmaCoordinates &mapCoordinates,
                      uint32_t source, const SharedWindow &shared,
                      const Reduction &reduction) {
  TmaCoordinates coordinates = ofPlan(plan, mapCoordinates);
  Interior interior = writtenBy(plan, coordinates);
  const std::byte *origin = shared.origin();
  uint64_t written = 0;
  forEachRow(plan, coordinates, interior,
             [&](uint32_t row, uint64_t address, bool inside) {
               if (!inside)
                 return;
               std::byte *to = reinterpret_cast<std::byte *>(address);
               uint32_t from = source + row * plan.pitch;
               forEachChunk(plan, from, [&](uint32_t at, uint32_t offset) {
                 if (offset >= interior.lastByte)
                   return;
                 reduction.apply(to + offset, origin + at, 16);
                 written += 16;
               });
             });
  return written;
}

} // namespace bwgemm::emulator

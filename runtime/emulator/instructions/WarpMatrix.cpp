//===- WarpMatrix.cpp - What warp-level matrix families share ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instructions/WarpMatrix.h"

#include "machine/Cta.h"
#include "machine/Grid.h"
#include "machine/Observer.h"

namespace bwgemm::emulator {

/// The addresses of all lanes, whatever lanes count.
static void laneAddresses(const Warp &w, const Operand &operand,
                          uint64_t *addresses) {
  if (operand.base != Base::Register) {
    for (unsigned l = 0; l < warpSize; ++l)
      addresses[l] = w.address(operand, l);
  } else if (operand.width == 64) {
    const uint64_t *base = w.in<uint64_t>(operand);
    for (unsigned l = 0; l < warpSize; ++l)
      addresses[l] = base[l] + uint64_t(operand.offset);
  } else {
    const uint32_t *base = w.in<uint32_t>(operand);
    for (unsigned l = 0; l < warpSize; ++l)
      addresses[l] = uint32_t(base[l] + uint32_t(operand.offset));
  }
}

/// The common case: everything lies in the CTA's own shared memory, or in one
/// allocation. False if it does not, and nothing is known.
static bool locateTogether(Warp &w, Space space, const uint64_t *addresses,
                           LaneMask lanes, uint32_t bytes, LanePlaces places) {
  uint64_t low = ~uint64_t(0), high = 0, all = 0;
  for (LaneMask rest = lanes; rest; rest &= rest - 1) {
    uint64_t address = addresses[__builtin_ctz(rest)];
    low = address < low ? address : low;
    high = address > high ? address : high;
    all |= address;
  }
  if (all & (bytes - 1))
    return false;
  uint64_t base = low;
  if (space == Space::Generic) {
    GenericAddress first = splitGeneric(low), last = splitGeneric(high);
    if (first.space != last.space)
      return false;
    space = first.space;
    base = first.offset;
  }
  uint64_t span = high - low + bytes;
  std::byte *host = nullptr;
  if (space == Space::Shared || space == Space::SharedCluster) {
    if (base >> clusterRankShift != w.cta().rank())
      return false;
    host = w.cta().sharedAt(base & clusterOffsetMask, span);
  } else if (space == Space::Global || space == Space::Const) {
    if (w.allocations().contains(w.grid().memory, base, span))
      host = reinterpret_cast<std::byte *>(base);
  }
  if (!host)
    return false;
  for (LaneMask rest = lanes; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    places[l] = host + (addresses[l] - low);
  }
  return true;
}

bool locateLanes(Warp &w, const Instruction &i, const Operand &operand,
                 Space space, LaneMask lanes, uint32_t bytes, const char *what,
                 LanePlaces places) {
  uint64_t addresses[warpSize];
  laneAddresses(w, operand, addresses);
  if (locateTogether(w, space, addresses, lanes, bytes, places))
    return true;
  for (LaneMask rest = lanes; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    places[l] = w.access(i, space, addresses[l], bytes, bytes, l, what);
    if (!places[l])
      return false;
  }
  return true;
}

void observeLanes(Warp &w, const Instruction &i, const Operand &operand,
                  Space space, LaneMask lanes, uint32_t bytes, bool isWrite) {
  Observer *observer = w.observer();
  if (!observer)
    return;
  for (LaneMask rest = lanes; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    observer->access(w, i, l, space, w.address(operand, l), bytes, isWrite);
  }
}

bool allThreads(Warp &w, const Instruction &i, LaneMask mask, Step &step) {
  if (mask == allLanes)
    return true;
  if (!w.converged(allLanes)) {
    step = w.blockForConvergence(allLanes);
    return false;
  }
  step = w.trap(i, unsigned(__builtin_ctz(mask)),
                "this .sync.aligned instruction must be executed by all 32 "
                "threads of the warp, none of which may have exited");
  return false;
}

/// Makes the register appended last a vector of one.
static bool wrapLast(Decode &decode) {
  auto *element = decode.newData<Operand>();
  *element = decode.last();
  decode.last() = Operand();
  decode.last().kind = Operand::Kind::Vector;
  decode.last().count = 1;
  decode.last().elements = element;
  return true;
}

bool fragmentDestination(Decode &decode, size_t index, Type type,
                         unsigned count) {
  if (count == 1 && !decode.isVector(index))
    return decode.destination(index, type) && wrapLast(decode);
  return decode.vectorDestination(index, type, count);
}

bool fragmentSource(Decode &decode, size_t index, Type type, unsigned count) {
  if (count == 1 && !decode.isVector(index))
    return decode.sourceOperand(index, type) && wrapLast(decode);
  return decode.vectorSource(index, type, count);
}

bool takeSync(Decode &decode) {
  bool sync = decode.take("sync"), aligned = decode.take("aligned");
  return (sync && aligned) ||
         decode.error("expected .sync.aligned in '" + decode.mnemonic() + "'");
}

unsigned archNumber(std::string_view arch) {
  if (arch.substr(0, 3) != "sm_")
    return 0;
  unsigned number = 0;
  for (char c : arch.substr(3)) {
    if (c < '0' || c > '9')
      break;
    number = number * 10 + unsigned(c - '0');
  }
  return number;
}

bool requireTarget(Decode &decode, unsigned least, std::string_view what) {
  if (archNumber(decode.kernel.target) >= least)
    return true;
  return decode.error(std::string(what) + " needs .target sm_" +
                      std::to_string(least) + " or later, got " +
                      decode.kernel.target);
}

bool requireSpecificTarget(Decode &decode,
                           std::initializer_list<unsigned> numbers,
                           std::string_view what) {
  const std::string &target = decode.kernel.target;
  bool specific =
      !target.empty() && (target.back() == 'a' || target.back() == 'f');
  std::string list;
  for (unsigned number : numbers) {
    if (specific && archNumber(target) == number)
      return true;
    list += (list.empty() ? "sm_" : ", sm_") + std::to_string(number) + "a";
  }
  return decode.error(std::string(what) + " needs .target " + list +
                      " or their family, got " + target);
}

} // namespace bwgemm::emulator

//===- LoadStore.cpp - ld, ldu, st ------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, data movement: ld and st in every state space, with vectors. Cache
// hints change nothing; .volatile, .relaxed, .acquire and .release are as
// strong as the host's memory, and a load with one of them may be polling.
//
//===----------------------------------------------------------------------===//

#include "instructions/Arithmetic.h"
#include "instructions/Lanes.h"
#include "machine/Cta.h"
#include "machine/Grid.h"
#include "machine/Observer.h"

#include <cstring>

namespace bwgemm::emulator {

namespace {

/// Decoded into Instruction::extra and flags.
struct Access {
  Space space;
  uint8_t elementBytes; ///< 1, 2, 4, 8, 16.
  uint8_t count;        ///< Vector elements.
  bool isSignExtended;
  bool mayPoll;
};

Access accessOf(const Instruction &i) {
  return {Space(i.extra & 0xFF), uint8_t(i.extra >> 8), uint8_t(i.extra >> 16),
          (i.flags & 1) != 0, (i.flags & 2) != 0};
}

/// Host addresses of the lanes' accesses, `bytes` long each.
struct Places {
  std::byte *lanes[warpSize];
  /// If all lanes execute and the accesses follow each other without a gap,
  /// the first of them; else null.
  std::byte *block = nullptr;
  uint32_t bytes = 0; ///< From one access of the block to the next.
};

} // namespace

/// True if all lanes have one value (`step` = 0), or one that grows by `step`
/// from lane to lane.
template <class T>
static BWGEMM_LANE_LOOP bool growsBy(const T *lanes, T step) {
  T difference = 0;
  for (unsigned l = 0; l < warpSize; ++l)
    difference |= lanes[l] ^ T(lanes[0] + T(l) * step);
  return difference == 0;
}

/// The memory behind `length` bytes at `address` if they lie in this CTA's
/// shared memory or in one allocation, else null.
static std::byte *locateBlock(Warp &w, Space space, uint64_t address,
                              uint64_t length, bool &isGlobal) {
  if (space == Space::Generic) {
    GenericAddress first = splitGeneric(address);
    if (splitGeneric(address + length - 1).space != first.space)
      return nullptr;
    space = first.space;
    address = first.offset;
  }
  isGlobal = space != Space::Shared && space != Space::SharedCluster;
  if (space == Space::Local)
    return nullptr;
  if (isGlobal)
    return w.allocations().contains(w.grid().memory, address, length)
               ? reinterpret_cast<std::byte *>(address)
               : nullptr;
  if (address >> clusterRankShift != w.cta().rank())
    return nullptr;
  return w.cta().sharedAt(address & clusterOffsetMask, length);
}

/// The most common cases, of which one check serves the whole warp: one
/// address, and addresses side by side. False for anything else.
static BWGEMM_LANE_LOOP bool locateTogether(Warp &w, const Instruction &i,
                                            Space space, uint32_t bytes,
                                            Places &places, bool &isGlobal) {
  const Operand &operand = i.operands[0];
  bool isSame = false;
  switch (operand.base) {
  case Base::Register:
    if (operand.width == 64) {
      const uint64_t *lanes = w.in<uint64_t>(operand);
      isSame = lanes[0] == lanes[1];
      if (!growsBy<uint64_t>(lanes, isSame ? 0 : bytes))
        return false;
    } else {
      const uint32_t *lanes = w.in<uint32_t>(operand);
      isSame = lanes[0] == lanes[1];
      if (!growsBy<uint32_t>(lanes, isSame ? 0 : bytes))
        return false;
    }
    break;
  case Base::Absolute:
  case Base::Shared:
  case Base::Param:
    isSame = true;
    break;
  default: // Local memory is each thread's own.
    return false;
  }
  uint64_t address = w.address(operand, 0);
  if (address & (bytes - 1))
    return false;
  uint64_t length = isSame ? bytes : uint64_t(bytes) * warpSize;
  std::byte *block = locateBlock(w, space, address, length, isGlobal);
  if (!block)
    return false;
  uint64_t step = isSame ? 0 : bytes;
  for (unsigned l = 0; l < warpSize; ++l)
    places.lanes[l] = block + l * step;
  if (!isSame) {
    places.block = block;
    places.bytes = bytes;
  }
  return true;
}

/// Translates the address of every lane. The common case, all lanes in one
/// allocation or in the CTA's shared memory, is checked with the lowest and
/// the highest address. False after a trap.
static BWGEMM_LANE_LOOP bool locate(Warp &w, const Instruction &i,
                                    LaneMask mask, Space space, uint32_t bytes,
                                    Places &places, bool &isGlobal,
                                    const char *what) {
  if (mask == allLanes && locateTogether(w, i, space, bytes, places, isGlobal))
    return true;
  const Operand &operand = i.operands[0];
  uint64_t address[warpSize];
  if (operand.base == Base::Register || operand.base == Base::Frame) {
    if (operand.width == 64) {
      const uint64_t *base = w.in<uint64_t>(operand);
      for (unsigned l = 0; l < warpSize; ++l)
        address[l] = base[l] + uint64_t(operand.offset);
    } else {
      const uint32_t *base = w.in<uint32_t>(operand);
      for (unsigned l = 0; l < warpSize; ++l)
        address[l] = uint32_t(base[l] + uint32_t(operand.offset));
    }
  } else {
    uint64_t one = w.address(operand, 0);
    for (unsigned l = 0; l < warpSize; ++l)
      address[l] = one;
  }
  uint64_t low = ~uint64_t(0), high = 0, all = 0;
  bool isNear = mask == allLanes;
  if (isNear) {
    // Distances from the first address, which vectors hold in 32 bits.
    int32_t least = 0, most = 0;
    uint64_t lost = 0;
    for (unsigned l = 0; l < warpSize; ++l) {
      int64_t distance = int64_t(address[l] - address[0]);
      int32_t narrow = int32_t(distance);
      lost |= uint64_t(distance) ^ uint64_t(int64_t(narrow));
      least = narrow < least ? narrow : least;
      most = narrow > most ? narrow : most;
      all |= address[l];
    }
    low = address[0] + uint64_t(int64_t(least));
    high = address[0] + uint64_t(int64_t(most));
    // Near the ends of the address space, or across them, order them singly.
    isNear = lost == 0 && low <= address[0] && high >= address[0];
  }
  if (!isNear) {
    low = ~uint64_t(0), high = 0;
    for (LaneMask rest = mask; rest; rest &= rest - 1) {
      uint64_t a = address[__builtin_ctz(rest)];
      low = a < low ? a : low;
      high = a > high ? a : high;
      all |= a;
    }
  }
  isGlobal = true;
  Space resolved = space;
  uint64_t delta = 0;
  if (space == Space::Generic) {
    GenericAddress first = splitGeneric(low), last = splitGeneric(high);
    if (first.space == last.space) {
      resolved = first.space;
      delta = low - first.offset;
    }
  }
  bool aligned = (all & (bytes - 1)) == 0;
  if (aligned) {
    if (resolved == Space::Shared || resolved == Space::SharedCluster) {
      isGlobal = false;
      uint64_t lowOffset = low - delta, highOffset = high - delta;
      uint64_t rank = lowOffset >> clusterRankShift;
      Cta *owner = rank == w.cta().rank() ? &w.cta()
                   : resolved == Space::SharedCluster
                       ? w.cluster().cta(unsigned(rank))
                       : nullptr;
      if (owner && highOffset >> clusterRankShift == rank) {
        uint64_t from = lowOffset & clusterOffsetMask;
        uint64_t length = high - low + bytes;
        if (std::byte *place = owner->sharedAt(from, length)) {
          for (LaneMask rest = mask; rest; rest &= rest - 1) {
            unsigned l = static_cast<unsigned>(__builtin_ctz(rest));
            places.lanes[l] = place + (address[l] - low);
          }
          return true;
        }
      }
    } else if (resolved != Space::Local && resolved != Space::Generic) {
      if (w.allocations().contains(w.grid().memory, low, high - low + bytes)) {
        for (unsigned l = 0; l < warpSize; ++l)
          places.lanes[l] = reinterpret_cast<std::byte *>(address[l]);
        return true;
      }
    }
  }
  // Lane by lane: mixed spaces, several allocations, or a trap to report.
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(rest));
    places.lanes[l] = w.access(i, space, address[l], bytes, bytes, l, what);
    if (!places.lanes[l])
      return false;
  }
  isGlobal = resolved != Space::Shared && resolved != Space::SharedCluster &&
             resolved != Space::Local;
  return true;
}

static void observe(Warp &w, const Instruction &i, LaneMask mask, Space space,
                    uint32_t bytes, bool isWrite) {
  Observer *observer = w.observer();
  if (!observer)
    return;
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(rest));
    observer->access(w, i, l, space, w.address(i.operands[0], l), bytes,
                     isWrite);
  }
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// One element of all lanes from memory to a register. `Memory` is the type
/// in memory; signed ones are extended to the register.
template <class Memory, class Register>
static void loadElement(Register *d, const Places &places, size_t offset,
                        LaneMask mask, uint32_t keep) {
  if (places.block && places.bytes == sizeof(Memory)) {
    const std::byte *block = places.block;
    for (unsigned l = 0; l < warpSize; ++l) {
      Memory value;
      std::memcpy(&value, block + l * sizeof(Memory), sizeof(Memory));
      if constexpr (sizeof(Register) == 4)
        d[l] = Register(value) & keep;
      else
        d[l] = Register(value);
    }
    return;
  }
  forLanes(mask, [&](unsigned l) {
    Memory value;
    std::memcpy(&value, places.lanes[l] + offset, sizeof(Memory));
    if constexpr (sizeof(Register) == 4)
      d[l] = Register(value) & keep;
    else
      d[l] = Register(value);
  });
}

template <class Memory>
static void loadInto(Warp &w, const Operand &d, const Places &places,
                     size_t offset, LaneMask mask) {
  if (d.isSink())
    return;
  if (d.width == 64)
    loadElement<Memory>(w.out<uint64_t>(d), places, offset, mask, 0);
  else
    loadElement<Memory>(w.out<uint32_t>(d), places, offset, mask,
                        d.width == 16 ? 0xFFFFu : 0xFFFFFFFFu);
}

static void load128(Warp &w, const Operand &d, const Places &places,
                    size_t offset, LaneMask mask) {
  if (d.isSink())
    return;
  uint64_t *out = w.out<uint64_t>(d);
  forLanes(mask, [&](unsigned l) {
    std::memcpy(&out[l], places.lanes[l] + offset, 8);
    std::memcpy(&out[warpSize + l], places.lanes[l] + offset + 8, 8);
  });
}

static void loadOne(Warp &w, const Operand &d, const Access &access,
                    const Places &places, size_t offset, LaneMask mask) {
  switch (access.elementBytes) {
  case 1:
    return access.isSignExtended
               ? loadInto<int8_t>(w, d, places, offset, mask)
               : loadInto<uint8_t>(w, d, places, offset, mask);
  case 2:
    return access.isSignExtended
               ? loadInto<int16_t>(w, d, places, offset, mask)
               : loadInto<uint16_t>(w, d, places, offset, mask);
  case 4:
    return access.isSignExtended
               ? loadInto<int32_t>(w, d, places, offset, mask)
               : loadInto<uint32_t>(w, d, places, offset, mask);
  case 8:
    return loadInto<uint64_t>(w, d, places, offset, mask);
  default:
    return load128(w, d, places, offset, mask);
  }
}

/// Operands: address, destination (a register or a vector).
static BWGEMM_LANE_LOOP Step load(Warp &w, const Instruction &i,
                                  LaneMask mask) {
  const Access access = accessOf(i);
  const uint32_t bytes = uint32_t(access.elementBytes) * access.count;
  Places places;
  bool isGlobal;
  if (!locate(w, i, mask, access.space, bytes, places, isGlobal, "read"))
    return Step::Fault;
  observe(w, i, mask, access.space, bytes, false);
  const Operand &d = i.operands[1];
  if (d.kind != Operand::Kind::Vector) {
    loadOne(w, d, access, places, 0, mask);
  } else if (d.count == 1) {
    loadOne(w, d.elements[0], access, places, 0, mask);
  } else {
    // The destination may hold the addresses; they are translated already.
    for (unsigned e = 0; e < d.count; ++e)
      loadOne(w, d.elements[e], access, places, size_t(e) * access.elementBytes,
              mask);
  }
  if (isGlobal) {
    w.count(Counter::GlobalLoads);
    w.count(Counter::GlobalBytesLoaded,
            uint64_t(bytes) * unsigned(__builtin_popcount(mask)));
  } else {
    w.count(Counter::SharedLoads);
  }
  return access.mayPoll ? Step::Yield : Step::Next;
}

/// ld.param of a symbol: one address for all lanes, always there.
template <class Memory, class Register>
static Step loadParam(Warp &w, const Instruction &i, LaneMask mask) {
  Memory value;
  std::memcpy(&value,
              reinterpret_cast<const std::byte *>(
                  w.grid().paramBase + uint64_t(i.operands[0].offset)),
              sizeof(Memory));
  Register *d = w.out<Register>(i.operands[1]);
  Register wide = Register(value);
  if (i.operands[1].width == 16)
    wide &= 0xFFFF;
  forLanes(mask, [&](unsigned l) { d[l] = wide; });
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// The low parts of registers to memory.
template <class Memory, class Register>
static void storeElement(const Register *in, const Places &places,
                         size_t offset, LaneMask mask) {
  if (places.block && places.bytes == sizeof(Memory)) {
    std::byte *block = places.block;
    for (unsigned l = 0; l < warpSize; ++l) {
      Memory value = Memory(in[l]);
      std::memcpy(block + l * sizeof(Memory), &value, sizeof(Memory));
    }
    return;
  }
  forLanes(mask, [&](unsigned l) {
    Memory value = Memory(in[l]);
    std::memcpy(places.lanes[l] + offset, &value, sizeof(Memory));
  });
}

template <class Memory>
static void storeFrom(Warp &w, const Operand &a, const Places &places,
                      size_t offset, LaneMask mask) {
  if (a.width == 64)
    storeElement<Memory>(w.in<uint64_t>(a), places, offset, mask);
  else
    storeElement<Memory>(w.in<uint32_t>(a), places, offset, mask);
}

static void storeOne(Warp &w, const Operand &a, const Access &access,
                     const Places &places, size_t offset, LaneMask mask) {
  // `_` in a stored vector leaves the memory as it is.
  if (a.isSink())
    return;
  switch (access.elementBytes) {
  case 1:
    return storeFrom<uint8_t>(w, a, places, offset, mask);
  case 2:
    return storeFrom<uint16_t>(w, a, places, offset, mask);
  case 4:
    return storeFrom<uint32_t>(w, a, places, offset, mask);
  case 8:
    return storeFrom<uint64_t>(w, a, places, offset, mask);
  default: {
    const uint64_t *in = w.in<uint64_t>(a);
    forLanes(mask, [&](unsigned l) {
      std::memcpy(places.lanes[l] + offset, &in[l], 8);
      std::memcpy(places.lanes[l] + offset + 8, &in[warpSize + l], 8);
    });
  }
  }
}

/// Operands: address, source (a register, an immediate or a vector).
static BWGEMM_LANE_LOOP Step store(Warp &w, const Instruction &i,
                                   LaneMask mask) {
  const Access access = accessOf(i);
  const uint32_t bytes = uint32_t(access.elementBytes) * access.count;
  Places places;
  bool isGlobal;
  if (!locate(w, i, mask, access.space, bytes, places, isGlobal, "write"))
    return Step::Fault;
  observe(w, i, mask, access.space, bytes, true);
  const Operand &a = i.operands[1];
  if (a.kind != Operand::Kind::Vector)
    storeOne(w, a, access, places, 0, mask);
  else
    for (unsigned e = 0; e < a.count; ++e)
      storeOne(w, a.elements[e], access, places,
               size_t(e) * access.elementBytes, mask);
  w.cluster().noteWrite();
  if (isGlobal) {
    w.count(Counter::GlobalStores);
    w.count(Counter::GlobalBytesStored,
            uint64_t(bytes) * unsigned(__builtin_popcount(mask)));
  } else {
    w.count(Counter::SharedStores);
  }
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// The memory order and cache words of ld and st; true if the access is
/// strong, that is, may be polled with.
static bool takeHints(Decode &decode) {
  bool strong = decode.takeOne(
                    {"volatile", "relaxed", "acquire", "release", "mmio"}) >= 0;
  strong |= decode.take("mmio");
  decode.take("weak");
  decode.takeOne({"cta", "cluster", "gpu", "sys"});
  decode.takeOne({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  decode.take("nc");
  decode.takeAllWithPrefix("L1::");
  decode.takeAllWithPrefix("L2::");
  decode.take("unified");
  return strong;
}

static bool decodeAccess(Decode &decode, bool isLoad) {
  Space space = decode.takeSpace();
  bool strong = takeHints(decode);
  unsigned count = decode.takeVectorWidth();
  Type type;
  if (!decode.takeType(type))
    return false;
  unsigned bits = bitWidth(type);
  if (type == Type::Pred ||
      (isFloat(type) && type != Type::F32 && type != Type::F64))
    return wrongType(decode, type);
  if (bits * count > 256 || (bits * count > 128 && bits < 32))
    return decode.error("expected an access of at most 128 bits (256 with "
                        "elements of 32 bits or more), got " +
                        std::to_string(bits * count) + " in '" +
                        decode.mnemonic() + "'");
  if (!isLoad && space == Space::Const)
    return decode.error("expected a writable state space in '" +
                        decode.mnemonic() + "'");
  // A cache policy may follow.
  if (!decode.expectOperands(2, 3))
    return false;
  size_t addressAt = isLoad ? 1 : 0, valueAt = isLoad ? 0 : 1;
  if (decode.operandCount() == 3)
    decode.markUsed(2);
  if (!decode.address(addressAt, space))
    return false;
  if (space == Space::Param) {
    // Parameters of functions and arguments of calls are in local memory.
    Base base = decode.last().base;
    if (base == Base::Frame || base == Base::Local)
      space = Space::Local;
    else if (!isLoad)
      return decode.errorAt(decode.operand(addressAt).location,
                            "expected the argument of a call or the result of "
                            "a function as place of '" +
                                decode.mnemonic() + "'");
  }
  bool vector = decode.isVector(valueAt);
  // One element may stand in braces too.
  if (vector ? count == 1 && decode.operand(valueAt).elements.size() > 1
             : count > 1)
    return decode.errorAt(decode.operand(valueAt).location,
                          count > 1 ? "expected a vector of " +
                                          std::to_string(count) + " elements"
                                    : "expected a register, got a vector "
                                      "without '.v2', '.v4' or '.v8'");
  bool good =
      vector
          ? (isLoad ? decode.vectorDestination(valueAt, type, count, true, true)
                    : decode.vectorSource(valueAt, type, count, true, true))
          : (isLoad ? decode.destination(valueAt, type, true, true)
                    : decode.sourceOperand(valueAt, type, true));
  if (!good)
    return false;
  Instruction &out = decode.out;
  out.extra = uint64_t(space) | uint64_t(bits / 8) << 8 | uint64_t(count) << 16;
  out.flags = uint8_t((isSigned(type) ? 1 : 0) | (strong && isLoad ? 2 : 0));
  out.handler = isLoad ? forHost<load>() : forHost<store>();
  return true;
}

/// Replaces the general load by one for parameters, which every kernel starts
/// with, where the place is known to lie inside the buffer.
static bool specializeParam(Decode &decode) {
  Instruction &out = decode.out;
  const Operand &address = out.operands[0], &d = out.operands[1];
  if (address.base != Base::Param || d.kind != Operand::Kind::Register)
    return true;
  uint64_t bytes = out.extra >> 8 & 0xFF;
  int64_t most = int64_t(decode.kernel.info.paramBytes) - int64_t(bytes);
  if (address.offset < 0 || address.offset > most ||
      address.offset % int64_t(bytes))
    return true;
  bool isSignedLoad = out.flags & 1, wide = d.width == 64;
  switch (bytes) {
  case 1:
    out.handler =
        isSignedLoad
            ? (wide ? loadParam<int8_t, uint64_t> : loadParam<int8_t, uint32_t>)
            : (wide ? loadParam<uint8_t, uint64_t>
                    : loadParam<uint8_t, uint32_t>);
    break;
  case 2:
    out.handler = isSignedLoad ? (wide ? loadParam<int16_t, uint64_t>
                                       : loadParam<int16_t, uint32_t>)
                               : (wide ? loadParam<uint16_t, uint64_t>
                                       : loadParam<uint16_t, uint32_t>);
    break;
  case 4:
    out.handler = isSignedLoad ? (wide ? loadParam<int32_t, uint64_t>
                                       : loadParam<int32_t, uint32_t>)
                               : (wide ? loadParam<uint32_t, uint64_t>
                                       : loadParam<uint32_t, uint32_t>);
    break;
  case 8:
    out.handler = loadParam<uint64_t, uint64_t>;
    break;
  default:
    break;
  }
  return true;
}

static bool decodeLoad(Decode &decode) {
  return decodeAccess(decode, true) && specializeParam(decode);
}

static bool decodeStore(Decode &decode) { return decodeAccess(decode, false); }

void registerLoadStore(Registry &registry) {
  registry.add("ld", decodeLoad);
  registry.add("ldu", decodeLoad);
  registry.add("st", decodeStore);
}

} // namespace bwgemm::emulator

//===- Tcgen05LoadStore.cpp - tcgen05.ld, .st, .wait, .fence ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transfers between tensor memory and registers (PTX ISA, "tcgen05.ld,
// tcgen05.st, tcgen05.wait"). The register maps are in machine/TensorAccess.h.
//
// A load reads tensor memory when it is issued, so that it sees nothing of an
// mma that has not been waited for, and its registers are valid at once: the
// hardware keeps the order of a load and of what uses its registers, and
// compilers rely on it (Triton 3.9 converts them before tcgen05.wait::ld). What
// the wait is needed for, that nobody writes the cells before, is checked with
// hazards. A store lands later.
//
//===----------------------------------------------------------------------===//

#include "hazards/HazardChecker.h"
#include "instructions/Tcgen05Support.h"
#include "machine/Observer.h"
#include "machine/TensorAccess.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace bwgemm::emulator {

namespace {
/// A load that has not been waited for.
struct PendingLoad {
  const Instruction *instruction;
  TensorAddress address{0};
  uint64_t writesSeen = 0; ///< TensorMemory::writeCount when it was issued.
};

/// The transfers of a warp in flight; an extension of Warp.
struct Transfers {
  std::vector<PendingLoad> loads; ///< Kept with hazards alone.
  uint32_t stores = 0;
  AsyncQueue::Channel channel = 0;
};
} // namespace

/// In `flags` of a tcgen05.ld.red.
enum Reduction : uint8_t {
  Reduces = 1,
  TakesMax = 2,
  TakesAbsolute = 4,
  PropagatesNaN = 8,
  IsFloat = 16,
  IsSigned = 32,
};

static const TensorAccess &accessOf(const Instruction &i) {
  return *static_cast<const TensorAccess *>(i.data);
}

/// What load and store have in common before they touch a cell.
static bool begin(Warp &w, const Instruction &i, LaneMask mask,
                  const Operand &operand, TensorAddress &address, Step &step) {
  uint32_t value;
  if (!wholeWarp(w, i, mask, step))
    return false;
  step = Step::Fault;
  if (!uniformAddress(w, i, operand, mask, value))
    return false;
  address = TensorAddress(value);
  std::string trap;
  if (accessOf(i).checkAddress(address, w.id() % 4,
                               w.cta().extension<TensorMemory>(), trap))
    return true;
  step = w.trap(i, 0, trap, value);
  return false;
}

/// The lesser or greater of two values, as min and max of the type give it:
/// without .NaN a NaN gives way to a number, and -0 is less than +0.
static uint32_t reducePair(uint32_t a, uint32_t b, uint8_t flags) {
  constexpr uint32_t canonicalNaN = 0x7fffffff;
  bool wantsMax = flags & TakesMax;
  if (flags & IsSigned)
    return (int32_t(a) < int32_t(b)) == wantsMax ? b : a;
  if (!(flags & IsFloat))
    return (a < b) == wantsMax ? b : a;
  auto isNaN = [](uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; };
  if (isNaN(a) || isNaN(b)) {
    if ((flags & PropagatesNaN) || (isNaN(a) && isNaN(b)))
      return canonicalNaN;
    return isNaN(a) ? b : a;
  }
  // In this order all numbers compare as unsigned integers.
  auto key = [](uint32_t bits) {
    return bits & 0x80000000 ? ~bits : bits | 0x80000000;
  };
  return (key(a) < key(b)) == wantsMax ? b : a;
}

/// The result of tcgen05.ld.red for each lane, behind the registers' values.
static void reduce(std::vector<uint32_t> &values, unsigned registers,
                   uint8_t flags) {
  uint32_t magnitude = flags & TakesAbsolute ? 0x7fffffff : 0xffffffff;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    uint32_t result = values[lane] & magnitude;
    for (unsigned r = 1; r < registers; ++r)
      result = reducePair(result, values[32 * r + lane] & magnitude, flags);
    values[32 * registers + lane] = result;
  }
}

/// What a transfer touches.
static std::vector<TensorRange> rangesOf(const TensorAccess &access,
                                         const TensorAddress &address) {
  uint16_t groups = laneGroupRange(address.lane, access.lanes());
  if (access.shape != TensorShape::S16x32bx2)
    return {{address.column, access.columns(), groups}};
  uint32_t half = access.columns() - access.splitOffset;
  return {{address.column, half, groups},
          {address.column + access.splitOffset, half, groups}};
}

/// Operands: registers, address, and of tcgen05.ld.red the result.
static Step load(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  TensorAddress address{0};
  if (!begin(w, i, mask, i.operands[1], address, step))
    return step;
  const TensorAccess &access = accessOf(i);
  TensorMemory &tensor = w.cta().extension<TensorMemory>();
  // Register r of lane t at 32 * r + t; behind them the result of ld.red.
  static thread_local std::vector<uint32_t> values;
  values.resize(32 * (TensorAccess::maxRegisters + 1));
  access.load(tensor, address, values.data());
  if (i.flags & Reduces)
    reduce(values, access.registers(), i.flags);
  if (HazardChecker *checker = hazardsOf(w.grid())) {
    checker->tensorRead(w.cta(), address.column, access.columns(),
                        Scene(w, i, 0));
    orderingOf(w.cluster())
        ->tensorTransfer(Scene(w, i, 0), rangesOf(access, address), false);
  }
  // A column of which no lane was ever written holds no result at all; single
  // lanes may lie in the gaps that an accumulator with M = 64 leaves.
  if (w.grid().options.hazards) {
    w.extension<Transfers>().loads.push_back(
        {&i, address, tensor.writeCount()});
    std::string text;
    TensorMemory::LaneSet lanes =
        TensorMemory::LaneSet::range(address.lane, access.lanes());
    for (uint32_t c = 0; c < access.columns(); ++c) {
      const TensorMemory::LaneSet &written =
          tensor.writtenLanes(address.column + c);
      if ((written.low & lanes.low) == 0 && (written.high & lanes.high) == 0) {
        Scene(w, i, 0).hazard(
            "uninitialised tensor memory: column " +
            std::to_string(address.column + c) + " is read in lanes " +
            std::to_string(address.lane) + " to " +
            std::to_string(address.lane + access.lanes() - 1) +
            " and was never written there");
        break;
      }
    }
  }
  const Operand &registers = i.operands[0];
  for (unsigned r = 0; r < registers.count; ++r)
    if (!registers.elements[r].isSink())
      std::memcpy(w.out<uint32_t>(registers.elements[r]),
                  values.data() + 32 * r, 128);
  if ((i.flags & Reduces) && !i.operands[2].isSink())
    std::memcpy(w.out<uint32_t>(i.operands[2]),
                values.data() + 32 * registers.count, 128);
  w.count(Counter::TmemLoads);
  return Step::Next;
}

/// Operands: address, registers.
static Step store(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  TensorAddress address{0};
  if (!begin(w, i, mask, i.operands[0], address, step))
    return step;
  const Operand &registers = i.operands[1];
  auto values = std::make_shared<std::vector<uint32_t>>(32 * registers.count);
  for (unsigned r = 0; r < registers.count; ++r)
    std::memcpy(values->data() + 32 * r, w.in<uint32_t>(registers.elements[r]),
                128);
  Transfers *transfers = &w.extension<Transfers>();
  if (transfers->channel == 0)
    transfers->channel = w.cluster().async.newChannel();
  ++transfers->stores;
  if (Ordering *ordering = orderingOf(w.cluster()))
    ordering->tensorTransfer(Scene(w, i, 0), rangesOf(accessOf(i), address),
                             true);
  Cta *cta = &w.cta();
  const TensorAccess *access = &accessOf(i);
  cta->cluster().async.issue(transfers->channel, "tensor memory store", i.line,
                             [cta, access, address, values, transfers] {
                               access->store(cta->extension<TensorMemory>(),
                                             address, values->data());
                               --transfers->stores;
                               cta->cluster().signal();
                               return true;
                             });
  w.count(Counter::TmemStores);
  return Step::Next;
}

static Step waitLoads(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  if (!wholeWarp(w, i, mask, step))
    return step;
  Transfers &transfers = w.extension<Transfers>();
  TensorMemory &tensor = w.cta().extension<TensorMemory>();
  for (const PendingLoad &load : transfers.loads)
    if (tensor.writtenSince(load.address.column,
                            accessOf(*load.instruction).columns(),
                            load.writesSeen))
      Scene(w, *load.instruction, 0)
          .hazard("tensor memory that this tcgen05.ld reads was written "
                  "between it and its tcgen05.wait::ld: the mma that writes it "
                  "must come later, or must have been waited for before");
  transfers.loads.clear();
  if (Ordering *ordering = orderingOf(w.cluster()))
    ordering->tensorWait(w, false);
  return Step::Next;
}

void reportUnwaitedLoads(Cta &cta) {
  for (auto &warp : cta.warps()) {
    Transfers &transfers = warp->extension<Transfers>();
    if (!transfers.loads.empty())
      Scene(*warp, *transfers.loads[0].instruction, 0)
          .hazard("the warp exits without a tcgen05.wait::ld after this "
                  "tcgen05.ld");
  }
}

static std::string describeStores(const Warp &, const Wait &wait) {
  return std::to_string(wait.a) + " stores to tensor memory";
}

static Step waitStores(Warp &w, const Instruction &i, LaneMask mask) {
  Step step;
  if (!wholeWarp(w, i, mask, step))
    return step;
  Transfers &transfers = w.extension<Transfers>();
  if (transfers.stores == 0) {
    if (Ordering *ordering = orderingOf(w.cluster()))
      ordering->tensorWait(w, true);
    return Step::Next;
  }
  Wait wait;
  wait.describe = describeStores;
  wait.a = transfers.stores;
  return w.block(wait);
}

/// Orders code and nothing else; the hazard checker wants to know.
static Step fence(Warp &w, const Instruction &i, LaneMask mask) {
  if (Observer *observer = w.observer())
    observer->fence(w, i, mask);
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// Takes shape, repeat, packing and type (unless that is empty) into a
/// TensorAccess; `isLoad` decides on the name of the packing.
static TensorAccess *takeAccess(Decode &decode, bool isLoad,
                                std::string_view type = "b32") {
  if (!checkTcgen05Target(decode) || !takeSyncAligned(decode))
    return nullptr;
  TensorAccess *access = decode.newData<TensorAccess>();
  int shape =
      decode.takeOne({"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"});
  int repeat =
      decode.takeOne({"x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128"});
  if (shape < 0 || repeat < 0) {
    decode.error("expected a shape (.32x32b, .16x64b, .16x128b, .16x256b or "
                 ".16x32bx2) and a repeat from .x1 to .x128");
    return nullptr;
  }
  access->shape = TensorShape(shape);
  access->repeat = 1u << repeat;
  access->packed = decode.take(isLoad ? "pack::16b" : "unpack::16b");
  if (!type.empty() && !decode.take(type)) {
    decode.error("expected type " + std::string(type));
    return nullptr;
  }
  std::string error;
  if (!access->check(error)) {
    decode.error(error);
    return nullptr;
  }
  decode.out.data = access;
  return access;
}

/// The immediate of .16x32bx2: the columns from the first half to the second.
static bool splitOffset(Decode &decode, size_t index, TensorAccess &access) {
  int64_t value = 0;
  if (!decode.immediate(index, value))
    return false;
  if (value < 0 || value >= int64_t(TensorMemory::columns))
    return decode.error("expected a split offset of 0 to 511, got " +
                        std::to_string(value));
  access.splitOffset = uint32_t(value);
  return true;
}

static bool decodeLoad(Decode &decode) {
  TensorAccess *access = takeAccess(decode, true);
  if (!access)
    return false;
  bool split = access->shape == TensorShape::S16x32bx2;
  size_t count = split ? 3 : 2;
  if (!decode.expectOperands(count, count) ||
      !decode.vectorDestination(0, Type::B32, access->registers(), true) ||
      !decode.address(1, Space::Generic) ||
      (split && !splitOffset(decode, 2, *access)))
    return false;
  decode.out.handler = load;
  return true;
}

/// Targets that have tcgen05.ld.red: those that the assembler accepts.
static bool checkReductionTarget(Decode &decode) {
  std::string_view target = decode.kernel.target;
  for (std::string_view known : {"sm_101", "sm_103", "sm_110"})
    if (target.substr(0, known.size()) == known)
      return true;
  return decode.error("tcgen05.ld.red needs .target sm_101a, sm_103a, sm_110a "
                      "or the like, got " +
                      decode.kernel.target);
}

static bool decodeReducingLoad(Decode &decode) {
  if (!checkTcgen05Target(decode) || !checkReductionTarget(decode))
    return false;
  int operation = decode.takeOne({"min", "max"});
  int type = decode.takeOne({"u32", "s32", "f32"});
  if (operation < 0 || type < 0)
    return decode.error("expected .min or .max, and .u32, .s32 or .f32");
  uint8_t flags = Reduces;
  if (operation == 1)
    flags |= TakesMax;
  if (type == 1)
    flags |= IsSigned;
  if (type == 2) {
    flags |= IsFloat;
    if (decode.take("abs"))
      flags |= TakesAbsolute;
    if (decode.take("NaN"))
      flags |= PropagatesNaN;
  }
  TensorAccess *access = takeAccess(decode, true, "");
  if (!access)
    return false;
  bool split = access->shape == TensorShape::S16x32bx2;
  if ((!split && access->shape != TensorShape::S32x32b) || access->repeat == 1)
    return decode.error("tcgen05.ld.red has the shapes .32x32b and .16x32bx2, "
                        "from .x2 to .x128");
  size_t count = split ? 4 : 3;
  Type registerType = type == 2 ? Type::F32 : type == 1 ? Type::S32 : Type::U32;
  if (!decode.expectOperands(count, count) ||
      !decode.vectorDestination(0, registerType, access->registers(), true) ||
      !decode.address(2, Space::Generic) ||
      !decode.destination(1, registerType, true) ||
      (split && !splitOffset(decode, 3, *access)))
    return false;
  decode.out.flags = flags;
  decode.out.handler = load;
  return true;
}

static bool decodeStore(Decode &decode) {
  TensorAccess *access = takeAccess(decode, false);
  if (!access)
    return false;
  bool split = access->shape == TensorShape::S16x32bx2;
  size_t count = split ? 3 : 2;
  if (!decode.expectOperands(count, count) ||
      !decode.address(0, Space::Generic) ||
      (split && !splitOffset(decode, 1, *access)) ||
      !decode.vectorSource(count - 1, Type::B32, access->registers()))
    return false;
  decode.out.handler = store;
  return true;
}

static bool decodeWait(Decode &decode, Handler handler) {
  if (!checkTcgen05Target(decode) || !takeSyncAligned(decode) ||
      !decode.expectOperands(0, 0))
    return false;
  decode.out.handler = handler;
  return true;
}

static bool decodeWaitLoads(Decode &decode) {
  return decodeWait(decode, waitLoads);
}
static bool decodeWaitStores(Decode &decode) {
  return decodeWait(decode, waitStores);
}

static bool decodeFence(Decode &decode) {
  if (!checkTcgen05Target(decode) || !decode.expectOperands(0, 0))
    return false;
  decode.out.handler = fence;
  return true;
}

void registerTcgen05LoadStore(Registry &registry) {
  registry.add("tcgen05.ld", decodeLoad);
  registry.add("tcgen05.ld.red", decodeReducingLoad);
  registry.add("tcgen05.st", decodeStore);
  registry.add("tcgen05.wait::ld", decodeWaitLoads);
  registry.add("tcgen05.wait::st", decodeWaitStores);
  registry.add("tcgen05.fence::before_thread_sync", decodeFence);
  registry.add("tcgen05.fence::after_thread_sync", decodeFence);
}

} // namespace bwgemm::emulator

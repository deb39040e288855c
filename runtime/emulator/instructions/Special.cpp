//===- Special.cpp - Special registers and kernel-wide hints ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// %tid and its kin (PTX ISA chapter 10), addresses of variables, and
// instructions that have no effect on a result: prefetch and its kin.
//
//===----------------------------------------------------------------------===//

#include "instructions/Special.h"

#include "instructions/Lanes.h"
#include "instructions/Registry.h"
#include "machine/Cta.h"
#include "machine/Grid.h"

#include <chrono>

namespace bwgemm::emulator {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// What %nsmid says: the SMs of the device that the option `arch` names, an
/// H200 or a B200.
static uint32_t smCount(const Warp &w) {
  return w.grid().options.arch.compare(0, 5, "sm_90") == 0 ? 132 : 148;
}

static uint64_t linear(Dim3 at, Dim3 extent) {
  return at.x + uint64_t(extent.x) * (at.y + uint64_t(extent.y) * at.z);
}

static Dim3 indexInCluster(const Cta &cta) {
  const Dim3 &c = cta.grid().config.cluster;
  Dim3 at = cta.index();
  return {at.x % c.x, at.y % c.y, at.z % c.z};
}

template <unsigned axis> static uint32_t component(Dim3 dim) {
  return axis == 0 ? dim.x : axis == 1 ? dim.y : dim.z;
}

static uint64_t nanoseconds() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::system_clock::now().time_since_epoch())
          .count());
}

/// The host's nanoseconds: a clock that never runs backwards and moves with
/// the work done, which is all that a program may expect of %clock.
static uint64_t cycles() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

using UniformValue = uint64_t (*)(const Warp &warp);

/// A value that all lanes share.
template <UniformValue value>
static Step uniform(Warp &w, const Instruction &i, LaneMask mask) {
  uint64_t v = value(w);
  const Operand &d = i.operands[0];
  if (d.width == 64)
    forLanes(mask, [p = w.out<uint64_t>(d), v](unsigned l) { p[l] = v; });
  else
    forLanes(mask, [p = w.out<uint32_t>(d), v = uint32_t(v)](unsigned l) {
      p[l] = v;
    });
  return Step::Next;
}

template <unsigned axis>
static Step tid(Warp &w, const Instruction &i, LaneMask mask) {
  const Dim3 &block = w.grid().config.block;
  uint32_t first = w.id() * warpSize;
  return setLanes(w, i.operands[0], mask, [&](unsigned lane) -> uint64_t {
    uint32_t thread = first + lane;
    if (axis == 0)
      return thread % block.x;
    if (axis == 1)
      return thread / block.x % block.y;
    return thread / block.x / block.y;
  });
}

static Step laneid(Warp &w, const Instruction &i, LaneMask mask) {
  return setLanes(w, i.operands[0], mask,
                  [](unsigned lane) { return uint64_t(lane); });
}

/// %lanemask_eq, le, lt, ge, gt by `kind` 0 to 4.
template <unsigned kind>
static Step lanemask(Warp &w, const Instruction &i, LaneMask mask) {
  return setLanes(w, i.operands[0], mask, [](unsigned lane) -> uint64_t {
    uint32_t equal = 1u << lane, below = equal - 1;
    switch (kind) {
    case 0:
      return equal;
    case 1:
      return equal | below;
    case 2:
      return below;
    case 3:
      return ~below;
    default:
      return ~(equal | below);
    }
  });
}

template <unsigned axis> static uint64_t ntid(const Warp &w) {
  return component<axis>(w.grid().config.block);
}
template <unsigned axis> static uint64_t ctaid(const Warp &w) {
  return component<axis>(w.cta().index());
}
template <unsigned axis> static uint64_t nctaid(const Warp &w) {
  return component<axis>(w.grid().config.grid);
}
template <unsigned axis> static uint64_t clusterid(const Warp &w) {
  return component<axis>(w.cluster().index());
}
template <unsigned axis> static uint64_t nclusterid(const Warp &w) {
  return component<axis>(w.grid().clusterCount());
}
template <unsigned axis> static uint64_t clusterCtaid(const Warp &w) {
  return component<axis>(indexInCluster(w.cta()));
}
template <unsigned axis> static uint64_t clusterNctaid(const Warp &w) {
  return component<axis>(w.grid().config.cluster);
}
static uint64_t clusterCtarank(const Warp &w) { return w.cta().rank(); }
static uint64_t clusterNctarank(const Warp &w) {
  return w.grid().config.cluster.count();
}
static uint64_t isExplicitCluster(const Warp &w) {
  const Grid &grid = w.grid();
  return grid.kernel.info.explicitCluster || grid.kernel.info.reqCluster ||
         grid.config.cluster.count() > 1;
}
static uint64_t warpid(const Warp &w) { return w.id(); }
static uint64_t nwarpid(const Warp &) { return 64; }
static uint64_t smid(const Warp &w) {
  return linear(w.cta().index(), w.grid().config.grid) % smCount(w);
}
static uint64_t nsmid(const Warp &w) { return smCount(w); }
static uint64_t gridid(const Warp &) { return 1; }
static uint64_t clock64(const Warp &) { return cycles(); }
static uint64_t clockHigh(const Warp &) { return cycles() >> 32; }
static uint64_t globaltimer(const Warp &) { return nanoseconds(); }
static uint64_t globaltimerHigh(const Warp &) { return nanoseconds() >> 32; }
static uint64_t dynamicSharedSize(const Warp &w) {
  return w.grid().config.dynamicSharedBytes;
}
/// What the kernel asked for, in units of 128 bytes (measured on an H200).
static uint64_t totalSharedSize(const Warp &w) {
  return (w.cta().sharedEnd() - sharedBase + 127) & ~127u;
}
/// That and the system's kilobyte, to the byte (measured on an H200).
static uint64_t aggregateSharedSize(const Warp &w) {
  return w.cta().sharedEnd();
}

namespace {
struct SpecialRegister {
  std::string_view name;
  Handler handler;
};
} // namespace

/// Registers that have a fourth component, which is zero, and those of tools
/// and of the driver, which are zero as well: %pm, %envreg, the graph that
/// launched the kernel.
static uint64_t zero(const Warp &) { return 0; }
/// The system's part of shared memory, of which it uses the lower end (measured
/// on an H200).
static uint64_t reservedEnd(const Warp &) { return 288; }
static uint64_t reservedCap(const Warp &) { return sharedBase; }

#define BWGEMM_AXES(name, function)                                            \
  {name ".x", uniform<function<0>>}, {name ".y", uniform<function<1>>},        \
      {name ".z", uniform<function<2>>}, {                                     \
    name ".w", uniform<zero>                                                   \
  }

static const SpecialRegister specialRegisters[] = {
    {"%tid.x", tid<0>},
    {"%tid.y", tid<1>},
    {"%tid.z", tid<2>},
    {"%tid.w", uniform<zero>},
    {"%laneid", laneid},
    {"%lanemask_eq", lanemask<0>},
    {"%lanemask_le", lanemask<1>},
    {"%lanemask_lt", lanemask<2>},
    {"%lanemask_ge", lanemask<3>},
    {"%lanemask_gt", lanemask<4>},
    BWGEMM_AXES("%ntid", ntid),
    BWGEMM_AXES("%ctaid", ctaid),
    BWGEMM_AXES("%nctaid", nctaid),
    BWGEMM_AXES("%clusterid", clusterid),
    BWGEMM_AXES("%nclusterid", nclusterid),
    BWGEMM_AXES("%cluster_ctaid", clusterCtaid),
    BWGEMM_AXES("%cluster_nctaid", clusterNctaid),
    {"%cluster_ctarank", uniform<clusterCtarank>},
    {"%cluster_nctarank", uniform<clusterNctarank>},
    {"%is_explicit_cluster", nullptr}, // A predicate: see decodeMove.
    {"%warpid", uniform<warpid>},
    {"%nwarpid", uniform<nwarpid>},
    {"%smid", uniform<smid>},
    {"%nsmid", uniform<nsmid>},
    {"%gridid", uniform<gridid>},
    {"%clock", uniform<clock64>},
    {"%clock64", uniform<clock64>},
    {"%clock_hi", uniform<clockHigh>},
    {"%globaltimer", uniform<globaltimer>},
    {"%globaltimer_lo", uniform<globaltimer>},
    {"%globaltimer_hi", uniform<globaltimerHigh>},
    {"%dynamic_smem_size", uniform<dynamicSharedSize>},
    {"%total_smem_size", uniform<totalSharedSize>},
    {"%aggr_smem_size", uniform<aggregateSharedSize>},
    {"%reserved_smem_offset_begin", uniform<zero>},
    {"%reserved_smem_offset_end", uniform<reservedEnd>},
    {"%reserved_smem_offset_cap", uniform<reservedCap>},
    {"%reserved_smem_offset_0", uniform<zero>},
    {"%reserved_smem_offset_1", uniform<zero>},
    {"%current_graph_exec", uniform<zero>},
};
#undef BWGEMM_AXES

/// %pm0 to %pm7, %pm0_64 to %pm7_64, %envreg0 to %envreg31.
static bool isNumbered(std::string_view name) {
  auto numberBelow = [](std::string_view digits, unsigned limit) {
    unsigned value = 0;
    for (char c : digits) {
      if (c < '0' || c > '9' || value > 99)
        return false;
      value = value * 10 + unsigned(c - '0');
    }
    return !digits.empty() && value < limit &&
           (digits.size() == 1 || digits[0] != '0');
  };
  if (name.substr(0, 7) == "%envreg")
    return numberBelow(name.substr(7), 32);
  if (name.substr(0, 3) != "%pm")
    return false;
  name.remove_prefix(3);
  if (name.size() > 3 && name.substr(name.size() - 3) == "_64")
    name.remove_suffix(3);
  return numberBelow(name, 8);
}

static const SpecialRegister *findSpecial(std::string_view name) {
  for (const SpecialRegister &reg : specialRegisters)
    if (reg.name == name)
      return &reg;
  static const SpecialRegister numbered = {"", uniform<zero>};
  return isNumbered(name) ? &numbered : nullptr;
}

bool isSpecialRegisterName(std::string_view name) {
  return findSpecial(name) != nullptr;
}

static Step explicitCluster(Warp &w, const Instruction &i, LaneMask mask) {
  w.setPredicate(i.operands[0], isExplicitCluster(w) ? allLanes : 0, mask);
  return Step::Next;
}

bool decodeSpecialRegister(std::string_view name, Instruction &out) {
  const SpecialRegister *reg = findSpecial(name);
  bool isPredicate = out.operands[0].width == 1;
  if (!reg || isPredicate != (reg->handler == nullptr))
    return false;
  out.handler = isPredicate ? explicitCluster : reg->handler;
  return true;
}

//===----------------------------------------------------------------------===//
// Addresses of variables
//===----------------------------------------------------------------------===//

static uint64_t plainAddress(const Warp &, uint64_t offset) { return offset; }
static uint64_t sharedAddress(const Warp &w, uint64_t offset) {
  return offset | uint64_t(w.cta().rank()) << clusterRankShift;
}
static uint64_t paramAddress(const Warp &w, uint64_t offset) {
  return w.grid().paramBase + offset;
}

template <uint64_t (*address)(const Warp &, uint64_t)>
static Step variableAddress(Warp &w, const Instruction &i, LaneMask mask) {
  uint64_t value = address(w, i.extra);
  return setLanes(w, i.operands[0], mask, [&](unsigned) { return value; });
}

void decodeVariableAddress(Space space, uint64_t offset, Instruction &out) {
  out.extra = offset;
  out.handler = space == Space::Shared  ? variableAddress<sharedAddress>
                : space == Space::Param ? variableAddress<paramAddress>
                                        : variableAddress<plainAddress>;
}

static Step frameAddress(Warp &w, const Instruction &i, LaneMask mask) {
  const uint32_t *frame = w.in<uint32_t>(i.operands[1]);
  return setLanes(w, i.operands[0], mask, [&](unsigned l) {
    return uint32_t(frame[l] + uint32_t(i.extra));
  });
}

void decodeFrameAddress(uint32_t frameSlot, uint64_t offset, Instruction &out) {
  out.extra = offset;
  out.operands[1].kind = Operand::Kind::Register;
  out.operands[1].width = 32;
  out.operands[1].slot = frameSlot;
  out.operandCount = 2;
  out.handler = frameAddress;
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

static Step nothing(Warp &, const Instruction &, LaneMask) {
  return Step::Next;
}

/// prefetch{.space}.L1/.L2 [a]; prefetchu.L1 [a]; prefetch{.space}.tensormap
/// [a]; discard, applypriority: no effect on any value.
static bool decodePrefetch(Decode &decode) {
  decode.out.handler = nothing;
  Space space = decode.takeSpace();
  decode.takeOne({"L1", "L2", "tensormap"});
  decode.takeAllWithPrefix("L2::");
  if (!decode.expectOperands(1, 2) || !decode.address(0, space))
    return false;
  if (decode.operandCount() == 2) {
    int64_t bytes;
    return decode.immediate(1, bytes);
  }
  return true;
}

void registerSpecial(Registry &registry) {
  registry.add("prefetch", decodePrefetch);
  registry.add("prefetchu", decodePrefetch);
  registry.add("discard", decodePrefetch);
  registry.add("applypriority", decodePrefetch);
}

} // namespace bwgemm::emulator

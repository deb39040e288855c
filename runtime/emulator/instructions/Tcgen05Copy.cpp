//===- Tcgen05Copy.cpp - tcgen05.cp and tcgen05.shift -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "tcgen05.cp" and "tcgen05.shift". Both are checked when they are
// issued and move the data when they land, in program order with the mmas of
// their thread; a tcgen05.commit tracks them. With .cta_group::2 each CTA of
// the pair copies from its own shared memory, or shifts its own rows.
//
//===----------------------------------------------------------------------===//

#include "machine/Tcgen05Copy.h"

#include "hazards/HazardChecker.h"
#include "instructions/Tcgen05Support.h"

#include <array>

namespace bwgemm::emulator {

namespace {
/// The immediate parts of a tcgen05.cp; `flags` is its .cta_group.
struct CopyFacts {
  CopyShape shape = CopyShape::S128x256b;
  unsigned narrowBits = 0;
};

/// The numbers by which the hazard checker knows an operation in each CTA.
using Watched = std::array<uint64_t, 2>;
} // namespace

/// Checks that the pair is alive when an operation lands.
static bool checkLanding(const CtaGroup &group, const Scene &scene) {
  std::string error;
  return group.checkAlive(*scene.cta, error) ||
         scene.fail(FaultKind::Trap,
                    error + " when the " + "operation completes");
}

static void tellLanded(const CtaGroup &group, const Watched &watched) {
  for (unsigned p = 0; p < group.count; ++p)
    if (HazardChecker *checker = hazardsOf(group.ctas[p]->grid()))
      checker->tensorWriteLanded(*group.ctas[p], watched[p]);
}

static bool landCopy(const TensorFill &fill, const CtaGroup &group,
                     const Watched &watched, const Scene &scene) {
  if (!checkLanding(group, scene))
    return false;
  tellLanded(group, watched);
  for (unsigned p = 0; p < group.count; ++p) {
    TensorMemory &tensor = group.ctas[p]->extension<TensorMemory>();
    std::string error;
    if (!tensor.checkAllocated(fill.address.column, fill.columns(), error))
      return scene.fail(FaultKind::Hazard,
                        error + " any more when the copy completes");
    fill.land(tensor, sharedWindowOf(*group.ctas[p]));
  }
  return true;
}

/// Operands: tensor memory address, descriptor.
static Step copy(Warp &w, const Instruction &i, LaneMask mask) {
  const CopyFacts &facts = *static_cast<const CopyFacts *>(i.data);
  CtaGroup group;
  if (!ctaGroupOf(w, i, firstLane(mask), group))
    return Step::Fault;
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    Scene scene(w, i, lane);
    TensorFill fill;
    Watched watched{};
    for (unsigned p = 0; p < group.count; ++p) {
      Cta &cta = *group.ctas[p];
      std::string error;
      bool unsupported = false;
      if (!TensorFill::issue(facts.shape, facts.narrowBits,
                             uint32_t(w.address(i.operands[0], lane)),
                             w.value(i.operands[1], lane),
                             cta.extension<TensorMemory>(), sharedWindowOf(cta),
                             fill, error, unsupported)) {
        if (group.count == 2)
          error += p == 0 ? " (in the even CTA of the pair)"
                          : " (in the odd CTA of the pair)";
        return unsupported ? w.unsupported(i, lane, error)
                           : w.trap(i, lane, error);
      }
      if (HazardChecker *checker = hazardsOf(w.grid()))
        watched[p] = checker->tensorWriteIssued(
            cta, granulesOf(fill), fill.address.column, fill.columns(),
            "tcgen05.cp", scene);
    }
    w.cluster().async.issue(tcgen05Channel(w, lane), "tensor memory copy",
                            i.line, [fill, group, watched, scene] {
                              return landCopy(fill, group, watched, scene);
                            });
  }
  return Step::Next;
}

static bool landShifts(const TensorAddress &address, const CtaGroup &group,
                       const Watched &watched, const Scene &scene) {
  if (!checkLanding(group, scene))
    return false;
  tellLanded(group, watched);
  for (unsigned p = 0; p < group.count; ++p) {
    std::string error;
    if (!landShift(address, group.ctas[p]->extension<TensorMemory>(), error))
      return scene.fail(FaultKind::Hazard, "tcgen05.shift: " + error);
  }
  return true;
}

/// Operand: tensor memory address.
static Step shift(Warp &w, const Instruction &i, LaneMask mask) {
  CtaGroup group;
  if (!ctaGroupOf(w, i, firstLane(mask), group))
    return Step::Fault;
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = firstLane(rest);
    Scene scene(w, i, lane);
    TensorAddress address(uint32_t(w.address(i.operands[0], lane)));
    Watched watched{};
    for (unsigned p = 0; p < group.count; ++p) {
      Cta &cta = *group.ctas[p];
      std::string error;
      if (!checkShift(address, cta.extension<TensorMemory>(), error))
        return w.trap(i, lane, error);
      if (HazardChecker *checker = hazardsOf(w.grid()))
        watched[p] = checker->tensorWriteIssued(
            cta, {}, address.column, shiftColumns, "tcgen05.shift", scene);
    }
    w.cluster().async.issue(tcgen05Channel(w, lane), "tensor memory shift",
                            i.line, [address, group, watched, scene] {
                              return landShifts(address, group, watched, scene);
                            });
  }
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// .shape with the .multicast that belongs to it.
static bool takeShape(Decode &decode, CopyShape &shape) {
  int found =
      decode.takeOne({"128x256b", "4x256b", "128x128b", "64x128b", "32x128b"});
  if (found < 0)
    return decode.error("expected .128x256b, .4x256b, .128x128b, .64x128b or "
                        ".32x128b");
  int multicast = decode.takeOne({"warpx2::02_13", "warpx2::01_23", "warpx4"});
  static constexpr CopyShape shapes[] = {
      CopyShape::S128x256b, CopyShape::S4x256b, CopyShape::S128x128b};
  if (found < 3) {
    shape = shapes[found];
    return multicast < 0 ||
           decode.error(".warpx2 and .warpx4 are for .64x128b and .32x128b");
  }
  if (found == 3) {
    shape =
        multicast == 0 ? CopyShape::S64x128b02_13 : CopyShape::S64x128b01_23;
    return multicast == 0 || multicast == 1 ||
           decode.error(".64x128b needs .warpx2::02_13 or .warpx2::01_23");
  }
  shape = CopyShape::S32x128bX4;
  return multicast == 2 || decode.error(".32x128b needs .warpx4");
}

static bool decodeCopy(Decode &decode) {
  CopyFacts *facts = decode.newData<CopyFacts>();
  if (!takeCtaGroup(decode) || !takeShape(decode, facts->shape))
    return false;
  bool spread = decode.take("b8x16");
  int source = decode.takeOne({"b4x16_p64", "b6x16_p32"});
  if (spread != (source >= 0))
    return decode.error(spread ? "expected .b4x16_p64 or .b6x16_p32 with .b8x16"
                               : "expected .b8x16 with .b4x16_p64 or "
                                 ".b6x16_p32");
  facts->narrowBits = source < 0 ? 0 : source == 0 ? 4 : 6;
  if (!decode.expectOperands(2, 2) || !decode.address(0, Space::Generic) ||
      !decode.sourceOperand(1, Type::B64))
    return false;
  decode.out.data = facts;
  decode.out.handler = copy;
  return true;
}

static bool decodeShift(Decode &decode) {
  std::string_view target = decode.kernel.target;
  if (!takeCtaGroup(decode))
    return false;
  if (target.back() != 'a')
    return decode.error("tcgen05.shift needs .target sm_100a, sm_101a, sm_103a "
                        "or sm_110a, got " +
                        decode.kernel.target);
  if (!decode.take("down"))
    return decode.error("expected .down");
  if (!decode.expectOperands(1, 1) || !decode.address(0, Space::Generic))
    return false;
  decode.out.handler = shift;
  return true;
}

void registerTcgen05Copy(Registry &registry) {
  registry.add("tcgen05.cp", decodeCopy);
  registry.add("tcgen05.shift", decodeShift);
}

} // namespace bwgemm::emulator

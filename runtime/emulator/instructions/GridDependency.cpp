//===- GridDependency.cpp - Grids that overlap ------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// griddepcontrol (PTX ISA, "griddepcontrol"). `.launch_dependents` of any
// thread counts for its CTA, and only once. Memory is the host's, so that what
// a grid has written is visible as soon as it has ended.
//
//===----------------------------------------------------------------------===//

#include "instructions/GridDependency.h"

#include "instructions/Registry.h"
#include "machine/Cta.h"
#include "machine/Grid.h"

namespace bwgemm::emulator {

static Step letDependentsBegin(Warp &w, const Instruction &, LaneMask) {
  Cta &cta = w.cta();
  if (cta.letsDependentsBegin || !w.grid().hasDependent)
    return Step::Next;
  cta.letsDependentsBegin = true;
  // The scheduler may want to hold the cluster back here.
  return Step::Yield;
}

static std::string describe(const Warp &warp, const Wait &) {
  return "the end of the kernel in front, '" +
         warp.grid().prerequisite->kernel.info.name + "'";
}

static Step waitForPrerequisite(Warp &w, const Instruction &, LaneMask) {
  const Grid *prerequisite = w.grid().prerequisite;
  if (!prerequisite || prerequisite->complete())
    return Step::Next;
  Wait wait;
  wait.describe = describe;
  return w.block(wait);
}

bool waitsForPrerequisite(const Warp &warp) {
  for (const Fragment &fragment : warp.allFragments())
    if (fragment.wait.describe == describe)
      return true;
  return false;
}

static bool decodeGridDepControl(Decode &decode) {
  int action = decode.takeOne({"launch_dependents", "wait"});
  if (action < 0)
    return decode.error("expected '.launch_dependents' or '.wait' in '" +
                        decode.mnemonic() + "'");
  if (action == 0)
    decode.kernel.info.letsDependentsBegin = true;
  decode.out.handler = action == 0 ? letDependentsBegin : waitForPrerequisite;
  return decode.expectOperands(0, 0);
}

void registerGridDependency(Registry &registry) {
  registry.add("griddepcontrol", decodeGridDepControl);
}

} // namespace bwgemm::emulator

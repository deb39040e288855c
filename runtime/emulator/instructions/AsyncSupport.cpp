//===- AsyncSupport.cpp - What asynchronous families share ------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instructions/AsyncSupport.h"

#include "hazards/Ordering.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace bwgemm::emulator {

static Fault makeFault(const Scene &scene, FaultKind kind,
                       std::string message) {
  Fault fault;
  fault.kind = kind;
  fault.message = std::move(message);
  fault.line = scene.instruction->line;
  fault.instruction = scene.instruction->text;
  fault.cta = scene.cta->index();
  fault.warp = scene.warp;
  fault.lane = scene.lane;
  return fault;
}

bool Scene::fail(FaultKind kind, std::string message) const {
  cta->grid().fail(makeFault(*this, kind, std::move(message)));
  return false;
}

void Scene::hazard(std::string message) const {
  cta->grid().addHazard(
      makeFault(*this, FaultKind::Hazard, std::move(message)));
}

void mbarrierChanged(Cta &cta, uint32_t offset,
                     const MBarrierOutcome &outcome) {
  if (outcome.completed) {
    ++cta.extension<MBarrierPhases>().at(offset);
    if (Ordering *ordering = orderingOf(cta.cluster()))
      ordering->mbarrierCompleted(cta, offset);
  }
  cta.cluster().signal();
}

bool landOnMBarrier(Cta &cta, uint32_t offset, uint32_t bytes, bool isArrival,
                    const Scene &scene) {
  std::byte *place = cta.sharedAt(offset, 8);
  if (!place)
    return scene.fail(FaultKind::Trap,
                      "the mbarrier is outside of the CTA's shared memory");
  uint64_t object;
  std::memcpy(&object, place, 8);
  MBarrierOutcome outcome = isArrival ? MBarrier::arrive(object, 1)
                                      : MBarrier::completeTx(object, bytes);
  if (outcome.trap)
    return scene.fail(FaultKind::Trap, std::string(outcome.trap) + " (" +
                                           describeMBarrier(cta, offset) + ")");
  std::memcpy(place, &object, 8);
  if (Ordering *ordering = orderingOf(cta.cluster());
      ordering && scene.cta != &cta)
    ordering->mbarrierSignalledByOther(scene, cta, offset);
  mbarrierChanged(cta, offset, outcome);
  return true;
}

std::string describeMBarrier(Cta &cta, uint32_t offset) {
  char head[64];
  uint64_t phase = cta.extension<MBarrierPhases>().at(offset);
  std::snprintf(head, sizeof(head), "mbarrier at 0x%x, phase %" PRIu64 ": ",
                offset, phase);
  uint64_t object = 0;
  if (std::byte *place = cta.sharedAt(offset, 8))
    std::memcpy(&object, place, 8);
  return head + MBarrier::describe(object);
}

} // namespace bwgemm::emulator

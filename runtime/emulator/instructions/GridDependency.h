//===- GridDependency.h - Grids that overlap --------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_INSTRUCTIONS_GRIDDEPENDENCY_H
#define BWGEMM_EMULATOR_INSTRUCTIONS_GRIDDEPENDENCY_H

namespace bwgemm::emulator {

class Warp;

/// Whether some lanes of the warp wait for the grid in front
/// (griddepcontrol.wait).
bool waitsForPrerequisite(const Warp &warp);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_INSTRUCTIONS_GRIDDEPENDENCY_H

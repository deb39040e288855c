//===- ExactPanel.h - The integer model on panels ---------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model of ExactDot.h for whole panels, as large as an mma's operands or as
// small as one warp's fragments: many at a time where every number is finite
// (ExactKernels.h), and one by one elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_EXACTPANEL_H
#define BWGEMM_EMULATOR_MACHINE_EXACTPANEL_H

#include "machine/ExactDot.h"
#include "machine/Tcgen05MmaKernels.h"

#include <cstdint>

namespace bwgemm::emulator {

struct ExactKernels;

/// D of one mma. `work` is as for MmaKernels::multiply, with any number of
/// groups and of columns, but for D: that are 32-bit cells which hold f32, or
/// f16 in their low half, as the model says. 2^-scale is applied to C. Bit i of
/// `disabled` leaves alone what has laneOffset[group] + row in group = i.
struct ExactMultiply {
  PanelMultiply work;
  uint32_t *cells = nullptr; ///< In place of work.d.
  ExactModel model;
  ExactFormat a, b; ///< Of the elements.
  unsigned scale = 0;
  uint64_t disabled[2] = {0, 0};
};

void multiplyExactly(const ExactMultiply &work);
/// The same with these kernels, whose `rows` must divide the number of rows;
/// all give the same bits.
void multiplyExactly(const ExactMultiply &work, const ExactKernels &kernels);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_EXACTPANEL_H

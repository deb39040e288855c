//===- Tcgen05MmaExactPanel.h - The integer model on panels -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model of Tcgen05MmaExact.h for whole panels: 16 rows at a time in 32-bit
// integers where every number is finite, and one by one elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_TCGEN05MMAEXACTPANEL_H
#define BWGEMM_EMULATOR_MACHINE_TCGEN05MMAEXACTPANEL_H

#include "machine/MmaDescriptor.h"
#include "machine/Tcgen05MmaKernels.h"

#include <cstdint>

namespace bwgemm::emulator {

/// D of one mma: `work` as for MmaKernels::multiply, but D are the cells of
/// tensor memory whose type `shape.d` says (not S32), 2^-scale is applied to
/// them, and lane l is left alone if bit l of `disabled` is set.
struct ExactMultiply {
  PanelMultiply work;
  uint32_t *cells = nullptr; ///< In place of work.d.
  MmaDescriptor shape;
  unsigned scale = 0;
  uint64_t disabled[2] = {0, 0};
};

void multiplyExactly(const ExactMultiply &work);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_TCGEN05MMAEXACTPANEL_H

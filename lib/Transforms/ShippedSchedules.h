//===- ShippedSchedules.h - The database in this library --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_TRANSFORMS_SHIPPEDSCHEDULES_H
#define BWGEMM_LIB_TRANSFORMS_SHIPPEDSCHEDULES_H

namespace mlir::bwgemm {

/// The text of data/schedules-h200.json. The build embeds it, so that a program
/// or a plugin that is copied somewhere else, or an older one beside a newer
/// file, chooses as it was tested.
extern const char *const kShippedSchedules;

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TRANSFORMS_SHIPPEDSCHEDULES_H

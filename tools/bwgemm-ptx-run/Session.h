//===- Session.h - One launch on one device ---------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_PTX_RUN_SESSION_H
#define BWGEMM_TOOLS_PTX_RUN_SESSION_H

#include "Arguments.h"
#include "Buffers.h"

#include <string>
#include <vector>

namespace bwgemm::ptxrun {

/// The command line's wishes.
struct Request {
  std::string file, ptx; ///< Name and contents.
  std::string entry;
  Extent grid{1, 1, 1}, block{1, 1, 1};
  std::optional<Extent> cluster;
  unsigned sharedBytes = 0;
  std::vector<ArgumentSpec> arguments;
  runtime::DriverChoice device;
};

struct Outcome {
  std::string device; ///< Which, and why.
  bool emulated = false;
  bool launched = false;
  std::string error; ///< Bad input or a refusal; "" if none.
  std::string fault; ///< The kernel failed while it ran; "" if not.
  unsigned long long hazards = 0;
  double milliseconds = 0;
  std::string report; ///< The emulator's, as JSON; "" on a GPU.
};

/// Launches the kernel and fetches the buffers back.
Outcome run(const Request &request, Buffers &buffers);

} // namespace bwgemm::ptxrun

#endif // BWGEMM_TOOLS_PTX_RUN_SESSION_H

//===- Buffers.h - Named buffers of a run -----------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_PTX_RUN_BUFFERS_H
#define BWGEMM_TOOLS_PTX_RUN_BUFFERS_H

#include "Arguments.h"

#include "bwgemm-runtime/Driver.h"

#include <memory>

namespace bwgemm::ptxrun {

/// A buffer on both sides. `host` has the contents before the run and, after
/// `fetch`, those after it.
struct Buffer {
  BufferSpec spec;
  std::vector<unsigned char> host;
  runtime::DeviceBuffer device;

  size_t count() const;
  /// The element at a position in row-major order.
  double value(size_t position) const;
  std::string text(size_t position) const;

  std::string fetch() { return device.copyTo(host.data(), host.size()); }
};

class Buffers {
public:
  /// Fills the buffer on the host. The seed of random contents follows from
  /// `seed` and the number of buffers before it.
  std::string add(const BufferSpec &spec, uint64_t seed);
  std::string upload(const runtime::DriverApi &driver);
  /// The buffer of that name; null, and what exists in `error`, if none.
  Buffer *find(const std::string &name, std::string &error);
  std::vector<std::unique_ptr<Buffer>> &all() { return buffers; }

private:
  std::vector<std::unique_ptr<Buffer>> buffers;
};

/// A value of `type` in the fewest digits that give it back.
std::string formatElement(ElementType type, uint64_t bits);

/// "A: bf16 2x4" and a line of values for each innermost row. An error for
/// more elements than anybody reads.
std::string formatBuffer(const Buffer &buffer, std::string &text);

} // namespace bwgemm::ptxrun

#endif // BWGEMM_TOOLS_PTX_RUN_BUFFERS_H

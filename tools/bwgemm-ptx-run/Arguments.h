//===- Arguments.h - The argument language of bwgemm-ptx-run ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What --arg, --buffer, --dump, --expect and --grid take, parsed. Everything
// here works on text alone; errors are returned as text and are about the
// user's words.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_PTX_RUN_ARGUMENTS_H
#define BWGEMM_TOOLS_PTX_RUN_ARGUMENTS_H

#include "bwgemm-runtime/ElementType.h"
#include "bwgemm-runtime/Fill.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace bwgemm::ptxrun {

using runtime::ElementType;

/// Three extents, "X", "X,Y" or "X,Y,Z"; missing ones are 1.
using Extent = std::array<unsigned, 3>;

/// A dense buffer in device memory.
struct BufferSpec {
  std::string name; ///< Its own, or the index of its argument.
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape; ///< Outermost first.
  std::optional<runtime::Fill> fill = runtime::Fill::Zeros;
  std::string file; ///< If `fill` is empty: an .npy file.
};

/// A number, already in the bits of its type.
struct ScalarSpec {
  ElementType type = ElementType::U32;
  uint64_t bits = 0;
};

/// The address of a buffer that is defined elsewhere.
struct PointerSpec {
  std::string buffer;
  uint64_t offset = 0; ///< Bytes.
};

/// A tensor map of a buffer. Lists are innermost first, as in the driver's
/// interface; empty ones follow from the buffer.
struct TensorMapSpec {
  std::string buffer;
  std::vector<uint32_t> box;
  std::vector<uint64_t> dims, strides; ///< Elements; bytes, without the inner.
  std::vector<uint32_t> elementStrides;
  uint64_t offset = 0; ///< Bytes from the buffer's start.
  int swizzle = 0, interleave = 0, l2 = 0;
  bool nanFill = false;
  int dataType = -1;           ///< CUtensorMapDataType, or -1 for the buffer's.
  bool inGlobalMemory = false; ///< Pass the address of the map, not the map.
};

using ArgumentSpec =
    std::variant<ScalarSpec, BufferSpec, PointerSpec, TensorMapSpec>;

/// --dump=BUFFER or --dump=BUFFER:FILE.npy
struct DumpSpec {
  std::string buffer, file;
};

/// --expect=BUFFER[i,j]:VALUE or --expect=BUFFER:WHAT[:tol=T]
struct ExpectSpec {
  std::string text; ///< As given.
  std::string buffer;
  std::vector<int64_t> index; ///< Of one element; empty for all.
  std::vector<double> values; ///< One for an element or all=V, else as listed.
  bool everyElement = false;  ///< all=V
  std::optional<runtime::Fill> fill;
  std::string file;
  double tolerance = 0;
};

/// Each returns "" or what was wrong and what is accepted.
std::string parseExtent(const std::string &text, Extent &extent);
std::string parseArgument(const std::string &text, size_t index,
                          ArgumentSpec &argument);
std::string parseBuffer(const std::string &text, BufferSpec &buffer);
std::string parseDump(const std::string &text, DumpSpec &dump);
std::string parseExpect(const std::string &text, ExpectSpec &expect);

/// The CUtensorMapDataType of elements of this type, or -1.
int tensorMapType(ElementType type);

} // namespace bwgemm::ptxrun

#endif // BWGEMM_TOOLS_PTX_RUN_ARGUMENTS_H

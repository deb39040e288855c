//===- Builtins.cpp - Functions of CUDA's device runtime --------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvcc leaves vprintf, __assertfail, malloc and free to the driver, which
// links them in when it loads the PTX (CUDA programming guide, "Formatted
// output", "Assertion", "Dynamic global memory allocation").
//
//===----------------------------------------------------------------------===//

#include "instructions/Builtins.h"

#include "machine/Cta.h"
#include "machine/Grid.h"
#include "machine/Printf.h"

#include <cstring>

namespace bwgemm::emulator {

/// Longest string that %s or an assertion prints.
static constexpr size_t maxString = 1 << 16;

/// Reads the string at a generic address; false after a trap.
static bool readString(Warp &w, const Instruction &i, unsigned lane,
                       uint64_t address, std::string &text) {
  text.clear();
  for (; text.size() < maxString; ++address) {
    const std::byte *place =
        w.access(i, Space::Generic, address, 1, 1, lane, "read");
    if (!place)
      return false;
    char c = static_cast<char>(*place);
    if (c == '\0')
      return true;
    text += c;
  }
  return true;
}

namespace {
/// The buffer that nvcc packs the arguments of printf into, each at a multiple
/// of its own size.
class PackedArguments : public PrintfArguments {
public:
  PackedArguments(Warp &warp, const Instruction &call, unsigned lane,
                  uint64_t address)
      : warp(warp), call(call), lane(lane), address(address) {}

  bool next(unsigned bytes, uint64_t &value) override {
    offset = (offset + bytes - 1) & ~uint64_t(bytes - 1);
    const std::byte *place = warp.access(call, Space::Generic, address + offset,
                                         bytes, bytes, lane, "read");
    if (!place)
      return false;
    value = 0;
    std::memcpy(&value, place, bytes);
    offset += bytes;
    return true;
  }
  bool string(uint64_t at, std::string &text) override {
    if (at == 0) {
      text = "(null)";
      return true;
    }
    return readString(warp, call, lane, at, text);
  }

private:
  Warp &warp;
  const Instruction &call;
  unsigned lane;
  uint64_t address;
  uint64_t offset = 0;
};
} // namespace

/// int vprintf(const char *format, const void *arguments)
static Step vprintf(Warp &w, const Instruction &i, unsigned lane,
                    const uint64_t *arguments, uint64_t &result) {
  if (arguments[0] == 0) {
    result = uint32_t(-1);
    return Step::Next;
  }
  std::string format, text;
  if (!readString(w, i, lane, arguments[0], format))
    return Step::Fault;
  PackedArguments values(w, i, lane, arguments[1]);
  unsigned count;
  if (!formatPrintf(format, values, text, count))
    return Step::Fault;
  w.grid().output.print(w.cluster().number(), text);
  result = count;
  return Step::Next;
}

/// void __assertfail(const char *message, const char *file, unsigned line,
///                   const char *function, size_t charSize)
static Step assertFail(Warp &w, const Instruction &i, unsigned lane,
                       const uint64_t *arguments, uint64_t &) {
  std::string message, file, function;
  if (!readString(w, i, lane, arguments[0], message) ||
      !readString(w, i, lane, arguments[1], file) ||
      !readString(w, i, lane, arguments[3], function))
    return Step::Fault;
  return w.trap(i, lane,
                "assertion failed: " + file + ":" +
                    std::to_string(uint32_t(arguments[2])) + ": " + function +
                    ": assertion '" + message + "' failed");
}

/// void *malloc(size_t bytes)
static Step deviceMalloc(Warp &w, const Instruction &, unsigned,
                         const uint64_t *arguments, uint64_t &result) {
  result = w.grid().memory.allocateHeap(arguments[0]);
  return Step::Next;
}

/// void free(void *pointer)
static Step deviceFree(Warp &w, const Instruction &i, unsigned lane,
                       const uint64_t *arguments, uint64_t &) {
  if (arguments[0] && !w.grid().memory.releaseHeap(arguments[0]))
    return w.trap(i, lane,
                  "free of an address that malloc did not return, or "
                  "that was freed before",
                  arguments[0]);
  return Step::Next;
}

Builtin findBuiltin(const DeviceFunction &function, std::string &error) {
  struct Entry {
    const char *name;
    std::vector<uint32_t> params, results;
    Builtin builtin;
  };
  static const Entry entries[] = {
      {"vprintf", {8, 8}, {4}, vprintf},
      {"__assertfail", {8, 8, 4, 8, 8}, {}, assertFail},
      {"malloc", {8}, {8}, deviceMalloc},
      {"free", {8}, {}, deviceFree},
  };
  auto matches = [](const std::vector<CallValue> &have,
                    const std::vector<uint32_t> &bytes) {
    if (have.size() != bytes.size())
      return false;
    for (size_t n = 0; n < bytes.size(); ++n)
      if (have[n].bytes != bytes[n])
        return false;
    return true;
  };
  for (const Entry &entry : entries) {
    if (function.name != entry.name)
      continue;
    if (matches(function.params, entry.params) &&
        matches(function.results, entry.results))
      return entry.builtin;
    error = "expected '" + function.name +
            "' with the parameters that CUDA declares it with, got others";
    return nullptr;
  }
  error = "function '" + function.name +
          "' has no body in the module; the emulator loads one module at a "
          "time and provides only vprintf, __assertfail, malloc and free";
  return nullptr;
}

} // namespace bwgemm::emulator

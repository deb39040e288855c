//===- Printf.cpp - Output of kernels ---------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Printf.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace bwgemm::emulator {

/// Widths and precisions beyond this are cut, so that no format asks for
/// unbounded memory.
static constexpr int maxWidth = 4096;
/// Text that waits for its turn; above this, order gives way.
static constexpr uint64_t maxKeptBytes = 64 << 20;

//===----------------------------------------------------------------------===//
// Formatting
//===----------------------------------------------------------------------===//

namespace {
/// One conversion: `%[flags][width][.precision][size]letter`.
struct Conversion {
  std::string flags;
  int width = -1, precision = -1;
  unsigned longs = 0; ///< Number of l.
  unsigned halves = 0;
  char letter = 0;
};
} // namespace

/// A NUL is in no set.
static bool isOneOf(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

static bool readNumber(std::string_view format, size_t &at,
                       PrintfArguments &arguments, int &value, unsigned &count,
                       bool &good) {
  if (at < format.size() && format[at] == '*') {
    ++at;
    uint64_t raw;
    good = arguments.next(4, raw);
    value = good ? int(uint32_t(raw)) : 0;
    ++count;
    return good;
  }
  value = 0;
  for (; at < format.size() && format[at] >= '0' && format[at] <= '9'; ++at)
    value = std::min(value * 10 + (format[at] - '0'), maxWidth);
  return true;
}

/// snprintf with the conversion's own flags, width and precision.
template <class T>
static void append(std::string &out, const Conversion &c, const char *size,
                   T value) {
  std::string spec = "%" + c.flags;
  if (c.width >= 0)
    spec += std::to_string(c.width);
  if (c.precision >= 0)
    spec += "." + std::to_string(c.precision);
  spec += size;
  spec += c.letter;
  char text[512];
  int length = std::snprintf(text, sizeof(text), spec.c_str(), value);
  if (length < 0)
    return;
  if (size_t(length) < sizeof(text)) {
    out.append(text, size_t(length));
    return;
  }
  std::string large(size_t(length) + 1, '\0');
  std::snprintf(large.data(), large.size(), spec.c_str(), value);
  large.pop_back();
  out += large;
}

static bool convert(const Conversion &c, PrintfArguments &arguments,
                    std::string &out) {
  uint64_t raw = 0;
  switch (c.letter) {
  case 'd':
  case 'i': {
    // `long` has 64 bits on the device as on the host.
    if (!arguments.next(c.longs ? 8 : 4, raw))
      return false;
    int64_t value = c.longs ? int64_t(raw) : int64_t(int32_t(raw));
    if (c.halves)
      value = c.halves == 1 ? int64_t(int16_t(raw)) : int64_t(int8_t(raw));
    append(out, c, "ll", static_cast<long long>(value));
    return true;
  }
  case 'o':
  case 'u':
  case 'x':
  case 'X': {
    if (!arguments.next(c.longs ? 8 : 4, raw))
      return false;
    if (c.halves)
      raw &= c.halves == 1 ? 0xFFFF : 0xFF;
    append(out, c, "ll", static_cast<unsigned long long>(raw));
    return true;
  }
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G':
  case 'a':
  case 'A': {
    if (!arguments.next(8, raw))
      return false;
    double value;
    std::memcpy(&value, &raw, 8);
    append(out, c, "", value);
    return true;
  }
  case 'c':
    if (!arguments.next(4, raw))
      return false;
    append(out, c, "", int(raw & 0xFF));
    return true;
  case 'p': {
    if (!arguments.next(8, raw))
      return false;
    append(out, c, "", reinterpret_cast<void *>(raw));
    return true;
  }
  default: {
    std::string text;
    if (!arguments.next(8, raw) || !arguments.string(raw, text))
      return false;
    append(out, c, "", text.c_str());
    return true;
  }
  }
}

bool formatPrintf(std::string_view format, PrintfArguments &arguments,
                  std::string &out, unsigned &count) {
  count = 0;
  for (size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      out += format[at++];
      continue;
    }
    size_t begin = at++;
    Conversion c;
    for (; at < format.size() && isOneOf(format[at], "-+ #0"); ++at)
      if (c.flags.find(format[at]) == std::string::npos)
        c.flags += format[at];
    bool good = true;
    bool hasWidth = at < format.size() && isOneOf(format[at], "*123456789");
    if (hasWidth && !readNumber(format, at, arguments, c.width, count, good) &&
        !good)
      return false;
    if (hasWidth && c.width < 0) {
      c.flags += '-';
      c.width = c.width < -maxWidth ? maxWidth : -c.width;
    }
    if (at < format.size() && format[at] == '.') {
      ++at;
      if (!readNumber(format, at, arguments, c.precision, count, good) && !good)
        return false;
    }
    c.width = std::min(c.width, maxWidth);
    c.precision = std::clamp(c.precision, -1, maxWidth);
    for (; at < format.size() && isOneOf(format[at], "hlLqjzt"); ++at) {
      c.halves += format[at] == 'h';
      c.longs += format[at] != 'h';
    }
    c.letter = at < format.size() ? format[at] : '\0';
    if (c.letter == '%') {
      out += '%';
      ++at;
    } else if (isOneOf(c.letter, "dioxXuceEfFgGaAsp")) {
      ++at;
      ++count;
      if (!convert(c, arguments, out))
        return false;
    } else {
      out.append(format.substr(begin, at - begin));
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

PrintStream::~PrintStream() {
  for (auto &[number, text] : kept)
    write(text);
  if (wrote)
    std::fflush(stdout);
}

void PrintStream::write(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  wrote = true;
}

void PrintStream::writeKept(uint64_t number) {
  auto found = kept.find(number);
  if (found == kept.end())
    return;
  write(found->second);
  keptBytes -= found->second.size();
  kept.erase(found);
}

void PrintStream::print(uint64_t number, std::string_view text) {
  std::lock_guard lock(mutex);
  if (number == current || keptBytes + text.size() > maxKeptBytes) {
    write(text);
    return;
  }
  kept[number] += text;
  keptBytes += text.size();
}

void PrintStream::finish(uint64_t number) {
  std::lock_guard lock(mutex);
  if (number != current) {
    finished.insert(number);
    return;
  }
  // What the next one printed so far is due, and all of those behind it that
  // have finished.
  do {
    finished.erase(current);
    writeKept(++current);
  } while (finished.count(current));
}

} // namespace bwgemm::emulator

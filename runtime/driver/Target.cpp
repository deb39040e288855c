//===- Target.cpp - Which device runs which PTX target ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/Driver.h"

namespace bwgemm::runtime {

static std::string version(int major, int minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

bool canRunTarget(std::string_view target, int major, int minor,
                  std::string &why) {
  std::string name(target);
  auto unknown = [&] {
    why = "'" + name +
          "' is not a PTX target; expected sm_ and a number, with the suffix "
          "'a' or 'f' where there is one, such as sm_90a or sm_100f";
    return false;
  };
  if (name.compare(0, 3, "sm_") != 0)
    return unknown();
  size_t position = 3;
  int number = 0;
  while (position < name.size() && name[position] >= '0' &&
         name[position] <= '9' && number < 10000)
    number = number * 10 + (name[position++] - '0');
  if (number < 10 || number >= 10000)
    return unknown();
  std::string suffix = name.substr(position);
  int needMajor = number / 10, needMinor = number % 10;

  if (suffix == "a") {
    if (major == needMajor && minor == needMinor)
      return true;
    why = name + " needs compute capability " + version(needMajor, needMinor);
    return false;
  }
  if (suffix == "f") {
    if (major == needMajor && minor >= needMinor)
      return true;
    why = name + " needs compute capability " + version(needMajor, needMinor) +
          " or a later " + std::to_string(needMajor) + ".x";
    return false;
  }
  if (!suffix.empty())
    return unknown();
  if (major > needMajor || (major == needMajor && minor >= needMinor))
    return true;
  why = name + " needs compute capability " + version(needMajor, needMinor) +
        " or later";
  return false;
}

/// True if `text` has only blanks between the start of its line and `position`.
static bool startsLine(std::string_view text, size_t position) {
  while (position > 0) {
    char c = text[--position];
    if (c == '\n')
      return true;
    if (c != ' ' && c != '\t' && c != '\r')
      return false;
  }
  return true;
}

std::string targetOfPtx(std::string_view ptx) {
  constexpr std::string_view directive = ".target";
  for (size_t position = ptx.find(directive); position != ptx.npos;
       position = ptx.find(directive, position + 1)) {
    if (!startsLine(ptx, position))
      continue;
    size_t begin = ptx.find_first_not_of(" \t", position + directive.size());
    if (begin == ptx.npos)
      break;
    size_t end = ptx.find_first_of(" \t\r\n,;/", begin);
    return std::string(
        ptx.substr(begin, end == ptx.npos ? ptx.npos : end - begin));
  }
  return std::string();
}

} // namespace bwgemm::runtime

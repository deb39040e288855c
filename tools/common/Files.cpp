//===- Files.cpp - Files that tools write ----------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Files.h"

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace bwgemm::tools {

std::string writeFile(const std::string &wanted, const std::string &text) {
  // A link keeps pointing to where it did.
  std::error_code failure;
  std::filesystem::path real = std::filesystem::canonical(wanted, failure);
  std::string path = failure ? wanted : real.string();
  // A device or a pipe is written into, not replaced.
  std::filesystem::file_status status = std::filesystem::status(path, failure);
  bool direct = std::filesystem::exists(status) &&
                !std::filesystem::is_regular_file(status) &&
                !std::filesystem::is_directory(status);
  std::string temporary =
      direct ? path : path + ".tmp-" + std::to_string(getpid());
  std::FILE *file = std::fopen(temporary.c_str(), "wb");
  if (!file)
    return wanted + ": cannot be written: " + std::strerror(errno);
  bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int problem = errno;
  if (std::fclose(file) != 0 && good) {
    good = false;
    problem = errno;
  }
  if (good && direct)
    return "";
  if (good && std::rename(temporary.c_str(), path.c_str()) == 0)
    return "";
  if (good)
    problem = errno;
  if (!direct)
    std::remove(temporary.c_str());
  return wanted + ": cannot be written: " + std::strerror(problem);
}

std::string makeFolder(const std::string &path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (std::filesystem::is_directory(path))
    return "";
  return path + ": cannot be made a folder" +
         (failure ? ": " + failure.message() : "");
}

std::string fileName(const std::string &text) {
  std::string result;
  for (char c : text)
    result += std::isalnum(static_cast<unsigned char>(c)) || c == '-' ||
                      c == '_' || c == '.'
                  ? c
                  : '_';
  return result;
}

} // namespace bwgemm::tools

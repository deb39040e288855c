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
#include <unistd.h>

namespace bwgemm::tools {

std::string writeFile(const std::string &path, const std::string &text) {
  std::string temporary = path + ".tmp-" + std::to_string(getpid());
  std::FILE *file = std::fopen(temporary.c_str(), "wb");
  if (!file)
    return path + ": cannot be written: " + std::strerror(errno);
  bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int problem = errno;
  if (std::fclose(file) != 0 && good) {
    good = false;
    problem = errno;
  }
  if (good && std::rename(temporary.c_str(), path.c_str()) == 0)
    return "";
  if (good)
    problem = errno;
  std::remove(temporary.c_str());
  return path + ": cannot be written: " + std::strerror(problem);
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

//===- bwgemm-bench.cpp - Time matrix multiplications ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Files.h"
#include "Suite.h"

#include <cstdio>
#include <exception>

using namespace bwgemm::bench;

/// Writes what was asked for. False after an error, which has been printed.
static bool writeFiles(const Options &options, const Table &table) {
  bool good = true;
  auto write = [&](const std::string &path,
                   std::string (*make)(const Table &)) {
    if (path.empty())
      return;
    std::string error = bwgemm::tools::writeFile(path, make(table));
    if (error.empty())
      return;
    std::fprintf(stderr, "bwgemm-bench: error: %s\n", error.c_str());
    good = false;
  };
  write(options.json, makeJson);
  write(options.csv, makeCsv);
  write(options.svg, makeSvg);
  return good;
}

int main(int argc, char **argv) {
  Options options;
  if (auto status = parseOptions(argc, argv, options))
    return *status;
  try {
    if (!options.compileTo.empty())
      return compileAll(options);
    Table table;
    std::string error;
    int status = runAll(options, table, error);
    if (!error.empty()) {
      std::fprintf(stderr, "bwgemm-bench: error: %s\n", error.c_str());
      return status;
    }
    std::fputs(makeText(table).c_str(), stdout);
    std::fflush(stdout);
    return writeFiles(options, table) ? status : 2;
  } catch (const std::exception &failure) {
    // Out of memory, mostly; the standard library has no other way to say so.
    std::fprintf(stderr, "bwgemm-bench: error: %s\n", failure.what());
    return 2;
  }
}

//===- Suite.h - All problems, one after the other ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_BENCH_SUITE_H
#define BWGEMM_TOOLS_BENCH_SUITE_H

#include "Options.h"
#include "Table.h"

#include <string>

namespace bwgemm::bench {

/// Compiles all libraries into options.compileTo. Returns the exit status.
int compileAll(const Options &options);

/// Checks and times everything. What went wrong with a problem is in its row;
/// what ends the program before there is a table is in `error`. Returns the
/// exit status.
int runAll(const Options &options, Table &table, std::string &error);

} // namespace bwgemm::bench

#endif // BWGEMM_TOOLS_BENCH_SUITE_H

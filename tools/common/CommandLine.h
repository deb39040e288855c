//===- CommandLine.h - What parsing a command line ends in ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_COMMON_COMMANDLINE_H
#define BWGEMM_TOOLS_COMMON_COMMANDLINE_H

#include <CLI/CLI.hpp>

#include <cstdio>
#include <optional>
#include <string>

namespace bwgemm::tools {

/// The exit status for bad usage or input.
constexpr int badUsage = 2;

/// Says what is wrong with the command line of `app`, if anything is. Returns
/// the exit status of a program that ends there; nothing if `error` is empty.
inline std::optional<int> judge(const CLI::App &app, const std::string &error) {
  if (error.empty())
    return std::nullopt;
  std::fprintf(stderr, "%s: error: %s\n", app.get_name().c_str(),
               error.c_str());
  return badUsage;
}

/// Parses a command line. Returns the exit status if the program should end at
/// once: 0 after --help, 2 after an error, which has been printed.
inline std::optional<int> parse(CLI::App &app, int argc, char **argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError &failure) {
    return judge(app, std::string(failure.what()) + "; --help explains");
  }
  return std::nullopt;
}

} // namespace bwgemm::tools

#endif // BWGEMM_TOOLS_COMMON_COMMANDLINE_H

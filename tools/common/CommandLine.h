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
#include <cstring>
#include <optional>
#include <string>

namespace bwgemm::tools {

/// The exit status for bad usage or input.
constexpr int badUsage = 2;

/// What was wrong with the command line, for programs that report in JSON.
inline std::string usageError;

/// Says what is wrong with the command line of `app`, if anything is. Returns
/// the exit status of a program that ends there; nothing if `error` is empty.
inline std::optional<int> judge(const CLI::App &app, const std::string &error) {
  if (error.empty())
    return std::nullopt;
  usageError = error;
  std::fprintf(stderr, "%s: error: %s\n", app.get_name().c_str(),
               error.c_str());
  return badUsage;
}

/// Whether `option` itself is among the arguments of a command line, which need
/// not be one that parses.
inline bool hasFlag(int argc, char **argv, const char *option) {
  for (int i = 1; i < argc && std::strcmp(argv[i], "--") != 0; ++i)
    if (std::strcmp(argv[i], option) == 0)
      return true;
  return false;
}

/// Flushes standard output. False, after an error, if what has been printed did
/// not get there: a full disk is no success.
inline bool flushOutput(const char *program) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return true;
  std::fprintf(stderr, "%s: error: cannot write to standard output\n", program);
  return false;
}

/// Parses a command line. Returns the exit status if the program should end at
/// once: 0 after --help, 2 after an error, which has been printed.
inline std::optional<int> parse(CLI::App &app, int argc, char **argv) {
  // CLI11 would take the next argument for the value.
  for (int i = 1; i < argc && std::strcmp(argv[i], "--") != 0; ++i)
    if (std::string text = argv[i]; text.size() > 3 &&
                                    text.compare(0, 2, "--") == 0 &&
                                    text.find('=') == text.size() - 1)
      return judge(app,
                   "expected a value behind '" + text + "'; --help explains");
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

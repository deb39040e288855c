//===- Compile.cpp - Run bwgemm-compile on a .mlir file ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compile.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace bwgemm::runner {

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!name.empty())
    std::filesystem::remove_all(name, ignored);
}

std::string TemporaryFolder::create() {
  const char *parent = std::getenv("TMPDIR");
  std::string pattern =
      std::string(parent && *parent ? parent : "/tmp") + "/bwgemm-XXXXXX";
  if (!mkdtemp(pattern.data()))
    return pattern +
           ": cannot make a temporary folder: " + std::strerror(errno);
  name = pattern;
  return "";
}

std::string compile(const std::string &source, const std::string &output,
                    const std::string &target, const std::string &schedule) {
  std::error_code failure;
  std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure)
    return "cannot find the folder of this program: " + failure.message();
  std::string program = self.parent_path() / "bwgemm-compile";
  if (access(program.c_str(), X_OK) != 0)
    return source + " has to be compiled, but there is no " + program +
           "; give a library made by bwgemm-compile instead";
  std::vector<std::string> words = {program, source, "-o", output};
  if (!target.empty())
    words.push_back("--target=" + target);
  if (!schedule.empty())
    words.push_back("--schedule=" + schedule);
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child;
  if (int code = posix_spawn(&child, program.c_str(), nullptr, nullptr,
                             arguments.data(), environ))
    return program + " cannot be started: " + std::strerror(code);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return program + " cannot be waited for: " + std::strerror(errno);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return "";
  if (WIFSIGNALED(status))
    return program + " was ended by signal " +
           std::to_string(WTERMSIG(status)) + " (" +
           strsignal(WTERMSIG(status)) + ")";
  return source + " could not be compiled";
}

} // namespace bwgemm::runner

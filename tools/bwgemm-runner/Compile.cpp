//===- Compile.cpp - Run bwgemm-compile on a .mlir file ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compile.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

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

/// Runs bwgemm-compile on `source` with options; what it prints goes to
/// `printed` if that is not null. Returns an error text.
static std::string runCompiler(const std::string &source,
                               std::vector<std::string> options,
                               std::string *printed) {
  std::error_code failure;
  std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure)
    return "cannot find the folder of this program: " + failure.message();
  std::string program = self.parent_path() / "bwgemm-compile";
  if (access(program.c_str(), X_OK) != 0)
    return source + " has to be compiled, but there is no " + program +
           "; give a library made by bwgemm-compile instead";
  options.insert(options.begin(), {program, source});
  std::vector<char *> arguments;
  for (std::string &word : options)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int ends[2] = {-1, -1};
  if (printed && pipe2(ends, O_CLOEXEC) != 0)
    return std::string("cannot make a pipe: ") + std::strerror(errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (printed)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child;
  int code = posix_spawn(&child, program.c_str(), &actions, nullptr,
                         arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (printed) {
    close(ends[1]);
    char part[4096];
    for (ssize_t count;
         code == 0 && ((count = read(ends[0], part, sizeof part)) > 0 ||
                       (count < 0 && errno == EINTR));)
      printed->append(part, size_t(std::max<ssize_t>(count, 0)));
    close(ends[0]);
  }
  if (code)
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

std::string compile(const std::string &source, const std::string &output,
                    const std::string &target, const std::string &schedule,
                    const std::string &database) {
  std::vector<std::string> options = {"-o", output};
  if (!target.empty())
    options.push_back("--target=" + target);
  if (!schedule.empty())
    options.push_back("--schedule=" + schedule);
  if (!database.empty())
    options.push_back("--database=" + database);
  return runCompiler(source, options, nullptr);
}

std::string listSchedules(const std::string &source, const std::string &target,
                          const std::string &schedule,
                          std::vector<std::string> &schedules) {
  std::string text;
  std::string error = runCompiler(
      source,
      {"--list-schedules", "--target=" + target, "--schedule=" + schedule},
      &text);
  std::stringstream lines(text);
  schedules.clear();
  for (std::string line; error.empty() && std::getline(lines, line);)
    schedules.push_back(line);
  return error;
}

} // namespace bwgemm::runner

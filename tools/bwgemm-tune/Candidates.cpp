//===- Candidates.cpp - Libraries of a problem's schedules ------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Candidates.h"

#include "Compile.h"
#include "Files.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

namespace bwgemm::tune {

std::string candidateFolder(const std::string &folder, const Problem &problem,
                            const std::string &target) {
  return folder + "/" +
         tools::fileName(problem.sizes() + "." + problem.kind() + "." + target);
}

static std::string libraryPath(const std::string &folder, size_t number) {
  return folder + "/" + std::to_string(number) + ".so";
}

static std::string listPath(const std::string &folder) {
  return folder + "/schedules";
}

std::string makeCandidates(const Problem &problem, const std::string &folder,
                           const CandidatePlan &plan, Candidates &candidates) {
  auto begin = std::chrono::steady_clock::now();
  auto isLate = [&] {
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - begin;
    return plan.seconds > 0 && passed.count() > plan.seconds;
  };
  std::string own = candidateFolder(folder, problem, plan.target);
  std::string source = own + "/matmul.mlir";
  std::vector<std::string> listed;
  std::string error = tools::makeFolder(own);
  if (error.empty())
    error = tools::writeFile(source, tools::makeModule(problem, false));
  if (error.empty())
    error = runner::listSchedules(source, plan.target, "auto", listed);
  if (!error.empty())
    return error;
  listed.resize(std::min(listed.size(), plan.most));

  // What became of each; nothing where there was no time.
  std::vector<std::string> results(listed.size(), "no time");
  std::atomic<size_t> next{0}, done{0};
  std::mutex mutex;
  auto work = [&] {
    for (size_t i; (i = next++) < listed.size();) {
      if (i > 0 && isLate())
        return;
      results[i] =
          runner::compile(source, libraryPath(own, i), plan.target, listed[i]);
      std::lock_guard<std::mutex> lock(mutex);
      if (plan.progress)
        plan.progress(double(++done) / double(listed.size()));
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::min<size_t>(plan.jobs, listed.size()); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();

  std::string list;
  for (size_t i = 0; i < listed.size(); ++i) {
    if (results[i] == "no time")
      continue;
    if (!results[i].empty()) {
      candidates.failures.push_back(listed[i] + ": " + results[i]);
      continue;
    }
    candidates.schedules.push_back(listed[i]);
    candidates.libraries.push_back(libraryPath(own, i));
    list += std::to_string(i) + " " + listed[i] + "\n";
  }
  std::error_code ignored;
  std::filesystem::remove(source, ignored);
  return tools::writeFile(listPath(own), list);
}

std::string takeCandidates(const Problem &problem, const std::string &folder,
                           const CandidatePlan &plan, Candidates &candidates) {
  std::string own = candidateFolder(folder, problem, plan.target);
  std::ifstream list(listPath(own));
  if (!list)
    return listPath(own) + ": cannot be read: " + std::strerror(errno) +
           "; --compile-to makes it";
  std::string schedule;
  for (size_t number;
       candidates.schedules.size() < plan.most && list >> number >> schedule;) {
    candidates.schedules.push_back(schedule);
    candidates.libraries.push_back(libraryPath(own, number));
  }
  return candidates.schedules.empty() ? listPath(own) + ": has no schedules"
                                      : "";
}

} // namespace bwgemm::tune

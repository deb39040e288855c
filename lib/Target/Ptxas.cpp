//===- Ptxas.cpp - Finding and running NVIDIA's assembler -----------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Target/Ptxas.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

using namespace mlir::bwgemm;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Finding it
//===----------------------------------------------------------------------===//

static std::optional<std::string>
executableAt(const Twine &folder, const Twine &a, const Twine &b = "") {
  SmallString<128> path;
  folder.toVector(path);
  sys::path::append(path, a, b);
  if (!sys::fs::is_directory(path) && sys::fs::can_execute(path))
    return std::string(path);
  return std::nullopt;
}

/// `folder` is a site-packages folder. The wheel for CUDA 13 installs to
/// nvidia/cu13, the one for CUDA 12 to nvidia/cuda_nvcc.
static std::optional<std::string> findInSitePackages(StringRef folder) {
  for (const char *wheel : {"cu13", "cuda_nvcc"})
    if (auto path = executableAt(folder + "/nvidia/" + wheel, "bin", "ptxas"))
      return path;
  return std::nullopt;
}

/// `prefix` is what Python calls so: the folder with lib/python3.X.
static std::optional<std::string> findInPrefix(StringRef prefix) {
  SmallString<128> lib(prefix);
  sys::path::append(lib, "lib");
  std::error_code error;
  for (sys::fs::directory_iterator it(lib, error), end; !error && it != end;
       it.increment(error)) {
    if (!sys::path::filename(it->path()).starts_with("python3"))
      continue;
    for (const char *packages : {"/site-packages", "/dist-packages"})
      if (auto path = findInSitePackages(it->path() + packages))
        return path;
  }
  return std::nullopt;
}

std::optional<std::string> mlir::bwgemm::findPtxas(StringRef hint,
                                                   std::string &error) {
  error.clear();
  if (!hint.empty()) {
    if (sys::fs::is_directory(hint)) {
      if (auto path = executableAt(hint, "bin", "ptxas"))
        return path;
      if (auto path = executableAt(hint, "ptxas"))
        return path;
      error = ("no ptxas in folder '" + hint + "' or its bin").str();
      return std::nullopt;
    }
    auto path = sys::findProgramByName(hint);
    if (path && sys::fs::can_execute(*path))
      return *path;
    error = ("no program '" + hint + "' to use as ptxas").str();
    return std::nullopt;
  }
  if (auto home = sys::Process::GetEnv("CUDA_HOME"))
    if (auto path = executableAt(*home, "bin", "ptxas"))
      return path;
  if (auto path = sys::findProgramByName("ptxas"))
    return *path;
  if (auto path = executableAt("/usr/local/cuda", "bin", "ptxas"))
    return path;

  SmallVector<std::string> prefixes;
  for (const char *variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (auto prefix = sys::Process::GetEnv(variable))
      prefixes.push_back(*prefix);
  if (auto python = sys::findProgramByName("python3")) {
    prefixes.push_back(
        sys::path::parent_path(sys::path::parent_path(*python)).str());
    SmallString<128> real;
    if (!sys::fs::real_path(*python, real))
      prefixes.push_back(
          sys::path::parent_path(sys::path::parent_path(real)).str());
  }
  // tools/setup.sh puts the wheel into the build folder, which holds this
  // program's bin.
  static int anchor;
  prefixes.push_back(
      sys::path::parent_path(
          sys::path::parent_path(sys::fs::getMainExecutable(nullptr, &anchor)))
          .str());
  SmallString<128> home;
  if (sys::path::home_directory(home)) {
    sys::path::append(home, ".local");
    prefixes.push_back(std::string(home));
  }
  prefixes.append({"/usr/local", "/usr"});
  for (const std::string &prefix : prefixes)
    if (auto path = findInPrefix(prefix))
      return path;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Running it
//===----------------------------------------------------------------------===//

/// Takes the number before `unit` in `line`, e.g. 40 of "Used 40 registers".
static int64_t numberBefore(StringRef line, StringRef unit) {
  size_t end = line.find(unit);
  if (end == StringRef::npos)
    return 0;
  StringRef text = line.take_front(end).rtrim();
  size_t digits = text.find_last_not_of("0123456789");
  int64_t value = 0;
  text.substr(digits + 1).getAsInteger(10, value);
  return value;
}

/// Sorts the lines that ptxas -v prints into facts and warnings.
static void parseLog(StringRef log, PtxasResult &result) {
  SmallVector<StringRef> lines;
  log.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    line = line.rtrim();
    if (line.contains("Compiling entry function '")) {
      PtxasKernel kernel;
      kernel.name = line.split("function '").second.split('\'').first.str();
      result.kernels.push_back(kernel);
      continue;
    }
    if (line.contains("bytes stack frame")) {
      if (result.kernels.empty())
        continue;
      PtxasKernel &kernel = result.kernels.back();
      kernel.stackBytes = numberBefore(line, " bytes stack frame");
      kernel.spillStoreBytes = numberBefore(line, " bytes spill stores");
      kernel.spillLoadBytes = numberBefore(line, " bytes spill loads");
      continue;
    }
    if (line.contains(": Used ")) {
      if (!result.kernels.empty())
        result.kernels.back().registers = numberBefore(line, " registers");
      continue;
    }
    // Lines of "info" that matter carry a number, such as (C7508).
    if (!line.starts_with("ptxas info") || line.contains(": (C"))
      result.warnings.push_back(line.trim().str());
  }
}

/// A folder that only this user can enter, so that no one else can put a file
/// in the place of ours.
static bool makePrivateFolder(SmallVectorImpl<char> &path) {
  sys::path::system_temp_directory(/*erasedOnReboot=*/true, path);
  sys::path::append(path, "bwgemm-XXXXXX");
  path.push_back('\0');
  bool made = ::mkdtemp(path.data()) != nullptr;
  path.pop_back();
  return made;
}

static std::atomic<int64_t> spentMicroseconds;

double mlir::bwgemm::getPtxasMilliseconds() { return spentMicroseconds * 1e-3; }

namespace {
struct Stopwatch {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  ~Stopwatch() {
    spentMicroseconds += std::chrono::duration_cast<std::chrono::microseconds>(
                             Clock::now() - begin)
                             .count();
  }
};
} // namespace

PtxasResult mlir::bwgemm::runPtxas(StringRef ptxas, StringRef chip,
                                   StringRef ptx) {
  Stopwatch stopwatch;
  PtxasResult result;
  SmallString<128> folder;
  if (!makePrivateFolder(folder)) {
    result.error = ("cannot make a temporary folder '" + folder +
                    "': " + std::strerror(errno))
                       .str();
    return result;
  }
  auto inFolder = [&](StringRef name) {
    SmallString<128> path = folder;
    sys::path::append(path, name);
    return std::string(path);
  };
  std::string source = inFolder("kernels.ptx");
  std::string cubin = inFolder("kernels.cubin");
  std::string log = inFolder("ptxas.log");

  std::error_code code;
  {
    raw_fd_ostream file(source, code);
    if (!code) {
      file << ptx;
      file.close();
      code = file.error();
      file.clear_error();
    }
  }
  if (code) {
    result.error = "cannot write '" + source + "': " + code.message();
    sys::fs::remove_directories(folder);
    return result;
  }

  std::string arch = ("-arch=" + chip).str();
  StringRef arguments[] = {ptxas, arch, "-O3", "-v", source, "-o", cubin};
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(log),
                                          StringRef(log)};
  std::string failure;
  int status = sys::ExecuteAndWait(ptxas, arguments, /*Env=*/std::nullopt,
                                   redirects, /*SecondsToWait=*/0,
                                   /*MemoryLimit=*/0, &failure);
  std::string output;
  if (auto buffer = MemoryBuffer::getFile(log))
    output = (*buffer)->getBuffer().str();

  if (status != 0) {
    result.error = "ptxas failed";
    if (status > 0)
      result.error += " with status " + std::to_string(status);
    if (!failure.empty())
      result.error += ": " + failure;
    StringRef text = StringRef(output).rtrim();
    if (!text.empty())
      result.error += "\n" + text.str();
    sys::fs::remove(log);
    sys::fs::remove(cubin);
    result.error += "\nthe PTX is kept in " + source +
                    "; to repeat: " + ptxas.str() + " " + arch + " -O3 " +
                    source;
    return result;
  }

  auto bytes = MemoryBuffer::getFile(cubin, /*IsText=*/false,
                                     /*RequiresNullTerminator=*/false);
  if (bytes) {
    StringRef data = (*bytes)->getBuffer();
    result.cubin.assign(data.begin(), data.end());
    result.succeeded = true;
    parseLog(output, result);
  } else {
    result.error =
        "ptxas left no '" + cubin + "': " + bytes.getError().message();
  }
  sys::fs::remove_directories(folder);
  return result;
}

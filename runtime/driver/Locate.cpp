//===- Locate.cpp - Opening driver libraries --------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Locate.h"

#include "bwgemm-runtime/Driver.h"

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <unistd.h>

namespace bwgemm::runtime {

static constexpr const char emulatorFile[] = "libbwgemm-emulator.so";

static std::mutex &pathMutex() {
  static std::mutex mutex;
  return mutex;
}

static std::string &knownEmulatorPath() {
  static std::string path;
  return path;
}

void setEmulatorLibrary(std::string_view path) {
  std::lock_guard<std::mutex> lock(pathMutex());
  knownEmulatorPath() = std::string(path);
}

void *openLibrary(const std::string &name, std::string &error) {
  // RTLD_LOCAL: the emulator exports the driver's names, which must not take
  // the place of a real driver's for the rest of the process.
  if (void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
    return handle;
  const char *reason = dlerror();
  error += reason ? reason : "dlopen failed";
  return nullptr;
}

/// The folder of a file, without links; "" if there is no such file.
static std::string folderOf(const std::string &file) {
  char *resolved = realpath(file.c_str(), nullptr);
  if (!resolved)
    return std::string();
  std::string path = resolved;
  std::free(resolved);
  return path.substr(0, path.rfind('/'));
}

static std::string programFile() {
  char buffer[4096];
  ssize_t length = readlink("/proc/self/exe", buffer, sizeof(buffer));
  if (length <= 0 || size_t(length) >= sizeof(buffer))
    return std::string();
  return std::string(buffer, size_t(length));
}

/// The library or program that this code is part of.
static std::string ownFile() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&folderOf), &info) ||
      !info.dli_fname)
    return std::string();
  return info.dli_fname;
}

void *openEmulator(std::string &path, std::string &error) {
  if (const char *variable = std::getenv("BWGEMM_EMULATOR_LIBRARY");
      variable && *variable) {
    path = variable;
    std::string reason;
    if (void *handle = openLibrary(path, reason))
      return handle;
    error = "BWGEMM_EMULATOR_LIBRARY names no library that opens: " + reason;
    return nullptr;
  }

  std::string looked;
  auto attempt = [&](const std::string &file) -> void * {
    if (access(file.c_str(), R_OK) != 0) {
      looked += looked.empty() ? file : ", " + file;
      return nullptr;
    }
    std::string reason;
    void *handle = openLibrary(file, reason);
    if (handle)
      path = file;
    else
      looked += (looked.empty() ? "" : ", ") + file + " (" + reason + ")";
    return handle;
  };

  std::string previous;
  // A program's own name for itself may be relative; both are the same folder
  // where this code is part of the program.
  for (const std::string &file : {ownFile(), programFile()}) {
    std::string folder = folderOf(file);
    if (folder.empty() || folder == previous)
      continue;
    previous = folder;
    if (void *handle = attempt(folder + "/" + emulatorFile))
      return handle;
    if (void *handle = attempt(folder + "/../lib/" + emulatorFile))
      return handle;
  }

  std::string known;
  {
    std::lock_guard<std::mutex> lock(pathMutex());
    known = knownEmulatorPath();
  }
  if (!known.empty())
    if (void *handle = attempt(known))
      return handle;

  std::string reason;
  path = emulatorFile;
  if (void *handle = openLibrary(path, reason))
    return handle;
  error = std::string("cannot find ") + emulatorFile + " (looked for " +
          (looked.empty() ? "" : looked + ", ") +
          "and on the loader's search path); set BWGEMM_EMULATOR_LIBRARY to "
          "its file name";
  return nullptr;
}

} // namespace bwgemm::runtime

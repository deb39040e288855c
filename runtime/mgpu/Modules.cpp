//===- Modules.cpp - Modules that load when they are used -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modules.h"

#include "Calls.h"

#include <array>
#include <cstring>

namespace bwgemm::runtime::launch {

uint64_t fnv1a(const void *data, size_t bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < bytes; ++i)
    hash =
        (hash ^ static_cast<const unsigned char *>(data)[i]) * 0x100000001b3u;
  return hash;
}

namespace {

struct Kernel {
  std::string name;
  int allowedShared = -1; ///< -1 before it was asked for.
  /// Clusters that run at once, by threads and bytes of shared memory of a CTA
  /// and CTAs of a cluster.
  std::map<std::array<unsigned, 3>, int> residentClusters = {};
};

struct Kernels {
  std::mutex mutex;
  std::map<CUfunction, Kernel> known;
};

} // namespace

static Kernels &kernels() {
  static Kernels *instance = new Kernels;
  return *instance;
}

std::string kernelName(CUfunction function) {
  std::lock_guard<std::mutex> lock(kernels().mutex);
  auto found = kernels().known.find(function);
  return found == kernels().known.end() ? std::string() : found->second.name;
}

bool allowSharedMemory(Session &session, CUfunction function, int bytes) {
  std::lock_guard<std::mutex> lock(kernels().mutex);
  int &allowed = kernels().known[function].allowedShared;
  const DriverApi &driver = session.driver();
  if (allowed < 0 &&
      !session.check(driver.cuFuncGetAttribute(
                         &allowed,
                         CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                         function),
                     "cuFuncGetAttribute"))
    return false;
  if (bytes <= allowed)
    return true;
  if (!session.check(
          driver.cuFuncSetAttribute(
              function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes),
          "setting the kernel's dynamic shared memory to " +
              std::to_string(bytes) + " bytes"))
    return false;
  allowed = bytes;
  return true;
}

int getResidentClusters(Session &session, CUfunction function,
                        const CUlaunchConfig &config, unsigned ctas) {
  unsigned threads = config.blockDimX * config.blockDimY * config.blockDimZ;
  std::lock_guard<std::mutex> lock(kernels().mutex);
  auto [found, isNew] = kernels().known[function].residentClusters.try_emplace(
      {threads, config.sharedMemBytes, ctas}, 0);
  // What does not run at all is the launch's to report.
  if (isNew && session.driver().cuOccupancyMaxActiveClusters(
                   &found->second, function, &config) != CUDA_SUCCESS)
    found->second = 0;
  return found->second;
}

void forgetKernels(const LazyModule &module) {
  std::lock_guard<std::mutex> lock(kernels().mutex);
  for (const auto &[name, function] : module.functions)
    kernels().known.erase(function);
}

/// True if the image is text. Cubins and fatbins begin with bytes that PTX
/// cannot: 0x7f and 0x50 0xed.
static bool isText(const void *image) {
  auto *bytes = static_cast<const unsigned char *>(image);
  return bytes[0] != 0x7f && !(bytes[0] == 0x50 && bytes[1] == 0xed);
}

/// The cubin that the library carries for this PTX, or null.
static const void *findCubin(const char *ptx, size_t length) {
  const bwgemm_cubin *table = bwgemm_cubins; // Weak: null if undefined.
  if (!table)
    return nullptr;
  uint64_t hash = fnv1a(ptx, length);
  for (const bwgemm_cubin *entry = table; entry->cubin; ++entry)
    if (entry->ptx_hash == hash)
      return entry->cubin;
  return nullptr;
}

bool LazyModule::load(Session &session) {
  AllowWhileCapturing allowed(session.driver());
  if (!isText(image)) {
    std::string error;
    module = loadImage(session.driver(), image, optimizationLevel, error);
    if (!module)
      fail(error);
    return module != nullptr;
  }
  auto *text = static_cast<const char *>(image);
  size_t length = bytes ? strnlen(text, bytes) : std::strlen(text);
  if (!session.driver().emulated)
    if (const void *cubin = findCubin(text, length)) {
      // A cubin fits one architecture; where it does not, the PTX decides.
      std::string ignored;
      module = loadImage(session.driver(), cubin, optimizationLevel, ignored);
      if (module)
        return true;
    }
  // The driver reads up to a zero byte, which a sized image need not have.
  std::string copy(text, length);
  std::string error;
  module = loadImage(session.driver(), copy.c_str(), optimizationLevel, error);
  if (!module)
    fail(error);
  return module != nullptr;
}

CUfunction LazyModule::find(const char *name) {
  Session session;
  if (!session)
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (!module && !load(session))
    return nullptr;
  auto known = functions.find(name);
  if (known != functions.end())
    return known->second;
  CUfunction function = nullptr;
  if (!session.check(
          session.driver().cuModuleGetFunction(&function, module, name),
          std::string("cuModuleGetFunction of '") + name + "'"))
    return nullptr;
  functions[name] = function;
  std::lock_guard<std::mutex> naming(kernels().mutex);
  kernels().known[function] = {name};
  return function;
}

} // namespace bwgemm::runtime::launch

//===- ProcAddressApi.cpp - Looking up entry points by name -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuGetProcAddress takes a name without its version suffix and the CUDA version
// that the program was written for, and returns the variant that this version
// called by that name (CUDA Driver API, "Driver Entry Point Access").
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>

using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

namespace {

struct EntryPoint {
  const char *name;
  int since; ///< CUDA version, 1000 * major + 10 * minor.
  const char *symbol;
};

} // namespace

static constexpr EntryPoint entryPoints[] = {
#define ENTRY(name, since, symbol) {#name, since, #symbol},
#include "EntryPoints.def"
#undef ENTRY
};

static constexpr uint64_t perThreadFlag = 2, knownFlags = 3;

/// An exported symbol of this library. Not of the process: a real driver may be
/// loaded beside.
static void *ownSymbol(const std::string &symbol) {
  static void *self = []() -> void * {
    Dl_info info;
    if (!dladdr(reinterpret_cast<const void *>(&ownSymbol), &info) ||
        !info.dli_fname)
      return nullptr;
    return dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  }();
  return self ? dlsym(self, symbol.c_str()) : nullptr;
}

static CUresult lookUp(const char *name, void **function, int version,
                       uint64_t flags, CUdriverProcAddressQueryResult &status) {
  if (!name || !function || version > driverApiVersion || flags & ~knownFlags)
    return CUDA_ERROR_INVALID_VALUE;
  *function = nullptr;
  auto byName = [](const EntryPoint &entry, const char *name) {
    return std::strcmp(entry.name, name) < 0;
  };
  const EntryPoint *first = std::lower_bound(
      std::begin(entryPoints), std::end(entryPoints), name, byName);
  const EntryPoint *found = nullptr;
  bool known = false;
  for (const EntryPoint *entry = first;
       entry != std::end(entryPoints) && std::strcmp(entry->name, name) == 0;
       ++entry) {
    known = true;
    if (entry->since <= version)
      found = entry;
  }
  if (found) {
    std::string symbol = found->symbol;
    if (flags & perThreadFlag)
      for (const char *suffix : {"_ptsz", "_ptds"})
        if (!*function)
          *function = ownSymbol(symbol + suffix);
    if (!*function)
      *function = ownSymbol(symbol);
  }
  status = *function ? CU_GET_PROC_ADDRESS_SUCCESS
           : known   ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                     : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuGetProcAddress_v2(const char *name, void **function, int version,
                                 uint64_t flags,
                                 CUdriverProcAddressQueryResult *status) {
  CUdriverProcAddressQueryResult answer;
  CUresult result = lookUp(name, function, version, flags, answer);
  // Not finding a name is no error here, with or without a place for the
  // status (seen on an H200).
  if (result == CUDA_SUCCESS && status)
    *status = answer;
  return result;
}

BWGEMM_ENTRY cuGetProcAddress(const char *name, void **function, int version,
                              uint64_t flags) {
  CUdriverProcAddressQueryResult answer;
  CUresult result = lookUp(name, function, version, flags, answer);
  if (result != CUDA_SUCCESS)
    return result;
  return answer == CU_GET_PROC_ADDRESS_SUCCESS ? CUDA_SUCCESS
                                               : CUDA_ERROR_NOT_FOUND;
}

BWGEMM_ENTRY cuGetExportTable(const void **table, const CUuuid *id) {
  // Undocumented tables that only NVIDIA's own libraries use.
  if (!table || !id)
    return CUDA_ERROR_INVALID_VALUE;
  *table = nullptr;
  static const CUuuid none = {};
  if (std::memcmp(id, &none, sizeof(none)) == 0)
    return CUDA_ERROR_INVALID_VALUE;
  return notSupported(
      "cuGetExportTable",
      "the CUDA runtime (libcudart) reaches the driver through interfaces that "
      "are not documented; programs have to use the driver API (cu...)");
}

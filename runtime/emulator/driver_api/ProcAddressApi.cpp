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

#include <dlfcn.h>

using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

namespace {

struct Variant {
  const char *name;
  int since; ///< CUDA version, 1000 * major + 10 * minor.
  const char *symbol;
};

} // namespace

// For each name the newest variant first. Names that never changed are not
// listed: they are their own symbols.
static constexpr Variant variants[] = {
    {"cuCtxCreate", 12050, "cuCtxCreate_v4"},
    {"cuCtxCreate", 11040, "cuCtxCreate_v3"},
    {"cuCtxCreate", 3020, "cuCtxCreate_v2"},
    {"cuCtxDestroy", 4000, "cuCtxDestroy_v2"},
    {"cuCtxPopCurrent", 4000, "cuCtxPopCurrent_v2"},
    {"cuCtxPushCurrent", 4000, "cuCtxPushCurrent_v2"},
    {"cuDeviceGetUuid", 11040, "cuDeviceGetUuid_v2"},
    {"cuDevicePrimaryCtxRelease", 11000, "cuDevicePrimaryCtxRelease_v2"},
    {"cuDevicePrimaryCtxReset", 11000, "cuDevicePrimaryCtxReset_v2"},
    {"cuDevicePrimaryCtxSetFlags", 11000, "cuDevicePrimaryCtxSetFlags_v2"},
    {"cuDeviceTotalMem", 3020, "cuDeviceTotalMem_v2"},
    {"cuEventDestroy", 4000, "cuEventDestroy_v2"},
    {"cuEventElapsedTime", 12080, "cuEventElapsedTime_v2"},
    {"cuGetProcAddress", 12000, "cuGetProcAddress_v2"},
    {"cuMemAlloc", 3020, "cuMemAlloc_v2"},
    {"cuMemAllocHost", 3020, "cuMemAllocHost_v2"},
    {"cuMemAllocPitch", 3020, "cuMemAllocPitch_v2"},
    {"cuMemFree", 3020, "cuMemFree_v2"},
    {"cuMemGetAddressRange", 3020, "cuMemGetAddressRange_v2"},
    {"cuMemGetInfo", 3020, "cuMemGetInfo_v2"},
    {"cuMemHostGetDevicePointer", 3020, "cuMemHostGetDevicePointer_v2"},
    {"cuMemHostRegister", 6050, "cuMemHostRegister_v2"},
    {"cuMemcpy2D", 3020, "cuMemcpy2D_v2"},
    {"cuMemcpy2DAsync", 3020, "cuMemcpy2DAsync_v2"},
    {"cuMemcpy2DUnaligned", 3020, "cuMemcpy2DUnaligned_v2"},
    {"cuMemcpyDtoD", 3020, "cuMemcpyDtoD_v2"},
    {"cuMemcpyDtoDAsync", 3020, "cuMemcpyDtoDAsync_v2"},
    {"cuMemcpyDtoH", 3020, "cuMemcpyDtoH_v2"},
    {"cuMemcpyDtoHAsync", 3020, "cuMemcpyDtoHAsync_v2"},
    {"cuMemcpyHtoD", 3020, "cuMemcpyHtoD_v2"},
    {"cuMemcpyHtoDAsync", 3020, "cuMemcpyHtoDAsync_v2"},
    {"cuMemsetD16", 3020, "cuMemsetD16_v2"},
    {"cuMemsetD2D16", 3020, "cuMemsetD2D16_v2"},
    {"cuMemsetD2D32", 3020, "cuMemsetD2D32_v2"},
    {"cuMemsetD2D8", 3020, "cuMemsetD2D8_v2"},
    {"cuMemsetD32", 3020, "cuMemsetD32_v2"},
    {"cuMemsetD8", 3020, "cuMemsetD8_v2"},
    {"cuModuleGetGlobal", 3020, "cuModuleGetGlobal_v2"},
    {"cuStreamBeginCapture", 10010, "cuStreamBeginCapture_v2"},
    {"cuStreamDestroy", 4000, "cuStreamDestroy_v2"},
};

/// An exported symbol of this library. Not of the process: a real driver may be
/// loaded beside.
static void *ownSymbol(const char *symbol) {
  static void *self = []() -> void * {
    Dl_info info;
    if (!dladdr(reinterpret_cast<const void *>(&ownSymbol), &info) ||
        !info.dli_fname)
      return nullptr;
    return dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  }();
  return self ? dlsym(self, symbol) : nullptr;
}

static CUresult lookUp(const char *name, void **function, int version,
                       CUdriverProcAddressQueryResult *status) {
  if (!name || !function)
    return CUDA_ERROR_INVALID_VALUE;
  *function = nullptr;
  const char *symbol = name;
  bool listed = false, found = false;
  for (const Variant &variant : variants) {
    if (std::string(variant.name) != name)
      continue;
    listed = true;
    if (version >= variant.since) {
      symbol = variant.symbol;
      found = true;
      break;
    }
  }
  if (listed && !found) {
    if (status)
      *status = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    return status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  }
  // Only what this interface documents; not the C library behind it.
  if (std::string(symbol).compare(0, 2, "cu") == 0)
    *function = ownSymbol(symbol);
  if (status)
    *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS
                        : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

BWGEMM_ENTRY cuGetProcAddress(const char *name, void **function, int version,
                              uint64_t) {
  return lookUp(name, function, version, nullptr);
}

BWGEMM_ENTRY cuGetProcAddress_v2(const char *name, void **function, int version,
                                 uint64_t,
                                 CUdriverProcAddressQueryResult *status) {
  return lookUp(name, function, version, status);
}

BWGEMM_ENTRY cuGetExportTable(const void **table, const CUuuid *) {
  // Undocumented tables that only NVIDIA's own libraries use.
  if (table)
    *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}

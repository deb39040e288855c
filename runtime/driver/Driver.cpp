//===- Driver.cpp - The CUDA driver, or what stands in for it ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/Driver.h"

#include "Locate.h"

#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>

namespace bwgemm::runtime {

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

const char *resultName(CUresult result) {
  switch (result) {
#define BWGEMM_CUDA_RESULT(name, value, text)                                  \
  case name:                                                                   \
    return #name;
    BWGEMM_CUDA_RESULTS(BWGEMM_CUDA_RESULT)
#undef BWGEMM_CUDA_RESULT
  }
  return "CUDA_ERROR_UNKNOWN";
}

const char *resultDescription(CUresult result) {
  switch (result) {
#define BWGEMM_CUDA_RESULT(name, value, text)                                  \
  case name:                                                                   \
    return text;
    BWGEMM_CUDA_RESULTS(BWGEMM_CUDA_RESULT)
#undef BWGEMM_CUDA_RESULT
  }
  return "unknown error";
}

bool isLaunchFault(CUresult result) {
  switch (result) {
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
    return true;
  default:
    return false;
  }
}

std::string DriverApi::check(CUresult result, const char *what) const {
  if (result == CUDA_SUCCESS)
    return std::string();
  // The driver knows results that are newer than this file.
  const char *name = nullptr, *text = nullptr;
  if (!cuGetErrorName || cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
    name = resultName(result);
  if (!cuGetErrorString || cuGetErrorString(result, &text) != CUDA_SUCCESS ||
      !text)
    text = resultDescription(result);
  return std::string(what) + " failed: " + name + " (" +
         std::to_string(int(result)) + "): " + text;
}

std::string DriverApi::describe() const {
  if (emulated)
    return "emulator (" + reason + ")";
  return "GPU " + std::to_string(device) + ", " + deviceName + ", sm_" +
         std::to_string(major * 10 + minor) +
         (reason.empty() ? "" : " (" + reason + ")");
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

bool DriverChoice::parse(std::string_view text, DriverChoice &choice,
                         std::string &error) {
  if (text == "auto")
    choice.kind = DriverKind::Auto;
  else if (text == "cuda")
    choice.kind = DriverKind::Cuda;
  else if (text == "emulator")
    choice.kind = DriverKind::Emulator;
  else {
    error = "unknown device '" + std::string(text) +
            "', expected auto, cuda or emulator";
    return false;
  }
  return true;
}

namespace {

/// Every library that has been opened, by the name it was asked for with.
struct Registry {
  std::mutex mutex;
  /// By library and device, since a table carries the device it was chosen for.
  std::map<std::pair<std::string, CUdevice>, std::unique_ptr<DriverApi>> tables;
};

} // namespace

static Registry &registry() {
  // Never destroyed: tables are used from exit handlers of other libraries.
  static Registry *instance = new Registry;
  return *instance;
}

/// Fills the table from an open library. False if an entry point is missing.
static bool fill(DriverApi &api, void *handle, std::string &error) {
#define BWGEMM_DRIVER_ENTRY(name, symbol, parameters)                          \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(handle, #symbol));     \
  if (!api.name) {                                                             \
    error = api.library + " has no " #symbol                                   \
                          "; a CUDA driver of version 12.0 or later is "       \
                          "needed";                                            \
    return false;                                                              \
  }
#include "bwgemm-runtime/DriverEntries.def"
#undef BWGEMM_DRIVER_ENTRY
  api.cuFuncGetParamInfo = reinterpret_cast<decltype(api.cuFuncGetParamInfo)>(
      dlsym(handle, "cuFuncGetParamInfo"));
  api.emulatorReport = reinterpret_cast<decltype(api.emulatorReport)>(
      dlsym(handle, "bwgemmEmulatorReport"));
  api.emulatorResetReport = reinterpret_cast<decltype(api.emulatorResetReport)>(
      dlsym(handle, "bwgemmEmulatorResetReport"));
  api.emulatorHazardCount = reinterpret_cast<decltype(api.emulatorHazardCount)>(
      dlsym(handle, "bwgemmEmulatorHazardCount"));
  api.emulated = api.emulatorReport != nullptr;
  return true;
}

/// Initialises the driver and picks the first device that runs `target`. On
/// failure `error` says why no device will do.
static bool selectDevice(DriverApi &api, const std::string &target,
                         std::string &error) {
  if (error = api.check(api.cuInit(0), "cuInit"); !error.empty())
    return false;
  int count = 0;
  if (error = api.check(api.cuDeviceGetCount(&count), "cuDeviceGetCount");
      !error.empty())
    return false;
  if (count == 0) {
    error = "the driver reports no device";
    return false;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    CUdevice device = 0;
    int major = 0, minor = 0;
    CUresult result = api.cuDeviceGet(&device, ordinal);
    if (result == CUDA_SUCCESS)
      result = api.cuDeviceGetAttribute(
          &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    if (result == CUDA_SUCCESS)
      result = api.cuDeviceGetAttribute(
          &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    if (result != CUDA_SUCCESS) {
      error = api.check(result, "asking for a device's compute capability");
      return false;
    }
    std::string why;
    // The emulator checks targets when it loads a module: it may take its
    // architecture from there.
    if (!target.empty() && !api.emulated &&
        !canRunTarget(target, major, minor, why)) {
      if (!error.empty())
        error += "; ";
      error += "GPU " + std::to_string(ordinal) + " is sm_" +
               std::to_string(major * 10 + minor) + ", " + why;
      continue;
    }
    char name[256] = "";
    if (api.cuDeviceGetName(name, sizeof(name), device) != CUDA_SUCCESS)
      name[0] = '\0';
    api.device = device;
    api.major = major;
    api.minor = minor;
    api.deviceName = name;
    error.clear();
    return true;
  }
  return false;
}

/// Keeps `api`, or returns the table that was made for the same library and
/// device before.
static const DriverApi *keep(std::unique_ptr<DriverApi> api) {
  std::unique_ptr<DriverApi> &slot =
      registry().tables[{api->library, api->device}];
  if (!slot)
    slot = std::move(api);
  return slot.get();
}

static const DriverApi *openEmulatorDriver(const std::string &reason,
                                           std::string &error) {
  auto api = std::make_unique<DriverApi>();
  void *handle = openEmulator(api->library, error);
  if (!handle)
    return nullptr;
  if (!fill(*api, handle, error))
    return nullptr;
  if (!api->emulated) {
    error = api->library + " is not bwgemm's emulator";
    return nullptr;
  }
  if (!selectDevice(*api, std::string(), error))
    return nullptr;
  api->reason = reason;
  return keep(std::move(api));
}

/// Opens NVIDIA's driver. `error` gets the reason if there is none or if no GPU
/// runs `target`.
static const DriverApi *openCudaDriver(const std::string &target,
                                       std::string &error) {
  auto api = std::make_unique<DriverApi>();
  api->library = "libcuda.so.1";
  std::string loader;
  void *handle = openLibrary(api->library, loader);
  if (!handle) {
    // The loader's own words only where the file is there but does not open.
    bool missing = loader.find("No such file") != std::string::npos;
    error = missing ? "no libcuda.so.1" : "cannot open libcuda.so.1: " + loader;
    return nullptr;
  }
  if (!fill(*api, handle, error))
    return nullptr;
  if (api->emulated) {
    // Its SONAME is libcuda.so.1, so the loader hands it out under this name
    // once it is loaded, or if a search path leads to it.
    error = "libcuda.so.1 is bwgemm's emulator in this process";
    return nullptr;
  }
  if (!selectDevice(*api, target, error))
    return nullptr;
  return keep(std::move(api));
}

static const DriverApi *openPathDriver(const std::string &path,
                                       const std::string &target,
                                       std::string &error) {
  auto api = std::make_unique<DriverApi>();
  api->library = path;
  std::string loader;
  void *handle = openLibrary(path, loader);
  if (!handle) {
    error = "cannot open the driver '" + path + "': " + loader;
    return nullptr;
  }
  if (!fill(*api, handle, error) || !selectDevice(*api, target, error))
    return nullptr;
  api->reason = "asked for as " + path;
  return keep(std::move(api));
}

const DriverApi *loadDriver(const DriverChoice &asked, std::string &error) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  error.clear();
  DriverChoice choice = asked;
  std::string origin = "asked for";
  if (choice.kind == DriverKind::Auto) {
    const char *variable = std::getenv("BWGEMM_DRIVER");
    if (variable && *variable) {
      std::string ignored;
      if (!DriverChoice::parse(variable, choice, ignored)) {
        choice.kind = DriverKind::Path;
        choice.path = variable;
      }
      origin = std::string("BWGEMM_DRIVER=") + variable;
    }
  }

  switch (choice.kind) {
  case DriverKind::Cuda: {
    const DriverApi *api = openCudaDriver(choice.target, error);
    if (!api)
      error = "no GPU to run on: " + error;
    return api;
  }
  case DriverKind::Emulator:
    return openEmulatorDriver(origin, error);
  case DriverKind::Path: {
    const DriverApi *api = openPathDriver(choice.path, choice.target, error);
    if (!api && origin != "asked for")
      error += "; " + origin +
               " should be auto, cuda, emulator or the file name of a driver "
               "library";
    return api;
  }
  case DriverKind::Auto:
    break;
  }

  std::string whyNoGpu;
  if (const DriverApi *api = openCudaDriver(choice.target, whyNoGpu))
    return api;
  const DriverApi *api = openEmulatorDriver(whyNoGpu, error);
  if (!api)
    error = "no GPU to run on (" + whyNoGpu + ") and no emulator: " + error;
  return api;
}

} // namespace bwgemm::runtime

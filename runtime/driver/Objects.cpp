//===- Objects.cpp - Owners of driver objects -------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Destructors drop the driver's result: what can fail there has failed, and was
// reported, in an earlier call already.
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/Driver.h"

#include <cstring>
#include <memory>
#include <utility>

namespace bwgemm::runtime {

PrimaryContext::~PrimaryContext() {
  if (!context)
    return;
  CUcontext popped = nullptr;
  (void)api->cuCtxPopCurrent(&popped);
  (void)api->cuDevicePrimaryCtxRelease(api->device);
}

std::string PrimaryContext::create(const DriverApi &driver) {
  CUcontext retained = nullptr;
  if (std::string error = driver.check(
          driver.cuDevicePrimaryCtxRetain(&retained, driver.device),
          "cuDevicePrimaryCtxRetain");
      !error.empty())
    return error;
  if (std::string error =
          driver.check(driver.cuCtxPushCurrent(retained), "cuCtxPushCurrent");
      !error.empty()) {
    (void)driver.cuDevicePrimaryCtxRelease(driver.device);
    return error;
  }
  api = &driver;
  context = retained;
  return std::string();
}

Stream::~Stream() {
  if (stream)
    (void)api->cuStreamDestroy(stream);
}

std::string Stream::create(const DriverApi &driver) {
  api = &driver;
  return driver.check(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
                      "cuStreamCreate");
}

DeviceBuffer::DeviceBuffer(DeviceBuffer &&other) noexcept
    : api(other.api), pointer(std::exchange(other.pointer, 0)),
      size(std::exchange(other.size, 0)) {}

DeviceBuffer &DeviceBuffer::operator=(DeviceBuffer &&other) noexcept {
  std::swap(api, other.api);
  std::swap(pointer, other.pointer);
  std::swap(size, other.size);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  if (pointer)
    (void)api->cuMemFree(pointer);
}

std::string DeviceBuffer::create(const DriverApi &driver, size_t bytes) {
  api = &driver;
  size = bytes;
  if (bytes == 0)
    return std::string();
  std::string error =
      driver.check(driver.cuMemAlloc(&pointer, bytes), "cuMemAlloc");
  if (!error.empty())
    error += " (" + std::to_string(bytes) + " bytes)";
  return error;
}

std::string DeviceBuffer::copyFrom(const void *host, size_t bytes) {
  if (bytes == 0)
    return std::string();
  return api->check(api->cuMemcpyHtoD(pointer, host, bytes), "cuMemcpyHtoD");
}

std::string DeviceBuffer::copyFrom(const DeviceBuffer &other) {
  if (other.size == 0)
    return std::string();
  return api->check(api->cuMemcpyDtoD(pointer, other.pointer, other.size),
                    "cuMemcpyDtoD");
}

std::string DeviceBuffer::copyTo(void *host, size_t bytes) const {
  if (bytes == 0)
    return std::string();
  return api->check(api->cuMemcpyDtoH(host, pointer, bytes), "cuMemcpyDtoH");
}

CUmodule loadImage(const DriverApi &driver, const void *image,
                   int optimizationLevel, std::string &error,
                   CUresult *result) {
  constexpr size_t logBytes = 8192;
  auto log = std::make_unique<char[]>(logBytes);
  log[0] = '\0';
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_OPTIMIZATION_LEVEL};
  void *values[] = {log.get(), reinterpret_cast<void *>(logBytes),
                    reinterpret_cast<void *>(intptr_t(optimizationLevel))};
  CUmodule module = nullptr;
  CUresult status =
      driver.cuModuleLoadDataEx(&module, image, 3, options, values);
  if (result)
    *result = status;
  error = driver.check(status, "cuModuleLoadDataEx");
  if (error.empty())
    return module;
  size_t length = strnlen(log.get(), logBytes);
  while (length && (log[length - 1] == '\n' || log[length - 1] == ' '))
    --length;
  if (length)
    error += "\n" + std::string(log.get(), length);
  return nullptr;
}

LoadedModule::~LoadedModule() {
  if (module)
    (void)api->cuModuleUnload(module);
}

std::string LoadedModule::create(const DriverApi &driver, const void *image,
                                 int optimizationLevel) {
  api = &driver;
  std::string error;
  module = loadImage(driver, image, optimizationLevel, error);
  return error;
}

std::string LoadedModule::find(const char *kernel, CUfunction &function) const {
  std::string error =
      api->check(api->cuModuleGetFunction(&function, module, kernel),
                 "cuModuleGetFunction");
  if (!error.empty())
    error += std::string(" (no kernel '") + kernel + "' in the module)";
  return error;
}

} // namespace bwgemm::runtime

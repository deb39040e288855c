//===- ClockMeter.cpp - The clocks of a GPU ---------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions and numbers are those of the NVML API reference
// (docs.nvidia.com/deploy/nvml-api), declared here because neither building nor
// running needs the library.
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/Measure.h"

#include <algorithm>
#include <cstdio>
#include <dlfcn.h>

namespace bwgemm::runtime {

namespace {

using NvmlDevice = void *;
constexpr int nvmlSuccess = 0;
/// nvmlClockType_t.
constexpr int clockSm = 1, clockMemory = 2;

} // namespace

struct ClockMeter::Library {
  void *handle = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*deviceByBus)(const char *bus, NvmlDevice *device) = nullptr;
  int (*clock)(NvmlDevice device, int type, unsigned *megahertz) = nullptr;
  NvmlDevice device = nullptr;
  bool ready = false;

  ~Library() {
    if (ready)
      shutdown();
    if (handle)
      dlclose(handle);
  }

  template <typename T> bool find(T &function, const char *name) {
    function = reinterpret_cast<T>(dlsym(handle, name));
    return function != nullptr;
  }
};

ClockMeter::ClockMeter() : problem("nobody asked") {}
ClockMeter::~ClockMeter() = default;

void ClockMeter::open(const DriverApi &driver) {
  auto fresh = std::make_unique<Library>();
  fresh->handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!fresh->handle) {
    problem = "there is no libnvidia-ml.so.1";
    return;
  }
  problem = "libnvidia-ml.so.1 does not answer";
  if (!fresh->find(fresh->init, "nvmlInit_v2") ||
      !fresh->find(fresh->shutdown, "nvmlShutdown") ||
      !fresh->find(fresh->deviceByBus, "nvmlDeviceGetHandleByPciBusId_v2") ||
      !fresh->find(fresh->clock, "nvmlDeviceGetClockInfo") ||
      fresh->init() != nvmlSuccess)
    return;
  fresh->ready = true;
  int domain = 0, bus = 0, place = 0;
  auto ask = [&](CUdevice_attribute attribute, int &value) {
    return driver.cuDeviceGetAttribute(&value, attribute, driver.device) ==
           CUDA_SUCCESS;
  };
  if (!ask(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, domain) ||
      !ask(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, bus) ||
      !ask(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, place))
    return;
  char name[32];
  std::snprintf(name, sizeof name, "%08x:%02x:%02x.0", unsigned(domain),
                unsigned(bus), unsigned(place));
  if (fresh->deviceByBus(name, &fresh->device) != nvmlSuccess)
    return;
  problem.clear();
  library = std::move(fresh);
}

void ClockMeter::sample() {
  if (!library)
    return;
  unsigned megahertz = 0;
  if (library->clock(library->device, clockSm, &megahertz) == nvmlSuccess)
    clocks.push_back(megahertz);
  if (!memoryClock)
    (void)library->clock(library->device, clockMemory, &memoryClock);
}

ClockRange ClockMeter::range() const {
  ClockRange range;
  range.unknown = problem;
  range.memory = memoryClock;
  if (clocks.empty())
    return range;
  std::vector<unsigned> sorted = clocks;
  std::sort(sorted.begin(), sorted.end());
  range.least = sorted.front();
  range.median = sorted[sorted.size() / 2];
  range.greatest = sorted.back();
  return range;
}

} // namespace bwgemm::runtime

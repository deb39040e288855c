//===- State.cpp - What the driver remembers --------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace bwgemm::emulator::driver {

static constexpr uint64_t gib = uint64_t(1) << 30;
static constexpr int kib = 1024, mib = 1024 * 1024;

Architecture architectureOf(const std::string &target) {
  // Multiprocessors, memories and clocks of one product for each compute
  // capability (CUDA C++ Programming Guide, "Technical Specifications per
  // Compute Capability", and NVIDIA's data sheets; 9.0 measured on an H200).
  static const Architecture known[] = {
      {"", 8, 0, "NVIDIA A100", 108, 2048, 163 * kib, 164 * kib, 40 * mib,
       1410000, 80 * gib},
      {"", 8, 6, "NVIDIA A40", 84, 1536, 99 * kib, 100 * kib, 6 * mib, 1740000,
       48 * gib},
      {"", 8, 9, "NVIDIA L40S", 142, 1536, 99 * kib, 100 * kib, 96 * mib,
       2520000, 48 * gib},
      {"", 9, 0, "NVIDIA H200", 132, 2048, 227 * kib, 228 * kib, 50 * mib,
       1980000, 141 * gib},
      {"", 10, 0, "NVIDIA B200", 148, 2048, 227 * kib, 228 * kib, 126 * mib,
       1965000, 180 * gib},
      {"", 10, 3, "NVIDIA B300", 148, 2048, 227 * kib, 228 * kib, 126 * mib,
       1920000, 270 * gib},
      {"", 12, 0, "NVIDIA RTX PRO 6000", 188, 1536, 99 * kib, 100 * kib,
       128 * mib, 2600000, 96 * gib},
  };
  // A target is sm_, the capability without its point, and a suffix.
  int number = target.size() > 3 ? std::atoi(target.c_str() + 3) : 100;
  const Architecture *best = nullptr;
  for (const Architecture &entry : known)
    if (entry.major * 10 + entry.minor == number)
      best = &entry;
  Architecture result = best ? *best : known[4];
  result.name = target;
  result.major = number / 10;
  result.minor = number % 10;
  // A program that sizes its buffers by the device's memory must not ask for
  // more than this machine has.
  long pages = sysconf(_SC_PHYS_PAGES), pageBytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && pageBytes > 0 &&
      uint64_t(pages) * uint64_t(pageBytes) < result.memoryBytes)
    result.memoryBytes = uint64_t(pages) * uint64_t(pageBytes);
  return result;
}

State::State() { architecture = architectureOf(options.arch); }

State &state() {
  // Never destroyed: programs call the driver from their exit handlers.
  static State *instance = new State;
  return *instance;
}

std::vector<Context *> &contextStack() {
  // Owned by the state and never freed: a library's destructors unload its
  // modules after the thread's own variables are gone.
  thread_local std::vector<Context *> *stack = nullptr;
  if (!stack)
    stack = &state().contextStacks.emplace_back();
  return *stack;
}

Call::Call(Needs needs) : lock(driver::state().mutex), state(driver::state()) {
  if (state.ended) {
    status = CUDA_ERROR_DEINITIALIZED;
    return;
  }
  if (!state.initialised) {
    status = CUDA_ERROR_NOT_INITIALIZED;
    return;
  }
  if (needs == Needs::Initialised)
    return;
  std::vector<Context *> &stack = contextStack();
  if (stack.empty() || !stack.back()) {
    status = CUDA_ERROR_INVALID_CONTEXT;
    return;
  }
  if (!state.contexts.count(stack.back())) {
    status = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return;
  }
  context = stack.back();
  status = context->sticky;
}

Architecture architectureFor(const State &state, const Function &function) {
  return state.archGiven ? state.architecture
                         : architectureOf(function.module->target());
}

void complain(const std::string &message) {
  std::fprintf(stderr, "bwgemm emulator: error: %s\n", message.c_str());
  std::fflush(stderr);
}

const Memory *findMemory(State &state, uint64_t address, uint64_t &base) {
  auto after = state.memories.upper_bound(address);
  if (after == state.memories.begin())
    return nullptr;
  auto &[start, memory] = *std::prev(after);
  if (address - start >= memory.bytes)
    return nullptr;
  base = start;
  return &memory;
}

bool inDeviceMemory(State &state, uint64_t address, uint64_t bytes) {
  std::optional<DeviceMemory::Allocation> found = state.memory.find(address);
  return found && bytes <= found->bytes &&
         address - found->base <= found->bytes - bytes;
}

} // namespace bwgemm::emulator::driver

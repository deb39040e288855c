//===- State.cpp - What the driver remembers --------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "Pool.h"
#include "Stream.h"

#include <atomic>
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
       1410000, 1593000, 5120, 80 * gib},
      {"", 8, 6, "NVIDIA A40", 84, 1536, 99 * kib, 100 * kib, 6 * mib, 1740000,
       7251000, 384, 48 * gib},
      {"", 8, 9, "NVIDIA L40S", 142, 1536, 99 * kib, 100 * kib, 96 * mib,
       2520000, 9001000, 384, 48 * gib},
      {"", 9, 0, "NVIDIA H200", 132, 2048, 227 * kib, 228 * kib, 60 * mib,
       1980000, 3201000, 6016, 141 * gib},
      {"", 10, 0, "NVIDIA B200", 148, 2048, 227 * kib, 228 * kib, 126 * mib,
       1965000, 3996000, 8192, 180 * gib},
      {"", 10, 3, "NVIDIA B300", 148, 2048, 227 * kib, 228 * kib, 126 * mib,
       1920000, 3996000, 8192, 270 * gib},
      {"", 12, 0, "NVIDIA RTX PRO 6000", 188, 1536, 99 * kib, 100 * kib,
       128 * mib, 2617000, 14001000, 512, 96 * gib},
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
State::~State() = default;

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
  if (!state.alive(stack.back())) {
    status = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return;
  }
  context = stack.back();
  status = context->sticky;
}

uint64_t threadId() {
  static std::atomic<uint64_t> next{1};
  thread_local uint64_t id = next++;
  return id;
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
  while (true) {
    std::optional<DeviceMemory::Allocation> found = state.memory.find(address);
    if (!found)
      return false;
    uint64_t rest = found->bytes - (address - found->base);
    if (bytes <= rest)
      return true;
    // What cuMemMap has placed side by side is one range to the program.
    auto memory = state.memories.find(found->base);
    if (memory == state.memories.end() || !memory->second.mapped)
      return false;
    address += rest;
    bytes -= rest;
  }
}

CUresult notSupported(const char *entry, const char *why) {
  static std::mutex mutex;
  static std::set<std::string> *said = new std::set<std::string>;
  std::lock_guard<std::mutex> lock(mutex);
  if (said->insert(entry).second)
    complain(std::string(entry) + " is not supported: " + why);
  return CUDA_ERROR_NOT_SUPPORTED;
}

uint64_t newMemory(State &state, Context *context, uint64_t bytes,
                   CUmemorytype type) {
  // Pinned memory comes out of the host's share, which malloc knows best.
  if (type == CU_MEMORYTYPE_DEVICE &&
      (state.deviceBytes > state.architecture.memoryBytes ||
       bytes > state.architecture.memoryBytes - state.deviceBytes))
    return 0;
  uint64_t base = state.memory.allocate(bytes);
  if (!base)
    return 0;
  Memory &memory = state.memories[base];
  memory = Memory();
  memory.bytes = bytes;
  memory.type = type;
  memory.id = state.nextId++;
  memory.context = context;
  if (type == CU_MEMORYTYPE_DEVICE)
    state.deviceBytes += bytes;
  // The host may give a freed range out again.
  for (auto it = state.freed.begin(); it != state.freed.end();)
    it = it->base < base + bytes && base < it->base + it->bytes
             ? state.freed.erase(it)
             : std::next(it);
  return base;
}

void dropMemory(State &state, uint64_t base, const char *by) {
  auto found = state.memories.find(base);
  if (found == state.memories.end())
    return;
  if (found->second.type == CU_MEMORYTYPE_DEVICE && !found->second.mapped)
    state.deviceBytes -= found->second.bytes;
  if (Pool *pool = found->second.pool)
    pool->used -= found->second.bytes;
  // A few are enough: what a program uses after freeing it, it has freed last.
  state.freed.push_back({base, found->second.bytes, by});
  if (state.freed.size() > 64)
    state.freed.pop_front();
  state.memories.erase(found);
  state.memory.release(base);
}

void destroyResources(State &state, Context *context) {
  std::vector<LoadedImage *> images;
  for (LoadedImage *image : state.modules)
    if (image->context == context)
      images.push_back(image);
  for (LoadedImage *image : images) {
    state.modules.erase(image);
    unloadImage(state, image);
  }
  for (auto it = state.captures.begin(); it != state.captures.end();) {
    std::shared_ptr<Capture> capture = *it;
    ++it;
    if (capture->origin->context != context)
      continue;
    for (Stream *stream : capture->streams)
      stream->capture.reset();
    state.captures.erase(capture);
  }
  for (auto it = state.streams.begin(); it != state.streams.end();) {
    if (it->first->context != context) {
      ++it;
      continue;
    }
    if (!it->first->pending.empty())
      --state.waitingStreams;
    it->first->pending.clear();
    it = state.streams.erase(it);
  }
  for (auto it = state.events.begin(); it != state.events.end();)
    it = it->first->context == context ? state.events.erase(it) : std::next(it);
  std::vector<uint64_t> bases;
  for (auto &[base, memory] : state.memories)
    if (memory.context == context && !memory.mapped && !memory.ofGraph)
      bases.push_back(base);
  for (uint64_t base : bases)
    dropMemory(state, base, "the destruction of its context");
  auto clear = [&](std::shared_ptr<Stream> &stream) {
    if (stream && !stream->pending.empty()) {
      stream->pending.clear();
      --state.waitingStreams;
    }
    stream.reset();
  };
  clear(context->legacyStream);
  for (auto &[thread, stream] : context->threadStreams)
    clear(stream);
  context->threadStreams.clear();
}

std::shared_ptr<Stream> findStream(State &state, Context *context,
                                   CUstream handle) {
  auto number = reinterpret_cast<uintptr_t>(handle);
  auto make = [&](std::shared_ptr<Stream> &slot, bool legacy) {
    if (!slot) {
      slot = std::make_shared<Stream>();
      slot->context = context;
      slot->legacy = legacy;
      slot->id = legacy ? 1 : state.nextId++;
    }
    return slot;
  };
  if (number <= 1)
    return make(context->legacyStream, true);
  if (number == 2)
    return make(context->threadStreams[threadId()], false);
  auto found = state.streams.find(reinterpret_cast<Stream *>(handle));
  return found == state.streams.end() ? nullptr : found->second;
}

} // namespace bwgemm::emulator::driver

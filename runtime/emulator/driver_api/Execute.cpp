//===- Execute.cpp - Carrying work out --------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute.h"

#include "Graph.h"
#include "Report.h"

#include <algorithm>
#include <cstring>

namespace bwgemm::emulator::driver {

namespace {

/// What every kind of work needs, and one function for each.
struct Executor {
  State &state;
  std::unique_lock<std::mutex> &lock;
  Context *context;

  void fail(CUresult result) {
    if (context->sticky == CUDA_SUCCESS)
      context->sticky = result;
  }

  bool operator()(EmptyWork &) { return true; }
  void launchAll(std::vector<KernelWork *> kernels);
  bool operator()(KernelWork &work);
  bool operator()(ChainWork &work);
  bool operator()(CopyWork &work);
  bool operator()(SetWork &work);
  bool operator()(HostWork &work);
  bool operator()(CallbackWork &work);
  bool operator()(RecordWork &work);
  bool operator()(WaitWork &work);
  bool operator()(JoinWork &work);
  bool operator()(ValueWork &work);
  bool operator()(AllocateWork &) { return true; }
  bool operator()(FreeWork &work);
  /// Its nodes have been submitted one by one.
  bool operator()(ChildWork &) { return true; }
};

} // namespace

CUresult resultOf(const Fault &fault) {
  switch (fault.kind) {
  case FaultKind::Hang:
    return CUDA_ERROR_LAUNCH_TIMEOUT;
  case FaultKind::Unsupported:
    return CUDA_ERROR_NOT_SUPPORTED;
  case FaultKind::Hazard:
    return CUDA_ERROR_LAUNCH_FAILED;
  case FaultKind::Trap:
    break;
  }
  // The instructions' traps begin with the words of the device's own report.
  auto begins = [&](const char *words) {
    return fault.message.compare(0, std::strlen(words), words) == 0;
  };
  if (begins("misaligned address"))
    return CUDA_ERROR_MISALIGNED_ADDRESS;
  if (begins("illegal instruction"))
    return CUDA_ERROR_ILLEGAL_INSTRUCTION;
  if (begins("illegal address") || begins("out of bounds"))
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  return CUDA_ERROR_LAUNCH_FAILED;
}

/// Says of a fault's address that it was memory once.
static void explainFreed(const State &state, Fault &fault) {
  if (!fault.address)
    return;
  for (auto it = state.freed.rbegin(); it != state.freed.rend(); ++it)
    if (*fault.address - it->base < it->bytes) {
      fault.message +=
          "; it is byte " + std::to_string(*fault.address - it->base) + " of " +
          std::to_string(it->bytes) + " that " + it->by + " has freed";
      return;
    }
}

void Executor::launchAll(std::vector<KernelWork *> kernels) {
  Options options = state.options;
  if (!state.archGiven)
    options.arch = kernels.front()->function.module->target();
  std::vector<ChainLink> chain;
  for (KernelWork *work : kernels)
    chain.push_back(
        {*work->function.module, *work->function.kernel, work->config});
  ++state.running;
  lock.unlock();
  std::vector<LaunchReport> reports;
  {
    std::lock_guard<std::mutex> running(state.launchMutex);
    reports = launchChain(chain, state.memory, options);
  }
  lock.lock();
  --state.running;
  for (size_t i = 0; i < reports.size(); ++i) {
    LaunchReport &report = reports[i];
    const Function &function = kernels[i]->function;
    if (report.fault)
      explainFreed(state, *report.fault);
    recordLaunch(function.kernel->name, function.module->target(), report);
    if (report.fault)
      fail(resultOf(*report.fault));
  }
  for (KernelWork *work : kernels) {
    auto event = state.events.find(
        reinterpret_cast<Event *>(work->request.completionEvent));
    if (event == state.events.end())
      continue;
    event->second->completed = ++event->second->recorded;
    event->second->captured = false;
    event->second->time = std::chrono::steady_clock::now();
  }
}

bool Executor::operator()(KernelWork &work) {
  launchAll({&work});
  return true;
}

bool Executor::operator()(ChainWork &work) {
  std::vector<KernelWork *> kernels;
  for (KernelWork &kernel : work.kernels)
    kernels.push_back(&kernel);
  launchAll(kernels);
  return true;
}

bool Executor::operator()(CopyWork &work) {
  const CUDA_MEMCPY3D &c = work.copy;
  if (!c.WidthInBytes || !c.Height || !c.Depth)
    return true;
  // Memory may have been freed since the work was submitted.
  if (!checkCopy(state, c)) {
    fail(CUDA_ERROR_ILLEGAL_ADDRESS);
    return true;
  }
  size_t toPitch = c.dstPitch ? c.dstPitch : c.WidthInBytes + c.dstXInBytes;
  size_t fromPitch = c.srcPitch ? c.srcPitch : c.WidthInBytes + c.srcXInBytes;
  size_t toHeight = c.dstHeight ? c.dstHeight : c.Height + c.dstY;
  size_t fromHeight = c.srcHeight ? c.srcHeight : c.Height + c.srcY;
  char *to = c.dstMemoryType == CU_MEMORYTYPE_HOST
                 ? static_cast<char *>(c.dstHost)
                 : reinterpret_cast<char *>(c.dstDevice);
  const char *from = c.srcMemoryType == CU_MEMORYTYPE_HOST
                         ? static_cast<const char *>(c.srcHost)
                         : reinterpret_cast<const char *>(c.srcDevice);
  to += (c.dstZ * toHeight + c.dstY) * toPitch + c.dstXInBytes;
  from += (c.srcZ * fromHeight + c.srcY) * fromPitch + c.srcXInBytes;
  for (size_t z = 0; z < c.Depth; ++z)
    for (size_t y = 0; y < c.Height; ++y)
      std::memmove(to + (z * toHeight + y) * toPitch,
                   from + (z * fromHeight + y) * fromPitch, c.WidthInBytes);
  return true;
}

template <typename T> static void setRows(const SetWork &work) {
  for (size_t row = 0; row < work.height; ++row) {
    T *elements = reinterpret_cast<T *>(work.to + row * work.pitch);
    std::fill_n(elements, work.width, T(work.value));
  }
}

bool Executor::operator()(SetWork &work) {
  if (!work.width || !work.height)
    return true;
  if (!checkSet(state, work)) {
    fail(CUDA_ERROR_ILLEGAL_ADDRESS);
    return true;
  }
  if (work.elementBytes == 1)
    setRows<uint8_t>(work);
  else if (work.elementBytes == 2)
    setRows<uint16_t>(work);
  else
    setRows<uint32_t>(work);
  return true;
}

bool Executor::operator()(HostWork &work) {
  ++state.running;
  lock.unlock();
  work.function(work.data);
  lock.lock();
  --state.running;
  return true;
}

bool Executor::operator()(CallbackWork &work) {
  CUresult status = context->sticky;
  ++state.running;
  lock.unlock();
  work.function(work.stream, status, work.data);
  lock.lock();
  --state.running;
  return true;
}

bool Executor::operator()(RecordWork &work) {
  Event &event = *work.event;
  // In a graph every launch is a record of its own.
  uint64_t ticket = work.ticket ? work.ticket : ++event.recorded;
  event.completed = std::max(event.completed, ticket);
  event.captured = false;
  event.time = std::chrono::steady_clock::now();
  return true;
}

bool Executor::operator()(WaitWork &work) {
  if (!work.ticket)
    work.ticket = work.event->recorded;
  return work.event->completed >= work.ticket;
}

bool Executor::operator()(JoinWork &work) {
  return work.stream->completed >= work.submitted;
}

/// Memory that other host threads and kernels write.
template <typename T> static T loadVolatile(uint64_t address) {
  return __atomic_load_n(reinterpret_cast<T *>(address), __ATOMIC_ACQUIRE);
}

template <typename T>
static bool holds(uint64_t address, T wanted, unsigned flags) {
  T have = loadVolatile<T>(address);
  switch (flags & 3) {
  case CU_STREAM_WAIT_VALUE_GEQ:
    // Cyclic, so that a counter may wrap.
    return std::make_signed_t<T>(have - wanted) >= 0;
  case CU_STREAM_WAIT_VALUE_EQ:
    return have == wanted;
  case CU_STREAM_WAIT_VALUE_AND:
    return (have & wanted) != 0;
  }
  return T(~(have | wanted)) != 0;
}

bool Executor::operator()(ValueWork &work) {
  if (checkOperations(state, work.operations) != CUDA_SUCCESS) {
    fail(CUDA_ERROR_ILLEGAL_ADDRESS);
    return true;
  }
  for (; work.next < work.operations.size(); ++work.next) {
    const auto &operation = work.operations[work.next].value;
    switch (operation.operation) {
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
      __atomic_store_n(reinterpret_cast<uint32_t *>(operation.address),
                       operation.value, __ATOMIC_RELEASE);
      break;
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      __atomic_store_n(reinterpret_cast<uint64_t *>(operation.address),
                       operation.value64, __ATOMIC_RELEASE);
      break;
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
      if (!holds<uint32_t>(operation.address, operation.value, operation.flags))
        return false;
      break;
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      if (!holds<uint64_t>(operation.address, operation.value64,
                           operation.flags))
        return false;
      break;
    case CU_STREAM_MEM_OP_BARRIER:
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
      break; // All writes are visible at once.
    }
  }
  return true;
}

bool Executor::operator()(FreeWork &work) {
  auto found = state.memories.find(work.address);
  // A graph's memory stays with the graph.
  if (found == state.memories.end() || found->second.ofGraph)
    return true;
  // Kernels of other streams may run: what they still use must not go.
  ++state.running;
  lock.unlock();
  std::unique_lock<std::mutex> running(state.launchMutex);
  lock.lock();
  --state.running;
  dropMemory(state, work.address, "cuMemFreeAsync");
  return true;
}

bool execute(State &state, std::unique_lock<std::mutex> &lock, Context *context,
             Work &work) {
  // After a failure nothing is carried out any more; what waits for it must
  // not wait for ever. Callbacks are told.
  if (context->sticky != CUDA_SUCCESS &&
      !std::holds_alternative<CallbackWork>(work) &&
      !std::holds_alternative<RecordWork>(work))
    return true;
  return std::visit(Executor{state, lock, context}, work);
}

} // namespace bwgemm::emulator::driver

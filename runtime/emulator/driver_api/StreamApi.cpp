//===- StreamApi.cpp - Streams ----------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stream.h"

#include <algorithm>

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

BWGEMM_ENTRY cuStreamCreateWithPriority(CUstream *handle, unsigned flags,
                                        int priority) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!handle || flags > CU_STREAM_NON_BLOCKING)
    return CUDA_ERROR_INVALID_VALUE;
  auto stream = std::make_shared<driver::Stream>();
  stream->context = call.context;
  stream->flags = flags;
  stream->priority = std::clamp(priority, -5, 0);
  stream->id = call.state.nextId++;
  *handle = reinterpret_cast<CUstream>(stream.get());
  call.state.streams[stream.get()] = stream;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuStreamCreate(CUstream *handle, unsigned flags) {
  return cuStreamCreateWithPriority(handle, flags, 0);
}

BWGEMM_ENTRY cuStreamDestroy_v2(CUstream handle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  State &state = call.state;
  auto found = state.streams.find(reinterpret_cast<driver::Stream *>(handle));
  if (found == state.streams.end())
    return CUDA_ERROR_INVALID_HANDLE;
  std::shared_ptr<driver::Stream> stream = found->second;
  if (stream->capture) {
    invalidate(*stream->capture);
    auto &list = stream->capture->streams;
    list.erase(std::remove(list.begin(), list.end(), stream.get()), list.end());
    if (stream->capture->origin == stream.get())
      state.captures.erase(stream->capture);
    stream->capture.reset();
  }
  // What it still waits for is done first, as on a device.
  CUresult result = drain(call, stream);
  state.streams.erase(stream.get());
  return result;
}
BWGEMM_ENTRY cuStreamDestroy(CUstream stream) {
  return cuStreamDestroy_v2(stream);
}

/// What a question about a stream that is being captured comes to.
static CUresult refuseCapturing(const driver::Stream &stream) {
  if (!stream.capture)
    return CUDA_SUCCESS;
  invalidate(*stream.capture);
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

BWGEMM_ENTRY cuStreamSynchronize(CUstream handle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  auto stream = findStream(call.state, call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult result = refuseCapturing(*stream); result != CUDA_SUCCESS)
    return result;
  return drain(call, stream);
}

BWGEMM_ENTRY cuStreamQuery(CUstream handle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  auto stream = findStream(call.state, call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult result = refuseCapturing(*stream); result != CUDA_SUCCESS)
    return result;
  pump(call);
  if (call.context->sticky != CUDA_SUCCESS)
    return call.context->sticky;
  return stream->completed < stream->submitted ? CUDA_ERROR_NOT_READY
                                               : CUDA_SUCCESS;
}

BWGEMM_ENTRY cuStreamAddCallback(CUstream handle, CUstreamCallback function,
                                 void *data, unsigned flags) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!function || flags)
    return CUDA_ERROR_INVALID_VALUE;
  return submit(call, handle, CallbackWork{function, handle, data});
}

BWGEMM_ENTRY cuStreamAttachMemAsync(CUstream handle, CUdeviceptr address,
                                    size_t, unsigned) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  uint64_t base = 0;
  const Memory *memory = findMemory(call.state, address, base);
  if (!memory || !memory->managed)
    return CUDA_ERROR_INVALID_VALUE;
  return submit(call, handle, EmptyWork{});
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

/// Finds the stream and says `value(stream)` to the caller.
template <typename T, typename Value>
static CUresult answer(CUstream handle, T *result, Value value) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!result)
    return CUDA_ERROR_INVALID_VALUE;
  auto stream = findStream(call.state, call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  *result = value(*stream);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuStreamGetFlags(CUstream handle, unsigned *flags) {
  return answer(handle, flags,
                [](const driver::Stream &stream) { return stream.flags; });
}

BWGEMM_ENTRY cuStreamGetPriority(CUstream handle, int *priority) {
  return answer(handle, priority,
                [](const driver::Stream &stream) { return stream.priority; });
}

BWGEMM_ENTRY cuStreamGetId(CUstream handle, unsigned long long *id) {
  return answer(handle, id,
                [](const driver::Stream &stream) { return stream.id; });
}

BWGEMM_ENTRY cuStreamGetCtx(CUstream handle, CUcontext *context) {
  return answer(handle, context, [](const driver::Stream &stream) {
    return reinterpret_cast<CUcontext>(stream.context);
  });
}

BWGEMM_ENTRY cuStreamGetCtx_v2(CUstream handle, CUcontext *context,
                               void **green) {
  if (green)
    *green = nullptr;
  return cuStreamGetCtx(handle, context);
}

BWGEMM_ENTRY cuStreamGetDevice(CUstream handle, CUdevice *device) {
  return answer(handle, device,
                [](const driver::Stream &) { return CUdevice(0); });
}

/// The attributes that a stream has.
static bool isStreamAttribute(int attribute) {
  switch (attribute) {
  case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
  case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
  case CU_LAUNCH_ATTRIBUTE_PRIORITY:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    return true;
  }
  return false;
}

BWGEMM_ENTRY cuStreamGetAttribute(CUstream handle, int attribute,
                                  CUlaunchAttributeValue *value) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!value || !isStreamAttribute(attribute))
    return CUDA_ERROR_INVALID_VALUE;
  auto stream = findStream(call.state, call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  *value = CUlaunchAttributeValue{};
  auto found = stream->attributes.find(attribute);
  if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY)
    value->priority = stream->priority;
  else if (found != stream->attributes.end())
    *value = found->second;
  else if (attribute == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY)
    value->priority = -1; // Not set (seen on an H200).
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuStreamSetAttribute(CUstream handle, int attribute,
                                  const CUlaunchAttributeValue *value) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!value || !isStreamAttribute(attribute))
    return CUDA_ERROR_INVALID_VALUE;
  auto stream = findStream(call.state, call.context, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY)
    stream->priority = std::clamp(value->priority, -5, 0);
  else
    stream->attributes[attribute] = *value;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuStreamCopyAttributes(CUstream toHandle, CUstream fromHandle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  auto to = findStream(call.state, call.context, toHandle);
  auto from = findStream(call.state, call.context, fromHandle);
  if (!to || !from)
    return CUDA_ERROR_INVALID_HANDLE;
  to->attributes = from->attributes;
  to->priority = from->priority;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Values in memory
//===----------------------------------------------------------------------===//

static CUresult submitOperations(CUstream handle, unsigned count,
                                 const CUstreamBatchMemOpParams *operations) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (count > 256 || (count && !operations))
    return CUDA_ERROR_INVALID_VALUE;
  ValueWork work;
  work.operations.assign(operations, operations + count);
  if (CUresult result = checkOperations(call.state, work.operations);
      result != CUDA_SUCCESS)
    return result;
  return submit(call, handle, std::move(work));
}

static CUresult submitValue(CUstream handle, CUstreamBatchMemOpType type,
                            CUdeviceptr address, uint64_t value,
                            unsigned flags) {
  CUstreamBatchMemOpParams operation = {};
  operation.value.operation = type;
  operation.value.address = address;
  operation.value.value64 = value;
  operation.value.flags = flags;
  return submitOperations(handle, 1, &operation);
}

BWGEMM_ENTRY cuStreamBatchMemOp_v2(CUstream stream, unsigned count,
                                   CUstreamBatchMemOpParams *operations,
                                   unsigned flags) {
  return flags ? CUDA_ERROR_INVALID_VALUE
               : submitOperations(stream, count, operations);
}
BWGEMM_ENTRY cuStreamBatchMemOp(CUstream stream, unsigned count,
                                CUstreamBatchMemOpParams *operations,
                                unsigned flags) {
  return cuStreamBatchMemOp_v2(stream, count, operations, flags);
}

#define BWGEMM_VALUE(name, type, bits)                                         \
  BWGEMM_ENTRY name##bits##_v2(CUstream stream, CUdeviceptr address,           \
                               uint##bits##_t value, unsigned flags) {         \
    return submitValue(stream, type##_##bits, address, value, flags);          \
  }                                                                            \
  BWGEMM_ENTRY name##bits(CUstream stream, CUdeviceptr address,                \
                          uint##bits##_t value, unsigned flags) {              \
    return submitValue(stream, type##_##bits, address, value, flags);          \
  }

BWGEMM_VALUE(cuStreamWriteValue, CU_STREAM_MEM_OP_WRITE_VALUE, 32)
BWGEMM_VALUE(cuStreamWriteValue, CU_STREAM_MEM_OP_WRITE_VALUE, 64)
BWGEMM_VALUE(cuStreamWaitValue, CU_STREAM_MEM_OP_WAIT_VALUE, 32)
BWGEMM_VALUE(cuStreamWaitValue, CU_STREAM_MEM_OP_WAIT_VALUE, 64)
#undef BWGEMM_VALUE

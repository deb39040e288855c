//===- CopyApi.cpp - Copying and setting memory -----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forms without a stream use stream 0 (or, with the suffix _ptds, the
// thread's own) and wait. There is one device, so that copies between peers are
// copies within it.
//
//===----------------------------------------------------------------------===//

#include "Stream.h"

#include <cstring>

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

static CUstream const legacyStream = nullptr;
static CUstream const threadStream = reinterpret_cast<CUstream>(2);

/// In the forms with the suffix _ptsz, 0 means the thread's own stream.
static CUstream perThread(CUstream stream) {
  return stream ? stream : threadStream;
}

static uint64_t address(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

enum class Wait { No, Yes };

static CUresult submitAndWait(Call &call, CUstream stream, Wait wait,
                              Work work) {
  std::shared_ptr<driver::Stream> target =
      findStream(call.state, call.context, stream);
  if (!target)
    return CUDA_ERROR_INVALID_HANDLE;
  CUresult result = submit(call, target, std::move(work));
  if (result != CUDA_SUCCESS || wait == Wait::No)
    return result;
  return drain(call, target);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static CUresult copy3D(const CUDA_MEMCPY3D *copy, CUstream stream, Wait wait) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!copy || !checkCopy(call.state, *copy))
    return CUDA_ERROR_INVALID_VALUE;
  return submitAndWait(call, stream, wait, CopyWork{*copy});
}

static CUresult copy(CUmemorytype toType, uint64_t to, CUmemorytype fromType,
                     uint64_t from, size_t bytes, CUstream stream, Wait wait) {
  if (bytes == 0)
    return Call(Needs::Context).status;
  CUDA_MEMCPY3D c = {};
  c.dstMemoryType = toType;
  c.dstHost = reinterpret_cast<void *>(to);
  c.dstDevice = to;
  c.srcMemoryType = fromType;
  c.srcHost = reinterpret_cast<const void *>(from);
  c.srcDevice = from;
  c.WidthInBytes = bytes;
  c.Height = c.Depth = 1;
  return copy3D(&c, stream, wait);
}

static CUresult copy2D(const CUDA_MEMCPY2D *flat, CUstream stream, Wait wait) {
  if (!flat)
    return CUDA_ERROR_INVALID_VALUE;
  CUDA_MEMCPY3D c = {};
  c.srcXInBytes = flat->srcXInBytes;
  c.srcY = flat->srcY;
  c.srcMemoryType = flat->srcMemoryType;
  c.srcHost = flat->srcHost;
  c.srcDevice = flat->srcDevice;
  c.srcArray = flat->srcArray;
  c.srcPitch = flat->srcPitch;
  c.dstXInBytes = flat->dstXInBytes;
  c.dstY = flat->dstY;
  c.dstMemoryType = flat->dstMemoryType;
  c.dstHost = flat->dstHost;
  c.dstDevice = flat->dstDevice;
  c.dstArray = flat->dstArray;
  c.dstPitch = flat->dstPitch;
  c.WidthInBytes = flat->WidthInBytes;
  c.Height = flat->Height;
  c.Depth = 1;
  return copy3D(&c, stream, wait);
}

/// Between peers every side is device memory.
static CUresult copyPeer3D(const CUDA_MEMCPY3D_PEER *peer, CUstream stream,
                           Wait wait) {
  if (!peer)
    return CUDA_ERROR_INVALID_VALUE;
  static_assert(sizeof(CUDA_MEMCPY3D_PEER) == sizeof(CUDA_MEMCPY3D),
                "the layouts agree");
  CUDA_MEMCPY3D c;
  std::memcpy(&c, peer, sizeof(c));
  c.reserved0 = c.reserved1 = nullptr;
  return copy3D(&c, stream, wait);
}

BWGEMM_ENTRY cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  return copy(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_HOST, address(from),
              bytes, legacyStream, Wait::Yes);
}
BWGEMM_ENTRY cuMemcpyHtoD_v2_ptds(CUdeviceptr to, const void *from,
                                  size_t bytes) {
  return copy(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_HOST, address(from),
              bytes, threadStream, Wait::Yes);
}
BWGEMM_ENTRY cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from,
                                  size_t bytes, CUstream stream) {
  return copy(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_HOST, address(from),
              bytes, stream, Wait::No);
}
BWGEMM_ENTRY cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr to, const void *from,
                                       size_t bytes, CUstream stream) {
  return copy(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_HOST, address(from),
              bytes, perThread(stream), Wait::No);
}
BWGEMM_ENTRY cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  return copy(CU_MEMORYTYPE_HOST, address(to), CU_MEMORYTYPE_DEVICE, from,
              bytes, legacyStream, Wait::Yes);
}
BWGEMM_ENTRY cuMemcpyDtoH_v2_ptds(void *to, CUdeviceptr from, size_t bytes) {
  return copy(CU_MEMORYTYPE_HOST, address(to), CU_MEMORYTYPE_DEVICE, from,
              bytes, threadStream, Wait::Yes);
}
BWGEMM_ENTRY cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                                  CUstream stream) {
  return copy(CU_MEMORYTYPE_HOST, address(to), CU_MEMORYTYPE_DEVICE, from,
              bytes, stream, Wait::No);
}
BWGEMM_ENTRY cuMemcpyDtoHAsync_v2_ptsz(void *to, CUdeviceptr from, size_t bytes,
                                       CUstream stream) {
  return copy(CU_MEMORYTYPE_HOST, address(to), CU_MEMORYTYPE_DEVICE, from,
              bytes, perThread(stream), Wait::No);
}
BWGEMM_ENTRY cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes,
              legacyStream, Wait::Yes);
}
BWGEMM_ENTRY cuMemcpyDtoD_v2_ptds(CUdeviceptr to, CUdeviceptr from,
                                  size_t bytes) {
  return copy(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes,
              threadStream, Wait::Yes);
}
BWGEMM_ENTRY cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from,
                                  size_t bytes, CUstream stream) {
  return copy(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes,
              stream, Wait::No);
}
BWGEMM_ENTRY cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr to, CUdeviceptr from,
                                       size_t bytes, CUstream stream) {
  return copy(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes,
              perThread(stream), Wait::No);
}
BWGEMM_ENTRY cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy(CU_MEMORYTYPE_UNIFIED, to, CU_MEMORYTYPE_UNIFIED, from, bytes,
              legacyStream, Wait::Yes);
}
BWGEMM_ENTRY cuMemcpy_ptds(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy(CU_MEMORYTYPE_UNIFIED, to, CU_MEMORYTYPE_UNIFIED, from, bytes,
              threadStream, Wait::Yes);
}
BWGEMM_ENTRY cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                           CUstream stream) {
  return copy(CU_MEMORYTYPE_UNIFIED, to, CU_MEMORYTYPE_UNIFIED, from, bytes,
              stream, Wait::No);
}
BWGEMM_ENTRY cuMemcpyAsync_ptsz(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                CUstream stream) {
  return copy(CU_MEMORYTYPE_UNIFIED, to, CU_MEMORYTYPE_UNIFIED, from, bytes,
              perThread(stream), Wait::No);
}
BWGEMM_ENTRY cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from,
                          CUcontext, size_t bytes) {
  return copy(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes,
              legacyStream, Wait::Yes);
}
BWGEMM_ENTRY cuMemcpyPeer_ptds(CUdeviceptr to, CUcontext, CUdeviceptr from,
                               CUcontext, size_t bytes) {
  return copy(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes,
              threadStream, Wait::Yes);
}
BWGEMM_ENTRY cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from,
                               CUcontext, size_t bytes, CUstream stream) {
  return copy(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes,
              stream, Wait::No);
}
BWGEMM_ENTRY cuMemcpyPeerAsync_ptsz(CUdeviceptr to, CUcontext, CUdeviceptr from,
                                    CUcontext, size_t bytes, CUstream stream) {
  return copy(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes,
              perThread(stream), Wait::No);
}
BWGEMM_ENTRY cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy) {
  return copy2D(copy, legacyStream, Wait::Yes);
}
BWGEMM_ENTRY cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D *copy) {
  return copy2D(copy, threadStream, Wait::Yes);
}
BWGEMM_ENTRY cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream) {
  return copy2D(copy, stream, Wait::No);
}
BWGEMM_ENTRY cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D *copy,
                                     CUstream stream) {
  return copy2D(copy, perThread(stream), Wait::No);
}
BWGEMM_ENTRY cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy) {
  return copy2D(copy, legacyStream, Wait::Yes);
}
BWGEMM_ENTRY cuMemcpy2DUnaligned_v2_ptds(const CUDA_MEMCPY2D *copy) {
  return copy2D(copy, threadStream, Wait::Yes);
}
BWGEMM_ENTRY cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy) {
  return copy3D(copy, legacyStream, Wait::Yes);
}
BWGEMM_ENTRY cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D *copy) {
  return copy3D(copy, threadStream, Wait::Yes);
}
BWGEMM_ENTRY cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream) {
  return copy3D(copy, stream, Wait::No);
}
BWGEMM_ENTRY cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D *copy,
                                     CUstream stream) {
  return copy3D(copy, perThread(stream), Wait::No);
}
BWGEMM_ENTRY cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy) {
  return copyPeer3D(copy, legacyStream, Wait::Yes);
}
BWGEMM_ENTRY cuMemcpy3DPeer_ptds(const CUDA_MEMCPY3D_PEER *copy) {
  return copyPeer3D(copy, threadStream, Wait::Yes);
}
BWGEMM_ENTRY cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy,
                                 CUstream stream) {
  return copyPeer3D(copy, stream, Wait::No);
}
BWGEMM_ENTRY cuMemcpy3DPeerAsync_ptsz(const CUDA_MEMCPY3D_PEER *copy,
                                      CUstream stream) {
  return copyPeer3D(copy, perThread(stream), Wait::No);
}

/// Many copies with one call. Their attributes are about who reads when; here
/// every copy reads in stream order, which all of them allow.
static CUresult copyBatch(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes,
                          size_t count, size_t *failed, CUstream stream) {
  if (failed)
    *failed = SIZE_MAX;
  if (!to || !from || !bytes || count == 0)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    CUresult result = copy(CU_MEMORYTYPE_UNIFIED, to[i], CU_MEMORYTYPE_UNIFIED,
                           from[i], bytes[i], stream, Wait::No);
    if (result == CUDA_SUCCESS)
      continue;
    if (failed)
      *failed = i;
    return result;
  }
  return CUDA_SUCCESS;
}

#define BWGEMM_COPY_BATCH(suffix, target)                                      \
  BWGEMM_ENTRY cuMemcpyBatchAsync##suffix(                                     \
      CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count, void *, \
      size_t *, size_t, size_t *failed, CUstream stream) {                     \
    return copyBatch(to, from, bytes, count, failed, target);                  \
  }                                                                            \
  BWGEMM_ENTRY cuMemcpyBatchAsync_v2##suffix(                                  \
      CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count, void *, \
      size_t *, size_t, CUstream stream) {                                     \
    return copyBatch(to, from, bytes, count, nullptr, target);                 \
  }

BWGEMM_COPY_BATCH(, stream)
BWGEMM_COPY_BATCH(_ptsz, perThread(stream))
#undef BWGEMM_COPY_BATCH

//===----------------------------------------------------------------------===//
// Setting
//===----------------------------------------------------------------------===//

/// Sets `height` rows of `width` elements, `pitch` bytes apart.
static CUresult set(CUdeviceptr to, size_t pitch, unsigned value,
                    unsigned elementBytes, size_t width, size_t height,
                    CUstream stream, Wait wait) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  SetWork work{to, pitch, value, elementBytes, width, height};
  if (!checkSet(call.state, work))
    return CUDA_ERROR_INVALID_VALUE;
  if (!width || !height)
    return CUDA_SUCCESS;
  return submitAndWait(call, stream, wait, work);
}

#define BWGEMM_MEMSET(bits, type)                                              \
  BWGEMM_MEMSET_SYNC(bits, type, , legacyStream)                               \
  BWGEMM_MEMSET_SYNC(bits, type, _ptds, threadStream)                          \
  BWGEMM_MEMSET_ASYNC(bits, type, , stream)                                    \
  BWGEMM_MEMSET_ASYNC(bits, type, _ptsz, perThread(stream))
#define BWGEMM_MEMSET_SYNC(bits, type, suffix, target)                         \
  BWGEMM_ENTRY cuMemsetD##bits##_v2##suffix(CUdeviceptr to, type value,        \
                                            size_t count) {                    \
    return set(to, 0, value, bits / 8, count, 1, target, Wait::Yes);           \
  }                                                                            \
  BWGEMM_ENTRY cuMemsetD2D##bits##_v2##suffix(                                 \
      CUdeviceptr to, size_t pitch, type value, size_t width, size_t height) { \
    return set(to, pitch, value, bits / 8, width, height, target, Wait::Yes);  \
  }
#define BWGEMM_MEMSET_ASYNC(bits, type, suffix, target)                        \
  BWGEMM_ENTRY cuMemsetD##bits##Async##suffix(CUdeviceptr to, type value,      \
                                              size_t count, CUstream stream) { \
    return set(to, 0, value, bits / 8, count, 1, target, Wait::No);            \
  }                                                                            \
  BWGEMM_ENTRY cuMemsetD2D##bits##Async##suffix(                               \
      CUdeviceptr to, size_t pitch, type value, size_t width, size_t height,   \
      CUstream stream) {                                                       \
    return set(to, pitch, value, bits / 8, width, height, target, Wait::No);   \
  }

BWGEMM_MEMSET(8, unsigned char)
BWGEMM_MEMSET(16, unsigned short)
BWGEMM_MEMSET(32, unsigned int)
#undef BWGEMM_MEMSET
#undef BWGEMM_MEMSET_SYNC
#undef BWGEMM_MEMSET_ASYNC

//===- PerThreadApi.cpp - With a default stream of each thread --*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program calls that was compiled with
// CUDA_API_PER_THREAD_DEFAULT_STREAM: stream 0 is the calling thread's own. The
// copies that wait are in CopyApi.cpp.
//
//===----------------------------------------------------------------------===//

#include "Stream.h"

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

static CUstream own(CUstream stream) {
  return stream ? stream : reinterpret_cast<CUstream>(2);
}

BWGEMM_ENTRY cuEventRecordWithFlags(CUevent handle, CUstream streamHandle,
                                    unsigned flags);
BWGEMM_ENTRY cuEventRecord(CUevent event, CUstream stream);
BWGEMM_ENTRY cuGraphLaunch(CUgraphExec handle, CUstream streamHandle);
BWGEMM_ENTRY cuGraphUpload(CUgraphExec handle, CUstream stream);
BWGEMM_ENTRY cuLaunchCooperativeKernel(CUfunction function, unsigned gridX,
                                       unsigned gridY, unsigned gridZ,
                                       unsigned blockX, unsigned blockY,
                                       unsigned blockZ, unsigned sharedBytes,
                                       CUstream stream, void **parameters);
BWGEMM_ENTRY cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data);
BWGEMM_ENTRY cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                            unsigned gridZ, unsigned blockX, unsigned blockY,
                            unsigned blockZ, unsigned sharedBytes,
                            CUstream stream, void **parameters, void **extra);
BWGEMM_ENTRY cuMemAllocAsync(CUdeviceptr *address, size_t bytes,
                             CUstream stream);
BWGEMM_ENTRY cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes,
                                     CUmemoryPool pool, CUstream stream);
BWGEMM_ENTRY cuMemFreeAsync(CUdeviceptr address, CUstream stream);
BWGEMM_ENTRY cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice a1,
                                CUstream a2);
BWGEMM_ENTRY cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes,
                                   CUmemLocation a1, unsigned flags,
                                   CUstream a2);
BWGEMM_ENTRY cuStreamAddCallback(CUstream handle, CUstreamCallback function,
                                 void *data, unsigned flags);
BWGEMM_ENTRY cuStreamAttachMemAsync(CUstream handle, CUdeviceptr address,
                                    size_t a1, unsigned a2);
BWGEMM_ENTRY cuStreamBatchMemOp(CUstream stream, unsigned count,
                                CUstreamBatchMemOpParams *operations,
                                unsigned flags);
BWGEMM_ENTRY cuStreamBatchMemOp_v2(CUstream stream, unsigned count,
                                   CUstreamBatchMemOpParams *operations,
                                   unsigned flags);
BWGEMM_ENTRY cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                         const CUgraphNode *dependencies,
                                         const CUgraphEdgeData *a1,
                                         size_t count,
                                         CUstreamCaptureMode mode);
BWGEMM_ENTRY cuStreamBeginCapture(CUstream stream);
BWGEMM_ENTRY cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode);
BWGEMM_ENTRY cuStreamCopyAttributes(CUstream toHandle, CUstream fromHandle);
BWGEMM_ENTRY cuStreamEndCapture(CUstream handle, CUgraph *result);
BWGEMM_ENTRY cuStreamGetAttribute(CUstream handle, int attribute,
                                  CUlaunchAttributeValue *value);
BWGEMM_ENTRY cuStreamGetCaptureInfo(CUstream stream,
                                    CUstreamCaptureStatus *status,
                                    uint64_t *id);
BWGEMM_ENTRY cuStreamGetCaptureInfo_v2(CUstream stream,
                                       CUstreamCaptureStatus *status,
                                       uint64_t *id, CUgraph *graph,
                                       const CUgraphNode **dependencies,
                                       size_t *count);
BWGEMM_ENTRY cuStreamGetCaptureInfo_v3(CUstream handle,
                                       CUstreamCaptureStatus *status,
                                       uint64_t *id, CUgraph *graph,
                                       const CUgraphNode **dependencies,
                                       const CUgraphEdgeData **edges,
                                       size_t *count);
BWGEMM_ENTRY cuStreamGetCtx(CUstream handle, CUcontext *context);
BWGEMM_ENTRY cuStreamGetCtx_v2(CUstream handle, CUcontext *context,
                               void **green);
BWGEMM_ENTRY cuStreamGetDevice(CUstream handle, CUdevice *device);
BWGEMM_ENTRY cuStreamGetFlags(CUstream handle, unsigned *flags);
BWGEMM_ENTRY cuStreamGetId(CUstream handle, unsigned long long *id);
BWGEMM_ENTRY cuStreamGetPriority(CUstream handle, int *priority);
BWGEMM_ENTRY cuStreamIsCapturing(CUstream handle,
                                 CUstreamCaptureStatus *status);
BWGEMM_ENTRY cuStreamQuery(CUstream handle);
BWGEMM_ENTRY cuStreamSetAttribute(CUstream handle, int attribute,
                                  const CUlaunchAttributeValue *value);
BWGEMM_ENTRY cuStreamSynchronize(CUstream handle);
BWGEMM_ENTRY cuStreamUpdateCaptureDependencies(CUstream stream,
                                               CUgraphNode *dependencies,
                                               size_t count, unsigned flags);
BWGEMM_ENTRY cuStreamUpdateCaptureDependencies_v2(CUstream handle,
                                                  CUgraphNode *dependencies,
                                                  const CUgraphEdgeData *a1,
                                                  size_t count, unsigned flags);
BWGEMM_ENTRY cuStreamWaitEvent(CUstream streamHandle, CUevent handle,
                               unsigned flags);
BWGEMM_ENTRY cuStreamWaitValue32(CUstream stream, CUdeviceptr address,
                                 uint32_t value, unsigned flags);
BWGEMM_ENTRY cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address,
                                    uint32_t value, unsigned flags);
BWGEMM_ENTRY cuStreamWaitValue64(CUstream stream, CUdeviceptr address,
                                 uint64_t value, unsigned flags);
BWGEMM_ENTRY cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address,
                                    uint64_t value, unsigned flags);
BWGEMM_ENTRY cuStreamWriteValue32(CUstream stream, CUdeviceptr address,
                                  uint32_t value, unsigned flags);
BWGEMM_ENTRY cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address,
                                     uint32_t value, unsigned flags);
BWGEMM_ENTRY cuStreamWriteValue64(CUstream stream, CUdeviceptr address,
                                  uint64_t value, unsigned flags);
BWGEMM_ENTRY cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address,
                                     uint64_t value, unsigned flags);
BWGEMM_ENTRY cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                              void **parameters, void **extra);
BWGEMM_ENTRY
cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                             CUDA_GRAPH_INSTANTIATE_PARAMS *parameters);

BWGEMM_ENTRY cuLaunchKernelEx_ptsz(const CUlaunchConfig *config,
                                   CUfunction function, void **parameters,
                                   void **extra) {
  if (!config)
    return cuLaunchKernelEx(config, function, parameters, extra);
  CUlaunchConfig changed = *config;
  changed.hStream = own(changed.hStream);
  return cuLaunchKernelEx(&changed, function, parameters, extra);
}

BWGEMM_ENTRY
cuGraphInstantiateWithParams_ptsz(CUgraphExec *exec, CUgraph graph,
                                  CUDA_GRAPH_INSTANTIATE_PARAMS *parameters) {
  // The stream among the parameters is for uploading, which does nothing here.
  return cuGraphInstantiateWithParams(exec, graph, parameters);
}

BWGEMM_ENTRY cuEventRecordWithFlags_ptsz(CUevent handle, CUstream streamHandle,
                                         unsigned flags) {
  return cuEventRecordWithFlags(handle, own(streamHandle), flags);
}
BWGEMM_ENTRY cuEventRecord_ptsz(CUevent event, CUstream stream) {
  return cuEventRecord(event, own(stream));
}
BWGEMM_ENTRY cuGraphLaunch_ptsz(CUgraphExec handle, CUstream streamHandle) {
  return cuGraphLaunch(handle, own(streamHandle));
}
BWGEMM_ENTRY cuGraphUpload_ptsz(CUgraphExec handle, CUstream stream) {
  return cuGraphUpload(handle, own(stream));
}
BWGEMM_ENTRY cuLaunchCooperativeKernel_ptsz(
    CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
    unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
    CUstream stream, void **parameters) {
  return cuLaunchCooperativeKernel(function, gridX, gridY, gridZ, blockX,
                                   blockY, blockZ, sharedBytes, own(stream),
                                   parameters);
}
BWGEMM_ENTRY cuLaunchHostFunc_ptsz(CUstream stream, CUhostFn function,
                                   void *data) {
  return cuLaunchHostFunc(own(stream), function, data);
}
BWGEMM_ENTRY cuLaunchKernel_ptsz(CUfunction function, unsigned gridX,
                                 unsigned gridY, unsigned gridZ,
                                 unsigned blockX, unsigned blockY,
                                 unsigned blockZ, unsigned sharedBytes,
                                 CUstream stream, void **parameters,
                                 void **extra) {
  return cuLaunchKernel(function, gridX, gridY, gridZ, blockX, blockY, blockZ,
                        sharedBytes, own(stream), parameters, extra);
}
BWGEMM_ENTRY cuMemAllocAsync_ptsz(CUdeviceptr *address, size_t bytes,
                                  CUstream stream) {
  return cuMemAllocAsync(address, bytes, own(stream));
}
BWGEMM_ENTRY cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *address, size_t bytes,
                                          CUmemoryPool pool, CUstream stream) {
  return cuMemAllocFromPoolAsync(address, bytes, pool, own(stream));
}
BWGEMM_ENTRY cuMemFreeAsync_ptsz(CUdeviceptr address, CUstream stream) {
  return cuMemFreeAsync(address, own(stream));
}
BWGEMM_ENTRY cuMemPrefetchAsync_ptsz(CUdeviceptr address, size_t bytes,
                                     CUdevice a1, CUstream a2) {
  return cuMemPrefetchAsync(address, bytes, a1, own(a2));
}
BWGEMM_ENTRY cuMemPrefetchAsync_v2_ptsz(CUdeviceptr address, size_t bytes,
                                        CUmemLocation a1, unsigned flags,
                                        CUstream a2) {
  return cuMemPrefetchAsync_v2(address, bytes, a1, flags, own(a2));
}
BWGEMM_ENTRY cuStreamAddCallback_ptsz(CUstream handle,
                                      CUstreamCallback function, void *data,
                                      unsigned flags) {
  return cuStreamAddCallback(own(handle), function, data, flags);
}
BWGEMM_ENTRY cuStreamAttachMemAsync_ptsz(CUstream handle, CUdeviceptr address,
                                         size_t a1, unsigned a2) {
  return cuStreamAttachMemAsync(own(handle), address, a1, a2);
}
BWGEMM_ENTRY cuStreamBatchMemOp_ptsz(CUstream stream, unsigned count,
                                     CUstreamBatchMemOpParams *operations,
                                     unsigned flags) {
  return cuStreamBatchMemOp(own(stream), count, operations, flags);
}
BWGEMM_ENTRY cuStreamBatchMemOp_v2_ptsz(CUstream stream, unsigned count,
                                        CUstreamBatchMemOpParams *operations,
                                        unsigned flags) {
  return cuStreamBatchMemOp_v2(own(stream), count, operations, flags);
}
BWGEMM_ENTRY cuStreamBeginCaptureToGraph_ptsz(CUstream stream, CUgraph graph,
                                              const CUgraphNode *dependencies,
                                              const CUgraphEdgeData *a1,
                                              size_t count,
                                              CUstreamCaptureMode mode) {
  return cuStreamBeginCaptureToGraph(own(stream), graph, dependencies, a1,
                                     count, mode);
}
BWGEMM_ENTRY cuStreamBeginCapture_ptsz(CUstream stream) {
  return cuStreamBeginCapture(own(stream));
}
BWGEMM_ENTRY cuStreamBeginCapture_v2_ptsz(CUstream stream,
                                          CUstreamCaptureMode mode) {
  return cuStreamBeginCapture_v2(own(stream), mode);
}
BWGEMM_ENTRY cuStreamCopyAttributes_ptsz(CUstream toHandle,
                                         CUstream fromHandle) {
  return cuStreamCopyAttributes(own(toHandle), own(fromHandle));
}
BWGEMM_ENTRY cuStreamEndCapture_ptsz(CUstream handle, CUgraph *result) {
  return cuStreamEndCapture(own(handle), result);
}
BWGEMM_ENTRY cuStreamGetAttribute_ptsz(CUstream handle, int attribute,
                                       CUlaunchAttributeValue *value) {
  return cuStreamGetAttribute(own(handle), attribute, value);
}
BWGEMM_ENTRY cuStreamGetCaptureInfo_ptsz(CUstream stream,
                                         CUstreamCaptureStatus *status,
                                         uint64_t *id) {
  return cuStreamGetCaptureInfo(own(stream), status, id);
}
BWGEMM_ENTRY cuStreamGetCaptureInfo_v2_ptsz(CUstream stream,
                                            CUstreamCaptureStatus *status,
                                            uint64_t *id, CUgraph *graph,
                                            const CUgraphNode **dependencies,
                                            size_t *count) {
  return cuStreamGetCaptureInfo_v2(own(stream), status, id, graph, dependencies,
                                   count);
}
BWGEMM_ENTRY cuStreamGetCaptureInfo_v3_ptsz(CUstream handle,
                                            CUstreamCaptureStatus *status,
                                            uint64_t *id, CUgraph *graph,
                                            const CUgraphNode **dependencies,
                                            const CUgraphEdgeData **edges,
                                            size_t *count) {
  return cuStreamGetCaptureInfo_v3(own(handle), status, id, graph, dependencies,
                                   edges, count);
}
BWGEMM_ENTRY cuStreamGetCtx_ptsz(CUstream handle, CUcontext *context) {
  return cuStreamGetCtx(own(handle), context);
}
BWGEMM_ENTRY cuStreamGetCtx_v2_ptsz(CUstream handle, CUcontext *context,
                                    void **green) {
  return cuStreamGetCtx_v2(own(handle), context, green);
}
BWGEMM_ENTRY cuStreamGetDevice_ptsz(CUstream handle, CUdevice *device) {
  return cuStreamGetDevice(own(handle), device);
}
BWGEMM_ENTRY cuStreamGetFlags_ptsz(CUstream handle, unsigned *flags) {
  return cuStreamGetFlags(own(handle), flags);
}
BWGEMM_ENTRY cuStreamGetId_ptsz(CUstream handle, unsigned long long *id) {
  return cuStreamGetId(own(handle), id);
}
BWGEMM_ENTRY cuStreamGetPriority_ptsz(CUstream handle, int *priority) {
  return cuStreamGetPriority(own(handle), priority);
}
BWGEMM_ENTRY cuStreamIsCapturing_ptsz(CUstream handle,
                                      CUstreamCaptureStatus *status) {
  return cuStreamIsCapturing(own(handle), status);
}
BWGEMM_ENTRY cuStreamQuery_ptsz(CUstream handle) {
  return cuStreamQuery(own(handle));
}
BWGEMM_ENTRY cuStreamSetAttribute_ptsz(CUstream handle, int attribute,
                                       const CUlaunchAttributeValue *value) {
  return cuStreamSetAttribute(own(handle), attribute, value);
}
BWGEMM_ENTRY cuStreamSynchronize_ptsz(CUstream handle) {
  return cuStreamSynchronize(own(handle));
}
BWGEMM_ENTRY cuStreamUpdateCaptureDependencies_ptsz(CUstream stream,
                                                    CUgraphNode *dependencies,
                                                    size_t count,
                                                    unsigned flags) {
  return cuStreamUpdateCaptureDependencies(own(stream), dependencies, count,
                                           flags);
}
BWGEMM_ENTRY cuStreamUpdateCaptureDependencies_v2_ptsz(
    CUstream handle, CUgraphNode *dependencies, const CUgraphEdgeData *a1,
    size_t count, unsigned flags) {
  return cuStreamUpdateCaptureDependencies_v2(own(handle), dependencies, a1,
                                              count, flags);
}
BWGEMM_ENTRY cuStreamWaitEvent_ptsz(CUstream streamHandle, CUevent handle,
                                    unsigned flags) {
  return cuStreamWaitEvent(own(streamHandle), handle, flags);
}
BWGEMM_ENTRY cuStreamWaitValue32_ptsz(CUstream stream, CUdeviceptr address,
                                      uint32_t value, unsigned flags) {
  return cuStreamWaitValue32(own(stream), address, value, flags);
}
BWGEMM_ENTRY cuStreamWaitValue32_v2_ptsz(CUstream stream, CUdeviceptr address,
                                         uint32_t value, unsigned flags) {
  return cuStreamWaitValue32_v2(own(stream), address, value, flags);
}
BWGEMM_ENTRY cuStreamWaitValue64_ptsz(CUstream stream, CUdeviceptr address,
                                      uint64_t value, unsigned flags) {
  return cuStreamWaitValue64(own(stream), address, value, flags);
}
BWGEMM_ENTRY cuStreamWaitValue64_v2_ptsz(CUstream stream, CUdeviceptr address,
                                         uint64_t value, unsigned flags) {
  return cuStreamWaitValue64_v2(own(stream), address, value, flags);
}
BWGEMM_ENTRY cuStreamWriteValue32_ptsz(CUstream stream, CUdeviceptr address,
                                       uint32_t value, unsigned flags) {
  return cuStreamWriteValue32(own(stream), address, value, flags);
}
BWGEMM_ENTRY cuStreamWriteValue32_v2_ptsz(CUstream stream, CUdeviceptr address,
                                          uint32_t value, unsigned flags) {
  return cuStreamWriteValue32_v2(own(stream), address, value, flags);
}
BWGEMM_ENTRY cuStreamWriteValue64_ptsz(CUstream stream, CUdeviceptr address,
                                       uint64_t value, unsigned flags) {
  return cuStreamWriteValue64(own(stream), address, value, flags);
}
BWGEMM_ENTRY cuStreamWriteValue64_v2_ptsz(CUstream stream, CUdeviceptr address,
                                          uint64_t value, unsigned flags) {
  return cuStreamWriteValue64_v2(own(stream), address, value, flags);
}

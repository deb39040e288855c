//===- CudaAbi.h - The binary interface of the CUDA driver ------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the CUDA driver API that bwgemm calls (Driver.h) and offers (the
// emulator's driver library), declared here so that neither building nor
// running needs NVIDIA's toolkit. Names, numbers and layouts are those that the
// CUDA Driver API reference (docs.nvidia.com/cuda/cuda-driver-api) documents
// for CUDA 13.0; a unit test compares them with cuda.h where that exists.
//
// Everything is in a namespace of its own, so that a program may include both.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_RUNTIME_CUDAABI_H
#define BWGEMM_RUNTIME_CUDAABI_H

#include <cstddef>
#include <cstdint>

namespace bwgemm::cuda {

/// The driver API version that the declarations below follow: 13.0.
inline constexpr int driverApiVersion = 13000;

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

/// An address in device memory.
using CUdeviceptr = unsigned long long;
/// A device ordinal.
using CUdevice = int;

using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUlibrary = struct CUlib_st *;
using CUkernel = struct CUkern_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUarray = struct CUarray_st *;
using CUmemoryPool = struct CUmemPoolHandle_st *;

struct CUuuid {
  char bytes[16];
};

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Every entry point's result. The list is a table so that the names and
/// descriptions that cuGetErrorName and cuGetErrorString return come from it.
#define BWGEMM_CUDA_RESULTS(X)                                                 \
  X(CUDA_SUCCESS, 0, "no error")                                               \
  X(CUDA_ERROR_INVALID_VALUE, 1, "invalid argument")                           \
  X(CUDA_ERROR_OUT_OF_MEMORY, 2, "out of memory")                              \
  X(CUDA_ERROR_NOT_INITIALIZED, 3, "cuInit has not been called")               \
  X(CUDA_ERROR_DEINITIALIZED, 4, "the driver is shutting down")                \
  X(CUDA_ERROR_STUB_LIBRARY, 34, "libcuda is a stub, not a driver")            \
  X(CUDA_ERROR_NO_DEVICE, 100, "no CUDA-capable device is present")            \
  X(CUDA_ERROR_INVALID_DEVICE, 101, "invalid device ordinal")                  \
  X(CUDA_ERROR_INVALID_IMAGE, 200, "the device image is invalid")              \
  X(CUDA_ERROR_INVALID_CONTEXT, 201, "no valid context is current")            \
  X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209, "no image for this device")             \
  X(CUDA_ERROR_ECC_UNCORRECTABLE, 214, "uncorrectable memory error")           \
  X(CUDA_ERROR_UNSUPPORTED_LIMIT, 215, "unsupported limit")                    \
  X(CUDA_ERROR_INVALID_PTX, 218, "the PTX did not compile")                    \
  X(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221, "the PTX compiler is missing")     \
  X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222,                                   \
    "the PTX version is newer than the driver")                                \
  X(CUDA_ERROR_INVALID_SOURCE, 300, "the source is invalid")                   \
  X(CUDA_ERROR_FILE_NOT_FOUND, 301, "file not found")                          \
  X(CUDA_ERROR_OPERATING_SYSTEM, 304, "an operating system call failed")       \
  X(CUDA_ERROR_INVALID_HANDLE, 400, "invalid handle")                          \
  X(CUDA_ERROR_NOT_FOUND, 500, "named symbol not found")                       \
  X(CUDA_ERROR_NOT_READY, 600, "still running")                                \
  X(CUDA_ERROR_ILLEGAL_ADDRESS, 700, "the kernel accessed an illegal address") \
  X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701,                                   \
    "the launch needs more resources than the device has")                     \
  X(CUDA_ERROR_LAUNCH_TIMEOUT, 702, "the kernel did not end")                  \
  X(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708,                                    \
    "the primary context is already in use")                                   \
  X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709, "the context is destroyed")          \
  X(CUDA_ERROR_ASSERT, 710, "a device-side assert triggered")                  \
  X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712,                            \
    "the host memory is already registered")                                   \
  X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713,                                \
    "the host memory is not registered")                                       \
  X(CUDA_ERROR_HARDWARE_STACK_ERROR, 714, "the call stack is corrupt")         \
  X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715,                                       \
    "the kernel executed an illegal instruction")                              \
  X(CUDA_ERROR_MISALIGNED_ADDRESS, 716,                                        \
    "the kernel accessed a misaligned address")                                \
  X(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717,                                     \
    "the kernel accessed the wrong address space")                             \
  X(CUDA_ERROR_INVALID_PC, 718, "the program counter is invalid")              \
  X(CUDA_ERROR_LAUNCH_FAILED, 719, "the kernel failed")                        \
  X(CUDA_ERROR_NOT_PERMITTED, 800, "operation not permitted")                  \
  X(CUDA_ERROR_NOT_SUPPORTED, 801, "operation not supported")                  \
  X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900,                                \
    "not permitted while the stream is capturing")                             \
  X(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912, "invalid cluster size")              \
  X(CUDA_ERROR_UNKNOWN, 999, "unknown error")

enum CUresult : int32_t {
#define BWGEMM_CUDA_RESULT(name, value, text) name = value,
  BWGEMM_CUDA_RESULTS(BWGEMM_CUDA_RESULT)
#undef BWGEMM_CUDA_RESULT
};

//===----------------------------------------------------------------------===//
// Devices and contexts
//===----------------------------------------------------------------------===//

enum CUdevice_attribute : int32_t {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
  CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT = 14,
  CU_DEVICE_ATTRIBUTE_GPU_OVERLAP = 15,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 17,
  CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
  CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
  CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31,
  CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
  CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
  CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
  CU_DEVICE_ATTRIBUTE_TCC_DRIVER = 35,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
  CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
  CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED = 78,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
  CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
  CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
  CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM = 91,
  CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
  CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111,
  CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
  CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH = 120,
  CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED = 127,
};

enum CUctx_flags : uint32_t { CU_CTX_SCHED_AUTO = 0 };

/// The last argument of cuCtxCreate_v4; null asks for an ordinary context.
struct CUctxCreateParams;
struct CUexecAffinityParam;

enum CUlimit : int32_t {
  CU_LIMIT_STACK_SIZE = 0,
  CU_LIMIT_PRINTF_FIFO_SIZE = 1,
  CU_LIMIT_MALLOC_HEAP_SIZE = 2,
};

enum CUfunc_cache : int32_t { CU_FUNC_CACHE_PREFER_NONE = 0 };

//===----------------------------------------------------------------------===//
// Modules and functions
//===----------------------------------------------------------------------===//

enum CUjit_option : int32_t {
  CU_JIT_MAX_REGISTERS = 0,
  CU_JIT_THREADS_PER_BLOCK = 1,
  CU_JIT_WALL_TIME = 2,
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_JIT_OPTIMIZATION_LEVEL = 7,
  CU_JIT_TARGET_FROM_CUCONTEXT = 8,
  CU_JIT_TARGET = 9,
  CU_JIT_GENERATE_DEBUG_INFO = 11,
  CU_JIT_LOG_VERBOSE = 12,
  CU_JIT_GENERATE_LINE_INFO = 13,
  CU_JIT_CACHE_MODE = 14,
};

enum CUlibraryOption : int32_t {
  CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE = 0,
  CU_LIBRARY_BINARY_IS_PRESERVED = 1,
};

enum CUfunction_attribute : int32_t {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
  CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
  CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
  CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET = 10,
  CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH = 11,
  CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT = 12,
  CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH = 13,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
  CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15,
};

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

enum CUlaunchAttributeID : int32_t {
  CU_LAUNCH_ATTRIBUTE_IGNORE = 0,
  CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1,
  CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
  CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY = 3,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 5,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT = 7,
  CU_LAUNCH_ATTRIBUTE_PRIORITY = 8,
};

union alignas(8) CUlaunchAttributeValue {
  char pad[64];
  struct {
    unsigned x, y, z;
  } clusterDim;
  int cooperative;
  int programmaticStreamSerializationAllowed;
  int priority;
};

struct CUlaunchAttribute {
  CUlaunchAttributeID id;
  char pad[8 - sizeof(int32_t)];
  CUlaunchAttributeValue value;
};

/// Argument of cuLaunchKernelEx; dynamic shared memory in bytes.
struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
};

/// Markers in the `extra` argument of cuLaunchKernel: a parameter buffer.
inline void *const launchParamEnd = nullptr;
inline void *const launchParamBufferPointer = reinterpret_cast<void *>(1);
inline void *const launchParamBufferSize = reinterpret_cast<void *>(2);

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

enum CUmemorytype : int32_t {
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_MEMORYTYPE_ARRAY = 3,
  CU_MEMORYTYPE_UNIFIED = 4,
};

enum CUpointer_attribute : int32_t {
  CU_POINTER_ATTRIBUTE_CONTEXT = 1,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
  CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
  CU_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,
  CU_POINTER_ATTRIBUTE_BUFFER_ID = 7,
  CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
  CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
  CU_POINTER_ATTRIBUTE_MAPPED = 13,
};

enum CUmemAttach_flags : uint32_t {
  CU_MEM_ATTACH_GLOBAL = 1,
  CU_MEM_ATTACH_HOST = 2,
  CU_MEM_ATTACH_SINGLE = 4,
};

/// A two-dimensional copy; pitches, widths and x offsets in bytes.
struct CUDA_MEMCPY2D {
  size_t srcXInBytes, srcY;
  CUmemorytype srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  CUmemorytype dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
};

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

enum CUstream_flags : uint32_t {
  CU_STREAM_DEFAULT = 0,
  CU_STREAM_NON_BLOCKING = 1,
};

enum CUevent_flags : uint32_t {
  CU_EVENT_DEFAULT = 0,
  CU_EVENT_BLOCKING_SYNC = 1,
  CU_EVENT_DISABLE_TIMING = 2,
};

using CUhostFn = void (*)(void *userData);

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// The descriptor that a TMA instruction reads. Opaque; 128 bytes, and the
/// instruction needs it 64-byte aligned.
struct alignas(64) CUtensorMap {
  uint64_t opaque[16];
};

enum CUtensorMapDataType : int32_t {
  CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0,
  CU_TENSOR_MAP_DATA_TYPE_UINT16 = 1,
  CU_TENSOR_MAP_DATA_TYPE_UINT32 = 2,
  CU_TENSOR_MAP_DATA_TYPE_INT32 = 3,
  CU_TENSOR_MAP_DATA_TYPE_UINT64 = 4,
  CU_TENSOR_MAP_DATA_TYPE_INT64 = 5,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT32 = 7,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT64 = 8,
  CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ = 10,
  CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 = 11,
  CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ = 12,
  CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B = 13,
  CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B = 14,
  CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B = 15,
};

enum CUtensorMapInterleave : int32_t {
  CU_TENSOR_MAP_INTERLEAVE_NONE = 0,
  CU_TENSOR_MAP_INTERLEAVE_16B = 1,
  CU_TENSOR_MAP_INTERLEAVE_32B = 2,
};

enum CUtensorMapSwizzle : int32_t {
  CU_TENSOR_MAP_SWIZZLE_NONE = 0,
  CU_TENSOR_MAP_SWIZZLE_32B = 1,
  CU_TENSOR_MAP_SWIZZLE_64B = 2,
  CU_TENSOR_MAP_SWIZZLE_128B = 3,
  CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B = 4,
  CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B = 5,
  CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B = 6,
};

enum CUtensorMapL2promotion : int32_t {
  CU_TENSOR_MAP_L2_PROMOTION_NONE = 0,
  CU_TENSOR_MAP_L2_PROMOTION_L2_64B = 1,
  CU_TENSOR_MAP_L2_PROMOTION_L2_128B = 2,
  CU_TENSOR_MAP_L2_PROMOTION_L2_256B = 3,
};

enum CUtensorMapFloatOOBfill : int32_t {
  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0,
  CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA = 1,
};

//===----------------------------------------------------------------------===//
// Looking up entry points
//===----------------------------------------------------------------------===//

enum CUdriverProcAddressQueryResult : int32_t {
  CU_GET_PROC_ADDRESS_SUCCESS = 0,
  CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
  CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2,
};

} // namespace bwgemm::cuda

#endif // BWGEMM_RUNTIME_CUDAABI_H

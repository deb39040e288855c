//===- Launch.h - What compiled host code calls -----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C interface of the launch runtime: the functions that host code made by
// bwgemm calls (bwgemmHost*), the ones by which a program learns of errors
// (bwgemm_*), and the tables that a compiled library hands over. It comes as
// libbwgemm_cuda_runtime.so, which also has upstream MLIR's mgpu* functions
// (mgpu/MgpuApi.cpp), and as the static libbwgemm_launch.a inside every
// compiled library. Plain C may include this header.
//
// Errors. A failure is reported once, to the error handler. The default handler
// prints "bwgemm: error: MESSAGE" to standard error and ends the process, with
// exit status 3 if a kernel failed while it ran (trap, hang, hazard) and 2 for
// everything else. If a handler of the program's own returns, the thread is in
// error state: every further function here does nothing and returns null or 0,
// until bwgemm_clear_error(). A hazard that the emulator found in a kernel that
// ended is reported in the same way, but the results are there and the work
// goes on.
//
// Calls. A compiled function puts its kernels, copies and memory into one
// stream, one after the other, and waits once, at its end; where a host buffer
// has to be copied back, there too. So kernels with pdl=on overlap within a
// call. With bwgemm_set_stream a program has its own stream used, and nothing
// waits. Any number of threads may call at one time.
//
// Device. The driver is opened at the first call that needs it (never while a
// library is being loaded), for the target of the first module that was
// registered; see Driver.h for the choice. All work is in the device's primary
// context, which the CUDA runtime API uses too.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_RUNTIME_LAUNCH_H
#define BWGEMM_RUNTIME_LAUNCH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*===--- Errors ----------------------------------------------------------===*/

/// Exit statuses of the default handler, and `status` of a handler.
enum {
  BWGEMM_STATUS_USAGE = 2, ///< Bad input, no device, the driver refused.
  BWGEMM_STATUS_FAULT = 3, ///< A kernel trapped, hung or has a hazard.
};

/// Receives a failure. `message` is valid during the call.
typedef void (*bwgemm_error_handler)(const char *message, int status,
                                     void *user);

/// Sets the handler of all threads; null brings the default one back. In a
/// program that loads several compiled libraries, each has its own.
void bwgemm_set_error_handler(bwgemm_error_handler handler, void *user);

/// Ends the calling thread's error state.
void bwgemm_clear_error(void);

/// The message of the calling thread's last error, or null if there has been
/// none since the last bwgemm_clear_error().
const char *bwgemm_last_error(void);

/*===--- Streams ---------------------------------------------------------===*/

/// Has this thread's calls of compiled functions enqueue their work in `stream`
/// (a CUstream or cudaStream_t of the device's primary context; null is the
/// legacy default stream) and return at once. All buffers have to lie in device
/// memory, and the program waits for the stream before it looks at results or
/// frees anything. The stream may be captured into a graph. What goes wrong in
/// a kernel is seen, as with every asynchronous launch, by whoever waits.
///
/// In a program that loads several compiled libraries, each has its own.
void bwgemm_set_stream(void *stream);

/// Brings back streams of the library's own, and calls that wait.
void bwgemm_unset_stream(void);

/*===--- Tables of a compiled library ------------------------------------===*/

/// Machine code for PTX that the library carries.
typedef struct bwgemm_cubin {
  uint64_t ptx_hash; ///< FNV-1a (64 bits) of the PTX text, without its zero.
  const void *cubin; ///< Null ends the table.
  uint64_t bytes;
  const char *target; ///< What it was assembled for, "sm_100a".
} bwgemm_cubin;

/// May be defined by the library. With a GPU, a cubin whose hash fits is tried
/// before the PTX; the emulator always takes the PTX.
extern const bwgemm_cubin bwgemm_cubins[] __attribute__((weak));

/// May be defined by the library: file name of libbwgemm-emulator.so, used
/// where it is not found otherwise (see setEmulatorLibrary in Driver.h).
extern const char bwgemm_emulator_library[] __attribute__((weak));

/*===--- Calls -----------------------------------------------------------===*/

/// Begins and ends a call of a compiled function on this thread. All that comes
/// between uses one stream. The end waits for it, unless the program has named
/// the stream; in error state too, so that no kernel outlives the call. Calls
/// may be nested: the outermost counts.
void bwgemmHostBegin(void);
void bwgemmHostEnd(void);

/// The CUstream of the running call, for launches; null in error state.
void *bwgemmHostStream(void);

/*===--- Operands --------------------------------------------------------===*/

/// How a kernel uses an operand; bits.
enum {
  BWGEMM_ACCESS_READ = 1,  ///< Its contents are needed: copy in.
  BWGEMM_ACCESS_WRITE = 2, ///< It is written: copy back.
};

/// Makes a memref's view reachable by kernels. `alignedPtr`, `offsetElems`,
/// `sizes` and `strides` (elements; `rank` of each) are those of the memref
/// descriptor, `elementBytes` is the size of one element, `access` a sum of
/// BWGEMM_ACCESS bits.
///
/// Memory that a kernel reaches already (device or managed memory, as
/// cuPointerGetAttribute says) and empty views are passed through: the result
/// is `alignedPtr`. Otherwise the result stands for `alignedPtr` on the device:
/// the same offset and strides lead from it to a copy of the view whose address
/// is the same modulo 256. Only elements of the view are read and, later,
/// written; what lies between them is left alone.
///
/// Null in error state. Release the result with bwgemmHostFromDevice. With a
/// stream of the caller's, host memory is an error.
void *bwgemmHostToDevice(void *alignedPtr, int64_t offsetElems, int64_t rank,
                         const int64_t *sizes, const int64_t *strides,
                         int64_t elementBytes, int32_t access);

/// Copies a view that was made for writing back, behind the kernels that write
/// it, and frees the copy in the stream's order. Does nothing for memory that
/// was passed through.
void bwgemmHostFromDevice(void *devicePtr);

/// Encodes the tensor map of a view of rank 1 to 5 in device memory into the
/// 128 bytes at `map128`. `sizes`, `strides` (elements) and `box` are outermost
/// first; `elementType` is a CUtensorMapDataType, `swizzle` a
/// CUtensorMapSwizzle. Elements out of bounds read as zero.
///
/// Before the driver sees it, each rule of TMA (CUDA Driver API,
/// cuTensorMapEncodeTiled) is checked and a broken one is reported with the
/// operand's name and numbers: base address and pitches multiples of 16 bytes,
/// innermost stride 1, pitches below 2^40 bytes, sizes 1 to 2^32, box sizes 1
/// to 256, inner box a multiple of 16 bytes and within the swizzle's span. A
/// dimension of size 1 may have any stride.
void bwgemmHostEncodeTensorMap(void *map128, const char *operandName,
                               void *alignedPtr, int64_t offsetElems,
                               int32_t rank, const int64_t *sizes,
                               const int64_t *strides, int32_t elementType,
                               const int32_t *box, int32_t swizzle);

/// Whether a view of rank 1 to 5 keeps the rules that bwgemmHostEncodeTensorMap
/// checks, box and swizzle apart: 1 or 0. `alignedPtr` may be a host pointer,
/// since a copy on the device has the same address modulo 256 and the same
/// strides. Reports nothing.
int32_t bwgemmHostTmaAddressable(void *alignedPtr, int64_t offsetElems,
                                 int32_t rank, const int64_t *sizes,
                                 const int64_t *strides, int32_t elementType);

/// Sets `rows` x `cols` elements in device memory to zero bytes; `rowStride` in
/// elements.
void bwgemmHostZero2D(void *alignedPtr, int64_t offsetElems, int64_t rows,
                      int64_t cols, int64_t rowStride, int64_t elementBytes);

/// Device memory for `rows` x `columns` elements without gaps, aligned to 256
/// bytes; its contents are undefined. `purpose` names it in the error for
/// memory that is not to be had. Null in error state, and for no elements.
/// Release it with bwgemmHostFreeWorkspace.
void *bwgemmHostAllocWorkspace(int64_t rows, int64_t columns,
                               int64_t elementBytes, const char *purpose);

/// Frees a workspace behind the kernels that use it, in the stream's order; the
/// memory stays with the library for later calls.
void bwgemmHostFreeWorkspace(void *workspace);

/// Streaming multiprocessors of the current device; 1 in error state.
int64_t bwgemmHostMultiprocessorCount(void);

/// Makes the grid of the next kernel that this thread launches as small as the
/// clusters that run at once (cuOccupancyMaxActiveClusters), if it is larger.
/// Its CTAs have to walk over their work by the grid's size.
void bwgemmHostResidentLaunch(void);

/// Lets the next kernel that this thread launches begin while the one before it
/// in its stream still runs: the launch has the attribute
/// CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION. The kernel has to
/// wait for the one before it (griddepcontrol.wait).
void bwgemmHostProgrammaticLaunch(void);

/// Returns 1 if the numbers are equal. Otherwise reports `what`, in which
/// "{got}" and "{expected}" stand for the numbers ("matmul: columns of A
/// ({got}) must equal rows of B ({expected})"); without them, the numbers are
/// put behind it. Returns 0 then, and in error state.
int32_t bwgemmHostRequireEqual(int64_t got, int64_t expected, const char *what);

/// Reports an error unless a buffer of `rank` dimensions is what its type says.
/// `got` and `expected` have the offset, the sizes and the strides, in
/// elements; INT64_MIN is expected where the type leaves a number open. Strides
/// of dimensions with one element at most do not matter, nor do strides and
/// offset of a buffer without elements. `what` names the buffer and its type.
void bwgemmHostRequireLayout(const char *what, int64_t rank, const int64_t *got,
                             const int64_t *expected);

#ifdef __cplusplus
}
#endif

#endif // BWGEMM_RUNTIME_LAUNCH_H

//===- Driver.h - The CUDA driver, or what stands in for it -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one interface through which the runtime and the tools reach a GPU: the
// entry points of the CUDA driver API, looked up in a library that is opened at
// run time. That library is NVIDIA's libcuda.so.1 or the emulator's
// libbwgemm-emulator.so; which one is decided here and nowhere else.
//
// Nothing here throws, prints or exits: every failure is a status and a text.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_RUNTIME_DRIVER_H
#define BWGEMM_RUNTIME_DRIVER_H

#include "bwgemm-runtime/CudaAbi.h"

#include <string>
#include <string_view>

namespace bwgemm::runtime {

using namespace bwgemm::cuda;

/// Which library to open.
enum class DriverKind {
  Auto,     ///< A GPU that can run the target, else the emulator.
  Cuda,     ///< libcuda.so.1 and nothing else.
  Emulator, ///< The emulator and nothing else.
  Path,     ///< The library at `DriverChoice::path`.
};

struct DriverChoice {
  DriverKind kind = DriverKind::Auto;
  /// For DriverKind::Path: file name of a library with the driver's interface.
  std::string path;
  /// What the code to run was compiled for, such as "sm_100a"; empty if any
  /// device will do. Decides whether a GPU is suitable.
  std::string target;

  /// Parses the value of --device: auto, cuda or emulator. Returns false and
  /// says in `error` what is accepted otherwise.
  static bool parse(std::string_view text, DriverChoice &choice,
                    std::string &error);
};

/// Entry points of an open, initialised driver, called as
/// `api.cuMemAlloc(&address, bytes)`.
struct DriverApi {
#define BWGEMM_DRIVER_ENTRY(name, symbol, parameters)                          \
  CUresult(*name) parameters = nullptr;
#include "bwgemm-runtime/DriverEntries.def"
#undef BWGEMM_DRIVER_ENTRY

  /// Offset and size of a kernel's parameter; null before CUDA 12.4.
  CUresult (*cuFuncGetParamInfo)(CUfunction function, size_t index,
                                 size_t *offset, size_t *bytes) = nullptr;

  /// True if the emulator stands behind the table.
  bool emulated = false;
  /// The device to use: the first that can run the target that was asked for.
  CUdevice device = 0;
  /// Compute capability of that device.
  int major = 0, minor = 0;
  /// Name of that device.
  std::string deviceName;
  /// The library, as it was opened.
  std::string library;
  /// Why this library: for the emulator, why not a GPU.
  std::string reason;

  /// The emulator's own entry points; null for a real driver.
  const char *(*emulatorReport)() = nullptr;
  void (*emulatorResetReport)() = nullptr;
  unsigned long long (*emulatorHazardCount)() = nullptr;

  /// One line on which device this is and why, such as
  /// "emulator (no libcuda.so.1)" or "GPU 0, NVIDIA B200, sm_100".
  std::string describe() const;

  /// "" for CUDA_SUCCESS, else "WHAT failed: NAME (NUMBER): DESCRIPTION".
  std::string check(CUresult result, const char *what) const;
};

/// Opens and initialises the driver that `choice` names. With DriverKind::Auto
/// the environment variable BWGEMM_DRIVER (auto, cuda, emulator, or the path of
/// a library) decides first. Returns null and says why in `error` on failure.
/// The table lives until the process ends: a driver cannot be unloaded safely.
/// Repeated calls open the same library once.
const DriverApi *loadDriver(const DriverChoice &choice, std::string &error);

/// Whether a device of compute capability MAJOR.MINOR runs code for `target`:
/// "sm_90a" needs exactly 9.0, "sm_100f" the same family (10.0 and later 10.x),
/// "sm_80" anything from 8.0 on (PTX ISA, ".target"). On false, `why` gets
/// "sm_100a needs compute capability 10.0" or says that the target is unknown.
bool canRunTarget(std::string_view target, int major, int minor,
                  std::string &why);

/// The architecture in the ".target" directive of PTX text, or "".
std::string targetOfPtx(std::string_view ptx);

/// Tells where the emulator's library is, for a program that knows; looked at
/// after BWGEMM_EMULATOR_LIBRARY and the folders of this library and of the
/// program, and before the loader's search path.
void setEmulatorLibrary(std::string_view path);

/// Name and description of a result, as cuGetErrorName and cuGetErrorString
/// give them; "CUDA_ERROR_UNKNOWN" for a number that is not in CudaAbi.h.
const char *resultName(CUresult result);
const char *resultDescription(CUresult result);

/// True for results that say that a kernel failed while it ran (trap, hang,
/// bad address), which every later call then returns as well.
bool isLaunchFault(CUresult result);

//===----------------------------------------------------------------------===//
// Owners of driver objects. `create` returns an error text, "" on success; a
// destroyed or never created owner is empty. The context must be current.
//===----------------------------------------------------------------------===//

/// Keeps the device's primary context and makes it current on this thread; the
/// destructor gives it back and restores the previous one.
class PrimaryContext {
public:
  PrimaryContext() = default;
  PrimaryContext(const PrimaryContext &) = delete;
  PrimaryContext &operator=(const PrimaryContext &) = delete;
  ~PrimaryContext();
  std::string create(const DriverApi &driver);
  CUcontext get() const { return context; }

private:
  const DriverApi *api = nullptr;
  CUcontext context = nullptr;
};

/// A stream that does not wait for the default one.
class Stream {
public:
  Stream() = default;
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
  ~Stream();
  std::string create(const DriverApi &driver);
  CUstream get() const { return stream; }

private:
  const DriverApi *api = nullptr;
  CUstream stream = nullptr;
};

/// Device memory. Movable, so that it can be kept in a container.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer &&other) noexcept;
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept;
  ~DeviceBuffer();
  /// Allocates `bytes` bytes; 0 bytes give a null address.
  std::string create(const DriverApi &driver, size_t bytes);
  std::string copyFrom(const void *host, size_t bytes);
  /// Copies all bytes of another buffer, which has no more than this one, in
  /// the order of the legacy default stream.
  std::string copyFrom(const DeviceBuffer &other);
  std::string copyTo(void *host, size_t bytes) const;
  CUdeviceptr address() const { return pointer; }
  size_t bytes() const { return size; }

private:
  const DriverApi *api = nullptr;
  CUdeviceptr pointer = 0;
  size_t size = 0;
};

/// A loaded module. `create` puts the compiler's log behind the error.
class LoadedModule {
public:
  LoadedModule() = default;
  LoadedModule(const LoadedModule &) = delete;
  LoadedModule &operator=(const LoadedModule &) = delete;
  ~LoadedModule();
  /// `image` is PTX text that ends in a zero byte, or a cubin.
  std::string create(const DriverApi &driver, const void *image,
                     int optimizationLevel = 4);
  std::string find(const char *kernel, CUfunction &function) const;
  CUmodule get() const { return module; }

private:
  const DriverApi *api = nullptr;
  CUmodule module = nullptr;
};

/// Loads an image into the current context; `error` gets the driver's status
/// and the JIT's log. Null on failure.
CUmodule loadImage(const DriverApi &driver, const void *image,
                   int optimizationLevel, std::string &error,
                   CUresult *result = nullptr);

} // namespace bwgemm::runtime

#endif // BWGEMM_RUNTIME_DRIVER_H

//===- Image.h - What a module is loaded from -------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_DRIVER_API_IMAGE_H
#define BWGEMM_EMULATOR_DRIVER_API_IMAGE_H

#include "State.h"

#include <string>

namespace bwgemm::emulator::driver {

/// The log buffers among the options of a load or of linking.
struct JitLog {
  struct Buffer {
    char *text = nullptr;
    size_t bytes = 0;
    void **bytesSlot = nullptr;

    /// Writes what fits; the size's slot gets the number of bytes written.
    void write(const std::string &message);
  };
  Buffer error, info;

  JitLog() = default;
  JitLog(unsigned count, const CUjit_option *names, void **values);
};

/// The kernel `name` of an image, in `result`; CUDA_ERROR_NOT_FOUND if it has
/// none.
CUresult findFunction(const LoadedImage &image, const char *name,
                      Function *&result);

/// Place and size of a variable of an image, either of which may be null;
/// CUDA_ERROR_NOT_FOUND if it has none of that name.
CUresult findGlobal(const LoadedImage &image, const char *name,
                    CUdeviceptr *address, size_t *bytes);

/// Whether code for `target` runs on the architecture `arch`, both "sm_…". An
/// architecture with a suffix runs its own code and that of every plain target
/// that is not newer (PTX ISA, ".target").
bool runsOn(const std::string &target, const Architecture &arch,
            std::string &why);

/// The PTX of an image: the image itself, or what a fatbin carries, of which
/// the newest that the device runs is taken. `bytes` is 0 where the caller of
/// the driver does not say it. A failure is explained in `error`.
CUresult ptxOf(const State &state, const void *image, size_t bytes,
               std::string &ptx, std::string &error);

/// Expands a block in the LZ4 format. False if it is damaged or does not give
/// `bytes` bytes.
bool expandLz4(const unsigned char *from, size_t fromBytes, size_t bytes,
               std::string &result);

/// Parses an image and makes its functions. On failure the error log gets the
/// reason, which is also printed.
CUresult loadImage(State &state, const void *image, size_t bytes,
                   std::unique_ptr<LoadedImage> &result, JitLog log);

/// Reads a whole file.
bool readFile(const char *name, std::string &contents);

} // namespace bwgemm::emulator::driver

#endif // BWGEMM_EMULATOR_DRIVER_API_IMAGE_H

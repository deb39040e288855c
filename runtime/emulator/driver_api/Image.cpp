//===- Image.cpp - What a module is loaded from -----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fatbin is a header of 16 bytes and entries, each with a header of its own;
// found by looking at what nvcc 13.0 writes with each --compress-mode.
//
//===----------------------------------------------------------------------===//

#include "Image.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

namespace bwgemm::emulator::driver {

//===----------------------------------------------------------------------===//
// Logs
//===----------------------------------------------------------------------===//

JitLog::JitLog(unsigned count, const CUjit_option *names, void **values) {
  if (!names || !values)
    return;
  auto size = [&](unsigned i, Buffer &buffer) {
    buffer.bytes =
        static_cast<unsigned>(reinterpret_cast<uintptr_t>(values[i]));
    buffer.bytesSlot = &values[i];
  };
  for (unsigned i = 0; i < count; ++i) {
    if (names[i] == CU_JIT_ERROR_LOG_BUFFER)
      error.text = static_cast<char *>(values[i]);
    else if (names[i] == CU_JIT_INFO_LOG_BUFFER)
      info.text = static_cast<char *>(values[i]);
    else if (names[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      size(i, error);
    else if (names[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
      size(i, info);
  }
}

void JitLog::Buffer::write(const std::string &message) {
  size_t length = 0;
  if (text && bytes) {
    length = std::min(message.size(), bytes - 1);
    std::memcpy(text, message.data(), length);
    text[length] = '\0';
  }
  if (bytesSlot)
    *bytesSlot = reinterpret_cast<void *>(uintptr_t(length));
}

bool readFile(const char *name, std::string &contents) {
  std::FILE *file = std::fopen(name, "rb");
  if (!file)
    return false;
  char buffer[1 << 14];
  size_t got;
  while ((got = std::fread(buffer, 1, sizeof(buffer), file)) > 0)
    contents.append(buffer, got);
  bool good = !std::ferror(file);
  std::fclose(file);
  return good;
}

//===----------------------------------------------------------------------===//
// Fatbins
//===----------------------------------------------------------------------===//

namespace {

struct FatbinHeader {
  uint32_t magic;
  uint16_t version, headerBytes;
  uint64_t bytes; ///< Of the entries, without this header.
};

/// What a compiled program points to instead of the fatbin itself.
struct FatbinWrapper {
  uint32_t magic, version;
  const void *fatbin;
  const void *more;
};

struct FatbinEntry {
  uint16_t kind, version;
  uint32_t headerBytes;
  uint64_t bytes; ///< Of the contents, padded to 8.
  uint32_t compressedBytes, optionsOffset;
  uint16_t minor, major;
  uint32_t architecture;
  uint32_t nameOffset, nameBytes;
  uint64_t flags;
  uint64_t unused;
  uint64_t expandedBytes;
};
static_assert(sizeof(FatbinHeader) == 16 && sizeof(FatbinEntry) == 64,
              "as in the file");

constexpr uint32_t fatbinMagic = 0xba55ed50, wrapperMagic = 0x466243b1;
constexpr uint16_t ptxKind = 1;
constexpr uint64_t lz4Flag = 0x2000, zstdFlag = 0x8000;

} // namespace

bool expandLz4(const unsigned char *from, size_t fromBytes, size_t bytes,
               std::string &result) {
  // LZ4 Block Format Description, github.com/lz4/lz4: literals, then a copy of
  // what came before; lengths of 15 go on in the bytes that follow.
  result.clear();
  if (bytes > (size_t(1) << 31))
    return false;
  result.reserve(bytes);
  size_t at = 0;
  auto more = [&](size_t &length) {
    if (length != 15)
      return true;
    unsigned char next;
    do {
      if (at >= fromBytes)
        return false;
      next = from[at++];
      length += next;
    } while (next == 255);
    return true;
  };
  while (at < fromBytes) {
    unsigned char token = from[at++];
    size_t literals = token >> 4;
    if (!more(literals) || literals > fromBytes - at ||
        literals > bytes - result.size())
      return false;
    result.append(reinterpret_cast<const char *>(from + at), literals);
    at += literals;
    if (at == fromBytes) // The last sequence has no copy.
      break;
    if (fromBytes - at < 2)
      return false;
    size_t distance = from[at] | size_t(from[at + 1]) << 8;
    at += 2;
    size_t length = token & 15;
    if (!more(length))
      return false;
    length += 4;
    if (!distance || distance > result.size() || length > bytes - result.size())
      return false;
    for (size_t i = 0; i < length; ++i) // It may overlap itself.
      result.push_back(result[result.size() - distance]);
  }
  return result.size() == bytes;
}

/// Expands with the system's libzstd, which many programs need anyway.
static bool expandZstd(const unsigned char *from, size_t fromBytes,
                       size_t bytes, std::string &result, std::string &error) {
  using Decompress = size_t (*)(void *, size_t, const void *, size_t);
  static auto decompress = []() -> Decompress {
    void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    return library
               ? reinterpret_cast<Decompress>(dlsym(library, "ZSTD_decompress"))
               : nullptr;
  }();
  if (!decompress) {
    error = "the PTX in the fatbin is compressed with zstd, and libzstd.so.1 "
            "was not found; install it, or compile with nvcc "
            "--compress-mode=none";
    return false;
  }
  if (bytes > (size_t(1) << 31))
    return false;
  result.resize(bytes);
  return decompress(result.data(), bytes, from, fromBytes) == bytes;
}

static const char *const ptxAdvice =
    "the emulator executes PTX text: compile with bwgemm-compile --emit=ptx, "
    "nvcc -ptx (or -gencode arch=compute_90,code=compute_90, which puts PTX "
    "into a fatbin) or mlir-opt's gpu-module-to-binary{format=isa}";

/// The name after ".target", or "".
static std::string targetOf(const std::string &ptx) {
  size_t at = ptx.find(".target");
  if (at == ptx.npos)
    return std::string();
  at = ptx.find_first_not_of(" \t", at + 7);
  if (at == ptx.npos)
    return std::string();
  return ptx.substr(at, ptx.find_first_of(" \t\r\n,", at) - at);
}

static CUresult unpackFatbin(const State &state, const unsigned char *image,
                             std::string &ptx, std::string &error) {
  FatbinHeader header;
  std::memcpy(&header, image, sizeof(header));
  const unsigned char *at = image + header.headerBytes;
  const unsigned char *end = at + header.bytes;
  int best = -1;
  unsigned entries = 0;
  std::string refused;
  while (end - at >= ptrdiff_t(sizeof(FatbinEntry))) {
    FatbinEntry entry;
    std::memcpy(&entry, at, sizeof(entry));
    size_t rest = size_t(end - at);
    if (entry.headerBytes < sizeof(entry) || entry.headerBytes > rest ||
        entry.bytes > rest - entry.headerBytes ||
        entry.compressedBytes > entry.bytes) {
      error = "the fatbin is damaged";
      return CUDA_ERROR_INVALID_IMAGE;
    }
    const unsigned char *contents = at + entry.headerBytes;
    at = contents + entry.bytes;
    ++entries;
    if (entry.kind != ptxKind)
      continue;
    std::string text;
    bool good = true;
    if (entry.flags & lz4Flag)
      good =
          expandLz4(contents, entry.compressedBytes, entry.expandedBytes, text);
    else if (entry.flags & zstdFlag)
      good = expandZstd(contents, entry.compressedBytes, entry.expandedBytes,
                        text, error);
    else
      text.assign(reinterpret_cast<const char *>(contents), entry.bytes);
    if (!good) {
      if (error.empty())
        error = "the compressed PTX in the fatbin is damaged";
      return CUDA_ERROR_INVALID_IMAGE;
    }
    std::string target = targetOf(text), why;
    if (state.archFixed && !runsOn(target, state.architecture, why)) {
      refused = why;
      continue;
    }
    if (int(entry.architecture) < best)
      continue;
    best = int(entry.architecture);
    ptx = text.c_str(); // Padding behind the text goes.
  }
  if (best >= 0)
    return CUDA_SUCCESS;
  error = refused.empty()
              ? "the fatbin has " + std::to_string(entries) +
                    " entries of machine code and no PTX; " + ptxAdvice
              : refused;
  return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

CUresult findFunction(const LoadedImage &image, const char *name,
                      Function *&result) {
  for (const std::unique_ptr<Function> &function : image.functions)
    if (function->kernel->name == name) {
      result = function.get();
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}

CUresult findGlobal(const LoadedImage &image, const char *name,
                    CUdeviceptr *address, size_t *bytes) {
  uint64_t at = 0, size = 0;
  if (!image.module->findGlobal(name, at, size))
    return CUDA_ERROR_NOT_FOUND;
  if (address)
    *address = at;
  if (bytes)
    *bytes = size;
  return CUDA_SUCCESS;
}

bool runsOn(const std::string &target, const Architecture &arch,
            std::string &why) {
  int number = target.size() > 3 ? std::atoi(target.c_str() + 3) : 0;
  int own = arch.major * 10 + arch.minor;
  char suffix = target.empty() ? '\0' : target.back();
  bool fits = suffix == 'a'   ? number == own
              : suffix == 'f' ? number / 10 == arch.major && number <= own
                              : number <= own;
  if (fits)
    return true;
  why = "the PTX is for " + target + ", the emulated device is " + arch.name;
  if (suffix == 'a')
    why += "; code for an 'a' target runs on exactly that architecture";
  else if (suffix == 'f')
    why += "; code for an 'f' target runs on its family only";
  why +=
      "; set BWGEMM_EMULATOR=arch=" + target + " or compile for " + arch.name;
  return false;
}

/// The number after ".version" times ten; 0 if the text does not begin with
/// it, as PTX does after comments.
static int versionOf(const char *text) {
  while (true) {
    text += std::strspn(text, " \t\r\n\v\f");
    if (text[0] == '/' && text[1] == '/')
      text += std::strcspn(text, "\n");
    else if (text[0] == '/' && text[1] == '*') {
      const char *close = std::strstr(text + 2, "*/");
      if (!close)
        return 0;
      text = close + 2;
    } else
      break;
  }
  int major = 0, minor = 0;
  if (std::sscanf(text, ".version %d.%d", &major, &minor) != 2)
    return 0;
  return std::clamp(major, 0, 1000) * 10 + std::clamp(minor, 0, 9);
}

CUresult ptxOf(const State &state, const void *image, size_t bytes,
               std::string &ptx, std::string &error) {
  auto *data = static_cast<const unsigned char *>(image);
  // Bytes are looked at one after the other: a text may be shorter than a
  // binary's mark.
  if (bytes && bytes < 4) {
    error = "the module image has " + std::to_string(bytes) + " bytes";
    return CUDA_ERROR_INVALID_IMAGE;
  }
  if (data[0] == '\0') {
    error = "the module image is empty";
    return CUDA_ERROR_INVALID_IMAGE;
  }
  uint32_t mark = 0;
  if (bytes || (data[1] != '\0' && data[2] != '\0' && data[3] != '\0'))
    std::memcpy(&mark, data, sizeof(mark));
  if (mark == wrapperMagic) {
    FatbinWrapper wrapper;
    std::memcpy(&wrapper, data, sizeof(wrapper));
    if (!wrapper.fatbin) {
      error = "the fatbin's wrapper is empty";
      return CUDA_ERROR_INVALID_IMAGE;
    }
    return ptxOf(state, wrapper.fatbin, 0, ptx, error);
  }
  if (mark == fatbinMagic) {
    FatbinHeader header;
    if (bytes && bytes < sizeof(header)) {
      error = "the fatbin is cut short";
      return CUDA_ERROR_INVALID_IMAGE;
    }
    std::memcpy(&header, data, sizeof(header));
    if (bytes && (header.headerBytes > bytes ||
                  header.bytes > bytes - header.headerBytes)) {
      error = "the fatbin is cut short";
      return CUDA_ERROR_INVALID_IMAGE;
    }
    return unpackFatbin(state, data, ptx, error);
  }
  static const uint32_t elf = 0x464c457f;
  if (mark == elf) {
    error = std::string("the image is a cubin (machine code); ") + ptxAdvice;
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  auto *text = static_cast<const char *>(image);
  ptx.assign(text, bytes ? strnlen(text, bytes) : std::strlen(text));
  return CUDA_SUCCESS;
}

CUresult loadImage(State &state, const void *image, size_t bytes,
                   std::unique_ptr<LoadedImage> &result, JitLog log) {
  auto fail = [&](CUresult status, const std::string &message) {
    complain(message);
    log.error.write(message);
    return status;
  };
  log.error.write("");
  log.info.write("");
  std::string ptx, error;
  if (CUresult status = ptxOf(state, image, bytes, ptx, error);
      status != CUDA_SUCCESS)
    return fail(status, error);
  int version = versionOf(ptx.c_str());
  std::shared_ptr<Module> module =
      Module::load(ptx, "<ptx>", state.memory, error);
  // PTX 9.0 came with CUDA 13.0.
  if (version > 90)
    return fail(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                "the PTX has version " + std::to_string(version / 10) + "." +
                    std::to_string(version % 10) +
                    ", the driver knows versions up to 9.0");
  if (!module)
    return fail(version ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_INVALID_IMAGE,
                error);
  if (!state.archFixed) {
    state.architecture = architectureOf(module->target());
    state.archFixed = true;
  } else if (std::string why;
             state.archGiven &&
             !runsOn(module->target(), state.architecture, why)) {
    // What an H200 answers to PTX for a newer target.
    return fail(CUDA_ERROR_INVALID_PTX, why);
  }

  result = std::make_unique<LoadedImage>();
  result->module = module;
  for (const KernelInfo &kernel : module->kernels()) {
    auto function = std::make_unique<Function>();
    function->module = module;
    function->image = result.get();
    function->kernel = &kernel;
    function->maxDynamicShared =
        std::max(0, defaultSharedPerBlock - function->staticShared());
    state.functions.insert(function.get());
    result->functions.push_back(std::move(function));
  }
  return CUDA_SUCCESS;
}

void unloadImage(State &state, LoadedImage *image) {
  for (std::unique_ptr<Function> &function : image->functions)
    state.functions.erase(function.get());
  delete image;
}

} // namespace bwgemm::emulator::driver

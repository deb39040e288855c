//===- Library.cpp - A compiled library, opened -----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace bwgemm::runner {
namespace {

/// Closes a file descriptor.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0)
      close(fd);
  }
};

bool readAt(int fd, void *target, size_t bytes, uint64_t offset) {
  return pread(fd, target, bytes, off_t(offset)) == ssize_t(bytes);
}

/// Whether `path` is a 64-bit little-endian shared object whose segments and
/// section table lie within the file.
bool checkElf(const std::string &path, std::string &error) {
  auto fail = [&](const std::string &why) {
    error = path + ": " + why;
    return false;
  };
  Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat status = {};
  if (file.fd < 0 || fstat(file.fd, &status) != 0)
    return fail(std::string("cannot be opened: ") + std::strerror(errno));
  if (!S_ISREG(status.st_mode))
    return fail("expected a library made by bwgemm-compile or a .mlir file, "
                "got something that is not a regular file");
  uint64_t size = uint64_t(status.st_size);
  Elf64_Ehdr header;
  if (size < SELFMAG || !readAt(file.fd, &header, SELFMAG, 0) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return fail("expected a library made by bwgemm-compile or a .mlir file; "
                "this is not a shared library");
  if (!readAt(file.fd, &header, sizeof header, 0))
    return fail("the library is cut short: it ends in its header");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN)
    return fail("expected a 64-bit shared library");
  uint64_t end = 0;
  auto include = [&](uint64_t offset, uint64_t bytes) {
    uint64_t last;
    end = __builtin_add_overflow(offset, bytes, &last) ? ~uint64_t(0)
                                                       : std::max(end, last);
  };
  include(header.e_shoff, uint64_t(header.e_shnum) * header.e_shentsize);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    uint64_t offset = header.e_phoff + uint64_t(i) * header.e_phentsize;
    if (!readAt(file.fd, &segment, sizeof segment, offset)) {
      include(offset, sizeof segment);
      break;
    }
    include(segment.p_offset, segment.p_filesz);
  }
  if (end > size)
    return fail("the library is cut short: expected at least " +
                std::to_string(end) + " bytes, got " + std::to_string(size));
  return true;
}

using ErrorHandler = void (*)(const char *, int, void *);

void keepFirst(const char *message, int status, void *user) {
  auto *error = static_cast<CallError *>(user);
  if (error->status)
    return;
  error->message = message ? message : "";
  error->status = status;
}

template <size_t> using Pointer = void *;

template <size_t... Index>
void callWith(void *function, void *const *arguments,
              std::index_sequence<Index...>) {
  reinterpret_cast<void (*)(Pointer<Index>...)>(function)(arguments[Index]...);
}

using Caller = void (*)(void *, void *const *);

template <size_t Count> void callWithCount(void *function, void *const *args) {
  callWith(function, args, std::make_index_sequence<Count>());
}

/// callers[n] calls a function of n pointers.
template <size_t... Count>
constexpr std::array<Caller, sizeof...(Count)>
makeCallers(std::index_sequence<Count...>) {
  return {callWithCount<Count>...};
}

constexpr auto callers =
    makeCallers(std::make_index_sequence<Library::maxArguments + 1>());

} // namespace

bool Library::open(const std::string &file, std::string &error) {
  path = file;
  if (!checkElf(path, error))
    return false;
  // Without a slash, the loader would search its own folders.
  std::string place = path.find('/') == std::string::npos ? "./" + path : path;
  handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    error = path + ": cannot be loaded: " + dlerror();
    return false;
  }
  auto *text = static_cast<const char *>(dlsym(handle, "bwgemm_metadata"));
  if (!text) {
    error = path + ": has no symbol bwgemm_metadata; expected a library made "
                   "by bwgemm-compile";
    return false;
  }
  if (Description::parse(text, contents, error))
    return true;
  error = path + ": bad description in bwgemm_metadata: " + error;
  return false;
}

bool Library::hasFunction(const std::string &name, std::string &error) const {
  if (dlsym(handle, ("_mlir_ciface_" + name).c_str()))
    return true;
  error = path + ": has no symbol _mlir_ciface_" + name +
          ", although its description names the function";
  return false;
}

CallError Library::call(const std::string &name,
                        const std::vector<void *> &descriptors) const {
  CallError error;
  auto setHandler = reinterpret_cast<void (*)(ErrorHandler, void *)>(
      dlsym(handle, "bwgemm_set_error_handler"));
  auto clear =
      reinterpret_cast<void (*)()>(dlsym(handle, "bwgemm_clear_error"));
  auto last =
      reinterpret_cast<const char *(*)()>(dlsym(handle, "bwgemm_last_error"));
  if (clear)
    clear();
  if (setHandler)
    setHandler(keepFirst, &error);
  void *function = dlsym(handle, ("_mlir_ciface_" + name).c_str());
  callers[descriptors.size()](function, descriptors.data());
  if (setHandler)
    setHandler(nullptr, nullptr);
  if (const char *message = last ? last() : nullptr; message && !error.status) {
    error.message = message;
    error.status = 2;
  }
  return error;
}

CallError Library::enqueue(const std::string &name,
                           const std::vector<void *> &descriptors,
                           void *stream) const {
  auto setStream =
      reinterpret_cast<void (*)(void *)>(dlsym(handle, "bwgemm_set_stream"));
  auto unsetStream =
      reinterpret_cast<void (*)()>(dlsym(handle, "bwgemm_unset_stream"));
  if (!setStream || !unsetStream)
    return {path + ": has no symbol bwgemm_set_stream, which timing needs; "
                   "compile it again with this version",
            2};
  setStream(stream);
  CallError error = call(name, descriptors);
  unsetStream();
  return error;
}

} // namespace bwgemm::runner

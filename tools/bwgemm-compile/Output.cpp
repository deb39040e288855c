//===- Output.cpp - Output files that appear whole or not at all ----------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Output.h"
#include "Report.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace bwgemm::compile;
using namespace llvm;

static void reportUnwritable(StringRef path, std::error_code code) {
  error(("cannot write '" + path + "': " + code.message()).str());
}

/// Whether a path names a device, a pipe or the like: those are written into,
/// not replaced.
static bool isSpecial(StringRef path) {
  sys::fs::file_status status;
  return !sys::fs::status(path, status) && sys::fs::exists(status) &&
         !sys::fs::is_regular_file(status) && !sys::fs::is_directory(status);
}

static bool writeStream(raw_fd_ostream &stream, StringRef name,
                        StringRef contents) {
  stream << contents;
  stream.flush();
  std::error_code code = stream.error();
  stream.clear_error();
  if (!code)
    return true;
  reportUnwritable(name, code);
  return false;
}

static bool writeSpecial(StringRef path, StringRef contents) {
  std::error_code code;
  raw_fd_ostream stream(path, code);
  if (!code)
    return writeStream(stream, path, contents);
  reportUnwritable(path, code);
  return false;
}

OutputFile::~OutputFile() {
  if (temporary.empty())
    return;
  sys::fs::remove(temporary);
  sys::DontRemoveFileOnSignal(temporary);
}

bool OutputFile::create(StringRef wanted, bool executable) {
  path = wanted.str();
  // A link keeps pointing to where it did.
  SmallString<128> real;
  if (!sys::fs::real_path(path, real))
    path = std::string(real);
  if (sys::fs::is_directory(path)) {
    error("cannot write '" + path + "': it is a folder");
    return false;
  }
  StringRef folder = sys::path::parent_path(path);
  if (!folder.empty() && !sys::fs::is_directory(folder)) {
    error("cannot write '" + path + "': there is no folder '" + folder.str() +
          "'");
    return false;
  }
  SmallString<128> unique;
  unsigned mode = sys::fs::all_read | sys::fs::all_write;
  if (executable)
    mode |= sys::fs::all_exe;
  int descriptor;
  special = isSpecial(path);
  // Beside a device may be no place for files.
  std::error_code code =
      special
          ? sys::fs::createTemporaryFile("bwgemm", "tmp", descriptor, unique)
          : sys::fs::createUniqueFile(path + ".%%%%%%.tmp", descriptor, unique,
                                      sys::fs::OF_None, mode);
  if (code) {
    reportUnwritable(path, code);
    return false;
  }
  sys::Process::SafelyCloseFileDescriptor(descriptor);
  temporary = std::string(unique);
  sys::RemoveFileOnSignal(temporary);
  return true;
}

bool OutputFile::write(StringRef contents) {
  std::error_code code;
  raw_fd_ostream stream(temporary, code, sys::fs::CD_OpenExisting,
                        sys::fs::FA_Write, sys::fs::OF_None);
  if (!code) {
    stream << contents;
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  if (!code)
    return true;
  reportUnwritable(path, code);
  return false;
}

bool OutputFile::keep() {
  if (special) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> contents =
        MemoryBuffer::getFile(temporary);
    if (std::error_code code = contents.getError()) {
      reportUnwritable(path, code);
      return false;
    }
    return writeSpecial(path, (*contents)->getBuffer());
  }
  if (std::error_code code = sys::fs::rename(temporary, path)) {
    reportUnwritable(path, code);
    return false;
  }
  sys::DontRemoveFileOnSignal(temporary);
  temporary.clear();
  return true;
}

bool bwgemm::compile::writeOutput(StringRef path, StringRef contents) {
  if (path.empty() || path == "-")
    return writeStream(outs(), "standard output", contents);
  if (isSpecial(path))
    return writeSpecial(path, contents);
  OutputFile file;
  return file.create(path) && file.write(contents) && file.keep();
}

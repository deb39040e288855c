//===- Linker.cpp - From a host object to a shared library ----------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Linker.h"
#include "Report.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>

using namespace bwgemm::compile;
using namespace llvm;

std::string bwgemm::compile::getLibraryPath(StringRef file) {
  static int anchor;
  std::string program = sys::fs::getMainExecutable(nullptr, &anchor);
  SmallString<128> path(
      sys::path::parent_path(sys::path::parent_path(program)));
  sys::path::append(path, "lib", file);
  return std::string(path);
}

/// The C++ compiler that links: the runtime needs the C++ library.
static std::string findCompiler() {
  if (auto chosen = sys::Process::GetEnv("CXX"))
    if (auto path = sys::findProgramByName(*chosen))
      return *path;
  for (const char *name : {"c++", "g++", "clang++"})
    if (auto path = sys::findProgramByName(name))
      return *path;
  return "";
}

namespace {
/// A folder for the linker's inputs that goes away with its files.
class WorkFolder {
public:
  WorkFolder() {
    sys::path::system_temp_directory(/*erasedOnReboot=*/true, path);
    sys::path::append(path, "bwgemm-XXXXXX");
    made = ::mkdtemp(const_cast<char *>(path.c_str())) != nullptr;
    if (!made)
      error(("cannot make a temporary folder '" + path +
             "': " + std::strerror(errno))
                .str());
  }
  ~WorkFolder() {
    if (made)
      sys::fs::remove_directories(path);
  }
  explicit operator bool() const { return made; }

  std::string file(StringRef name) const {
    SmallString<128> result = path;
    sys::path::append(result, name);
    return std::string(result);
  }

  bool write(StringRef name, StringRef contents) const {
    std::error_code code;
    raw_fd_ostream stream(file(name), code);
    if (!code) {
      stream << contents;
      stream.close();
      code = stream.error();
      stream.clear_error();
    }
    if (code)
      error("cannot write '" + file(name) + "': " + code.message());
    return !code;
  }

private:
  SmallString<128> path;
  bool made = false;
};
} // namespace

/// Everything else stays inside: the C++ library and the launch runtime must
/// not be mixed up with those of the program that loads the library.
static std::string makeExportList(ArrayRef<std::string> functions) {
  std::string text = "{ global: bwgemm_*;";
  for (const std::string &name : functions)
    text += " \"" + name + "\";";
  return text + " local: *; };\n";
}

bool bwgemm::compile::linkLibrary(ArrayRef<char> object, StringRef output,
                                  ArrayRef<std::string> functions,
                                  bool verbose) {
  std::string runtime = getLibraryPath("libbwgemm_launch.a");
  if (!sys::fs::exists(runtime)) {
    error("the launch runtime '" + runtime +
          "' is missing; build the target bwgemm_launch, or use --emit=ptx");
    return false;
  }
  std::string compiler = findCompiler();
  if (compiler.empty()) {
    error("linking a library needs a C++ compiler: install g++ or clang++, or "
          "name one in CXX; --emit=ptx needs none");
    return false;
  }
  WorkFolder folder;
  if (!folder ||
      !folder.write("host.o", StringRef(object.data(), object.size())) ||
      !folder.write("exports.map", makeExportList(functions)))
    return false;

  // -Bsymbolic: of two compiled libraries in one process each uses its own
  // tables. There is no SONAME, so that `cc main.c ./libmatmul.so` makes a
  // program that finds the library where it was.
  std::string host = folder.file("host.o"), log = folder.file("link.log");
  std::string exports = "-Wl,--version-script=" + folder.file("exports.map");
  StringRef arguments[] = {compiler,
                           "-shared",
                           "-o",
                           output,
                           host,
                           runtime,
                           "-static-libstdc++",
                           "-static-libgcc",
                           "-Wl,-Bsymbolic",
                           "-Wl,--no-undefined",
                           "-Wl,--gc-sections",
                           exports,
                           "-ldl",
                           "-lpthread",
                           "-lm"};
  if (verbose)
    say(join(ArrayRef(arguments), " "));
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(log),
                                          StringRef(log)};
  std::string failure;
  int status = sys::ExecuteAndWait(compiler, arguments, /*Env=*/std::nullopt,
                                   redirects, /*SecondsToWait=*/0,
                                   /*MemoryLimit=*/0, &failure);
  if (status == 0)
    return true;
  std::string message = "linking failed";
  if (!failure.empty())
    message += ": " + failure;
  if (auto text = MemoryBuffer::getFile(log))
    message += "\n" + (*text)->getBuffer().rtrim().str();
  error(message);
  return false;
}

//===- Library.h - A compiled library, opened -------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_RUNNER_LIBRARY_H
#define BWGEMM_TOOLS_RUNNER_LIBRARY_H

#include "Description.h"

#include <string>
#include <vector>

namespace bwgemm::runner {

/// What the library reported through its error handler.
struct CallError {
  std::string message;
  /// The exit status that it asks for; 0 if nothing was reported.
  int status = 0;
};

/// A shared library made by bwgemm-compile. It stays loaded until the process
/// ends: work that it started may outlive the object.
class Library {
public:
  /// Opens `path`. A file that is cut short is refused before the loader maps
  /// it, since touching what is missing would end the process.
  bool open(const std::string &path, std::string &error);

  const Description &description() const { return contents; }

  /// Whether _mlir_ciface_NAME is there to be called.
  bool hasFunction(const std::string &name, std::string &error) const;

  /// Calls _mlir_ciface_NAME with pointers to memref descriptors.
  CallError call(const std::string &name,
                 const std::vector<void *> &descriptors) const;

  /// Calls it so that it puts its work into `stream` and does not wait.
  CallError enqueue(const std::string &name,
                    const std::vector<void *> &descriptors, void *stream) const;

  /// The most arguments that `call` can pass.
  static constexpr size_t maxArguments = 16;

private:
  std::string path;
  void *handle = nullptr;
  Description contents;
};

} // namespace bwgemm::runner

#endif // BWGEMM_TOOLS_RUNNER_LIBRARY_H

//===- parser.cpp - Fuzzes parsing and decoding of PTX ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input is PTX text. It loads or it does not, with a message that starts
// with the name and a place in the text; nothing else may happen.
//
//===----------------------------------------------------------------------===//

#include "Emulator.h"
#include "Mutator.h"

#include <cstdlib>

using namespace bwgemm;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  if (seed % 4 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  return fuzz::mutatePtx(data, size, maxSize, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  emulator::DeviceMemory memory;
  memory.setCapacity(8 << 20);
  std::string error;
  auto module = emulator::Module::load(
      std::string_view(reinterpret_cast<const char *>(data), size), "f.ptx",
      memory, error);
  if (!module && error.compare(0, 6, "f.ptx:") != 0)
    std::abort();
  module.reset();
  // Nothing of a module outlives it.
  if (memory.allocatedBytes() != 0)
    std::abort();
  return 0;
}

//===- Npy.h - Matrices in NumPy's file format ------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes .npy files (NumPy Enhancement Proposal 1; format versions
// 1.0, 2.0 and 3.0 are read, 1.0 is written).
//
// NumPy has no bf16, tf32 or 8-bit floating point. Elements of these types are
// raw unsigned integers of their width (tf32: as f4), which is how NumPy shows
// them with `.view(numpy.uint16)`.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_RUNTIME_NPY_H
#define BWGEMM_RUNTIME_NPY_H

#include "bwgemm-runtime/ElementType.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bwgemm::runtime {

/// A dense array, last dimension fastest, as read from a file.
struct NpyArray {
  /// NumPy's type: 'f' float, 'i' signed, 'u' unsigned, 'V' raw bytes.
  char kind = 'f';
  /// Bytes per element: 1, 2, 4 or 8.
  unsigned itemBytes = 0;
  /// Empty for a scalar.
  std::vector<int64_t> shape;
  /// Little endian.
  std::vector<unsigned char> data;
};

/// Reads `path`. Arrays in Fortran order are put into C order. On failure
/// returns false and sets `error` to "<path>: <what was expected and got>";
/// `array` is then unchanged. Refused by name: big-endian, complex, structured
/// and string types, files that are shorter or longer than their header says.
bool loadNpy(const std::string &path, NpyArray &array, std::string &error);

/// Reads `path` as an array of `type` with the extents `shape`, where -1 stands
/// for any extent; otherwise as above.
bool loadNpy(const std::string &path, ElementType type,
             const std::vector<int64_t> &shape, NpyArray &array,
             std::string &error);

/// NumPy's name of the type that stands for `type` in a file, e.g. "<u2" for
/// bf16.
std::string npyTypeString(ElementType type);

/// Writes `data`, dense with the last dimension fastest, to `path`, by way of a
/// temporary file in the same folder: `path` is written as a whole or keeps
/// what it had. On failure returns false and sets `error`.
bool saveNpy(const std::string &path, ElementType type,
             const std::vector<int64_t> &shape, const void *data,
             std::string &error);

/// "2x3x4"; "scalar" for no dimensions; "?" where an extent is negative.
std::string formatShape(const std::vector<int64_t> &shape);

} // namespace bwgemm::runtime

#endif // BWGEMM_RUNTIME_NPY_H

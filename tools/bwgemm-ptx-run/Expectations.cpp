//===- Expectations.cpp - Comparing buffers ---------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expectations.h"

#include "bwgemm-runtime/Npy.h"

#include <cmath>
#include <cstdio>

namespace bwgemm::ptxrun {

using namespace bwgemm::runtime;

/// "[1, 2]" for a position in row-major order.
static std::string place(const std::vector<int64_t> &shape, size_t position) {
  std::string text;
  for (size_t i = shape.size(); i-- > 0;) {
    text = std::to_string(position % size_t(shape[i])) +
           (text.empty() ? "" : ", ") + text;
    position /= size_t(shape[i]);
  }
  return "[" + text + "]";
}

/// The position of an index in row-major order; an error if it is outside.
static std::string locate(const ExpectSpec &expect, const Buffer &buffer,
                          size_t &position) {
  const std::vector<int64_t> &shape = buffer.spec.shape;
  bool inside = expect.index.size() == shape.size();
  position = 0;
  for (size_t i = 0; inside && i < shape.size(); ++i) {
    inside = expect.index[i] < shape[i];
    position = position * size_t(shape[i]) + size_t(expect.index[i]);
  }
  if (inside)
    return std::string();
  return "--expect=" + expect.text + ": '" + buffer.spec.name + "' has shape " +
         formatShape(shape);
}

std::string prepare(const ExpectSpec &expect, Buffers &buffers) {
  std::string error;
  Buffer *buffer = buffers.find(expect.buffer, error);
  if (!buffer)
    return "--expect=" + expect.text + ": " + error;
  size_t position;
  if (!expect.index.empty())
    return locate(expect, *buffer, position);
  if (!expect.values.empty() && !expect.everyElement &&
      expect.values.size() != buffer->count())
    return "--expect=" + expect.text + ": " +
           std::to_string(expect.values.size()) + " values for the " +
           std::to_string(buffer->count()) + " elements of '" +
           buffer->spec.name + "' (all=V for one value everywhere)";
  return std::string();
}

/// Shortest text of a double that need not be of any element type.
static std::string text(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.9g", value);
  return buffer;
}

std::string compare(const ExpectSpec &expect, Buffers &buffers,
                    Verdict &verdict) {
  std::string error;
  Buffer *buffer = buffers.find(expect.buffer, error);
  if (!buffer)
    return error;
  size_t begin = 0, end = buffer->count();
  if (!expect.index.empty()) {
    if (error = locate(expect, *buffer, begin); !error.empty())
      return error;
    end = begin + 1;
  }

  ElementType type = buffer->spec.type;
  size_t bytes = sizeInBytes(type);
  std::vector<unsigned char> wanted; // Empty if the values are in the text.
  if (!expect.file.empty()) {
    NpyArray array;
    if (!loadNpy(expect.file, type, buffer->spec.shape, array, error))
      return error;
    wanted = std::move(array.data);
  } else if (expect.fill) {
    wanted.resize(end * bytes);
    fill(type, wanted.data(), end, *expect.fill);
  }

  constexpr size_t shown = 8;
  for (size_t i = begin; i < end; ++i) {
    double want = !wanted.empty()
                      ? toDouble(type, loadBits(type, &wanted[i * bytes]))
                  : expect.values.size() == 1 ? expect.values[0]
                                              : expect.values[i];
    double got = buffer->value(i);
    ++verdict.checked;
    // An infinity is close to nothing but itself.
    bool equal =
        got == want || (std::isnan(got) && std::isnan(want)) ||
        (std::isfinite(want) &&
         std::abs(got - want) <= expect.tolerance * (1 + std::abs(want)));
    if (equal)
      continue;
    if (++verdict.wrong <= shown)
      verdict.message += "\n  " + expect.buffer + place(buffer->spec.shape, i) +
                         ": expected " + text(want) + ", got " +
                         buffer->text(i);
  }
  if (verdict.wrong)
    verdict.message = "--expect=" + expect.text + ": " +
                      std::to_string(verdict.wrong) + " of " +
                      std::to_string(verdict.checked) + " elements are wrong" +
                      verdict.message + (verdict.wrong > shown ? "\n  …" : "");
  return std::string();
}

} // namespace bwgemm::ptxrun

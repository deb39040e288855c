//===- Operands.cpp - The memory of a call's arguments ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operands.h"

#include <algorithm>
#include <cstring>

namespace bwgemm::runner {

using namespace bwgemm::runtime;

size_t Operand::span() const {
  if (empty())
    return 0;
  int64_t elements = offset + 1;
  for (size_t d = 0; d < shape.size(); ++d)
    elements += (shape[d] - 1) * strides[d];
  return size_t(elements) * sizeInBytes(info.type);
}

bool Operand::empty() const {
  return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

std::string Operand::text() const {
  return "argument " + std::to_string(index) + " (" +
         std::string(name(info.type)) + " " + formatShape(shape) + ")";
}

MatrixView Operand::view(const std::vector<unsigned char> &image) const {
  MatrixView view;
  view.type = info.type;
  view.data =
      image.data() + guardBytes + size_t(offset) * sizeInBytes(info.type);
  size_t rank = shape.size();
  view.batchStride = rank == 3 ? strides[0] : 0;
  view.rowStride = rank >= 2 ? strides[rank - 2] : 0;
  view.columnStride = rank >= 1 ? strides[rank - 1] : 1;
  return view;
}

template <typename Body> void Operand::forEachRun(const Body &body) const {
  if (empty())
    return;
  size_t bytes = sizeInBytes(info.type);
  // Dimensions from `inner` on are contiguous.
  size_t inner = shape.size();
  int64_t run = 1;
  while (inner > 0 && (strides[inner - 1] == run || shape[inner - 1] == 1))
    run *= shape[--inner];
  Shape index(inner, 0);
  for (;;) {
    int64_t element = offset;
    for (size_t d = 0; d < inner; ++d)
      element += index[d] * strides[d];
    body(guardBytes + size_t(element) * bytes, size_t(run) * bytes);
    size_t d = inner;
    while (d > 0 && ++index[d - 1] == shape[d - 1])
      index[--d] = 0;
    if (d == 0)
      return;
  }
}

void Operand::scatter(const unsigned char *dense) {
  forEachRun([&](size_t position, size_t bytes) {
    std::memcpy(&before[position], dense, bytes);
    dense += bytes;
  });
}

std::vector<unsigned char>
Operand::gather(const std::vector<unsigned char> &image) const {
  std::vector<unsigned char> dense;
  forEachRun([&](size_t position, size_t bytes) {
    dense.insert(dense.end(), image.begin() + ptrdiff_t(position),
                 image.begin() + ptrdiff_t(position + bytes));
  });
  return dense;
}

std::string prepare(Operand &operand, const ArgumentInfo &info, size_t index,
                    const Shape &shape, const NpyArray *file,
                    const Contents &contents) {
  operand.info = info;
  operand.index = index;
  operand.shape = shape;
  operand.offset = std::max<int64_t>(info.offset, 0);
  std::string error;
  if (!resolveStrides(info, shape, operand.strides, error))
    return operand.text() + ": " + error;
  size_t bytes = sizeInBytes(info.type);
  operand.before.resize(2 * guardBytes + operand.span());
  fill(info.type, operand.before.data(), operand.before.size() / bytes,
       Fill::Poison);
  if (operand.empty())
    return "";
  if (file) {
    operand.scatter(file->data.data());
  } else if (info.read && !(contents.nanResults && info.written)) {
    int64_t count = 0;
    elementCount(shape, count);
    std::vector<unsigned char> dense(size_t(count) * bytes);
    // Far apart, so that seed 1 of one argument is not seed 0 of the next.
    uint64_t seed = contents.seed + (uint64_t(index) << 48);
    fill(info.type, dense.data(), size_t(count), contents.fill, seed);
    operand.scatter(dense.data());
  }
  return "";
}

std::string checkGuards(const Operand &operand) {
  // What the image may be after the call.
  std::vector<unsigned char> allowed = operand.before;
  if (operand.info.written)
    operand.forEachRun([&](size_t position, size_t bytes) {
      std::memcpy(&allowed[position], &operand.after[position], bytes);
    });
  size_t count = 0, first = 0;
  if (std::memcmp(allowed.data(), operand.after.data(), allowed.size()) != 0)
    for (size_t i = 0; i < allowed.size(); ++i)
      if (allowed[i] != operand.after[i] && count++ == 0)
        first = i;
  if (count == 0)
    return "";
  size_t end = guardBytes + operand.span();
  std::string where;
  if (first < guardBytes)
    where = std::to_string(guardBytes - first) + " bytes before its start";
  else if (first >= end)
    where = std::to_string(first - end) + " bytes past its end";
  else
    where = "byte " + std::to_string(first - guardBytes) +
            (operand.info.written ? ", between its rows"
                                  : ", though it is only read");
  return operand.text() + ": " + std::to_string(count) +
         (count == 1 ? " byte was" : " bytes were") +
         " written that should not be, the first at " + where;
}

std::string DeviceOperand::create(const DriverApi &driver,
                                  const Operand &operand) {
  std::string error = buffer.create(driver, operand.before.size());
  if (error.empty())
    error = buffer.copyFrom(operand.before.data(), operand.before.size());
  int64_t start = int64_t(buffer.address() + guardBytes);
  words = {start, start, operand.offset};
  words.insert(words.end(), operand.shape.begin(), operand.shape.end());
  words.insert(words.end(), operand.strides.begin(), operand.strides.end());
  return error;
}

std::string DeviceOperand::createLike(const DriverApi &driver,
                                      const DeviceOperand &other) {
  std::string error = buffer.create(driver, other.buffer.bytes());
  if (error.empty())
    error = buffer.copyFrom(other.buffer);
  words = other.words;
  words[0] = words[1] = int64_t(buffer.address() + guardBytes);
  return error;
}

std::string DeviceOperand::reset(const Operand &operand) {
  return buffer.copyFrom(operand.before.data(), operand.before.size());
}

std::string DeviceOperand::reset(const DeviceOperand &other) {
  return buffer.copyFrom(other.buffer);
}

CUdeviceptr DeviceOperand::address(const Operand &operand) const {
  return CUdeviceptr(words[1]) +
         uint64_t(operand.offset) * sizeInBytes(operand.info.type);
}

std::string DeviceOperand::fetch(Operand &operand) const {
  operand.after.resize(operand.before.size());
  return buffer.copyTo(operand.after.data(), operand.after.size());
}

} // namespace bwgemm::runner

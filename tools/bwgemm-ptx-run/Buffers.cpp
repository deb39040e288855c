//===- Buffers.cpp - Named buffers of a run ---------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"

#include "bwgemm-runtime/Npy.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace bwgemm::ptxrun {

using namespace bwgemm::runtime;

size_t Buffer::count() const {
  size_t count = 1;
  for (int64_t extent : spec.shape)
    count *= size_t(extent);
  return count;
}

static uint64_t bitsAt(const Buffer &buffer, size_t position) {
  return loadBits(buffer.spec.type,
                  buffer.host.data() +
                      position * sizeInBytes(buffer.spec.type));
}

double Buffer::value(size_t position) const {
  return toDouble(spec.type, bitsAt(*this, position));
}

std::string Buffer::text(size_t position) const {
  return formatElement(spec.type, bitsAt(*this, position));
}

std::string Buffers::add(const BufferSpec &spec, uint64_t seed) {
  std::string error;
  for (const std::unique_ptr<Buffer> &other : buffers)
    if (other->spec.name == spec.name)
      return "two buffers are called '" + spec.name + "'";
  auto buffer = std::make_unique<Buffer>();
  buffer->spec = spec;
  if (spec.fill) {
    double bytes = double(sizeInBytes(spec.type));
    for (int64_t extent : spec.shape)
      bytes *= double(extent);
    // It is there twice on the emulator.
    double memory =
        double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
    if (2 * bytes > memory)
      return "buffer '" + spec.name + "' needs about " +
             std::to_string(int64_t(2 * bytes / 0x1p30)) +
             " GiB of host memory, and there are " +
             std::to_string(int64_t(memory / 0x1p30));
    buffer->host.resize(buffer->count() * sizeInBytes(spec.type));
    fill(spec.type, buffer->host.data(), buffer->count(), *spec.fill,
         seed + buffers.size());
  } else {
    NpyArray array;
    if (!loadNpy(spec.file, spec.type, spec.shape, array, error))
      return error;
    buffer->host = std::move(array.data);
  }
  buffers.push_back(std::move(buffer));
  return error;
}

std::string Buffers::upload(const DriverApi &driver) {
  for (const std::unique_ptr<Buffer> &buffer : buffers) {
    std::string error = buffer->device.create(driver, buffer->host.size());
    if (error.empty())
      error = buffer->device.copyFrom(buffer->host.data(), buffer->host.size());
    if (!error.empty())
      return "buffer '" + buffer->spec.name + "': " + error;
  }
  return std::string();
}

Buffer *Buffers::find(const std::string &name, std::string &error) {
  std::string known;
  for (const std::unique_ptr<Buffer> &buffer : buffers) {
    if (buffer->spec.name == name)
      return buffer.get();
    known += (known.empty() ? "" : ", ") + buffer->spec.name;
  }
  error = "no buffer is called '" + name + "'; " +
          (known.empty() ? "there are none" : "there are " + known);
  return nullptr;
}

std::string formatElement(ElementType type, uint64_t bits) {
  double value = toDouble(type, bits);
  if (!isFloat(type)) {
    std::string name_(name(type));
    return name_[0] == 'u'
               ? std::to_string(bits)
               : std::to_string(int64_t(bits << (64 - 8 * sizeInBytes(type))) >>
                                (64 - 8 * sizeInBytes(type)));
  }
  if (std::isnan(value))
    return "nan";
  char text[40];
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
    if (fromDouble(type, std::strtod(text, nullptr)) == bits)
      break;
  }
  return text;
}

std::string formatBuffer(const Buffer &buffer, std::string &text) {
  constexpr size_t most = 65536;
  const std::string &bufferName = buffer.spec.name;
  size_t count = buffer.count();
  if (count > most)
    return "buffer '" + bufferName + "' has " + std::to_string(count) +
           " elements, too many to print (" + std::to_string(most) +
           "); write it to a file with --dump=" + bufferName + ":FILE.npy";
  text = bufferName + ": " + std::string(name(buffer.spec.type)) + " " +
         formatShape(buffer.spec.shape) + "\n";
  size_t row = buffer.spec.shape.empty() ? 1 : size_t(buffer.spec.shape.back());
  for (size_t i = 0; i < count; ++i) {
    text += buffer.text(i);
    text += (i + 1) % row == 0 ? "\n" : " ";
  }
  return std::string();
}

} // namespace bwgemm::ptxrun

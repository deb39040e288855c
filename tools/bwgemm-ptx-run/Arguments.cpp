//===- Arguments.cpp - The argument language of bwgemm-ptx-run --*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "bwgemm-runtime/CudaAbi.h"

#include <cerrno>
#include <cstdlib>
#include <limits>

namespace bwgemm::ptxrun {

using namespace bwgemm::runtime;

static std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

static bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// An unsigned number, decimal or 0x….
static bool parseUnsigned(const std::string &text, uint64_t &value) {
  if (text.empty() || text[0] == '-' || text[0] == '+' || text[0] == ' ')
    return false;
  char *end = nullptr;
  errno = 0;
  value = std::strtoull(text.c_str(), &end, 0);
  return errno == 0 && *end == '\0';
}

static bool parseDouble(const std::string &text, double &value) {
  if (text.empty() || text[0] == ' ')
    return false;
  char *end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return *end == '\0';
}

/// "AxBxC" into numbers of at most `limit`.
template <typename T>
static bool parseList(const std::string &text, char separator, uint64_t limit,
                      std::vector<T> &list) {
  list.clear();
  for (const std::string &part : split(text, separator)) {
    uint64_t value;
    if (!parseUnsigned(part, value) || value > limit)
      return false;
    list.push_back(T(value));
  }
  return true;
}

std::string parseExtent(const std::string &text, Extent &extent) {
  std::vector<unsigned> list;
  if (!parseList(text, ',', std::numeric_limits<unsigned>::max(), list) ||
      list.size() > 3)
    return "expected X, X,Y or X,Y,Z, got '" + text + "'";
  extent = {1, 1, 1};
  for (size_t i = 0; i < list.size(); ++i)
    extent[i] = list[i];
  return std::string();
}

/// PTX's names as well as the project's: s32 and b32 are i32 and u32.
static std::optional<ElementType> parseType(const std::string &text) {
  if (text.size() > 1 && (text[0] == 's' || text[0] == 'b') &&
      std::isdigit(static_cast<unsigned char>(text[1])))
    return parseElementType((text[0] == 's' ? "i" : "u") + text.substr(1));
  return parseElementType(text);
}

static std::string knownTypes() {
  return elementTypeNames() + " (s32 for i32, b32 for u32 and so on)";
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static std::string parseScalar(ElementType type, const std::string &value,
                               ScalarSpec &scalar) {
  scalar.type = type;
  std::string typeName(name(type));
  if (isFloat(type)) {
    double number;
    if (!parseDouble(value, number))
      return "'" + value + "' is not a number for " + typeName;
    scalar.bits = fromDouble(type, number);
    return std::string();
  }
  unsigned width = unsigned(sizeInBytes(type)) * 8;
  bool negative = !value.empty() && value[0] == '-';
  uint64_t magnitude;
  if (!parseUnsigned(negative ? value.substr(1) : value, magnitude))
    return "'" + value + "' is not an integer for " + typeName;
  bool isSigned = typeName[0] == 'i';
  uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  uint64_t half = uint64_t(1) << (width - 1);
  // A signed type also takes its bits in hexadecimal: s32:0xffffffff is -1.
  bool bits = value.compare(0, 2, "0x") == 0;
  bool fits = negative              ? isSigned && magnitude <= half
              : (isSigned && !bits) ? magnitude < half
                                    : magnitude <= mask;
  if (!fits)
    return value + " does not fit " + typeName;
  scalar.bits = (negative ? uint64_t(0) - magnitude : magnitude) & mask;
  return std::string();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// TYPE:SHAPE[:INIT]
static std::string parseBufferBody(const std::vector<std::string> &parts,
                                   size_t at, BufferSpec &buffer) {
  static const std::string form =
      "TYPE:SHAPE[:INIT], such as bf16:128x64:normal";
  if (parts.size() < at + 2 || parts.size() > at + 3)
    return "expected " + form;
  std::optional<ElementType> type = parseType(parts[at]);
  if (!type)
    return "unknown element type '" + parts[at] + "', expected " + knownTypes();
  buffer.type = *type;
  if (!parseList(parts[at + 1], 'x', uint64_t(1) << 40, buffer.shape) ||
      buffer.shape.size() > 8)
    return "'" + parts[at + 1] +
           "' is not a shape; expected up to 8 numbers such as 128x64";
  uint64_t count = 1;
  for (int64_t extent : buffer.shape)
    if (__builtin_mul_overflow(count, uint64_t(extent), &count) ||
        count > (uint64_t(1) << 40))
      return "a buffer of " + parts[at + 1] + " elements is too large";
  if (parts.size() == at + 2)
    return std::string();
  const std::string &init = parts[at + 2];
  if (endsWith(init, ".npy")) {
    buffer.fill.reset();
    buffer.file = init;
    return std::string();
  }
  buffer.fill = init == "nan" ? Fill::Poison : parseFill(init);
  if (!buffer.fill)
    return "unknown contents '" + init + "', expected " + fillNames() +
           ", nan or FILE.npy";
  return std::string();
}

/// Splits "NAME=REST". A name begins with a letter or underscore, and a '='
/// behind the first ':' belongs to the rest.
static std::string takeName(const std::string &text, std::string &rest) {
  size_t equals = text.find('='), colon = text.find(':');
  if (equals == std::string::npos || equals == 0 || equals > colon ||
      std::isdigit(static_cast<unsigned char>(text[0]))) {
    rest = text;
    return std::string();
  }
  rest = text.substr(equals + 1);
  return text.substr(0, equals);
}

std::string parseBuffer(const std::string &text, BufferSpec &buffer) {
  std::string rest;
  buffer.name = takeName(text, rest);
  if (buffer.name.empty())
    return "expected NAME=TYPE:SHAPE[:INIT], got '" + text + "'";
  std::vector<std::string> parts = split(rest, ':');
  return parseBufferBody(parts, parts[0] == "buf" ? 1 : 0, buffer);
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

int tensorMapType(ElementType type) {
  using namespace bwgemm::cuda;
  switch (type) {
  case ElementType::I8:
  case ElementType::U8:
  case ElementType::E4M3:
  case ElementType::E5M2:
    return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  case ElementType::I16:
  case ElementType::U16:
    return CU_TENSOR_MAP_DATA_TYPE_UINT16;
  case ElementType::U32:
    return CU_TENSOR_MAP_DATA_TYPE_UINT32;
  case ElementType::I32:
    return CU_TENSOR_MAP_DATA_TYPE_INT32;
  case ElementType::U64:
    return CU_TENSOR_MAP_DATA_TYPE_UINT64;
  case ElementType::I64:
    return CU_TENSOR_MAP_DATA_TYPE_INT64;
  case ElementType::F16:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  case ElementType::BF16:
    return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  case ElementType::F32:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  case ElementType::TF32:
    return CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
  case ElementType::F64:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
  }
  return -1;
}

/// The position of `value` among `names`, or -1.
static int position(const std::string &value,
                    std::initializer_list<const char *> names) {
  int index = 0;
  for (const char *candidate : names) {
    if (value == candidate)
      return index;
    ++index;
  }
  return -1;
}

static std::string parseMapOption(const std::string &key,
                                  const std::string &value,
                                  TensorMapSpec &map) {
  auto wrong = [&](const std::string &expected) {
    return key + "=" + value + ": expected " + expected;
  };
  if (key == "box")
    return parseList(value, 'x', 1u << 31, map.box)
               ? ""
               : wrong("elements, innermost first, such as 64x128");
  if (key == "dims")
    return parseList(value, 'x', uint64_t(1) << 40, map.dims)
               ? ""
               : wrong("elements, innermost first, such as 64x128");
  if (key == "strides")
    return parseList(value, 'x', uint64_t(1) << 50, map.strides)
               ? ""
               : wrong("bytes of all dimensions but the innermost");
  if (key == "estrides")
    return parseList(value, 'x', 1u << 31, map.elementStrides)
               ? ""
               : wrong("element strides, innermost first, such as 1x2");
  if (key == "offset")
    return parseUnsigned(value, map.offset) ? "" : wrong("bytes");
  if (key == "swizzle") {
    map.swizzle = position(value, {"none", "32B", "64B", "128B"});
    return map.swizzle >= 0 ? "" : wrong("none, 32B, 64B or 128B");
  }
  if (key == "interleave") {
    map.interleave = position(value, {"none", "16B", "32B"});
    return map.interleave >= 0 ? "" : wrong("none, 16B or 32B");
  }
  if (key == "l2") {
    map.l2 = position(value, {"none", "64B", "128B", "256B"});
    return map.l2 >= 0 ? "" : wrong("none, 64B, 128B or 256B");
  }
  if (key == "fill") {
    int fill = position(value, {"zero", "nan"});
    map.nanFill = fill == 1;
    return fill >= 0 ? "" : wrong("zero or nan");
  }
  if (key == "type") {
    map.dataType =
        position(value, {"u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32",
                         "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz"});
    return map.dataType >= 0
               ? ""
               : wrong("u8, u16, u32, s32, u64, s64, f16, f32, f64, bf16, "
                       "f32_ftz, tf32 or tf32_ftz");
  }
  if (key == "in") {
    int where = position(value, {"param", "global"});
    map.inGlobalMemory = where == 1;
    return where >= 0 ? "" : wrong("param or global");
  }
  return "unknown key '" + key +
         "', expected box, swizzle, fill, dims, strides, estrides, offset, "
         "interleave, l2, type or in";
}

/// BUFFER:box=…[:KEY=VALUE]…
static std::string parseTensorMap(const std::vector<std::string> &parts,
                                  TensorMapSpec &map) {
  if (parts.size() < 2 || parts[1].empty() ||
      parts[1].find('=') != std::string::npos)
    return "expected tma:BUFFER:box=64x128[:swizzle=128B]…";
  map.buffer = parts[1];
  for (size_t i = 2; i < parts.size(); ++i) {
    size_t equals = parts[i].find('=');
    if (equals == std::string::npos)
      return "expected KEY=VALUE, got '" + parts[i] + "'";
    if (std::string error = parseMapOption(parts[i].substr(0, equals),
                                           parts[i].substr(equals + 1), map);
        !error.empty())
      return error;
  }
  if (map.box.empty())
    return "a tensor map needs box=…, innermost first, such as box=64x128";
  return std::string();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

std::string parseArgument(const std::string &text, size_t index,
                          ArgumentSpec &argument) {
  std::string rest;
  std::string given = takeName(text, rest);
  std::vector<std::string> parts = split(rest, ':');
  if (parts[0] == "buf") {
    BufferSpec buffer;
    buffer.name = given.empty() ? std::to_string(index) : given;
    std::string error = parseBufferBody(parts, 1, buffer);
    argument = buffer;
    return error;
  }
  if (!given.empty())
    return "only buffers have names, got '" + text + "'";
  if (parts[0] == "tma") {
    TensorMapSpec map;
    std::string error = parseTensorMap(parts, map);
    argument = map;
    return error;
  }
  if (parts[0] == "ptr") {
    PointerSpec pointer;
    if (parts.size() != 2)
      return "expected ptr:BUFFER or ptr:BUFFER+BYTES, got '" + text + "'";
    size_t plus = parts[1].find('+');
    pointer.buffer = parts[1].substr(0, plus);
    if (plus != std::string::npos &&
        !parseUnsigned(parts[1].substr(plus + 1), pointer.offset))
      return "'" + parts[1].substr(plus + 1) + "' is not a number of bytes";
    argument = pointer;
    return std::string();
  }
  std::optional<ElementType> type = parseType(parts[0]);
  if (!type || parts.size() != 2)
    return "expected TYPE:VALUE, buf:TYPE:SHAPE[:INIT], ptr:BUFFER or "
           "tma:BUFFER:box=…, got '" +
           text + "'" + (type ? "" : "; types are " + knownTypes());
  ScalarSpec scalar;
  std::string error = parseScalar(*type, parts[1], scalar);
  argument = scalar;
  return error;
}

std::string parseDump(const std::string &text, DumpSpec &dump) {
  size_t colon = text.find(':');
  dump.buffer = text.substr(0, colon);
  dump.file = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (dump.buffer.empty() ||
      (colon != std::string::npos && !endsWith(dump.file, ".npy")))
    return "expected BUFFER or BUFFER:FILE.npy, got '" + text + "'";
  return std::string();
}

std::string parseExpect(const std::string &text, ExpectSpec &expect) {
  static const std::string form =
      "expected BUFFER:WHAT[:tol=T] with WHAT a file.npy, zeros, ones, iota, "
      "all=V or V,V,…, or BUFFER[I,J]:V";
  expect.text = text;
  std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3)
    return form + ", got '" + text + "'";
  expect.buffer = parts[0];
  size_t bracket = expect.buffer.find('[');
  if (bracket != std::string::npos) {
    if (expect.buffer.back() != ']' ||
        !parseList(expect.buffer.substr(bracket + 1,
                                        expect.buffer.size() - bracket - 2),
                   ',', uint64_t(1) << 40, expect.index))
      return form + ", got '" + text + "'";
    expect.buffer.resize(bracket);
  }
  if (parts.size() == 3 &&
      (parts[2].compare(0, 4, "tol=") != 0 ||
       !parseDouble(parts[2].substr(4), expect.tolerance) ||
       !(expect.tolerance >= 0)))
    return "expected tol=T with T at least 0, got '" + parts[2] + "'";

  const std::string &what = parts[1];
  if (expect.index.empty()) {
    if (endsWith(what, ".npy")) {
      expect.file = what;
      return std::string();
    }
    // Random contents depend on a buffer's seed and are no expectation.
    if (what == "zeros" || what == "ones" || what == "iota") {
      expect.fill = parseFill(what);
      return std::string();
    }
    if (what.compare(0, 4, "all=") == 0) {
      expect.everyElement = true;
      expect.values.resize(1);
      if (!parseDouble(what.substr(4), expect.values[0]))
        return "'" + what.substr(4) + "' is not a number";
      return std::string();
    }
  }
  for (const std::string &item : split(what, ',')) {
    double value;
    if (!parseDouble(item, value))
      return form + ", got '" + text + "'";
    expect.values.push_back(value);
  }
  if (!expect.index.empty() && expect.values.size() != 1)
    return "one element has one value, got '" + what + "'";
  return std::string();
}

} // namespace bwgemm::ptxrun

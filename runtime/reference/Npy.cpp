//===- Npy.cpp - Matrices in NumPy's file format ----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/Npy.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace bwgemm::runtime {
namespace {

constexpr char magic[] = "\x93NUMPY";
constexpr size_t magicBytes = 6;
/// NumPy itself refuses longer headers unless told otherwise.
constexpr size_t maxHeaderBytes = 1 << 20;

struct CloseFile {
  void operator()(FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, CloseFile>;

/// What the header says of the array.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Reads the one dictionary literal that a header is, e.g.
/// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  bool parse(Header &header, std::string &error) {
    bool haveDescr = false, haveOrder = false, haveShape = false;
    if (!take('{'))
      return fail("'{'", error);
    while (!take('}')) {
      std::string key;
      if (!quoted(key))
        return fail("a quoted key", error);
      if (!take(':'))
        return fail("':' after '" + key + "'", error);
      if (key == "descr") {
        skipSpace();
        if (position < text.size() && text[position] == '[') {
          error = "structured types are not supported; save one plain array";
          return false;
        }
        if (!quoted(header.descr))
          return fail("a type string for 'descr'", error);
        haveDescr = true;
      } else if (key == "fortran_order") {
        if (word("True"))
          header.fortranOrder = true;
        else if (word("False"))
          header.fortranOrder = false;
        else
          return fail("True or False for 'fortran_order'", error);
        haveOrder = true;
      } else if (key == "shape") {
        if (!tuple(header.shape))
          return fail("a tuple of extents for 'shape'", error);
        haveShape = true;
      } else {
        error = "header has an unknown key '" + key +
                "'; expected 'descr', 'fortran_order' and 'shape'";
        return false;
      }
      if (!take(',')) {
        if (!take('}'))
          return fail("',' or '}'", error);
        break;
      }
    }
    if (haveDescr && haveOrder && haveShape)
      return true;
    error = "header lacks '";
    error += !haveDescr ? "descr" : !haveOrder ? "fortran_order" : "shape";
    error += "'";
    return false;
  }

private:
  bool fail(const std::string &expected, std::string &error) {
    error = "header is malformed at byte " + std::to_string(position) +
            ": expected " + expected;
    return false;
  }

  void skipSpace() {
    while (position < text.size() &&
           (text[position] == ' ' || text[position] == '\n'))
      ++position;
  }

  bool take(char c) {
    skipSpace();
    if (position >= text.size() || text[position] != c)
      return false;
    ++position;
    return true;
  }

  bool word(std::string_view expected) {
    skipSpace();
    if (text.substr(position, expected.size()) != expected)
      return false;
    position += expected.size();
    return true;
  }

  bool quoted(std::string &result) {
    skipSpace();
    if (position >= text.size() ||
        (text[position] != '\'' && text[position] != '"'))
      return false;
    size_t end = text.find(text[position], position + 1);
    if (end == std::string_view::npos)
      return false;
    result = std::string(text.substr(position + 1, end - position - 1));
    position = end + 1;
    return true;
  }

  bool tuple(std::vector<int64_t> &extents) {
    extents.clear();
    if (!take('('))
      return false;
    while (!take(')')) {
      int64_t extent = 0;
      skipSpace();
      size_t start = position;
      for (; position < text.size() && text[position] >= '0' &&
             text[position] <= '9';
           ++position) {
        if (__builtin_mul_overflow(extent, 10, &extent) ||
            __builtin_add_overflow(extent, text[position] - '0', &extent))
          return false;
      }
      if (position == start)
        return false;
      extents.push_back(extent);
      if (!take(','))
        return take(')');
    }
    return true;
  }

  std::string_view text;
  size_t position = 0;
};

bool parseDescr(const std::string &descr, char &kind, unsigned &bytes,
                std::string &error) {
  auto fail = [&](const std::string &why) {
    error = "type '" + descr + "' " + why;
    return false;
  };
  if (descr.size() != 3 || !std::strchr("<>|=", descr[0]))
    return fail("is not supported; expected one of f2 f4 f8 i1 i2 i4 i8 u1 u2 "
                "u4 u8, little endian");
  kind = descr[1];
  bytes = unsigned(descr[2] - '0');
  bool known = kind == 'f' ? bytes == 2 || bytes == 4 || bytes == 8
               : kind == 'i' || kind == 'u'
                   ? bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8
               // ml_dtypes saves bf16 and the 8-bit floats as raw bytes.
               : kind == 'V' ? bytes == 1 || bytes == 2
                             : false;
  if (!known)
    return fail("is not supported; expected one of f2 f4 f8 i1 i2 i4 i8 u1 u2 "
                "u4 u8, little endian");
  if (descr[0] == '>' && bytes > 1)
    return fail("is big endian; save it with .astype('<" + descr.substr(1) +
                "')");
  return true;
}

/// The number of elements of `shape`, or false if their bytes overflow.
bool byteCount(const std::vector<int64_t> &shape, unsigned itemBytes,
               uint64_t &bytes) {
  // An extent of 0 makes the array empty, however large the others are.
  for (int64_t extent : shape)
    if (extent == 0) {
      bytes = 0;
      return true;
    }
  bytes = itemBytes;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(bytes, uint64_t(extent), &bytes))
      return false;
  return true;
}

/// Puts an array whose first dimension is fastest into C order.
void toCOrder(NpyArray &array) {
  size_t rank = array.shape.size();
  if (rank < 2 || array.data.empty())
    return;
  std::vector<unsigned char> result(array.data.size());
  std::vector<int64_t> index(rank, 0);
  size_t count = array.data.size() / array.itemBytes;
  for (size_t target = 0; target < count; ++target) {
    size_t source = 0;
    for (size_t d = rank; d-- > 0;)
      source = source * size_t(array.shape[d]) + size_t(index[d]);
    std::memcpy(&result[target * array.itemBytes],
                &array.data[source * array.itemBytes], array.itemBytes);
    for (size_t d = rank; d-- > 0;) {
      if (++index[d] < array.shape[d])
        break;
      index[d] = 0;
    }
  }
  array.data = std::move(result);
}

/// Reads exactly `bytes` bytes.
bool readExactly(FILE *file, void *target, size_t bytes) {
  return std::fread(target, 1, bytes, file) == bytes;
}

bool loadFrom(FILE *file, uint64_t fileBytes, NpyArray &array,
              std::string &error) {
  auto truncated = [&](const std::string &what) {
    error = "file is cut short: it ends at byte " + std::to_string(fileBytes) +
            ", in " + what;
    return false;
  };
  unsigned char start[magicBytes + 2];
  if (fileBytes < sizeof start)
    return truncated("the magic string of a .npy file");
  if (!readExactly(file, start, sizeof start))
    return error = "cannot be read: " + std::string(std::strerror(errno)),
           false;
  if (std::memcmp(start, magic, magicBytes) != 0) {
    error = "is not a .npy file: expected it to start with \\x93NUMPY";
    return false;
  }
  unsigned version = start[magicBytes];
  if (version < 1 || version > 3) {
    error = "expected format version 1.0, 2.0 or 3.0, got " +
            std::to_string(version) + "." +
            std::to_string(start[magicBytes + 1]);
    return false;
  }
  unsigned char length[4] = {};
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (!readExactly(file, length, lengthBytes))
    return truncated("the length of the header");
  size_t headerBytes = size_t(length[0]) | size_t(length[1]) << 8 |
                       size_t(length[2]) << 16 | size_t(length[3]) << 24;
  if (headerBytes > maxHeaderBytes) {
    error = "header of " + std::to_string(headerBytes) +
            " bytes is longer than the limit of " +
            std::to_string(maxHeaderBytes);
    return false;
  }
  std::string text(headerBytes, '\0');
  if (!readExactly(file, text.data(), headerBytes))
    return truncated("the header");
  Header header;
  if (!HeaderParser(text).parse(header, error))
    return false;
  NpyArray result;
  if (!parseDescr(header.descr, result.kind, result.itemBytes, error))
    return false;
  result.shape = std::move(header.shape);

  uint64_t dataStart = sizeof start + lengthBytes + headerBytes;
  uint64_t expected, got = fileBytes - dataStart;
  if (!byteCount(result.shape, result.itemBytes, expected)) {
    error = "shape " + formatShape(result.shape) +
            " has more bytes than fit 64 bits";
    return false;
  }
  if (expected != got) {
    error = std::string("file is ") +
            (got < expected ? "cut short" : "too long") + ": shape " +
            formatShape(result.shape) + " of " + header.descr + " needs " +
            std::to_string(expected) + " bytes of data, got " +
            std::to_string(got);
    return false;
  }
  result.data.resize(expected);
  if (!readExactly(file, result.data.data(), expected))
    return truncated("the data");
  if (header.fortranOrder)
    toCOrder(result);
  array = std::move(result);
  return true;
}

} // namespace

std::string formatShape(const std::vector<int64_t> &shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (int64_t extent : shape) {
    if (!text.empty())
      text += 'x';
    text += extent < 0 ? "?" : std::to_string(extent);
  }
  return text;
}

std::string npyTypeString(ElementType type) {
  unsigned bytes = unsigned(sizeInBytes(type));
  char kind = 'u';
  switch (type) {
  case ElementType::F64:
  case ElementType::F32:
  case ElementType::TF32:
  case ElementType::F16:
    kind = 'f';
    break;
  case ElementType::I8:
  case ElementType::I16:
  case ElementType::I32:
  case ElementType::I64:
    kind = 'i';
    break;
  default:
    break;
  }
  return std::string(bytes == 1 ? "|" : "<") + kind + std::to_string(bytes);
}

bool loadNpy(const std::string &path, NpyArray &array, std::string &error) {
  File file(std::fopen(path.c_str(), "rb"));
  struct stat status = {};
  if (!file || fstat(fileno(file.get()), &status) != 0) {
    error = path + ": cannot be opened: " + std::strerror(errno);
    return false;
  }
  if (!S_ISREG(status.st_mode)) {
    error = path + ": expected a regular file";
    return false;
  }
  if (loadFrom(file.get(), uint64_t(status.st_size), array, error))
    return true;
  error = path + ": " + error;
  return false;
}

bool loadNpy(const std::string &path, ElementType type,
             const std::vector<int64_t> &shape, NpyArray &array,
             std::string &error) {
  NpyArray result;
  if (!loadNpy(path, result, error))
    return false;
  std::string wanted = npyTypeString(type);
  std::string got = std::string(result.itemBytes == 1 ? "|" : "<") +
                    result.kind + std::to_string(result.itemBytes);
  bool rawBytes = result.kind == 'V' && isFloat(type) && wanted[1] == 'u' &&
                  result.itemBytes == sizeInBytes(type);
  if (got != wanted && !rawBytes) {
    error = path + ": expected elements of type " + wanted + " (for " +
            std::string(name(type)) + "), got " + got;
    return false;
  }
  bool fits = result.shape.size() == shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d)
    fits = shape[d] < 0 || shape[d] == result.shape[d];
  if (!fits) {
    error = path + ": expected shape " + formatShape(shape) + ", got " +
            formatShape(result.shape);
    return false;
  }
  array = std::move(result);
  return true;
}

bool saveNpy(const std::string &path, ElementType type,
             const std::vector<int64_t> &shape, const void *data,
             std::string &error) {
  uint64_t bytes = 0;
  if (!byteCount(shape, unsigned(sizeInBytes(type)), bytes)) {
    error = path + ": shape " + formatShape(shape) +
            " has more bytes than fit 64 bits";
    return false;
  }
  std::string header = "{'descr': '" + npyTypeString(type) +
                       "', 'fortran_order': False, 'shape': (";
  for (size_t d = 0; d < shape.size(); ++d)
    header += std::to_string(shape[d]) + (d + 1 < shape.size() ? ", "
                                          : shape.size() == 1  ? ","
                                                               : "");
  header += "), }";
  // The format asks for data that starts at a multiple of 64 bytes.
  size_t unpadded = magicBytes + 4 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';

  std::string temporary = path + ".part" + std::to_string(getpid());
  int descriptor =
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    error = path + ": cannot be written: " + std::strerror(errno);
    return false;
  }
  File file(fdopen(descriptor, "wb"));
  unsigned char start[magicBytes + 4];
  std::memcpy(start, magic, magicBytes);
  start[magicBytes] = 1;
  start[magicBytes + 1] = 0;
  start[magicBytes + 2] = static_cast<unsigned char>(header.size() & 0xFF);
  start[magicBytes + 3] = static_cast<unsigned char>(header.size() >> 8);
  auto write = [&](const void *from, size_t count) {
    return count == 0 || std::fwrite(from, 1, count, file.get()) == count;
  };
  bool written = file && write(start, sizeof start) &&
                 write(header.data(), header.size()) && write(data, bytes);
  // Closing may report that the last bytes did not fit.
  written = file && std::fclose(file.release()) == 0 && written;
  if (written && std::rename(temporary.c_str(), path.c_str()) == 0)
    return true;
  error = path + ": cannot be written: " + std::strerror(errno);
  unlink(temporary.c_str());
  return false;
}

} // namespace bwgemm::runtime

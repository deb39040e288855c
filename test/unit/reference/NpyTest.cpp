//===- NpyTest.cpp - Reading and writing .npy files -------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/Npy.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace bwgemm::runtime;

namespace {

class NpyTest : public testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() /
             ("bwgemm-npy-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string path(const std::string &name) { return folder / name; }

  std::string write(const std::string &contents) {
    std::string file = path("input.npy");
    std::ofstream(file, std::ios::binary)
        .write(contents.data(), std::streamsize(contents.size()));
    return file;
  }
  static std::string read(const std::string &file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  /// A version 1.0 file of that header text and data.
  static std::string v1(const std::string &header, const std::string &data) {
    std::string text = "\x93NUMPY";
    text += '\x01';
    text += '\0';
    text += char(header.size() & 0xFF);
    text += char(header.size() >> 8);
    return text + header + data;
  }
  /// The message that loading gives; "loaded" if it succeeds.
  std::string outcome(const std::string &contents) {
    NpyArray array;
    std::string file = write(contents), error;
    if (loadNpy(file, array, error))
      return "loaded";
    EXPECT_EQ(error.compare(0, file.size() + 2, file + ": "), 0) << error;
    return error.substr(file.size() + 2);
  }

  std::filesystem::path folder;
};

const std::string header34 =
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n";

TEST_F(NpyTest, RoundTripsEveryType) {
  for (ElementType type :
       {ElementType::F64, ElementType::F32, ElementType::TF32, ElementType::F16,
        ElementType::BF16, ElementType::E4M3, ElementType::E5M2,
        ElementType::I8, ElementType::U8, ElementType::I16, ElementType::U16,
        ElementType::I32, ElementType::U32, ElementType::I64,
        ElementType::U64}) {
    std::vector<unsigned char> data(6 * sizeInBytes(type));
    for (size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<unsigned char>(7 * i + 1);
    std::string file = path("array.npy"), error;
    ASSERT_TRUE(saveNpy(file, type, {2, 3}, data.data(), error)) << error;
    NpyArray array;
    ASSERT_TRUE(loadNpy(file, type, {2, -1}, array, error)) << error;
    EXPECT_EQ(array.shape, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(array.data, data) << name(type);
  }
}

TEST_F(NpyTest, WritesWhatNumPyWrites) {
  std::string file = path("array.npy"), error;
  float data[] = {1, 2};
  ASSERT_TRUE(saveNpy(file, ElementType::F32, {2}, data, error)) << error;
  // What numpy.save writes for numpy.array([1, 2], 'f4'): a header that is
  // padded with spaces so that the data start at a multiple of 64.
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  header.append(117 - header.size(), ' ');
  header += '\n';
  EXPECT_EQ(read(file), v1(header, std::string("\0\0\x80\x3f\0\0\0\x40", 8)));
  EXPECT_EQ(npyTypeString(ElementType::BF16), "<u2");
  EXPECT_EQ(npyTypeString(ElementType::E4M3), "|u1");
  EXPECT_EQ(npyTypeString(ElementType::I8), "|i1");
}

TEST_F(NpyTest, EmptyArraysAndScalars) {
  std::string file = path("array.npy"), error;
  NpyArray array;
  ASSERT_TRUE(saveNpy(file, ElementType::F16, {0, 5}, nullptr, error));
  ASSERT_TRUE(loadNpy(file, ElementType::F16, {-1, 5}, array, error)) << error;
  EXPECT_EQ(array.shape, (std::vector<int64_t>{0, 5}));
  EXPECT_TRUE(array.data.empty());
  double one = 1;
  ASSERT_TRUE(saveNpy(file, ElementType::F64, {}, &one, error));
  ASSERT_TRUE(loadNpy(file, array, error)) << error;
  EXPECT_TRUE(array.shape.empty());
  EXPECT_EQ(array.data.size(), 8u);
}

TEST_F(NpyTest, TruncationAtEveryByteIsRefused) {
  std::string whole = v1(header34, std::string(48, 'x'));
  ASSERT_EQ(outcome(whole), "loaded");
  for (size_t length = 0; length < whole.size(); ++length) {
    std::string message = outcome(whole.substr(0, length));
    ASSERT_NE(message.find("cut short"), std::string::npos)
        << length << ": " << message;
  }
  EXPECT_EQ(outcome(whole + "x"),
            "file is too long: shape 3x4 of <f4 needs 48 bytes of data, got "
            "49");
}

TEST_F(NpyTest, ReadsVersions2And3) {
  for (char version : {'\x02', '\x03'}) {
    std::string text = "\x93NUMPY";
    text += version;
    text += '\0';
    text += char(header34.size());
    text += std::string(3, '\0');
    EXPECT_EQ(outcome(text + header34 + std::string(48, 'x')), "loaded");
  }
}

TEST_F(NpyTest, FortranOrderBecomesCOrder) {
  // The matrix ((1, 2, 3), (4, 5, 6)), columns one after the other.
  std::string header =
      "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n";
  std::string file = write(v1(header, "\x01\x04\x02\x05\x03\x06")), error;
  NpyArray array;
  ASSERT_TRUE(loadNpy(file, array, error)) << error;
  EXPECT_EQ(array.data, (std::vector<unsigned char>{1, 2, 3, 4, 5, 6}));
}

TEST_F(NpyTest, KeysInAnyOrderAndDoubleQuotes) {
  EXPECT_EQ(outcome(v1("{\"shape\":(1,),\"fortran_order\":False,"
                       "\"descr\":\"|i1\"}",
                       "x")),
            "loaded");
}

TEST_F(NpyTest, RefusesByName) {
  EXPECT_EQ(outcome("PK\x03\x04 a zip file"),
            "is not a .npy file: expected it to start with \\x93NUMPY");
  EXPECT_EQ(outcome(std::string("\x93NUMPY\x09\x00..", 10)),
            "expected format version 1.0, 2.0 or 3.0, got 9.0");
  EXPECT_EQ(outcome(v1("{'descr': '>f4', 'fortran_order': False, 'shape': "
                       "(), }",
                       "1234")),
            "type '>f4' is big endian; save it with .astype('<f4')");
  EXPECT_NE(outcome(v1("{'descr': '<c8', 'fortran_order': False, 'shape': "
                       "(), }",
                       "12345678"))
                .find("type '<c8' is not supported; expected one of f2"),
            std::string::npos);
  EXPECT_EQ(outcome(v1("{'descr': [('x', '<f4')], 'fortran_order': False, "
                       "'shape': (), }",
                       "1234")),
            "structured types are not supported; save one plain array");
  EXPECT_EQ(outcome(v1("{'descr': '<f4', 'shape': (), }", "1234")),
            "header lacks 'fortran_order'");
  EXPECT_EQ(outcome(v1("{'descr': '<f4', 'fortran_order': maybe}", "")),
            "header is malformed at byte 34: expected True or False for "
            "'fortran_order'");
}

TEST_F(NpyTest, HugeShapesAreRefusedWithoutAllocating) {
  EXPECT_EQ(outcome(v1("{'descr': '<f8', 'fortran_order': False, 'shape': "
                       "(9223372036854775807, 9223372036854775807), }",
                       "")),
            "shape 9223372036854775807x9223372036854775807 has more bytes "
            "than fit 64 bits");
  EXPECT_NE(outcome(v1("{'descr': '<f8', 'fortran_order': False, 'shape': "
                       "(1000000000000,), }",
                       ""))
                .find("cut short"),
            std::string::npos);
  EXPECT_NE(outcome(v1("{'descr': '<f8', 'fortran_order': False, 'shape': "
                       "(99999999999999999999,), }",
                       ""))
                .find("expected a tuple of extents"),
            std::string::npos);
}

TEST_F(NpyTest, ExpectedAndGot) {
  std::string file = write(v1(header34, std::string(48, 'x'))), error;
  NpyArray array;
  EXPECT_FALSE(loadNpy(file, ElementType::BF16, {3, 4}, array, error));
  EXPECT_EQ(error, file + ": expected elements of type <u2 (for bf16), got "
                          "<f4");
  EXPECT_FALSE(loadNpy(file, ElementType::F32, {3, 5}, array, error));
  EXPECT_EQ(error, file + ": expected shape 3x5, got 3x4");
  EXPECT_FALSE(loadNpy(file, ElementType::F32, {-1}, array, error));
  EXPECT_EQ(error, file + ": expected shape ?, got 3x4");
  EXPECT_TRUE(array.data.empty());
}

TEST_F(NpyTest, MissingFilesAndFolders) {
  NpyArray array;
  std::string error;
  EXPECT_FALSE(loadNpy(path("absent.npy"), array, error));
  EXPECT_NE(error.find("absent.npy: cannot be opened: No such file"),
            std::string::npos);
  EXPECT_FALSE(loadNpy(folder, array, error));
  EXPECT_NE(error.find("expected a regular file"), std::string::npos);
}

TEST_F(NpyTest, FailedSavesLeaveNothingBehind) {
  std::string error;
  float one = 1;
  EXPECT_FALSE(
      saveNpy(path("absent/array.npy"), ElementType::F32, {1}, &one, error));
  EXPECT_NE(error.find("cannot be written: No such file"), std::string::npos);
  // A folder in the place of the file: the rename fails at the very end.
  std::filesystem::create_directories(folder / "array.npy");
  EXPECT_FALSE(saveNpy(path("array.npy"), ElementType::F32, {1}, &one, error));
  size_t entries = 0;
  for (auto &entry : std::filesystem::directory_iterator(folder))
    entries += entry.exists();
  EXPECT_EQ(entries, 1u);
}

} // namespace

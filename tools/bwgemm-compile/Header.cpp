//===- Header.cpp - The C header of a compiled library --------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Header.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <map>
#include <set>
#include <vector>

using namespace bwgemm::compile;
using namespace llvm;

/// The C type of an element or scalar, "" if C has none of that meaning.
/// Elements of 16-bit and 8-bit floating types are their bits.
static StringRef cType(StringRef element) {
  static const std::map<StringRef, StringRef> types = {
      {"f32", "float"},     {"f64", "double"},   {"i8", "int8_t"},
      {"i16", "int16_t"},   {"i32", "int32_t"},  {"i64", "int64_t"},
      {"index", "int64_t"}, {"f16", "uint16_t"}, {"bf16", "uint16_t"},
      {"i1", "bool"}};
  auto found = types.find(element);
  if (found != types.end())
    return found->second;
  return element.starts_with("f8") ? StringRef("uint8_t") : StringRef();
}

/// Whether C passes a scalar of this type as MLIR does.
static bool isScalarOfC(StringRef element) {
  return element != "f16" && element != "bf16" && !element.starts_with("f8") &&
         !cType(element).empty();
}

static bool isCIdentifier(StringRef name) {
  return !name.empty() && !isDigit(name.front()) &&
         all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
}

/// Whether a name has a meaning in C or C++ already: keywords, what the headers
/// define that this one includes, and `main`.
static bool isTaken(StringRef name) {
  static const std::set<StringRef> taken = {
      "auto",          "break",
      "case",          "char",
      "const",         "continue",
      "default",       "do",
      "double",        "else",
      "enum",          "extern",
      "float",         "for",
      "goto",          "if",
      "inline",        "int",
      "long",          "register",
      "return",        "restrict",
      "short",         "signed",
      "sizeof",        "static",
      "struct",        "switch",
      "typedef",       "union",
      "unsigned",      "void",
      "volatile",      "while",
      "bool",          "class",
      "delete",        "namespace",
      "new",           "operator",
      "private",       "public",
      "template",      "this",
      "throw",         "try",
      "catch",         "using",
      "virtual",       "typename",
      "friend",        "explicit",
      "export",        "protected",
      "main",          "true",
      "false",         "nullptr",
      "asm",           "mutable",
      "and",           "or",
      "not",           "xor",
      "compl",         "bitand",
      "bitor",         "and_eq",
      "or_eq",         "xor_eq",
      "not_eq",        "constexpr",
      "alignas",       "alignof",
      "decltype",      "noexcept",
      "typeid",        "wchar_t",
      "char8_t",       "char16_t",
      "char32_t",      "concept",
      "requires",      "co_await",
      "co_yield",      "co_return",
      "consteval",     "constinit",
      "static_assert", "thread_local",
      "static_cast",   "dynamic_cast",
      "const_cast",    "reinterpret_cast"};
  // Of stdint.h, stddef.h and this header.
  return taken.count(name) || name.ends_with("_t") ||
         name.starts_with("bwgemm_");
}

namespace {
struct Argument {
  std::string name, element, access, shape;
  int64_t rank = 0;
  bool scalar = false;
};

struct Function {
  std::string name, schedule, result = "void";
  std::vector<Argument> arguments;
  /// Why C cannot call it, or "".
  std::string obstacle;
};
} // namespace

/// Operands of a single gemm are called a, b and d, as in its definition.
static void nameArguments(Function &function, const json::Object &entry) {
  for (auto [index, argument] : enumerate(function.arguments))
    argument.name = "arg" + std::to_string(index);
  const json::Array *operations = entry.getArray("operations");
  if (!operations || operations->size() != 1)
    return;
  const json::Object *gemm = operations->front().getAsObject();
  std::set<int64_t> named;
  for (const char *role : {"a", "b", "d"}) {
    const json::Object *operand = gemm ? gemm->getObject(role) : nullptr;
    auto index = operand ? operand->getInteger("arg") : std::nullopt;
    if (index && *index >= 0 &&
        *index < static_cast<int64_t>(function.arguments.size()) &&
        named.insert(*index).second)
      function.arguments[*index].name = role;
  }
}

static Function readFunction(const json::Object &entry) {
  Function function;
  function.name = entry.getString("name").value_or("").str();
  function.schedule = entry.getString("schedule").value_or("").str();
  if (!isCIdentifier(function.name))
    function.obstacle = "its name is not one in C";
  if (const json::Array *arguments = entry.getArray("arguments")) {
    for (const json::Value &value : *arguments) {
      const json::Object *object = value.getAsObject();
      if (!object)
        continue;
      Argument argument;
      argument.element = object->getString("element_type").value_or("").str();
      argument.access = object->getString("access").value_or("").str();
      argument.scalar = object->getBoolean("scalar").value_or(false);
      if (const json::Array *shape = object->getArray("shape")) {
        argument.rank = shape->size();
        for (const json::Value &extent : *shape) {
          int64_t number = extent.getAsInteger().value_or(-1);
          if (!argument.shape.empty())
            argument.shape += " x ";
          argument.shape += number < 0 ? "any" : std::to_string(number);
        }
      }
      if (argument.scalar && !isScalarOfC(argument.element) &&
          function.obstacle.empty())
        function.obstacle = "C has no type " + argument.element;
      function.arguments.push_back(argument);
    }
  }
  nameArguments(function, entry);
  if (const json::Array *results = entry.getArray("results")) {
    const json::Object *result =
        results->size() == 1 ? results->front().getAsObject() : nullptr;
    StringRef element =
        result ? result->getString("element_type").value_or("") : "";
    if (result && result->getBoolean("scalar").value_or(false) &&
        isScalarOfC(element))
      function.result = cType(element).str();
    else if (function.obstacle.empty())
      function.obstacle = "it returns more than one number";
  }
  return function;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// Files of one name in different folders, or of names that differ in signs
/// alone, have different guards unless they say the same.
static std::string guardOf(StringRef libraryName, StringRef contents) {
  std::string guard = "BWGEMM_LIBRARY_";
  for (char c : sys::path::stem(libraryName))
    guard += isAlnum(c) ? toUpper(c) : '_';
  return guard + "_" + utohexstr(xxh3_64bits(contents)) + "_H";
}

static std::string structOf(int64_t rank) {
  return "bwgemm_memref_" + std::to_string(rank) + "d_t";
}

static void printStruct(raw_ostream &os, int64_t rank) {
  std::string guard = "BWGEMM_MEMREF_" + std::to_string(rank) + "D_T";
  os << "#ifndef " << guard << "\n#define " << guard << "\n"
     << "typedef struct {\n  void *allocated; /* not used */\n"
        "  void *aligned;   /* host or device memory */\n"
        "  int64_t offset;  /* of the first element, in elements */\n";
  if (rank > 0)
    os << "  int64_t sizes[" << rank << "];\n  int64_t strides[" << rank
       << "]; /* in elements */\n";
  os << "} " << structOf(rank) << ";\n";
  if (rank == 2)
    os << "\n/* A row-major matrix whose rows are `pitch` elements apart. */\n"
          "static inline "
       << structOf(2)
       << " bwgemm_matrix_with_pitch(\n"
          "    const void *data, int64_t rows, int64_t columns, int64_t pitch) "
          "{\n  "
       << structOf(2)
       << " matrix;\n"
          "  matrix.allocated = matrix.aligned = (void *)data;\n"
          "  matrix.offset = 0;\n"
          "  matrix.sizes[0] = rows;\n  matrix.sizes[1] = columns;\n"
          "  matrix.strides[0] = pitch;\n  matrix.strides[1] = 1;\n"
          "  return matrix;\n}\n\n"
          "/* A row-major matrix without gaps. */\n"
          "static inline "
       << structOf(2)
       << " bwgemm_matrix(\n"
          "    const void *data, int64_t rows, int64_t columns) {\n"
          "  return bwgemm_matrix_with_pitch(data, rows, columns, columns);\n"
          "}\n";
  os << "#endif\n\n";
}

static void printFunction(raw_ostream &os, const Function &function) {
  os << "/* " << function.name << ":";
  if (!function.obstacle.empty()) {
    os << " not declared, because " << function.obstacle << ". */\n\n";
    return;
  }
  if (!function.schedule.empty())
    os << " schedule " << function.schedule;
  for (const Argument &argument : function.arguments) {
    os << "\n *   " << argument.name << "  " << argument.element;
    if (!argument.scalar)
      os << " [" << argument.shape << "], "
         << (argument.access == "read_write" ? "read and written"
             : argument.access == "write"    ? "written"
                                             : "read");
  }
  os << "\n */\n"
     << function.result << " _mlir_ciface_" << function.name << "(";
  auto list = [&](auto print) {
    if (function.arguments.empty())
      os << "void";
    interleave(function.arguments, os, print, ", ");
    os << ");\n";
  };
  list([&](const Argument &argument) {
    if (argument.scalar)
      os << cType(argument.element) << ' ' << argument.name;
    else
      os << structOf(argument.rank) << " *" << argument.name;
  });
  if (isTaken(function.name)) {
    os << "/* " << function.name
       << " itself, with the fields of each descriptor as arguments, is not\n"
          " * declared, because its name has a meaning in C or C++. */\n\n";
    return;
  }
  os << "/* The same with the fields of each descriptor as arguments. */\n"
     << function.result << ' ' << function.name << "(";
  list([&](const Argument &argument) {
    const std::string &name = argument.name;
    if (argument.scalar) {
      os << cType(argument.element) << ' ' << name;
      return;
    }
    os << "\n    void *" << name << "_allocated, void *" << name
       << "_aligned, int64_t " << name << "_offset";
    for (const char *field : {"size", "stride"})
      for (int64_t i = 0; i < argument.rank; ++i)
        os << ", int64_t " << name << '_' << field << i;
  });
  os << '\n';
}

std::string bwgemm::compile::makeHeader(StringRef libraryName,
                                        StringRef jsonText) {
  std::vector<Function> functions;
  Expected<json::Value> parsed = json::parse(jsonText);
  if (!parsed)
    consumeError(parsed.takeError());
  else if (const json::Object *root = parsed->getAsObject())
    if (const json::Array *entries = root->getArray("functions"))
      for (const json::Value &entry : *entries)
        if (const json::Object *object = entry.getAsObject())
          functions.push_back(readFunction(*object));

  std::set<int64_t> ranks;
  for (const Function &function : functions)
    for (const Argument &argument : function.arguments)
      if (!argument.scalar)
        ranks.insert(argument.rank);

  std::string text;
  raw_string_ostream os(text);
  std::string guard = guardOf(libraryName, jsonText);
  os << "/* " << libraryName << ": made by bwgemm-compile.\n"
     << " *\n"
        " * Buffers may lie in host memory (they are copied to the GPU and "
        "back) or in\n"
        " * device memory (they are used in place). A call returns when its "
        "results are\n"
        " * there, unless bwgemm_set_stream says otherwise. f16, bf16 and f8 "
        "elements are\n"
        " * their bits, in uint16_t or uint8_t.\n"
        " */\n"
     << "#ifndef " << guard << "\n#define " << guard
     << "\n\n#include <stdbool.h>\n#include <stdint.h>\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  for (int64_t rank : ranks)
    printStruct(os, rank);
  for (const Function &function : functions)
    printFunction(os, function);
  os << "/* Errors. Without a handler, an error is printed and ends the "
        "process. A handler\n"
        " * receives the message and a status: 2 for bad input or no device, 3 "
        "for a kernel\n"
        " * that failed. If it returns, this thread's calls do nothing until\n"
        " * bwgemm_clear_error(). A null handler brings the default back. */\n"
        "typedef void (*bwgemm_error_handler)(const char *message, int "
        "status,\n"
        "                                     void *user);\n"
        "void bwgemm_set_error_handler(bwgemm_error_handler handler, void "
        "*user);\n"
        "void bwgemm_clear_error(void);\n"
        "/* The message of this thread's last error, or null. */\n"
        "const char *bwgemm_last_error(void);\n\n"
        "/* Streams. From now on this thread's calls enqueue their work in "
        "`stream` (a\n"
        " * CUstream or cudaStream_t of the device's primary context; null is "
        "the legacy\n"
        " * default stream) and return without waiting. All buffers have to "
        "lie in device\n"
        " * memory. The stream may be captured into a graph. "
        "bwgemm_unset_stream brings\n"
        " * back calls that wait. */\n"
        "void bwgemm_set_stream(void *stream);\n"
        "void bwgemm_unset_stream(void);\n\n"
        "/* The kernels' PTX, and a description of the functions in JSON. */\n"
        "extern const char bwgemm_ptx[];\nextern const char "
        "bwgemm_metadata[];\n\n"
        "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return text;
}

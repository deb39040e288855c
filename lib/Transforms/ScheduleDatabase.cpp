//===- ScheduleDatabase.cpp - Read schedules that were measured -----------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Transforms/ScheduleDatabase.h"

#include "ShippedSchedules.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::bwgemm;
namespace json = llvm::json;

/// The parser of JSON recurses; what we read is three levels deep.
static constexpr int kMostNesting = 16;
/// Sizes of which products do not overflow.
static constexpr int64_t kMostExtent = int64_t(1) << 31;

std::string DatabaseEntry::getProblemText() const {
  std::string text = (Twine(m) + "x" + Twine(n) + "x" + Twine(k) + " " +
                      operands + "-" + result + " " + transposes)
                         .str();
  return epilogue == "none" ? text : text + " " + epilogue;
}

static bool isNestedTooDeep(StringRef text) {
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString && c == '\\')
      ++i;
    else if (c == '"')
      inString = !inString;
    else if (!inString && (c == '[' || c == '{') && ++depth > kMostNesting)
      return true;
    else if (!inString && (c == ']' || c == '}'))
      --depth;
  }
  return false;
}

/// A value in a message: short ones as they are.
static std::string quote(const json::Value *value) {
  if (!value)
    return "nothing";
  std::string text;
  llvm::raw_string_ostream(text) << *value;
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

namespace {

/// Reads one entry.
class EntryReader {
public:
  EntryReader(const json::Object &object, DatabaseEntry &entry)
      : object(object), entry(entry) {}

  /// Says in `error` what is wrong.
  bool run(std::string &error);

private:
  bool readText(const char *key, std::string &text) {
    if (std::optional<StringRef> value = object.getString(key)) {
      text = value->str();
      return !text.empty() || fail(key, "text that is not empty");
    }
    return fail(key, "text");
  }
  bool readExtent(const char *key, int64_t &extent) {
    std::optional<int64_t> value = object.getInteger(key);
    if (!value || *value < 1 || *value > kMostExtent)
      return fail(key, "a number of 1 to 2147483648");
    extent = *value;
    return true;
  }
  bool readTime() {
    std::optional<double> value = object.getNumber("us");
    if (!value || !(*value > 0))
      return fail("us", "a number of microseconds above 0");
    entry.microseconds = *value;
    return true;
  }
  bool fail(const char *key, const Twine &expected) {
    problem = ("expected \"" + Twine(key) + "\" to be " + expected + ", got " +
               quote(object.get(key)))
                  .str();
    return false;
  }
  bool readSpec();

  const json::Object &object;
  DatabaseEntry &entry;
  std::string problem;
};

} // namespace

bool EntryReader::readSpec() {
  std::string text, reason;
  if (!readText("schedule", text))
    return false;
  std::optional<ScheduleSpec> spec = ScheduleSpec::parse(text, reason);
  if (!spec) {
    problem = reason;
    return false;
  }
  if (spec->preset == Preset::Auto)
    return fail("schedule", "a preset other than auto with its fields");
  // `auto` does not choose how exact results are.
  if (spec->accumulator.value_or(Accumulator::F32) != Accumulator::F32)
    return fail("schedule", "one without accumulator=f16, which is only taken "
                            "where it is asked for");
  entry.spec = *spec;
  return true;
}

bool EntryReader::run(std::string &error) {
  bool known =
      readText("target", entry.target) && readText("device", entry.device) &&
      readText("operands", entry.operands) &&
      readText("result", entry.result) &&
      readText("transposes", entry.transposes) &&
      readText("epilogue", entry.epilogue) && readExtent("m", entry.m) &&
      readExtent("n", entry.n) && readExtent("k", entry.k);
  error = "entry " + std::to_string(entry.number);
  if (known)
    error += " (" + entry.target + " " + entry.getProblemText() + ")";
  if (known && entry.transposes.find_first_not_of("nt") != std::string::npos)
    known = fail("transposes", "nn, nt, tn or tt");
  if (known && readTime() && readSpec())
    return true;
  error += ": " + problem;
  return false;
}

std::optional<ScheduleDatabase>
ScheduleDatabase::parse(StringRef text, StringRef name, std::string &error) {
  auto fail = [&](const Twine &message) {
    error = (name + ": " + message).str();
    return std::nullopt;
  };
  if (isNestedTooDeep(text))
    return fail("expected a database of schedules, got more than " +
                Twine(kMostNesting) + " levels of brackets");
  llvm::Expected<json::Value> parsed = json::parse(text);
  if (!parsed)
    return fail("expected JSON: " + toString(parsed.takeError()) +
                " ([line:column])");
  const json::Object *root = parsed->getAsObject();
  const json::Value *format = root ? root->get("format") : nullptr;
  if (!format || format->getAsString() != StringRef("bwgemm schedules"))
    return fail("expected \"format\" to be \"bwgemm schedules\", got " +
                quote(format));
  const json::Value *version = root->get("version");
  if (!version || version->getAsInteger() != kDatabaseVersion)
    return fail("expected \"version\" to be " + Twine(kDatabaseVersion) +
                ", which this compiler reads, got " + quote(version));
  const json::Array *array = root->getArray("entries");
  if (!array)
    return fail("expected \"entries\" to be an array, got " +
                quote(root->get("entries")));
  ScheduleDatabase database;
  database.name = name.str();
  for (const json::Value &value : *array) {
    DatabaseEntry entry;
    entry.number = database.entries.size() + 1;
    const json::Object *object = value.getAsObject();
    if (!object)
      return fail("entry " + Twine(entry.number) +
                  ": expected an object, got " + quote(&value));
    std::string problem;
    if (!EntryReader(*object, entry).run(problem))
      return fail(problem);
    database.entries.push_back(std::move(entry));
  }
  return database;
}

std::optional<ScheduleDatabase> ScheduleDatabase::open(StringRef option,
                                                       std::string &error) {
  std::string path = option.str();
  if (path.empty())
    if (const char *variable = std::getenv("BWGEMM_DATABASE"))
      path = variable;
  if (path.empty())
    return parse(kShippedSchedules, "the shipped schedules", error);
  if (path == "none") {
    ScheduleDatabase database;
    database.name = path;
    return database;
  }
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (buffer)
    return parse((*buffer)->getBuffer(), path, error);
  error = path + ": cannot be read as a database of schedules: " +
          buffer.getError().message();
  return std::nullopt;
}

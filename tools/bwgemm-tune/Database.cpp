//===- Database.cpp - The schedules that were found -------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Database.h"

#include "Files.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

namespace bwgemm::tune {

using Json = nlohmann::ordered_json;

constexpr const char *format = "bwgemm schedules";
constexpr int version = 1;

Json Database::keyOf(const Problem &p) const {
  Json key;
  key["target"] = target;
  key["device"] = device;
  key["operands"] = runtime::name(p.operands);
  key["result"] = runtime::name(p.result);
  key["transposes"] =
      std::string(p.transposedA ? "t" : "n") + (p.transposedB ? "t" : "n");
  key["epilogue"] = p.epilogueName();
  key["m"] = p.m;
  key["n"] = p.n;
  key["k"] = p.k;
  return key;
}

/// Whether `entry` has all that `key` has.
static bool matches(const Json &entry, const Json &key) {
  for (const auto &[name, value] : key.items())
    if (auto found = entry.find(name); found == entry.end() || *found != value)
      return false;
  return true;
}

template <typename Entries>
static auto find(Entries &entries, const Json &key) {
  return std::find_if(entries.begin(), entries.end(),
                      [&](const Json &entry) { return matches(entry, key); });
}

bool Database::has(const Problem &problem) const {
  return find(entries, keyOf(problem)) != entries.end();
}

/// Nanoseconds are more than can be measured.
static double rounded(double microseconds) {
  return std::round(microseconds * 1e3) / 1e3;
}

void Database::set(const Problem &problem, const Finding &finding) {
  Json entry = keyOf(problem);
  auto place = find(entries, entry);
  entry["schedule"] = finding.schedule;
  entry["us"] = rounded(finding.timing.median);
  entry["us_min"] = rounded(finding.timing.least);
  entry["us_max"] = rounded(finding.timing.greatest);
  entry["samples"] = finding.timing.samples;
  entry["candidates"] = finding.candidates;
  if (!finding.model.empty()) {
    entry["model"] = finding.model;
    entry["model_us"] = rounded(finding.modelMedian);
  }
  if (place == entries.end())
    entries.push_back(entry);
  else
    *place = entry;
}

void Database::setFailed(const Problem &problem, const std::string &schedule,
                         const std::string &what) {
  Json failure = keyOf(problem);
  failure["schedule"] = schedule;
  if (find(failures, failure) != failures.end())
    return;
  failure["what"] = what;
  failures.push_back(failure);
}

bool Database::hasFailed(const Problem &problem,
                         const std::string &schedule) const {
  Json failure = keyOf(problem);
  failure["schedule"] = schedule;
  return find(failures, failure) != failures.end();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// An array with one element a line.
static std::string linesOf(const std::vector<Json> &values) {
  std::string text = "[";
  for (const Json &value : values)
    text += (text.size() > 1 ? ",\n" : "\n") +
            value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text + (values.empty() ? "]" : "\n]");
}

std::string Database::text() const {
  std::string text = "{\n\"format\": " + Json(format).dump() +
                     ",\n\"version\": " + std::to_string(version) +
                     ",\n\"entries\": " + linesOf(entries);
  if (!failures.empty())
    text += ",\n\"failures\": " + linesOf(failures);
  return text + "\n}\n";
}

std::string Database::parse(const std::string &text) {
  Json root;
  try {
    root = Json::parse(text);
  } catch (const Json::parse_error &failure) {
    return std::string("expected JSON: ") + failure.what();
  }
  auto member = [&](const char *name) {
    return root.is_object() && root.contains(name) ? root[name] : Json();
  };
  auto expect = [&](const char *name, const std::string &what) {
    std::string got =
        member(name).dump(-1, ' ', false, Json::error_handler_t::replace);
    return "expected \"" + std::string(name) + "\" to be " + what + ", got " +
           (got.size() <= 60 ? got : got.substr(0, 57) + "...");
  };
  if (member("format") != Json(format))
    return expect("format", Json(format).dump());
  if (member("version") != Json(version))
    return expect("version", std::to_string(version));
  if (!member("entries").is_array())
    return expect("entries", "an array");
  if (!member("failures").is_array() && !member("failures").is_null())
    return expect("failures", "an array");
  for (const char *name : {"entries", "failures"})
    for (const Json &entry : member(name)) {
      if (!entry.is_object())
        return expect(name, "an array of objects");
      (name[0] == 'e' ? entries : failures).push_back(entry);
    }
  return "";
}

std::string Database::load(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return errno == ENOENT ? ""
                           : path + ": cannot be read: " + std::strerror(errno);
  std::stringstream text;
  text << file.rdbuf();
  std::string error = parse(text.str());
  return error.empty() ? "" : path + ": " + error;
}

std::string Database::save(const std::string &path) const {
  return tools::writeFile(path, text());
}

} // namespace bwgemm::tune

//===- Mutator.cpp - Changes PTX text along its grammar ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"

#include "instructions/Registry.h"

#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace bwgemm::fuzz {

using Words = std::vector<std::string>;

namespace {

const Words &mnemonics() {
  static const Words list = emulator::Registry::instance().mnemonics();
  return list;
}

const Words &modifiers() {
  static const Words list = {"u8",
                             "u16",
                             "u32",
                             "u64",
                             "s8",
                             "s16",
                             "s32",
                             "s64",
                             "b8",
                             "b16",
                             "b32",
                             "b64",
                             "b128",
                             "f16",
                             "f16x2",
                             "bf16",
                             "bf16x2",
                             "tf32",
                             "f32",
                             "f32x2",
                             "f64",
                             "pred",
                             "e4m3x2",
                             "e5m2x2",
                             "e2m1x2",
                             "e2m3x2",
                             "e3m2x2",
                             "ue8m0x2",
                             "u16x2",
                             "s16x2",
                             "v2",
                             "v4",
                             "v8",
                             "global",
                             "shared",
                             "shared::cta",
                             "shared::cluster",
                             "local",
                             "const",
                             "param",
                             "rn",
                             "rz",
                             "rm",
                             "rp",
                             "rna",
                             "rni",
                             "rzi",
                             "rmi",
                             "rpi",
                             "ftz",
                             "sat",
                             "satfinite",
                             "relu",
                             "approx",
                             "full",
                             "lo",
                             "hi",
                             "wide",
                             "cc",
                             "eq",
                             "ne",
                             "lt",
                             "le",
                             "gt",
                             "ge",
                             "and",
                             "or",
                             "xor",
                             "add",
                             "min",
                             "max",
                             "inc",
                             "dec",
                             "exch",
                             "cas",
                             "noftz",
                             "relaxed",
                             "acquire",
                             "release",
                             "acq_rel",
                             "cta",
                             "cluster",
                             "gpu",
                             "sys",
                             "volatile",
                             "sync",
                             "aligned",
                             "arrive",
                             "expect_tx",
                             "try_wait",
                             "test_wait",
                             "parity",
                             "wait",
                             "ld",
                             "st",
                             "up",
                             "down",
                             "bfly",
                             "idx",
                             "all",
                             "any",
                             "uni",
                             "ballot",
                             "to",
                             "l",
                             "r",
                             "clamp",
                             "wrap",
                             "x1",
                             "x2",
                             "x4",
                             "x8",
                             "x16",
                             "x32",
                             "x64",
                             "x128",
                             "32x32b",
                             "16x64b",
                             "16x128b",
                             "16x256b",
                             "16x32bx2",
                             "cta_group::1",
                             "cta_group::2",
                             "kind::f16",
                             "kind::tf32",
                             "kind::f8f6f4",
                             "kind::i8",
                             "kind::mxf4",
                             "kind::mxf4nvf4",
                             "kind::mxf8f6f4",
                             "mbarrier::complete_tx::bytes",
                             "multicast::cluster",
                             "bulk_group",
                             "tile",
                             "tensor",
                             "bulk",
                             "1d",
                             "2d",
                             "3d",
                             "m8n8",
                             "trans",
                             "m16n8k16",
                             "m16n8k8",
                             "m64n64k16",
                             "row",
                             "col",
                             "commit_group",
                             "wait_group",
                             "read",
                             "L2::cache_hint",
                             "noComplete",
                             "unpack::16b",
                             "pack::16b",
                             "async",
                             "group",
                             "cp",
                             "alloc",
                             "dealloc",
                             "commit",
                             "fence",
                             "shift",
                             "block_scale",
                             "scale_vec::1X",
                             "ws"};
  return list;
}

const Words &numbers() {
  static const Words list = {"0",
                             "1",
                             "2",
                             "3",
                             "4",
                             "7",
                             "8",
                             "15",
                             "16",
                             "31",
                             "32",
                             "33",
                             "63",
                             "64",
                             "127",
                             "128",
                             "255",
                             "256",
                             "512",
                             "1023",
                             "1024",
                             "4096",
                             "65535",
                             "65536",
                             "-1",
                             "-2",
                             "-8",
                             "2147483647",
                             "2147483648",
                             "4294967295",
                             "4294967296",
                             "-2147483648",
                             "9223372036854775807",
                             "-9223372036854775808",
                             "18446744073709551615",
                             "0x400",
                             "0x1000000",
                             "0x1000000000000",
                             "0x1000100000000",
                             "0x1000200000010",
                             "0f00000000",
                             "0f3F800000",
                             "0f7F800000",
                             "0fFFC00000",
                             "0f00000001",
                             "0d7FF0000000000000",
                             "1.5"};
  return list;
}

const Words &directives() {
  static const Words list = {".reg .b32 %q<4>;",
                             ".reg .pred %pp;",
                             ".shared .align 16 .b8 sh[128];",
                             ".local .align 8 .b8 lo[32];",
                             ".param .b64 pp0;",
                             ".pragma \"nounroll\";",
                             "{",
                             "}",
                             "LX:",
                             "bra LX;",
                             "ret;",
                             "exit;",
                             ".loc 1 2 3\n",
                             "bar.sync 0;",
                             "call f, (%r1);",
                             ".branchtargets LX;",
                             "x: .callprototype _ (.param .b32 _);",
                             "@%p1 ",
                             "@!%p1 "};
  return list;
}

class Mutator {
public:
  Mutator(std::string text, uint32_t seed)
      : text(std::move(text)), random(seed) {}

  std::string run() {
    unsigned changes = 1 + pick(4);
    for (unsigned n = 0; n < changes; ++n)
      change();
    return std::move(text);
  }

private:
  size_t pick(size_t count) { return count ? random() % count : 0; }
  const std::string &from(const Words &list) { return list[pick(list.size())]; }

  /// [begin, end) of each statement: up to a semicolon or a brace.
  void split() {
    statements.clear();
    size_t begin = 0;
    for (size_t i = 0; i < text.size(); ++i)
      if (text[i] == ';' || text[i] == '{' || text[i] == '}') {
        statements.push_back({begin, i + 1});
        begin = i + 1;
      }
  }

  static bool isWordPart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '%' || c == '$';
  }

  /// A random word of the text that starts with one of `first`, as a range.
  bool word(std::string_view first, size_t &begin, size_t &length) {
    if (text.empty())
      return false;
    size_t start = pick(text.size());
    for (size_t n = 0; n < text.size(); ++n) {
      size_t i = (start + n) % text.size();
      bool starts = first.find(text[i]) != std::string_view::npos &&
                    (i == 0 || !isWordPart(text[i - 1]));
      if (!starts)
        continue;
      begin = i;
      length = 1;
      while (i + length < text.size() && isWordPart(text[i + length]))
        ++length;
      return true;
    }
    return false;
  }

  void change() {
    split();
    size_t begin, length;
    switch (pick(14)) {
    case 0: // Repeat a statement elsewhere.
      if (!statements.empty()) {
        auto [a, b] = statements[pick(statements.size())];
        std::string copy = text.substr(a, b - a);
        text.insert(statements[pick(statements.size())].second, copy);
      }
      return;
    case 1: // Drop one.
      if (!statements.empty()) {
        auto [a, b] = statements[pick(statements.size())];
        text.erase(a, b - a);
      }
      return;
    case 2: // Exchange two.
      if (statements.size() > 1) {
        size_t n = pick(statements.size() - 1);
        auto [a, b] = statements[n];
        size_t c = statements[n + 1].second;
        std::string first = text.substr(a, b - a);
        text.erase(a, b - a);
        text.insert(c - (b - a), first);
      }
      return;
    case 3: // A register for another of the text.
    case 4:
      if (word("%", begin, length)) {
        size_t other, otherLength;
        if (word("%", other, otherLength)) {
          std::string name = text.substr(other, otherLength);
          text.replace(begin, length, name);
        }
      }
      return;
    case 5: // A number for another.
    case 6:
      if (word("0123456789", begin, length))
        text.replace(begin, length, from(numbers()));
      return;
    case 7: // A modifier for another, or one more, or one less.
    case 8: {
      size_t dot = text.find('.', pick(text.size() + 1));
      if (dot == std::string::npos)
        return;
      size_t end = dot + 1;
      while (end < text.size() && (isWordPart(text[end]) || text[end] == ':'))
        ++end;
      unsigned how = unsigned(pick(4));
      std::string replacement =
          how == 0   ? ""
          : how == 1 ? "." + from(modifiers()) + text.substr(dot, end - dot)
                     : "." + from(modifiers());
      text.replace(dot, end - dot, replacement);
      return;
    }
    case 9: // A new instruction.
    case 10:
      if (!statements.empty())
        text.insert(statements[pick(statements.size())].second, instruction());
      return;
    case 11: // The mnemonic of one, with its operands kept.
      if (!statements.empty()) {
        auto [a, b] = statements[pick(statements.size())];
        while (a < b && std::strchr(" \n\t", text[a]))
          ++a;
        size_t end = a;
        while (end < b &&
               (isWordPart(text[end]) || text[end] == '.' || text[end] == ':'))
          ++end;
        text.replace(a, end - a, opcode());
      }
      return;
    case 12:
      if (!statements.empty())
        text.insert(statements[pick(statements.size())].second,
                    from(directives()));
      return;
    default: // Bytes.
      if (!text.empty())
        text[pick(text.size())] = static_cast<char>(pick(256));
      return;
    }
  }

  std::string opcode() {
    std::string made = from(mnemonics());
    for (size_t n = pick(4); n > 0; --n)
      made += "." + from(modifiers());
    return made;
  }

  std::string operand() {
    size_t begin, length;
    std::string name = "%r1";
    if (word("%", begin, length))
      name = text.substr(begin, length);
    switch (pick(8)) {
    case 0:
      return from(numbers());
    case 1:
      return "[" + name + "]";
    case 2:
      return "[" + name + "+" + from(numbers()) + "]";
    case 3:
      return "{" + name + ", " + name + "}";
    default:
      return name;
    }
  }

  std::string instruction() {
    std::string made = "\n" + opcode();
    size_t count = pick(5);
    for (size_t n = 0; n < count; ++n)
      made += (n ? ", " : " ") + operand();
    return made + ";";
  }

  std::string text;
  std::minstd_rand random;
  std::vector<std::pair<size_t, size_t>> statements;
};

} // namespace

size_t mutatePtx(uint8_t *data, size_t size, size_t maxSize, uint32_t seed) {
  std::string text(reinterpret_cast<const char *>(data), size);
  std::string changed = Mutator(std::move(text), seed | 1).run();
  if (changed.size() > maxSize)
    changed.resize(maxSize);
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}

} // namespace bwgemm::fuzz

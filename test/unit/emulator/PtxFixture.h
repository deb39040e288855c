//===- PtxFixture.h - Runs small PTX kernels in tests -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TEST_UNIT_EMULATOR_PTXFIXTURE_H
#define BWGEMM_TEST_UNIT_EMULATOR_PTXFIXTURE_H

#include "Emulator.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bwgemm::emulator {

/// Device memory, and launches of PTX text on it.
class PtxFixture : public testing::Test {
protected:
  DeviceMemory memory;
  Options options;

  static std::string head() {
    return ".version 8.8\n.target sm_100a\n.address_size 64\n";
  }

  template <class T> uint64_t upload(const std::vector<T> &values) {
    uint64_t address = memory.allocate(values.size() * sizeof(T));
    EXPECT_NE(address, 0u);
    std::memcpy(reinterpret_cast<void *>(address), values.data(),
                values.size() * sizeof(T));
    return address;
  }
  template <class T> std::vector<T> download(uint64_t address, size_t count) {
    std::vector<T> values(count);
    std::memcpy(values.data(), reinterpret_cast<void *>(address),
                count * sizeof(T));
    return values;
  }

  /// Loads the text and launches its only kernel. Parameters are 64-bit.
  LaunchReport run(const std::string &text, Dim3 grid, Dim3 block,
                   const std::vector<uint64_t> &params, Dim3 cluster = {},
                   uint32_t dynamicShared = 0) {
    std::string error;
    auto module = Module::load(text, "test.ptx", memory, error);
    EXPECT_TRUE(module) << error;
    if (!module || module->kernels().size() != 1)
      return {};
    LaunchConfig config;
    config.grid = grid;
    config.block = block;
    config.cluster = cluster;
    config.dynamicSharedBytes = dynamicShared;
    config.params.resize(params.size() * 8);
    if (!params.empty())
      std::memcpy(config.params.data(), params.data(), params.size() * 8);
    return launch(*module, module->kernels()[0], config, memory, options);
  }

  /// The message of a module that must not load.
  std::string loadError(const std::string &text) {
    std::string error;
    auto module = Module::load(text, "test.ptx", memory, error);
    EXPECT_FALSE(module);
    return error;
  }

  /// A kernel with one pointer parameter in %out and %t = %tid.x; it stores
  /// what `body` leaves in %r0 at out[ctaid.x * ntid.x + tid.x].
  static std::string kernel(const std::string &body) {
    return head() +
           ".visible .entry k(.param .u64 out)\n{\n"
           ".reg .b32 %r<100>;\n.reg .b64 %w<100>;\n.reg .b16 %h<20>;\n"
           ".reg .f32 %f<20>;\n.reg .pred %p<20>;\n.reg .b32 %t;\n"
           ".reg .b64 %out;\n"
           "ld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\n" +
           body +
           "\nSTORE:\nmov.u32 %r90, %ctaid.x;\nmov.u32 %r91, %ntid.x;\n"
           "mad.lo.u32 %r92, %r90, %r91, %t;\n"
           "mad.wide.u32 %w90, %r92, 4, %out;\n"
           "st.global.b32 [%w90], %r0;\nret;\n}\n";
  }

  /// Runs kernel(body) and returns the stored words.
  std::vector<uint32_t> words(const std::string &body, unsigned threads = 32,
                              unsigned ctas = 1, Dim3 cluster = {},
                              uint32_t dynamicShared = 0) {
    uint64_t out = memory.allocate(4 * threads * ctas);
    std::memset(reinterpret_cast<void *>(out), 0xEE, 4 * threads * ctas);
    LaunchReport report = run(kernel(body), {ctas, 1, 1}, {threads, 1, 1},
                              {out}, cluster, dynamicShared);
    EXPECT_FALSE(report.fault) << report.fault->render();
    return download<uint32_t>(out, threads * ctas);
  }

  /// Runs kernel(body), which must fault.
  Fault fault(const std::string &body, unsigned threads = 32) {
    uint64_t out = memory.allocate(4 * threads);
    LaunchReport report = run(kernel(body), {1, 1, 1}, {threads, 1, 1}, {out});
    EXPECT_TRUE(report.fault);
    return report.fault.value_or(Fault());
  }
};

/// What one scalar instruction did. Sources a, b, c are given as 64 bits; the
/// instruction sees them as %wa (64), %ra (32) and %ha (16 bits), and writes
/// %wd, %rd, %hd, %pd or %qd.
struct Result {
  uint64_t w, r, h;
  bool p, q;
};

class ScalarFixture : public PtxFixture {
protected:
  struct Inputs {
    uint64_t a = 0, b = 0, c = 0;
  };

  /// Executes `body` once per element of `inputs`, one lane each.
  std::vector<Result> evaluate(const std::string &body,
                               const std::vector<Inputs> &inputs) {
    std::string text =
        head() +
        ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
        ".reg .b64 %wa, %wb, %wc, %wd, %i, %o;\n"
        ".reg .b32 %ra, %rb, %rc, %rd, %t;\n.reg .b16 %ha, %hb, %hc, %hd;\n"
        ".reg .pred %pa, %pb, %pc, %pd, %qd;\n.reg .b32 %x<10>;\n"
        ".reg .b16 %y<10>;\n.reg .b64 %z<10>;\n"
        "ld.param.u64 %i, [in];\nld.param.u64 %o, [out];\n"
        "mov.u32 %t, %tid.x;\nmad.wide.u32 %i, %t, 24, %i;\n"
        "mad.wide.u32 %o, %t, 40, %o;\n"
        "ld.global.u64 %wa, [%i];\nld.global.u64 %wb, [%i+8];\n"
        "ld.global.u64 %wc, [%i+16];\n"
        "cvt.u32.u64 %ra, %wa;\ncvt.u32.u64 %rb, %wb;\ncvt.u32.u64 %rc, %wc;\n"
        "cvt.u16.u64 %ha, %wa;\ncvt.u16.u64 %hb, %wb;\ncvt.u16.u64 %hc, %wc;\n"
        "setp.ne.u64 %pa, %wa, 0;\nsetp.ne.u64 %pb, %wb, 0;\n"
        "setp.ne.u64 %pc, %wc, 0;\n"
        "mov.u64 %wd, 0;\nmov.u32 %rd, 0;\nmov.u16 %hd, 0;\n"
        "setp.ne.u32 %pd, 0, 0;\nsetp.ne.u32 %qd, 0, 0;\n" +
        body +
        "\nst.global.u64 [%o], %wd;\ncvt.u64.u32 %wd, %rd;\n"
        "st.global.u64 [%o+8], %wd;\ncvt.u64.u16 %wd, %hd;\n"
        "st.global.u64 [%o+16], %wd;\nselp.u64 %wd, 1, 0, %pd;\n"
        "st.global.u64 [%o+24], %wd;\nselp.u64 %wd, 1, 0, %qd;\n"
        "st.global.u64 [%o+32], %wd;\nret;\n}\n";
    std::vector<uint64_t> flat;
    for (const Inputs &input : inputs)
      flat.insert(flat.end(), {input.a, input.b, input.c});
    uint64_t in = upload(flat);
    uint64_t out = memory.allocate(inputs.size() * 40);
    LaunchReport report =
        run(text, {1, 1, 1}, {unsigned(inputs.size()), 1, 1}, {in, out});
    EXPECT_FALSE(report.fault) << body << "\n" << report.fault->render();
    auto raw = download<uint64_t>(out, inputs.size() * 5);
    std::vector<Result> results;
    for (size_t i = 0; i < inputs.size(); ++i)
      results.push_back({raw[5 * i], raw[5 * i + 1], raw[5 * i + 2],
                         raw[5 * i + 3] != 0, raw[5 * i + 4] != 0});
    memory.release(in);
    memory.release(out);
    return results;
  }
  Result one(const std::string &body, uint64_t a = 0, uint64_t b = 0,
             uint64_t c = 0) {
    auto results = evaluate(body, {{a, b, c}});
    return results.empty() ? Result{} : results[0];
  }
  uint64_t w(const std::string &body, uint64_t a = 0, uint64_t b = 0,
             uint64_t c = 0) {
    return one(body, a, b, c).w;
  }
  uint64_t r(const std::string &body, uint64_t a = 0, uint64_t b = 0,
             uint64_t c = 0) {
    return one(body, a, b, c).r;
  }
  uint64_t h(const std::string &body, uint64_t a = 0, uint64_t b = 0,
             uint64_t c = 0) {
    return one(body, a, b, c).h;
  }
  bool p(const std::string &body, uint64_t a = 0, uint64_t b = 0,
         uint64_t c = 0) {
    return one(body, a, b, c).p;
  }
  static uint64_t bits(float value) {
    uint32_t raw;
    std::memcpy(&raw, &value, 4);
    return raw;
  }
  static uint64_t bits(double value) {
    uint64_t raw;
    std::memcpy(&raw, &value, 8);
    return raw;
  }
};

} // namespace bwgemm::emulator

#endif // BWGEMM_TEST_UNIT_EMULATOR_PTXFIXTURE_H

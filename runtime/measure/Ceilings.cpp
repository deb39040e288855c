//===- Ceilings.cpp - What a GPU can do at most -----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/Ceilings.h"

#include <algorithm>
#include <cstdio>

namespace bwgemm::runtime {

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static std::string hex(unsigned value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

/// Two elements of either sign between 1 and 2 in %r0, from the number in %r1
/// (Knuth's multiplicative hash, its upper half folded in).
static std::string makeElements(ElementType type) {
  bool isHalf = type == ElementType::F16;
  return "  mul.lo.u32 %r0, %r1, " + hex(0x9e3779b1) +
         ";\n  shr.u32 %r2, %r0, 15;\n  xor.b32 %r0, %r0, %r2;\n"
         "  and.b32 %r0, %r0, " +
         hex(isHalf ? 0x83ff83ff : 0x807f807f) + ";\n  or.b32 %r0, %r0, " +
         hex(isHalf ? 0x3c003c00 : 0x3f803f80) + ";\n";
}

/// "{%d8, %d9}".
static std::string registers(const char *prefix, unsigned first,
                             unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::string(prefix) + std::to_string(first + i);
  return text + "}";
}

/// The beginning of the kernel: registers, %r1 = the thread's number in the
/// grid, %n = rounds, and `sums` sums, which are zero.
static std::string makeHead(const char *version, const char *target,
                            unsigned threads, unsigned sums) {
  std::string text = std::string(".version ") + version + "\n.target " +
                     target +
                     "\n.address_size 64\n"
                     ".visible .entry ceiling(.param .u64 out, "
                     ".param .u32 rounds)\n.maxntid " +
                     std::to_string(threads) +
                     ", 1, 1\n{\n  .reg .pred %p, %go;\n"
                     "  .reg .b32 %r<8>, %a<8>, %b<8>, %n;\n"
                     "  .reg .b64 %out, %w<16>;\n  .reg .f32 %f, %d<" +
                     std::to_string(sums) +
                     ">;\n"
                     "  ld.param.u64 %out, [out];\n"
                     "  ld.param.u32 %n, [rounds];\n"
                     "  mov.u32 %r1, %ctaid.x;\n  mov.u32 %r2, %ntid.x;\n"
                     "  mov.u32 %r3, %tid.x;\n"
                     "  mad.lo.u32 %r1, %r1, %r2, %r3;\n";
  for (unsigned i = 0; i < sums; ++i)
    text += "  mov.f32 %d" + std::to_string(i) + ", 0f00000000;\n";
  return text;
}

/// The end: sums of normal numbers are no infinity, but the assembler does not
/// know.
static std::string makeTail(unsigned sums) {
  std::string text = "  mov.f32 %f, 0f00000000;\n";
  for (unsigned i = 0; i < sums; ++i)
    text += "  add.f32 %f, %f, %d" + std::to_string(i) + ";\n";
  return text + "  setp.eq.f32 %p, %f, 0f7f800000;\n"
                "  @%p st.global.f32 [%out], %f;\n  ret;\n}\n";
}

static constexpr const char loopHead[] = "ROUND:\n";
static constexpr const char loopTail[] = "  sub.u32 %n, %n, 1;\n"
                                         "  setp.ne.u32 %go, %n, 0;\n"
                                         "  @%go bra ROUND;\n";

/// Each warp multiplies registers into eight sums, which do not wait for each
/// other.
static void makeMmaSync(ElementType type, CeilingKernel &kernel) {
  constexpr unsigned tiles = 8, unrolled = 4, threads = 256;
  std::string element(name(type));
  std::string text = makeHead("7.0", "sm_80", threads, 4 * tiles);
  for (const char *prefix : {"%a", "%b"})
    for (unsigned i = 0; i < 8; ++i)
      text += "  add.u32 %r1, %r1, 65537;\n" + makeElements(type) +
              "  mov.b32 " + prefix + std::to_string(i) + ", %r0;\n";
  text += loopHead;
  for (unsigned u = 0; u < unrolled; ++u)
    for (unsigned t = 0; t < tiles; ++t) {
      std::string sums = registers("%d", 4 * t, 4);
      text += "  mma.sync.aligned.m16n8k16.row.col.f32." + element + "." +
              element + ".f32 " + sums + ", " +
              registers("%a", 4 * ((u + t) % 2), 4) + ", " +
              registers("%b", 2 * ((2 * u + t) % 4), 2) + ", " + sums + ";\n";
    }
  kernel.ptx = text + loopTail + makeTail(4 * tiles);
  kernel.instruction = "mma.sync m16n8k16";
  kernel.threads = threads;
  kernel.ctas = 2;
  kernel.flops = 2.0 * 16 * 8 * 16 * tiles * unrolled * (threads / 32);
  kernel.rounds = 2000;
}

/// Two warpgroups multiply tiles in shared memory, 64 of K each time.
static void makeWgmma(ElementType type, CeilingKernel &kernel) {
  constexpr unsigned threads = 256, steps = 4, unrolled = 4, sums = 128;
  constexpr unsigned bytesA = 64 * 16 * 2, bytesB = 256 * 16 * 2;
  constexpr unsigned bytes = steps * (2 * bytesA + bytesB);
  std::string element(name(type));
  std::string text = makeHead("8.0", "sm_90a", threads, sums);
  text += "  .shared .align 128 .b8 tiles[" + std::to_string(bytes) +
          "];\n"
          "  mov.u32 %r4, tiles;\n  shl.b32 %r5, %r3, 2;\n"
          "  add.u32 %r5, %r4, %r5;\n  add.u32 %r6, %r4, " +
          std::to_string(bytes) + ";\nFILL:\n  add.u32 %r1, %r1, 65537;\n" +
          makeElements(type) +
          "  st.shared.b32 [%r5], %r0;\n  add.u32 %r5, %r5, " +
          std::to_string(4 * threads) +
          ";\n  setp.lt.u32 %p, %r5, %r6;\n  @%p bra FILL;\n"
          "  fence.proxy.async.shared::cta;\n  bar.sync 0;\n";
  // Matrix descriptors without swizzle (PTX ISA, "Matrix descriptor"): core
  // matrices of 128 bytes, two along K, the next eight rows behind them.
  text += "  shr.u32 %r5, %r3, 7;\n"
          "  mad.lo.u32 %r5, %r5, " +
          std::to_string(steps * bytesA) +
          ", %r4;\n  shr.u32 %r5, %r5, 4;\n  cvt.u64.u32 %w0, %r5;\n"
          "  add.u32 %r6, %r4, " +
          std::to_string(2 * steps * bytesA) +
          ";\n  shr.u32 %r6, %r6, 4;\n  cvt.u64.u32 %w1, %r6;\n";
  constexpr unsigned long long strides = (128ull >> 4) << 16 | (256ull >> 4)
                                                                   << 32;
  for (unsigned i : {0u, 1u})
    text += "  or.b64 %w" + std::to_string(i) + ", %w" + std::to_string(i) +
            ", " + std::to_string(strides) + ";\n";
  for (unsigned s = 0; s < steps; ++s)
    text += "  add.u64 %w" + std::to_string(2 + 2 * s) + ", %w0, " +
            std::to_string(s * bytesA / 16) + ";\n  add.u64 %w" +
            std::to_string(3 + 2 * s) + ", %w1, " +
            std::to_string(s * bytesB / 16) + ";\n";
  text += "  setp.eq.u32 %p, %r3, %r3;\n";
  text += loopHead + std::string("  wgmma.fence.sync.aligned;\n");
  for (unsigned u = 0; u < unrolled; ++u)
    for (unsigned s = 0; s < steps; ++s)
      text += "  wgmma.mma_async.sync.aligned.m64n256k16.f32." + element + "." +
              element + " " + registers("%d", 0, sums) + ", %w" +
              std::to_string(2 + 2 * s) + ", %w" + std::to_string(3 + 2 * s) +
              ", %p, 1, 1, 0, 0;\n";
  text += "  wgmma.commit_group.sync.aligned;\n"
          "  wgmma.wait_group.sync.aligned 0;\n";
  kernel.ptx = text + loopTail + makeTail(sums);
  kernel.instruction = "wgmma m64n256k16";
  kernel.threads = threads;
  kernel.ctas = 1;
  kernel.flops = 2.0 * 64 * 256 * 16 * steps * unrolled * 2;
  kernel.rounds = 400;
}

bool makeCeilingKernel(std::string_view target, ElementType operands,
                       CeilingKernel &kernel, std::string &error) {
  if (operands != ElementType::F16 && operands != ElementType::BF16) {
    error = "there is no kernel that measures products of " +
            std::string(name(operands));
    return false;
  }
  if (target.substr(0, 5) == "sm_10") {
    error = "there is no kernel that measures tcgen05.mma alone";
    return false;
  }
  if (target == "sm_90a")
    makeWgmma(operands, kernel);
  else
    makeMmaSync(operands, kernel);
  return true;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

double Ceilings::leastMicroseconds(double bytes, double flops) const {
  double memory = bytesPerSecond > 0 ? bytes / bytesPerSecond : 0;
  double compute = flopsPerSecond > 0 ? flops / flopsPerSecond : 0;
  return 1e6 * std::max(memory, compute);
}

std::string measureCeilings(const DriverApi &driver, std::string_view target,
                            ElementType operands, const MeasurePlan &plan,
                            ClockMeter *clocks, Ceilings &ceilings) {
  size_t memory = 0;
  int multiprocessors = 0;
  std::string error = driver.check(
      driver.cuDeviceTotalMem(&memory, driver.device), "cuDeviceTotalMem");
  if (error.empty())
    error = driver.check(
        driver.cuDeviceGetAttribute(&multiprocessors,
                                    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                                    driver.device),
        "cuDeviceGetAttribute");
  size_t bytes = std::min<size_t>(memory / 16, size_t(1) << 30);
  DeviceBuffer from, to;
  if (error.empty())
    error = from.create(driver, bytes);
  if (error.empty())
    error = to.create(driver, bytes);
  if (!error.empty())
    return error;
  std::vector<Contender> contenders;
  contenders.push_back({"copy", [&](CUstream stream, unsigned) {
                          return driver.check(
                              driver.cuMemcpyDtoDAsync(
                                  to.address(), from.address(), bytes, stream),
                              "cuMemcpyDtoDAsync");
                        }});
  CeilingKernel kernel;
  LoadedModule module;
  CUfunction function = nullptr;
  unsigned grid = 0;
  if (makeCeilingKernel(target, operands, kernel, ceilings.unknown)) {
    if (error = module.create(driver, kernel.ptx.c_str()); !error.empty())
      return error;
    if (error = module.find("ceiling", function); !error.empty())
      return error;
    grid = kernel.ctas * unsigned(multiprocessors);
    contenders.push_back(
        {kernel.instruction, [&](CUstream stream, unsigned) {
           CUdeviceptr out = to.address();
           void *parameters[] = {&out, &kernel.rounds};
           return driver.check(
               driver.cuLaunchKernel(function, grid, 1, 1, kernel.threads, 1, 1,
                                     0, stream, parameters, nullptr),
               "cuLaunchKernel");
         }});
  }
  MeasurePlan ownPlan = plan;
  ownPlan.sets = 1;
  std::vector<Timing> timings;
  if (error = measure(driver, contenders, ownPlan, clocks, nullptr, timings);
      !error.empty())
    return error;
  ceilings.bytesPerSecond = 2 * double(bytes) / (1e-6 * timings[0].median);
  if (timings.size() > 1) {
    ceilings.flopsPerSecond =
        kernel.flops * grid * kernel.rounds / (1e-6 * timings[1].median);
    ceilings.instruction = kernel.instruction;
  }
  return "";
}

} // namespace bwgemm::runtime

//===- launch.cpp - Fuzzes tensor maps and launch arguments -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input's words become the arguments of cuTensorMapEncodeTiled, the words
// of a tensor map, options as text, and the configuration of a launch of one
// small kernel that copies through the map.
//
//===----------------------------------------------------------------------===//

#include "Emulator.h"
#include "Mutator.h"
#include "machine/TensorMap.h"

#include <cstdlib>
#include <cstring>

using namespace bwgemm::emulator;

namespace {
class Input {
public:
  Input(const uint8_t *data, size_t size) : data(data), left(size) {}
  uint64_t next(unsigned bytes) {
    uint64_t value = 0;
    size_t n = bytes < left ? bytes : left;
    std::memcpy(&value, data, n);
    data += n;
    left -= n;
    return value;
  }
  std::string rest() {
    return std::string(reinterpret_cast<const char *>(data), left);
  }

private:
  const uint8_t *data;
  size_t left;
};
} // namespace

static const char kernelText[] = R"(.version 8.8
.target sm_100a
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u32 x, .param .u32 y)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .reg .pred %p;
  .shared .align 1024 .b8 data[4096];
  .shared .align 8 .b64 bar;
  mov.u32 %r1, bar;
  mov.u32 %r2, data;
  ld.param.u32 %r3, [x];
  ld.param.u32 %r4, [y];
  mov.u32 %r5, %tid.x;
  setp.ne.u32 %p, %r5, 0;
  @%p ret;
  mbarrier.init.shared.b64 [%r1], 1;
  mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 512;
  mov.u64 %rd1, map;
  cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes
    [%r2], [%rd1, {%r3, %r4}], [%r1];
  cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
    [%rd1, {%r4, %r3}], [%r2];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  mbarrier.try_wait.parity.shared.b64 %p, [%r1], 0;
  ret;
}
)";

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  static DeviceMemory memory;
  static std::unique_ptr<Module> module = [] {
    std::string error;
    auto made = Module::load(kernelText, "k.ptx", memory, error);
    if (!made)
      std::abort();
    return made;
  }();
  static uint64_t buffer = memory.allocate(65536);

  TiledMapArguments arguments;
  uint64_t dims[8], strides[8];
  uint32_t box[8], steps[8];
  unsigned how = unsigned(input.next(1));
  arguments.dataType = unsigned(input.next(1));
  arguments.rank = unsigned(input.next(1)) % 7;
  arguments.globalAddress = buffer + (how & 1 ? input.next(8) : 0);
  for (unsigned d = 0; d < 8; ++d) {
    dims[d] = input.next(how & 2 ? 8 : 1);
    strides[d] = input.next(how & 4 ? 8 : 1) * 16;
    box[d] = uint32_t(input.next(how & 8 ? 4 : 1));
    steps[d] = uint32_t(input.next(1)) % (how & 16 ? 256 : 3);
  }
  arguments.dims = dims;
  arguments.strides = strides;
  arguments.box = box;
  arguments.elementStrides = steps;
  arguments.interleave = int(input.next(1)) % 4;
  arguments.swizzle = int(input.next(1)) % 8;
  arguments.l2Promotion = int(input.next(1)) % 5;
  arguments.oobFill = int(input.next(1)) % 3;
  TensorMapWords words{};
  std::string error;
  bool encoded = encodeTiled(arguments, words, error);
  if (!encoded && error.empty())
    std::abort();
  // What the driver accepts, the machine reads back.
  TensorMap map;
  if (encoded && !TensorMap::decode(words, map, error))
    std::abort();
  if (how & 32)
    words[input.next(1) % 16] ^= input.next(8);

  LaunchConfig config;
  config.params.resize(how & 64 ? input.next(1) : 136);
  for (size_t i = 0; i < config.params.size() && i < 128; ++i)
    config.params[i] = reinterpret_cast<const std::byte *>(words.data())[i];
  if (config.params.size() >= 136) {
    uint32_t x = uint32_t(input.next(4)), y = uint32_t(input.next(4));
    std::memcpy(&config.params[128], &x, 4);
    std::memcpy(&config.params[132], &y, 4);
  }
  if (how & 128) {
    for (Dim3 *extent : {&config.grid, &config.block, &config.cluster})
      *extent = {uint32_t(input.next(2)), uint32_t(input.next(1)),
                 uint32_t(input.next(1))};
    config.dynamicSharedBytes = uint32_t(input.next(4));
  }
  Options options;
  options.parse(input.rest(), error);
  options.threads = 1;
  options.budget = 2000;
  options.trace.clear();
  options.stats.clear();
  options.profile.clear();
  // A large grid is refused or takes long; only small ones are run.
  bool isSmall = config.grid.count() <= 8 && config.block.count() <= 256;
  if (isSmall || config.grid.count() > (uint64_t(1) << 40))
    launch(*module, module->kernels()[0], config, memory, options);
  return 0;
}

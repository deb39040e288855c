//===- LinkApi.cpp - Linking ------------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The image that cuLinkComplete returns is PTX again.
//
//===----------------------------------------------------------------------===//

#include "Image.h"
#include "Linker.h"

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

namespace bwgemm::emulator::driver {
struct LinkState {
  std::vector<LinkInput> inputs;
  JitLog log;
  std::string image;
};
} // namespace bwgemm::emulator::driver

static std::shared_ptr<LinkState> findLink(State &state, CUlinkState handle) {
  auto found = state.links.find(reinterpret_cast<LinkState *>(handle));
  return found == state.links.end() ? nullptr : found->second;
}

BWGEMM_ENTRY cuLinkCreate_v2(unsigned count, CUjit_option *names, void **values,
                             CUlinkState *handle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!handle || (count && (!names || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  auto link = std::make_shared<LinkState>();
  // The buffers are the program's until the link state is destroyed.
  link->log = JitLog(count, names, values);
  link->log.error.write("");
  link->log.info.write("");
  *handle = reinterpret_cast<CUlinkState>(link.get());
  call.state.links[link.get()] = link;
  return CUDA_SUCCESS;
}
BWGEMM_ENTRY cuLinkCreate(unsigned count, CUjit_option *names, void **values,
                          CUlinkState *handle) {
  return cuLinkCreate_v2(count, names, values, handle);
}

static CUresult addInput(State &state, LinkState &link, CUjitInputType type,
                         const void *data, size_t bytes, std::string name) {
  auto fail = [&](CUresult result, const std::string &message) {
    complain("linking " + name + ": " + message);
    link.log.error.write(message);
    return result;
  };
  if (type < CU_JIT_INPUT_CUBIN || type > CU_JIT_INPUT_LIBRARY)
    return CUDA_ERROR_INVALID_VALUE;
  std::string ptx, error;
  CUresult result = ptxOf(state, data, bytes, ptx, error);
  if (result != CUDA_SUCCESS)
    return fail(result, error);
  if (ptx.find(".version") == ptx.npos)
    return fail(CUDA_ERROR_INVALID_IMAGE,
                "the input is not PTX: it has no .version; the emulator links "
                "PTX, and fatbins that contain it");
  link.inputs.push_back({std::move(name), std::move(ptx)});
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuLinkAddData_v2(CUlinkState handle, CUjitInputType type,
                              void *data, size_t bytes, const char *name,
                              unsigned, CUjit_option *, void **) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  std::shared_ptr<LinkState> link = findLink(call.state, handle);
  if (!link)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!data || !bytes)
    return CUDA_ERROR_INVALID_VALUE;
  return addInput(call.state, *link, type, data, bytes,
                  name ? name : "input " + std::to_string(link->inputs.size()));
}
BWGEMM_ENTRY cuLinkAddData(CUlinkState link, CUjitInputType type, void *data,
                           size_t bytes, const char *name, unsigned count,
                           CUjit_option *names, void **values) {
  return cuLinkAddData_v2(link, type, data, bytes, name, count, names, values);
}

BWGEMM_ENTRY cuLinkAddFile_v2(CUlinkState handle, CUjitInputType type,
                              const char *path, unsigned, CUjit_option *,
                              void **) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  std::shared_ptr<LinkState> link = findLink(call.state, handle);
  if (!link)
    return CUDA_ERROR_INVALID_HANDLE;
  std::string contents;
  if (!path)
    return CUDA_ERROR_INVALID_VALUE;
  if (!readFile(path, contents))
    return CUDA_ERROR_FILE_NOT_FOUND;
  return addInput(call.state, *link, type, contents.c_str(),
                  contents.size() + 1, path);
}
BWGEMM_ENTRY cuLinkAddFile(CUlinkState link, CUjitInputType type,
                           const char *path, unsigned count,
                           CUjit_option *names, void **values) {
  return cuLinkAddFile_v2(link, type, path, count, names, values);
}

BWGEMM_ENTRY cuLinkComplete(CUlinkState handle, void **image, size_t *bytes) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  std::shared_ptr<LinkState> link = findLink(call.state, handle);
  if (!link)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!image)
    return CUDA_ERROR_INVALID_VALUE;
  std::string error;
  bool good = linkPtx(link->inputs, link->image, error);
  // What is still undefined shows when it is loaded; the real driver says it
  // here.
  if (good && !Module::load(link->image, "<linked>", call.state.memory, error))
    good = false;
  if (!good) {
    complain("linking: " + error);
    link->log.error.write(error);
    return CUDA_ERROR_UNKNOWN;
  }
  *image = link->image.data();
  if (bytes)
    *bytes = link->image.size() + 1;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuLinkDestroy(CUlinkState handle) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  return call.state.links.erase(reinterpret_cast<LinkState *>(handle))
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_HANDLE;
}

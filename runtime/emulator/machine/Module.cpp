//===- Module.cpp - Loads PTX -----------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instructions/KernelDecoder.h"
#include "machine/ModuleImpl.h"
#include "parser/Parser.h"

#include <cstring>

namespace bwgemm::emulator {

/// The linker's limit for a static variable. Larger ones would ask the host
/// for more than their text can be worth.
static constexpr uint64_t maxVariableBytes = uint64_t(1) << 31;

Module::Impl::~Impl() {
  for (auto &[variable, global] : globals)
    memory.release(global.address);
}

const Kernel *Module::Impl::find(std::string_view name) const {
  for (const Kernel &kernel : kernels)
    if (kernel.info.name == name)
      return &kernel;
  return nullptr;
}

bool Module::Impl::place(const ast::Variable &variable, uint64_t &address,
                         uint64_t &bytes, std::string &error) {
  auto found = globals.find(&variable);
  if (found != globals.end()) {
    address = found->second.address;
    bytes = found->second.bytes;
    return true;
  }
  std::string name(variable.name);
  auto type = parseType(variable.type);
  if (!type || *type == Type::Pred) {
    error = "expected a variable of a fundamental type, got '" +
            std::string(variable.type) + "'";
    return false;
  }
  if (variable.isExtern || variable.isUnsized) {
    error = "'" + name +
            "' is defined in another module; the emulator loads "
            "one module at a time";
    return false;
  }
  Global global;
  global.name = variable.name;
  global.bytes =
      bitWidth(*type) / 8 * variable.vectorWidth * variable.elementCount;
  if (global.bytes > maxVariableBytes) {
    error = "expected a variable of at most " +
            std::to_string(maxVariableBytes) + " bytes, got " +
            std::to_string(global.bytes) + " of '" + name + "'";
    return false;
  }
  // An array of no elements still has an address.
  global.address = memory.allocate(global.bytes ? global.bytes : 1);
  if (!global.address) {
    error = "the host has no memory for the " + std::to_string(global.bytes) +
            " bytes of '" + name + "'";
    return false;
  }
  std::memset(reinterpret_cast<void *>(global.address), 0, global.bytes);
  globals.emplace(&variable, global);
  address = global.address;
  bytes = global.bytes;
  return fill(variable, global, error);
}

bool Module::Impl::fill(const ast::Variable &variable, const Global &global,
                        std::string &error) {
  unsigned size = bitWidth(*parseType(variable.type)) / 8;
  // A decimal literal is an f32 in 32 bits, whatever their type.
  bool isFloat32 = variable.type == "f32" || variable.type == "b32";
  auto *out = reinterpret_cast<std::byte *>(global.address);
  for (const ast::Initializer &element : variable.initializer) {
    uint64_t value = element.bits;
    if (element.kind == ast::Initializer::Kind::Symbol) {
      const ast::Variable *target = nullptr;
      for (const ast::Variable &candidate : ast->variables)
        if (candidate.name == element.symbol &&
            (candidate.space == ast::StateSpace::Global ||
             candidate.space == ast::StateSpace::Const))
          target = &candidate;
      uint64_t bytes;
      value = target ? 0 : functionAddress(*ast, element.symbol);
      if (!target && !value) {
        error = "expected a .global or .const variable or a function as "
                "initial value of '" +
                std::string(variable.name) + "', got '" +
                std::string(element.symbol) + "'";
        return false;
      }
      if (target && !place(*target, value, bytes, error))
        return false;
      value += static_cast<uint64_t>(element.offset);
      if (element.mask) {
        unsigned shift = static_cast<unsigned>(__builtin_ctzll(element.mask));
        value = (value & element.mask) >> (shift & ~7u);
      }
    } else if (element.kind == ast::Initializer::Kind::Float64 && isFloat32) {
      double wide;
      std::memcpy(&wide, &value, 8);
      float narrow = static_cast<float>(wide);
      uint32_t bits;
      std::memcpy(&bits, &narrow, 4);
      value = bits;
    }
    // Elements wider than 64 bits are zero above.
    std::memcpy(out, &value, size < 8 ? size : 8);
    out += size;
  }
  return true;
}

Module::Module() = default;
Module::~Module() = default;

std::unique_ptr<Module> Module::load(std::string_view ptx,
                                     std::string_view name,
                                     DeviceMemory &memory, std::string &error) {
  std::unique_ptr<Module> module(new Module);
  module->impl = std::make_unique<Impl>(memory);
  Impl &impl = *module->impl;
  impl.ast = parsePtx(ptx, name, error);
  if (!impl.ast)
    return nullptr;
  impl.target = impl.ast->target;
  auto failAt = [&](ast::Location where, const std::string &message) {
    error = std::string(name) + ":" + std::to_string(where.line) + ":" +
            std::to_string(where.column) + ": error: " + message;
    return nullptr;
  };
  for (const ast::Variable &variable : impl.ast->variables) {
    if (variable.space == ast::StateSpace::Shared || variable.isExtern)
      continue;
    uint64_t address, bytes;
    std::string problem;
    if (!impl.place(variable, address, bytes, problem))
      return failAt(variable.location, problem);
  }
  for (const auto &function : impl.ast->functions) {
    if (!function->isEntry || !function->hasBody)
      continue;
    if (impl.find(function->name))
      return failAt(function->location, "kernel '" +
                                            std::string(function->name) +
                                            "' is defined twice");
    impl.kernels.emplace_back();
    KernelDecoder decoder(*impl.ast, *function, impl.kernels.back(),
                          [&](const ast::Variable &variable, uint64_t &address,
                              uint64_t &bytes, std::string &problem) {
                            return impl.place(variable, address, bytes,
                                              problem);
                          });
    if (!decoder.decode(error))
      return nullptr;
    impl.infos.push_back(impl.kernels.back().info);
  }
  return module;
}

const std::string &Module::target() const { return impl->target; }

const std::vector<KernelInfo> &Module::kernels() const { return impl->infos; }

const KernelInfo *Module::findKernel(std::string_view name) const {
  for (const KernelInfo &info : impl->infos)
    if (info.name == name)
      return &info;
  return nullptr;
}

bool Module::findGlobal(std::string_view name, uint64_t &address,
                        uint64_t &bytes) const {
  for (const auto &[variable, global] : impl->globals)
    if (global.name == name) {
      address = global.address;
      bytes = global.bytes;
      return true;
    }
  return false;
}

} // namespace bwgemm::emulator

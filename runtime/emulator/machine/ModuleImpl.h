//===- ModuleImpl.h - A loaded module ---------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_MODULEIMPL_H
#define BWGEMM_EMULATOR_MACHINE_MODULEIMPL_H

#include "Emulator.h"
#include "machine/Kernel.h"
#include "parser/Ast.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bwgemm::emulator {

/// The parsed text (which decoded instructions refer to), the decoded kernels
/// and the storage of module-scope variables.
struct Module::Impl {
  struct Global {
    std::string_view name;
    uint64_t address = 0, bytes = 0;
  };

  explicit Impl(DeviceMemory &memory) : memory(memory) {}
  ~Impl();

  const Kernel *find(std::string_view name) const;
  /// Storage of a .global or .const variable, made and filled on first use.
  bool place(const ast::Variable &variable, uint64_t &address, uint64_t &bytes,
             std::string &error);
  bool fill(const ast::Variable &variable, const Global &global,
            std::string &error);

  DeviceMemory &memory;
  std::unique_ptr<ast::Module> ast;
  std::string target;
  std::deque<Kernel> kernels;
  std::vector<KernelInfo> infos;
  std::map<const ast::Variable *, Global> globals;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_MODULEIMPL_H

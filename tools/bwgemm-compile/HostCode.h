//===- HostCode.h - From the lowered module to a host object ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_COMPILE_HOSTCODE_H
#define BWGEMM_COMPILE_HOSTCODE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include <memory>
#include <string>
#include <vector>

namespace bwgemm::compile {

/// PTX and, where ptxas ran, cubin of one gpu.binary. Both point into the
/// module's attributes.
struct KernelBinary {
  std::string name;
  std::string target;
  llvm::StringRef ptx;
  llvm::StringRef cubin;
};

/// The binaries of a lowered module, in order.
std::vector<KernelBinary> getBinaries(mlir::ModuleOp module);

/// Translates host code to LLVM IR and adds what a compiled library exports
/// besides `functions`: bwgemm_ptx, bwgemm_cubins, bwgemm_metadata and
/// bwgemm_emulator_library. Other functions become internal. Returns null after
/// reporting an error.
std::unique_ptr<llvm::Module> translateHostCode(
    mlir::ModuleOp module, const std::vector<KernelBinary> &binaries,
    llvm::StringRef description, llvm::StringRef emulatorLibrary,
    llvm::ArrayRef<std::string> functions, llvm::LLVMContext &context);

/// Names of the functions of `module` that are visible outside, C interfaces
/// included.
std::vector<std::string> getExportedFunctions(const llvm::Module &module);

/// Optimises `module` and makes a relocatable object for this machine. Returns
/// false after reporting an error.
bool makeObject(llvm::Module &module, llvm::SmallVectorImpl<char> &object);

} // namespace bwgemm::compile

#endif // BWGEMM_COMPILE_HOSTCODE_H

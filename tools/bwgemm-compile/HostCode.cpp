//===- HostCode.cpp - From the lowered module to a host object ------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostCode.h"
#include "Report.h"

#include "bwgemm/Target/Description.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace bwgemm::compile;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

std::vector<KernelBinary> bwgemm::compile::getBinaries(mlir::ModuleOp module) {
  std::vector<KernelBinary> binaries;
  for (auto op : module.getOps<mlir::gpu::BinaryOp>()) {
    KernelBinary binary;
    binary.name = op.getName().str();
    for (auto object : op.getObjects().getAsRange<mlir::gpu::ObjectAttr>()) {
      if (auto target =
              llvm::dyn_cast<mlir::NVVM::NVVMTargetAttr>(object.getTarget()))
        binary.target = target.getChip().str();
      StringRef bytes = object.getObject().getValue();
      if (object.getFormat() == mlir::gpu::CompilationTarget::Assembly)
        binary.ptx = bytes;
      else if (object.getFormat() == mlir::gpu::CompilationTarget::Binary)
        binary.cubin = bytes;
    }
    binaries.push_back(std::move(binary));
  }
  return binaries;
}

/// The hash by which the runtime knows PTX (64-bit FNV-1a).
static uint64_t hashOf(StringRef ptx) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char byte : ptx)
    hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

//===----------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------===//

namespace {
/// Adds the data that a compiled library exports.
class TableBuilder {
public:
  explicit TableBuilder(Module &module)
      : module(module), context(module.getContext()) {}

  void addText(StringRef name, StringRef text) {
    addBytes(name, text, /*terminate=*/true, GlobalValue::ExternalLinkage);
  }

  /// The PTX under a name of its own. It is an alias of what the host code
  /// loads, so the two cannot differ, and loading does not go through the
  /// exported symbol, which another library in the process might take over.
  bool addPtx(const KernelBinary &binary, unsigned index) {
    GlobalVariable *embedded = module.getNamedGlobal(binary.name + "_binary");
    if (!embedded)
      return false;
    GlobalAlias::create(embedded->getValueType(), 0,
                        GlobalValue::ExternalLinkage,
                        mlir::bwgemm::getPtxSymbol(index), embedded, &module);
    return true;
  }

  /// The table of bwgemm-runtime/Launch.h: entries of hash, cubin, bytes and
  /// target; one with a null cubin ends it.
  void addCubins(const std::vector<KernelBinary> &binaries) {
    Type *i64 = Type::getInt64Ty(context);
    Type *pointer = PointerType::getUnqual(context);
    StructType *entryType = StructType::get(i64, pointer, i64, pointer);
    SmallVector<Constant *> entries;
    for (const KernelBinary &binary : binaries) {
      if (binary.cubin.empty())
        continue;
      entries.push_back(ConstantStruct::get(
          entryType,
          {ConstantInt::get(i64, hashOf(binary.ptx)),
           addBytes(binary.name + "_cubin", binary.cubin, /*terminate=*/false,
                    GlobalValue::InternalLinkage),
           ConstantInt::get(i64, binary.cubin.size()),
           addBytes(binary.name + "_target", binary.target, /*terminate=*/true,
                    GlobalValue::InternalLinkage)}));
    }
    entries.push_back(cast<Constant>(ConstantAggregateZero::get(entryType)));
    auto *table =
        ConstantArray::get(ArrayType::get(entryType, entries.size()), entries);
    new GlobalVariable(module, table->getType(), /*isConstant=*/true,
                       GlobalValue::ExternalLinkage, table, "bwgemm_cubins");
  }

private:
  GlobalVariable *addBytes(const Twine &name, StringRef bytes, bool terminate,
                           GlobalValue::LinkageTypes linkage) {
    Constant *data = ConstantDataArray::getString(context, bytes, terminate);
    auto *global = new GlobalVariable(module, data->getType(),
                                      /*isConstant=*/true, linkage, data, name);
    // A cubin is an ELF file, whose headers the driver reads in place.
    global->setAlignment(Align(16));
    return global;
  }

  Module &module;
  LLVMContext &context;
};
} // namespace

std::unique_ptr<Module> bwgemm::compile::translateHostCode(
    mlir::ModuleOp module, const std::vector<KernelBinary> &binaries,
    StringRef description, StringRef emulatorLibrary,
    ArrayRef<std::string> functions, LLVMContext &context) {
  std::unique_ptr<Module> result =
      mlir::translateModuleToLLVMIR(module, context, "bwgemm");
  if (!result)
    return nullptr;
  // What is defined here cannot be defined by the program that is compiled.
  for (const GlobalValue &value : result->global_values()) {
    if (!value.isDeclaration() && !value.hasLocalLinkage() &&
        value.getName().starts_with("bwgemm_")) {
      error("the name '" + value.getName().str() +
            "' is reserved; names of functions may not begin with bwgemm_");
      return nullptr;
    }
  }
  StringSet<> exported;
  for (const std::string &name : functions) {
    exported.insert(name);
    exported.insert("_mlir_ciface_" + name);
  }
  for (Function &function : *result)
    if (!function.isDeclaration() && !exported.contains(function.getName()))
      function.setLinkage(GlobalValue::InternalLinkage);

  TableBuilder tables(*result);
  for (auto [index, binary] : llvm::enumerate(binaries)) {
    if (!tables.addPtx(binary, index)) {
      error("no PTX is embedded for the kernels '" + binary.name + "'");
      return nullptr;
    }
  }
  tables.addCubins(binaries);
  tables.addText("bwgemm_metadata", description);
  tables.addText("bwgemm_emulator_library", emulatorLibrary);
  return result;
}

std::vector<std::string>
bwgemm::compile::getExportedFunctions(const Module &module) {
  std::vector<std::string> names;
  for (const Function &function : module)
    if (!function.isDeclaration() && function.hasExternalLinkage())
      names.push_back(function.getName().str());
  return names;
}

//===----------------------------------------------------------------------===//
// Code generation
//===----------------------------------------------------------------------===//

static std::unique_ptr<TargetMachine> makeHostMachine() {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  Triple triple(sys::getDefaultTargetTriple());
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target) {
    error("cannot make code for this machine (" + triple.str() +
          "): " + message);
    return nullptr;
  }
  // Code for the architecture's baseline: a library is often built on one
  // machine and run on another, and the host code does no arithmetic.
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, /*CPU=*/"", /*Features=*/"", TargetOptions(), Reloc::PIC_,
      /*CM=*/std::nullopt, CodeGenOptLevel::Default));
}

bool bwgemm::compile::makeObject(Module &module,
                                 SmallVectorImpl<char> &object) {
  std::unique_ptr<TargetMachine> machine = makeHostMachine();
  if (!machine)
    return false;
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  module.setPICLevel(PICLevel::BigPIC);

  std::string problems;
  raw_string_ostream stream(problems);
  if (verifyModule(module, &stream)) {
    error("the host code is not valid LLVM IR: " + problems);
    return false;
  }

  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2)
      .run(module, modules);

  raw_svector_ostream output(object);
  legacy::PassManager emitter;
  if (machine->addPassesToEmitFile(emitter, output, nullptr,
                                   CodeGenFileType::ObjectFile)) {
    error("cannot write object files for this machine");
    return false;
  }
  emitter.run(module);
  return true;
}

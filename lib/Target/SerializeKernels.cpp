//===- SerializeKernels.cpp - Kernels to PTX and cubin --------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/IR/TargetInfo.h"
#include "bwgemm/Target/Passes.h"
#include "bwgemm/Target/Ptxas.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Target/LLVM/ModuleToObject.h"
#include "mlir/Target/LLVM/NVVM/Utils.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_SERIALIZEKERNELS
#include "bwgemm/Target/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// Translates a gpu.module to PTX text with upstream's serialisation. The
/// variant for NVVM is not used because it looks for libdevice in every CUDA
/// toolkit that the environment names, so that PTX would depend on the machine.
class PtxSerializer : public LLVM::ModuleToObject {
public:
  PtxSerializer(gpu::GPUModuleOp module, NVVM::NVVMTargetAttr target)
      : ModuleToObject(*module, target.getTriple(), target.getChip(),
                       target.getFeatures(), target.getO()) {}

protected:
  FailureOr<SmallVector<char, 0>>
  moduleToObject(llvm::Module &llvmModule) override {
    if (failed(checkDefined(llvmModule)))
      return failure();
    FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (failed(machine))
      return emitError(getOperation().getLoc())
             << "cannot make code for triple '" << triple << "' and chip '"
             << chip << "'";
    FailureOr<SmallString<0>> text =
        translateModuleToISA(llvmModule, **machine, [&] {
          return emitError(getOperation().getLoc());
        });
    if (failed(text))
      return failure();
    return SmallVector<char, 0>(text->begin(), text->end());
  }

private:
  /// Calls of functions that nobody defines would only fail when the driver
  /// links the PTX.
  LogicalResult checkDefined(llvm::Module &llvmModule) {
    for (llvm::Function &function : llvmModule) {
      if (!function.isDeclaration() || function.isIntrinsic() ||
          function.use_empty())
        continue;
      StringRef name = function.getName();
      if (name == "vprintf" || name == "__assertfail" || name == "malloc" ||
          name == "free")
        continue;
      return emitError(getOperation().getLoc())
             << "kernels use the function '" << name
             << "', which is not defined in their gpu.module";
    }
    return success();
  }
};

class SerializeKernelsPass
    : public bwgemm::impl::SerializeKernelsBase<SerializeKernelsPass> {
public:
  using SerializeKernelsBase::SerializeKernelsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    SerializeKernelsBase::getDependentDialects(registry);
    registerBuiltinDialectTranslation(registry);
    registerGPUDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
  }

  void runOnOperation() override {
    auto modules = llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>());
    if (modules.empty())
      return;
    NVVM::SerializeGPUModuleBase::init();
    std::optional<std::string> ptxasPath;
    if (ptxas != "none") {
      std::string error;
      ptxasPath = findPtxas(ptxas, error);
      if (!error.empty()) {
        emitError(getOperation().getLoc()) << error;
        return signalPassFailure();
      }
      if (!ptxasPath)
        emitRemark(getOperation().getLoc())
            << "no ptxas found: binaries hold PTX only; to get cubins, "
            << kHowToGetPtxas;
    }
    for (gpu::GPUModuleOp module : modules)
      if (failed(serialize(module, ptxasPath)))
        return signalPassFailure();
  }

private:
  FailureOr<NVVM::NVVMTargetAttr> getTarget(gpu::GPUModuleOp module) {
    ArrayAttr targets = module.getTargetsAttr();
    if (!targets || targets.empty())
      return emitError(module.getLoc())
             << "expects one target such as #nvvm.target<chip = \"sm_100a\">, "
                "but got none";
    if (targets.size() != 1)
      return emitError(module.getLoc())
             << "expects one target, but got " << targets.size()
             << "; make a gpu.module for each";
    auto target = dyn_cast<NVVM::NVVMTargetAttr>(targets[0]);
    if (!target)
      return emitError(module.getLoc())
             << "expects an #nvvm.target, but got " << targets[0];
    if (!TargetInfo::find(target.getChip()))
      return emitError(module.getLoc())
             << "unknown target '" << target.getChip() << "'; targets are "
             << TargetInfo::getNames();
    return target;
  }

  LogicalResult serialize(gpu::GPUModuleOp module,
                          const std::optional<std::string> &ptxasPath) {
    FailureOr<NVVM::NVVMTargetAttr> target = getTarget(module);
    if (failed(target))
      return failure();
    std::optional<SmallVector<char, 0>> ptx;
    {
      // Of what the translation reports, the first error is the cause and the
      // others say that there was one.
      bool reported = false;
      ScopedDiagnosticHandler firstOnly(
          &getContext(), [&](Diagnostic &diagnostic) {
            if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
              return failure();
            return success(std::exchange(reported, true));
          });
      ptx = PtxSerializer(module, *target).run();
      if (!ptx && !reported)
        emitError(module.getLoc())
            << "cannot make PTX for " << target->getChip() << " of '"
            << module.getName() << "'";
    }
    if (!ptx)
      return failure();
    StringRef text(ptx->data(), ptx->size());

    Builder builder(&getContext());
    SmallVector<Attribute> objects;
    objects.push_back(gpu::ObjectAttr::get(
        *target, gpu::CompilationTarget::Assembly, builder.getStringAttr(text),
        builder.getDictionaryAttr(builder.getNamedAttr(
            "O", builder.getI32IntegerAttr(target->getO()))),
        /*kernels=*/nullptr));
    if (ptxasPath) {
      FailureOr<Attribute> cubin = assemble(module, *target, text, *ptxasPath);
      if (failed(cubin))
        return failure();
      objects.push_back(*cubin);
    }

    OpBuilder opBuilder(module);
    // The first object, the PTX, is what the host code loads.
    auto handler = gpu::SelectObjectAttr::get(&getContext(),
                                              opBuilder.getI64IntegerAttr(0));
    gpu::BinaryOp::create(opBuilder, module.getLoc(), module.getName(), handler,
                          objects);
    module.erase();
    return success();
  }

  FailureOr<Attribute> assemble(gpu::GPUModuleOp module,
                                NVVM::NVVMTargetAttr target, StringRef ptx,
                                StringRef ptxasPath) {
    PtxasResult result = runPtxas(ptxasPath, target.getChip(), ptx);
    if (!result.succeeded)
      return emitError(module.getLoc()) << result.error;
    for (const std::string &warning : result.warnings)
      emitWarning(module.getLoc()) << warning;
    Builder builder(&getContext());
    SmallVector<NamedAttribute> kernels;
    for (const PtxasKernel &kernel : result.kernels) {
      if (kernel.spillStoreBytes || kernel.spillLoadBytes)
        emitWarning(module.getLoc())
            << "kernel '" << kernel.name
            << "' spills registers: " << kernel.spillStoreBytes
            << " bytes stored and " << kernel.spillLoadBytes
            << " bytes loaded per thread";
      auto number = [&](StringRef name, int64_t value) {
        return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
      };
      kernels.push_back(builder.getNamedAttr(
          kernel.name,
          builder.getDictionaryAttr(
              {number("registers", kernel.registers),
               number("stack_bytes", kernel.stackBytes),
               number("spill_bytes",
                      kernel.spillStoreBytes + kernel.spillLoadBytes)})));
    }
    NamedAttribute properties[] = {
        builder.getNamedAttr("O", builder.getI32IntegerAttr(3)),
        builder.getNamedAttr("ptxas", builder.getDictionaryAttr(kernels))};
    return Attribute(gpu::ObjectAttr::get(
        target, gpu::CompilationTarget::Binary,
        builder.getStringAttr(
            StringRef(result.cubin.data(), result.cubin.size())),
        builder.getDictionaryAttr(properties), /*kernels=*/nullptr));
  }
};

} // namespace

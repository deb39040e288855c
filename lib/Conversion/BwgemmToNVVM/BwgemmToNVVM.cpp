//===- BwgemmToNVVM.cpp - Kernels to the NVVM and LLVM dialects ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "bwgemm/Conversion/Passes.h"

#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_CONVERTBWGEMMTONVVM
#include "bwgemm/Conversion/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// Where scf.for, and what becomes of it, says what LLVM may do with a loop.
constexpr llvm::StringLiteral kLoopAnnotation = "llvm.loop_annotation";

/// Which parameters of the lowered kernels are tensor maps, by kernel. Upstream
/// lowers a memref to a pointer, a pointer, an offset, sizes and strides.
using MapParameters = llvm::StringMap<SmallVector<unsigned>>;

MapParameters findMapParameters(gpu::GPUModuleOp module) {
  MapParameters result;
  module.walk([&](gpu::GPUFuncOp kernel) {
    unsigned position = 0;
    for (Type type : kernel.getArgumentTypes()) {
      if (isa<TensorMapType>(type))
        result[kernel.getName()].push_back(position);
      auto memref = dyn_cast<MemRefType>(type);
      position += memref ? 3 + 2 * memref.getRank() : 1;
    }
  });
  return result;
}

class BwgemmToNVVMPass
    : public bwgemm::impl::ConvertBwgemmToNVVMBase<BwgemmToNVVMPass> {
public:
  void getDependentDialects(DialectRegistry &registry) const override {
    ConvertBwgemmToNVVMBase::getDependentDialects(registry);
    buildUpstreamPipeline().getDependentDialects(registry);
  }

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    MapParameters maps = findMapParameters(module);
    keepLoops(module);
    OpPassManager upstream = buildUpstreamPipeline();
    if (failed(convertOps(module)) || failed(runPipeline(upstream, module)))
      return signalPassFailure();
    annotateLoops(module);
    module.walk([&](LLVM::LLVMFuncOp kernel) {
      for (unsigned position : maps.lookup(kernel.getName()))
        markTensorMap(kernel, position);
    });
  }

private:
  /// What follows is upstream's: control flow, memrefs, vectors, arithmetic.
  static OpPassManager buildUpstreamPipeline() {
    OpPassManager pm(gpu::GPUModuleOp::getOperationName());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    pm.addPass(createSCFToControlFlowPass());
    pm.addPass(createConvertGpuOpsToNVVMOps());
    // wgmma has no intrinsic and becomes inline assembly.
    pm.addPass(createConvertNVVMToLLVMPass());
    pm.addPass(createReconcileUnrealizedCastsPass());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    return pm;
  }

  /// Keeps LLVM from unrolling loops that issue asynchronous work: it gains
  /// nothing there, and the PTX should read as the program does.
  static void keepLoops(gpu::GPUModuleOp module) {
    MLIRContext *context = module.getContext();
    auto disable = BoolAttr::get(context, true);
    auto unroll =
        LLVM::LoopUnrollAttr::get(context, disable, {}, {}, {}, {}, {}, {});
    auto annotation =
        LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {},
                                      {}, {}, {}, {}, {}, {}, {}, {});
    module.walk([&](scf::ForOp loop) {
      bool asynchronous = false;
      loop->walk([&](Operation *op) {
        asynchronous |=
            isa<TMALoadOp, TMAStoreOp, Tcgen05MmaOp, WarpgroupMmaOp, CpAsyncOp>(
                op);
      });
      if (asynchronous)
        loop->setAttr(kLoopAnnotation, annotation);
    });
  }

  /// Upstream carries the annotation of a loop to its branch as an attribute
  /// that the translation to LLVM does not look at.
  static void annotateLoops(gpu::GPUModuleOp module) {
    auto move = [](auto branch) {
      auto annotation =
          branch->template getAttrOfType<LLVM::LoopAnnotationAttr>(
              kLoopAnnotation);
      if (!annotation)
        return;
      branch->removeAttr(kLoopAnnotation);
      branch.setLoopAnnotationAttr(annotation);
    };
    module.walk([&](LLVM::BrOp branch) { move(branch); });
    module.walk([&](LLVM::CondBrOp branch) { move(branch); });
  }

  LogicalResult convertOps(gpu::GPUModuleOp module) {
    MLIRContext *context = module.getContext();
    bool usesShared = false;
    module.walk([&](Operation *op) {
      usesShared |=
          isa<SmemAllocOp, MBarrierAllocOp, WorkAllocOp, TmemSlotOp>(op);
    });
    if (usesShared && !module.lookupSymbol(kDynamicShared)) {
      OpBuilder builder(context);
      builder.setInsertionPointToStart(module.getBody());
      // 1024 is the largest pattern of a swizzle.
      LLVM::GlobalOp::create(
          builder, module.getLoc(),
          LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
          /*isConstant=*/false, LLVM::Linkage::External, kDynamicShared,
          /*value=*/Attribute(), /*alignment=*/1024, kSharedSpace);
    }
    TypeConverter converter;
    addTypeConversions(converter);
    RewritePatternSet patterns(context);
    populateSharedMemoryPatterns(converter, patterns);
    populateMBarrierPatterns(converter, patterns);
    populateLaunchControlPatterns(converter, patterns);
    populateStagingPatterns(converter, patterns);
    populateTMAPatterns(converter, patterns);
    populateTileCoordPatterns(converter, patterns);
    populateTensorMemoryPatterns(converter, patterns);
    populateMMAPatterns(converter, patterns);
    populateClusterPatterns(converter, patterns);
    populateWarpgroupPatterns(converter, patterns);
    populateMmaSyncPatterns(converter, patterns);
    populateFunctionOpInterfaceTypeConversionPattern<gpu::GPUFuncOp>(patterns,
                                                                     converter);
    ConversionTarget target(*context);
    target.addIllegalDialect<BwgemmDialect>();
    target.addDynamicallyLegalOp<gpu::GPUFuncOp>([&](gpu::GPUFuncOp op) {
      return converter.isSignatureLegal(op.getFunctionType());
    });
    // Fragments go around loops.
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    return applyPartialConversion(module, target, std::move(patterns));
  }

  /// A tensor map is passed by value and must stay in the parameter space:
  /// without grid_constant LLVM copies it to local memory and TMA would read
  /// that address.
  static void markTensorMap(LLVM::LLVMFuncOp kernel, unsigned position) {
    MLIRContext *context = kernel.getContext();
    Builder builder(context);
    auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), 128);
    kernel.setArgAttr(position, LLVM::LLVMDialect::getByValAttrName(),
                      TypeAttr::get(bytes));
    kernel.setArgAttr(position, LLVM::LLVMDialect::getAlignAttrName(),
                      builder.getI64IntegerAttr(64));
    kernel.setArgAttr(position, NVVM::NVVMDialect::getGridConstantAttrName(),
                      builder.getUnitAttr());
  }
};

} // namespace

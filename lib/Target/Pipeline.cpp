//===- Pipeline.cpp - From linalg to a binary -----------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Target/Pipeline.h"

#include "bwgemm/Conversion/Passes.h"
#include "bwgemm/Target/Passes.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::bwgemm;

void bwgemm::buildGemmPipeline(OpPassManager &manager) {
  // Calls first: a callee cannot return a buffer whose size its caller does not
  // know. Nothing is canonicalized before linalg has become gemms, since that
  // erases products without elements and leaves their fills.
  manager.addPass(
      createInlinerPass(/*opPipelines=*/{}, [](OpPassManager &) {}));
  manager.addPass(createBufferizeTensors());
  manager.addPass(createConvertLinalgToBwgemm());
  manager.addPass(createDeallocateBuffers());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void bwgemm::buildLowerPipeline(OpPassManager &manager,
                                const LowerOptions &options) {
  buildGemmPipeline(manager);
  AssignScheduleOptions schedule;
  schedule.target = options.target;
  schedule.schedule = options.schedule;
  schedule.database = options.database;
  manager.addPass(createAssignSchedule(schedule));
  // What is computed is visible here, the kernels after serialisation.
  manager.addPass(createDescribeModule());
  manager.addPass(createCheckArguments());
  manager.addPass(createLoopOverBatch());
  manager.addPass(createDispatch());
  manager.addPass(createLowerNaive());
  manager.addPass(createTileGemm());
  manager.addPass(createSplitK());
  manager.addPass(createSwizzle());
  manager.addPass(createStoreThroughTma());
  manager.addPass(createInsertWarps());
  manager.addPass(createInsertWarpgroups());
  manager.addPass(createPromote());
  manager.addPass(createMultistage());
  manager.addPass(createLowerCopies());
  manager.addPass(createInsertRings());
  manager.addPass(createPipeline());
  manager.addPass(createWarpSpecialize());
  manager.addPass(createPairCtas());
  manager.addPass(createMulticast());
  manager.addPass(createPersist());
  manager.addPass(createLaunchControl());
  manager.addPass(createStreamK());
  manager.addPass(createLowerRings());
  manager.addPass(createLowerRoles());
  manager.addPass(createInsertAsync());
  manager.addPass(createProgrammaticLaunch());
  manager.addPass(createLowerEpilogue());
  manager.addPass(createExpandMath());
  manager.addPass(createPlanResources());
  manager.addNestedPass<gpu::GPUModuleOp>(createConvertBwgemmToNVVM());
  SerializeKernelsOptions serialize;
  serialize.ptxas = options.ptxas;
  manager.addPass(createSerializeKernels(serialize));
  manager.addPass(createDescribeModule());
  manager.addPass(createConvertBwgemmHostToLLVM());
}

namespace {
struct LowerPipelineOptions : public PassPipelineOptions<LowerPipelineOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("GPU target, e.g. sm_100a"),
                             llvm::cl::init(LowerOptions().target)};
  Option<std::string> schedule{*this, "schedule",
                               llvm::cl::desc("schedule: a preset and fields"),
                               llvm::cl::init(LowerOptions().schedule)};
  Option<std::string> database{
      *this, "database",
      llvm::cl::desc("measured schedules for auto: a file that bwgemm-tune "
                     "wrote, or 'none'; empty for BWGEMM_DATABASE, else the "
                     "shipped ones"),
      llvm::cl::init("")};
  Option<std::string> ptxas{
      *this, "ptxas",
      llvm::cl::desc("path of ptxas; empty to look for it; 'none' for PTX "
                     "only"),
      llvm::cl::init("")};
};
} // namespace

void bwgemm::registerLowerPipeline() {
  PassPipelineRegistration<LowerPipelineOptions>(
      "bwgemm-lower",
      "linalg on tensors or memrefs to a binary and host code in the LLVM "
      "dialect",
      [](OpPassManager &manager, const LowerPipelineOptions &options) {
        LowerOptions lower;
        lower.target = options.target;
        lower.schedule = options.schedule;
        lower.database = options.database;
        lower.ptxas = options.ptxas;
        buildLowerPipeline(manager, lower);
      });
}

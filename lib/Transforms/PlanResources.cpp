//===- PlanResources.cpp - Place what a CTA keeps in shared memory ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleTarget.h"
#include "bwgemm/Transforms/Passes.h"
#include "bwgemm/Transforms/ResourcePlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_PLANRESOURCES
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// One allocation of a kernel.
struct Item {
  Operation *op;
  int64_t bytes;
  int64_t alignment;
};

std::optional<Item> asItem(Operation *op) {
  if (auto alloc = dyn_cast<SmemAllocOp>(op)) {
    SmemType type = alloc.getTile().getType();
    return Item{op, type.getBytes(), type.getAlignment()};
  }
  if (auto alloc = dyn_cast<MBarrierAllocOp>(op))
    return Item{op, 8 * alloc.getBarriers().getType().getCount(), 8};
  if (auto alloc = dyn_cast<WorkAllocOp>(op))
    return Item{op, alloc.getWork().getType().getBytes(),
                WorkType::kResponseBytes};
  if (isa<TmemSlotOp>(op))
    return Item{op, 4, 4};
  return std::nullopt;
}

class PlanResourcesPass
    : public bwgemm::impl::PlanResourcesBase<PlanResourcesPass> {
public:
  void runOnOperation() override {
    FailureOr<const TargetInfo *> target = getModuleTarget(getOperation());
    if (failed(target) || failed(checkClusters(**target)))
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](gpu::GPUFuncOp kernel) {
      return failed(plan(kernel, **target)) ? WalkResult::interrupt()
                                            : WalkResult::skip();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    getOperation().walk([&](gpu::LaunchFuncOp launch) { follow(launch); });
  }

private:
  LogicalResult checkClusters(const TargetInfo &target);
  LogicalResult plan(gpu::GPUFuncOp kernel, const TargetInfo &target);
  LogicalResult checkPlanned(gpu::GPUFuncOp kernel, int64_t bytes,
                             int64_t columns);
  void follow(gpu::LaunchFuncOp launch);
};

/// What LLVM would only abort on.
LogicalResult PlanResourcesPass::checkClusters(const TargetInfo &target) {
  if (target.hasClusters)
    return success();
  WalkResult result = getOperation().walk([&](Operation *op) {
    bool needsClusters =
        isa<ClusterBarrierOp, ClusterMaskOp, gpu::ClusterIdOp,
            gpu::ClusterDimOp, gpu::ClusterBlockIdOp, gpu::ClusterDimBlocksOp>(
            op);
    if (auto load = dyn_cast<TMALoadOp>(op))
      needsClusters = bool(load.getMask());
    if (auto kernel = dyn_cast<gpu::GPUFuncOp>(op))
      needsClusters = bool(kernel.getKnownClusterSize());
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
      needsClusters = launch.hasClusterSize();
    if (!needsClusters)
      return WalkResult::advance();
    op->emitOpError() << "needs clusters of CTAs, which target " << target.name
                      << " lacks; targets with them are "
                      << TargetInfo::getClusterNames();
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult PlanResourcesPass::plan(gpu::GPUFuncOp kernel,
                                      const TargetInfo &target) {
  SmallVector<Item> items;
  int64_t columns = 0;
  kernel.walk([&](Operation *op) {
    if (std::optional<Item> item = asItem(op))
      items.push_back(*item);
    if (auto slot = dyn_cast<TmemSlotOp>(op))
      columns += slot.getSlot().getType().getColumns();
  });
  if (columns > kTensorMemoryColumns)
    return kernel.emitOpError()
           << "needs " << columns << " columns of tensor memory, but there are "
           << kTensorMemoryColumns;
  // From the strictest alignment down, so that no gaps open.
  llvm::stable_sort(items, [](const Item &lhs, const Item &rhs) {
    return lhs.alignment > rhs.alignment;
  });
  int64_t offset = 0;
  Builder builder(kernel.getContext());
  for (const Item &item : items) {
    offset = llvm::alignTo(offset, item.alignment);
    item.op->setAttr("offset", builder.getI64IntegerAttr(offset));
    offset += item.bytes;
  }
  if (offset > target.maxSharedBytes)
    return kernel.emitOpError()
           << "needs " << offset << " bytes of shared memory, but "
           << target.name << " has " << target.maxSharedBytes;
  kernel->setAttr("bwgemm.shared_bytes", builder.getI64IntegerAttr(offset));
  return checkPlanned(kernel, offset, columns);
}

/// Compares with the plan that the schedule was chosen by.
LogicalResult PlanResourcesPass::checkPlanned(gpu::GPUFuncOp kernel,
                                              int64_t bytes, int64_t columns) {
  auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
  if (!schedule || schedule.getPreset() == Preset::Naive)
    return success();
  bool warpgroups =
      kernel.walk([](WarpgroupMmaOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  bool warps = kernel.walk([](MmaSyncOp) { return WalkResult::interrupt(); })
                   .wasInterrupted();
  if (columns == 0 && !warpgroups && !warps)
    return success();
  // Kernels that were written by hand do not follow the schedule's plan. The
  // operands come first, as tensor maps or as matrices, and then the result.
  Type stored, operand;
  for (Type type : kernel.getArgumentTypes()) {
    if (auto map = dyn_cast<TensorMapType>(type); map && !operand)
      operand = map.getElementType();
    auto memref = dyn_cast<MemRefType>(type);
    if (memref && warps && !operand)
      operand = memref.getElementType();
    if (memref && (warps || !stored))
      stored = memref.getElementType();
  }
  if (!stored || !operand)
    return success();
  ResourcePlan plan =
      planResources(schedule.getFields(), operand, stored, warpgroups);
  ArrayRef<int32_t> block =
      kernel.getKnownBlockSize().value_or(ArrayRef<int32_t>{1, 1, 1});
  int64_t threads = int64_t(block[0]) * block[1] * block[2];
  struct Fact {
    StringRef what;
    int64_t planned, got;
  };
  for (auto [what, planned, got] :
       {Fact{"bytes of shared memory", plan.getSharedBytes(), bytes},
        Fact{"columns of tensor memory", plan.tensorColumns, columns},
        Fact{"threads", plan.threads, threads}})
    if (planned != got)
      return kernel.emitOpError() << "takes " << got << " " << what
                                  << ", but its schedule plans " << planned;
  return success();
}

/// Passes the planned size to the launches of a kernel.
void PlanResourcesPass::follow(gpu::LaunchFuncOp launch) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
      launch, launch.getKernel());
  auto bytes = kernel
                   ? kernel->getAttrOfType<IntegerAttr>("bwgemm.shared_bytes")
                   : IntegerAttr();
  if (!bytes || bytes.getInt() == 0)
    return;
  // One that has the size already is left as it is.
  APInt size;
  Value given = launch.getDynamicSharedMemorySize();
  if (given && matchPattern(given, m_ConstantInt(&size)) &&
      size == bytes.getInt())
    return;
  OpBuilder builder(launch);
  launch.getDynamicSharedMemorySizeMutable().assign(
      arith::ConstantIntOp::create(builder, launch.getLoc(), bytes.getInt(),
                                   32));
}

} // namespace

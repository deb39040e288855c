//===- Outlining.cpp - From a gemm to a kernel and its launch ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Outlining.h"

#include "ElementKernel.h"
#include "ModuleTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::bwgemm;

static constexpr llvm::StringLiteral kKernelModule = "bwgemm_kernels";

static gpu::GPUModuleOp getKernelModule(ModuleOp module) {
  if (auto found = module.lookupSymbol<gpu::GPUModuleOp>(kKernelModule))
    return found;
  MLIRContext *context = module.getContext();
  // The passes have asked for it before they change anything.
  const TargetInfo &target = **getModuleTarget(module);
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(module.getBody());
  auto kernels =
      gpu::GPUModuleOp::create(builder, module.getLoc(), kKernelModule);
  // Upstream's verifier knows tcgen05 on sm_100a alone, although LLVM and
  // ptxas take it on the family and on sm_103a; ours has checked the target.
  kernels.setTargetsAttr(builder.getArrayAttr({NVVM::NVVMTargetAttr::get(
      context, /*optLevel=*/3, /*triple=*/"nvptx64-nvidia-cuda", target.name,
      target.ptxFeature, /*targetFlags=*/nullptr,
      /*linkFiles=*/nullptr, /*verifyTarget=*/false)}));
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  builder.getUnitAttr());
  return kernels;
}

/// A function's name as one that PTX has for a kernel: letters, digits, _ and
/// $, and no digit first (PTX ISA, "Identifiers").
static std::string getIdentifier(StringRef name) {
  std::string identifier = name.str();
  for (char &c : identifier)
    if (!llvm::isAlnum(c) && c != '_' && c != '$')
      c = '_';
  if (identifier.empty() || llvm::isDigit(identifier.front()))
    identifier.insert(0, "kernel_");
  return identifier;
}

gpu::GPUFuncOp bwgemm::createKernel(GemmOp gemm, TypeRange arguments,
                                    std::array<int32_t, 2> blockSize,
                                    StringRef suffix) {
  auto module = gemm->getParentOfType<ModuleOp>();
  gpu::GPUModuleOp kernels = getKernelModule(module);
  auto function = gemm->getParentOfType<FunctionOpInterface>();
  std::string base = getIdentifier(function.getName()) + suffix.str();
  std::string name = base;
  for (unsigned i = 1; kernels.lookupSymbol(name); ++i)
    name = base + "_" + std::to_string(i);
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(kernels.getBody());
  auto kernel = gpu::GPUFuncOp::create(
      builder, gemm.getLoc(), name,
      builder.getFunctionType(arguments, /*results=*/{}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  builder.getUnitAttr());
  kernel.setKnownBlockSizeAttr(
      builder.getDenseI32ArrayAttr({blockSize[0], blockSize[1], 1}));
  kernel->setAttr("bwgemm.schedule", *gemm.getSchedule());
  // Shared and tensor memory bound how many CTAs share a multiprocessor. ptxas
  // does not know, and would rather spill than use more than 64 registers.
  if (gemm.getSchedule()->getPreset() != Preset::Naive)
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    builder.getI32IntegerAttr(1));
  return kernel;
}

void bwgemm::setBlockSize(gpu::GPUFuncOp kernel, int64_t threads) {
  Builder attributes(kernel.getContext());
  kernel.setKnownBlockSizeAttr(
      attributes.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
  kernel->getParentOfType<ModuleOp>().walk([&](gpu::LaunchFuncOp launch) {
    if (SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
            launch, launch.getKernel()) != kernel)
      return;
    OpBuilder builder(launch);
    launch.getBlockSizeXMutable().assign(
        arith::ConstantIndexOp::create(builder, launch.getLoc(), threads));
  });
}

void bwgemm::updateMaps(gpu::GPUFuncOp kernel) {
  kernel.setFunctionType(FunctionType::get(
      kernel.getContext(), kernel.getBody().front().getArgumentTypes(),
      /*results=*/{}));
  kernel->getParentOfType<ModuleOp>().walk([&](gpu::LaunchFuncOp launch) {
    if (SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
            launch, launch.getKernel()) != kernel)
      return;
    for (auto [operand, argument] :
         llvm::zip_equal(launch.getKernelOperands(), kernel.getArguments()))
      if (auto encode = operand.getDefiningOp<TensorMapEncodeOp>())
        encode.getMap().setType(cast<TensorMapType>(argument.getType()));
  });
}

void bwgemm::requireEqual(OpBuilder &builder, Location loc, Value lhs,
                          Value rhs, StringRef what, Value &ok) {
  // Static extents fold to constants, which the verifier has compared.
  if (lhs.getDefiningOp<arith::ConstantOp>() &&
      rhs.getDefiningOp<arith::ConstantOp>())
    return;
  Value equal = RequireEqualOp::create(builder, loc, builder.getI1Type(), lhs,
                                       rhs, builder.getStringAttr(what));
  ok = ok ? arith::AndIOp::create(builder, loc, ok, equal).getResult() : equal;
}

SmallVector<Value> bwgemm::withExtras(ArrayRef<Value> first,
                                      const DeviceOperands &operands) {
  SmallVector<Value> all(first);
  llvm::append_range(all, operands.extras);
  return all;
}

SmallVector<Type> bwgemm::withExtraTypes(ArrayRef<Type> first, GemmOp gemm) {
  SmallVector<Type> all(first);
  llvm::append_range(all, gemm.getExtras().getTypes());
  return all;
}

/// Checks that the operands of the epilogue have the extents that their places
/// say.
static void requireExtents(OpBuilder &builder, Location loc, GemmOp gemm,
                           const DeviceOperands &operands, Value &ok) {
  for (auto [index, extra] : llvm::enumerate(gemm.getExtras())) {
    auto type = dyn_cast<MemRefType>(extra.getType());
    if (!type)
      continue;
    auto map = cast<AffineMapAttr>((*gemm.getEpilogueMaps())[index]).getValue();
    for (auto [dimension, result] : llvm::enumerate(map.getResults())) {
      auto place = dyn_cast<AffineDimExpr>(result);
      Value expected =
          !place ? arith::ConstantIndexOp::create(builder, loc, 1).getResult()
          : place.getPosition() == 0 ? operands.m
                                     : operands.n;
      std::string what =
          "gemm: dimension " + std::to_string(dimension) + " of operand " +
          std::to_string(index) + " of the epilogue ({got}) must equal the " +
          (!place                     ? "one element that is used"
           : place.getPosition() == 0 ? "rows of the result"
                                      : "columns of the result") +
          " ({expected})";
      requireEqual(builder, loc,
                   builder.createOrFold<memref::DimOp>(loc, extra, dimension),
                   expected, what, ok);
    }
  }
}

void bwgemm::replaceWithHostCode(
    GemmOp gemm,
    llvm::function_ref<void(OpBuilder &, Location, const DeviceOperands &)>
        launch) {
  OpBuilder builder(gemm);
  Location loc = gemm.getLoc();
  auto dim = [&](Value buffer, unsigned index) -> Value {
    return builder.createOrFold<memref::DimOp>(loc, buffer, index);
  };
  Value a = gemm.getA(), b = gemm.getB(), d = gemm.getD();
  DeviceOperands operands;
  operands.m = dim(d, 0);
  operands.n = dim(d, 1);
  operands.k = dim(a, gemm.getKDimOfA());
  Value ok;
  requireEqual(
      builder, loc, dim(a, gemm.getMDimOfA()), operands.m,
      "gemm: M of A ({got}) must equal the rows of the result ({expected})",
      ok);
  requireEqual(
      builder, loc, dim(b, gemm.getNDimOfB()), operands.n,
      "gemm: N of B ({got}) must equal the columns of the result ({expected})",
      ok);
  requireEqual(builder, loc, dim(b, gemm.getKDimOfB()), operands.k,
               "gemm: K of B ({got}) must equal K of A ({expected})", ok);
  requireExtents(builder, loc, gemm, operands, ok);

  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  auto compare = [&](arith::CmpIPredicate predicate, Value value) -> Value {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, value, zero);
  };
  Value some = builder.createOrFold<arith::AndIOp>(
      loc, compare(arith::CmpIPredicate::ne, operands.m),
      compare(arith::CmpIPredicate::ne, operands.n));
  if (ok)
    some = builder.createOrFold<arith::AndIOp>(loc, ok, some);
  auto whenSome =
      scf::IfOp::create(builder, loc, some, /*withElseRegion=*/false);
  builder.setInsertionPointToStart(whenSome.thenBlock());

  auto toDevice = [&](Value buffer, bool read, bool write) -> Value {
    return ToDeviceOp::create(builder, loc, buffer.getType(), buffer, read,
                              write);
  };
  bool accumulate = gemm.getAccumulate();
  operands.d = toDevice(d, /*read=*/accumulate, /*write=*/true);
  SmallVector<Value> staged{operands.d};
  for (Value extra : gemm.getExtras()) {
    Value here = extra;
    if (isa<MemRefType>(extra.getType()))
      staged.push_back(here = toDevice(extra, /*read=*/true, /*write=*/false));
    operands.extras.push_back(here);
  }
  Value empty = compare(arith::CmpIPredicate::eq, operands.k);
  auto whenEmpty =
      scf::IfOp::create(builder, loc, empty, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(whenEmpty.thenBlock());
  // What is known not to be empty needs no kernel for the case.
  if (gemm.hasEpilogue() && !matchPattern(operands.k, m_NonZero()))
    emitEpilogueAlone(builder, loc, gemm, operands);
  else if (!gemm.hasEpilogue() && !accumulate)
    ZeroFillOp::create(builder, loc, operands.d);
  builder.setInsertionPointToStart(whenEmpty.elseBlock());
  operands.a = toDevice(a, /*read=*/true, /*write=*/false);
  operands.b = toDevice(b, /*read=*/true, /*write=*/false);
  launch(builder, loc, operands);
  FromDeviceOp::create(builder, loc, operands.a);
  FromDeviceOp::create(builder, loc, operands.b);
  builder.setInsertionPointAfter(whenEmpty);
  for (Value value : llvm::reverse(staged))
    FromDeviceOp::create(builder, loc, value);
  gemm.erase();
}

void bwgemm::emitLaunch(OpBuilder &builder, Location loc, gpu::GPUFuncOp kernel,
                        const DeviceOperands &operands, int64_t tileM,
                        int64_t tileN, ValueRange arguments,
                        std::array<int64_t, 2> cluster) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto tiles = [&](Value extent, int64_t tile) -> Value {
    return builder.createOrFold<arith::CeilDivUIOp>(loc, extent,
                                                    constant(tile));
  };
  // One dimension of the grid holds 2^31 - 1 CTAs, the others only 65535.
  Value ctas = builder.createOrFold<arith::MulIOp>(
      loc, tiles(operands.m, tileM * cluster[0]),
      tiles(operands.n, tileN * cluster[1]));
  Value one = constant(1);
  std::optional<gpu::KernelDim3> clusters;
  if (int64_t size = cluster[0] * cluster[1]; size > 1) {
    ctas = builder.createOrFold<arith::MulIOp>(loc, ctas, constant(size));
    clusters = gpu::KernelDim3{constant(size), one, one};
    kernel.setKnownClusterSizeAttr(
        builder.getDenseI32ArrayAttr({static_cast<int32_t>(size), 1, 1}));
  }
  ArrayRef<int32_t> block = *kernel.getKnownBlockSize();
  gpu::KernelDim3 grid{ctas, one, one};
  gpu::KernelDim3 threads{constant(block[0]), constant(block[1]),
                          constant(block[2])};
  Value shared = arith::ConstantIntOp::create(builder, loc, 0, 32);
  gpu::LaunchFuncOp::create(builder, loc, kernel, grid, threads, shared,
                            arguments, /*asyncTokenType=*/nullptr,
                            /*asyncDependencies=*/ValueRange(), clusters);
}

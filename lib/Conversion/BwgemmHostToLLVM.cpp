//===- BwgemmHostToLLVM.cpp - Host code to the LLVM dialect ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Conversion/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_CONVERTBWGEMMHOSTTOLLVM
#include "bwgemm/Conversion/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// Emits calls of the launch runtime. The functions' contract is in the
/// runtime's Launch.h; only their names and types are known here.
class RuntimeCall {
public:
  RuntimeCall(Operation *op, OpBuilder &rewriter)
      : op(op), rewriter(rewriter), loc(op->getLoc()) {}

  Type i32() { return rewriter.getI32Type(); }
  Type i64() { return rewriter.getI64Type(); }
  Type pointer() { return LLVM::LLVMPointerType::get(op->getContext()); }

  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(rewriter, loc, type,
                                    rewriter.getIntegerAttr(type, value));
  }

  /// Stack memory of `type`, taken in the function's entry block so that a
  /// gemm in a loop does not take more each time.
  Value allocate(Type type, int64_t count, unsigned alignment) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    OpBuilder::InsertionGuard restore(rewriter);
    rewriter.setInsertionPointToStart(&function.getFunctionBody().front());
    return LLVM::AllocaOp::create(rewriter, loc, pointer(), type,
                                  constant(i64(), count), alignment);
  }

  /// An array on the stack with these elements.
  Value array(Type type, ArrayRef<Value> values) {
    Value memory = allocate(type, values.size(), 8);
    for (auto [index, value] : llvm::enumerate(values)) {
      Value slot = LLVM::GEPOp::create(
          rewriter, loc, pointer(), type, memory,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
      LLVM::StoreOp::create(rewriter, loc, value, slot);
    }
    return memory;
  }

  /// A zero-terminated string constant.
  Value string(StringRef text) {
    auto module = op->getParentOfType<ModuleOp>();
    std::string name;
    unsigned number = 0;
    do
      name = "bwgemm_string_" + std::to_string(number++);
    while (module.lookupSymbol(name));
    SmallString<64> terminated(text);
    terminated.push_back('\0');
    return LLVM::createGlobalString(loc, rewriter, name, terminated,
                                    LLVM::Linkage::Internal);
  }

  LLVM::CallOp call(StringRef name, Type result, ArrayRef<Value> arguments) {
    SmallVector<Type> types;
    for (Value argument : arguments)
      types.push_back(argument.getType());
    auto module = op->getParentOfType<ModuleOp>();
    FailureOr<LLVM::LLVMFuncOp> function = LLVM::lookupOrCreateFn(
        rewriter, module, name, types,
        result ? result : LLVM::LLVMVoidType::get(op->getContext()));
    return LLVM::CallOp::create(rewriter, loc, *function, arguments);
  }

private:
  Operation *op;
  OpBuilder &rewriter;
  Location loc;
};

/// Sizes or strides of a descriptor.
SmallVector<Value> getSizes(OpBuilder &builder, Location loc,
                            MemRefDescriptor descriptor, int64_t rank) {
  SmallVector<Value> values;
  for (int64_t i = 0; i < rank; ++i)
    values.push_back(descriptor.size(builder, loc, i));
  return values;
}

SmallVector<Value> getStrides(OpBuilder &builder, Location loc,
                              MemRefDescriptor descriptor, int64_t rank) {
  SmallVector<Value> values;
  for (int64_t i = 0; i < rank; ++i)
    values.push_back(descriptor.stride(builder, loc, i));
  return values;
}

int64_t getElementBytes(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8;
}

struct RequireEqualLowering : ConvertOpToLLVMPattern<RequireEqualOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(RequireEqualOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RuntimeCall runtime(op, rewriter);
    Value result = runtime
                       .call("bwgemmHostRequireEqual", runtime.i32(),
                             {adaptor.getGot(), adaptor.getExpected(),
                              runtime.string(op.getWhat())})
                       .getResult();
    rewriter.replaceOpWithNewOp<LLVM::ICmpOp>(
        op, LLVM::ICmpPredicate::ne, result,
        runtime.constant(runtime.i32(), 0));
    return success();
  }
};

struct RequireLayoutLowering : ConvertOpToLLVMPattern<RequireLayoutOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(RequireLayoutOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RuntimeCall runtime(op, rewriter);
    auto type = cast<MemRefType>(op.getSource().getType());
    MemRefDescriptor source(adaptor.getSource());
    int64_t rank = type.getRank();
    // The offset, the sizes, the strides: as they are, and as the type has
    // them, where what it does not say is ShapedType::kDynamic.
    SmallVector<Value> got{source.offset(rewriter, loc)};
    llvm::append_range(got, getSizes(rewriter, loc, source, rank));
    llvm::append_range(got, getStrides(rewriter, loc, source, rank));
    auto [strides, offset] = type.getStridesAndOffset();
    SmallVector<int64_t> said{offset};
    llvm::append_range(said, type.getShape());
    llvm::append_range(said, strides);
    SmallVector<Value> expected;
    for (int64_t number : said)
      expected.push_back(runtime.constant(runtime.i64(), number));
    std::string what = op.getWhat().str() + ", ";
    llvm::raw_string_ostream(what) << type;
    runtime.call("bwgemmHostRequireLayout", Type(),
                 {runtime.string(what), runtime.constant(runtime.i64(), rank),
                  runtime.array(runtime.i64(), got),
                  runtime.array(runtime.i64(), expected)});
    rewriter.eraseOp(op);
    return success();
  }
};

struct ToDeviceLowering : ConvertOpToLLVMPattern<ToDeviceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(ToDeviceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    constexpr int64_t readBit = 1, writeBit = 2;
    Location loc = op.getLoc();
    RuntimeCall runtime(op, rewriter);
    MemRefDescriptor source(adaptor.getSource());
    int64_t rank = cast<MemRefType>(op.getSource().getType()).getRank();
    Type i64 = runtime.i64();
    int64_t access =
        (op.getRead() ? readBit : 0) | (op.getWrite() ? writeBit : 0);
    Value device =
        runtime
            .call("bwgemmHostToDevice", runtime.pointer(),
                  {source.alignedPtr(rewriter, loc),
                   source.offset(rewriter, loc), runtime.constant(i64, rank),
                   runtime.array(i64, getSizes(rewriter, loc, source, rank)),
                   runtime.array(i64, getStrides(rewriter, loc, source, rank)),
                   runtime.constant(i64, getElementBytes(op.getSource())),
                   runtime.constant(runtime.i32(), access)})
            .getResult();
    MemRefDescriptor result(adaptor.getSource());
    result.setAllocatedPtr(rewriter, loc, device);
    result.setAlignedPtr(rewriter, loc, device);
    rewriter.replaceOp(op, Value(result));
    return success();
  }
};

struct FromDeviceLowering : ConvertOpToLLVMPattern<FromDeviceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(FromDeviceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MemRefDescriptor device(adaptor.getDevice());
    RuntimeCall(op, rewriter)
        .call("bwgemmHostFromDevice", Type(),
              {device.alignedPtr(rewriter, op.getLoc())});
    rewriter.eraseOp(op);
    return success();
  }
};

struct ZeroFillLowering : ConvertOpToLLVMPattern<ZeroFillOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(ZeroFillOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RuntimeCall runtime(op, rewriter);
    MemRefDescriptor device(adaptor.getDevice());
    runtime.call(
        "bwgemmHostZero2D", Type(),
        {device.alignedPtr(rewriter, loc), device.offset(rewriter, loc),
         device.size(rewriter, loc, 0), device.size(rewriter, loc, 1),
         device.stride(rewriter, loc, 0),
         runtime.constant(runtime.i64(), getElementBytes(op.getDevice()))});
    rewriter.eraseOp(op);
    return success();
  }
};

struct WorkspaceAllocLowering : ConvertOpToLLVMPattern<WorkspaceAllocOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(WorkspaceAllocOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RuntimeCall runtime(op, rewriter);
    auto type = cast<MemRefType>(op.getWorkspace().getType());
    SmallVector<Value> sizes;
    for (int64_t extent : type.getShape())
      sizes.push_back(ShapedType::isDynamic(extent)
                          ? Value()
                          : runtime.constant(runtime.i64(), extent));
    auto given = adaptor.getSizes().begin();
    for (Value &size : sizes)
      if (!size)
        size = *given++;
    Value memory =
        runtime
            .call("bwgemmHostAllocWorkspace", runtime.pointer(),
                  {sizes[0], sizes[1],
                   runtime.constant(runtime.i64(),
                                    getElementBytes(op.getWorkspace())),
                   runtime.string(op.getPurpose())})
            .getResult();
    auto descriptor = MemRefDescriptor::poison(
        rewriter, loc, getTypeConverter()->convertType(type));
    descriptor.setAllocatedPtr(rewriter, loc, memory);
    descriptor.setAlignedPtr(rewriter, loc, memory);
    descriptor.setConstantOffset(rewriter, loc, 0);
    descriptor.setSize(rewriter, loc, 0, sizes[0]);
    descriptor.setSize(rewriter, loc, 1, sizes[1]);
    descriptor.setStride(rewriter, loc, 0, sizes[1]);
    descriptor.setConstantStride(rewriter, loc, 1, 1);
    rewriter.replaceOp(op, Value(descriptor));
    return success();
  }
};

struct WorkspaceFreeLowering : ConvertOpToLLVMPattern<WorkspaceFreeOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(WorkspaceFreeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MemRefDescriptor workspace(adaptor.getWorkspace());
    RuntimeCall(op, rewriter)
        .call("bwgemmHostFreeWorkspace", Type(),
              {workspace.alignedPtr(rewriter, op.getLoc())});
    rewriter.eraseOp(op);
    return success();
  }
};

struct MultiprocessorCountLowering
    : ConvertOpToLLVMPattern<MultiprocessorCountOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MultiprocessorCountOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RuntimeCall runtime(op, rewriter);
    rewriter.replaceOp(
        op, runtime.call("bwgemmHostMultiprocessorCount", runtime.i64(), {})
                .getResult());
    return success();
  }
};

/// An op that says something of the next launch: a call without arguments.
template <typename OpTy>
struct NextLaunchLowering : ConvertOpToLLVMPattern<OpTy> {
  NextLaunchLowering(const LLVMTypeConverter &converter, StringRef function)
      : ConvertOpToLLVMPattern<OpTy>(converter), function(function) {}
  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RuntimeCall(op, rewriter).call(function, Type(), {});
    rewriter.eraseOp(op);
    return success();
  }

private:
  StringRef function;
};

/// CUtensorMapDataType.
int32_t getDataTypeCode(Type type) {
  if (type.isF16())
    return 6;
  if (type.isF32())
    return 7;
  if (type.isBF16())
    return 9;
  switch (type.getIntOrFloatBitWidth()) {
  case 8:
    return 0;
  case 16:
    return 1;
  default:
    return 3;
  }
}

/// CUtensorMapSwizzle.
int32_t getSwizzleCode(SwizzleAttr swizzle) {
  return swizzle.isNone() ? 0 : llvm::Log2_32(swizzle.getRowBytes()) - 4;
}

struct EncodeLowering : ConvertOpToLLVMPattern<TensorMapEncodeOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(TensorMapEncodeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RuntimeCall runtime(op, rewriter);
    MemRefDescriptor source(adaptor.getSource());
    TensorMapType map = op.getMap().getType();
    int64_t rank = map.getShape().size();
    Type i32 = runtime.i32(), i64 = runtime.i64();
    SmallVector<Value> box;
    for (int64_t extent : map.getShape())
      box.push_back(runtime.constant(i32, extent));
    Type words = getTypeConverter()->convertType(map);
    // The driver asks for 64-byte alignment.
    Value memory = runtime.allocate(words, 1, 64);
    runtime.call("bwgemmHostEncodeTensorMap", Type(),
                 {memory, runtime.string(op.getOperand()),
                  source.alignedPtr(rewriter, loc),
                  source.offset(rewriter, loc), runtime.constant(i32, rank),
                  runtime.array(i64, getSizes(rewriter, loc, source, rank)),
                  runtime.array(i64, getStrides(rewriter, loc, source, rank)),
                  runtime.constant(i32, getDataTypeCode(map.getElementType())),
                  runtime.array(i32, box),
                  runtime.constant(i32, getSwizzleCode(map.getSwizzle()))});
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, words, memory, 64);
    return success();
  }
};

struct AddressableLowering : ConvertOpToLLVMPattern<TmaAddressableOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(TmaAddressableOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RuntimeCall runtime(op, rewriter);
    MemRefDescriptor source(adaptor.getSource());
    auto type = cast<MemRefType>(op.getSource().getType());
    int64_t rank = type.getRank();
    Type i32 = runtime.i32(), i64 = runtime.i64();
    Value result =
        runtime
            .call(
                "bwgemmHostTmaAddressable", i32,
                {source.alignedPtr(rewriter, loc), source.offset(rewriter, loc),
                 runtime.constant(i32, rank),
                 runtime.array(i64, getSizes(rewriter, loc, source, rank)),
                 runtime.array(i64, getStrides(rewriter, loc, source, rank)),
                 runtime.constant(i32, getDataTypeCode(type.getElementType()))})
            .getResult();
    rewriter.replaceOpWithNewOp<LLVM::ICmpOp>(op, LLVM::ICmpPredicate::ne,
                                              result, runtime.constant(i32, 0));
    return success();
  }
};

/// Makes one call of what a function that launches kernels, or works on device
/// memory, does: its launches follow each other in one stream, and its returns
/// wait.
void makeCall(LLVM::LLVMFuncOp function) {
  SmallVector<gpu::LaunchFuncOp> launches;
  SmallVector<LLVM::ReturnOp> returns;
  bool worksOnDevice = false;
  function.walk([&](Operation *op) {
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
      launches.push_back(launch);
    else if (auto ret = dyn_cast<LLVM::ReturnOp>(op))
      returns.push_back(ret);
    else if (auto call = dyn_cast<LLVM::CallOp>(op))
      worksOnDevice |= call.getCallee() == "bwgemmHostToDevice";
  });
  if (launches.empty() && !worksOnDevice)
    return;
  auto builder = OpBuilder::atBlockBegin(&function.getBody().front());
  RuntimeCall(function, builder).call("bwgemmHostBegin", Type(), {});
  for (gpu::LaunchFuncOp launch : launches) {
    // What waits for a token, or has a stream, is somebody's own.
    if (launch.getAsyncObject() || launch.getAsyncToken())
      continue;
    builder.setInsertionPoint(launch);
    RuntimeCall runtime(launch, builder);
    launch.getAsyncObjectMutable().assign(
        runtime.call("bwgemmHostStream", runtime.pointer(), {}).getResult());
  }
  for (LLVM::ReturnOp ret : returns) {
    builder.setInsertionPoint(ret);
    RuntimeCall(ret, builder).call("bwgemmHostEnd", Type(), {});
  }
}

/// Whether all host code is in the LLVM dialect already, but for launches.
bool isConverted(ModuleOp module) {
  return !module
              .walk<WalkOrder::PreOrder>([](Operation *op) {
                if (isa<gpu::GPUModuleOp>(op))
                  return WalkResult::skip();
                bool fine =
                    isa<ModuleOp>(op) ||
                    isa<LLVM::LLVMDialect, gpu::GPUDialect>(op->getDialect());
                return fine ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

class BwgemmHostToLLVMPass
    : public bwgemm::impl::ConvertBwgemmHostToLLVMBase<BwgemmHostToLLVMPass> {
public:
  void getDependentDialects(DialectRegistry &registry) const override {
    ConvertBwgemmHostToLLVMBase::getDependentDialects(registry);
    buildPreparation().getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // The preparation would tidy up what is there.
    if (isConverted(module))
      return;
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal())
        function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                          UnitAttr::get(&getContext()));
    OpPassManager preparation = buildPreparation();
    if (failed(runPipeline(preparation, module)) || failed(convert(module)))
      return signalPassFailure();
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      makeCall(function);
    OpPassManager cleanUp(ModuleOp::getOperationName());
    cleanUp.addPass(createReconcileUnrealizedCastsPass());
    if (failed(runPipeline(cleanUp, module)))
      signalPassFailure();
  }

private:
  static OpPassManager buildPreparation() {
    OpPassManager pm(ModuleOp::getOperationName());
    pm.addPass(memref::createExpandStridedMetadataPass());
    pm.addPass(createLowerAffinePass());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createSCFToControlFlowPass());
    pm.addPass(arith::createArithExpandOpsPass());
    return pm;
  }

  LogicalResult convert(ModuleOp module) {
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    LLVMTypeConverter converter(context, options);
    // Passed by value, 128 bytes.
    converter.addConversion([](TensorMapType type) -> Type {
      return LLVM::LLVMArrayType::get(IntegerType::get(type.getContext(), 64),
                                      16);
    });
    RewritePatternSet patterns(context);
    patterns.add<RequireEqualLowering, RequireLayoutLowering, ToDeviceLowering,
                 FromDeviceLowering, ZeroFillLowering, EncodeLowering,
                 AddressableLowering, MultiprocessorCountLowering,
                 WorkspaceAllocLowering, WorkspaceFreeLowering>(converter);
    patterns.add<NextLaunchLowering<ResidentLaunchOp>>(
        converter, "bwgemmHostResidentLaunch");
    patterns.add<NextLaunchLowering<ProgrammaticLaunchOp>>(
        converter, "bwgemmHostProgrammaticLaunch");
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    populateGpuToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(*context);
    target.addIllegalDialect<BwgemmDialect, arith::ArithDialect,
                             cf::ControlFlowDialect, func::FuncDialect,
                             memref::MemRefDialect>();
    target.addLegalOp<ModuleOp, gpu::BinaryOp>();
    // Kernels that are not serialised yet stay as they are.
    target.addLegalOp<gpu::GPUModuleOp>();
    target.markOpRecursivelyLegal<gpu::GPUModuleOp>();
    target.addDynamicallyLegalOp<gpu::LaunchFuncOp>(
        [&](gpu::LaunchFuncOp op) { return converter.isLegal(op); });
    return applyPartialConversion(module, target, std::move(patterns));
  }
};

} // namespace

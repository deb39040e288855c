//===- ReducePartials.cpp - Adding partial sums ---------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel moves each partial sum once and computes next to nothing, so it is
// about bandwidth: a thread takes 16 bytes of a row of D, neighbouring threads
// take neighbouring pieces, and a number of slices that is known lets all of
// its loads be under way together.
//
//===----------------------------------------------------------------------===//

#include "ReducePartials.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::bwgemm;

Value bwgemm::passToKernel(gpu::GPUFuncOp kernel, gpu::LaunchFuncOp launch,
                           Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value)) {
    OpBuilder builder(kernel.getContext());
    builder.setInsertionPointToStart(&kernel.getBody().front());
    return arith::ConstantIndexOp::create(builder, kernel.getLoc(), *constant);
  }
  unsigned position = kernel.getNumArguments();
  LogicalResult inserted = kernel.insertArgument(
      position, value.getType(), /*argAttrs=*/{}, kernel.getLoc());
  assert(succeeded(inserted) && "kernels take any arguments");
  (void)inserted;
  launch.getKernelOperandsMutable().append(value);
  return kernel.getArgument(position);
}

namespace {

/// Threads of a CTA.
constexpr int32_t kThreads = 256;

/// Emits the body of one kernel.
class Reduction {
public:
  Reduction(gpu::GPUFuncOp kernel, MemRefType type, bool accumulate)
      : builder(kernel.getContext()), loc(kernel.getLoc()), type(type),
        accumulate(accumulate), width(getWidth(type)) {
    builder.setInsertionPointToEnd(&kernel.getBody().front());
    sums = kernel.getArgument(0);
    d = kernel.getArgument(1);
  }

  /// Neighbouring elements of D that one thread writes: 16 bytes.
  static int64_t getWidth(MemRefType type) {
    return 128 / type.getElementTypeBitWidth();
  }

  void emit(Value parts, Value sliceRows);

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
  }
  void when(Value condition, llvm::function_ref<void()> then,
            llvm::function_ref<void()> otherwise = nullptr) {
    auto choice = scf::IfOp::create(builder, loc, condition,
                                    /*withElseRegion=*/bool(otherwise));
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(choice.thenBlock());
    then();
    if (!otherwise)
      return;
    builder.setInsertionPointToStart(choice.elseBlock());
    otherwise();
  }

  Value emitSum(Value row, Value column, Value parts, Value sliceRows);
  /// Whether 16 bytes of D at the thread's place can be accessed at once; null
  /// if they cannot.
  Value emitWhole(Value column, Value columns);
  Value widen(Value value);
  Value round(Value value);
  void emitVector(Value sum, Value row, Value column);
  void emitScalars(Value sum, Value row, Value column, Value columns);

  OpBuilder builder;
  Location loc;
  MemRefType type;
  bool accumulate;
  int64_t width;
  Value sums, d;
};

Value Reduction::emitSum(Value row, Value column, Value parts,
                         Value sliceRows) {
  auto vector = VectorType::get(width, builder.getF32Type());
  auto load = [&](OpBuilder &at, Value sliceRow) -> Value {
    return vector::LoadOp::create(
        at, loc, vector, sums, ValueRange{sliceRow, column},
        /*nontemporal=*/false, llvm::MaybeAlign(4 * width));
  };
  Value first = load(builder, row);
  auto loop = scf::ForOp::create(
      builder, loc, constant(1), parts, constant(1), ValueRange{first},
      [&](OpBuilder &body, Location loc, Value part, ValueRange carried) {
        Value above = arith::MulIOp::create(body, loc, part, sliceRows);
        Value sliceRow = arith::AddIOp::create(body, loc, above, row);
        Value sum = arith::AddFOp::create(body, loc, carried.front(),
                                          load(body, sliceRow));
        scf::YieldOp::create(body, loc, sum);
      });
  return loop.getResult(0);
}

Value Reduction::emitWhole(Value column, Value columns) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides[1] != 1)
    return {};
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, loc, d);
  auto inBytes = [&](Value elements) -> Value {
    return arith::MulIOp::create(builder, loc, elements, constant(bytes));
  };
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, d);
  Value address =
      arith::AddIOp::create(builder, loc, base, inBytes(metadata.getOffset()));
  Value bits = arith::OrIOp::create(builder, loc, address,
                                    inBytes(metadata.getStrides()[0]));
  Value low =
      arith::AndIOp::create(builder, loc, bits, constant(bytes * width - 1));
  Value aligned = compare(arith::CmpIPredicate::eq, low, constant(0));
  Value end = arith::AddIOp::create(builder, loc, column, constant(width));
  Value inside = compare(arith::CmpIPredicate::ule, end, columns);
  return arith::AndIOp::create(builder, loc, aligned, inside);
}

Value Reduction::widen(Value value) {
  if (type.getElementType().isF32())
    return value;
  Type wide = builder.getF32Type();
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    wide = vector.clone(wide);
  return arith::ExtFOp::create(builder, loc, wide, value);
}

Value Reduction::round(Value value) {
  Type element = type.getElementType();
  if (element.isF32())
    return value;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    return arith::TruncFOp::create(builder, loc, vector.clone(element), value);
  return arith::TruncFOp::create(builder, loc, element, value);
}

void Reduction::emitVector(Value sum, Value row, Value column) {
  ValueRange at{row, column};
  llvm::MaybeAlign alignment(16);
  auto vector = VectorType::get(width, type.getElementType());
  if (accumulate) {
    Value old = vector::LoadOp::create(builder, loc, vector, d, at,
                                       /*nontemporal=*/false, alignment);
    sum = arith::AddFOp::create(builder, loc, sum, widen(old));
  }
  vector::StoreOp::create(builder, loc, round(sum), d, at,
                          /*nontemporal=*/false, alignment);
}

void Reduction::emitScalars(Value sum, Value row, Value column, Value columns) {
  for (int64_t i = 0; i < width; ++i) {
    Value at = arith::AddIOp::create(builder, loc, column, constant(i));
    Value value = vector::ExtractOp::create(builder, loc, sum, i);
    when(compare(arith::CmpIPredicate::ult, at, columns), [&] {
      ValueRange place{row, at};
      if (accumulate)
        value = arith::AddFOp::create(
            builder, loc, value,
            widen(memref::LoadOp::create(builder, loc, d, place)));
      memref::StoreOp::create(builder, loc, round(value), d, place);
    });
  }
}

void Reduction::emit(Value parts, Value sliceRows) {
  Value rows = builder.createOrFold<memref::DimOp>(loc, d, 0);
  Value columns = builder.createOrFold<memref::DimOp>(loc, d, 1);
  Value perRow =
      builder.createOrFold<arith::CeilDivUIOp>(loc, columns, constant(width));
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value number = arith::AddIOp::create(
      builder, loc,
      arith::MulIOp::create(builder, loc, block, constant(kThreads)), thread);
  Value row = arith::DivUIOp::create(builder, loc, number, perRow);
  Value piece = arith::RemUIOp::create(builder, loc, number, perRow);
  Value column = arith::MulIOp::create(builder, loc, piece, constant(width));
  when(compare(arith::CmpIPredicate::ult, row, rows), [&] {
    Value sum = emitSum(row, column, parts, sliceRows);
    auto scalars = [&] { emitScalars(sum, row, column, columns); };
    if (Value whole = emitWhole(column, columns))
      when(whole, [&] { emitVector(sum, row, column); }, scalars);
    else
      scalars();
  });
  gpu::ReturnOp::create(builder, loc);
}

} // namespace

void bwgemm::emitReducePartials(OpBuilder &builder, Location loc,
                                gpu::GPUFuncOp kernel, const PartialSums &sums,
                                Value d, bool accumulate) {
  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  std::string base = (kernel.getName() + "_reduce").str(), name = base;
  for (unsigned i = 1; module.lookupSymbol(name); ++i)
    name = base + "_" + std::to_string(i);
  auto type = cast<MemRefType>(d.getType());
  OpBuilder inModule(kernel.getContext());
  inModule.setInsertionPointAfter(kernel);
  auto reduce = gpu::GPUFuncOp::create(
      inModule, loc, name,
      inModule.getFunctionType({sums.workspace.getType(), type},
                               /*results=*/{}));
  reduce->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  inModule.getUnitAttr());
  // Room for the loads that are under way, and for two CTAs at a time.
  reduce->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                  inModule.getI32IntegerAttr(2));
  reduce.setKnownBlockSizeAttr(inModule.getDenseI32ArrayAttr({kThreads, 1, 1}));

  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto ceilDiv = [&](Value value, int64_t divisor) -> Value {
    return builder.createOrFold<arith::CeilDivUIOp>(loc, value,
                                                    constant(divisor));
  };
  Value rows = builder.createOrFold<memref::DimOp>(loc, d, 0);
  Value columns = builder.createOrFold<memref::DimOp>(loc, d, 1);
  Value pieces = builder.createOrFold<arith::MulIOp>(
      loc, rows, ceilDiv(columns, Reduction::getWidth(type)));
  Value one = constant(1);
  auto launch = gpu::LaunchFuncOp::create(
      builder, loc, reduce,
      gpu::KernelDim3{ceilDiv(pieces, kThreads), one, one},
      gpu::KernelDim3{constant(kThreads), one, one},
      arith::ConstantIntOp::create(builder, loc, 0, 32),
      ValueRange{sums.workspace, d});
  Value parts = passToKernel(reduce, launch, sums.parts);
  Value sliceRows = passToKernel(reduce, launch, sums.sliceRows);
  Reduction reduction(reduce, type, accumulate);
  reduction.emit(parts, sliceRows);
}

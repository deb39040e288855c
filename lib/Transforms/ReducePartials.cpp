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

#include "ElementEpilogue.h"

#include "bwgemm/IR/ElementTypes.h"

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

SmallVector<Value> bwgemm::getLaunchedExtras(gpu::LaunchFuncOp launch,
                                             StoreOp store) {
  return llvm::map_to_vector(store.getExtras(), [&](Value extra) {
    return Value(
        launch.getKernelOperand(cast<BlockArgument>(extra).getArgNumber()));
  });
}

namespace {

/// Threads of a CTA.
constexpr int32_t kThreads = 256;

/// Pieces of a tile of which shares are added that a thread has: where they lie
/// takes some divisions.
constexpr int64_t kPieces = 4;

/// Emits the body of one kernel.
class Reduction {
public:
  Reduction(gpu::GPUFuncOp kernel, StoreOp store)
      : builder(kernel.getContext()), loc(kernel.getLoc()),
        type(cast<MemRefType>(kernel.getArgument(1).getType())),
        accumulate(store.getAccumulate()), width(getWidth(type)),
        epilogue(kernel.getArguments().drop_front(2).take_front(
                     store.getExtras().size()),
                 store.getEpilogueMapsAttr(), store.getEpilogue(), type) {
    builder.setInsertionPointToEnd(&kernel.getBody().front());
    sums = kernel.getArgument(0);
    d = kernel.getArgument(1);
  }

  /// Neighbouring elements of D that one thread writes: 16 bytes.
  static int64_t getWidth(MemRefType type) {
    return 128 / type.getElementTypeBitWidth();
  }

  void emit(Value parts, Value sliceRows);
  void emitForShares(const TileShares &shares, TileCoordOp coord);

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

  Value load(Value row, Value column);
  Value emitSum(Value row, Value column, Value parts, Value sliceRows);
  /// Whether 16 bytes of D at the thread's place, and their neighbours' of the
  /// epilogue's operands, can be accessed at once; null if they cannot.
  Value emitWhole(Value column, Value columns);
  /// Neighbouring partial sums of one thread.
  VectorType getSumsType() {
    return VectorType::get(width,
                           cast<MemRefType>(sums.getType()).getElementType());
  }
  Value addToOld(Value sum, Value old) {
    return addSums(builder, loc, sum,
                   widenToSum(builder, loc, old, sum.getType()));
  }
  void emitVector(Value sum, Value row, Value column);
  void emitScalars(Value sum, Value row, Value column, Value columns);
  void emitWrite(Value sum, Value row, Value column, Value columns);
  Value emitEndCta(Value cta, Value end,
                   llvm::function_ref<Value(Value)> firstStep);

  OpBuilder builder;
  Location loc;
  MemRefType type;
  bool accumulate;
  int64_t width;
  ElementEpilogue epilogue;
  Value sums, d;
};

/// Neighbouring partial sums.
Value Reduction::load(Value row, Value column) {
  return vector::LoadOp::create(
      builder, loc, getSumsType(), sums, ValueRange{row, column},
      /*nontemporal=*/false, llvm::MaybeAlign(4 * width));
}

Value Reduction::emitSum(Value row, Value column, Value parts,
                         Value sliceRows) {
  Value first = load(row, column);
  auto loop = scf::ForOp::create(builder, loc, constant(1), parts, constant(1),
                                 ValueRange{first});
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value above =
      arith::MulIOp::create(builder, loc, loop.getInductionVar(), sliceRows);
  Value sliceRow = arith::AddIOp::create(builder, loc, above, row);
  Value sum =
      addSums(builder, loc, loop.getRegionIterArg(0), load(sliceRow, column));
  scf::YieldOp::create(builder, loc, sum);
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
  Value whole = arith::AndIOp::create(builder, loc, aligned, inside);
  if (Value operands = epilogue.emitAligned(builder, loc, width))
    whole = arith::AndIOp::create(builder, loc, whole, operands);
  return whole;
}

void Reduction::emitVector(Value sum, Value row, Value column) {
  Value at[] = {row, column};
  llvm::MaybeAlign alignment(16);
  auto vector = VectorType::get(width, type.getElementType());
  if (accumulate) {
    Value old = vector::LoadOp::create(builder, loc, vector, d, at,
                                       /*nontemporal=*/false, alignment);
    sum = addToOld(sum, old);
  }
  Value result = epilogue.compute(
      builder, loc, sum, epilogue.load(builder, loc, row, column, width));
  vector::StoreOp::create(builder, loc, result, d, at,
                          /*nontemporal=*/false, alignment);
}

void Reduction::emitScalars(Value sum, Value row, Value column, Value columns) {
  for (int64_t i = 0; i < width; ++i) {
    Value at = arith::AddIOp::create(builder, loc, column, constant(i));
    Value value = vector::ExtractOp::create(builder, loc, sum, i);
    when(compare(arith::CmpIPredicate::ult, at, columns), [&] {
      Value place[] = {row, at};
      if (accumulate)
        value = addToOld(value, memref::LoadOp::create(builder, loc, d, place));
      Value result =
          epilogue.compute(builder, loc, value,
                           epilogue.load(builder, loc, row, at, /*width=*/0));
      memref::StoreOp::create(builder, loc, result, d, place);
    });
  }
}

void Reduction::emitWrite(Value sum, Value row, Value column, Value columns) {
  auto scalars = [&] { emitScalars(sum, row, column, columns); };
  if (Value whole = emitWhole(column, columns))
    when(whole, [&] { emitVector(sum, row, column); }, scalars);
  else
    scalars();
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
    emitWrite(emitSum(row, column, parts, sliceRows), row, column, columns);
  });
  gpu::ReturnOp::create(builder, loc);
}

/// The CTA behind those whose steps begin before step `end`; `cta` is one of
/// them.
Value Reduction::emitEndCta(Value cta, Value end,
                            llvm::function_ref<Value(Value)> firstStep) {
  Type index = builder.getIndexType();
  auto loop = scf::WhileOp::create(builder, loc, index, cta);
  OpBuilder::InsertionGuard restore(builder);
  Block *head = builder.createBlock(&loop.getBefore(), {}, index, loc);
  Value next = head->getArgument(0);
  Value more = compare(arith::CmpIPredicate::ult, firstStep(next), end);
  scf::ConditionOp::create(builder, loc, more, next);
  Block *body = builder.createBlock(&loop.getAfter(), {}, index, loc);
  Value after =
      arith::AddIOp::create(builder, loc, body->getArgument(0), constant(1));
  scf::YieldOp::create(builder, loc, after);
  return loop.getResult(0);
}

/// CTAs (x, y) share out the pieces of the tile in which the steps of CTA x end
/// and those of CTA x + 1 begin, unless those of an earlier one end in it, too.
void Reduction::emitForShares(const TileShares &shares, TileCoordOp coord) {
  auto add = [&](Value lhs, Value rhs) -> Value {
    return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  };
  auto mul = [&](Value lhs, Value rhs) -> Value {
    return builder.createOrFold<arith::MulIOp>(loc, lhs, rhs);
  };
  auto both = [&](Value lhs, Value rhs) -> Value {
    return arith::AndIOp::create(builder, loc, lhs, rhs);
  };
  int64_t tileM = coord.getTileM(), tileN = coord.getTileN();
  Value whole =
      mul(emitWholeTiles(builder, loc, shares.tiles, shares.ctas), shares.ctas);
  Value steps = mul(arith::SubIOp::create(builder, loc, shares.tiles, whole),
                    shares.depthTiles);
  auto firstStep = [&](Value cta) {
    return emitFirstStep(builder, loc, steps, shares.ctas, cta);
  };
  Value before = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value second = add(before, constant(1));
  Value step = firstStep(second);
  Value tile = arith::DivUIOp::create(builder, loc, step, shares.depthTiles);
  Value start = mul(tile, shares.depthTiles);
  Value stepBefore = firstStep(before);
  Value isCut = compare(arith::CmpIPredicate::ne, step, start);
  Value isFirst = compare(arith::CmpIPredicate::ule, stepBefore, start);
  when(both(isCut, isFirst), [&] {
    Value rows = builder.createOrFold<memref::DimOp>(loc, d, 0);
    Value columns = builder.createOrFold<memref::DimOp>(loc, d, 1);
    Type index = builder.getIndexType();
    auto here = TileCoordOp::create(
        builder, loc, index, index, tileM, tileN, columns, add(whole, tile),
        coord.getRaster(), coord.getRaster() != 1 ? rows : Value(),
        coord.getOrder(),
        /*cluster=*/DenseI64ArrayAttr());
    // The first share is the CTA's first one only if the tile begins with it;
    // of the others each begins within the tile.
    Value other = compare(arith::CmpIPredicate::ne, stepBefore, start);
    Value share = add(mul(before, constant(2)),
                      arith::IndexCastUIOp::create(builder, loc, index, other));
    Value end = emitEndCta(second, add(start, shares.depthTiles), firstStep);
    Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::y);
    Value blocks = gpu::GridDimOp::create(builder, loc, gpu::Dimension::y);
    Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
    Value perRow = constant(tileN / width);
    auto pieces = scf::ForOp::create(
        builder, loc, add(mul(block, constant(kThreads)), thread),
        constant(tileM * tileN / width), mul(blocks, constant(kThreads)));
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(pieces.getBody());
    Value number = pieces.getInductionVar();
    Value inRow = arith::DivUIOp::create(builder, loc, number, perRow);
    Value inColumn = mul(arith::RemUIOp::create(builder, loc, number, perRow),
                         constant(width));
    Value row = add(here.getM(), inRow), column = add(here.getN(), inColumn);
    Value inside = both(compare(arith::CmpIPredicate::ult, row, rows),
                        compare(arith::CmpIPredicate::ult, column, columns));
    when(inside, [&] {
      auto loadShare = [&](Value share) {
        return load(add(mul(share, constant(tileM)), inRow), inColumn);
      };
      auto loop = scf::ForOp::create(builder, loc, second, end, constant(1),
                                     ValueRange{loadShare(share)});
      {
        OpBuilder::InsertionGuard restore(builder);
        builder.setInsertionPointToStart(loop.getBody());
        Value next = loadShare(mul(loop.getInductionVar(), constant(2)));
        Value sum = addSums(builder, loc, loop.getRegionIterArg(0), next);
        scf::YieldOp::create(builder, loc, sum);
      }
      emitWrite(loop.getResult(0), row, column, columns);
    });
  });
  gpu::ReturnOp::create(builder, loc);
}

} // namespace

/// An empty kernel that reads a workspace of partial sums and writes D; its
/// arguments have the types of `operands`.
static gpu::GPUFuncOp createReduction(Location loc, gpu::GPUFuncOp kernel,
                                      ValueRange operands) {
  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  std::string base = (kernel.getName() + "_reduce").str(), name = base;
  for (unsigned i = 1; module.lookupSymbol(name); ++i)
    name = base + "_" + std::to_string(i);
  OpBuilder inModule(kernel.getContext());
  inModule.setInsertionPointAfter(kernel);
  auto reduce =
      gpu::GPUFuncOp::create(inModule, loc, name,
                             inModule.getFunctionType(operands.getTypes(),
                                                      /*results=*/{}));
  reduce->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  inModule.getUnitAttr());
  // Room for the loads that are under way, and for two CTAs at a time.
  reduce->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                  inModule.getI32IntegerAttr(2));
  reduce.setKnownBlockSizeAttr(inModule.getDenseI32ArrayAttr({kThreads, 1, 1}));
  return reduce;
}

void bwgemm::emitReducePartials(OpBuilder &builder, Location loc,
                                gpu::GPUFuncOp kernel, const PartialSums &sums,
                                Value d, StoreOp store, ValueRange extras) {
  SmallVector<Value> operands{sums.workspace, d};
  llvm::append_range(operands, extras);
  gpu::GPUFuncOp reduce = createReduction(loc, kernel, operands);
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
      loc, rows,
      ceilDiv(columns, Reduction::getWidth(cast<MemRefType>(d.getType()))));
  Value one = constant(1);
  auto launch = gpu::LaunchFuncOp::create(
      builder, loc, reduce,
      gpu::KernelDim3{ceilDiv(pieces, kThreads), one, one},
      gpu::KernelDim3{constant(kThreads), one, one},
      arith::ConstantIntOp::create(builder, loc, 0, 32), operands);
  Value parts = passToKernel(reduce, launch, sums.parts);
  Value sliceRows = passToKernel(reduce, launch, sums.sliceRows);
  Reduction(reduce, store).emit(parts, sliceRows);
}

Value bwgemm::emitWholeTiles(OpBuilder &builder, Location loc, Value tiles,
                             Value ctas) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value each = builder.createOrFold<arith::DivUIOp>(loc, tiles, ctas);
  Value over = builder.createOrFold<arith::RemUIOp>(loc, tiles, ctas);
  Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     over, constant(0));
  Value less = arith::SubIOp::create(
      builder, loc,
      builder.createOrFold<arith::MaxUIOp>(loc, each, constant(1)),
      constant(1));
  return arith::SelectOp::create(builder, loc, fits, each, less);
}

Value bwgemm::emitFirstStep(OpBuilder &builder, Location loc, Value steps,
                            Value ctas, Value cta) {
  Value each = builder.createOrFold<arith::DivUIOp>(loc, steps, ctas);
  Value longer = builder.createOrFold<arith::RemUIOp>(loc, steps, ctas);
  Value shorter = builder.createOrFold<arith::MulIOp>(loc, cta, each);
  return builder.createOrFold<arith::AddIOp>(
      loc, shorter, builder.createOrFold<arith::MinUIOp>(loc, cta, longer));
}

void bwgemm::emitReduceShares(OpBuilder &builder, Location loc,
                              gpu::GPUFuncOp kernel, const TileShares &shares,
                              TileCoordOp coord, Value d, StoreOp store,
                              ValueRange extras) {
  SmallVector<Value> operands{shares.workspace, d};
  llvm::append_range(operands, extras);
  gpu::GPUFuncOp reduce = createReduction(loc, kernel, operands);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  int64_t pieces = coord.getTileM() * coord.getTileN() /
                   Reduction::getWidth(cast<MemRefType>(d.getType()));
  Value one = constant(1);
  // A CTA for each place where one ends and the next one begins, of which there
  // are none if all tiles are whole. No launch of none takes place.
  Value whole = builder.createOrFold<arith::MulIOp>(
      loc, emitWholeTiles(builder, loc, shares.tiles, shares.ctas),
      shares.ctas);
  Value isCut = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                      whole, shares.tiles);
  Value places = arith::SelectOp::create(
      builder, loc, isCut,
      builder.createOrFold<arith::SubIOp>(loc, shares.ctas, one), constant(0));
  auto launch = gpu::LaunchFuncOp::create(
      builder, loc, reduce,
      gpu::KernelDim3{
          places, constant(llvm::divideCeil(pieces, kPieces * kThreads)), one},
      gpu::KernelDim3{constant(kThreads), one, one},
      arith::ConstantIntOp::create(builder, loc, 0, 32), operands);
  TileShares inKernel{Value(), passToKernel(reduce, launch, shares.ctas),
                      passToKernel(reduce, launch, shares.tiles),
                      passToKernel(reduce, launch, shares.depthTiles)};
  Reduction(reduce, store).emitForShares(inKernel, coord);
}

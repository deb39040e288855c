//===- ElementKernel.cpp - One thread for each element of D ---------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementKernel.h"

#include "ElementEpilogue.h"

#include "bwgemm/IR/ElementTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::bwgemm;

ElementPlace bwgemm::emitElementPlace(OpBuilder &builder, Location loc, Value d,
                                      int64_t tile) {
  auto dim = [&](unsigned index) -> Value {
    return builder.createOrFold<memref::DimOp>(loc, d, index);
  };
  Value rows = dim(0), columns = dim(1);
  Type index = builder.getIndexType();
  auto origin = TileCoordOp::create(
      builder, loc, index, index, tile, tile, columns,
      /*tile=*/Value(), /*raster=*/1,
      /*rows=*/Value(), TileOrder::Straight, /*cluster=*/DenseI64ArrayAttr());
  auto thread = [&](gpu::Dimension dimension) -> Value {
    return gpu::ThreadIdOp::create(builder, loc, dimension);
  };
  // Neighbouring threads take neighbouring columns.
  ElementPlace place;
  place.row = arith::AddIOp::create(builder, loc, origin.getM(),
                                    thread(gpu::Dimension::y));
  place.column = arith::AddIOp::create(builder, loc, origin.getN(),
                                       thread(gpu::Dimension::x));
  auto below = [&](Value value, Value bound) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, value,
                                 bound);
  };
  Value inside = arith::AndIOp::create(builder, loc, below(place.row, rows),
                                       below(place.column, columns));
  place.guard =
      scf::IfOp::create(builder, loc, inside, /*withElseRegion=*/false);
  return place;
}

void bwgemm::emitElement(OpBuilder &builder, Location loc, GemmOp gemm,
                         Value sum, Value d, ValueRange extras, Value row,
                         Value column) {
  Value at[] = {row, column};
  if (gemm.getAccumulate()) {
    Value old = memref::LoadOp::create(builder, loc, d, at);
    sum = addSums(builder, loc, widenToSum(builder, loc, old, sum.getType()),
                  sum);
  }
  ElementEpilogue epilogue(extras, gemm.getEpilogueMapsAttr(),
                           gemm.getEpilogue(), gemm.getDType());
  Value result = epilogue.compute(
      builder, loc, sum, epilogue.load(builder, loc, row, column, /*width=*/0));
  memref::StoreOp::create(builder, loc, result, d, at);
}

void bwgemm::emitEpilogueAlone(OpBuilder &builder, Location loc, GemmOp gemm,
                               const DeviceOperands &operands) {
  constexpr int32_t tile = 16;
  gpu::GPUFuncOp kernel = createKernel(
      gemm, withExtraTypes(gemm.getDType(), gemm), {tile, tile}, "_epilogue");
  kernel->removeAttr("bwgemm.schedule");
  {
    OpBuilder body(kernel.getContext());
    body.setInsertionPointToEnd(&kernel.getBody().front());
    Value d = kernel.getArgument(0);
    ElementPlace place = emitElementPlace(body, loc, d, tile);
    gpu::ReturnOp::create(body, loc);
    body.setInsertionPointToStart(place.guard.thenBlock());
    Value zero = createZeroSum(body, loc, gemm.getSumType());
    emitElement(body, loc, gemm, zero, d, kernel.getArguments().drop_front(),
                place.row, place.column);
  }
  emitLaunch(builder, loc, kernel, operands, tile, tile,
             withExtras(operands.d, operands));
}

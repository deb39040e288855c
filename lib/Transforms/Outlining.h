//===- Outlining.h - From a gemm to a kernel and its launch -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LIB_TRANSFORMS_OUTLINING_H
#define BWGEMM_LIB_TRANSFORMS_OUTLINING_H

#include "bwgemm/IR/Bwgemm.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::bwgemm {

/// What a launch may use: operands in device memory and the problem's extents.
struct DeviceOperands {
  Value a, b, d;
  Value m, n, k;
  /// Those of the epilogue.
  SmallVector<Value> extras;
};

/// The operands of a launch of `gemm`'s kernel, or the types of the kernel's
/// arguments: `first`, followed by those of the epilogue.
SmallVector<Value> withExtras(ArrayRef<Value> first,
                              const DeviceOperands &operands);
SmallVector<Type> withExtraTypes(ArrayRef<Type> first, GemmOp gemm);

/// Creates an empty kernel for `gemm`, named after its function, in the
/// module's `gpu.module` (made when needed, for the module's target).
/// `blockSize` threads in x and y are recorded as the known block size.
/// `suffix` is put behind the function's name.
gpu::GPUFuncOp createKernel(GemmOp gemm, TypeRange arguments,
                            std::array<int32_t, 2> blockSize,
                            StringRef suffix = "_kernel");

/// Reports `what` when the function is called unless `lhs == rhs`, as far as
/// that is not known; accumulates into `ok`, which is null as long as nothing
/// is left to be found out.
void requireEqual(OpBuilder &builder, Location loc, Value lhs, Value rhs,
                  StringRef what, Value &ok);

/// Makes `threads` in x the block size of a kernel and of its launches.
void setBlockSize(gpu::GPUFuncOp kernel, int64_t threads);

/// Replaces `gemm` by host code that checks that sizes agree, returns early for
/// an empty result, fills with zero (or leaves) D where K is zero, or launches
/// a kernel of the epilogue alone, and otherwise stages the operands and lets
/// `launch` emit the launch.
void replaceWithHostCode(
    GemmOp gemm,
    llvm::function_ref<void(OpBuilder &, Location, const DeviceOperands &)>
        launch);

/// Makes the types of a kernel's arguments those that its body has, and lets
/// its launches encode tensor maps of these types.
void updateMaps(gpu::GPUFuncOp kernel);

/// Emits the launch of `kernel` with one CTA for each tile of `tileM` x `tileN`
/// of the result, numbered along N first as `bwgemm.tile_coord` expects, in
/// clusters of `cluster` CTAs along M and N: as many whole clusters as cover
/// the result.
void emitLaunch(OpBuilder &builder, Location loc, gpu::GPUFuncOp kernel,
                const DeviceOperands &operands, int64_t tileM, int64_t tileN,
                ValueRange arguments, std::array<int64_t, 2> cluster = {1, 1});

} // namespace mlir::bwgemm

#endif // BWGEMM_LIB_TRANSFORMS_OUTLINING_H

//===- ScheduleChecks.cpp - What all schedules are asked ------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleChecks.h"

#include "bwgemm/IR/ElementTypes.h"
#include "bwgemm/Transforms/ScheduleSearch.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::bwgemm;

/// Rows of tiles that are walked together, unless the SPEC says otherwise:
/// about a square of tiles is under way at one time.
static constexpr int64_t kRaster = 8;

/// Whether tensor cores may have operands of this type at all.
static std::optional<std::string> whyNotPrecise(GemmOp gemm,
                                                Precision precision) {
  if (!gemm.getAType().getElementType().isF32() || precision == Precision::Tf32)
    return std::nullopt;
  return "expects precision=tf32 for operands of f32, of which tensor cores "
         "leave out the low 13 bits; schedule=naive multiplies all of them";
}

/// Operands whose K is not contiguous in memory.
static std::optional<std::string> whyNotKMajor(GemmOp gemm, StringRef who) {
  std::string type;
  llvm::raw_string_ostream(type) << gemm.getAType().getElementType();
  for (auto [transposed, name, mode] :
       {std::tuple(gemm.getTransposeA(), "A", "M"),
        std::tuple(!gemm.getTransposeB(), "B", "N")})
    if (transposed)
      return (Twine("operand ") + name + " of " + type + " has " + mode +
              " contiguous in memory, but " + who +
              " takes operands of its size that have K so; "
              "schedule=multistage reads any layout")
          .str();
  return std::nullopt;
}

std::optional<std::string> bwgemm::whyNotByDescriptors(GemmOp gemm,
                                                       const TargetInfo &target,
                                                       Precision precision) {
  if (std::optional<std::string> why = whyNotPrecise(gemm, precision))
    return why;
  if (target.hasTcgen05 && !target.hasTcgen05OfIntegers &&
      gemm.getSumType().isInteger())
    return "expects operands that are no integers, which tcgen05 multiplies on "
           "sm_100a and not on " +
           target.name.str() + "; schedule=multistage does";
  // PTX ISA, wgmma.mma_async, imm-trans; tcgen05.mma, transposes of kind::tf32.
  Type type = gemm.getAType().getElementType();
  if (target.hasWgmma && !type.isF16() && !type.isBF16())
    return whyNotKMajor(gemm, "wgmma");
  if (type.isF32())
    return whyNotKMajor(gemm, "tcgen05");
  return std::nullopt;
}

std::optional<std::string> bwgemm::whyNotByMmaSync(GemmOp gemm,
                                                   const TargetInfo &target,
                                                   Precision precision) {
  if (std::optional<std::string> why = whyNotPrecise(gemm, precision))
    return why;
  if (isFp8(gemm.getAType().getElementType()) && !target.hasMmaSyncOfFp8)
    return "expects operands that are no numbers of 8 bits, which mma.sync "
           "multiplies on sm_89 and later and not on " +
           target.name.str() + "; schedule=naive does";
  return std::nullopt;
}

/// PTX ISA, mma.m16n8k16. Numbers of 8 bits have sums of f16 too, from PTX 8.7
/// on, but not in all PTX that is written here.
std::optional<std::string> bwgemm::whyNotInHalf(GemmOp gemm, Preset preset) {
  Type type = gemm.getAType().getElementType();
  if (!type.isF16()) {
    std::string why;
    llvm::raw_string_ostream(why)
        << "expects operands of f16 with accumulator=f16, but got " << type
        << "; without that field their sums are of " << gemm.getSumType();
    return why;
  }
  if (!usesMmaSync(preset))
    return "has no accumulator=f16, whose sums are those of mma.sync; "
           "schedule=multistage has it, and so have microkernel, tiled and "
           "double_buffered";
  return std::nullopt;
}

int64_t bwgemm::getInstructionDepth(GemmOp gemm) {
  return 32 * 8 / gemm.getAType().getElementTypeBitWidth();
}

LogicalResult
bwgemm::checkSplitK(GemmOp gemm, int64_t splitK, int64_t tileK,
                    llvm::function_ref<InFlightDiagnostic()> refuse) {
  int64_t depth = getKnownDepth(gemm);
  // K = 0 has no kernel.
  if (splitK == 1 || ShapedType::isDynamic(depth) || depth == 0)
    return success();
  int64_t most = llvm::divideCeil(depth, tileK);
  if (splitK > most)
    return refuse() << "split_k=" << splitK << " needs that many tiles of K, "
                    << "but K of " << depth << " has " << most << " of "
                    << tileK << "; at most split_k=" << most << " fits";
  return success();
}

LogicalResult
bwgemm::checkPromotion(GemmOp gemm, const ScheduleSpec &spec, int64_t tileK,
                       llvm::function_ref<InFlightDiagnostic()> refuse) {
  if (spec.compensated.value_or(false) && !spec.promote)
    return refuse() << "expects promote=K with compensated=on, the elements of "
                       "K after which sums are added; promote=512 is one";
  if (spec.compensated.value_or(false) &&
      spec.accumulator.value_or(Accumulator::F32) == Accumulator::F16)
    return refuse() << "expects compensated=off with accumulator=f16: the next "
                       "block would begin from the error of a sum of f32, "
                       "which an accumulator of f16 cannot hold; promote="
                    << *spec.promote << " alone, or accumulator=f32, fits";
  if (!spec.promote)
    return success();
  if (!isa<FloatType>(gemm.getAType().getElementType()))
    return refuse() << "expects no promote for operands of "
                    << gemm.getAType().getElementType()
                    << ", whose sums are exact";
  if (*spec.promote % tileK != 0)
    return refuse() << "expects a promote of a multiple of the tile's K, "
                    << tileK << ", but got " << *spec.promote << "; "
                    << llvm::alignTo(*spec.promote, tileK) << " is one";
  return success();
}

LogicalResult
bwgemm::chooseOrder(const ScheduleSpec &spec, bool inGroups,
                    ScheduleFields &fields,
                    llvm::function_ref<InFlightDiagnostic()> refuse) {
  fields.order = spec.order.value_or(TileOrder::Straight);
  bool hilbert = fields.order == TileOrder::Hilbert;
  fields.raster = spec.raster.value_or(inGroups || hilbert ? kRaster : 1);
  if (hilbert && !isHilbertRaster(fields.raster))
    return refuse() << "expects a raster that is a power of two, 2 at least, "
                       "for order=hilbert, but got raster="
                    << fields.raster << "; order=serpentine takes any";
  return success();
}

//===- BwgemmTypes.cpp - Types of the bwgemm dialect ----------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SwizzleSyntax.h"
#include "bwgemm/IR/Bwgemm.h"
#include "bwgemm/IR/ElementTypes.h"
#include "bwgemm/IR/TargetInfo.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::bwgemm;

#define GET_TYPEDEF_CLASSES
#include "bwgemm/IR/BwgemmTypes.cpp.inc"

void BwgemmDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "bwgemm/IR/BwgemmTypes.cpp.inc"
      >();
}

using EmitError = function_ref<InFlightDiagnostic()>;

/// Before `bwgemm-pair-ctas` halves it, a tile may be one that only a pair of
/// CTAs can hold. What one CTA holds is planned by `bwgemm-plan-resources`.
constexpr int64_t kMaxPairBytes = 2 * kMaxSharedBytes;

//===----------------------------------------------------------------------===//
// Shared pieces of syntax and verification
//===----------------------------------------------------------------------===//

/// `4x128x64xbf16`
static ParseResult parseShape(AsmParser &parser,
                              SmallVectorImpl<int64_t> &shape,
                              Type &elementType) {
  return failure(parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
                 parser.parseType(elementType));
}

static void printShape(AsmPrinter &printer, ArrayRef<int64_t> shape,
                       Type elementType) {
  for (int64_t extent : shape)
    printer << extent << "x";
  printer << elementType;
}

/// `, swizzle = 128B`, or nothing for no swizzle.
static FailureOr<SwizzleAttr> parseOptionalSwizzle(AsmParser &parser) {
  if (failed(parser.parseOptionalComma()))
    return SwizzleAttr::getNone(parser.getContext());
  if (parser.parseKeyword("swizzle") || parser.parseEqual())
    return failure();
  return parseSwizzleName(parser);
}

static void printOptionalSwizzle(AsmPrinter &printer, SwizzleAttr swizzle) {
  if (!swizzle.isNone())
    printer << ", swizzle = " << swizzle.getName();
}

/// Whole bytes, and a type that can be an operand of a tensor core or a tensor
/// map.
static LogicalResult verifyElementType(EmitError emitError, Type type) {
  bool supported = isOperandType(type) || type.isSignlessInteger(16) ||
                   type.isSignlessInteger(32);
  if (!supported)
    return emitError() << "expects an element type of f16, bf16, f32, "
                          "f8E4M3FN, f8E5M2, i8, ui8, i16 or i32, but got "
                       << type;
  return success();
}

static int64_t bytesOf(Type type) { return type.getIntOrFloatBitWidth() / 8; }

//===----------------------------------------------------------------------===//
// TensorMapType
//===----------------------------------------------------------------------===//

int64_t TensorMapType::getElementBytes() const {
  return bytesOf(getElementType());
}

int64_t TensorMapType::getBoxBytes() const {
  int64_t bytes = getElementBytes();
  for (int64_t extent : getShape())
    bytes *= extent;
  return bytes;
}

LogicalResult TensorMapType::verify(EmitError emitError,
                                    ArrayRef<int64_t> shape, Type elementType,
                                    SwizzleAttr swizzle) {
  // tensor_map_c1
  if (shape.empty() || shape.size() > 5)
    return emitError() << "expects a tensor map of 1 to 5 dimensions, but got "
                       << shape.size();
  // tensor_map_c2
  if (failed(verifyElementType(emitError, elementType)))
    return failure();
  // tensor_map_c3
  for (int64_t extent : shape)
    if (extent < 1 || extent > kMaxBoxExtent)
      return emitError() << "expects box extents of 1 to " << kMaxBoxExtent
                         << " elements, but got " << extent
                         << "; use several boxes";
  // tensor_map_c4
  if (!swizzle.isHardwareMode())
    return emitError() << "expects a swizzle that TMA knows (none, 32B, 64B or "
                          "128B), but got "
                       << swizzle.getName();
  int64_t rowBytes = shape.back() * bytesOf(elementType);
  // tensor_map_c5
  if (rowBytes % kTmaAlignment != 0)
    return emitError() << "expects a box row of a multiple of 16 bytes, but "
                          "got "
                       << rowBytes << " (" << shape.back() << " x "
                       << elementType << ")";
  // tensor_map_c6
  if (!swizzle.isNone() && rowBytes > swizzle.getRowBytes())
    return emitError() << "expects a box row of at most "
                       << swizzle.getRowBytes() << " bytes for swizzle "
                       << swizzle.getName() << ", but got " << rowBytes;
  return success();
}

Type TensorMapType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  if (parser.parseLess() || parseShape(parser, shape, elementType))
    return {};
  FailureOr<SwizzleAttr> swizzle = parseOptionalSwizzle(parser);
  if (failed(swizzle) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    shape, elementType, *swizzle);
}

void TensorMapType::print(AsmPrinter &printer) const {
  printer << "<";
  printShape(printer, getShape(), getElementType());
  printOptionalSwizzle(printer, getSwizzle());
  printer << ">";
}

//===----------------------------------------------------------------------===//
// SmemType
//===----------------------------------------------------------------------===//

int64_t SmemType::getElementBytes() const { return bytesOf(getElementType()); }

int64_t SmemType::getRowElements() const {
  return getSwizzle().getRowBytes() / getElementBytes();
}

int64_t SmemType::getStageBytes() const {
  return getMN() * getK() * getElementBytes();
}

int64_t SmemType::getAlignment() const {
  return std::max<int64_t>(128, getSwizzle().getAtomBytes());
}

LogicalResult SmemType::verify(EmitError emitError, ArrayRef<int64_t> shape,
                               Type elementType, Major major,
                               SwizzleAttr swizzle) {
  // smem_c1
  if (shape.size() != 2 && shape.size() != 3)
    return emitError() << "expects a tile of MN x K or stages x MN x K, but "
                          "got "
                       << shape.size() << " dimensions";
  // smem_c2
  for (int64_t extent : shape)
    if (extent < 1 || extent > kMaxTileExtent)
      return emitError() << "expects extents of 1 to " << kMaxTileExtent
                         << ", but got " << extent;
  // smem_c3
  if (failed(verifyElementType(emitError, elementType)))
    return failure();
  int64_t mn = shape[shape.size() - 2], k = shape.back();
  bool kMajor = major == Major::K;
  int64_t rowBytes = swizzle.getRowBytes();
  int64_t contiguousBytes = (kMajor ? k : mn) * bytesOf(elementType);
  // smem_c4: a tile is made of whole columns.
  if (contiguousBytes % rowBytes != 0)
    return emitError() << "expects the contiguous mode ("
                       << (kMajor ? "K" : "MN") << ") to be a multiple of "
                       << rowBytes << " bytes for swizzle " << swizzle.getName()
                       << ", but got " << contiguousBytes;
  // smem_c5: a core matrix has eight rows.
  int64_t rows = kMajor ? mn : k;
  if (rows % 8 != 0)
    return emitError() << "expects the other mode (" << (kMajor ? "MN" : "K")
                       << ") to be a multiple of 8 rows, but got " << rows;
  // smem_c6
  int64_t bytes = bytesOf(elementType);
  for (int64_t extent : shape)
    bytes *= extent;
  if (bytes > kMaxPairBytes)
    return emitError() << "expects a tile of at most " << kMaxPairBytes
                       << " bytes (the shared memory of two CTAs), but got "
                       << bytes;
  return success();
}

Type SmemType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  StringRef majorName;
  if (parser.parseLess() || parseShape(parser, shape, elementType) ||
      parser.parseComma() || parser.parseKeyword(&majorName))
    return {};
  std::optional<Major> major = symbolizeMajor(majorName);
  if (!major) {
    parser.emitError(loc, "expects k_major or mn_major, but got ") << majorName;
    return {};
  }
  FailureOr<SwizzleAttr> swizzle = parseOptionalSwizzle(parser);
  if (failed(swizzle) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    shape, elementType, *major, *swizzle);
}

void SmemType::print(AsmPrinter &printer) const {
  printer << "<";
  printShape(printer, getShape(), getElementType());
  printer << ", " << stringifyMajor(getMajor());
  printOptionalSwizzle(printer, getSwizzle());
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Accumulators: TmemType, AccType
//===----------------------------------------------------------------------===//

static LogicalResult verifyAccumulator(EmitError emitError, int64_t rows,
                                       int64_t columns, Type elementType,
                                       bool mayBeHalf = false) {
  for (int64_t extent : {rows, columns})
    if (extent < 1 || extent > kMaxTileExtent)
      return emitError() << "expects extents of 1 to " << kMaxTileExtent
                         << ", but got " << rows << "x" << columns;
  if (!elementType.isF32() && !elementType.isSignlessInteger(32) &&
      !(mayBeHalf && elementType.isF16()))
    return emitError() << "expects an accumulator of "
                       << (mayBeHalf ? "f32, f16 or i32" : "f32 or i32")
                       << ", but got " << elementType;
  return success();
}

/// `<128x256xf32`, without what closes it.
static ParseResult parseAccumulator(AsmParser &parser,
                                    SmallVectorImpl<int64_t> &shape,
                                    Type &elementType) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseShape(parser, shape, elementType))
    return failure();
  if (shape.size() != 2)
    return parser.emitError(loc, "expects rows x columns, but got ")
           << shape.size() << " dimensions";
  return success();
}

/// An accumulator that has an extent and a type and nothing else.
template <typename T> static Type parsePlain(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  if (parseAccumulator(parser, shape, elementType) || parser.parseGreater())
    return {};
  return T::getChecked([&] { return parser.emitError(loc); },
                       parser.getContext(), shape[0], shape[1], elementType);
}

template <typename T> static void printPlain(T type, AsmPrinter &printer) {
  printer << "<" << type.getRows() << "x" << type.getColumns() << "x"
          << type.getElementType() << ">";
}

int64_t TmemType::getAllocatedColumns() const {
  return std::max<int64_t>(kMinTensorMemoryColumns,
                           llvm::PowerOf2Ceil(getCellColumns()));
}

LogicalResult TmemType::verify(EmitError emitError, int64_t rows,
                               int64_t columns, Type elementType, bool folded) {
  // tmem_c1
  if (failed(verifyAccumulator(emitError, rows, columns, elementType)))
    return failure();
  // tmem_c2
  if (rows != 64 && rows != 128)
    return emitError() << "expects 64 or 128 rows of tensor memory, but got "
                       << rows;
  // tmem_c4
  if (folded && (rows != 64 || columns % 2 != 0))
    return emitError() << "expects 64 rows and an even number of columns of a "
                          "folded accumulator, but got "
                       << rows << "x" << columns;
  // tmem_c3
  int64_t cells = folded ? columns / 2 : columns;
  if (cells > kTensorMemoryColumns)
    return emitError() << "expects at most " << kTensorMemoryColumns
                       << " columns of tensor memory, but got " << cells;
  return success();
}

Type TmemType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  if (parseAccumulator(parser, shape, elementType))
    return {};
  bool folded = succeeded(parser.parseOptionalComma());
  if ((folded && parser.parseKeyword("folded")) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    shape[0], shape[1], elementType, folded);
}

void TmemType::print(AsmPrinter &printer) const {
  printer << "<" << getRows() << "x" << getColumns() << "x" << getElementType()
          << (getFolded() ? ", folded" : "") << ">";
}

LogicalResult AccType::verify(EmitError emitError, int64_t rows,
                              int64_t columns, Type elementType) {
  // acc_c1
  return verifyAccumulator(emitError, rows, columns, elementType);
}

Type AccType::parse(AsmParser &parser) { return parsePlain<AccType>(parser); }

void AccType::print(AsmPrinter &printer) const { printPlain(*this, printer); }

LogicalResult FragmentType::verify(EmitError emitError, int64_t rows,
                                   int64_t columns, Type elementType,
                                   int64_t warpsM, int64_t warpsN) {
  // fragment_c1
  if (failed(verifyAccumulator(emitError, rows, columns, elementType,
                               /*mayBeHalf=*/true)))
    return failure();
  // fragment_c2: a CTA has at most 1024 threads.
  if (warpsM < 1 || warpsN < 1 || warpsM > 32 || warpsN > 32 ||
      warpsM * warpsN > 32)
    return emitError() << "expects 1 to 32 warps, but got " << warpsM << "x"
                       << warpsN;
  // fragment_c3: PTX ISA, mma.m16n8k16 and wgmma.mma_async, fragments.
  if (rows % (16 * warpsM) != 0 || columns % (8 * warpsN) != 0)
    return emitError() << "expects 16 rows and 8 columns for each warp or a "
                          "multiple of them, "
                       << 16 * warpsM << "x" << 8 * warpsN << ", but got "
                       << rows << "x" << columns;
  return success();
}

Type FragmentType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape, warps;
  Type elementType;
  if (parseAccumulator(parser, shape, elementType))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    SMLoc warpsLoc = parser.getCurrentLocation();
    if (parser.parseKeyword("warps") || parser.parseEqual() ||
        parser.parseDimensionList(warps, /*allowDynamic=*/false,
                                  /*withTrailingX=*/false))
      return {};
    if (warps.size() != 2) {
      parser.emitError(warpsLoc, "expects warps of two extents (M x N), but "
                                 "got ")
          << warps.size();
      return {};
    }
  } else {
    warps = {std::max<int64_t>(shape[0] / 16, 1), 1};
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    shape[0], shape[1], elementType, warps[0], warps[1]);
}

void FragmentType::print(AsmPrinter &printer) const {
  printer << "<" << getRows() << "x" << getColumns() << "x" << getElementType();
  if (!isOfWarpgroups())
    printer << ", warps = " << getWarpsM() << "x" << getWarpsN();
  printer << ">";
}

LogicalResult OperandType::verify(EmitError emitError, OperandSide side,
                                  int64_t rows, int64_t columns,
                                  Type elementType) {
  // operand_c1
  if (!isOperandType(elementType))
    return emitError() << "expects elements of " << kOperandTypes
                       << ", but got " << elementType;
  // operand_c2: PTX ISA, mma.m16n8k16, m16n8k32 and m16n8k8, fragments A and B.
  bool narrow = side == OperandSide::B && rows == 8;
  int64_t depth = 32 / bytesOf(elementType);
  if (rows < 8 || rows > 256 || (!narrow && rows % 16 != 0) || columns != depth)
    return emitError() << "expects a multiple of 16 rows up to 256, or 8 rows "
                          "of b, and "
                       << depth << " columns of " << elementType << ", but got "
                       << rows << "x" << columns;
  return success();
}

Type OperandType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  SmallVector<int64_t> shape;
  Type elementType;
  if (parser.parseLess())
    return {};
  SMLoc sideLoc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return {};
  std::optional<OperandSide> side = symbolizeOperandSide(name);
  if (!side) {
    parser.emitError(sideLoc, "expects a or b, but got ") << name;
    return {};
  }
  if (parser.parseComma() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseGreater())
    return {};
  if (shape.size() != 2) {
    parser.emitError(loc, "expects two extents (rows x columns), but got ")
        << shape.size();
    return {};
  }
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    *side, shape[0], shape[1], elementType);
}

void OperandType::print(AsmPrinter &printer) const {
  printer << "<" << stringifyOperandSide(getSide()) << ", " << getRows() << "x"
          << getColumns() << "x" << getElementType() << ">";
}

//===----------------------------------------------------------------------===//
// TmemSlotType, MBarrierType, WorkType
//===----------------------------------------------------------------------===//

template <typename T> static Type parseNumber(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t value;
  if (parser.parseLess() || parser.parseInteger(value) || parser.parseGreater())
    return {};
  return T::getChecked([&] { return parser.emitError(loc); },
                       parser.getContext(), value);
}

LogicalResult TmemSlotType::verify(EmitError emitError, int64_t columns) {
  // tmem_slot_c1
  if (columns < kMinTensorMemoryColumns || columns > kTensorMemoryColumns ||
      !llvm::isPowerOf2_64(columns))
    return emitError() << "expects a power of two from "
                       << kMinTensorMemoryColumns << " to "
                       << kTensorMemoryColumns << " columns, but got "
                       << columns;
  return success();
}

Type TmemSlotType::parse(AsmParser &parser) {
  return parseNumber<TmemSlotType>(parser);
}

void TmemSlotType::print(AsmPrinter &printer) const {
  printer << "<" << getColumns() << ">";
}

LogicalResult MBarrierType::verify(EmitError emitError, int64_t count) {
  // mbarrier_c1: eight bytes of shared memory each.
  if (count < 1 || count > kMaxSharedBytes / 8)
    return emitError() << "expects 1 to " << kMaxSharedBytes / 8
                       << " mbarriers, but got " << count;
  return success();
}

Type MBarrierType::parse(AsmParser &parser) {
  return parseNumber<MBarrierType>(parser);
}

void MBarrierType::print(AsmPrinter &printer) const {
  printer << "<" << getCount() << ">";
}

LogicalResult WorkType::verify(EmitError emitError, int64_t count) {
  // work_c1
  if (count < 1 || count > kMaxSharedBytes / kResponseBytes)
    return emitError() << "expects 1 to " << kMaxSharedBytes / kResponseBytes
                       << " responses, but got " << count;
  return success();
}

Type WorkType::parse(AsmParser &parser) {
  return parseNumber<WorkType>(parser);
}

void WorkType::print(AsmPrinter &printer) const {
  printer << "<" << getCount() << ">";
}

//===----------------------------------------------------------------------===//
// RingType
//===----------------------------------------------------------------------===//

bool RingType::isTensorMemory() const {
  return !isTurns() && isa<TmemType>(getBuffers().front());
}

bool RingType::isWork() const {
  return !isTurns() && isa<WorkType>(getBuffers().front());
}

int64_t RingType::getSlotBytes() const {
  if (isWork())
    return WorkType::kResponseBytes;
  int64_t bytes = 0;
  for (Type buffer : getBuffers())
    if (auto tile = dyn_cast<SmemType>(buffer))
      bytes += tile.getBytes();
  return bytes;
}

LogicalResult RingType::verify(EmitError emitError, int64_t stages,
                               ArrayRef<Type> buffers) {
  // ring_type_c1
  if (stages < 1 || stages > kMaxRingStages)
    return emitError() << "expects 1 to " << kMaxRingStages
                       << " slots, but got " << stages;
  if (buffers.empty())
    return success();
  // ring_type_c2
  bool isTensor = isa<TmemType>(buffers.front());
  if (isTensor && buffers.size() != 1)
    return emitError() << "expects one accumulator in a slot, but got "
                       << buffers.size();
  auto work = dyn_cast<WorkType>(buffers.front());
  // ring_type_c5
  if (work && (buffers.size() != 1 || work.getCount() != 1))
    return emitError() << "expects one response in a slot, but got "
                       << buffers.size() << " x " << work;
  if (work)
    return success();
  int64_t bytes = 0;
  for (Type buffer : buffers) {
    if (isTensor)
      continue;
    auto tile = dyn_cast<SmemType>(buffer);
    // ring_type_c3
    if (!tile || tile.hasStages())
      return emitError() << "expects tiles in shared memory without stages of "
                            "their own, or one accumulator, but got "
                         << buffer;
    bytes += tile.getBytes() * stages;
  }
  // ring_type_c4
  if (bytes > kMaxPairBytes)
    return emitError() << "expects a ring of at most " << kMaxPairBytes
                       << " bytes (the shared memory of two CTAs), but got "
                       << bytes;
  return success();
}

Type RingType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t stages;
  SmallVector<Type> buffers;
  if (parser.parseLess() || parser.parseInteger(stages) ||
      parser.parseKeyword("x") ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Paren,
          [&] { return parser.parseType(buffers.emplace_back()); }) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    stages, buffers);
}

void RingType::print(AsmPrinter &printer) const {
  printer << "<" << getStages() << " x (";
  llvm::interleaveComma(getBuffers(), printer);
  printer << ")>";
}

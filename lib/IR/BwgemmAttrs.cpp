//===- BwgemmAttrs.cpp - Swizzles -----------------------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SwizzleSyntax.h"
#include "bwgemm/IR/Bwgemm.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::bwgemm;

#include "bwgemm/IR/BwgemmEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "bwgemm/IR/BwgemmAttrs.cpp.inc"

void BwgemmDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "bwgemm/IR/BwgemmAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// SwizzleAttr
//===----------------------------------------------------------------------===//

SwizzleAttr SwizzleAttr::getNone(MLIRContext *context) {
  return get(context, 0, 4, 3);
}

SwizzleAttr SwizzleAttr::getForSpan(MLIRContext *context, unsigned bytes) {
  switch (bytes) {
  case 32:
    return get(context, 1, 4, 3);
  case 64:
    return get(context, 2, 4, 3);
  case 128:
    return get(context, 3, 4, 3);
  default:
    return getNone(context);
  }
}

uint64_t SwizzleAttr::apply(uint64_t address) const {
  uint64_t mask = ((uint64_t(1) << getBits()) - 1) << getBase();
  return address ^ ((address >> getShift()) & mask);
}

bool SwizzleAttr::isHardwareMode() const {
  return isNone() || (getBits() <= 3 && getBase() == 4 && getShift() == 3);
}

unsigned SwizzleAttr::getRowBytes() const {
  return isNone() ? 16 : 1u << (getBase() + getBits());
}

unsigned SwizzleAttr::getAtomBytes() const {
  return isNone() ? 16 : 1u << (getBase() + getShift() + getBits());
}

std::string SwizzleAttr::getName() const {
  if (isNone())
    return "none";
  if (isHardwareMode())
    return std::to_string(getRowBytes()) + "B";
  return "<" + std::to_string(getBits()) + ", " + std::to_string(getBase()) +
         ", " + std::to_string(getShift()) + ">";
}

LogicalResult SwizzleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  unsigned bits, unsigned base,
                                  unsigned shift) {
  // swizzle_c1: the two bit fields may not overlap, or the map would not be a
  // permutation that undoes itself.
  if (shift < bits)
    return emitError() << "expects a swizzle shift of at least the number of "
                          "bits ("
                       << bits << "), but got " << shift;
  // swizzle_c2: addresses of shared memory have 18 bits.
  if (uint64_t(bits) + base + shift > 18)
    return emitError() << "expects bits + base + shift of a swizzle to be at "
                          "most 18 (shared memory addresses), but got "
                       << bits << " + " << base << " + " << shift;
  return success();
}

/// One printed form for a swizzle that does nothing, whatever its base.
static SwizzleAttr normalized(SwizzleAttr swizzle) {
  return swizzle.isNone() ? SwizzleAttr::getNone(swizzle.getContext())
                          : swizzle;
}

FailureOr<SwizzleAttr> bwgemm::parseSwizzleName(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  MLIRContext *context = parser.getContext();
  if (succeeded(parser.parseOptionalKeyword("none")))
    return SwizzleAttr::getNone(context);
  if (succeeded(parser.parseOptionalLess())) {
    unsigned bits, base, shift;
    if (parser.parseInteger(bits) || parser.parseComma() ||
        parser.parseInteger(base) || parser.parseComma() ||
        parser.parseInteger(shift) || parser.parseGreater())
      return failure();
    auto attr = SwizzleAttr::getChecked([&] { return parser.emitError(loc); },
                                        context, bits, base, shift);
    if (!attr)
      return failure();
    return normalized(attr);
  }
  int64_t bytes = 0;
  OptionalParseResult number = parser.parseOptionalInteger(bytes);
  if (!number.has_value()) {
    parser.emitError(loc, "expects a swizzle: none, 32B, 64B, 128B or <bits, "
                          "base, shift>");
    return failure();
  }
  if (failed(*number) || failed(parser.parseKeyword("B")))
    return failure();
  if (bytes != 32 && bytes != 64 && bytes != 128) {
    parser.emitError(loc, "expects a swizzle of 32B, 64B or 128B, but got ")
        << bytes << "B";
    return failure();
  }
  return SwizzleAttr::getForSpan(context, bytes);
}

Attribute SwizzleAttr::parse(AsmParser &parser, Type) {
  // Between the angle brackets stands either a name or the three numbers.
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  unsigned first;
  if (succeeded(parser.parseOptionalKeyword("none")))
    return parser.parseGreater()
               ? Attribute()
               : Attribute(SwizzleAttr::getNone(parser.getContext()));
  if (parser.parseInteger(first))
    return {};
  if (succeeded(parser.parseOptionalKeyword("B"))) {
    if (first != 32 && first != 64 && first != 128) {
      parser.emitError(loc, "expects a swizzle of 32B, 64B or 128B, but got ")
          << first << "B";
      return {};
    }
    if (parser.parseGreater())
      return {};
    return SwizzleAttr::getForSpan(parser.getContext(), first);
  }
  unsigned base, shift;
  if (parser.parseComma() || parser.parseInteger(base) || parser.parseComma() ||
      parser.parseInteger(shift) || parser.parseGreater())
    return {};
  auto attr = SwizzleAttr::getChecked([&] { return parser.emitError(loc); },
                                      parser.getContext(), first, base, shift);
  return attr ? normalized(attr) : SwizzleAttr();
}

void SwizzleAttr::print(AsmPrinter &printer) const {
  if (isHardwareMode()) {
    printer << "<" << getName() << ">";
    return;
  }
  printer << getName();
}

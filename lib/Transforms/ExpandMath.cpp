//===- ExpandMath.cpp - Functions of real numbers without a library -------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function becomes a reduction of its argument to a small interval and a
// polynomial there, in fused multiply-adds: the same bits on every device, and
// no call of libdevice, which not every machine has. The coefficients are
// least-squares fits, in double precision, reweighted until the largest error
// is as small as it gets, then rounded to f32. test/Execution/math.test
// measures the errors. With the fast-math flag afn some are the hardware's
// approximations, whose bits are the chip's own.
//
//===----------------------------------------------------------------------===//

#include "bwgemm/IR/Epilogue.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_EXPANDMATH
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2.
constexpr float kExp[] = {0.5f, 0.166665181517601f, 0.04166620597243309f,
                          0.008368954062461853f, 0.0013950594002380967f};
/// (2^f - 1) / f for |f| <= 1 / 2.
constexpr float kExp2[] = {0.6931471824645996f,    0.24022650718688965f,
                           0.055503275245428085f,  0.009618010371923447f,
                           0.0013400434982031584f, 0.0001547462452435866f};
/// (ln(1 + f) - f + f^2 / 2) / f^3 for |f| <= 1 / 3.
constexpr float kLog[] = {0.33333224058151245f, -0.24999690055847168f,
                          0.20010018348693848f, -0.1668543666601181f,
                          0.1401127278804779f,  -0.12115491181612015f,
                          0.1396089792251587f,  -0.13190199434757233f};
/// (e^(2 r) - 1 - 2 r) / r^2 for |r| <= ln(2) / 4.
constexpr float kExpOfTwice[] = {2.0f, 1.3333238363265991f, 0.6666696667671204f,
                                 0.26771724224090576f, 0.08894884586334229f};
/// erf(x) / x - 1 in x^2, for |x| <= kErfSmall.
constexpr float kErf[] = {0.12837916612625122f,  -0.37612631916999817f,
                          0.11283672600984573f,  -0.026858104392886162f,
                          0.00519779697060585f,  -0.0008105962770059705f,
                          8.215414709411561e-05f};
constexpr float kErfSmall = 0.93f;
/// -ln(1 - erf(x)) for x from kErfSmall to 4, where erf rounds to 1.
constexpr float kErfc[] = {-8.59699648572132e-05f,  1.1289799213409424f,
                           0.6347531080245972f,     0.10616809874773026f,
                           -0.02312340773642063f,   0.0029410996939986944f,
                           5.9320514992577955e-05f, -0.00010335163096897304f,
                           1.7853972167358734e-05f, -1.1102099506388186e-06f};
/// ln(2) in two parts, of which the first has few digits, so that its product
/// with an exponent is exact.
constexpr float kLn2High = 0.693145751953125f, kLn2Low = 1.428606765330187e-06f;
constexpr float kLog2e = 1.4426950216293335f;
/// 1.5 * 2^23: a sum with it is rounded to an integer.
constexpr float kRound = 12582912.0f;

/// A call of an intrinsic of LLVM. Upstream's ops for these would become calls
/// of libdevice.
Value callIntrinsic(OpBuilder &builder, Location loc, StringRef name,
                    ValueRange arguments) {
  return LLVM::CallIntrinsicOp::create(builder, loc,
                                       arguments.front().getType(),
                                       builder.getStringAttr(name), arguments)
      .getResult(0);
}

/// Emits functions of f32, numbers or vectors.
class Functions {
public:
  Functions(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(type) {}

  Value exp(Value x);
  Value exp2(Value x);
  Value log(Value x);
  Value log2(Value x);
  Value tanh(Value x);
  Value erf(Value x);
  /// What hardware has: `tanh.approx.f32` and `ex2.approx.f32`, which LLVM
  /// selects for its intrinsics with the same flag.
  Value approximateTanh(Value x) { return callApproximate("llvm.tanh", x); }
  Value approximateExp2(Value x) { return callApproximate("llvm.exp2", x); }
  Value approximateExp(Value x) { return approximateExp2(mul(x, f32(kLog2e))); }
  Value rsqrt(Value x) {
    return div(f32(1), callIntrinsic(builder, loc, "llvm.sqrt", x));
  }

private:
  Value f32(float value) { return splat(builder.getF32FloatAttr(value), type); }
  Value i32(int32_t value) {
    return splat(builder.getI32IntegerAttr(value), getInt());
  }
  Value splat(TypedAttr value, Type type) {
    if (auto vector = dyn_cast<VectorType>(type))
      value = DenseElementsAttr::get(vector, value);
    return arith::ConstantOp::create(builder, loc, value);
  }
  Type getInt() {
    Type i32 = builder.getI32Type();
    auto vector = dyn_cast<VectorType>(type);
    return vector ? vector.clone(i32) : i32;
  }
  Value add(Value x, Value y) {
    return arith::AddFOp::create(builder, loc, x, y);
  }
  Value sub(Value x, Value y) {
    return arith::SubFOp::create(builder, loc, x, y);
  }
  Value mul(Value x, Value y) {
    return arith::MulFOp::create(builder, loc, x, y);
  }
  Value div(Value x, Value y) {
    return arith::DivFOp::create(builder, loc, x, y);
  }
  Value fma(Value x, Value y, Value z) {
    return LLVM::FMAOp::create(builder, loc, x, y, z);
  }
  Value callApproximate(StringRef name, Value x) {
    auto call = LLVM::CallIntrinsicOp::create(builder, loc, type,
                                              builder.getStringAttr(name), x);
    call.setFastmathFlags(LLVM::FastmathFlags::afn);
    return call.getResult(0);
  }
  Value abs(Value x) { return callIntrinsic(builder, loc, "llvm.fabs", x); }
  Value withSign(Value x, Value sign) {
    return callIntrinsic(builder, loc, "llvm.copysign", {x, sign});
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(builder, loc, condition, x, y);
  }
  Value less(Value x, Value y) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, x, y);
  }
  Value lessOrNaN(Value x, Value y) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ULT, x, y);
  }
  Value toBits(Value x) {
    return arith::BitcastOp::create(builder, loc, getInt(), x);
  }
  Value fromBits(Value x) {
    return arith::BitcastOp::create(builder, loc, type, x);
  }
  /// NaN stays NaN.
  Value clamp(Value x, float least, float most) {
    Value low = arith::MaximumFOp::create(builder, loc, x, f32(least));
    return arith::MinimumFOp::create(builder, loc, low, f32(most));
  }
  Value polynomial(ArrayRef<float> coefficients, Value x) {
    Value sum = f32(coefficients.back());
    for (float coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, f32(coefficient));
    return sum;
  }
  Value scale(Value x, Value rounded);
  /// e^x as mantissa in [1 / sqrt(2), sqrt(2)] and exponent, kRound + n.
  struct Power {
    Value mantissa, rounded;
  };
  Power splitExp(Value x);
  Value scaleModest(Value x, Value rounded);
  Value expOfModest(Value x);
  Value reciprocalOfModest(Value x);
  /// What `body` makes of each element of `x`.
  Value forElements(Value x, llvm::function_ref<Value(Value)> body);
  /// ln(x) = exponent ln(2) + first + second.
  struct Logarithm {
    Value exponent, first, second;
  };
  Logarithm splitLog(Value x);
  Value forAnyArgument(Value x, Value logarithm);

  OpBuilder &builder;
  Location loc;
  Type type;
};

/// x 2^n for an integer n of at most 252 in magnitude, of which kRound + n is
/// given. In two steps, as numbers near the ends of f32 need: the first one is
/// exact.
Value Functions::scale(Value x, Value rounded) {
  Value all = arith::SubIOp::create(
      builder, loc, arith::BitcastOp::create(builder, loc, getInt(), rounded),
      i32(0x4B400000));
  Value half = arith::ShRSIOp::create(builder, loc, all, i32(1));
  Value rest = arith::SubIOp::create(builder, loc, all, half);
  for (Value part : {half, rest}) {
    Value biased = arith::AddIOp::create(builder, loc, part, i32(127));
    Value bits = arith::ShLIOp::create(builder, loc, biased, i32(23));
    x = mul(x, arith::BitcastOp::create(builder, loc, type, bits));
  }
  return x;
}

Functions::Power Functions::splitExp(Value x) {
  Value rounded = fma(x, f32(kLog2e), f32(kRound));
  Value n = sub(rounded, f32(kRound));
  Value r = fma(n, f32(-kLn2Low), fma(n, f32(-kLn2High), x));
  return {fma(fma(polynomial(kExp, r), r, f32(1)), r, f32(1)), rounded};
}

Value Functions::exp(Value x) {
  // Beyond these the result is 0 or infinity.
  auto [mantissa, rounded] = splitExp(clamp(x, -104, 89));
  return scale(mantissa, rounded);
}

/// exp for -80 to 80, whose results are normal numbers: n is added to the
/// exponent. A NaN gives any number.
Value Functions::expOfModest(Value x) {
  auto [mantissa, rounded] = splitExp(x);
  return scaleModest(mantissa, rounded);
}

/// x 2^n for kRound + n, a normal number: n is added to the exponent.
Value Functions::scaleModest(Value x, Value rounded) {
  Value n = arith::ShLIOp::create(builder, loc, toBits(rounded), i32(23));
  return fromBits(arith::AddIOp::create(builder, loc, toBits(x), n));
}

/// 1 / x for 2^-100 to 2^100, correctly rounded. What `rcp.approx` gives is
/// within one unit in the last place (PTX ISA, rcp), and one step of Newton's
/// from there is right: from below for all mantissas but that of ones only,
/// from above for all but 32 of the 2^23, and on an H200 for all of them. So
/// the bits are those of every device. Dividing takes a branch for what is not
/// modest.
Value Functions::reciprocalOfModest(Value x) {
  Value guess = forElements(x, [&](Value element) -> Value {
    return NVVM::RcpApproxFtzF32Op::create(builder, loc, element.getType(),
                                           element);
  });
  Value error = fma(arith::NegFOp::create(builder, loc, x), guess, f32(1));
  return fma(guess, error, guess);
}

Value Functions::forElements(Value x, llvm::function_ref<Value(Value)> body) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return body(x);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < vector.getNumElements(); ++i)
    elements.push_back(body(vector::ExtractOp::create(builder, loc, x, i)));
  return vector::FromElementsOp::create(builder, loc, vector, elements);
}

Value Functions::exp2(Value x) {
  x = clamp(x, -151, 129);
  Value rounded = add(x, f32(kRound));
  Value n = sub(rounded, f32(kRound));
  Value f = sub(x, n);
  return scale(fma(polynomial(kExp2, f), f, f32(1)), rounded);
}

Functions::Logarithm Functions::splitLog(Value x) {
  // Subnormal numbers have no exponent of their own.
  Value isSmall = less(x, f32(1.17549435e-38f));
  Value bits = arith::BitcastOp::create(
      builder, loc, getInt(), select(isSmall, mul(x, f32(0x1p23f)), x));
  // The bits of 2 / 3: what is left behind the exponent is from there to 4 / 3.
  Value above = arith::SubIOp::create(builder, loc, bits, i32(0x3F2AAAAB));
  Value exponent = arith::ShRSIOp::create(builder, loc, above, i32(23));
  Value shift = arith::ShLIOp::create(builder, loc, exponent, i32(23));
  Value mantissa = arith::BitcastOp::create(
      builder, loc, type, arith::SubIOp::create(builder, loc, bits, shift));
  Value e = arith::SIToFPOp::create(builder, loc, type, exponent);
  Value f = sub(mantissa, f32(1));
  Value rest = mul(mul(f, f), fma(polynomial(kLog, f), f, f32(-0.5f)));
  return {select(isSmall, sub(e, f32(23)), e), f, rest};
}

/// `logarithm` for positive numbers, and what it is for the other ones.
Value Functions::forAnyArgument(Value x, Value logarithm) {
  float infinity = std::numeric_limits<float>::infinity();
  Value zero = f32(0);
  auto equal = [&](Value y) -> Value {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, x, y);
  };
  Value result = select(equal(f32(infinity)), x, logarithm);
  result = select(equal(zero), f32(-infinity), result);
  // Less, or not a number.
  Value isNone =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ULT, x, zero);
  return select(isNone, f32(std::numeric_limits<float>::quiet_NaN()), result);
}

Value Functions::log(Value x) {
  auto [e, first, second] = splitLog(x);
  Value low = add(first, fma(e, f32(kLn2Low), second));
  return forAnyArgument(x, fma(e, f32(kLn2High), low));
}

Value Functions::log2(Value x) {
  auto [e, first, second] = splitLog(x);
  return forAnyArgument(x, fma(add(first, second), f32(kLog2e), e));
}

/// E / (E + 2) with E = e^(2 |x|) - 1, which small numbers keep their digits
/// in: |x| = n ln(2) / 2 + r, and E = 2^n (e^(2 r) - 1) + (2^n - 1).
Value Functions::tanh(Value x) {
  // From there on it rounds to 1.
  Value size = arith::MinimumFOp::create(builder, loc, abs(x), f32(9.1f));
  Value rounded = fma(size, f32(2 * kLog2e), f32(kRound));
  Value n = sub(rounded, f32(kRound));
  Value r = fma(n, f32(-kLn2Low / 2), fma(n, f32(-kLn2High / 2), size));
  Value part = fma(mul(r, r), polynomial(kExpOfTwice, r), add(r, r));
  Value power = scaleModest(f32(1), rounded);
  Value grown = fma(power, part, sub(power, f32(1)));
  return withSign(mul(grown, reciprocalOfModest(add(grown, f32(2)))), x);
}

Value Functions::erf(Value x) {
  Value square = mul(x, x), size = abs(x);
  Value small = fma(x, polynomial(kErf, square), x);
  Value exponent =
      arith::NegFOp::create(builder, loc, polynomial(kErfc, clamp(size, 0, 4)));
  Value large = sub(f32(1), expOfModest(exponent));
  return select(lessOrNaN(size, f32(kErfSmall)), small, withSign(large, x));
}

/// Whether an op would become a call of the library of device functions: all of
/// math, and two of arith.
bool isFunction(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) ||
         isa<arith::MaxNumFOp, arith::MinNumFOp>(op);
}

/// The value of such an op; null if this pass does not know it.
Value expand(OpBuilder &builder, Operation *op) {
  Location loc = op->getLoc();
  Functions functions(builder, loc, op->getResult(0).getType());
  Value x = op->getOperand(0);
  if (isApproximateOp(op))
    return isa<math::TanhOp>(op)  ? functions.approximateTanh(x)
           : isa<math::ExpOp>(op) ? functions.approximateExp(x)
                                  : functions.approximateExp2(x);
  if (isa<math::ExpOp>(op))
    return functions.exp(x);
  if (isa<math::Exp2Op>(op))
    return functions.exp2(x);
  if (isa<math::LogOp>(op))
    return functions.log(x);
  if (isa<math::Log2Op>(op))
    return functions.log2(x);
  if (isa<math::TanhOp>(op))
    return functions.tanh(x);
  if (isa<math::ErfOp>(op))
    return functions.erf(x);
  if (isa<math::RsqrtOp>(op))
    return functions.rsqrt(x);
  if (isa<math::SqrtOp>(op))
    return callIntrinsic(builder, loc, "llvm.sqrt", x);
  if (isa<math::AbsFOp>(op))
    return callIntrinsic(builder, loc, "llvm.fabs", x);
  if (isa<math::CeilOp>(op))
    return callIntrinsic(builder, loc, "llvm.ceil", x);
  if (isa<math::FloorOp>(op))
    return callIntrinsic(builder, loc, "llvm.floor", x);
  if (isa<math::FmaOp>(op))
    return LLVM::FMAOp::create(builder, loc, x, op->getOperand(1),
                               op->getOperand(2));
  if (isa<arith::MaxNumFOp>(op))
    return LLVM::MaxNumOp::create(builder, loc, x, op->getOperand(1));
  if (isa<arith::MinNumFOp>(op))
    return LLVM::MinNumOp::create(builder, loc, x, op->getOperand(1));
  return {};
}

class ExpandMathPass : public bwgemm::impl::ExpandMathBase<ExpandMathPass> {
public:
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isFunction(op) && op->getParentOfType<gpu::GPUFuncOp>() &&
          op->getNumResults() == 1 &&
          getElementTypeOrSelf(op->getResult(0)).isF32())
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      OpBuilder builder(op);
      if (Value value = expand(builder, op)) {
        op->getResult(0).replaceAllUsesWith(value);
        op->erase();
      }
    }
  }
};

} // namespace

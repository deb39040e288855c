//===- FloatSupport.h - What f32 and f64 instructions share -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_INSTRUCTIONS_FLOATSUPPORT_H
#define BWGEMM_EMULATOR_INSTRUCTIONS_FLOATSUPPORT_H

#include "instructions/Arithmetic.h"
#include "instructions/Lanes.h"
#include "machine/Float16.h"

namespace bwgemm::emulator {

/// Subnormal numbers become zero of their sign (.ftz).
inline float flushSubnormal(float value) {
  uint32_t bits = floatToBits(value);
  return bitsToFloat((bits & 0x7F800000) == 0 ? bits & 0x80000000 : bits);
}

/// Every NaN result of an f32 instruction is 0x7FFFFFFF; f64 keeps payloads.
inline float canonical(float value) {
  return value != value ? bitsToFloat(0x7FFFFFFF) : value;
}
inline double canonical(double value) { return value; }

/// Into [0, 1], NaN and -0 to +0 (.sat).
template <class T> inline T saturate01(T value) {
  return value > T(0) ? (value < T(1) ? value : T(1)) : T(0);
}

template <class T, bool ftz> inline T readFloat(T value) {
  if constexpr (ftz && sizeof(T) == 4)
    return flushSubnormal(value);
  else
    return value;
}
template <class T, bool ftz, bool sat> inline T writeFloat(T value) {
  value = readFloat<T, ftz>(value);
  if constexpr (sat)
    return saturate01(value);
  else
    return canonical(value);
}

/// True if a result that came out as the smallest normal f32 was subnormal,
/// which .ftz flushes: if it is below that when it is rounded to 24 digits
/// whatever its exponent (measured on an H200). `exact` is the exact result,
/// or the exact result rounded to odd; the host's rounding mode is the
/// instruction's.
inline bool isTinyF32(double exact) {
  return std::fabs(static_cast<float>(exact * 0x1p64)) < 0x1p-62f;
}

/// Whether F has exact(…), for the above.
template <class F, class = void> struct HasExact : std::false_type {};
template <class F>
struct HasExact<F, std::void_t<decltype(&F::exact)>> : std::true_type {};

/// F with the modifiers applied to what goes in and comes out.
template <class F, class T, bool ftz, bool sat> struct Modified {
  template <class... O> static T apply(O... operands) {
    return writeFloat<T, ftz, sat>(compute(readFloat<T, ftz>(operands)...));
  }

private:
  template <class... O> static T compute(O... operands) {
    T result = F::apply(operands...);
    if constexpr (ftz && sizeof(T) == 4 && HasExact<F>::value)
      if (std::fabs(result) == 0x1p-126f && isTinyF32(F::exact(operands...)))
        return std::copysign(0.0f, result);
    return result;
  }
};

template <class F, class T, unsigned sources, bool ftz, bool sat>
inline const Handler modifiedHandler = [] {
  using M = Modified<F, T, ftz, sat>;
  if constexpr (sources == 1)
    return forHost<map1Loop<M, T, T>>();
  else if constexpr (sources == 2)
    return forHost<map2Loop<M, T, T, T>>();
  else
    return forHost<map3Loop<M, T, T, T, T>>();
}();

/// The handler for F on f32 or f64 (which has no .ftz).
template <class F, unsigned sources>
Handler pickFloat(Type type, bool ftz, bool sat) {
  if (type == Type::F64)
    return modifiedHandler<F, double, sources, false, false>;
  if (ftz)
    return sat ? modifiedHandler<F, float, sources, true, true>
               : modifiedHandler<F, float, sources, true, false>;
  return sat ? modifiedHandler<F, float, sources, false, true>
             : modifiedHandler<F, float, sources, false, false>;
}

/// Takes .rn, .rz, .rm or .rp; false if none is there.
bool takeRounding(Decode &decode, Rounding &rounding);

/// Makes `inner` run with the host rounding as asked.
void setRounded(Instruction &out, Handler inner, Rounding rounding);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_INSTRUCTIONS_FLOATSUPPORT_H

//===- Lanes.h - Loops over the lanes of a warp -----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_INSTRUCTIONS_LANES_H
#define BWGEMM_EMULATOR_INSTRUCTIONS_LANES_H

#include "machine/Warp.h"

#include <cstring>
#include <type_traits>

namespace bwgemm::emulator {

/// Calls `body(lane)` for every lane in the mask, lowest first.
template <class Body> inline void forLanes(LaneMask mask, Body &&body) {
  if (mask == allLanes) {
    for (unsigned lane = 0; lane < warpSize; ++lane)
      body(lane);
    return;
  }
  for (; mask; mask &= mask - 1)
    body(static_cast<unsigned>(__builtin_ctz(mask)));
}

//===----------------------------------------------------------------------===//
// Loops for what the host can do
//===----------------------------------------------------------------------===//

/// True if lane loops use AVX2: the host has it, and BWGEMM_EMULATOR_VECTORS is
/// not `portable`. Both give the same bits; tests run with either.
bool hostHasAvx2();

/// A handler, or what it calls, that is to be compiled for each kind of host.
#define BWGEMM_LANE_LOOP inline __attribute__((always_inline))

#if defined(__x86_64__) && defined(__GNUC__)
template <Handler body>
__attribute__((target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt")))
Step withAvx2(Warp &w, const Instruction &i, LaneMask mask) {
  return body(w, i, mask);
}
/// `body` compiled for this host; it is a BWGEMM_LANE_LOOP.
template <Handler body> Handler forHost() {
  return hostHasAvx2() ? withAvx2<body> : body;
}
#else
template <Handler body> Handler forHost() { return body; }
#endif

/// One bit for each of 32 bytes that are 0 or 1.
BWGEMM_LANE_LOOP LaneMask laneMask(const uint8_t *bytes) {
  LaneMask mask = 0;
  for (unsigned part = 0; part < 4; ++part) {
    uint64_t eight;
    std::memcpy(&eight, bytes + 8 * part, 8);
    // Byte b contributes its bit to bit 56 + b of the product.
    mask |= LaneMask((eight * 0x0102040810204080ull) >> 56) << (8 * part);
  }
  return mask;
}

/// The register storage of a value of type T.
template <class T>
using Storage = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

/// The value of type T in a register; narrow types take the low bits.
template <class T> inline T fromStorage(Storage<T> raw) {
  if constexpr (std::is_floating_point_v<T>) {
    T value;
    std::memcpy(&value, &raw, sizeof(T));
    return value;
  } else {
    return static_cast<T>(raw);
  }
}

/// What a register of T's width holds after it is given `value`; 16-bit
/// values leave the upper half zero.
template <class T> inline Storage<T> toStorage(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    Storage<T> raw;
    std::memcpy(&raw, &value, sizeof(T));
    return raw;
  } else {
    return static_cast<Storage<T>>(static_cast<std::make_unsigned_t<T>>(value));
  }
}

/// operands[0] = F::apply(operands[1], …) in each lane, elementwise. Lanes do
/// not depend on each other even if a source is the destination, so the loop
/// over all lanes may be vectorised.
template <class F, class R, class A>
BWGEMM_LANE_LOOP Step map1Loop(Warp &w, const Instruction &i, LaneMask mask) {
  Storage<R> *d = w.out<Storage<R>>(i.operands[0]);
  const Storage<A> *a = w.in<Storage<A>>(i.operands[1]);
  if (mask == allLanes) {
#pragma GCC ivdep
    for (unsigned l = 0; l < warpSize; ++l)
      d[l] = toStorage<R>(F::apply(fromStorage<A>(a[l])));
    return Step::Next;
  }
  for (; mask; mask &= mask - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(mask));
    d[l] = toStorage<R>(F::apply(fromStorage<A>(a[l])));
  }
  return Step::Next;
}

template <class F, class R, class A, class B>
BWGEMM_LANE_LOOP Step map2Loop(Warp &w, const Instruction &i, LaneMask mask) {
  Storage<R> *d = w.out<Storage<R>>(i.operands[0]);
  const Storage<A> *a = w.in<Storage<A>>(i.operands[1]);
  const Storage<B> *b = w.in<Storage<B>>(i.operands[2]);
  if (mask == allLanes) {
#pragma GCC ivdep
    for (unsigned l = 0; l < warpSize; ++l)
      d[l] = toStorage<R>(F::apply(fromStorage<A>(a[l]), fromStorage<B>(b[l])));
    return Step::Next;
  }
  for (; mask; mask &= mask - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(mask));
    d[l] = toStorage<R>(F::apply(fromStorage<A>(a[l]), fromStorage<B>(b[l])));
  }
  return Step::Next;
}

template <class F, class R, class A, class B, class C>
BWGEMM_LANE_LOOP Step map3Loop(Warp &w, const Instruction &i, LaneMask mask) {
  Storage<R> *d = w.out<Storage<R>>(i.operands[0]);
  const Storage<A> *a = w.in<Storage<A>>(i.operands[1]);
  const Storage<B> *b = w.in<Storage<B>>(i.operands[2]);
  const Storage<C> *c = w.in<Storage<C>>(i.operands[3]);
  if (mask == allLanes) {
#pragma GCC ivdep
    for (unsigned l = 0; l < warpSize; ++l)
      d[l] = toStorage<R>(F::apply(fromStorage<A>(a[l]), fromStorage<B>(b[l]),
                                   fromStorage<C>(c[l])));
    return Step::Next;
  }
  for (; mask; mask &= mask - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(mask));
    d[l] = toStorage<R>(F::apply(fromStorage<A>(a[l]), fromStorage<B>(b[l]),
                                 fromStorage<C>(c[l])));
  }
  return Step::Next;
}

// The handlers. They are chosen before main begins, in no order: what is at
// namespace scope and wants one of them calls forHost itself.
template <class F, class R, class A>
inline const Handler map1 = forHost<map1Loop<F, R, A>>();
template <class F, class R, class A, class B>
inline const Handler map2 = forHost<map2Loop<F, R, A, B>>();
template <class F, class R, class A, class B, class C>
inline const Handler map3 = forHost<map3Loop<F, R, A, B, C>>();

/// The same for instructions that differ from lane to lane too much for the
/// loops above: `body(lane)` returns the value, of any width.
template <class Body>
inline Step setLanes(Warp &w, const Operand &destination, LaneMask mask,
                     Body &&body) {
  for (; mask; mask &= mask - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(mask));
    w.setValue(destination, lane, body(lane));
  }
  return Step::Next;
}

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_INSTRUCTIONS_LANES_H

//===- Types.h - Fundamental PTX types and state spaces ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_TYPES_H
#define BWGEMM_EMULATOR_MACHINE_TYPES_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace bwgemm::emulator {

/// Bit l is lane l.
using LaneMask = uint32_t;
inline constexpr unsigned warpSize = 32;
inline constexpr LaneMask allLanes = 0xFFFFFFFFu;

/// The type part of a mnemonic or declaration (PTX ISA 5.2).
enum class Type : uint8_t {
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  BF16,
  TF32,
  F32,
  F64,
  F16x2,
  BF16x2,
  F32x2,
  U16x2,
  S16x2,
  Pred,
};

/// "u32" to Type::U32; nothing for a word that is not one of the types above.
std::optional<Type> parseType(std::string_view word);
/// The word of `type`, without a dot.
std::string_view typeName(Type type);
/// Size in bits; 1 for Pred.
unsigned bitWidth(Type type);
bool isSigned(Type type);
bool isFloat(Type type); ///< F16, BF16, TF32, F32, F64 and their packed forms.

/// Where an address points. `Shared` is the executing CTA's own window,
/// `SharedCluster` that of any CTA of the cluster.
enum class Space : uint8_t {
  Generic,
  Global,
  Shared,
  SharedCluster,
  Local,
  Const,
  Param,
};

/// Lowest address of a shared variable: the first kilobyte of the window is
/// the system's (measured on an H200).
inline constexpr uint32_t sharedBase = 0x400;
/// Most shared memory a CTA may ask for, without the reserved kilobyte.
inline constexpr uint32_t maxSharedBytes = 227 * 1024;
/// A shared address carries the CTA's rank in its cluster from this bit up
/// (measured on an H200).
inline constexpr unsigned clusterRankShift = 24;
inline constexpr uint32_t clusterOffsetMask = 0xFFFFFF;
/// Generic addresses of shared and local memory. The places are not
/// architectural; these lie above any address a host process can map, so that
/// they never collide with device memory.
inline constexpr uint64_t sharedWindow = 0x0001'0000'0000'0000;
inline constexpr uint64_t localWindow = 0x0001'0001'0000'0000;
inline constexpr uint64_t windowBytes = 0x1'0000'0000;
/// Addresses of device functions, one every 16 bytes; no memory is there.
inline constexpr uint64_t functionWindow = 0x0001'0002'0000'0000;
/// Lowest local address; 0 is left out so that null is never valid.
inline constexpr uint32_t localBase = 0x10;

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_TYPES_H

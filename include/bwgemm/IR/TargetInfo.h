//===- TargetInfo.h - What each GPU target can do ---------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_IR_TARGETINFO_H
#define BWGEMM_IR_TARGETINFO_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace mlir::bwgemm {

/// Hardware limits that hold on every tensor-memory target (CUDA programming
/// guide, compute capability 10.x; PTX ISA, Tensor Memory).
constexpr int64_t kTensorMemoryColumns = 512;
constexpr int64_t kMinTensorMemoryColumns = 32;
constexpr int64_t kMaxBoxExtent = 256;
constexpr int64_t kTmaAlignment = 16;
/// The most shared memory that a CTA has on any target, in bytes.
constexpr int64_t kMaxSharedBytes = 227 * 1024;
/// Bound on the extents and stages that types and schedules carry: far beyond
/// what any target holds, and small enough that their products cannot overflow.
constexpr int64_t kMaxTileExtent = 1 << 16;
/// Slots of a ring: each takes two mbarriers, and more could not be filled.
constexpr int64_t kMaxRingStages = 64;
/// CTAs of a cluster that every GPU with clusters can launch (CUDA programming
/// guide, thread block clusters).
constexpr int64_t kMaxClusterSize = 8;
/// The tx-count of an mbarrier phase stays below this (PTX ISA, mbarrier; 2^20
/// traps on an H200).
constexpr int64_t kMaxTransactionBytes = 1 << 20;

/// What a `--target` means. Every entry carries all limits, so that a target
/// that is added to the table cannot inherit a wrong one.
struct TargetInfo {
  /// The name that NVPTX and ptxas use, e.g. "sm_100a".
  llvm::StringRef name;
  /// The lowest PTX version with which LLVM and ptxas take all that we emit
  /// for this target, as an LLVM feature, e.g. "+ptx88".
  llvm::StringRef ptxFeature;
  /// Tensor memory and tcgen05.
  bool hasTcgen05;
  /// Warpgroup multiplication, wgmma.
  bool hasWgmma;
  /// Clusters of CTAs: their barriers, distributed shared memory and multicast.
  bool hasClusters;
  /// Shared memory that a CTA may use, in bytes.
  int64_t maxSharedBytes;
  /// Multiprocessors of the largest data-center or desktop product that has
  /// this capability, for choices that count waves of CTAs.
  int64_t multiprocessors;
  /// tcgen05.mma of integers, kind::i8.
  bool hasTcgen05OfIntegers;
  /// mma.sync of 8-bit floating-point numbers.
  bool hasMmaSyncOfFp8;

  /// The entry for `name`, or null.
  static const TargetInfo *find(llvm::StringRef name);
  /// The names of targets with tcgen05, for diagnostics: "sm_100a, sm_100f,
  /// sm_103a".
  static std::string getTcgen05Names();
  /// The names of those with clusters.
  static std::string getClusterNames();
  /// Whether presets that bring operands by TMA work on it; those of mma.sync
  /// work on every target.
  bool hasTmaSchedules() const { return hasTcgen05 || hasWgmma; }
  /// The names of those on which they do.
  static std::string getTmaNames();
  /// All names.
  static std::string getNames();
};

} // namespace mlir::bwgemm

#endif // BWGEMM_IR_TARGETINFO_H

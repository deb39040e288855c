//===- Cells.h - Who touched which memory last ------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cell is 16 bytes of shared memory, or a column of tensor memory; it has up
// to 16 parts, which are bytes, or groups of 16 lanes.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_HAZARDS_CELLS_H
#define BWGEMM_EMULATOR_HAZARDS_CELLS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bwgemm::emulator {

enum class AccessKind : uint8_t {
  Load,       ///< Ordinary, by a thread.
  Store,      ///< Ordinary, by a thread.
  ThreadCopy, ///< cp.async, which writes as ordinary stores do.
  AsyncStore, ///< st.async, red.async.
  BulkWrite,  ///< Of a bulk copy into shared memory.
  BulkRead,   ///< Of a bulk copy out of shared memory.
  MmaRead,    ///< Operand of a tcgen05.mma in shared memory.
  WgmmaRead,
  CopyRead, ///< Source of a tcgen05.cp.
  TensorLoad,
  TensorStore,
  TensorRead,  ///< Operand of a tcgen05.mma in tensor memory.
  TensorWrite, ///< By tcgen05.mma, .cp or .shift.
  TensorFree,
};

inline bool isWrite(AccessKind kind) {
  switch (kind) {
  case AccessKind::Store:
  case AccessKind::ThreadCopy:
  case AccessKind::AsyncStore:
  case AccessKind::BulkWrite:
  case AccessKind::TensorStore:
  case AccessKind::TensorWrite:
  case AccessKind::TensorFree:
    return true;
  default:
    return false;
  }
}

/// True for what goes through the async proxy.
inline bool isProxied(AccessKind kind) {
  return kind >= AccessKind::BulkWrite && kind <= AccessKind::CopyRead;
}

struct MemoryAccess {
  uint32_t time =
      0; ///< Of `actor`; at least MemoryAccess::inFlight while not known.
  uint32_t line = 0;
  uint16_t actor = 0;
  uint16_t parts = 0; ///< Of the cell.
  uint16_t warp = 0;
  uint8_t lane = 0;
  uint8_t rank = 0; ///< Of the CTA of the thread, in its cluster.
  AccessKind kind = AccessKind::Load;
  /// An atomic, .relaxed, .volatile or the like: races with nothing.
  bool isStrong = false;

  static constexpr uint32_t inFlight = 0x80000000u;
};

/// The last write to each part, and the reads since, one for each actor.
using MemoryCell = std::vector<MemoryAccess>;

inline bool isSame(const MemoryAccess &a, const MemoryAccess &b) {
  return a.actor == b.actor && a.time == b.time && a.kind == b.kind &&
         a.isStrong == b.isStrong;
}

/// A later read of an actor stands for its earlier ones.
inline void noteRead(MemoryCell &cell, const MemoryAccess &read) {
  bool isNoted = false;
  size_t kept = 0;
  for (MemoryAccess &old : cell) {
    if (isSame(old, read)) {
      old.parts |= read.parts;
      isNoted = true;
    } else if (old.actor == read.actor && old.kind == read.kind &&
               old.isStrong == read.isStrong) {
      old.parts &= uint16_t(~read.parts);
    }
    if (old.parts)
      cell[kept++] = old;
  }
  cell.resize(kept);
  if (!isNoted)
    cell.push_back(read);
}

inline void noteWrite(MemoryCell &cell, const MemoryAccess &write) {
  size_t kept = 0;
  for (MemoryAccess &old : cell) {
    old.parts &= uint16_t(~write.parts);
    if (old.parts)
      cell[kept++] = old;
  }
  cell.resize(kept);
  if (kept && isSame(cell.back(), write) && cell.back().line == write.line)
    cell.back().parts |= write.parts;
  else
    cell.push_back(write);
}

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_HAZARDS_CELLS_H

//===- TargetInfo.cpp - The table of targets ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/IR/TargetInfo.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::bwgemm;

/// Shared memory per CTA: CUDA programming guide, technical specifications per
/// compute capability (163, 99, 227 KiB).
static constexpr TargetInfo kTargets[] = {
    {"sm_80", "+ptx70", false, 163 * 1024},
    {"sm_86", "+ptx71", false, 99 * 1024},
    {"sm_89", "+ptx78", false, 99 * 1024},
    {"sm_90", "+ptx80", false, 227 * 1024},
    {"sm_90a", "+ptx80", false, 227 * 1024},
    {"sm_100", "+ptx86", false, 227 * 1024},
    {"sm_100a", "+ptx88", true, 227 * 1024},
    {"sm_100f", "+ptx88", true, 227 * 1024},
    {"sm_103a", "+ptx88", true, 227 * 1024},
    {"sm_120", "+ptx87", false, 99 * 1024},
    {"sm_120a", "+ptx87", false, 99 * 1024},
};

const TargetInfo *TargetInfo::find(llvm::StringRef name) {
  for (const TargetInfo &target : kTargets)
    if (target.name == name)
      return &target;
  return nullptr;
}

static std::string joinNames(bool onlyTcgen05) {
  std::string names;
  for (const TargetInfo &target : kTargets) {
    if (onlyTcgen05 && !target.hasTcgen05)
      continue;
    if (!names.empty())
      names += ", ";
    names += target.name;
  }
  return names;
}

std::string TargetInfo::getTcgen05Names() { return joinNames(true); }

std::string TargetInfo::getNames() { return joinNames(false); }

//===- TargetInfo.cpp - The table of targets ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/IR/TargetInfo.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::bwgemm;

/// Shared memory per CTA: CUDA programming guide, technical specifications per
/// compute capability (163, 99, 227 KiB); clusters from 9.0 on.
/// Multiprocessors: A100, A10, L40, H100 and H200, B200, B300, RTX PRO 6000.
/// Integers and 8-bit floats: PTX ISA, target notes of tcgen05.mma and mma.
static constexpr TargetInfo kTargets[] = {
    {"sm_80", "+ptx70", false, false, false, 163 * 1024, 108, false, false},
    {"sm_86", "+ptx71", false, false, false, 99 * 1024, 84, false, false},
    {"sm_89", "+ptx84", false, false, false, 99 * 1024, 142, false, true},
    {"sm_90", "+ptx84", false, false, true, 227 * 1024, 132, false, true},
    {"sm_90a", "+ptx84", false, true, true, 227 * 1024, 132, false, true},
    {"sm_100", "+ptx86", false, false, true, 227 * 1024, 148, false, true},
    {"sm_100a", "+ptx88", true, false, true, 227 * 1024, 148, true, true},
    {"sm_100f", "+ptx88", true, false, true, 227 * 1024, 148, false, true},
    {"sm_103a", "+ptx88", true, false, true, 227 * 1024, 160, false, true},
    {"sm_120", "+ptx87", false, false, true, 99 * 1024, 188, false, true},
    {"sm_120a", "+ptx87", false, false, true, 99 * 1024, 188, false, true},
};

const TargetInfo *TargetInfo::find(llvm::StringRef name) {
  for (const TargetInfo &target : kTargets)
    if (target.name == name)
      return &target;
  return nullptr;
}

static std::string
joinNames(llvm::function_ref<bool(const TargetInfo &)> keep) {
  std::string names;
  for (const TargetInfo &target : kTargets) {
    if (!keep(target))
      continue;
    if (!names.empty())
      names += ", ";
    names += target.name;
  }
  return names;
}

std::string TargetInfo::getTcgen05Names() {
  return joinNames([](const TargetInfo &target) { return target.hasTcgen05; });
}

std::string TargetInfo::getTmaNames() {
  return joinNames(
      [](const TargetInfo &target) { return target.hasTmaSchedules(); });
}

std::string TargetInfo::getClusterNames() {
  return joinNames([](const TargetInfo &target) { return target.hasClusters; });
}

std::string TargetInfo::getNames() {
  return joinNames([](const TargetInfo &) { return true; });
}

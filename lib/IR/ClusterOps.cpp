//===- ClusterOps.cpp - CTAs that work together ---------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandVerifiers.h"

using namespace mlir;
using namespace mlir::bwgemm;

LogicalResult ClusterMaskOp::verify() {
  // cluster_mask_c1
  if (failed(verifyCluster(*this, getCluster())))
    return failure();
  auto group = static_cast<int64_t>(getCtaGroup());
  // cluster_mask_c2
  if (failed(verifyCtaGroup(*this, group)))
    return failure();
  // cluster_mask_c3
  if (group == 2 && getCluster()[0] % 2 != 0)
    return emitOpError() << "expects a cluster with an even number of CTAs "
                            "along M for cta_group 2, but got "
                         << getCluster()[0];
  // cluster_mask_c4
  if (group == 1 && getSet() == ClusterSet::Pair)
    return emitOpError("expects cta_group 2 for pairs, but got 1");
  return success();
}

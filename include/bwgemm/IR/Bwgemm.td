//===- Bwgemm.td - The whole bwgemm dialect ----------------*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TD
#define BWGEMM_TD

include "bwgemm/IR/BwgemmDialect.td"
include "bwgemm/IR/BwgemmAttrs.td"
include "bwgemm/IR/BwgemmTypes.td"
include "bwgemm/IR/GemmOps.td"
include "bwgemm/IR/HostOps.td"
include "bwgemm/IR/TileOps.td"
include "bwgemm/IR/SharedMemoryOps.td"
include "bwgemm/IR/MBarrierOps.td"
include "bwgemm/IR/TMAOps.td"
include "bwgemm/IR/TensorMemoryOps.td"
include "bwgemm/IR/MMAOps.td"
include "bwgemm/IR/RingOps.td"
include "bwgemm/IR/ClusterOps.td"
include "bwgemm/IR/LaunchControlOps.td"
include "bwgemm/IR/WarpgroupOps.td"
include "bwgemm/IR/MmaSyncOps.td"

#endif // BWGEMM_TD

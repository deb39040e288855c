//===- GraphParams.h - Nodes and their parameters ---------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every function that makes or changes a node, of whichever kind and form of
// the interface, comes down to making a Work from the node's parameters.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_DRIVER_API_GRAPHPARAMS_H
#define BWGEMM_EMULATOR_DRIVER_API_GRAPHPARAMS_H

#include "Graph.h"

namespace bwgemm::emulator::driver {

CUresult makeKernel(State &state, const CUDA_KERNEL_NODE_PARAMS &parameters,
                    const std::vector<CUlaunchAttribute> &attributes,
                    Work &work);
CUresult makeCopy(State &state, const CUDA_MEMCPY3D *parameters, Work &work);
CUresult makeSet(State &state, const CUDA_MEMSET_NODE_PARAMS &parameters,
                 Work &work);
CUresult makeHost(const CUDA_HOST_NODE_PARAMS *parameters, Work &work);
CUresult makeRecord(State &state, CUevent event, Work &work);
CUresult makeWait(State &state, CUevent event, Work &work);
CUresult makeValues(State &state,
                    const CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters,
                    Work &work);
/// Sets the address among the parameters.
CUresult makeAllocation(State &state, CUDA_MEM_ALLOC_NODE_PARAMS *parameters,
                        Context *context, Work &work);
CUresult makeFree(State &state, CUdeviceptr address, Work &work);
/// Copies the graph.
CUresult makeChild(State &state, CUgraph graph, Work &work);

/// The form that serves every kind.
CUresult makeWork(State &state, CUgraphNodeParams *parameters, Context *context,
                  Work &work);

/// Version 1 of a kernel node's parameters, which is shorter.
CUDA_KERNEL_NODE_PARAMS fromVersion1(const CUDA_KERNEL_NODE_PARAMS *shorter);

/// Whether a node's work may become `work`: of the same kind, and for what
/// stays with a node, the same.
bool sameKind(const Work &before, const Work &after);

} // namespace bwgemm::emulator::driver

#endif // BWGEMM_EMULATOR_DRIVER_API_GRAPHPARAMS_H

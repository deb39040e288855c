//===- LaunchControlOps.td - Cluster launch control -*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_LAUNCH_CONTROL_OPS_TD
#define BWGEMM_LAUNCH_CONTROL_OPS_TD

include "bwgemm/IR/BwgemmTypes.td"

def Bwgemm_WorkAllocOp : Bwgemm_Op<"work_alloc", [
    MemoryEffects<[MemAlloc<Bwgemm_SharedMemory>]>]> {
  let summary = "room for responses of launch control in shared memory";
  let description = [{
    `offset` is the place in the CTA's dynamic shared memory, in bytes, a
    multiple of 16; `bwgemm-plan-resources` sets it.

    ```mlir
    %responses = bwgemm.work_alloc : !bwgemm.work<3>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Bwgemm_WorkType:$work);
  let assemblyFormat = "(`offset` $offset^)? attr-dict `:` qualified(type($work))";
  let hasVerifier = 1;
}

def Bwgemm_WorkSliceOp : Bwgemm_Op<"work_slice", [Pure]> {
  let summary = "one of several responses";
  let description = [{
    ```mlir
    %response = bwgemm.work_slice %responses[%i] : !bwgemm.work<3>
    ```
  }];
  let arguments = (ins Bwgemm_WorkType:$responses, Index:$index);
  let results = (outs Bwgemm_WorkType:$response);
  let assemblyFormat = "$responses `[` $index `]` attr-dict `:` qualified(type($responses)) `->` qualified(type($response))";
  let hasVerifier = 1;
}

def Bwgemm_LaunchControlRequestOp : Bwgemm_Op<"launch_control.request", [
    MemoryEffects<[MemWrite<Bwgemm_SharedMemory>, MemRead<Bwgemm_BarrierState>,
                   MemWrite<Bwgemm_BarrierState>]>]> {
  let summary = "ask for the work of a CTA that has not been launched";
  let description = [{
    Asks the hardware to take a CTA of this grid off the list of those to be
    launched, so that this one does its work. The answer is written to
    `response` by the async proxy, and mbarrier `index` of `barriers` is
    signalled with its 16 bytes. One thread asks. A CTA that has read an answer
    of "none left" may not ask again.

    With `multicast` the cluster asks for another cluster: one of its CTAs does,
    and the answer goes to `response` and mbarrier `index` of each, at the same
    place. No CTA may have ended.

    PTX `clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128`,
    with `.multicast::cluster::all` before `.b128` (PTX ISA, clusterlaunchcontrol.try_cancel; sm_100 and later).

    ```mlir
    bwgemm.launch_control.request %response, %full[%i] : !bwgemm.work<1>, !bwgemm.mbarrier<3>
    ```
  }];
  let arguments = (ins Bwgemm_WorkType:$response, Bwgemm_MBarrierType:$barriers,
                       Index:$index, UnitAttr:$multicast);
  let assemblyFormat = "$response `,` $barriers `[` $index `]` (`multicast` $multicast^)? attr-dict `:` qualified(type($response)) `,` qualified(type($barriers))";
  let hasVerifier = 1;
}

def Bwgemm_LaunchControlReadOp : Bwgemm_Op<"launch_control.read", [
    MemoryEffects<[MemRead<Bwgemm_SharedMemory>]>]> {
  let summary = "bring a response to registers";
  let description = [{
    After a wait on the mbarrier that the request signals. Before the place is
    given back for another request, which the async proxy writes, the thread
    executes `bwgemm.fence async_shared`. An `ld.shared` of 16 bytes.

    ```mlir
    %answer = bwgemm.launch_control.read %response : !bwgemm.work<1>
    ```
  }];
  let arguments = (ins Bwgemm_WorkType:$response);
  let results = (outs I<128>:$answer);
  let assemblyFormat = "$response attr-dict `:` qualified(type($response))";
  let hasVerifier = 1;
}

def Bwgemm_LaunchControlIsCanceledOp : Bwgemm_Op<"launch_control.is_canceled", [Pure]> {
  let summary = "whether the request got a CTA";
  let description = [{
    True if a CTA's launch was cancelled and its work is this CTA's now; false
    if there was none left. PTX
    `clusterlaunchcontrol.query_cancel.is_canceled.pred.b128`.

    ```mlir
    %more = bwgemm.launch_control.is_canceled %answer
    ```
  }];
  let arguments = (ins I<128>:$answer);
  let results = (outs I1:$canceled);
  let assemblyFormat = "$answer attr-dict";
}

def Bwgemm_LaunchControlFirstCtaOp : Bwgemm_Op<"launch_control.first_cta", [
    MemoryEffects<[MemRead<Bwgemm_BarrierState>]>]> {
  let summary = "which CTA the request got";
  let description = [{
    `blockIdx.x` of the CTA (of its cluster's first one) that will not run. It is
    undefined where `is_canceled` is false, so it has an effect that keeps it
    behind the branch. PTX
    `clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128`.

    ```mlir
    %tile = bwgemm.launch_control.first_cta %answer
    ```
  }];
  let arguments = (ins I<128>:$answer);
  let results = (outs Index:$cta);
  let assemblyFormat = "$answer attr-dict";
}

#endif // BWGEMM_LAUNCH_CONTROL_OPS_TD

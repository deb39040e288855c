//===- RingOps.td - Rings of buffers, and roles of warps -*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_RING_OPS_TD
#define BWGEMM_RING_OPS_TD

include "bwgemm/IR/BwgemmTypes.td"

def Bwgemm_RingOp : Bwgemm_Op<"ring", [
    MemoryEffects<[MemAlloc<Bwgemm_SharedMemory>, MemAlloc<Bwgemm_BarrierState>]>]> {
  let summary = "a ring of slots, each of which is either full or empty";
  let description = [{
    A ring hands slots from a producer to a consumer. Each slot holds one buffer
    of each element type and is empty at first. For both, slots follow each
    other in the same order, so that a cursor (which slot, and on which turn) is
    all that either has to remember:

    | | waits | then | and says so with |
    |---|---|---|---|
    | producer | `ring.acquire`: the slot is empty | fills it | `ring.commit` |
    | consumer | `ring.wait`: the slot is full | uses it | `ring.release` |

    `commits` and `releases` are how often a slot is committed or released in
    one turn before it counts as full or empty. `bwgemm-lower-rings` makes of a
    ring its buffers and two mbarriers a slot; since the order of slots is
    fixed, it also knows every phase.

    Slots without buffers are turns at what two roles share, such as the tensor
    cores: the one's turn lasts from `acquire` to `commit`, the other one's from
    `wait` to `release`.

    Slots of operand tiles, and of responses of cluster launch control, are in
    shared memory. Slots of accumulators are in tensor memory that the program
    allocates, see `ring.slot`.

    Within a cluster a copy may fill slots of several CTAs, of the same index,
    on the same turn. A slot then counts as empty once all those that it fills
    have been released; releases `to` the CTAs that fill a slot say so, and
    `releases` is how many they are.

    With `cta_group 2` the ring serves both CTAs of a pair, each of which has
    its part of a slot, and one thread of the leader (the CTA with the even rank)
    uses it for both. A slot of operands is full, at the leader, when the parts
    of both are; a slot of accumulators is empty, at the leader, when both have
    released it.

    With `cluster` the ring serves all CTAs of a cluster, each of which has its
    part of a slot, the response of one request of launch control to all of them.
    The CTA of rank 0 asks for all. A slot is empty, at that CTA, when the
    readers of all have released it.

    All warps reach it, before the barrier that begins the program proper.

    ```mlir
    %ring = bwgemm.ring : !bwgemm.ring<4 x (!bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<256x64xbf16, k_major, swizzle = 128B>)>
    %sums = bwgemm.ring releases 4 : !bwgemm.ring<2 x (!bwgemm.tmem<128x256xf32>)>
    %sums = bwgemm.ring releases 8 cta_group 2 : !bwgemm.ring<2 x (!bwgemm.tmem<128x256xf32>)>
    %work = bwgemm.ring releases 12 cluster : !bwgemm.ring<3 x (!bwgemm.work<1>)>
    %turns = bwgemm.ring commits 4 releases 4 : !bwgemm.ring<1 x ()>
    ```
  }];
  let arguments = (ins DefaultValuedAttr<I64Attr, "1">:$commits,
                       DefaultValuedAttr<I64Attr, "1">:$releases,
                       DefaultValuedAttr<I64Attr, "1">:$ctaGroup,
                       UnitAttr:$cluster);
  let results = (outs Bwgemm_RingType:$ring);
  let assemblyFormat = "(`commits` $commits^)? (`releases` $releases^)? (`cta_group` $ctaGroup^)? (`cluster` $cluster^)? attr-dict `:` qualified(type($ring))";
  let hasVerifier = 1;
}

def Bwgemm_RingBeginOp : Bwgemm_Op<"ring.begin", [Pure]> {
  let summary = "cursor at the first slot, on the first turn";
  let arguments = (ins Bwgemm_RingType:$ring);
  let results = (outs Bwgemm_CursorType:$cursor);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
}

def Bwgemm_RingNextOp : Bwgemm_Op<"ring.next", [Pure]> {
  let summary = "cursor at the slot that follows";
  let description = "After the last slot comes the first one, a turn later.";
  let arguments = (ins Bwgemm_RingType:$ring, Bwgemm_CursorType:$cursor);
  let results = (outs Bwgemm_CursorType:$next);
  let assemblyFormat = "$ring `[` $cursor `]` attr-dict `:` qualified(type($ring))";
}

def Bwgemm_RingSkipOp : Bwgemm_Op<"ring.skip", [Pure]> {
  let summary = "cursor some slots further";
  let description = [{
    What as many `ring.next` as `slots` would lead to. Of consumers that share
    out the slots of a ring among them, each skips those of the others.

    ```mlir
    %next = bwgemm.ring.skip %ring[%cursor] by %slots : !bwgemm.ring<4 x (...)>
    ```
  }];
  let arguments = (ins Bwgemm_RingType:$ring, Bwgemm_CursorType:$cursor,
                       Index:$slots);
  let results = (outs Bwgemm_CursorType:$next);
  let assemblyFormat = "$ring `[` $cursor `]` `by` $slots attr-dict `:` qualified(type($ring))";
}

def Bwgemm_RingSlotOp : Bwgemm_Op<"ring.slot", [Pure]> {
  let summary = "the buffers of a slot";
  let description = [{
    The accumulators of a ring are columns of `tensor`, slot after slot.

    ```mlir
    %a, %b = bwgemm.ring.slot %ring[%cursor] : !bwgemm.ring<4 x (...)> -> !bwgemm.smem<...>, !bwgemm.smem<...>
    %sum = bwgemm.ring.slot %sums[%cursor] in %tensor : !bwgemm.tmem<128x512xf32> of : !bwgemm.ring<2 x (...)> -> !bwgemm.tmem<128x256xf32>
    ```
  }];
  let arguments = (ins Bwgemm_RingType:$ring, Bwgemm_CursorType:$cursor,
                       Optional<Bwgemm_TmemType>:$tensor);
  let results = (outs Variadic<AnyTypeOf<[Bwgemm_SmemType, Bwgemm_TmemType, Bwgemm_WorkType]>>:$buffers);
  let assemblyFormat = "$ring `[` $cursor `]` (`in` $tensor^ `:` qualified(type($tensor)) `of`)? attr-dict `:` qualified(type($ring)) `->` qualified(type($buffers))";
  let hasVerifier = 1;
}

def Bwgemm_RingFullOp : Bwgemm_Op<"ring.full", [Pure]> {
  let summary = "the mbarrier that says that a slot is full";
  let description = [{
    For a TMA copy into the slot, or a request of launch control, which signals
    it.

    ```mlir
    %full, %i = bwgemm.ring.full %ring[%cursor] : !bwgemm.ring<4 x (...)> -> !bwgemm.mbarrier<4>
    ```
  }];
  let arguments = (ins Bwgemm_RingType:$ring, Bwgemm_CursorType:$cursor);
  let results = (outs Bwgemm_MBarrierType:$barriers, Index:$index);
  let assemblyFormat = "$ring `[` $cursor `]` attr-dict `:` qualified(type($ring)) `->` qualified(type($barriers))";
  let hasVerifier = 1;
}

class Bwgemm_RingSyncOp<string mnemonic, dag extra = (ins)>
    : Bwgemm_Op<"ring." # mnemonic, [
        MemoryEffects<[MemRead<Bwgemm_BarrierState>, MemWrite<Bwgemm_BarrierState>,
                       MemRead<Bwgemm_SharedMemory>, MemWrite<Bwgemm_SharedMemory>,
                       MemRead<Bwgemm_TensorMemory>, MemWrite<Bwgemm_TensorMemory>]>]> {
  let arguments = !con((ins Bwgemm_RingType:$ring, Bwgemm_CursorType:$cursor), extra);
}

def Bwgemm_RingAcquireOp : Bwgemm_RingSyncOp<"acquire"> {
  let summary = "producer: wait until a slot is empty";
  let description = "Passes at once on the first turn.";
  let assemblyFormat = "$ring `[` $cursor `]` attr-dict `:` qualified(type($ring))";
}

def Bwgemm_RingWaitOp : Bwgemm_RingSyncOp<"wait"> {
  let summary = "consumer: wait until a slot is full";
  let assemblyFormat = "$ring `[` $cursor `]` attr-dict `:` qualified(type($ring))";
}

def Bwgemm_RingDrainOp : Bwgemm_RingSyncOp<"drain"> {
  let summary = "producer: wait until every slot is empty";
  let description = [{
    For the last that a producer does, its cursor at the slot that it would fill
    next: none of its peers in the cluster will signal its mbarriers any more.
  }];
  let assemblyFormat = "$ring `[` $cursor `]` attr-dict `:` qualified(type($ring))";
}

def Bwgemm_RingCommitOp : Bwgemm_RingSyncOp<"commit", (ins Bwgemm_Agent:$by, Optional<I16>:$mask)> {
  let summary = "producer: the slot is full once what fills it is done";
  let description = [{
    - `by tma`: once the copies that signal `ring.full`, or the response of
      launch control, have landed, whose bytes are those of the slot. It may come
      before them. In a ring of a pair that is one commit for the parts of both
      CTAs: the leader's; its partner's does nothing.
    - `by mma`: once the MMAs that this thread has started are complete; with
      `to` a mask, in every CTA of the cluster whose bit is set.
    - `by thread`: now.
    - `by warp`: now, by one thread of the warp, all threads of which execute
      this, in a ring of turns.

    ```mlir
    bwgemm.ring.commit %ring[%cursor] by tma : !bwgemm.ring<4 x (...)>
    bwgemm.ring.commit %sums[%cursor] by mma to %pair : !bwgemm.ring<2 x (...)>
    ```
  }];
  let assemblyFormat = "$ring `[` $cursor `]` `by` $by (`to` $mask^)? attr-dict `:` qualified(type($ring))";
  let hasVerifier = 1;
}

def Bwgemm_RingReleaseOp : Bwgemm_RingSyncOp<"release", (ins Bwgemm_Agent:$by, Optional<I16>:$mask)> {
  let summary = "consumer: the slot is empty once its last reader is done";
  let description = [{
    - `by mma`: once the MMAs that this thread has started are complete; with
      `to` a mask, for every CTA of the cluster whose bit is set, which are those
      that fill the slot.
    - `by thread`: now; in a ring of a pair, for the leader, and in that of a
      cluster for the CTA of rank 0.
    - `by warp`: now, by one thread of the warp, all threads of which execute
      this; with `to` a mask by one for every CTA of the cluster whose bit is
      set. The slot has been read and not written.

    ```mlir
    bwgemm.ring.release %ring[%cursor] by mma to %mask : !bwgemm.ring<4 x (...)>
    bwgemm.ring.release %ring[%cursor] by warp : !bwgemm.ring<4 x (...)>
    ```
  }];
  let assemblyFormat = "$ring `[` $cursor `]` `by` $by (`to` $mask^)? attr-dict `:` qualified(type($ring))";
  let hasVerifier = 1;
}

def Bwgemm_SmemSliceOp : Bwgemm_Op<"smem_slice", [Pure]> {
  let summary = "one stage of tiles in shared memory";
  let arguments = (ins Bwgemm_SmemType:$tiles, Index:$stage);
  let results = (outs Bwgemm_SmemType:$tile);
  let assemblyFormat = "$tiles `[` $stage `]` attr-dict `:` qualified(type($tiles)) `->` qualified(type($tile))";
  let hasVerifier = 1;
}

def Bwgemm_TmemSliceOp : Bwgemm_Op<"tmem_slice", [Pure]> {
  let summary = "an accumulator within a wider range of tensor memory";
  let description = "The columns of tensor memory from `column` on.";
  let arguments = (ins Bwgemm_TmemType:$tensor, Index:$column);
  let results = (outs Bwgemm_TmemType:$part);
  let assemblyFormat = "$tensor `[` $column `]` attr-dict `:` qualified(type($tensor)) `->` qualified(type($part))";
  let hasVerifier = 1;
}

def Bwgemm_RoleOp : Bwgemm_Op<"role", [
    NoTerminator, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "what some of a CTA's warps do";
  let description = [{
    The region is run by `count` warps from `first` on, all threads of them or,
    with `elected`, one thread of the one warp. Roles of different warps run at
    the same time and meet through rings alone; roles that share a warp follow
    each other in it. With `leader`, only those of the CTA with the even rank of
    a pair run it.

    The warps of a role may be `teams`, as many after each other in each: they do
    the same for other tiles, of n teams team t for every n-th tile of its CTA
    from number t on.

    ```mlir
    bwgemm.role "load" warps 4 to 4 elected { ... }
    bwgemm.role "multiply" warps 5 to 5 elected leader { ... }
    bwgemm.role "epilogue" warps 0 to 3 { ... }
    bwgemm.role "multiply" warps 0 to 7 teams 2 { ... }
    ```
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$first, I64Attr:$last, UnitAttr:$elected,
                       UnitAttr:$leader,
                       DefaultValuedAttr<I64Attr, "1">:$teams);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name `warps` $first `to` $last (`elected` $elected^)? (`leader` $leader^)? (`teams` $teams^)? $body attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getCount() { return getLast() - getFirst() + 1; }
  }];
}

#endif // BWGEMM_RING_OPS_TD

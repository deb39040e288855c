//===- Passes.td - Passes within the bwgemm dialect --------*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TRANSFORMS_PASSES_TD
#define BWGEMM_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignSchedule : Pass<"bwgemm-assign-schedule", "::mlir::ModuleOp"> {
  let summary = "choose target and schedule of every gemm";
  let description = [{
    Sets the `schedule` of each `bwgemm.gemm` that has none, and the module's
    `bwgemm.target`. The schedule SPEC is a preset and fields, such as
    `swizzle,tile=128x64x64,swizzle=64B`; what it leaves open is chosen here,
    and a schedule that the target, the types or the shapes do not allow is
    refused with the reason.

    `auto` takes what a cost model predicts to be fastest (docs/Schedules.md has
    the rule) where the operands can be addressed by TMA, else `multistage`. Fields of
    the SPEC beside `auto` bind the choice. Plain `auto` asks a database of
    measured schedules first (docs/Tuning.md), for products whose sizes are known. Where the types leave open whether
    TMA can address an operand, the gemm gets both: `multistage` as the `fallback`
    that `bwgemm-dispatch` makes a choice at run time.

    ```mlir
    bwgemm.gemm %a, %b, %d : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xf32>
    // with schedule=swizzle becomes
    bwgemm.gemm %a, %b, %d schedule <swizzle, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b">
        : memref<512x256xbf16>, memref<256x384xbf16>, memref<512x384xf32>
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"sm_100a\"",
           "GPU target, e.g. sm_100a">,
    Option<"schedule", "schedule", "std::string", "\"auto\"",
           "schedule: a preset and fields">,
    Option<"database", "database", "std::string", "\"\"",
           "measured schedules for auto: a file that bwgemm-tune wrote, or "
           "'none'; empty for BWGEMM_DATABASE, else the shipped ones">
  ];
  let dependentDialects = ["::mlir::bwgemm::BwgemmDialect"];
}

def LoopOverBatch : Pass<"bwgemm-loop-over-batch", "::mlir::ModuleOp"> {
  let summary = "gemms of a batch to a loop of gemms";
  let description = [{
    The host launches one product for each matrix of the batch, on views of the
    operands.

    ```mlir
    bwgemm.gemm %a, %b, %d : memref<4x64x32xbf16>, memref<32x64xbf16>, memref<4x64x64xf32>
    // becomes
    scf.for %i = %c0 to %c4 step %c1 {
      %ai = memref.subview %a[%i, 0, 0] [1, 64, 32] [1, 1, 1] : ...
      %di = memref.subview %d[%i, 0, 0] [1, 64, 64] [1, 1, 1] : ...
      bwgemm.gemm %ai, %b, %di : ...
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def Dispatch : Pass<"bwgemm-dispatch", "::mlir::ModuleOp"> {
  let summary = "gemms with a fallback to a choice at run time";
  let description = [{
    ```mlir
    bwgemm.gemm %a, %b, %d schedule <swizzle, ...> fallback <multistage, ...> : ...
    // becomes
    %ok_a = bwgemm.tma_addressable %a : memref<?x?xbf16>
    %ok_b = bwgemm.tma_addressable %b : memref<?x?xbf16>
    %ok = arith.andi %ok_a, %ok_b : i1
    scf.if %ok {
      bwgemm.gemm %a, %b, %d schedule <swizzle, ...> : ...
    } else {
      bwgemm.gemm %a, %b, %d schedule <multistage, ...> : ...
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::scf::SCFDialect"];
}

def CheckArguments : Pass<"bwgemm-check-arguments", "::mlir::ModuleOp"> {
  let summary = "functions that others call check what they are given";
  let description = [{
    Public functions with a gemm begin with a `bwgemm.require_layout` for each
    memref that they take.
  }];
  let dependentDialects = ["::mlir::bwgemm::BwgemmDialect"];
}

def LowerNaive : Pass<"bwgemm-lower-naive", "::mlir::ModuleOp"> {
  let summary = "gemms of preset naive to kernels of one thread per output";
  let description = [{
    Rung 1. Each thread walks K for one element of D, in fp32, on operands in
    global memory of any strides. Runs on every target.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"];
}

def TileGemm : Pass<"bwgemm-tile", "::mlir::ModuleOp"> {
  let summary = "gemms to synchronous tile programs";
  let description = [{
    Outlines each `bwgemm.gemm` with a tensor-core schedule as a kernel that
    computes one tile of D per CTA: an accumulator, a loop over K that loads two
    operand tiles and multiplies them, and a store. In its place the host makes
    tensor maps and launches. Layouts are un-swizzled core matrices;
    `bwgemm-swizzle` changes them.

    Partial tiles need no code of their own: outside of the tensor TMA loads
    zeros, and the store is masked. M, N or K of zero never reach the kernel.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"];
}

def SplitK : Pass<"bwgemm-split-k", "::mlir::ModuleOp"> {
  let summary = "let several CTAs share the sum over K of one tile";
  let description = [{
    For schedules with `split_k = S`. Where D has fewer tiles than the chip has
    multiprocessors, K is cut into parts of whole tiles of K, the first ones one
    tile longer where it does not divide, and each part of each tile gets a CTA
    of its own. The parts write their sums in fp32 to a workspace, in slices of
    whole tiles of D, one slice below the other; so the program is that of a
    taller D whose rows say which part of K they belong to, and every later pass
    sees an ordinary tile program:

    ```mlir
    %row, %n = bwgemm.tile_coord 128 x 128 of %columns
    %part = arith.divui %row, %slice_rows : index
    %m = ... %row - %part * %slice_rows
    scf.for %k = %begin to %end step %c64 { ... }      // this part of K
    bwgemm.store %acc, %sums[%row, %n] : !bwgemm.acc<128x128xf32>, memref<?x?xf32>
    ```

    A second kernel adds the slices in the order of K, adds what D held if the
    gemm accumulates, rounds once, and writes D. The order is fixed, so that the
    result is the same in every run. The host has at least one tile of K for
    each part: with fewer of them it makes fewer parts.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def Swizzle : Pass<"bwgemm-swizzle", "::mlir::ModuleOp"> {
  let summary = "swizzled layouts for the operand tiles of a tile program";
  let description = [{
    Rung 3. Rewrites the types of tensor maps and shared-memory tiles of kernels
    whose schedule asks for a swizzle. A box becomes as wide as the swizzle's
    span, so that a tile takes fewer TMA copies, and tensor cores read shared
    memory without bank conflicts.
  }];
  let dependentDialects = ["::mlir::bwgemm::BwgemmDialect"];
}

def StoreThroughTma : Pass<"bwgemm-tma-store", "::mlir::ModuleOp"> {
  let summary = "let results leave through shared memory and TMA";
  let description = [{
    Rung 4, for schedules with `store = tma`. The kernel gets a tensor map of D,
    its last argument, which the host encodes, and the store of its accumulator
    goes `via` that map. The map's box has the tile's rows and a slice of its
    columns: the widest of 128, 64, 32 and 16 bytes that divides them, with the
    swizzle of that span.
  }];
  let dependentDialects = ["::mlir::bwgemm::BwgemmDialect"];
}

def InsertAsync : Pass<"bwgemm-insert-async", "::mlir::ModuleOp"> {
  let summary = "tile programs to asynchronous programs";
  let description = [{
    Makes explicit when things happen. Loads become TMA copies that signal an
    mbarrier, the MMA reads shared memory and accumulates in tensor memory and
    reports completion through a commit, every wait carries the phase of its
    iteration, and the accumulator is allocated and freed. A barrier of the CTA
    ends each iteration: phases are told by their parity, and a warp that comes
    late must find its own one still to be the last that is complete.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
}

def InsertRings : Pass<"bwgemm-insert-rings", "::mlir::ModuleOp"> {
  let summary = "tile programs to ring programs";
  let description = [{
    For schedules from `pipelined` on, in place of `bwgemm-insert-async`. Operand
    tiles go through a ring of slots in shared memory and the accumulator
    through a ring in tensor memory, between roles: one thread that loads and
    multiplies, and the warps of the epilogue. It still loads and multiplies in
    turn; what follows says when, or who, and the rings keep it right.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect"];
}

def InsertWarps : Pass<"bwgemm-insert-warps", "::mlir::ModuleOp"> {
  let summary = "tile programs to programs of mma.sync";
  let description = [{
    For the presets `microkernel`, `tiled`, `double_buffered` and `multistage`.
    All threads copy the operand tiles, by cp.async and as many bytes at once as
    the alignment of rows allows, and each warp multiplies its part of the tile:
    for every 16 of K, `bwgemm.ldmatrix` brings its rows of A and of B to
    registers and `bwgemm.mma_sync` adds their product to the accumulator, which
    is in registers too. With `accumulator = f16` that is of f16, and
    `bwgemm.fragment_extend` makes f32 of it behind the loop. Alignment that the types do not promise is asked for at
    run time.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect"];
}

def Promote : Pass<"bwgemm-promote", "::mlir::ModuleOp"> {
  let summary = "sum blocks of K apart";
  let description = [{
    For schedules with `promote`. Tensor cores truncate when they accumulate, so
    that the error of a sum grows with K. The loop over K of a kernel with its
    accumulator in registers becomes one over blocks of `promote` elements; after
    each block `bwgemm.promote` adds the accumulator to a sum that is rounded to
    nearest, and the next one begins from zero, or with `compensated` from the
    error of that addition:

    ```mlir
    %total, %start = scf.for %block = %low to %high step %c512 iter_args(%sum = %zero, %first = %zero) {
      %end = arith.minsi(%block + %c512, %high)
      %part = scf.for %k = %block to %end step %c64 iter_args(%acc = %first) { ... }
      %next:2 = bwgemm.promote %sum, %part
      scf.yield %next#0, %next#1
    }
    ```

    Parts in f16 are extended to f32 ahead of `bwgemm.promote`, in the inner loop's
    place, and all of them begin at zero.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::scf::SCFDialect"];
}

def Multistage : Pass<"bwgemm-multistage", "::mlir::ModuleOp"> {
  let summary = "let copies of cp.async run ahead of mma.sync";
  let description = [{
    With S `stages`, S - 1 tiles are under way while one is multiplied, each as
    a group of cp.async. With preset `multistage` the operands of a step are in
    registers before the step begins as well, those of the first step of a tile
    before the tile's turn, and the copies are spread over the steps.

    The loop becomes two: one while the tiles that are started end in front of
    the end of K, whose copies are `whole`, and one for the turns that are left.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect"];
}

def LowerCopies : Pass<"bwgemm-lower-copies", "::mlir::ModuleOp"> {
  let summary = "copies of a CTA to copies of its threads";
  let description = [{
    Every `bwgemm.copy_tile` becomes the `bwgemm.cp_async` of each thread.
    Neighbouring threads copy neighbouring bytes, and what is outside of the
    matrix along K is not read.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
}

def InsertWarpgroups : Pass<"bwgemm-insert-warpgroups", "::mlir::ModuleOp"> {
  let summary = "tile programs to ring programs of warpgroups";
  let description = [{
    The counterpart of `bwgemm-insert-rings` for targets with wgmma (sm_90a).
    Operand tiles go through a ring of slots in shared memory between one thread
    that loads and the warpgroups that multiply, 64 rows of the tile each, whose
    registers hold the accumulator. They also write the result.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect"];
}

def Pipeline : Pass<"bwgemm-pipeline", "::mlir::ModuleOp"> {
  let summary = "let copies run ahead of the multiplication";
  let description = [{
    For preset `pipelined`. A loop that fills and uses the slots of a ring of S
    becomes two: one that fills the first S - 1, and one that uses a slot and
    fills the one S - 1 further, where there is one. One thread does both.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::scf::SCFDialect"];
}

def WarpSpecialize : Pass<"bwgemm-warp-specialize", "::mlir::ModuleOp"> {
  let summary = "give loading and multiplying warps of their own";
  let description = [{
    Rung 6, for presets from `warp_specialized` on. The role that loads and
    multiplies is split in two, each with its own loop over K and its own
    cursor; the ring is all that they share. Nobody waits for the other but for
    a slot.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::scf::SCFDialect"];
}

def PairCtas : Pass<"bwgemm-pair-ctas", "::mlir::ModuleOp"> {
  let summary = "let two CTAs multiply as one";
  let description = [{
    Rung 5, for schedules with `cta_group = 2`. Two CTAs of a cluster, neighbours
    along M, that would each multiply their rows of A with the same tile of B
    become a pair. Each keeps half of the tile of B; one thread of the leader
    starts MMAs that read both halves, and write to the tensor memory of both.

    | | before | after |
    |---|---|---|
    | a slot holds | rows of A, the tile of B | rows of A, half of the tile of B |
    | is full when | the CTA's copies have landed | those of both have, at the leader |
    | MMAs are started by | each CTA | the leader |
    | is empty when | the CTA's MMAs are done | the leader's are, in both |
    | accumulators are empty when | 4 warps have read | 8 warps of both have, at the leader |

    Tensor memory is allocated and freed by both, with barriers of the cluster
    in between.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::gpu::GPUDialect"];
}

def Multicast : Pass<"bwgemm-multicast", "::mlir::ModuleOp"> {
  let summary = "load what CTAs of a cluster share once";
  let description = [{
    For schedules with clusters in which CTAs need the same tile: those of a row
    share that of A, those of a column that of B. Of c CTAs that share a tile
    each loads one part of c and multicasts it to all of them. A part is whole
    groups of 8 rows of the tile's columns, or whole columns (see
    `!bwgemm.smem`), so that the layout stays as it is; a tile that cannot be cut
    in c such parts is cut in as many as divide c, and loaded by as many CTAs.

    A slot of a CTA is then filled by others too, which have to know when it is
    empty: its release goes to all of them.

    ```mlir
    bwgemm.tma_load %a[%m, %k], %tile[%c0, %c0], %full[%i] : !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>, ...
    bwgemm.ring.release %ring[%cursor] by mma : ...
    // becomes
    bwgemm.tma_load %a[%m_part, %k], %tile[%part, %c0], %full[%i] multicast %row : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, ...
    bwgemm.ring.release %ring[%cursor] by mma to %cross : ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect"];
}

def Persist : Pass<"bwgemm-persist", "::mlir::ModuleOp"> {
  let summary = "let CTAs stay for many tiles";
  let description = [{
    Rung 8, with `scheduler = static`. Every role gets a loop over tiles, from
    the number of its CTA in steps of the grid. That holds at most one CTA for
    each multiprocessor, and no more than it takes to be done as soon: 512 tiles
    take four turns of 132 CTAs, or of 128. CTAs of a cluster walk together, over
    tiles of clusters. Cursors go on from tile to tile, so that loading runs
    ahead into the next tile, and with two accumulators its multiplication
    overlaps the epilogue of this one.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
}

def LaunchControl : Pass<"bwgemm-launch-control", "::mlir::ModuleOp"> {
  let summary = "let CTAs ask the hardware for their next tile";
  let description = [{
    For persistent kernels with `scheduler = clc`, in place of `bwgemm-persist`.
    The grid has one CTA for each tile. Every role begins with its own CTA's tile
    and goes on with that of a CTA whose launch has been cancelled in its favour,
    until there is none left.

    The role that loads asks at the beginning of each tile, and so is one tile
    ahead. Answers go to all roles through a ring of
    `!bwgemm.work` slots, one more than there are accumulators: loading then
    waits for a slot no longer than the multiplication does for an accumulator.
    In a cluster the first CTA asks for another cluster, for all.

    ```mlir
    bwgemm.role "load" warps 4 to 4 elected {
      %slot = bwgemm.ring.begin %operands : ...
      %asked = bwgemm.ring.begin %work : ...
      scf.while (%tile = %block, ...) {
        bwgemm.ring.acquire %work[%ask] : ...
        bwgemm.ring.commit %work[%ask] by tma : ...
        bwgemm.launch_control.request ...
        ... the tile ...
        bwgemm.ring.wait %work[%read] : ...
        %answer = bwgemm.launch_control.read ...
        bwgemm.fence async_shared
        bwgemm.ring.release %work[%read] by thread : ...
        %more = bwgemm.launch_control.is_canceled %answer
        scf.condition(%more) %answer, ...
      } do {
        %next = bwgemm.launch_control.first_cta %answer
        scf.yield %next, ...
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect"];
}

def StreamK : Pass<"bwgemm-stream-k", "::mlir::ModuleOp"> {
  let summary = "give every CTA the same number of steps along K";
  let description = [{
    For persistent kernels with `scheduler = stream_k`, in place of
    `bwgemm-persist`. Where the number of tiles is not a multiple of the number
    of multiprocessors, some idle while the last tiles are computed. Here each
    CTA first has as many whole tiles as leave fewer than two for each of the
    others (the two-tile hybrid of Osama et al., Stream-K, PPoPP 2023). All
    steps along K of these are put in a row, tile after tile, and cut into equal
    parts, one for each CTA (the first ones have one step more where it does not
    divide). Every role loops over its whole tiles and then over the tiles that
    the CTA has steps of:

    ```mlir
    scf.for %turn = %c0 to %tiles step %c1 iter_args(...) {
      %is_whole = arith.cmpi ult, %turn, %whole_tiles
      %from = ... %is_whole ? 0 : max(%first_step, %start) - %start
      %to = ... %is_whole ? %depth : min(%end_step, %end) - %start
      %m, %n = bwgemm.tile_coord 128 x 128 of %columns at %tile
      scf.for %k = %from * 64 to %to * 64 step %c64 ...
      scf.if (%to - %from == %depth) {
        bwgemm.store %sum, %d[%m, %n] : ...
      } else {
        bwgemm.store %sum, %workspace[%row, %c0] : ...
      }
    }
    ```

    A tile that a CTA has all steps of is written as ever. Of others each CTA
    writes its share, in the type of sums, to a place of its own in a workspace:
    there are at most two for each CTA, the first and the last tile that its
    steps are in. A second kernel adds the shares of a tile in the order of K,
    so that the result has the same bits every time, and writes it. No CTA waits
    for another one, and there is no second kernel where no tile is cut.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ProgrammaticLaunch : Pass<"bwgemm-programmatic-launch", "::mlir::ModuleOp"> {
  let summary = "let kernels begin while the one before them ends";
  let description = [{
    For kernels with `pdl = on`. Behind the prologue (barriers, tensor memory,
    prefetched maps), which touches nothing that another kernel writes, every
    thread waits for the kernels before this one: operands are read, and D is
    read and written, after that. The thread that loads lets the next kernel
    begin once it has started its last copy; that kernel's own wait keeps it
    right, and it takes no room from CTAs that still have to run, since all of
    them have come to this point. Launches say that they may begin early.
  }];
  let dependentDialects = [
    "::mlir::bwgemm::BwgemmDialect", "::mlir::NVVM::NVVMDialect"];
}

def LowerRings : Pass<"bwgemm-lower-rings", "::mlir::ModuleOp"> {
  let summary = "rings to buffers, mbarriers and phases";
  let description = [{
    A ring of S slots becomes staged tiles and two arrays of S mbarriers, `full`
    and `empty`. A cursor is a slot and the parity p of its turn: a consumer
    waits for parity p of `full`, a producer for parity 1 - p of `empty`, which
    passes on the first turn. In the rings of a pair of CTAs it is the leader's
    `full` that copies of both signal, and the leader's `empty` at which threads
    of both arrive.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::scf::SCFDialect"];
}

def LowerRoles : Pass<"bwgemm-lower-roles", "::mlir::ModuleOp"> {
  let summary = "roles of warps to branches";
  let description = [{
    A role becomes a branch on the number of the warp, which is uniform, and on
    the election of a thread.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::scf::SCFDialect"];
}

def LowerEpilogue : Pass<"bwgemm-lower-epilogue", "::mlir::ModuleOp"> {
  let summary = "stores of accumulators in tensor memory to loads and stores";
  let description = [{
    A loop over columns: each warp loads its quarter of the lanes in fragments
    (`32x32b` or `16x256b`, as the schedule says), converts, and writes. A tile
    that lies inside of the result and is aligned goes out in vectors, a partial
    one element by element, masked.

    Of a result in registers, operands of the epilogue with one element for each
    column are spread over the lanes of each warp, ahead of the loop that
    multiplies where there are registers to spare, and shuffled to who computes
    with them.

    A store `via` a tensor map goes slice by slice through one of two staging
    tiles in shared memory, which the warps fill (`bwgemm.stmatrix` for 16-bit
    results in fragments of `16x256b`, else `bwgemm.smem_store`) while TMA reads
    the other one. One barrier for each slice says both that this one is full
    and that the other one may be filled: the thread that issues has waited
    before. Tiles at the right edge of a D whose rows are not a multiple of 16
    bytes long take the way without TMA, since TMA stores whole units of 16
    bytes.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def ExpandMath : Pass<"bwgemm-expand-math", "::mlir::ModuleOp"> {
  let summary = "functions of f32 in kernels to arithmetic";
  let description = [{
    `math.exp`, `exp2` and `log` become polynomials with an error of at most one
    unit in the last place, `log2` and `erf` with at most two, and `tanh` with at
    most three; `rsqrt` is the quotient of 1 and the root, and `sqrt`, `absf`,
    `ceil`, `floor`, `fma`, `arith.maxnumf` and `arith.minnumf` are what LLVM has,
    exact. Numbers and vectors. No library of device functions is needed, and
    every device computes the same bits.

    ```mlir
    %y = math.absf %x : f32
    // becomes
    %y = llvm.call_intrinsic "llvm.fabs"(%x) : (f32) -> f32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::vector::VectorDialect"];
}

def PlanResources : Pass<"bwgemm-plan-resources", "::mlir::ModuleOp"> {
  let summary = "place tiles, barriers and slots in shared memory";
  let description = [{
    Gives each allocation of a kernel its offset in dynamic shared memory and
    each launch the total. A plan that does not fit the target is refused with
    the bytes needed and the bytes there are; so is one with more than 512
    columns of tensor memory. A kernel that was made from a `bwgemm.gemm` has to
    take the shared memory, the columns and the threads that were planned when
    its schedule was chosen.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bwgemm::BwgemmDialect"];
}

#endif // BWGEMM_TRANSFORMS_PASSES_TD

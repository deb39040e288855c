//===- BwgemmAttrs.td - Attributes and enums ---------------*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_ATTRS_TD
#define BWGEMM_ATTRS_TD

include "bwgemm/IR/BwgemmDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

def Bwgemm_Major : I32EnumAttr<"Major", "which mode of an operand tile is contiguous", [
    I32EnumAttrCase<"K", 0, "k_major">,
    I32EnumAttrCase<"MN", 1, "mn_major">
  ]> {
  let cppNamespace = "::mlir::bwgemm";
}

def Bwgemm_OperandSide : I32EnumAttr<"OperandSide", "which operand of a product", [
    I32EnumAttrCase<"A", 0, "a">,
    I32EnumAttrCase<"B", 1, "b">
  ]> {
  let cppNamespace = "::mlir::bwgemm";
}

def Bwgemm_Preset : I32EnumAttr<"Preset", "rung of the schedule ladder", [
    I32EnumAttrCase<"Auto", 0, "auto">,
    I32EnumAttrCase<"Naive", 1, "naive">,
    I32EnumAttrCase<"Microkernel", 2, "microkernel">,
    I32EnumAttrCase<"Tiled", 3, "tiled">,
    I32EnumAttrCase<"DoubleBuffered", 4, "double_buffered">,
    I32EnumAttrCase<"Multistage", 5, "multistage">,
    I32EnumAttrCase<"Tma", 6, "tma">,
    I32EnumAttrCase<"Swizzle", 7, "swizzle">,
    I32EnumAttrCase<"TmaStore", 8, "tma_store">,
    I32EnumAttrCase<"Pipelined", 9, "pipelined">,
    I32EnumAttrCase<"WarpSpecialized", 10, "warp_specialized">,
    I32EnumAttrCase<"TwoCta", 11, "two_cta">,
    I32EnumAttrCase<"Persistent", 12, "persistent">
  ]> {
  let cppNamespace = "::mlir::bwgemm";
}

def Bwgemm_TmemShape : I32EnumAttr<"TmemShape", "fragment shape of a tensor-memory load", [
    I32EnumAttrCase<"Shape32x32b", 0, "32x32b">,
    I32EnumAttrCase<"Shape16x256b", 1, "16x256b">
  ]> {
  let cppNamespace = "::mlir::bwgemm";
}

def Bwgemm_StoreKind : I32EnumAttr<"StoreKind", "how a result leaves the CTA", [
    I32EnumAttrCase<"Direct", 0, "direct">,
    I32EnumAttrCase<"Tma", 1, "tma">
  ]> {
  let cppNamespace = "::mlir::bwgemm";
}

def Bwgemm_TileScheduler : I32EnumAttr<"TileScheduler", "who tells a persistent CTA its next tile", [
    I32EnumAttrCase<"Static", 0, "static">,
    I32EnumAttrCase<"Clc", 1, "clc">,
    I32EnumAttrCase<"StreamK", 2, "stream_k">
  ]> {
  let cppNamespace = "::mlir::bwgemm";
}

def Bwgemm_TileOrder : I32EnumAttr<"TileOrder", "how the tiles of a group of rows are walked", [
    I32EnumAttrCase<"Straight", 0, "straight">,
    I32EnumAttrCase<"Serpentine", 1, "serpentine">,
    I32EnumAttrCase<"Hilbert", 2, "hilbert">
  ]> {
  let cppNamespace = "::mlir::bwgemm";
}

def Bwgemm_L2Keep : I32EnumAttr<"L2Keep", "which operand stays longer in L2", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"A", 1, "a">,
    I32EnumAttrCase<"B", 2, "b">
  ]> {
  let cppNamespace = "::mlir::bwgemm";
}

def Bwgemm_L2Eviction : I32EnumAttr<"L2Eviction", "when lines leave L2, beside others", [
    I32EnumAttrCase<"Normal", 0, "evict_normal">,
    I32EnumAttrCase<"First", 1, "evict_first">,
    I32EnumAttrCase<"Last", 2, "evict_last">
  ]> {
  let cppNamespace = "::mlir::bwgemm";
}

def Bwgemm_Precision : I32EnumAttr<"Precision", "how much of each operand of f32 counts", [
    I32EnumAttrCase<"Full", 0, "full">,
    I32EnumAttrCase<"Tf32", 1, "tf32">
  ]> {
  let cppNamespace = "::mlir::bwgemm";
}

def Bwgemm_Accumulator : I32EnumAttr<"Accumulator", "type of the sums of tensor cores", [
    I32EnumAttrCase<"F32", 0, "f32">,
    I32EnumAttrCase<"F16", 1, "f16">
  ]> {
  let cppNamespace = "::mlir::bwgemm";
}

def Bwgemm_FenceKind : I32EnumAttr<"FenceKind", "what a fence orders", [
    I32EnumAttrCase<"MBarrierInit", 0, "mbarrier_init">,
    I32EnumAttrCase<"AsyncShared", 1, "async_shared">,
    I32EnumAttrCase<"Tcgen05Before", 2, "tcgen05_before_thread_sync">,
    I32EnumAttrCase<"Tcgen05After", 3, "tcgen05_after_thread_sync">
  ]> {
  let cppNamespace = "::mlir::bwgemm";
}

def Bwgemm_ClusterSet : I32EnumAttr<"ClusterSet", "which CTAs of a cluster", [
    I32EnumAttrCase<"Row", 0, "row">,
    I32EnumAttrCase<"Column", 1, "column">,
    I32EnumAttrCase<"Cross", 2, "cross">,
    I32EnumAttrCase<"Pair", 3, "pair">
  ]> {
  let cppNamespace = "::mlir::bwgemm";
}

def Bwgemm_Agent : I32EnumAttr<"Agent", "who is done when a slot changes hands", [
    I32EnumAttrCase<"Thread", 0, "thread">,
    I32EnumAttrCase<"Tma", 1, "tma">,
    I32EnumAttrCase<"Mma", 2, "mma">,
    I32EnumAttrCase<"Warp", 3, "warp">
  ]> {
  let cppNamespace = "::mlir::bwgemm";
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class Bwgemm_Attr<string name, string attrMnemonic>
    : AttrDef<Bwgemm_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Bwgemm_SwizzleAttr : Bwgemm_Attr<"Swizzle", "swizzle"> {
  let summary = "XOR swizzle on byte addresses";
  let description = [{
    `Swizzle<bits, base, shift>`: the `bits` address bits from `base + shift`
    upwards are XORed into the `bits` bits from `base` upwards:

    ```
    x ^ ((x >> shift) & (((1 << bits) - 1) << base))
    ```

    The hardware's modes have names:

    | name   | bits, base, shift | 16-byte chunks permuted within | repeats every |
    |--------|-------------------|--------------------------------|---------------|
    | `none` | 0, 4, 3           | -                              | 16 B          |
    | `32B`  | 1, 4, 3           | 32 bytes                       | 256 B         |
    | `64B`  | 2, 4, 3           | 64 bytes                       | 512 B         |
    | `128B` | 3, 4, 3           | 128 bytes                      | 1024 B        |

    With `128B`, 16-byte chunk `c` of 128-byte row `r` is stored at chunk
    `c ^ (r mod 8)`:

    ```
    row 0 | 0 1 2 3 4 5 6 7
    row 1 | 1 0 3 2 5 4 7 6
    row 2 | 2 3 0 1 6 7 4 5
    row 3 | 3 2 1 0 7 6 5 4      ... and so on to row 7 | 7 6 5 4 3 2 1 0
    ```

    Source: PTX ISA, "Swizzling Modes" of Tensor Data Movement and "Canonical
    Layouts" of tcgen05.
  }];
  let parameters = (ins "unsigned":$bits, "unsigned":$base, "unsigned":$shift);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static SwizzleAttr getNone(::mlir::MLIRContext *context);
    /// The hardware mode that permutes within `bytes` (0, 32, 64 or 128).
    static SwizzleAttr getForSpan(::mlir::MLIRContext *context, unsigned bytes);
    /// The byte address after the swizzle.
    uint64_t apply(uint64_t address) const;
    bool isNone() const { return getBits() == 0; }
    /// Whether TMA and the matrix descriptors know this swizzle.
    bool isHardwareMode() const;
    /// Bytes of one contiguous row of a tile: 16 without swizzle (one row of a
    /// core matrix), else the span.
    unsigned getRowBytes() const;
    /// Bytes after which the pattern repeats; a swizzled tile starts at a
    /// multiple of it.
    unsigned getAtomBytes() const;
    /// "none", "32B", "64B", "128B" or "<bits, base, shift>".
    std::string getName() const;
  }];
}

def Bwgemm_ScheduleAttr : Bwgemm_Attr<"Schedule", "schedule"> {
  let summary = "how a gemm is mapped to the machine";
  let description = [{
    `preset` names the rung of the ladder at which lowering stops; the other
    fields are its parameters.

    - `tile`: M x N x K elements of one step, of a pair of CTAs where `cta_group`
      is 2
    - `stages`: depth of the shared-memory ring
    - `swizzle`: shared-memory layout of the operands; with mma.sync that of the
      one with the longer rows, of which the other one may have a part
    - `tmem_load`: fragment shape of the epilogue's tensor-memory loads; the
      presets of mma.sync, which have no tensor memory, go without

    Those that have their default are not printed:

    - `raster = 1`: rows of tiles that are walked together, see
      `bwgemm.tile_coord`
    - `order = straight`: how these are walked, likewise; `serpentine` or
      `hilbert`
    - `store = direct`: the result is written from registers; `tma` sends it
      through shared memory
    - `staging = 2`: slices of the result that may wait in shared memory until
      TMA has read them, for `store = tma`; all of them if there are fewer
    - `swap_ab = off`: with `on` the kernel computes the transpose of D as B's
      transpose by A's, and `tile` is of that: few rows of D take the narrow
      side of the tile
    - `pingpong = off`: with `on` two warpgroups of a persistent CTA work at tiles
      of their own, the one multiplying while the other one writes
    - `l2_keep = none`: with `a` lines of A are the last to leave L2 and those of
      B the first, with `b` the other way round; A is the operand of the tile's
      rows, which with `swap_ab` is B's transpose
    - `cta_group = 1`: CTAs that multiply one tile together, 1 or 2
    - `cluster = 1x1`: CTAs of a cluster along M and N, which share operands
    - `scheduler = static`: a persistent CTA's next tile is a grid further;
      `clc` asks the hardware for it (cluster launch control); `stream_k` gives
      every CTA the same number of steps along K (with tcgen05 and wgmma)
    - `split_k = 1`: parts of K that are summed apart and added in order
    - `warps = 1x1`: warps along M and N that share a tile, for the presets of
      mma.sync
    - `precision = full`: all bits of the operands count; with `tf32` operands of
      f32 go to tensor cores, which leave out their low 13 bits
    - `accumulator = f32`: the type in which tensor cores add up products; `f16`
      takes half of the registers, rounds in every instruction and is for the
      presets of mma.sync and operands of f16 (sums of integers are i32)
    - `promote = 0`: elements of K after which the tensor cores' accumulator is
      added to a sum that is rounded to nearest, a multiple of the tile's K;
      0 for never
    - `compensated = off`: with `on` the error of each such addition is part of
      the next one
    - `pdl = off`: with `on` the kernel may begin while the one before it in
      the stream ends (programmatic dependent launch)

    ```mlir
    #bwgemm.schedule<swizzle, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "32x32b">
    ```
  }];
  let parameters = (ins "::mlir::bwgemm::ScheduleFields":$fields);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    Preset getPreset() const { return getFields().preset; }
    int64_t getTileM() const { return getFields().tile[0]; }
    int64_t getTileN() const { return getFields().tile[1]; }
    int64_t getTileK() const { return getFields().tile[2]; }
    int64_t getStages() const { return getFields().stages; }
    SwizzleAttr getSwizzle() const {
      return SwizzleAttr::getForSpan(getContext(), getFields().swizzleSpan);
    }
    /// M x N x K elements that one CTA brings to its shared memory: of a tile of
    /// a pair, each has half of the rows of A and half of those of B.
    std::array<int64_t, 3> getTileOfCta() const {
      return getFields().getTileOfCta();
    }
    /// CTAs of a cluster.
    int64_t getClusterSize() const {
      return getFields().cluster[0] * getFields().cluster[1];
    }
    TmemShape getTmemLoad() const { return getFields().tmemLoad; }
    int64_t getRaster() const { return getFields().raster; }
    TileOrder getOrder() const { return getFields().order; }
    StoreKind getStore() const { return getFields().store; }
    int64_t getCtaGroup() const { return getFields().ctaGroup; }
    std::array<int64_t, 2> getCluster() const { return getFields().cluster; }
    TileScheduler getScheduler() const { return getFields().scheduler; }
    int64_t getSplitK() const { return getFields().splitK; }
    Precision getPrecision() const { return getFields().precision; }
    bool getPdl() const { return getFields().pdl; }
    std::array<int64_t, 2> getWarps() const { return getFields().warps; }
    bool getPingpong() const { return getFields().pingpong; }
    L2Keep getL2Keep() const { return getFields().l2Keep; }
    bool getSwapAB() const { return getFields().swapAB; }
    int64_t getStaging() const { return getFields().staging; }
    Accumulator getAccumulator() const { return getFields().accumulator; }
    int64_t getPromote() const { return getFields().promote; }
    bool getCompensated() const { return getFields().compensated; }
    /// The SPEC that --schedule= takes: "swizzle,tile=64x64x64,stages=1,...".
    std::string getSpec() const;
  }];
}

#endif // BWGEMM_ATTRS_TD

//===- BwgemmTypes.td - Types ------------------------------*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TYPES_TD
#define BWGEMM_TYPES_TD

include "bwgemm/IR/BwgemmAttrs.td"

class Bwgemm_Type<string name, string typeMnemonic>
    : TypeDef<Bwgemm_Dialect, name> {
  let mnemonic = typeMnemonic;
  let genVerifyDecl = 1;
  let hasCustomAssemblyFormat = 1;
}

def Bwgemm_TensorMapType : Bwgemm_Type<"TensorMap", "tensor_map"> {
  let summary = "descriptor of a tensor in global memory, for TMA";
  let description = [{
    What `cuTensorMapEncodeTiled` makes: a tensor in global memory with the box
    that one TMA copy moves and the swizzle with which it lands in shared
    memory. The shape is that of the box, the contiguous dimension last.

    ```mlir
    !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>
    ```

    Rules (PTX ISA, Tensor Data Movement; refusals of the driver's encoder):
    1 to 5 dimensions of 1 to 256 elements each; the contiguous one is a
    multiple of 16 bytes and, with a swizzle, at most its span.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
    "SwizzleAttr":$swizzle);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape,
        "::mlir::Type":$elementType, "SwizzleAttr":$swizzle), [{
      return $_get(elementType.getContext(), shape, elementType, swizzle);
    }]>
  ];
  let extraClassDeclaration = [{
    /// Bytes of one element.
    int64_t getElementBytes() const;
    /// Bytes of a whole box, which is what a copy adds to an mbarrier's
    /// tx-count, out-of-bounds part included.
    int64_t getBoxBytes() const;
  }];
}

def Bwgemm_SmemType : Bwgemm_Type<"Smem", "smem"> {
  let summary = "operand tile in shared memory";
  let description = [{
    A tile of MN x K elements (M or N rows of an operand, K its depth) in
    shared memory, optionally preceded by a number of stages.

    ```mlir
    !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
    !bwgemm.smem<4x128x64xbf16, k_major, swizzle = 128B>      // four stages
    ```

    The contiguous mode (K for `k_major`, MN for `mn_major`) is cut into
    columns of R bytes, R = 16 without swizzle and 32, 64 or 128 with one. A
    column holds, row after row of the other mode, R bytes each; columns follow
    each other:

    ```
    byte(row, x) = (x / R) * rows * R + row * R + x mod R      (x in bytes along the contiguous mode)
    address      = swizzle(base + byte(row, x))
    ```

    Without swizzle, eight rows of one column are a core matrix of 128
    contiguous bytes. One column is what one TMA box writes. Source: PTX ISA,
    "Canonical Layouts" of tcgen05.

    Elements are of f16, bf16, f8E4M3FN, f8E5M2, i8 (signed), ui8, or f32, of
    which tensor cores take the upper 19 bits (tf32); on their way to memory
    there are i16, i32 and f32 as well.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
    "Major":$major, "SwizzleAttr":$swizzle);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape,
        "::mlir::Type":$elementType, "Major":$major, "SwizzleAttr":$swizzle), [{
      return $_get(elementType.getContext(), shape, elementType, major, swizzle);
    }]>
  ];
  let extraClassDeclaration = [{
    bool hasStages() const { return getShape().size() == 3; }
    int64_t getStages() const { return hasStages() ? getShape().front() : 1; }
    /// Elements along M or N.
    int64_t getMN() const { return getShape().drop_back().back(); }
    /// Elements along K.
    int64_t getK() const { return getShape().back(); }
    int64_t getElementBytes() const;
    /// Rows of a column: elements along the mode that is not contiguous.
    int64_t getRows() const { return getMajor() == Major::K ? getMN() : getK(); }
    /// Elements along the contiguous mode.
    int64_t getContiguous() const { return getMajor() == Major::K ? getK() : getMN(); }
    /// Elements of one row of a column.
    int64_t getRowElements() const;
    /// Columns of the tile.
    int64_t getColumns() const { return getContiguous() / getRowElements(); }
    /// Bytes from one column to the next.
    int64_t getColumnBytes() const { return getRows() * getSwizzle().getRowBytes(); }
    /// Bytes of one stage.
    int64_t getStageBytes() const;
    /// Bytes of all stages.
    int64_t getBytes() const { return getStages() * getStageBytes(); }
    /// Alignment of the tile's first byte: the swizzle's pattern, and never
    /// less than the 128 bytes that TMA asks for.
    int64_t getAlignment() const;
  }];
}

def Bwgemm_TmemType : Bwgemm_Type<"Tmem", "tmem"> {
  let summary = "accumulator in tensor memory";
  let description = [{
    `rows x columns` 32-bit cells, f32 or i32: M x N of an accumulator. M = 128 fills the
    128 lanes; M = 64 uses lanes 0-15 of each warp's quarter (PTX ISA, tcgen05
    data path layouts D and F). A CTA has 512 columns.

    The 64 rows of each CTA of a pair that multiplies a tile of M = 128 are
    `folded`: the right half of the accumulator lies in lanes 64-127, beside the
    left half in lanes 0-63, and it takes half as many columns (data path layout
    B). Of M = 256 each CTA has 128 rows as above (layout A).

    ```mlir
    !bwgemm.tmem<128x256xf32>
    !bwgemm.tmem<64x256xf32, folded>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns,
                        "::mlir::Type":$elementType, "bool":$folded);
  let builders = [
    TypeBuilder<(ins "int64_t":$rows, "int64_t":$columns,
                     "::mlir::Type":$elementType), [{
      return $_get($_ctxt, rows, columns, elementType, /*folded=*/false);
    }]>
  ];
  let extraClassDeclaration = [{
    /// Columns of tensor memory that hold it.
    int64_t getCellColumns() const {
      return getFolded() ? getColumns() / 2 : getColumns();
    }
    /// Columns to allocate: a power of two, at least 32.
    int64_t getAllocatedColumns() const;
  }];
}

def Bwgemm_TmemSlotType : Bwgemm_Type<"TmemSlot", "tmem_slot"> {
  let summary = "word of shared memory that receives a tensor-memory address";
  let description = [{
    `tcgen05.alloc` writes the address of what it allocated to shared memory.
    The parameter is the number of columns.

    ```mlir
    !bwgemm.tmem_slot<64>
    ```
  }];
  let parameters = (ins "int64_t":$columns);
}

def Bwgemm_MBarrierType : Bwgemm_Type<"MBarrier", "mbarrier"> {
  let summary = "array of mbarrier objects in shared memory";
  let description = [{
    ```mlir
    !bwgemm.mbarrier<4>
    ```
  }];
  let parameters = (ins "int64_t":$count);
}

def Bwgemm_WorkType : Bwgemm_Type<"Work", "work"> {
  let summary = "responses of cluster launch control in shared memory";
  let description = [{
    An array of 16-byte responses, each of which says which CTA of the grid this
    one takes over, or that there is none left. See
    `bwgemm.launch_control.request`.

    ```mlir
    !bwgemm.work<3>
    ```
  }];
  let parameters = (ins "int64_t":$count);
  let extraClassDeclaration = [{
    /// Bytes of one response (PTX ISA, clusterlaunchcontrol.try_cancel).
    static constexpr int64_t kResponseBytes = 16;
    int64_t getBytes() const { return kResponseBytes * getCount(); }
  }];
}

def Bwgemm_RingType : Bwgemm_Type<"Ring", "ring"> {
  let summary = "ring of slots between a producer and a consumer";
  let description = [{
    `stages` slots, each with one buffer of every element type: operand tiles in
    shared memory, one accumulator in tensor memory, or one response of cluster
    launch control. Slots without buffers are turns: whoever has one may use what
    both sides share. See `bwgemm.ring`.

    ```mlir
    !bwgemm.ring<4 x (!bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<256x64xbf16, k_major, swizzle = 128B>)>
    !bwgemm.ring<2 x (!bwgemm.tmem<128x256xf32>)>
    !bwgemm.ring<3 x (!bwgemm.work<1>)>
    !bwgemm.ring<1 x ()>
    ```
  }];
  let parameters = (ins "int64_t":$stages,
                        ArrayRefParameter<"::mlir::Type">:$buffers);
  let extraClassDeclaration = [{
    /// Whether slots are turns.
    bool isTurns() const { return getBuffers().empty(); }
    /// Whether slots are accumulators.
    bool isTensorMemory() const;
    /// Whether slots are responses of cluster launch control.
    bool isWork() const;
    /// Bytes of shared memory of one slot.
    int64_t getSlotBytes() const;
  }];
}

def Bwgemm_CursorType : TypeDef<Bwgemm_Dialect, "Cursor"> {
  let mnemonic = "cursor";
  let summary = "a slot of a ring, and the turn";
  let description = [{
    Where a producer or consumer stands. The slot counts from 0 and the turn by
    its parity, which is what an mbarrier's wait asks for.
  }];
}

def Bwgemm_AccType : Bwgemm_Type<"Acc", "acc"> {
  let summary = "accumulator of a tile program";
  let description = [{
    An M x N accumulator without a place yet: tensor memory on sm_100.

    ```mlir
    !bwgemm.acc<128x256xf32>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType);
}

def Bwgemm_FragmentType : Bwgemm_Type<"Fragment", "fragment"> {
  let summary = "accumulator in the registers of warps";
  let description = [{
    M x N accumulators of f32, f16 or i32, spread over the threads of `warps = WM x WN`
    warps: warp w has the M / WM rows from (w / WN) * M / WM on and the N / WN
    columns from (w mod WN) * N / WN on. These are blocks of 16 rows. With
    t = t0 + 4 t1 the number of a thread in its warp, element r = p + 2 q + 4 j
    that it has of a block is at row t1 + 8 q, column 8 j + 2 t0 + p:

    ```
    column     0  1   2  3   4  5   6  7     8 ...
    row 0     t0    t1    t2    t3         t0 ...     elements 0 1 of j = 0, then of j = 1
    row 1     t4    t5    t6    t7         t4
    ...
    row 7     t28   t29   t30   t31
    row 8     t0    t1    t2    t3                    elements 2 3
    ...
    row 15    t28   t29   t30   t31
    ```

    It is what mma.sync leaves for every 16 x 8 (PTX ISA, mma.m16n8k8 to k32,
    fragment C), and wgmma for every 16 rows of a warp (PTX ISA, wgmma.mma_async, register
    fragment D). Without `warps` each 16 rows are those of one warp, as of
    warpgroups.

    Elements of f32 and i32 have a register each. Of f16 the elements with p = 0
    and p = 1, neighbours in a row, share one, the first of them in its lower
    half: register q + 2 j has those of row t1 + 8 q. Only mma.sync of operands of
    f16 leaves such sums; `bwgemm.fragment_extend` makes f32 of them.

    ```mlir
    !bwgemm.fragment<128x256xf32>
    !bwgemm.fragment<128x128xf32, warps = 2x2>
    !bwgemm.fragment<128x128xf16, warps = 2x2>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
                        "int64_t":$warpsM, "int64_t":$warpsN);
  let builders = [
    TypeBuilder<(ins "int64_t":$rows, "int64_t":$columns,
                     "::mlir::Type":$elementType), [{
      return $_get($_ctxt, rows, columns, elementType,
                   std::max<int64_t>(rows / 16, 1), 1);
    }]>
  ];
  let extraClassDeclaration = [{
    /// Rows and columns of one warp.
    int64_t getWarpRows() const { return getRows() / getWarpsM(); }
    int64_t getWarpColumns() const { return getColumns() / getWarpsN(); }
    int64_t getWarps() const { return getWarpsM() * getWarpsN(); }
    /// Elements of one register: two of f16.
    int64_t getPacked() const { return getElementType().isF16() ? 2 : 1; }
    /// Whether each warp has 16 rows of all columns, as wgmma leaves them.
    bool isOfWarpgroups() const { return getWarpRows() == 16 && getWarpsN() == 1; }
  }];
}

def Bwgemm_OperandType : Bwgemm_Type<"Operand", "operand"> {
  let summary = "a warp's part of an operand, in registers";
  let description = [{
    MN x K elements of an operand, M rows of A or N rows of B, spread over the
    threads of a warp as mma.sync takes them: 32 bytes of K, which are 16 elements
    of f16 or bf16, 32 of 8 bits, and 8 of f32. With t = t0 + 4 t1 the number of a
    thread, it has four words of each 16 rows, of which the one for lower half q
    of the rows and right half h of the columns is at row 8 q + t1 and begins at
    byte 16 h + 4 t0, which is k = 8 h + 2 t0, 16 h + 4 t0 or 4 h + t0:

    ```
    byte        0    4    8    12         16   20   24   28
    k, 16 bits  0 1  2 3  4 5  6 7        8 9  ...       14 15
    k, 8 bits   0-3  4-7  8-11 12-15      16-19 ...      28-31
    k, f32      0    1    2    3          4    5    6    7
    row 0       t0   t1   t2   t3         t0   t1   t2   t3
    ...         q = 0, h = 0              q = 0, h = 1
    row 7       t28  t29  t30  t31        t28 ...
    row 8       t0   t1   t2   t3         t0 ...
    ...         q = 1, h = 0              q = 1, h = 1
    row 15      t28  t29  t30  t31        t28 ...
    ```

    Of `a` they are in order q + 2 h: all four are the A of one m16n8k16, k32 or
    k8. Of `b` they are in order h + 2 q: the first two are the B of 8 rows
    (columns of the result), the others that of the next 8. Of 8 rows of B a
    thread has two words (PTX ISA, mma.m16n8k16, m16n8k32 and m16n8k8, fragments A
    and B).

    ```mlir
    !bwgemm.operand<a, 64x16xbf16>
    !bwgemm.operand<b, 32x32xui8>
    ```
  }];
  let parameters = (ins "OperandSide":$side, "int64_t":$rows,
                        "int64_t":$columns, "::mlir::Type":$elementType);
  let extraClassDeclaration = [{
    /// Registers of 32 bits that each thread has.
    int64_t getRegisters() const { return getRows() / 4; }
  }];
}

#endif // BWGEMM_TYPES_TD

//===- HostOps.td - Host side of a launch -*- tablegen -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_HOST_OPS_TD
#define BWGEMM_HOST_OPS_TD

include "bwgemm/IR/BwgemmTypes.td"

def Bwgemm_RequireEqualOp : Bwgemm_Op<"require_equal"> {
  let summary = "report an error unless two sizes agree";
  let description = [{
    Yields whether `got` equals `expected`; if not, reports `what` with both
    numbers through the runtime's error handler.

    ```mlir
    %ok = bwgemm.require_equal %ka, %kb, "columns of A and rows of B"
    ```
  }];
  let arguments = (ins Index:$got, Index:$expected, StrAttr:$what);
  let results = (outs I1:$ok);
  let assemblyFormat = "$got `,` $expected `,` $what attr-dict";
}

def Bwgemm_RequireLayoutOp : Bwgemm_Op<"require_layout"> {
  let summary = "report an error unless a buffer is what its type says";
  let description = [{
    A memref that a caller hands over has sizes, strides and an offset of its
    own. What its type says of them is built into the code, and has to be true:
    if not, this reports `what` with the first number that differs, through the
    runtime's error handler. Strides of dimensions with one element, and those
    of a buffer without elements, do not matter.

    ```mlir
    bwgemm.require_layout %a, "argument 0 of 'matmul'" : memref<512x256xbf16>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, StrAttr:$what);
  let assemblyFormat = "$source `,` $what attr-dict `:` qualified(type($source))";
}

def Bwgemm_ToDeviceOp : Bwgemm_Op<"to_device", [
    AllTypesMatch<["source", "result"]>]> {
  let summary = "device view of a buffer";
  let description = [{
    A buffer that is device memory already is passed through. A host buffer is
    staged: a device buffer with the same strides and alignment is allocated,
    and filled if the kernel reads it (`read`).

    ```mlir
    %da = bwgemm.to_device read %a : memref<512x256xbf16>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, UnitAttr:$read, UnitAttr:$write);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "(`read` $read^)? (`write` $write^)? $source attr-dict `:` qualified(type($source))";
}

def Bwgemm_FromDeviceOp : Bwgemm_Op<"from_device"> {
  let summary = "end of a device view";
  let description = [{
    Copies what the kernel wrote back to the host buffer, if it was staged with
    `write` (which waits for the kernel), and frees the staging buffer behind
    the kernels that use it.
  }];
  let arguments = (ins AnyMemRef:$device);
  let assemblyFormat = "$device attr-dict `:` qualified(type($device))";
}

def Bwgemm_ZeroFillOp : Bwgemm_Op<"zero_fill"> {
  let summary = "set a matrix in device memory to zero";
  let description = [{
    The result of a gemm with K = 0 that does not accumulate. Tensor maps have
    no empty dimension (the driver's encoder refuses 0), so no kernel is
    launched.
  }];
  let arguments = (ins AnyMemRef:$device);
  let assemblyFormat = "$device attr-dict `:` qualified(type($device))";
}

def Bwgemm_TensorMapEncodeOp : Bwgemm_Op<"tensor_map.encode"> {
  let summary = "make a tensor map";
  let description = [{
    Encodes the tensor map of a matrix in device memory with
    `cuTensorMapEncodeTiled`. What TMA cannot address (a row pitch or base that
    is no multiple of 16 bytes) is an error that names the operand and the
    numbers. Elements outside of the matrix load as zero.

    ```mlir
    %map = bwgemm.tensor_map.encode %da, "A" : memref<512x256xbf16> -> !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, StrAttr:$operand);
  let results = (outs Bwgemm_TensorMapType:$map);
  let assemblyFormat = "$source `,` $operand attr-dict `:` qualified(type($source)) `->` qualified(type($map))";
  let hasVerifier = 1;
}

def Bwgemm_TmaAddressableOp : Bwgemm_Op<"tma_addressable"> {
  let summary = "whether TMA can address a matrix";
  let description = [{
    True if a tensor map of this view can be made: its rows are contiguous, and
    its first element and its row pitch are at multiples of 16 bytes.

    ```mlir
    %ok = bwgemm.tma_addressable %a : memref<?x?xbf16>
    ```
  }];
  let arguments = (ins AnyMemRef:$source);
  let results = (outs I1:$addressable);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source))";
}

def Bwgemm_WorkspaceAllocOp : Bwgemm_Op<"workspace.alloc", [
    MemoryEffects<[MemAlloc]>]> {
  let summary = "device memory that kernels hand over to each other";
  let description = [{
    A matrix without gaps in device memory, aligned to 256 bytes, for what one
    kernel writes and another one reads. Its contents are undefined. `purpose`
    says in an error what could not be had: where the device has not enough
    memory, the runtime reports it with the number of bytes.

    ```mlir
    %sums = bwgemm.workspace.alloc(%rows, %columns) "partial sums of split_k=4" : memref<?x?xf32>
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes, StrAttr:$purpose);
  let results = (outs AnyMemRef:$workspace);
  let assemblyFormat = "`(` $sizes `)` $purpose attr-dict `:` qualified(type($workspace))";
  let hasVerifier = 1;
}

def Bwgemm_WorkspaceFreeOp : Bwgemm_Op<"workspace.free"> {
  let summary = "end of a workspace";
  let description = [{
    Frees it behind the kernels that use it, in the order of the call's stream:
    nothing waits.

    ```mlir
    bwgemm.workspace.free %sums : memref<?x?xf32>
    ```
  }];
  let arguments = (ins AnyMemRef:$workspace);
  let assemblyFormat = "$workspace attr-dict `:` qualified(type($workspace))";
}

def Bwgemm_MultiprocessorCountOp : Bwgemm_Op<"multiprocessor_count"> {
  let summary = "streaming multiprocessors of the current device";
  let description = [{
    `CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT`: what a persistent kernel's grid
    is bounded by.

    ```mlir
    %sms = bwgemm.multiprocessor_count
    ```
  }];
  let results = (outs Index:$count);
  let assemblyFormat = "attr-dict";
}

def Bwgemm_ResidentLaunchOp : Bwgemm_Op<"resident_launch"> {
  let summary = "let the next launch have no more clusters than run at once";
  let description = [{
    The next kernel that this thread launches walks over tiles by its grid, in
    clusters: CTAs that wait until others are done would come late. Clusters lie
    within a GPC, whose multiprocessors they need not fill, so that fewer run at
    once than the number of multiprocessors says
    (`cuOccupancyMaxActiveClusters`; on an H200 30 of four CTAs, 120 of 132
    multiprocessors). The grid becomes that small if it is larger.

    ```mlir
    bwgemm.resident_launch
    gpu.launch_func @kernels::@matmul clusters in (%c4, %c1, %c1) ...
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Bwgemm_ProgrammaticLaunchOp : Bwgemm_Op<"programmatic_launch"> {
  let summary = "let the next launch begin early";
  let description = [{
    The next kernel that this thread launches may begin while the one before it
    in its stream still runs (programmatic dependent launch): the launch has the
    attribute `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`. The kernel
    itself waits, with `nvvm.griddepcontrol wait`, before it touches memory that
    others write.

    ```mlir
    bwgemm.programmatic_launch
    gpu.launch_func @kernels::@matmul ...
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // BWGEMM_HOST_OPS_TD

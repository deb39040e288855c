// Fields beside auto bind what it may choose.

// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=auto,tile=64x32x32 | FileCheck %s --check-prefix=TILE
// TILE: schedule <{{[a-z_]+}}, tile = 64x32x32,
// RUN: bwgemm-opt %s --bwgemm-assign-schedule=schedule=auto,split_k=3,stages=2,store=direct | FileCheck %s --check-prefix=FIELDS
// FIELDS: schedule <{{[a-z_]+}}, tile = {{.*}}, stages = 2, {{.*}}, split_k = 3>
// RUN: not bwgemm-opt %s --bwgemm-assign-schedule=schedule=auto,tile=96x32x32 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: 'bwgemm.gemm' op schedule 'auto': expects a tile of M 64 or 128, but got 96
// RUN: not bwgemm-opt %s --bwgemm-assign-schedule=schedule=auto,split_k=65 2>&1 | FileCheck %s --check-prefix=PARTS
// PARTS: error: 'bwgemm.gemm' op schedule 'auto': split_k=65 needs that many tiles of K, but K of 4096 has 64 of 64; at most split_k=64 fits
func.func @f(%a: memref<4096x4096xbf16>, %b: memref<4096x4096xbf16>, %d: memref<4096x4096xbf16>) {
  bwgemm.gemm %a, %b, %d : memref<4096x4096xbf16>, memref<4096x4096xbf16>, memref<4096x4096xbf16>
  return
}

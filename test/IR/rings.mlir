// Rings and roles print as they were written.

// RUN: bwgemm-opt %s | bwgemm-opt | FileCheck %s

!a = !bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>
!b = !bwgemm.smem<64x64xbf16, mn_major, swizzle = 128B>
!operands = !bwgemm.ring<4 x (!a, !b)>
!sum = !bwgemm.tmem<128x64xf32>
!sums = !bwgemm.ring<2 x (!sum)>

// CHECK-LABEL: func.func @protocol
func.func @protocol(%map: !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>, %tensor: !bwgemm.tmem<128x128xf32>, %zero: index, %yes: i1) {
  // CHECK: %[[OPERANDS:.*]] = bwgemm.ring : !bwgemm.ring<4 x (!bwgemm.smem<128x64xbf16, k_major, swizzle = 128B>, !bwgemm.smem<64x64xbf16, mn_major, swizzle = 128B>)>
  %operands = bwgemm.ring : !operands
  // CHECK: %[[SUMS:.*]] = bwgemm.ring commits 2 releases 4 : !bwgemm.ring<2 x (!bwgemm.tmem<128x64xf32>)>
  %sums = bwgemm.ring commits 2 releases 4 : !sums
  // CHECK: bwgemm.role "load" warps 4 to 4 elected {
  bwgemm.role "load" warps 4 to 4 elected {
    // CHECK: %[[C:.*]] = bwgemm.ring.begin %[[OPERANDS]] : !bwgemm.ring<4 x
    %c = bwgemm.ring.begin %operands : !operands
    // CHECK: bwgemm.ring.acquire %[[OPERANDS]][%[[C]]] :
    bwgemm.ring.acquire %operands[%c] : !operands
    // CHECK: bwgemm.ring.commit %[[OPERANDS]][%[[C]]] by tma :
    bwgemm.ring.commit %operands[%c] by tma : !operands
    // CHECK: %[[A:.*]]:2 = bwgemm.ring.slot %[[OPERANDS]][%[[C]]] : !bwgemm.ring<4 x
    %a, %b = bwgemm.ring.slot %operands[%c] : !operands -> !a, !b
    // CHECK: %[[FULL:.*]], %[[I:.*]] = bwgemm.ring.full %[[OPERANDS]][%[[C]]] : {{.*}} -> !bwgemm.mbarrier<4>
    %full, %i = bwgemm.ring.full %operands[%c] : !operands -> !bwgemm.mbarrier<4>
    // CHECK: bwgemm.tma_load %{{.*}}, %[[A]]#0[%{{.*}}], %[[FULL]][%[[I]]]
    bwgemm.tma_load %map[%zero, %zero], %a[%zero, %zero], %full[%i] : !bwgemm.tensor_map<128x64xbf16, swizzle = 128B>, !a, !bwgemm.mbarrier<4>
    // CHECK: bwgemm.ring.next %[[OPERANDS]][%[[C]]]
    %next = bwgemm.ring.next %operands[%c] : !operands
  }
  // CHECK: bwgemm.role "multiply" warps 5 to 5 elected {
  bwgemm.role "multiply" warps 5 to 5 elected {
    %c = bwgemm.ring.begin %operands : !operands
    // CHECK: bwgemm.ring.wait
    bwgemm.ring.wait %operands[%c] : !operands
    %a, %b = bwgemm.ring.slot %operands[%c] : !operands -> !a, !b
    // CHECK: %[[SUM:.*]] = bwgemm.ring.slot %[[SUMS]][%{{.*}}] in %{{.*}} : !bwgemm.tmem<128x128xf32> of : !bwgemm.ring<2 x (!bwgemm.tmem<128x64xf32>)> -> !bwgemm.tmem<128x64xf32>
    %sum = bwgemm.ring.slot %sums[%c] in %tensor : !bwgemm.tmem<128x128xf32> of : !sums -> !sum
    bwgemm.tcgen05.mma %sum, %a, %b, %yes : !sum, !a, !b
    // CHECK: bwgemm.ring.release %[[OPERANDS]][%{{.*}}] by mma
    bwgemm.ring.release %operands[%c] by mma : !operands
    // CHECK: bwgemm.ring.commit %[[SUMS]][%{{.*}}] by mma
    bwgemm.ring.commit %sums[%c] by mma : !sums
  }
  // CHECK: bwgemm.role "epilogue" warps 0 to 3 {
  bwgemm.role "epilogue" warps 0 to 3 {
    %c = bwgemm.ring.begin %sums : !sums
    bwgemm.ring.wait %sums[%c] : !sums
    // CHECK: bwgemm.ring.release %[[SUMS]][%{{.*}}] by thread
    bwgemm.ring.release %sums[%c] by thread : !sums
  }
  return
}

// CHECK-LABEL: func.func @slices
func.func @slices(%tiles: !bwgemm.smem<4x64x64xbf16, k_major, swizzle = 128B>, %tensor: !bwgemm.tmem<128x128xf32>, %i: index) {
  // CHECK: bwgemm.smem_slice %{{.*}}[%{{.*}}] : !bwgemm.smem<4x64x64xbf16, k_major, swizzle = 128B> -> !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  %tile = bwgemm.smem_slice %tiles[%i] : !bwgemm.smem<4x64x64xbf16, k_major, swizzle = 128B> -> !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
  // CHECK: bwgemm.tmem_slice %{{.*}}[%{{.*}}] : !bwgemm.tmem<128x128xf32> -> !bwgemm.tmem<128x64xf32>
  %part = bwgemm.tmem_slice %tensor[%i] : !bwgemm.tmem<128x128xf32> -> !bwgemm.tmem<128x64xf32>
  return
}

// Turns are slots without buffers; teams pass over the slots of each other.
// CHECK-LABEL: func.func @turns
func.func @turns(%slots: !bwgemm.ring<4 x (!bwgemm.smem<64x64xbf16, k_major>)>, %n: index) {
  // CHECK: %[[TURNS:.*]] = bwgemm.ring commits 4 releases 4 : !bwgemm.ring<1 x ()>
  %turns = bwgemm.ring commits 4 releases 4 : !bwgemm.ring<1 x ()>
  // CHECK: bwgemm.role "multiply" warps 0 to 7 teams 2 {
  bwgemm.role "multiply" warps 0 to 7 teams 2 {
    %turn = bwgemm.ring.begin %turns : !bwgemm.ring<1 x ()>
    // CHECK: bwgemm.ring.commit %[[TURNS]][%{{.*}}] by warp : !bwgemm.ring<1 x ()>
    bwgemm.ring.commit %turns[%turn] by warp : !bwgemm.ring<1 x ()>
    %first = bwgemm.ring.begin %slots : !bwgemm.ring<4 x (!bwgemm.smem<64x64xbf16, k_major>)>
    // CHECK: bwgemm.ring.skip %{{.*}}[%{{.*}}] by %{{.*}} : !bwgemm.ring<4 x
    %later = bwgemm.ring.skip %slots[%first] by %n : !bwgemm.ring<4 x (!bwgemm.smem<64x64xbf16, k_major>)>
    bwgemm.ring.wait %slots[%later] : !bwgemm.ring<4 x (!bwgemm.smem<64x64xbf16, k_major>)>
  }
  return
}

// A ring becomes tiles with stages, two mbarriers a slot, and phases.

// RUN: bwgemm-opt %s --allow-unregistered-dialect --bwgemm-lower-rings --bwgemm-lower-roles | FileCheck %s
// RUN: bwgemm-opt %s --allow-unregistered-dialect --bwgemm-lower-rings --bwgemm-lower-roles --bwgemm-lower-rings | FileCheck %s

!tile = !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
!ring = !bwgemm.ring<3 x (!tile)>
!sum = !bwgemm.tmem<128x64xf32>
!sums = !bwgemm.ring<2 x (!sum)>
!single = !bwgemm.ring<1 x (!tile)>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @producer
  gpu.func @producer(%depth: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    // CHECK: %[[WARP:.*]] = bwgemm.warp_id
    // CHECK: %[[TILES:.*]] = bwgemm.smem_alloc : !bwgemm.smem<3x64x64xbf16, k_major, swizzle = 128B>
    // CHECK: %[[FULL:.*]] = bwgemm.mbarrier.alloc : !bwgemm.mbarrier<3>
    // CHECK: %[[EMPTY:.*]] = bwgemm.mbarrier.alloc : !bwgemm.mbarrier<3>
    // One thread of warp 0 initialises.
    // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[WARP]], %{{.*}}
    // CHECK: scf.if %[[FIRST]] {
    // CHECK: %[[ELECTED:.*]] = bwgemm.elect
    // CHECK: scf.if %[[ELECTED]] {
    // CHECK-COUNT-3: bwgemm.mbarrier.init %[[EMPTY]][%{{.*}}], 2
    // CHECK-NEXT: bwgemm.fence mbarrier_init
    %ring = bwgemm.ring releases 2 : !ring
    gpu.barrier
    %begin = bwgemm.ring.begin %ring : !ring
    // A cursor is one register: the slot, and the parity of the turn at bit 16.
    // CHECK: %[[BEGIN:.*]] = arith.constant 0 : i32
    // CHECK: scf.for %{{.*}} iter_args(%[[C:.*]] = %[[BEGIN]]) -> (i32) {
    %last = scf.for %k = %c0 to %depth step %c64 iter_args(%c = %begin) -> (!bwgemm.cursor) {
      // The producer waits for the release of the turn before, which passes on
      // the first one.
      // CHECK: %[[LOW:.*]] = arith.constant 65535 : i32
      // CHECK: %[[S:.*]] = arith.andi %[[C]], %[[LOW]]
      // CHECK: %[[STAGE:.*]] = arith.index_castui %[[S]]
      // CHECK: %[[TURN:.*]] = arith.shrui %[[C]], %{{.*}}
      // CHECK: %[[BEFORE:.*]] = arith.xori %[[TURN]], %{{.*}}
      // CHECK: bwgemm.mbarrier.wait %[[EMPTY]][%[[STAGE]]], %[[BEFORE]]
      bwgemm.ring.acquire %ring[%c] : !ring
      // 64 x 64 elements of two bytes.
      // CHECK: bwgemm.mbarrier.arrive_expect_tx %[[FULL]][%{{.*}}], 8192
      bwgemm.ring.commit %ring[%c] by tma : !ring
      // CHECK: bwgemm.mbarrier.arrive %[[FULL]][%{{.*}}]
      bwgemm.ring.commit %ring[%c] by thread : !ring
      // CHECK: bwgemm.smem_slice %[[TILES]][%{{.*}}]
      %tile = bwgemm.ring.slot %ring[%c] : !ring -> !tile
      "test.use"(%tile) : (!tile) -> ()
      // CHECK: %[[IS_LAST:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i32
      // CHECK: %[[UP:.*]] = arith.addi %[[C]], %{{.*}}
      // CHECK: %[[KEPT:.*]] = arith.andi %[[C]], %[[BIT:.*]] : i32
      // CHECK: %[[AROUND:.*]] = arith.xori %[[KEPT]], %[[BIT]]
      // CHECK: %[[NEXT:.*]] = arith.select %[[IS_LAST]], %[[AROUND]], %[[UP]]
      // CHECK: scf.yield %[[NEXT]] : i32
      %next = bwgemm.ring.next %ring[%c] : !ring
      scf.yield %next : !bwgemm.cursor
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @consumer
  gpu.func @consumer(%tensor: !bwgemm.tmem<128x128xf32>) kernel {
    // CHECK: %[[FULL:.*]] = bwgemm.mbarrier.alloc : !bwgemm.mbarrier<2>
    // CHECK: %[[EMPTY:.*]] = bwgemm.mbarrier.alloc : !bwgemm.mbarrier<2>
    %sums = bwgemm.ring : !sums
    %c = bwgemm.ring.begin %sums : !sums
    // CHECK: %[[TURN:.*]] = arith.shrui
    // CHECK: bwgemm.mbarrier.wait %[[FULL]][%{{.*}}], %[[TURN]]
    bwgemm.ring.wait %sums[%c] : !sums
    // Slot after slot, 64 columns each.
    // CHECK: %[[COLUMN:.*]] = arith.muli %{{.*}}, %{{.*}} : index
    // CHECK: bwgemm.tmem_slice %{{.*}}[%[[COLUMN]]] : !bwgemm.tmem<128x128xf32> -> !bwgemm.tmem<128x64xf32>
    %sum = bwgemm.ring.slot %sums[%c] in %tensor : !bwgemm.tmem<128x128xf32> of : !sums -> !sum
    "test.use"(%sum) : (!sum) -> ()
    // CHECK: bwgemm.tcgen05.commit %[[EMPTY]][%{{.*}}]
    bwgemm.ring.release %sums[%c] by mma : !sums
    // CHECK: bwgemm.tcgen05.commit %[[FULL]][%{{.*}}]
    bwgemm.ring.commit %sums[%c] by mma : !sums
    // CHECK: bwgemm.mbarrier.arrive %[[EMPTY]][%{{.*}}]
    bwgemm.ring.release %sums[%c] by thread : !sums
    gpu.return
  }

  // One thread of a warp arrives for it, which is the same one for all slots; to
  // other CTAs each thread whose bit is set.
  // CHECK-LABEL: gpu.func @readers
  gpu.func @readers(%depth: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    // CHECK: %[[EMPTY:.*]] = bwgemm.mbarrier.alloc : !bwgemm.mbarrier<3>
    // CHECK: %[[OTHER:.*]] = bwgemm.mbarrier.alloc : !bwgemm.mbarrier<3>
    %ring = bwgemm.ring releases 4 : !ring
    %others = bwgemm.ring releases 8 : !ring
    gpu.barrier
    // CHECK: %[[MASK:.*]] = bwgemm.cluster.mask cross of [2, 1]
    %mask = bwgemm.cluster.mask cross of [2, 1]
    // CHECK: %[[LANE:.*]] = gpu.lane_id
    // CHECK: %[[WIDE:.*]] = arith.index_castui %[[MASK]]
    // CHECK: %[[SHIFTED:.*]] = arith.shrui %[[WIDE]], %[[LANE]]
    // CHECK: %[[BIT:.*]] = arith.andi %[[SHIFTED]], %{{.*}}
    // CHECK: %[[CTAS:.*]] = gpu.cluster_dim_blocks x
    // CHECK: %[[LAST:.*]] = arith.subi %[[CTAS]], %{{.*}}
    // CHECK: %[[ARRIVES:.*]] = arith.cmpi ne, %[[BIT]], %{{.*}}
    // CHECK: %[[RANK:.*]] = arith.minui %[[LANE]], %[[LAST]]
    // CHECK: %[[ELECTED:.*]] = bwgemm.elect
    bwgemm.role "multiply" warps 0 to 3 {
      %begin = bwgemm.ring.begin %ring : !ring
      // CHECK: scf.for
      %last = scf.for %k = %c0 to %depth step %c64 iter_args(%c = %begin) -> (!bwgemm.cursor) {
        // CHECK: scf.if %[[ELECTED]] {
        // CHECK-NEXT: bwgemm.mbarrier.arrive %{{.*}}[%{{.*}}] : !bwgemm.mbarrier<3>
        bwgemm.ring.release %ring[%c] by warp : !ring
        // CHECK: scf.if %[[ARRIVES]] {
        // CHECK-NEXT: bwgemm.mbarrier.arrive %{{.*}}[%{{.*}}] of %[[RANK]] readers : !bwgemm.mbarrier<3>
        bwgemm.ring.release %others[%c] by warp to %mask : !ring
        %next = bwgemm.ring.next %ring[%c] : !ring
        scf.yield %next : !bwgemm.cursor
      }
    }
    gpu.return
  }

  // A ring of one slot has turns alone.
  // CHECK-LABEL: gpu.func @single
  gpu.func @single() kernel {
    // CHECK: bwgemm.mbarrier.alloc : !bwgemm.mbarrier<1>
    %ring = bwgemm.ring : !single
    %c = bwgemm.ring.begin %ring : !single
    %next = bwgemm.ring.next %ring[%c] : !single
    // CHECK-NOT: arith.select
    // CHECK: bwgemm.mbarrier.wait
    bwgemm.ring.wait %ring[%next] : !single
    gpu.return
  }

  // Turns have mbarriers alone. Skipped slots wrap, and every other time round
  // changes the parity.
  // CHECK-LABEL: gpu.func @teams
  gpu.func @teams(%slots: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    // CHECK-NOT: smem_alloc
    // CHECK: %[[TAKEN:.*]] = bwgemm.mbarrier.alloc : !bwgemm.mbarrier<1>
    // CHECK: bwgemm.mbarrier.alloc : !bwgemm.mbarrier<1>
    %turns = bwgemm.ring commits 4 releases 4 : !bwgemm.ring<1 x ()>
    %ring = bwgemm.ring : !ring
    gpu.barrier
    %turn = bwgemm.ring.begin %turns : !bwgemm.ring<1 x ()>
    // One thread of the warp.
    // CHECK: bwgemm.elect
    // CHECK: bwgemm.mbarrier.arrive %[[TAKEN]]
    bwgemm.ring.commit %turns[%turn] by warp : !bwgemm.ring<1 x ()>
    %begin = bwgemm.ring.begin %ring : !ring
    // CHECK: %[[THREE:.*]] = arith.constant 3 : i32
    // CHECK: %[[SLOTS:.*]] = arith.index_castui %{{.*}} : index to i32
    // CHECK: %[[REACHED:.*]] = arith.addi %{{.*}}, %[[SLOTS]]
    // CHECK: %[[ROUNDS:.*]] = arith.divui %[[REACHED]], %[[THREE]]
    // CHECK: %[[C16:.*]] = arith.constant 16 : i32
    // CHECK: %[[TURNS:.*]] = arith.shli %[[ROUNDS]], %[[C16]]
    // CHECK: %[[FLIPPED:.*]] = arith.xori %{{.*}}, %[[TURNS]]
    // CHECK: %[[PARITY:.*]] = arith.andi %[[FLIPPED]], %{{.*}}
    // CHECK: %[[LEFT:.*]] = arith.remui %[[REACHED]], %[[THREE]]
    // CHECK: arith.ori %[[PARITY]], %[[LEFT]]
    %later = bwgemm.ring.skip %ring[%begin] by %slots : !ring
    bwgemm.ring.wait %ring[%later] : !ring
    gpu.return
  }
}

// Generic passes may merge and move our ops only where memory allows it: the
// effects are on shared memory, tensor memory, barriers and global memory apart.

// RUN: bwgemm-opt %s --cse --loop-invariant-code-motion | FileCheck %s

// Two loads of the same fragment are one, until an MMA writes in between.
// CHECK-LABEL: func @fragment_reuse
func.func @fragment_reuse(%t: !bwgemm.tmem<64x64xf32>, %a: !bwgemm.smem<64x64xbf16, k_major>, %true: i1, %i: index)
    -> (vector<32xf32>, vector<32xf32>, vector<32xf32>) {
  // CHECK: %[[V:.*]] = bwgemm.tmem_load
  %v = bwgemm.tmem_load %t[%i, %i] "32x32b" : !bwgemm.tmem<64x64xf32> -> vector<32xf32>
  // CHECK-NOT: bwgemm.tmem_load
  %w = bwgemm.tmem_load %t[%i, %i] "32x32b" : !bwgemm.tmem<64x64xf32> -> vector<32xf32>
  // CHECK: bwgemm.tcgen05.mma
  bwgemm.tcgen05.mma %t, %a, %a, %true : !bwgemm.tmem<64x64xf32>, !bwgemm.smem<64x64xbf16, k_major>, !bwgemm.smem<64x64xbf16, k_major>
  // CHECK: %[[X:.*]] = bwgemm.tmem_load
  %x = bwgemm.tmem_load %t[%i, %i] "32x32b" : !bwgemm.tmem<64x64xf32> -> vector<32xf32>
  // CHECK: return %[[V]], %[[V]], %[[X]]
  return %v, %w, %x : vector<32xf32>, vector<32xf32>, vector<32xf32>
}

// A barrier's wait may let another warp's writes in.
// CHECK-LABEL: func @wait_orders
func.func @wait_orders(%t: !bwgemm.tmem<64x64xf32>, %b: !bwgemm.mbarrier<1>, %i: index, %parity: i32)
    -> (vector<32xf32>, vector<32xf32>) {
  // CHECK: %[[V:.*]] = bwgemm.tmem_load
  %v = bwgemm.tmem_load %t[%i, %i] "32x32b" : !bwgemm.tmem<64x64xf32> -> vector<32xf32>
  // CHECK: bwgemm.mbarrier.wait
  bwgemm.mbarrier.wait %b[%i], %parity : !bwgemm.mbarrier<1>
  // CHECK: %[[W:.*]] = bwgemm.tmem_load
  %w = bwgemm.tmem_load %t[%i, %i] "32x32b" : !bwgemm.tmem<64x64xf32> -> vector<32xf32>
  // CHECK: return %[[V]], %[[W]]
  return %v, %w : vector<32xf32>, vector<32xf32>
}

// What starts, waits or orders is never dropped nor merged, though it has no
// result.
// CHECK-LABEL: func @kept
func.func @kept(%b: !bwgemm.mbarrier<1>, %i: index, %parity: i32, %v: vector<4xf32>) {
  // CHECK-COUNT-2: bwgemm.mbarrier.arrive
  bwgemm.mbarrier.arrive %b[%i] : !bwgemm.mbarrier<1>
  bwgemm.mbarrier.arrive %b[%i] : !bwgemm.mbarrier<1>
  // CHECK-COUNT-2: bwgemm.mbarrier.wait
  bwgemm.mbarrier.wait %b[%i], %parity : !bwgemm.mbarrier<1>
  bwgemm.mbarrier.wait %b[%i], %parity : !bwgemm.mbarrier<1>
  // CHECK: bwgemm.fence async_shared
  bwgemm.fence async_shared
  // CHECK: bwgemm.tmem_wait
  %ready = bwgemm.tmem_wait %v : vector<4xf32>
  return
}

// Election depends on which threads arrive together, and stays in its place;
// the warp's number does not, and may move.
// CHECK-LABEL: func @in_a_loop
func.func @in_a_loop(%n: index, %b: !bwgemm.mbarrier<1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: bwgemm.warp_id
  // CHECK: scf.for
  scf.for %k = %c0 to %n step %c1 {
    // CHECK: bwgemm.elect
    %elected = bwgemm.elect
    %warp = bwgemm.warp_id
    %first = arith.cmpi eq, %warp, %c0 : index
    %one = arith.andi %elected, %first : i1
    scf.if %one {
      bwgemm.mbarrier.arrive %b[%c0] : !bwgemm.mbarrier<1>
    }
  }
  return
}

// mbarrier objects.

// RUN: bwgemm-opt %s | FileCheck %s
// RUN: bwgemm-opt %s | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --mlir-print-op-generic | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --emit-bytecode | bwgemm-opt | FileCheck %s

// CHECK-LABEL: func @life
// CHECK-SAME: (%[[I:.*]]: index, %[[PARITY:.*]]: i32)
func.func @life(%i: index, %parity: i32) {
  // CHECK: %[[FULL:.*]] = bwgemm.mbarrier.alloc : !bwgemm.mbarrier<4>
  %full = bwgemm.mbarrier.alloc : !bwgemm.mbarrier<4>
  // CHECK: bwgemm.mbarrier.alloc offset 232440 : !bwgemm.mbarrier<1>
  %last = bwgemm.mbarrier.alloc offset 232440 : !bwgemm.mbarrier<1>
  // CHECK: bwgemm.mbarrier.init %[[FULL]][%[[I]]], 1 : !bwgemm.mbarrier<4>
  bwgemm.mbarrier.init %full[%i], 1 : !bwgemm.mbarrier<4>
  // The most arrivals that a phase counts.
  // CHECK: bwgemm.mbarrier.init %[[FULL]][%[[I]]], 1048575 : !bwgemm.mbarrier<4>
  bwgemm.mbarrier.init %full[%i], 1048575 : !bwgemm.mbarrier<4>
  // CHECK: bwgemm.mbarrier.arrive %[[FULL]][%[[I]]] : !bwgemm.mbarrier<4>
  bwgemm.mbarrier.arrive %full[%i] : !bwgemm.mbarrier<4>
  // CHECK: bwgemm.mbarrier.arrive_expect_tx %[[FULL]][%[[I]]], 0 : !bwgemm.mbarrier<4>
  bwgemm.mbarrier.arrive_expect_tx %full[%i], 0 : !bwgemm.mbarrier<4>
  // CHECK: bwgemm.mbarrier.arrive_expect_tx %[[FULL]][%[[I]]], 1048575 : !bwgemm.mbarrier<4>
  bwgemm.mbarrier.arrive_expect_tx %full[%i], 1048575 : !bwgemm.mbarrier<4>
  // CHECK: bwgemm.mbarrier.wait %[[FULL]][%[[I]]], %[[PARITY]] : !bwgemm.mbarrier<4>
  bwgemm.mbarrier.wait %full[%i], %parity : !bwgemm.mbarrier<4>
  // CHECK: bwgemm.mbarrier.inval %[[FULL]][%[[I]]] : !bwgemm.mbarrier<4>
  bwgemm.mbarrier.inval %full[%i] : !bwgemm.mbarrier<4>
  return
}

// The last of the array is a legal index.
// CHECK-LABEL: func @constant_index
func.func @constant_index(%full: !bwgemm.mbarrier<4>) {
  %c3 = arith.constant 3 : index
  // CHECK: bwgemm.mbarrier.arrive
  bwgemm.mbarrier.arrive %full[%c3] : !bwgemm.mbarrier<4>
  return
}

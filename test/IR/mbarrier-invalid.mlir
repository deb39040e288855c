// RUN: bwgemm-opt %s -split-input-file -verify-diagnostics

// mbarrier_alloc_c1
func.func @f() {
  // expected-error@+1 {{'bwgemm.mbarrier.alloc' op expects an offset that is a multiple of 8 bytes, but got 12}}
  %b = bwgemm.mbarrier.alloc offset 12 : !bwgemm.mbarrier<4>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'bwgemm.mbarrier.alloc' op expects an offset of at most 232416, so that its 32 bytes end within shared memory (232448), but got 232424}}
  %b = bwgemm.mbarrier.alloc offset 232424 : !bwgemm.mbarrier<4>
  return
}

// -----

// mbarrier_init_c1
func.func @f(%b: !bwgemm.mbarrier<4>, %i: index) {
  // expected-error@+1 {{'bwgemm.mbarrier.init' op expects an arrival count of 1 to 1048575, but got 0}}
  bwgemm.mbarrier.init %b[%i], 0 : !bwgemm.mbarrier<4>
  return
}

// -----

func.func @f(%b: !bwgemm.mbarrier<4>, %i: index) {
  // expected-error@+1 {{'bwgemm.mbarrier.init' op expects an arrival count of 1 to 1048575, but got 1048576}}
  bwgemm.mbarrier.init %b[%i], 1048576 : !bwgemm.mbarrier<4>
  return
}

// -----

// mbarrier_arrive_expect_tx_c1
func.func @f(%b: !bwgemm.mbarrier<4>, %i: index) {
  // expected-error@+1 {{'bwgemm.mbarrier.arrive_expect_tx' op expects 0 to 1048575 bytes, but got 1048576}}
  bwgemm.mbarrier.arrive_expect_tx %b[%i], 1048576 : !bwgemm.mbarrier<4>
  return
}

// -----

func.func @f(%b: !bwgemm.mbarrier<4>, %i: index) {
  // expected-error@+1 {{'bwgemm.mbarrier.arrive_expect_tx' op expects 0 to 1048575 bytes, but got -16}}
  bwgemm.mbarrier.arrive_expect_tx %b[%i], -16 : !bwgemm.mbarrier<4>
  return
}

// -----

// mbarrier_c2
func.func @f(%b: !bwgemm.mbarrier<4>, %parity: i32) {
  %bad = arith.constant 4 : index
  // expected-error@+1 {{'bwgemm.mbarrier.init' op expects an index of 0 to 3, but got 4}}
  bwgemm.mbarrier.init %b[%bad], 1 : !bwgemm.mbarrier<4>
  return
}

// -----

// mbarrier_c2
func.func @f(%b: !bwgemm.mbarrier<4>, %parity: i32) {
  %bad = arith.constant -1 : index
  // expected-error@+1 {{'bwgemm.mbarrier.inval' op expects an index of 0 to 3, but got -1}}
  bwgemm.mbarrier.inval %b[%bad] : !bwgemm.mbarrier<4>
  return
}

// -----

// mbarrier_c2
func.func @f(%b: !bwgemm.mbarrier<4>, %parity: i32) {
  %bad = arith.constant 4 : index
  // expected-error@+1 {{'bwgemm.mbarrier.arrive' op expects an index of 0 to 3, but got 4}}
  bwgemm.mbarrier.arrive %b[%bad] : !bwgemm.mbarrier<4>
  return
}

// -----

// mbarrier_c2
func.func @f(%b: !bwgemm.mbarrier<4>, %parity: i32) {
  %bad = arith.constant -1 : index
  // expected-error@+1 {{'bwgemm.mbarrier.arrive_expect_tx' op expects an index of 0 to 3, but got -1}}
  bwgemm.mbarrier.arrive_expect_tx %b[%bad], 16384 : !bwgemm.mbarrier<4>
  return
}

// -----

// mbarrier_c2
func.func @f(%b: !bwgemm.mbarrier<4>, %parity: i32) {
  %bad = arith.constant 4 : index
  // expected-error@+1 {{'bwgemm.mbarrier.wait' op expects an index of 0 to 3, but got 4}}
  bwgemm.mbarrier.wait %b[%bad], %parity : !bwgemm.mbarrier<4>
  return
}

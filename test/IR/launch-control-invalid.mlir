// RUN: bwgemm-opt %s --split-input-file --verify-diagnostics

func.func @f() {
  // work_alloc_c1
  // expected-error@+1 {{expects an offset that is a multiple of 16 bytes, but got 8}}
  %w = bwgemm.work_alloc offset 8 : !bwgemm.work<1>
  return
}

// -----

func.func @f() {
  // work_alloc_c1
  // expected-error@+1 {{expects an offset of at most 232416, so that its 32 bytes end within shared memory (232448), but got 232432}}
  %w = bwgemm.work_alloc offset 232432 : !bwgemm.work<2>
  return
}

// -----

func.func @f(%w: !bwgemm.work<3>, %i: index) {
  // work_slice_c1
  // expected-error@+1 {{expects one response, but got '!bwgemm.work<2>'}}
  %one = bwgemm.work_slice %w[%i] : !bwgemm.work<3> -> !bwgemm.work<2>
  return
}

// -----

func.func @f(%w: !bwgemm.work<3>) {
  %c3 = arith.constant 3 : index
  // work_slice_c2
  // expected-error@+1 {{expects an index of 0 to 2, but got 3}}
  %one = bwgemm.work_slice %w[%c3] : !bwgemm.work<3> -> !bwgemm.work<1>
  return
}

// -----

func.func @f(%w: !bwgemm.work<3>, %b: !bwgemm.mbarrier<3>, %i: index) {
  // launch_control_request_c1
  // expected-error@+1 {{expects one response, but got '!bwgemm.work<3>'}}
  bwgemm.launch_control.request %w, %b[%i] : !bwgemm.work<3>, !bwgemm.mbarrier<3>
  return
}

// -----

func.func @f(%w: !bwgemm.work<1>, %b: !bwgemm.mbarrier<3>) {
  %c3 = arith.constant 3 : index
  // expected-error@+1 {{expects an index of 0 to 2, but got 3}}
  bwgemm.launch_control.request %w, %b[%c3] : !bwgemm.work<1>, !bwgemm.mbarrier<3>
  return
}

// -----

func.func @f(%w: !bwgemm.work<2>) {
  // launch_control_read_c1
  // expected-error@+1 {{expects one response, but got '!bwgemm.work<2>'}}
  %a = bwgemm.launch_control.read %w : !bwgemm.work<2>
  return
}

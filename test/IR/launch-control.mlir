// RUN: bwgemm-opt %s | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --mlir-print-op-generic | bwgemm-opt | FileCheck %s

// CHECK-LABEL: func.func @one_after_the_other
func.func @one_after_the_other(%full: !bwgemm.mbarrier<3>, %i: index, %parity: i32) -> index {
  // CHECK: %[[ALL:.*]] = bwgemm.work_alloc : !bwgemm.work<3>
  %all = bwgemm.work_alloc : !bwgemm.work<3>
  // CHECK: bwgemm.work_alloc offset 48 : !bwgemm.work<1>
  %placed = bwgemm.work_alloc offset 48 : !bwgemm.work<1>
  // CHECK: %[[ONE:.*]] = bwgemm.work_slice %[[ALL]][%{{.*}}] : !bwgemm.work<3> -> !bwgemm.work<1>
  %one = bwgemm.work_slice %all[%i] : !bwgemm.work<3> -> !bwgemm.work<1>
  // CHECK: bwgemm.launch_control.request %[[ONE]], %{{.*}}[%{{.*}}] : !bwgemm.work<1>, !bwgemm.mbarrier<3>
  bwgemm.launch_control.request %one, %full[%i] : !bwgemm.work<1>, !bwgemm.mbarrier<3>
  bwgemm.mbarrier.wait %full[%i], %parity : !bwgemm.mbarrier<3>
  // CHECK: %[[ANSWER:.*]] = bwgemm.launch_control.read %[[ONE]] : !bwgemm.work<1>
  %answer = bwgemm.launch_control.read %one : !bwgemm.work<1>
  bwgemm.fence async_shared
  // CHECK: bwgemm.launch_control.is_canceled %[[ANSWER]]
  %more = bwgemm.launch_control.is_canceled %answer
  // CHECK: scf.if
  // CHECK: bwgemm.launch_control.first_cta %[[ANSWER]]
  %next = scf.if %more -> index {
    %cta = bwgemm.launch_control.first_cta %answer
    scf.yield %cta : index
  } else {
    scf.yield %i : index
  }
  return %next : index
}

// In a ring a response is a slot like any other.
// CHECK-LABEL: func.func @ring
func.func @ring() {
  // CHECK: %[[WORK:.*]] = bwgemm.ring releases 6 : !bwgemm.ring<3 x (!bwgemm.work<1>)>
  %work = bwgemm.ring releases 6 : !bwgemm.ring<3 x (!bwgemm.work<1>)>
  %c = bwgemm.ring.begin %work : !bwgemm.ring<3 x (!bwgemm.work<1>)>
  // CHECK: bwgemm.ring.slot %[[WORK]][%{{.*}}] : !bwgemm.ring<3 x (!bwgemm.work<1>)> -> !bwgemm.work<1>
  %slot = bwgemm.ring.slot %work[%c] : !bwgemm.ring<3 x (!bwgemm.work<1>)> -> !bwgemm.work<1>
  %full, %i = bwgemm.ring.full %work[%c] : !bwgemm.ring<3 x (!bwgemm.work<1>)> -> !bwgemm.mbarrier<3>
  bwgemm.launch_control.request %slot, %full[%i] : !bwgemm.work<1>, !bwgemm.mbarrier<3>
  return
}

// One request of a cluster fills a slot in each of its CTAs.
// CHECK-LABEL: func.func @cluster
func.func @cluster() {
  // CHECK: bwgemm.ring releases 12 cluster : !bwgemm.ring<3 x (!bwgemm.work<1>)>
  %work = bwgemm.ring releases 12 cluster : !bwgemm.ring<3 x (!bwgemm.work<1>)>
  %c = bwgemm.ring.begin %work : !bwgemm.ring<3 x (!bwgemm.work<1>)>
  %slot = bwgemm.ring.slot %work[%c] : !bwgemm.ring<3 x (!bwgemm.work<1>)> -> !bwgemm.work<1>
  %full, %i = bwgemm.ring.full %work[%c] : !bwgemm.ring<3 x (!bwgemm.work<1>)> -> !bwgemm.mbarrier<3>
  // CHECK: bwgemm.launch_control.request %{{.*}}, %{{.*}}[%{{.*}}] multicast : !bwgemm.work<1>, !bwgemm.mbarrier<3>
  bwgemm.launch_control.request %slot, %full[%i] multicast : !bwgemm.work<1>, !bwgemm.mbarrier<3>
  return
}

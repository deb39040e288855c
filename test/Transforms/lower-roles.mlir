// Roles are branches on the warp's number.

// RUN: bwgemm-opt %s --allow-unregistered-dialect --bwgemm-lower-roles | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @roles
  gpu.func @roles() kernel attributes {known_block_size = array<i32: 192, 1, 1>} {
    // CHECK: %[[WARP:.*]] = bwgemm.warp_id
    // CHECK: %[[FOUR:.*]] = arith.constant 4 : index
    // CHECK: %[[IS_FOUR:.*]] = arith.cmpi eq, %[[WARP]], %[[FOUR]]
    // CHECK: scf.if %[[IS_FOUR]] {
    // CHECK-NEXT: %[[ELECTED:.*]] = bwgemm.elect
    // CHECK-NEXT: scf.if %[[ELECTED]] {
    // CHECK-NEXT: "test.load"
    bwgemm.role "load" warps 4 to 4 elected {
      "test.load"() : () -> ()
    }
    // CHECK: %[[THREE:.*]] = arith.constant 3 : index
    // CHECK: %[[UP_TO:.*]] = arith.cmpi ule, %[[WARP]], %[[THREE]]
    // CHECK: scf.if %[[UP_TO]] {
    // CHECK-NEXT: "test.epilogue"
    bwgemm.role "epilogue" warps 0 to 3 {
      "test.epilogue"() : () -> ()
    }
    // CHECK: arith.cmpi uge, %[[WARP]]
    // CHECK: scf.if
    // CHECK-NEXT: arith.constant 3
    // CHECK-NEXT: arith.cmpi ule, %[[WARP]]
    // CHECK-NEXT: scf.if
    // CHECK-NEXT: "test.middle"
    bwgemm.role "middle" warps 2 to 3 {
      "test.middle"() : () -> ()
    }
    // All warps there are: no branch.
    // CHECK: }
    // CHECK: "test.all"
    bwgemm.role "all" warps 0 to 5 {
      "test.all"() : () -> ()
    }
    gpu.return
  }
}

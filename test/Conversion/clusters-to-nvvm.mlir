// What CTAs of a cluster do together, and the instructions that it becomes.

// RUN: bwgemm-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(convert-bwgemm-to-nvvm))' | FileCheck %s

gpu.module @barrier {
  // CHECK-LABEL: llvm.func @meet
  // CHECK: nvvm.cluster.arrive {aligned}
  // CHECK-NEXT: nvvm.cluster.wait {aligned}
  gpu.func @meet() kernel {
    bwgemm.cluster.barrier
    gpu.return
  }
}

// -----

// Of 4 x 2 CTAs, ranks 0 to 3 are the first column. 17 is ranks 0 and 4, a row;
// 15 a column; with pairs 5 is ranks 0 and 2, one half of a column, and 51 is
// ranks 0, 1, 4 and 5, the rows of a pair.
gpu.module @masks {
  // CHECK-LABEL: llvm.func @row
  // CHECK-DAG: %[[BITS:.*]] = llvm.mlir.constant(17 : i32)
  // CHECK-DAG: %[[FOUR:.*]] = llvm.mlir.constant(4 : i32)
  // CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank : i32
  // CHECK: %[[I:.*]] = llvm.urem %[[RANK]], %[[FOUR]]
  // CHECK: %[[MASK:.*]] = llvm.shl %[[BITS]], %[[I]]
  // CHECK: llvm.trunc %[[MASK]] : i32 to i16
  gpu.func @row(%out: memref<1xi16>) kernel {
    %c0 = arith.constant 0 : index
    %m = bwgemm.cluster.mask row of [4, 2]
    memref.store %m, %out[%c0] : memref<1xi16>
    gpu.return
  }
  // CHECK-LABEL: llvm.func @column
  // CHECK-DAG: %[[BITS:.*]] = llvm.mlir.constant(5 : i32)
  // CHECK: %[[I:.*]] = llvm.urem %[[RANK:.*]], %{{.*}}
  // CHECK: %[[HALF:.*]] = llvm.and %[[I]], %{{.*}}
  // CHECK: %[[START:.*]] = llvm.sub %[[RANK]], %[[I]]
  // CHECK: %[[FIRST:.*]] = llvm.add %[[START]], %[[HALF]]
  // CHECK: llvm.shl %[[BITS]], %[[FIRST]]
  gpu.func @column(%out: memref<1xi16>) kernel {
    %c0 = arith.constant 0 : index
    %m = bwgemm.cluster.mask column of [4, 2] cta_group 2
    memref.store %m, %out[%c0] : memref<1xi16>
    gpu.return
  }
  // CHECK-LABEL: llvm.func @cross
  // CHECK-DAG: %[[ROWS:.*]] = llvm.mlir.constant(51 : i32)
  // CHECK-DAG: %[[COLUMN:.*]] = llvm.mlir.constant(15 : i32)
  // CHECK: %[[I:.*]] = llvm.urem
  // CHECK: %[[PAIR:.*]] = llvm.and %[[I]], %{{.*}}
  // CHECK: %[[X:.*]] = llvm.shl %[[ROWS]], %[[PAIR]]
  // CHECK: %[[Y:.*]] = llvm.shl %[[COLUMN]], %{{.*}}
  // CHECK: llvm.or %[[X]], %[[Y]]
  gpu.func @cross(%out: memref<1xi16>) kernel {
    %c0 = arith.constant 0 : index
    %m = bwgemm.cluster.mask cross of [4, 2] cta_group 2
    memref.store %m, %out[%c0] : memref<1xi16>
    gpu.return
  }
  // CHECK-LABEL: llvm.func @pair
  // CHECK-DAG: %[[BITS:.*]] = llvm.mlir.constant(3 : i32)
  // CHECK: %[[LEADER:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
  // CHECK: llvm.shl %[[BITS]], %[[LEADER]]
  gpu.func @pair(%out: memref<1xi16>) kernel {
    %c0 = arith.constant 0 : index
    %m = bwgemm.cluster.mask pair of [4, 2] cta_group 2
    memref.store %m, %out[%c0] : memref<1xi16>
    gpu.return
  }
}

// -----

gpu.module @copies {
  // The leader's mbarrier: the partner's bit of the rank, which begins at bit
  // 24 of a shared address, is cleared.
  // CHECK-LABEL: llvm.func @load
  // CHECK-DAG: %[[KEEP:.*]] = llvm.mlir.constant(-16777217 : i32)
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, box[%{{.*}}, %{{.*}}] multicast_mask = %[[MASK:.*]] : !llvm.ptr<7>, !llvm.ptr
  // CHECK: %[[OWN:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
  // CHECK: %[[CLEAR:.*]] = llvm.and %[[OWN]], %[[KEEP]]
  // CHECK: %[[LEADER:.*]] = llvm.inttoptr %[[CLEAR]] : i32 to !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %[[LEADER]], box[%{{.*}}, %{{.*}}] multicast_mask = %[[MASK]] {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<7>, !llvm.ptr
  gpu.func @load(%map: !bwgemm.tensor_map<32x8xbf16>, %row: index, %mask: i16) kernel {
    %c0 = arith.constant 0 : index
    %tile = bwgemm.smem_alloc offset 4096 : !bwgemm.smem<64x8xbf16, k_major>
    %b = bwgemm.mbarrier.alloc offset 0 : !bwgemm.mbarrier<1>
    bwgemm.tma_load %map[%row, %c0], %tile[%row, %c0], %b[%c0] multicast %mask : !bwgemm.tensor_map<32x8xbf16>, !bwgemm.smem<64x8xbf16, k_major>, !bwgemm.mbarrier<1>
    bwgemm.tma_load %map[%row, %c0], %tile[%row, %c0], %b[%c0] multicast %mask cta_group 2 : !bwgemm.tensor_map<32x8xbf16>, !bwgemm.smem<64x8xbf16, k_major>, !bwgemm.mbarrier<1>
    gpu.return
  }
}

// -----

gpu.module @signals {
  // CHECK-LABEL: llvm.func @remote
  // CHECK: %[[THERE:.*]] = nvvm.mapa %{{.*}}, %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: nvvm.mbarrier.arrive %[[THERE]] {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
  // What has been read alone is handed over without a fence for writes.
  // CHECK: nvvm.mbarrier.arrive %{{[0-9]+}} : !llvm.ptr<7>
  // CHECK: nvvm.mbarrier.try_wait %{{.*}}, %{{.*}} {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<3>, i32 -> i1
  // CHECK: nvvm.tcgen05.commit %{{.*}}, multicast_mask = %{{.*}} {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<3>, i16
  gpu.func @remote(%rank: index, %parity: i32, %mask: i16) kernel {
    %c0 = arith.constant 0 : index
    %b = bwgemm.mbarrier.alloc offset 0 : !bwgemm.mbarrier<1>
    bwgemm.mbarrier.arrive %b[%c0] of %rank : !bwgemm.mbarrier<1>
    bwgemm.mbarrier.arrive %b[%c0] of %rank readers : !bwgemm.mbarrier<1>
    bwgemm.mbarrier.wait %b[%c0], %parity cluster : !bwgemm.mbarrier<1>
    bwgemm.tcgen05.commit %b[%c0] multicast %mask cta_group 2 : !bwgemm.mbarrier<1>
    gpu.return
  }
}

// -----

gpu.module @pair {
  // M of the instruction descriptor is that of both CTAs: 256 >> 4 at bit 24
  // (0x10000000), N 64 >> 3 at bit 17 (0x100000), and bf16 with f32 sums (0x490).
  // CHECK-LABEL: llvm.func @multiply
  // CHECK-DAG: %[[IDESC:.*]] = llvm.mlir.constant(269485200 : i32)
  // CHECK: nvvm.tcgen05.alloc %{{.*}}, %{{.*}} {group = #nvvm.cta_group<cta_2>}
  // CHECK: nvvm.tcgen05.relinquish_alloc_permit {group = #nvvm.cta_group<cta_2>}
  // CHECK: nvvm.tcgen05.mma %{{.*}}, %{{.*}}, %{{.*}}, %[[IDESC]], %{{.*}} {ctaGroup = #nvvm.cta_group<cta_2>
  // CHECK: nvvm.tcgen05.dealloc %{{.*}}, %{{.*}} {group = #nvvm.cta_group<cta_2>}
  gpu.func @multiply(%accumulate: i1) kernel {
    %slot = bwgemm.tmem_slot offset 16 : !bwgemm.tmem_slot<64>
    %a = bwgemm.smem_alloc offset 1024 : !bwgemm.smem<128x16xbf16, k_major>
    %b = bwgemm.smem_alloc offset 8192 : !bwgemm.smem<32x16xbf16, k_major>
    bwgemm.tmem_alloc %slot cta_group 2 : !bwgemm.tmem_slot<64>
    %t = bwgemm.tmem_get %slot : !bwgemm.tmem_slot<64> -> !bwgemm.tmem<128x64xf32>
    bwgemm.tcgen05.mma %t, %a, %b, %accumulate cta_group 2 : !bwgemm.tmem<128x64xf32>, !bwgemm.smem<128x16xbf16, k_major>, !bwgemm.smem<32x16xbf16, k_major>
    bwgemm.tmem_dealloc %t, %slot cta_group 2 : !bwgemm.tmem<128x64xf32>, !bwgemm.tmem_slot<64>
    gpu.return
  }
}

// -----

// The tile of a cluster, then that of the CTA in it.
gpu.module @coordinates {
  // CHECK-LABEL: llvm.func @where
  // CHECK: nvvm.read.ptx.sreg.ctaid.x
  // CHECK: llvm.udiv
  // CHECK: nvvm.read.ptx.sreg.cluster.ctaid.x
  gpu.func @where(%columns: index, %out: memref<2xindex>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m, %n = bwgemm.tile_coord 128 x 64 of %columns cluster [2, 2]
    memref.store %m, %out[%c0] : memref<2xindex>
    memref.store %n, %out[%c1] : memref<2xindex>
    gpu.return
  }
}

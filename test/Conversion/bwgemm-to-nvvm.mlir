// Each op of the asynchronous program, and the instruction that it becomes.

// RUN: bwgemm-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(convert-bwgemm-to-nvvm))' | FileCheck %s

// CHECK: llvm.mlir.global external @bwgemm_dynamic_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
gpu.module @barriers {
  // CHECK-LABEL: llvm.func @mbarrier
  // CHECK: %[[BASE:.*]] = llvm.mlir.addressof @bwgemm_dynamic_shared : !llvm.ptr<3>
  // CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[BASE]][8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // CHECK: nvvm.mbarrier.init %[[SECOND]], %{{.*}} : !llvm.ptr<3>, i32
  // CHECK: nvvm.fence.mbarrier.init
  // CHECK: nvvm.mbarrier.arrive %[[SECOND]] : !llvm.ptr<3> -> i64
  // CHECK: nvvm.mbarrier.arrive.expect_tx %[[SECOND]], %{{.*}} : !llvm.ptr<3>, i32 -> i64
  // The wait is a loop of the IR.
  // CHECK: llvm.br ^[[WAIT:.*]]
  // CHECK: ^[[WAIT]]:
  // CHECK: %[[DONE:.*]] = nvvm.mbarrier.try_wait %[[SECOND]], %{{.*}} : !llvm.ptr<3>, i32 -> i1
  // CHECK: llvm.cond_br
  // CHECK: nvvm.mbarrier.inval %[[SECOND]]
  gpu.func @mbarrier(%parity: i32) kernel {
    %c1 = arith.constant 1 : index
    %b = bwgemm.mbarrier.alloc offset 0 : !bwgemm.mbarrier<2>
    bwgemm.mbarrier.init %b[%c1], 3 : !bwgemm.mbarrier<2>
    bwgemm.fence mbarrier_init
    bwgemm.mbarrier.arrive %b[%c1] : !bwgemm.mbarrier<2>
    bwgemm.mbarrier.arrive_expect_tx %b[%c1], 8192 : !bwgemm.mbarrier<2>
    bwgemm.mbarrier.wait %b[%c1], %parity : !bwgemm.mbarrier<2>
    bwgemm.mbarrier.inval %b[%c1] : !bwgemm.mbarrier<2>
    gpu.return
  }
}

// -----

gpu.module @fences {
  // CHECK-LABEL: llvm.func @fence
  // CHECK: nvvm.fence.mbarrier.init
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  // CHECK: nvvm.tcgen05.fence <before>
  // CHECK: nvvm.tcgen05.fence <after>
  gpu.func @fence() kernel {
    bwgemm.fence mbarrier_init
    bwgemm.fence async_shared
    bwgemm.fence tcgen05_before_thread_sync
    bwgemm.fence tcgen05_after_thread_sync
    gpu.return
  }
}

// -----

gpu.module @copies {
  // The map is a parameter in its own space; coordinates are named from the
  // contiguous one. The box at element (MN 32, K 16) of a tile of 64 rows in
  // 16-byte columns lies at 16/8 * 64 * 16 + 32 * 16 = 2560 bytes, behind the
  // tile's own 4096.
  // CHECK-LABEL: llvm.func @load
  // CHECK-SAME: (%[[MAP:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %[[ROW:.*]]: i64, %[[K:.*]]: i64)
  // CHECK-DAG: %[[TILE:.*]] = llvm.getelementptr %{{.*}}[4096]
  // CHECK-DAG: nvvm.prefetch tensormap in_param_space, %[[MAP]]
  // CHECK-DAG: %[[BOX:.*]] = llvm.getelementptr %[[TILE]][2560]
  // CHECK-DAG: %[[DST:.*]] = llvm.addrspacecast %[[BOX]] : !llvm.ptr<3> to !llvm.ptr<7>
  // CHECK-DAG: %[[X:.*]] = llvm.trunc %[[K]] : i64 to i32
  // CHECK-DAG: %[[Y:.*]] = llvm.trunc %[[ROW]] : i64 to i32
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[DST]], %[[MAP]], %{{.*}}, box[%[[X]], %[[Y]]] : !llvm.ptr<7>, !llvm.ptr
  gpu.func @load(%map: !bwgemm.tensor_map<32x8xbf16>, %row: index, %k: index) kernel {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %tile = bwgemm.smem_alloc offset 4096 : !bwgemm.smem<64x64xbf16, k_major>
    %b = bwgemm.mbarrier.alloc offset 0 : !bwgemm.mbarrier<1>
    bwgemm.tensor_map.prefetch %map : !bwgemm.tensor_map<32x8xbf16>
    bwgemm.tma_load %map[%row, %k], %tile[%c32, %c16], %b[%c0] : !bwgemm.tensor_map<32x8xbf16>, !bwgemm.smem<64x64xbf16, k_major>, !bwgemm.mbarrier<1>
    gpu.return
  }

  // One policy for each kind of line, made at the kernel's beginning.
  // CHECK-LABEL: llvm.func @policies
  // CHECK-DAG: %[[LAST:.*]] = llvm.inline_asm {{.*}}"createpolicy.fractional.L2::evict_last.b64 $0;", "=l"  : () -> i64
  // CHECK-DAG: %[[FIRST:.*]] = llvm.inline_asm {{.*}}"createpolicy.fractional.L2::evict_first.b64 $0;", "=l"  : () -> i64
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, box[%{{.*}}, %{{.*}}] l2_cache_hint = %[[LAST]] :
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, box[%{{.*}}, %{{.*}}] l2_cache_hint = %[[FIRST]] :
  gpu.func @policies(%map: !bwgemm.tensor_map<32x8xbf16>, %row: index, %k: index) kernel {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %tile = bwgemm.smem_alloc offset 4096 : !bwgemm.smem<64x64xbf16, k_major>
    %b = bwgemm.mbarrier.alloc offset 0 : !bwgemm.mbarrier<1>
    bwgemm.tma_load %map[%row, %k], %tile[%c0, %c0], %b[%c0] l2 evict_last : !bwgemm.tensor_map<32x8xbf16>, !bwgemm.smem<64x64xbf16, k_major>, !bwgemm.mbarrier<1>
    bwgemm.tma_load %map[%row, %k], %tile[%c0, %c16], %b[%c0] l2 evict_first : !bwgemm.tensor_map<32x8xbf16>, !bwgemm.smem<64x64xbf16, k_major>, !bwgemm.mbarrier<1>
    gpu.return
  }
}

// -----

gpu.module @tensor_memory {
  // CHECK-LABEL: llvm.func @life
  // CHECK: %[[SLOT:.*]] = llvm.getelementptr %{{.*}}[16]
  // CHECK: nvvm.tcgen05.alloc %[[SLOT]], %{{.*}} : !llvm.ptr<3>, i32
  // CHECK: nvvm.tcgen05.relinquish_alloc_permit
  // CHECK: %[[WORD:.*]] = llvm.load %[[SLOT]] : !llvm.ptr<3> -> i32
  // CHECK: %[[T:.*]] = llvm.inttoptr %[[WORD]] : i32 to !llvm.ptr<6>
  // The lane is above bit 16.
  // CHECK: llvm.shl %{{.*}}, %{{.*}} : i32
  // CHECK: %[[V:.*]] = nvvm.tcgen05.ld %{{.*}} {shape = #nvvm.tcgen05_ldst_shape<shape_16x256b>} : vector<4xi32>
  // CHECK: nvvm.tcgen05.wait <load>
  // Every register passes through the empty assembly behind the wait.
  // CHECK: llvm.inline_asm has_side_effects "", "=r,=r,=r,=r,0,1,2,3" %{{.*}} : (i32, i32, i32, i32)
  // CHECK: nvvm.tcgen05.dealloc %[[T]], %{{.*}} : !llvm.ptr<6>, i32
  gpu.func @life(%lane: index, %column: index, %out: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %slot = bwgemm.tmem_slot offset 16 : !bwgemm.tmem_slot<64>
    bwgemm.tmem_alloc %slot : !bwgemm.tmem_slot<64>
    %t = bwgemm.tmem_get %slot : !bwgemm.tmem_slot<64> -> !bwgemm.tmem<64x64xf32>
    %v = bwgemm.tmem_load %t[%lane, %column] "16x256b" : !bwgemm.tmem<64x64xf32> -> vector<4xf32>
    %r = bwgemm.tmem_wait %v : vector<4xf32>
    vector.store %r, %out[%c0] : memref<4xf32>, vector<4xf32>
    bwgemm.tmem_dealloc %t, %slot : !bwgemm.tmem<64x64xf32>, !bwgemm.tmem_slot<64>
    gpu.return
  }
}

// -----

// The warp's number is made uniform by a shuffle from lane 0.
gpu.module @threads {
  // CHECK-LABEL: llvm.func @who
  // CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x : i32
  // CHECK: %[[W:.*]] = llvm.lshr %[[TID]], %{{.*}} : i32
  // CHECK: nvvm.shfl.sync idx %{{.*}}, %[[W]], %{{.*}}, %{{.*}} : i32 -> i32
  // CHECK: nvvm.elect.sync -> i1
  gpu.func @who(%out: memref<2xindex>, %flag: memref<1xi1>) kernel {
    %c0 = arith.constant 0 : index
    %w = bwgemm.warp_id
    memref.store %w, %out[%c0] : memref<2xindex>
    %e = bwgemm.elect
    memref.store %e, %flag[%c0] : memref<1xi1>
    gpu.return
  }
}

// -----

// 100 columns are two tiles of 64: m = (block / 2) * 64, n = (block mod 2) * 64.
gpu.module @coordinates {
  // CHECK-LABEL: llvm.func @tile_coord
  // CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(2 : index) : i64
  // CHECK-DAG: nvvm.read.ptx.sreg.ctaid.x
  // CHECK: %[[Q:.*]] = llvm.udiv %[[BLOCK:.*]], %[[TWO]]
  // CHECK: %[[R:.*]] = llvm.urem %[[BLOCK]], %[[TWO]]
  // CHECK: llvm.mul %[[Q]]
  // CHECK: llvm.mul %[[R]]
  gpu.func @tile_coord(%out: memref<2xindex>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c100 = arith.constant 100 : index
    %m, %n = bwgemm.tile_coord 64 x 64 of %c100
    memref.store %m, %out[%c0] : memref<2xindex>
    memref.store %n, %out[%c1] : memref<2xindex>
    gpu.return
  }
}

// -----

gpu.module @staging {
  // The box of stage 1 lies behind 64 rows of 128 bytes.
  // CHECK-LABEL: llvm.func @store
  // CHECK-SAME: (%[[MAP:.*]]: !llvm.ptr {{{.*}}nvvm.grid_constant}, %[[M:.*]]: i64, %[[N:.*]]: i64)
  // CHECK-DAG: %[[BOX:.*]] = llvm.getelementptr %{{.*}}[8192]
  // CHECK-DAG: %[[ROW:.*]] = llvm.trunc %[[M]]
  // CHECK-DAG: %[[COLUMN:.*]] = llvm.trunc %[[N]]
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[MAP]], %[[BOX]], box[%[[COLUMN]], %[[ROW]]]
  // CHECK: nvvm.cp.async.bulk.commit.group
  // CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
  // CHECK: nvvm.cp.async.bulk.wait_group 0{{$}}
  // CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
  // CHECK: %[[ID:.*]] = llvm.add %{{.*}}, %{{.*}} : i32
  // CHECK: nvvm.barrier id = %[[ID]] number_of_threads = %{{.*}}
  gpu.func @store(%map: !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, %m: index, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = bwgemm.smem_alloc offset 0 : !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>
    bwgemm.tma_store %map[%m, %n], %t[%c1, %c0, %c0] : !bwgemm.tensor_map<64x64xbf16, swizzle = 128B>, !bwgemm.smem<2x64x64xbf16, k_major, swizzle = 128B>
    bwgemm.tma_store.commit
    bwgemm.tma_store.wait 1 read
    bwgemm.tma_store.wait 0
    bwgemm.warps_barrier 1, 128
    bwgemm.warps_barrier 1, 128 group %m
    gpu.return
  }

  // Row 3, bytes 16 to 31 of a row of 128: 3 * 128 + 16 = 400 before the
  // swizzle, chunk 1 ^ 3 = 2 of the row behind it: 3 * 128 + 32 = 416.
  // CHECK-LABEL: llvm.func @vector
  // CHECK: %[[PLACE:.*]] = llvm.getelementptr %{{.*}}[416]
  // CHECK: llvm.store %{{.*}}, %[[PLACE]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
  gpu.func @vector(%v: vector<4xf32>) kernel {
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %t = bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x32xf32, k_major, swizzle = 128B>
    bwgemm.smem_store %v, %t[%c3, %c4] : vector<4xf32>, !bwgemm.smem<64x32xf32, k_major, swizzle = 128B>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @matrices
  // CHECK: nvvm.stmatrix %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
  // CHECK: nvvm.stmatrix %{{.*}}, %{{.*}}, %{{.*}} {{{.*}}} : !llvm.ptr<3>, i32, i32
  gpu.func @matrices(%v: vector<8xbf16>, %w: vector<4xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %t = bwgemm.smem_alloc offset 0 : !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
    bwgemm.stmatrix %v, %t[%c0, %c0] : vector<8xbf16>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
    bwgemm.stmatrix %w, %t[%c0, %c0] : vector<4xbf16>, !bwgemm.smem<64x64xbf16, k_major, swizzle = 128B>
    gpu.return
  }
}

// -----

gpu.module @launch_control {
  // CHECK-LABEL: llvm.func @request
  // CHECK: %[[FIRST:.*]] = llvm.getelementptr %{{.*}}[64]
  // CHECK: %[[RESPONSE:.*]] = llvm.getelementptr %[[FIRST]][16]
  // CHECK: %[[BARRIER:.*]] = llvm.getelementptr %{{.*}}[8]
  // CHECK: nvvm.clusterlaunchcontrol.try.cancel %[[RESPONSE]], %[[BARRIER]]
  // CHECK: nvvm.clusterlaunchcontrol.try.cancel multicast, %[[RESPONSE]], %[[BARRIER]]
  // CHECK: %[[ANSWER:.*]] = llvm.load %[[RESPONSE]] {alignment = 16 : i64} : !llvm.ptr<3> -> i128
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
  // CHECK: nvvm.bar.warp.sync
  // CHECK: %[[MORE:.*]] = nvvm.clusterlaunchcontrol.query.cancel query = is_canceled, %[[ANSWER]] : i1
  // CHECK: llvm.cond_br %[[MORE]]
  // CHECK: nvvm.clusterlaunchcontrol.query.cancel query = get_first_cta_id_x, %[[ANSWER]] : i32
  gpu.func @request(%out: memref<1xindex>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %b = bwgemm.mbarrier.alloc offset 0 : !bwgemm.mbarrier<2>
    %all = bwgemm.work_alloc offset 64 : !bwgemm.work<2>
    %one = bwgemm.work_slice %all[%c1] : !bwgemm.work<2> -> !bwgemm.work<1>
    bwgemm.launch_control.request %one, %b[%c1] : !bwgemm.work<1>, !bwgemm.mbarrier<2>
    bwgemm.launch_control.request %one, %b[%c1] multicast : !bwgemm.work<1>, !bwgemm.mbarrier<2>
    %answer = bwgemm.launch_control.read %one : !bwgemm.work<1>
    bwgemm.fence async_shared
    bwgemm.warp_barrier
    %more = bwgemm.launch_control.is_canceled %answer
    scf.if %more {
      %cta = bwgemm.launch_control.first_cta %answer
      memref.store %cta, %out[%c0] : memref<1xindex>
    }
    gpu.return
  }
}

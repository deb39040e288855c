// From tensor memory to global memory, in both fragment shapes.

// RUN: bwgemm-opt %s --bwgemm-lower-epilogue --canonicalize | FileCheck %s

#wide = #bwgemm.schedule<swizzle, tile = 64x64x64, stages = 1, swizzle = 128B, tmem_load = "16x256b">
#tall = #bwgemm.schedule<swizzle, tile = 128x48x64, stages = 1, swizzle = 128B, tmem_load = "32x32b">

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @lanes
  // 48 columns go in three steps of 16, a row for each lane.
  // CHECK: %[[LANE:.*]] = gpu.lane_id
  // CHECK: %[[WARP:.*]] = bwgemm.warp_id
  // CHECK: %[[FIRST:.*]] = arith.muli %[[WARP]], %c32
  // CHECK: scf.for %[[COLUMN:.*]] = %c0 to %c48 step %c16 {
  // CHECK:   %[[V:.*]] = bwgemm.tmem_load %{{.*}}[%[[FIRST]], %[[COLUMN]]] "32x32b" : !bwgemm.tmem<128x48xf32> -> vector<16xf32>
  // CHECK:   bwgemm.tmem_wait %[[V]]
  // CHECK:   scf.if
  // Eight bf16 are 16 bytes.
  // CHECK-COUNT-2: vector.store {{.*}} {alignment = 16 : i64} : memref<?x?xbf16>, vector<8xbf16>
  // CHECK-NOT: vector.store
  // CHECK:   } else {
  // CHECK-COUNT-16: memref.store
  // CHECK-NOT: memref.store
  // CHECK: gpu.return
  gpu.func @lanes(%t: !bwgemm.tmem<128x48xf32>, %d: memref<?x?xbf16>, %m: index, %n: index) kernel attributes {bwgemm.schedule = #tall} {
    bwgemm.store %t, %d[%m, %n] : !bwgemm.tmem<128x48xf32>, memref<?x?xbf16>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @pairs
  // 32 columns of 16x256b are 16 registers, in pairs of neighbours. M = 64
  // keeps 16 rows in each quarter, so that one load covers them.
  // CHECK: scf.for %{{.*}} = %c0 to %c64 step %c32 {
  // CHECK:   bwgemm.tmem_load {{.*}} "16x256b" : !bwgemm.tmem<64x64xf32> -> vector<16xf32>
  // CHECK-NOT: bwgemm.tmem_load
  // Accumulation reads D as it writes it.
  // CHECK:   vector.load {{.*}} {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
  // CHECK:   arith.addf
  // CHECK:   vector.store {{.*}} {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
  // CHECK: gpu.return
  gpu.func @pairs(%t: !bwgemm.tmem<64x64xf32>, %d: memref<?x?xf32>, %m: index, %n: index) kernel attributes {bwgemm.schedule = #wide} {
    bwgemm.store %t, %d[%m, %n] accumulate : !bwgemm.tmem<64x64xf32>, memref<?x?xf32>
    gpu.return
  }

  // Four pairs of columns of a 16-bit result are exchanged between the threads of
  // a quad in two rounds of two words each, so that each stores 16 bytes of a row
  // whose pitch is known to allow it.
  // CHECK-LABEL: gpu.func @exchanged
  // CHECK: scf.for %{{.*}} = %c0 to %c64 step %c32 {
  // CHECK:   scf.if
  // CHECK:   %[[U:.*]] = vector.bitcast %{{.*}} : vector<2xbf16> to vector<1xi32>
  // CHECK-COUNT-2: gpu.shuffle xor %{{.*}}, %c1_i32, %c32_i32 : i32
  // CHECK-COUNT-2: gpu.shuffle xor %{{.*}}, %c2_i32, %c32_i32 : i32
  // CHECK:   vector.bitcast %{{.*}} : vector<4xi32> to vector<8xbf16>
  // Rows of 128 elements end where a piece ends: any tile is written like this.
  // CHECK:   scf.if
  // CHECK-NEXT: vector.store {{.*}} {alignment = 16 : i64} : memref<256x128xbf16>, vector<8xbf16>
  // The lower eight rows.
  // CHECK-COUNT-4: gpu.shuffle
  // CHECK:   vector.store
  // CHECK-NOT: vector.store
  // CHECK:   } else {
  // CHECK-COUNT-16: memref.store
  // CHECK: gpu.return
  gpu.func @exchanged(%t: !bwgemm.tmem<64x64xf32>, %d: memref<256x128xbf16>, %m: index, %n: index) kernel attributes {bwgemm.schedule = #wide} {
    bwgemm.store %t, %d[%m, %n] : !bwgemm.tmem<64x64xf32>, memref<256x128xbf16>
    gpu.return
  }

  // Every other row of a matrix of 129 columns begins in the middle of a word:
  // threads get the first element of the next one, and two of a quad have one
  // element left.
  // CHECK-LABEL: gpu.func @shifted
  // CHECK: scf.for %[[COLUMN:.*]] = %c0 to %c64 step %c32 {
  // CHECK:   %[[END:.*]] = arith.addi %{{.*}}, %c32
  // CHECK:   %[[INSIDE:.*]] = arith.cmpi ule, %[[END]], %c129
  // CHECK:   scf.if %[[INSIDE]] {
  // CHECK-COUNT-4: gpu.shuffle idx %{{.*}}, %{{.*}}, %c32_i32 : i32
  // CHECK-NOT:   gpu.shuffle
  // CHECK:     %[[BIT:.*]] = arith.andi %{{.*}}, %c2
  // CHECK:     %[[ODD:.*]] = arith.cmpi ne, %[[BIT]], %c0
  // CHECK-COUNT-4: vector.store {{.*}} {alignment = 4 : i64} : memref<256x129xbf16>, vector<2xbf16>
  // CHECK-NOT:   vector.store
  // CHECK:       memref.store
  // The lower eight rows.
  // CHECK-COUNT-4: gpu.shuffle idx
  // CHECK:   } else {
  // CHECK-COUNT-16: memref.store
  // CHECK: gpu.return
  gpu.func @shifted(%t: !bwgemm.tmem<64x64xf32>, %d: memref<256x129xbf16>, %m: index, %n: index) kernel attributes {bwgemm.schedule = #wide} {
    bwgemm.store %t, %d[%m, %n] : !bwgemm.tmem<64x64xf32>, memref<256x129xbf16>
    gpu.return
  }

  // Columns apart from each other have no vectors.
  // CHECK-LABEL: gpu.func @strided
  // CHECK-NOT: vector.store
  // CHECK-COUNT-16: memref.store
  // CHECK-NOT: vector.store
  // CHECK: gpu.return
  gpu.func @strided(%t: !bwgemm.tmem<64x64xf32>, %d: memref<?x?xf32, strided<[?, 2]>>, %m: index, %n: index) kernel attributes {bwgemm.schedule = #wide} {
    bwgemm.store %t, %d[%m, %n] : !bwgemm.tmem<64x64xf32>, memref<?x?xf32, strided<[?, 2]>>
    gpu.return
  }
}

// Operands of an epilogue with one element for each column are loaded once for
// a tile, every other one ahead of the main loop, which brings all lines of
// memory, and shuffled to the threads of wgmma that compute with them.

// RUN: bwgemm-opt %s --allow-unregistered-dialect --bwgemm-lower-epilogue --canonicalize --cse | FileCheck %s

#direct = #bwgemm.schedule<persistent, tile = 64x64x64, stages = 4, swizzle = 128B, tmem_load = "16x256b", store = direct>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @bias
  // CHECK-SAME: %[[BIAS:[a-z0-9]+]]: memref<200xbf16>
  // CHECK-SAME: %[[ZERO:[a-z0-9]+]]: !bwgemm.fragment<64x64xf32>
  // CHECK-DAG: %[[LAST:.*]] = arith.constant 199 : index
  // CHECK-DAG: %[[ZEROTH:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[FOUR:.*]] = arith.constant 4 : i32
  // CHECK-DAG: %[[OWN:.*]] = arith.constant 799 : i32
  // CHECK: scf.for
  // CHECK: %[[M:.*]], %[[N:.*]] = bwgemm.tile_coord
  // Two columns for each of 32 lanes, the last one of D for what is outside.
  // CHECK: %[[LANE:.*]] = gpu.lane_id
  // CHECK: %[[TWICE:.*]] = arith.muli %[[LANE]], %{{.*}} : index
  // CHECK: %[[COLUMN:.*]] = arith.addi %[[N]], %[[TWICE]] : index
  // CHECK: %[[PLACE:.*]] = arith.minui %[[COLUMN]], %[[LAST]] : index
  // CHECK: %[[FIRST:.*]] = memref.load %[[BIAS]][%[[PLACE]]]
  // CHECK: arith.bitcast %[[FIRST]] : bf16 to i16
  // CHECK: %[[LOW:.*]] = arith.extui
  // CHECK-NOT: memref.load
  // Then the main loop. Behind it a pair becomes a word,
  // CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]])
  // CHECK: memref.load %[[BIAS]]
  // CHECK-NOT: memref.load
  // CHECK: %[[WORD:.*]] = arith.ori %[[LOW]]
  // and thread t of a quad gets columns 8 i + 2 t of each i from lane 4 i + t.
  // 799 is 0x31f: of the lane's number the low two bits stay its own.
  // CHECK: nvvm.shfl.sync idx %{{.*}}, %[[WORD]], %[[ZEROTH]], %[[OWN]] : i32 -> i32
  // CHECK: nvvm.shfl.sync idx %{{.*}}, %[[WORD]], %[[FOUR]], %[[OWN]] : i32 -> i32
  // CHECK-NOT: memref.load
  gpu.func @bias(%d: memref<100x200xf32>, %bias: memref<200xbf16>, %zero: !bwgemm.fragment<64x64xf32>, %steps: index) kernel attributes {bwgemm.schedule = #direct} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = arith.constant 100 : index
    %columns = arith.constant 200 : index
    scf.for %tile = %c0 to %steps step %c1 {
      %m, %n = bwgemm.tile_coord 64 x 64 of %rows at %tile raster 8 of %columns
      %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (!bwgemm.fragment<64x64xf32>) {
        %next = "test.multiply"(%acc) : (!bwgemm.fragment<64x64xf32>) -> !bwgemm.fragment<64x64xf32>
        scf.yield %next : !bwgemm.fragment<64x64xf32>
      }
      bwgemm.store %sum, %d[%m, %n] epilogue(%x, %b = %bias[n] : memref<200xbf16>) {
        %wide = arith.extf %b : bf16 to f32
        %y = arith.addf %x, %wide : f32
        bwgemm.yield %y : f32
      } : !bwgemm.fragment<64x64xf32>, memref<100x200xf32>
    }
    gpu.return
  }

  // What differs from row to row is read where it is used, and so is an operand
  // of columns in a kernel's own block, ahead of whose first access kernels
  // that depend on each other wait.
  // CHECK-LABEL: gpu.func @matrix
  // CHECK-SAME: %[[C:[a-z0-9]+]]: memref<64x64xf32>, %[[BIAS:[a-z0-9]+]]: memref<64xf32>
  // CHECK: "test.multiply"
  // CHECK: memref.load %[[BIAS]]
  // CHECK: nvvm.shfl.sync
  // CHECK: vector.load %[[C]]
  gpu.func @matrix(%d: memref<64x64xf32>, %c: memref<64x64xf32>, %bias: memref<64xf32>) kernel attributes {bwgemm.schedule = #direct} {
    %c0 = arith.constant 0 : index
    %sum = "test.multiply"() : () -> !bwgemm.fragment<64x64xf32>
    bwgemm.store %sum, %d[%c0, %c0] epilogue(%x, %b = %bias[n] : memref<64xf32>, %e = %c[m, n] : memref<64x64xf32>) {
      %y = arith.addf %x, %b : f32
      %z = arith.addf %y, %e : f32
      bwgemm.yield %z : f32
    } : !bwgemm.fragment<64x64xf32>, memref<64x64xf32>
    gpu.return
  }
}

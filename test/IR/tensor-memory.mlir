// Tensor memory.

// RUN: bwgemm-opt %s | FileCheck %s
// RUN: bwgemm-opt %s | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --mlir-print-op-generic | bwgemm-opt | FileCheck %s
// RUN: bwgemm-opt %s --emit-bytecode | bwgemm-opt | FileCheck %s

// CHECK-LABEL: func @life
func.func @life(%lane: index, %column: index) -> (vector<64xf32>, vector<32xf32>) {
  // CHECK: %[[SLOT:.*]] = bwgemm.tmem_slot : !bwgemm.tmem_slot<64>
  %slot = bwgemm.tmem_slot : !bwgemm.tmem_slot<64>
  // CHECK: bwgemm.tmem_slot offset 232444 : !bwgemm.tmem_slot<512>
  %last = bwgemm.tmem_slot offset 232444 : !bwgemm.tmem_slot<512>
  // CHECK: bwgemm.tmem_alloc %[[SLOT]] : !bwgemm.tmem_slot<64>
  bwgemm.tmem_alloc %slot : !bwgemm.tmem_slot<64>
  // CHECK: %[[T:.*]] = bwgemm.tmem_get %[[SLOT]] : !bwgemm.tmem_slot<64> -> !bwgemm.tmem<128x64xf32>
  %t = bwgemm.tmem_get %slot : !bwgemm.tmem_slot<64> -> !bwgemm.tmem<128x64xf32>
  // CHECK: bwgemm.tmem_load %[[T]][%{{.*}}, %{{.*}}] "32x32b" : !bwgemm.tmem<128x64xf32> -> vector<64xf32>
  %v = bwgemm.tmem_load %t[%lane, %column] "32x32b" : !bwgemm.tmem<128x64xf32> -> vector<64xf32>
  // 32 elements of 16x256b cover 64 columns.
  // CHECK: bwgemm.tmem_load %[[T]][%{{.*}}, %{{.*}}] "16x256b" : !bwgemm.tmem<128x64xf32> -> vector<32xf32>
  %w = bwgemm.tmem_load %t[%lane, %column] "16x256b" : !bwgemm.tmem<128x64xf32> -> vector<32xf32>
  // CHECK: %[[READY:.*]] = bwgemm.tmem_wait %{{.*}} : vector<32xf32>
  %ready = bwgemm.tmem_wait %w : vector<32xf32>
  // CHECK: bwgemm.tmem_dealloc %[[T]], %[[SLOT]] : !bwgemm.tmem<128x64xf32>, !bwgemm.tmem_slot<64>
  bwgemm.tmem_dealloc %t, %slot : !bwgemm.tmem<128x64xf32>, !bwgemm.tmem_slot<64>
  return %v, %ready : vector<64xf32>, vector<32xf32>
}

// The last lanes and columns are legal, and the largest fragments.
// CHECK-LABEL: func @limits
func.func @limits(%t: !bwgemm.tmem<128x512xf32>, %half: !bwgemm.tmem<64x256xf32>) {
  %c96 = arith.constant 96 : index
  %c112 = arith.constant 112 : index
  %c256 = arith.constant 256 : index
  %c384 = arith.constant 384 : index
  %c0 = arith.constant 0 : index
  // CHECK: bwgemm.tmem_load {{.*}} "32x32b" : !bwgemm.tmem<128x512xf32> -> vector<128xf32>
  %v = bwgemm.tmem_load %t[%c96, %c384] "32x32b" : !bwgemm.tmem<128x512xf32> -> vector<128xf32>
  // CHECK: bwgemm.tmem_load {{.*}} "16x256b" : !bwgemm.tmem<128x512xf32> -> vector<128xf32>
  %w = bwgemm.tmem_load %t[%c112, %c256] "16x256b" : !bwgemm.tmem<128x512xf32> -> vector<128xf32>
  // CHECK: bwgemm.tmem_load {{.*}} "16x256b" : !bwgemm.tmem<64x256xf32> -> vector<4xf32>
  %x = bwgemm.tmem_load %half[%c96, %c0] "16x256b" : !bwgemm.tmem<64x256xf32> -> vector<4xf32>
  // CHECK: bwgemm.tmem_wait %{{.*}} : vector<4xf32>
  %ready = bwgemm.tmem_wait %x : vector<4xf32>
  return
}

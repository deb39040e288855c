// RUN: bwgemm-opt %s -split-input-file -verify-diagnostics

// tmem_slot_c2
func.func @f() {
  // expected-error@+1 {{'bwgemm.tmem_slot' op expects an offset that is a multiple of 4 bytes, but got 6}}
  %slot = bwgemm.tmem_slot offset 6 : !bwgemm.tmem_slot<64>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'bwgemm.tmem_slot' op expects an offset of at most 232444, so that its 4 bytes end within shared memory (232448), but got 232448}}
  %slot = bwgemm.tmem_slot offset 232448 : !bwgemm.tmem_slot<64>
  return
}

// -----

// tmem_get_c1: 40 columns take an allocation of 64.
func.func @f(%slot: !bwgemm.tmem_slot<32>) {
  // expected-error@+1 {{'bwgemm.tmem_get' op expects a slot of at least 64 columns, but got 32}}
  %t = bwgemm.tmem_get %slot : !bwgemm.tmem_slot<32> -> !bwgemm.tmem<128x40xf32>
  return
}

// -----

// tmem_dealloc_c1
func.func @f(%t: !bwgemm.tmem<128x128xf32>, %slot: !bwgemm.tmem_slot<64>) {
  // expected-error@+1 {{'bwgemm.tmem_dealloc' op expects a slot of at least 128 columns, but got 64}}
  bwgemm.tmem_dealloc %t, %slot : !bwgemm.tmem<128x128xf32>, !bwgemm.tmem_slot<64>
  return
}

// -----

// tmem_load_c1
func.func @f(%t: !bwgemm.tmem<128x64xf32>, %i: index) {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %cm32 = arith.constant -32 : index
  // expected-error@+1 {{'bwgemm.tmem_load' op expects 1 elements times a power of two up to 128 for shape 32x32b, but got 48}}
  %v = bwgemm.tmem_load %t[%i, %i] "32x32b" : !bwgemm.tmem<128x64xf32> -> vector<48xf32>
  return
}

// -----

func.func @f(%t: !bwgemm.tmem<128x512xf32>, %i: index) {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %cm32 = arith.constant -32 : index
  // expected-error@+1 {{'bwgemm.tmem_load' op expects 1 elements times a power of two up to 128 for shape 32x32b, but got 256}}
  %v = bwgemm.tmem_load %t[%i, %i] "32x32b" : !bwgemm.tmem<128x512xf32> -> vector<256xf32>
  return
}

// -----

func.func @f(%t: !bwgemm.tmem<128x64xf32>, %i: index) {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %cm32 = arith.constant -32 : index
  // expected-error@+1 {{'bwgemm.tmem_load' op expects 4 elements times a power of two up to 32 for shape 16x256b, but got 2}}
  %v = bwgemm.tmem_load %t[%i, %i] "16x256b" : !bwgemm.tmem<128x64xf32> -> vector<2xf32>
  return
}

// -----

func.func @f(%t: !bwgemm.tmem<128x64xf32>, %i: index) {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %cm32 = arith.constant -32 : index
  // expected-error@+1 {{'bwgemm.tmem_load' op expects 4 elements times a power of two up to 32 for shape 16x256b, but got 12}}
  %v = bwgemm.tmem_load %t[%i, %i] "16x256b" : !bwgemm.tmem<128x64xf32> -> vector<12xf32>
  return
}

// -----

func.func @f(%t: !bwgemm.tmem<128x512xf32>, %i: index) {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %cm32 = arith.constant -32 : index
  // expected-error@+1 {{'bwgemm.tmem_load' op expects 4 elements times a power of two up to 32 for shape 16x256b, but got 256}}
  %v = bwgemm.tmem_load %t[%i, %i] "16x256b" : !bwgemm.tmem<128x512xf32> -> vector<256xf32>
  return
}

// -----

// tmem_load_c2
func.func @f(%t: !bwgemm.tmem<128x64xf32>, %i: index) {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %cm32 = arith.constant -32 : index
  // expected-error@+1 {{'bwgemm.tmem_load' op expects a fragment of at most 64 columns, but got 128}}
  %v = bwgemm.tmem_load %t[%i, %i] "32x32b" : !bwgemm.tmem<128x64xf32> -> vector<128xf32>
  return
}

// -----

// tmem_load_c2: four elements of 16x256b are eight columns
func.func @f(%t: !bwgemm.tmem<128x64xf32>, %i: index) {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %cm32 = arith.constant -32 : index
  // expected-error@+1 {{'bwgemm.tmem_load' op expects a fragment of at most 64 columns, but got 128}}
  %v = bwgemm.tmem_load %t[%i, %i] "16x256b" : !bwgemm.tmem<128x64xf32> -> vector<64xf32>
  return
}

// -----

// tmem_load_c3
func.func @f(%t: !bwgemm.tmem<128x64xf32>, %i: index) {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %cm32 = arith.constant -32 : index
  // expected-error@+1 {{'bwgemm.tmem_load' op expects columns within the accumulator's 64, but got 32 to 95}}
  %v = bwgemm.tmem_load %t[%i, %c32] "32x32b" : !bwgemm.tmem<128x64xf32> -> vector<64xf32>
  return
}

// -----

func.func @f(%t: !bwgemm.tmem<128x64xf32>, %i: index) {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %cm32 = arith.constant -32 : index
  // expected-error@+1 {{'bwgemm.tmem_load' op expects columns within the accumulator's 64, but got -32 to -1}}
  %v = bwgemm.tmem_load %t[%i, %cm32] "32x32b" : !bwgemm.tmem<128x64xf32> -> vector<32xf32>
  return
}

// -----

// tmem_load_c4
func.func @f(%t: !bwgemm.tmem<128x64xf32>, %i: index) {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %cm32 = arith.constant -32 : index
  // expected-error@+1 {{'bwgemm.tmem_load' op expects a lane below 128 that is a multiple of 32 for shape 32x32b and 128 rows, but got 16}}
  %v = bwgemm.tmem_load %t[%c16, %i] "32x32b" : !bwgemm.tmem<128x64xf32> -> vector<32xf32>
  return
}

// -----

func.func @f(%t: !bwgemm.tmem<128x64xf32>, %i: index) {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %cm32 = arith.constant -32 : index
  // expected-error@+1 {{'bwgemm.tmem_load' op expects a lane below 128 that is a multiple of 16 for shape 16x256b and 128 rows, but got 128}}
  %v = bwgemm.tmem_load %t[%c128, %i] "16x256b" : !bwgemm.tmem<128x64xf32> -> vector<32xf32>
  return
}

// -----

func.func @f(%t: !bwgemm.tmem<128x64xf32>, %i: index) {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %cm32 = arith.constant -32 : index
  // expected-error@+1 {{'bwgemm.tmem_load' op expects a lane below 128 that is a multiple of 16 for shape 16x256b and 128 rows, but got -32}}
  %v = bwgemm.tmem_load %t[%cm32, %i] "16x256b" : !bwgemm.tmem<128x64xf32> -> vector<32xf32>
  return
}

// -----

// tmem_load_c4: 64 rows lie in lanes 0 to 15 of each quarter
func.func @f(%t: !bwgemm.tmem<64x64xf32>, %i: index) {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %cm32 = arith.constant -32 : index
  // expected-error@+1 {{'bwgemm.tmem_load' op expects a lane below 128 that is a multiple of 32 for shape 16x256b and 64 rows, but got 16}}
  %v = bwgemm.tmem_load %t[%c16, %i] "16x256b" : !bwgemm.tmem<64x64xf32> -> vector<32xf32>
  return
}

// -----

func.func @f(%t: !bwgemm.tmem<128x64xf32>, %i: index) {
  // expected-error@+1 {{expects a shape of "32x32b" or "16x256b", but got "16x64b"}}
  %v = bwgemm.tmem_load %t[%i, %i] "16x64b" : !bwgemm.tmem<128x64xf32> -> vector<32xf32>
  return
}

// -----

func.func @f(%t: !bwgemm.tmem<128x64xf32>, %i: index) {
  // expected-error@+1 {{'bwgemm.tmem_load' op attribute 'shape' failed to satisfy constraint: fragment shape of a tensor-memory load}}
  %v = "bwgemm.tmem_load"(%t, %i, %i) {shape = 7 : i32} : (!bwgemm.tmem<128x64xf32>, index, index) -> vector<32xf32>
  return
}

// -----

func.func @f(%t: !bwgemm.tmem<128x64xf32>, %i: index) {
  // expected-error@+1 {{'bwgemm.tmem_load' op result #0 must be vector of 32-bit float or 32-bit signless integer values of ranks 1, but got 'vector<32xf16>'}}
  %v = bwgemm.tmem_load %t[%i, %i] "32x32b" : !bwgemm.tmem<128x64xf32> -> vector<32xf16>
  return
}

// -----

// tmem_load_c5
func.func @f(%t: !bwgemm.tmem<128x64xi32>, %i: index) {
  // expected-error@+1 {{'bwgemm.tmem_load' op expects a fragment of 'i32', but got 'f32'}}
  %v = bwgemm.tmem_load %t[%i, %i] "32x32b" : !bwgemm.tmem<128x64xi32> -> vector<32xf32>
  return
}

// RUN: bwgemm-opt %s -split-input-file -verify-diagnostics

// tensor_map_c1
// expected-error@+1 {{expects a tensor map of 1 to 5 dimensions, but got 6}}
func.func private @f(!bwgemm.tensor_map<1x1x1x1x1x16xbf16>)

// -----

// expected-error@+1 {{expects a tensor map of 1 to 5 dimensions, but got 0}}
func.func private @f(!bwgemm.tensor_map<bf16>)

// -----

// tensor_map_c2
// expected-error@+1 {{expects an element type of f16, bf16, f32, f8E4M3FN, f8E5M2, i8, ui8, i16 or i32, but got 'f64'}}
func.func private @f(!bwgemm.tensor_map<64x64xf64>)

// -----

// expected-error@+1 {{expects an element type of f16, bf16, f32, f8E4M3FN, f8E5M2, i8, ui8, i16 or i32, but got 'i4'}}
func.func private @f(!bwgemm.tensor_map<64x64xi4>)

// -----

// expected-error@+1 {{expects an element type of f16, bf16, f32, f8E4M3FN, f8E5M2, i8, ui8, i16 or i32, but got 'vector<4xf16>'}}
func.func private @f(!bwgemm.tensor_map<64x64xvector<4xf16>>)

// -----

// tensor_map_c3
// expected-error@+1 {{expects box extents of 1 to 256 elements, but got 257; use several boxes}}
func.func private @f(!bwgemm.tensor_map<257x64xbf16>)

// -----

// expected-error@+1 {{expects box extents of 1 to 256 elements, but got 0; use several boxes}}
func.func private @f(!bwgemm.tensor_map<0x64xbf16>)

// -----

// expected-error@+1 {{expects box extents of 1 to 256 elements, but got 4611686018427387904; use several boxes}}
func.func private @f(!bwgemm.tensor_map<4611686018427387904x64xbf16>)

// -----

// tensor_map_c4
// expected-error@+1 {{expects a swizzle that TMA knows (none, 32B, 64B or 128B), but got <2, 5, 2>}}
func.func private @f(!bwgemm.tensor_map<64x64xbf16, swizzle = <2, 5, 2>>)

// -----

// tensor_map_c5
// expected-error@+1 {{expects a box row of a multiple of 16 bytes, but got 24 (12 x 'bf16')}}
func.func private @f(!bwgemm.tensor_map<64x12xbf16>)

// -----

// tensor_map_c6
// expected-error@+1 {{expects a box row of at most 64 bytes for swizzle 64B, but got 128}}
func.func private @f(!bwgemm.tensor_map<64x64xbf16, swizzle = 64B>)

// -----

// expected-error@+1 {{expected static shape}}
func.func private @f(!bwgemm.tensor_map<?x64xbf16>)

// -----

// smem_c1
// expected-error@+1 {{expects a tile of MN x K or stages x MN x K, but got 1 dimensions}}
func.func private @f(!bwgemm.smem<64xbf16, k_major>)

// -----

// expected-error@+1 {{expects a tile of MN x K or stages x MN x K, but got 4 dimensions}}
func.func private @f(!bwgemm.smem<2x2x64x64xbf16, k_major>)

// -----

// smem_c2
// expected-error@+1 {{expects extents of 1 to 65536, but got 0}}
func.func private @f(!bwgemm.smem<64x0xbf16, k_major>)

// -----

// smem_c2: extents whose product in bytes does not fit in 64 bits.
// expected-error@+1 {{expects extents of 1 to 65536, but got 4294967296}}
func.func private @f(!bwgemm.smem<4294967296x4294967296xbf16, k_major>)

// -----

// smem_c3
// expected-error@+1 {{expects an element type of f16, bf16, f32, f8E4M3FN, f8E5M2, i8, ui8, i16 or i32, but got 'f8E4M3FNUZ'}}
func.func private @f(!bwgemm.smem<64x64xf8E4M3FNUZ, k_major>)

// -----

// smem_c4: the contiguous mode is K, then MN.
// expected-error@+1 {{expects the contiguous mode (K) to be a multiple of 128 bytes for swizzle 128B, but got 64}}
func.func private @f(!bwgemm.smem<64x32xbf16, k_major, swizzle = 128B>)

// -----

// expected-error@+1 {{expects the contiguous mode (MN) to be a multiple of 32 bytes for swizzle 32B, but got 48}}
func.func private @f(!bwgemm.smem<24x64xbf16, mn_major, swizzle = 32B>)

// -----

// expected-error@+1 {{expects the contiguous mode (K) to be a multiple of 16 bytes for swizzle none, but got 24}}
func.func private @f(!bwgemm.smem<64x12xbf16, k_major>)

// -----

// smem_c5
// expected-error@+1 {{expects the other mode (MN) to be a multiple of 8 rows, but got 12}}
func.func private @f(!bwgemm.smem<12x64xbf16, k_major, swizzle = 128B>)

// -----

// expected-error@+1 {{expects the other mode (K) to be a multiple of 8 rows, but got 20}}
func.func private @f(!bwgemm.smem<64x20xbf16, mn_major, swizzle = 128B>)

// -----

// smem_c6: one group of rows more than fits.
// expected-error@+1 {{expects a tile of at most 464896 bytes (the shared memory of two CTAs), but got 465920}}
func.func private @f(!bwgemm.smem<3640x64xbf16, k_major, swizzle = 128B>)

// -----

// smem_c6: the stages count.
// expected-error@+1 {{expects a tile of at most 464896 bytes (the shared memory of two CTAs), but got 475136}}
func.func private @f(!bwgemm.smem<29x128x64xbf16, k_major, swizzle = 128B>)

// -----

// expected-error@+1 {{expects k_major or mn_major, but got m_major}}
func.func private @f(!bwgemm.smem<64x64xbf16, m_major>)

// -----

// tmem_c1
// expected-error@+1 {{expects extents of 1 to 65536, but got 128x0}}
func.func private @f(!bwgemm.tmem<128x0xf32>)

// -----

// expected-error@+1 {{expects an accumulator of f32 or i32, but got 'f16'}}
func.func private @f(!bwgemm.tmem<128x64xf16>)

// -----

// tmem_c2
// expected-error@+1 {{expects 64 or 128 rows of tensor memory, but got 32}}
func.func private @f(!bwgemm.tmem<32x64xf32>)

// -----

// tmem_c3
// expected-error@+1 {{expects at most 512 columns of tensor memory, but got 513}}
func.func private @f(!bwgemm.tmem<128x513xf32>)

// -----

// expected-error@+1 {{expects rows x columns, but got 3 dimensions}}
func.func private @f(!bwgemm.tmem<2x128x64xf32>)

// -----

// acc_c1
// expected-error@+1 {{expects extents of 1 to 65536, but got 65537x64}}
func.func private @f(!bwgemm.acc<65537x64xf32>)

// -----

// expected-error@+1 {{expects an accumulator of f32 or i32, but got 'f64'}}
func.func private @f(!bwgemm.acc<64x64xf64>)

// -----

// expected-error@+1 {{expects rows x columns, but got 1 dimensions}}
func.func private @f(!bwgemm.acc<64xf32>)

// -----

// tmem_slot_c1: too few, too many, no power of two, negative.
// expected-error@+1 {{expects a power of two from 32 to 512 columns, but got 16}}
func.func private @f(!bwgemm.tmem_slot<16>)

// -----

// expected-error@+1 {{expects a power of two from 32 to 512 columns, but got 1024}}
func.func private @f(!bwgemm.tmem_slot<1024>)

// -----

// expected-error@+1 {{expects a power of two from 32 to 512 columns, but got 96}}
func.func private @f(!bwgemm.tmem_slot<96>)

// -----

// expected-error@+1 {{expects a power of two from 32 to 512 columns, but got -64}}
func.func private @f(!bwgemm.tmem_slot<-64>)

// -----

// mbarrier_c1
// expected-error@+1 {{expects 1 to 29056 mbarriers, but got 0}}
func.func private @f(!bwgemm.mbarrier<0>)

// -----

// expected-error@+1 {{expects 1 to 29056 mbarriers, but got 29057}}
func.func private @f(!bwgemm.mbarrier<29057>)

// -----

// expected-error@+1 {{expects 1 to 29056 mbarriers, but got -4}}
func.func private @f(!bwgemm.mbarrier<-4>)

// -----

// work_c1
// expected-error@+1 {{expects 1 to 14528 responses, but got 0}}
func.func private @f(!bwgemm.work<0>)

// -----

// expected-error@+1 {{expects 1 to 14528 responses, but got 14529}}
func.func private @f(!bwgemm.work<14529>)

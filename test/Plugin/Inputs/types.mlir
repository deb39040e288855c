func.func private @types(!bwgemm.smem<4x64x64xbf16, k_major, swizzle = 128B>, !bwgemm.mbarrier<4>)

// What the kernels of each preset are made of, as their PTX says.

// RUN: bwgemm-compile %s --schedule=tma --emit=ptx > %t.tma.ptx
// RUN: FileCheck %s --check-prefix=TMA --input-file=%t.tma.ptx
// RUN: bwgemm-compile %s --schedule=swizzle --emit=ptx > %t.swizzle.ptx
// RUN: FileCheck %s --check-prefix=SWIZZLE --input-file=%t.swizzle.ptx

// A tile of 64 x 64 bf16 is eight columns of 16 bytes for each operand. The
// matrix descriptor has LBO 1024 bytes (64 << 16) and SBO 128 bytes (8 << 32)
// beside the constant 1 << 46, and one MMA covers K 16.
// TMA: .target sm_100a
// TMA: .entry matmul_kernel(
// TMA: or.b64 {{.*}}, 70403108110336;
// TMA: mbarrier.arrive.expect_tx.shared.b64 {{.*}}
// TMA-COUNT-16: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// TMA-NOT: cp.async.bulk.tensor
// TMA: mbarrier.try_wait.parity
// TMA-COUNT-4: tcgen05.mma.cta_group::1.kind::f16
// TMA-NOT: tcgen05.mma
// TMA: tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64
// TMA: tcgen05.ld.sync.aligned.16x256b.x4.b32
// TMA-NEXT: tcgen05.wait::ld.sync.aligned;
// TMA: tcgen05.dealloc.cta_group::1.sync.aligned.b32

// One copy for each operand; SBO 1024 bytes (64 << 32), layout 2 (128-byte
// swizzle), and LBO 1, which swizzled layouts ignore.
// SWIZZLE: or.b64 {{.*}}, 4611756662049538048;
// SWIZZLE-COUNT-2: cp.async.bulk.tensor.2d
// SWIZZLE-NOT: cp.async.bulk.tensor
// SWIZZLE: mbarrier.try_wait.parity
// SWIZZLE-COUNT-4: tcgen05.mma.cta_group::1.kind::f16
// SWIZZLE-NOT: tcgen05.mma

// A pair: each CTA loads 128 rows of A and 128 of B, and the leader's mbarrier
// expects both CTAs' 32 KiB. Commits reach both, and both own the tensor memory.
// RUN: bwgemm-compile %s --schedule=two_cta --emit=ptx > %t.pair.ptx
// RUN: FileCheck %s --check-prefix=PAIR --input-file=%t.pair.ptx
// PAIR: .reqnctapercluster 2, 1, 1
// PAIR: tcgen05.alloc.cta_group::2.sync.aligned
// PAIR: barrier.cluster.arrive.aligned
// PAIR: barrier.cluster.wait.aligned
// The leader's mbarrier: bit 24 of the address, that of the rank, is cleared.
// PAIR: and.b64 {{.*}}, 4278190072;
// PAIR-COUNT-2: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2
// PAIR: mov.b32 %[[BYTES:r[0-9]+]], 65536;
// PAIR-NEXT: mbarrier.arrive.expect_tx.shared.b64 {{.*}}, %[[BYTES]];
// PAIR-COUNT-4: tcgen05.mma.cta_group::2.kind::f16
// PAIR: tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64
// PAIR: mapa.shared::cluster
// PAIR: mbarrier.arrive.release.cluster.shared::cluster.b64
// PAIR: barrier.cluster.wait.aligned
// PAIR: tcgen05.dealloc.cta_group::2.sync.aligned.b32
func.func @matmul(%a: memref<4096x4096xbf16>, %b: memref<4096x4096xbf16>, %d: memref<4096x4096xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<4096x4096xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<4096x4096xbf16>, memref<4096x4096xbf16>) outs(%d : memref<4096x4096xf32>)
  return
}

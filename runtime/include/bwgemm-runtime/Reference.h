//===- Reference.h - Matrix multiplication as it should be ------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle: a host GEMM in double precision, and for each element the
// interval of results that an implementation with fp32 accumulation can give.
//
// The interval
// ------------
// Let s = sum_k a_k b_k (+ c) exactly, and g = sum_k |a_k| |b_k| (+ |c|).
//
// 1. Any order of summation, fp32, round to nearest. N. J. Higham, Accuracy and
//    Stability of Numerical Algorithms, 2nd edition, section 3.1: the computed
//    inner product of length n is off by at most gamma_n g, where
//    gamma_n = n u / (1 - n u) and u = 2^-24.
//
// 2. Tensor cores. One MMA instruction aligns its products and the accumulator
//    to the largest exponent, truncates each to a window 25 bits below that,
//    adds exactly, and rounds toward zero to fp32 (measured on an H200, bit for
//    bit; published models of Blackwell agree). With t <= 16 nonzero products
//    in an instruction, t + 1 truncations cost less than 2^-25 g each and the
//    rounding less than 2^-23 g, together u g ((t + 1) / 2 + 2). Over the
//    ceil(K / 16) instructions of a dot product this adds up to less than
//    u g (0.66 K + 3). Instructions of 32 products cost less per product.
//
// 3. The exponent of a subnormal input counts as that of the smallest normal
//    number, and products are not normalised. So in g, each nonzero |a_k| and
//    |b_k| is taken as at least the smallest normal number of its type.
//
// Hence e = gamma_(K + 4) g + (K + 4) 2^-149, which covers 1 to 3; the last
// term covers sums so small that fp32 itself is subnormal. What double
// precision loses here, K 2^-53 g, fits in the slack for any K below 10^9. The
// interval is [round(s - e), round(s + e)], round being to the nearest number
// of D's type: the result is rounded once, so exactly these can occur.
//
// 4. Of 8-bit floating-point numbers wgmma on sm_90a keeps less: the window is
//    13 bits, and so is the fraction of the sum, which rounds toward zero
//    (measured on an H200, bit for bit); mma.sync on sm_89 does so by published
//    models (microsoft/MMA-Sim), with 16 products at a time. Of the t <= 32
//    products of an instruction and of the sum so far each is truncated by less
//    than 2^-13 g, and their sum is rounded by less than that: over ceil(K /
//    32) instructions 34 ceil(K / 32) 2^-13 g, with windows of 16 products 36
//    ceil(K / 32) 2^-13 g. So much is added to e; at K = 4096 it is half of g.
//    Other instructions and naive are within 1 to 3.
//
// 5. Operands of f32 that multiply as tf32 lose their low 13 bits, exactly
//    these. Their views have the type TF32, so that s and g are those of what
//    is multiplied.
//
// 6. Sums in f16 (mma.sync, where a schedule asks for them): a step takes
//    products and the sum so far, as in 2, and rounds to nearest even to f16,
//    whose unit roundoff is u = 2^-11. That is 16 products from sm_90 on
//    (measured on an H200, bit for bit), and 8, with a window of 24 bits,
//    before (by published models), so that 8 are reckoned with. Of a step from
//    the exact sum S with the error E so far, truncation costs less than 2^-20
//    (g + E), rounding u (|S| + E), or 2^-24 where f16 is subnormal. So E grows
//    by a factor of less than 1 + w, w = u + 2^-19, and after n steps
//
//      E < ((1 + w)^n - 1) g + n (1 + w)^n 2^-24  where (1 + w)^n < exp(n w)
//
//    with n = ceil(K / 8), or of a block of K where blocks are added up in
//    fp32: the first term then adds up g, and the second one all steps. E is
//    added to e. c is added in fp32. Beyond 65504 such sums overflow to
//    infinities.
//
// Integers
// --------
// If all a_k, b_k and c are integers and g < 2^24, every partial sum is an
// integer that fp32 holds, in any order. The result is then round(s), exactly;
// with 13 bits of the fraction, if g < 2^14; with sums in f16, if g <= 2^11
// without c, since f16 has all integers up to that. Larger integers are held to
// the bound.
// Integer types accumulate modulo 2^32: the result is s modulo 2^32, exactly.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_RUNTIME_REFERENCE_H
#define BWGEMM_RUNTIME_REFERENCE_H

#include "bwgemm-runtime/ElementType.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bwgemm::runtime {

/// A batch of matrices in host memory. Strides are in elements and may be 0 or
/// negative; `data` is the address of element (0, 0, 0).
struct MatrixView {
  ElementType type = ElementType::F32;
  const void *data = nullptr;
  int64_t batchStride = 0, rowStride = 0, columnStride = 1;

  /// The same matrices with rows and columns exchanged.
  MatrixView transposed() const {
    return {type, data, batchStride, columnStride, rowStride};
  }
  const unsigned char *address(int64_t batch, int64_t row,
                               int64_t column) const {
    int64_t element =
        batch * batchStride + row * rowStride + column * columnStride;
    return static_cast<const unsigned char *>(data) +
           element * int64_t(sizeInBytes(type));
  }
};

/// D = A B or D = D + A B, with A M x K, B K x N and D M x N in each batch.
/// op(A) is expressed by transposed().
struct GemmProblem {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  MatrixView a, b;
  /// The type that the result is rounded to, once.
  ElementType resultType = ElementType::F32;
  /// Bits of the significand of sums: 24, or 14 with 4 of the file's head.
  unsigned sumBits = 24;
  /// Elements of K whose products are added up in f16, with 6 of the file's
  /// head, before that sum is added to one in fp32; 0 for none, all of K if
  /// more.
  int64_t halfBlock = 0;
};

/// The place of one element of D.
struct ElementIndex {
  int64_t batch = 0, row = 0, column = 0;
  bool operator==(const ElementIndex &o) const {
    return batch == o.batch && row == o.row && column == o.column;
  }
};

/// A dot product in double precision.
struct DotProduct {
  /// s of the file's head, without c.
  double sum = 0;
  /// g of the file's head, without c.
  double magnitude = 0;
  /// All factors are integers.
  bool integral = true;
};

/// What an element of D may be.
struct Expected {
  /// round(s).
  double value = 0;
  /// The least and the greatest result within the error bound; equal to `value`
  /// when the result must be exact. NaN if the result must be NaN.
  double low = 0, high = 0;
  /// g of the file's head: what errors are relative to.
  double magnitude = 0;
  /// Partial sums may overflow fp32, so that infinities and NaN can appear.
  bool mayOverflow = false;

  bool exact() const { return low == high; }
  /// How far a right result may be from `value`.
  double bound() const;
  /// Whether `got` is a right result. Zeros of either sign are equal, and so
  /// are all NaNs.
  bool accepts(double got) const;
};

/// What is known of an element whose value is given.
Expected exactly(double value);

/// What D may hold at an element of that dot product, when the operation adds
/// it to what is known of `initial` or, if that is null, overwrites.
Expected expectedElement(const GemmProblem &problem, const DotProduct &dot,
                         const Expected *initial);

/// Told now and then, on the calling thread, which part (0 to 1) is done.
using Progress = std::function<void(double)>;

/// The dot products of the rows of A with the columns of B that belong to
/// `indices`, in their order; on all cores.
std::vector<DotProduct> dotProductsAt(const GemmProblem &problem,
                                      const std::vector<ElementIndex> &indices,
                                      const Progress &progress = {});

/// The dot products for all elements in order of batch, row, column; blocked,
/// on all cores.
std::vector<DotProduct> allDotProducts(const GemmProblem &problem,
                                       const Progress &progress = {});

/// The elements of a result whose faults would show a wrong tile, edge or mask,
/// in order and without duplicates: for D cut into tiles of `tileM` x `tileN`,
/// the first, the last and one random row of each tile row, crossed with the
/// same of its columns, so every tile's corners are there; and `randomCount`
/// random elements. Of more than 256 rows or columns of tiles, the first and
/// last 32 and evenly spread others are taken; of more than 4 batches, the
/// first 3 and the last.
std::vector<ElementIndex> sampleElements(int64_t batch, int64_t m, int64_t n,
                                         int64_t tileM, int64_t tileN,
                                         size_t randomCount, uint64_t seed);

} // namespace bwgemm::runtime

#endif // BWGEMM_RUNTIME_REFERENCE_H

// Sums what all classes add to a term's score, as if no class had the term.
//
// With smoothing, a class without the term has p_ic = b1 / L_c. What a class without the term adds to the score depends on
// the term only through U = sum_k w_k l_ik. V(U) is the sum of what all classes add, as if no class had the term
// (pair_model.hpp). V is smooth, so AbsentClasses interpolates V piecewise, with two pieces for each power of two of U.
//
// V is singular at some U <= 0 and at a U far above the piece. The variable t = (U - center) / (U + center) keeps both
// singularities far away: a piece with t in [-tau, tau] has tau <= 0.102, and U = 0 is at t = -1. The error of a polynomial
// through n Chebyshev nodes falls by a factor 19 for each node. In a polynomial in U, it would fall by a factor 9.9.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "scoring/pair_model.hpp"
#include "simd/targets.hpp"
#include "termsift/parallel.hpp"

namespace termsift {

class AbsentClasses {
 public:
  AbsentClasses(const ClassModel& model, const PairModel& pairs, PairSum sum);

  // Returns the piece of U, which gives V(U) with a relative error of about 2^-53. Returns null if V cannot be interpolated:
  // near or above the limit of T (see the constructor), or if U is so small that p - T lacks digits. O(1) if the piece has
  // been tabulated, otherwise O(n_classes). Any thread may call find().
  const AbsentPiece* find(double U, Worker& worker) const;

 private:
  struct Piece {
    AbsentPiece polynomial;
    std::atomic<bool> ready = false;
    bool usable = false;
    std::mutex making;
  };

  void tabulate(std::int64_t index, Piece& piece) const;

  const PairModel& pairs_;
  const PairKernels& kernels_ = kernels_in_use<PairKernels>();
  const PairSum sum_;
  std::int64_t first_ = 0, n_pieces_ = 0;
  std::unique_ptr<Piece[]> pieces_;
};

}  // namespace termsift

// Computes the contribution of the classes without a term to the term's score.
//
// With smoothing, a class without the term has p_ic = b1 / L_c. Its contribution depends on the term only through
// U = sum_k w_k l_ik. Let V(U) be the sum of these contributions over all classes, as if the term were absent from all
// (pair_model.hpp). V is smooth and is interpolated piecewise. There are two pieces for each power of two of U.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "scoring/pair_kernels.hpp"
#include "simd/targets.hpp"
#include "termsift/double_double.hpp"

namespace termsift {

class AbsentClasses {
 public:
  AbsentClasses(const ClassModel& model, const PairModel& pairs, PairSum sum);

  // Sets V to V(U), with a relative error of about 2^-53. Returns false if V cannot be interpolated:
  // if T is near its limit (see the constructor), or if U is so small compared with T_0 that p - T lacks digits.
  // O(1) if the piece of U is ready, otherwise O(n_classes). Safe to call from any thread.
  bool find(DoubleDouble U, DoubleDouble& V) const;

  // The number of nodes of a piece, and this number rounded up to whole vectors. Every class is evaluated at each node.
  static constexpr int n_nodes = 19, n_evaluations = (n_nodes + 7) / 8 * 8;

 private:
  static constexpr int n_slopes = (n_nodes + 2) / 4 * 4;  // n_nodes - 1, rounded up to a multiple of 4 with zeros
  struct Piece {
    std::atomic<bool> ready = false;
    std::mutex making;
    bool usable = false;
    double middle_U, to_t;         // t = (U - middle_U) to_t; to_t is a power of two
    DoubleDouble middle;           // V at the middle
    double slope[n_slopes] = {};  // V(t) = middle + t (slope[0] + t (slope[1] + ...)), -1 <= t <= 1
  };
  void tabulate(std::int64_t index, Piece& piece) const;

  const PairModel& pairs_;
  const PairKernels& kernels_ = kernels_in_use<PairKernels>();
  const PairSum sum_;
  const double lost_;
  std::int64_t first_ = 0, n_pieces_ = 0;
  std::unique_ptr<Piece[]> pieces_;
};

}  // namespace termsift

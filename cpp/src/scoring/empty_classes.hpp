// What the classes that lack a term add to its score.
//
// Under smoothing every class has p_ic = b1 / L_c where the term does not occur, so that what it adds depends on the term by
// one number alone, U = sum_k w_k l_ik. The sum V(U) over all classes as if none had the term (pair_model.hpp) is smooth and
// is tabulated by half octaves of U.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "scoring/class_model.hpp"
#include "scoring/kernels.hpp"
#include "termsift/double_double.hpp"

namespace termsift {

class EmptyClasses {
 public:
  EmptyClasses(const ClassModel& model, const PairModel& pairs, const Kernels& kernels, PairSum sum);

  // Finds V(U) to a relative error of about 2^-53. Returns false where V is not tabulated: T near its limit (unless it is a
  // rate: see the constructor), or U too small beside T_0 for the differences p - T. O(1) once the piece of U is ready, and
  // O(n_classes) before. Any thread may call it.
  bool find(DoubleDouble U, DoubleDouble& V) const;

  // The values of a piece's interpolant, one evaluation of every class's value each; and how many that are in whole vectors.
  static constexpr int n_nodes = 19, n_evaluations = (n_nodes + 7) / 8 * 8;

 private:
  struct Piece {
    std::atomic<bool> ready = false;
    std::mutex making;
    bool usable = false;
    DoubleDouble middle;       // V at the middle
    double slope[n_nodes - 1];  // V(t) = middle + t (slope[0] + t (slope[1] + ...)), -1 <= t <= 1
  };
  void tabulate(std::int64_t index, Piece& piece) const;

  const PairModel& pairs_;
  const Kernels& kernels_;
  const PairSum sum_;
  const double lost_;
  std::int64_t first_ = 0, n_pieces_ = 0;
  std::unique_ptr<Piece[]> pieces_;
};

}  // namespace termsift

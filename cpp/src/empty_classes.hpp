// What the classes that lack a term add to its score.
//
// Under smoothing every class has p_ic = b1 / L_c where the term does not occur, so that its value depends on the term by
// one number alone, T = sum_k w_k (l_ik + b1), or U = T - T_0 = sum_k w_k l_ik, w_k = pi_k / L_k. The sum over all
// classes as if none had the term,
//     F(U) = sum_c weight_c value(b1 / L_c; T_0 + U),
// is smooth and is tabulated by half octaves of U; a score is then F(U) and, for each class that has the term,
// value(p_ic; T) - value(b1 / L_c; T).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "class_model.hpp"
#include "simd/kernels.hpp"
#include "termsift/double_double.hpp"

namespace termsift {

class EmptyClasses {
 public:
  // Sum or mean; b1 > 0.
  EmptyClasses(const ClassModel& model, const Kernels& kernels, Measure measure, Aggregate aggregate);

  // For a term whose T holds U: sets its score to F(U), good to 2^-53 or so, and T to T_0 + U. Returns false if F is not
  // tabulated there: T near 1/64 or beyond what classes can have together, U too small beside T_0 for the
  // differences p - T. O(1), once its piece stands; O(n_classes) before that. Any thread may call it.
  bool start(TermSums& term) const;

  // How many evaluations of a class's value a piece costs, for each class.
  static constexpr int n_nodes = 19;

 private:
  struct Piece {
    std::atomic<bool> ready = false;
    std::mutex making;
    bool usable = false;
    DoubleDouble middle;       // F at the middle
    double slope[n_nodes - 1];  // F(t) = middle + t (slope[0] + t (slope[1] + ...)), -1 <= t <= 1
  };
  void tabulate(std::int64_t index, Piece& piece) const;

  const ClassModel& model_;
  const Kernels& kernels_;
  const Measure measure_;
  const Aggregate aggregate_;
  DoubleDouble T_0_;
  std::int64_t first_ = 0, n_pieces_ = 0;
  std::unique_ptr<Piece[]> pieces_;
};

}  // namespace termsift

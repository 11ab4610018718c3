// Computes the sum of a measure over all classes by visiting only the classes that have the term.
//
// With x = l_ic + b1, w_c = pi_c / L_c, T = sum_k w_k x_ik and r_c = 1 / (1 - pi_c), a class has p = x / L_c and
// q = r_c (T - w_c x), and
//     log(p/q) = log x + kappa_c - log T - log(1 - w_c x / T),   kappa_c = log((1 - pi_c) / L_c).
// Only the last logarithm depends on both the class and the term's counts in all classes. Hence, with weights omega_c (pi_c
// for the mean, otherwise 1),
//     sum_c omega_c KL_c = A - P log T + R T + V,
//     P = sum_c omega_c p,   A = sum_c omega_c [p (log x + kappa_c) - p - r_c w_c x],   R = sum_c omega_c r_c,
//     V = sum_c omega_c [-p log(1 - w_c x / T) + t(1-p, 1-q)],   t as in simd/logarithms.hpp.
// The summands of A and P depend only on the class and the count. They are double-doubles, because digits cancel in
// A - P log T. V is a minor part of the score, so its summands are doubles.
//
// If smoothing is most of the mass of the classes, a term with few pairs has a score far below P or V. Its score is then a
// sum of whole values, V = sum_c omega_c KL_c. Whole values are also summed for all other measures, and if smoothing alone
// makes p > 2^-6 in any class. In a split sum, the series of t(1-p, 1-q) requires p, q <= 2^-6.
//
// The contributions of a class without the term (l = 0) to A, P and T are known, so only the changes by pairs are summed. V
// summed over all classes, as if the term were absent from all, depends only on U = T - T_0 = sum_c w_c l_ic
// (absent_classes.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "scoring/class_model.hpp"

namespace termsift {

enum class PairSum : std::uint8_t {
  split,  // A - P log T + R T + V; used for kl, unless the variable is Variable::probability
  whole   // only V
};

// The sums over the pairs of one term. Each sum is a double-double (hi, lo). Only split sums use the number of pairs.
struct alignas(64) TermSums {
  enum : int { U, P, A, n_pairs };
  double hi[4], lo[4];
};

// The accumulators that are touched while V is summed. They are half the size of TermSums because that loop is bound by
// memory.
struct alignas(32) TermValue {
  double U_hi, U_lo;  // U of TermSums, renormalised because many additions make hi inexact
  double V_hi, V_lo;
};

// The constants of one class for unscaled counts l. ClassConstants has the constants for scaled counts s l.
struct PairConstants {
  double omega;                    // omega_c, the weight of the class in the score
  double w_hi, w_lo;               // w_c
  double r;                        // r_c
  double inverse;                  // 1 / L_c
  double absent_p;                 // b1 / L_c
  double absent_w;                 // w_c b1
  double T_0_rest;                 // T_0 without the class's part
  double b1;
  double kappa_hi, kappa_lo;
  double p_hi, p_lo;               // omega_c / L_c
  double absent_p_hi, absent_p_lo;  // omega_c b1 / L_c
  double linear_hi, linear_lo;     // omega_c (1 / L_c + r_c w_c)
  double absent_A_hi, absent_A_lo;  // the class's summand of A at l = 0, without the linear terms
  const ClassConstants* base;      // the constants for whole values
};

// The sums over all classes at l = 0.
struct PairTotals {
  double T_0_hi, T_0_lo;
  double P_0_hi, P_0_lo;
  double A_0_hi, A_0_lo;
  double R_hi, R_lo;
  // A power of two that is at least 4 sum_c omega_c, or 0 for rates. In a split sum, V_hi of a pair is a multiple of the
  // grid step 2^-53 most_V, and V_lo is the rest. For p <= 2^-6 and w x / T <= 1 - 2^-49, V of a pair is below 0.6 omega_c,
  // because log 2^49 is 34 and t(1-p, 1-q) is below 2^-11. Hence sums of V_hi stay below most_V and are exact. A sum of n
  // rests, each at most half a step, has an error of at most n^2 2^-107 most_V. This error must be below 2^-57 of the score.
  // Rates have no such bound, so their V is summed as a double-double.
  double most_V;
  // log(l + b1) for small counts l.
  static constexpr int n_logs = 256;
  double log_x_hi[n_logs], log_x_lo[n_logs];
};

struct PairModel {
  Measure measure;
  // In every event model, probabilities are treated as small if b1 / L_c <= ordinary_p in every class. If a count makes p
  // larger, the sum is doubtful, and the term is scored as in score_dense.
  Variable variable;
  std::vector<PairConstants> classes;  // (ClassModel::classes.size(),)
  PairTotals totals;

  PairSum usual_sum() const {
    return measure == Measure::kl && variable != Variable::probability ? PairSum::split : PairSum::whole;
  }
};

// Totals L_c outside [1 / most_pair_total, most_pair_total] could make the double-doubles above overflow or underflow.
inline constexpr double most_pair_total = 0x1p300;

template <CountType Count>
bool fits_pair_model(const ClassRow<Count>& row, double b2) {
  const double total = static_cast<double>(row.n_tokens) + b2;
  return total >= 1 / most_pair_total && total <= most_pair_total;
}

// Requires Aggregate::sum or Aggregate::mean, b1 > 0, and totals L_c in the range of most_pair_total. O(n_classes).
PairModel make_pair_model(const ClassModel& model, double b1, Measure measure, Aggregate aggregate);

}  // namespace termsift

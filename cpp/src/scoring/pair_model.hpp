// The sum of a measure over all classes, from the classes that have the term.
//
// With x = l_ic + b1, w_c = pi_c / L_c, T = sum_k w_k x_ik and r_c = 1 / (1 - pi_c), a class has p = x / L_c and
// q = r_c (T - w_c x), and
//     log(p/q) = log x + kappa_c - log T - log(1 - w_c x / T),   kappa_c = log((1 - pi_c) / L_c).
// Only the last logarithm knows both the class and all of the term. Hence, with weights omega_c (1, or pi_c for the mean),
//     sum_c omega_c KL_c = A - P log T + R T + V,
//     P = sum_c omega_c p,   A = sum_c omega_c [p (log x + kappa_c) - p - r_c w_c x],   R = sum_c omega_c r_c,
//     V = sum_c omega_c [-p log(1 - w_c x / T) + t(1-p, 1-q)],   t as in simd/logarithms.hpp.
// A and P add up what a class says of a count, whatever the term. They are double-doubles, because A - P log T cancels; V is
// a minor part of the score and a double's precision is enough.
//
// Where smoothing is most of what classes have, a term of few pairs has a score far below P or V. Such a term is summed by
// whole values: V = sum_c omega_c KL_c is all of its score. So are all terms by the other measures, and all terms where
// smoothing alone gives some class p > 2^-6: the series of t(1-p, 1-q) in a split sum holds for p, q <= 2^-6 only.
//
// A class that lacks the term has l = 0: its part of A, P and T is known beforehand, so that only what the pairs change is
// added up, and V of all classes as if none had the term depends on U = T - T_0 = sum_c w_c l_ic alone (empty_classes.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "scoring/class_model.hpp"

namespace termsift {

enum class PairSum : std::uint8_t {
  split,  // A - P log T + R T + V; for kl, unless some class has p > 2^-6 by smoothing alone
  whole   // V
};

// What the pairs of a term change, each sum a double-double (hi, lo); the fourth only fills the vector.
struct alignas(64) TermSums {
  enum : int { U, P, A };
  double hi[4], lo[4];
};

// What of a term is read and written while its pairs' parts of V are added up: half of the memory, since that is what binds.
struct alignas(32) TermValue {
  double U_hi, U_lo;  // U of TermSums as a double-double: many additions leave its high part some ulps off
  double V_hi, V_lo;
};

// The constants of one class, for counts l as they are: those of ClassConstants belong to s l.
struct PairConstants {
  double omega;                         // its weight in the score
  double w_hi, w_lo;                    // w_c
  double r;                             // r_c
  double inverse;                       // 1 / L_c
  double empty_p;                       // b1 / L_c
  double empty_w;                       // w_c b1
  double T_0_rest;                      // T_0 less the class's part
  double b1;
  double kappa_hi, kappa_lo;
  double p_hi, p_lo;                    // omega_c / L_c
  double empty_p_hi, empty_p_lo;        // omega_c b1 / L_c
  double linear_hi, linear_lo;          // omega_c (1 / L_c + r_c w_c)
  double empty_A_hi, empty_A_lo;        // A's part at l = 0, but for the linear one
  const ClassConstants* base;           // for whole values
};

// The sums over all classes at l = 0.
struct PairTotals {
  double T_0_hi, T_0_lo;
  double P_0_hi, P_0_lo;
  double A_0_hi, A_0_lo;
  double R_hi, R_lo;
};

struct PairModel {
  Variable variable;  // of probabilities small_probability where b1 / L_c <= 2^-6 in every class
  Measure measure;
  std::vector<PairConstants> classes;  // (ClassModel::classes.size(),)
  PairTotals totals;

  PairSum usual_sum() const {
    return measure == Measure::kl && variable != Variable::probability ? PairSum::split : PairSum::whole;
  }
};

struct Kernels;

// Requires aggregate sum or mean, b1 > 0, and totals L_c within most_pair_total.
PairModel make_pair_model(const ClassModel& model, const Kernels& kernels, double b1, Measure measure, Aggregate aggregate);

// Totals L_c outside [1 / most_pair_total, most_pair_total] would take the double-doubles above out of range.
inline constexpr double most_pair_total = 0x1p300;

}  // namespace termsift

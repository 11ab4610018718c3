// Computes the sum of a measure over all classes by visiting only the classes that have the term.
//
// With x = l_ic + b1, w_c = pi_c / L_c, T = sum_k w_k x_ik and r_c = 1 / (1 - pi_c), a class has p = x / L_c and
// q = r_c (T - w_c x). With kappa_c = log((1 - pi_c) / L_c), it follows that
//     log(p/q) = log x + kappa_c - log T - log(1 - w_c x / T).
// Only log(1 - w_c x / T) depends on both the class and the term's counts in all classes. Let omega_c be the weight of class
// c: pi_c for the mean, otherwise 1. With t as in simd/logarithms.hpp, the weighted sum of the divergences KL_c is
//     sum_c omega_c KL_c = A - P log T + R T + V,
//     P = sum_c omega_c p,   A = sum_c omega_c [p (log x + kappa_c) - p - r_c w_c x],   R = sum_c omega_c r_c,
//     V = sum_c omega_c [-p log(1 - w_c x / T) + t(1-p, 1-q)].
// The summands of A and P depend only on the class and the count. They are double-doubles, because digits cancel in
// A - P log T. V does not cancel, so the summands of pairs are doubles, and only the V of absent classes has more digits.
//
// PairSum::split sums A, P and V. PairSum::whole sums only whole values: V = sum_c omega_c KL_c. If smoothing is most of the
// mass of the classes, a term with few pairs has a score far below P or V. The term then needs a whole sum, or is scored as
// in score_dense, whichever is cheaper. A split sum uses a series of t(1-p, 1-q) for p, q <= 2^-6. Whole sums are therefore
// also used if smoothing alone makes p > 2^-6 in any class. All measures other than KL need whole sums.
//
// A class without the term (l = 0) adds constants to A, P and T, so pairs add only their differences from these constants.
// Summed over all classes as if no class had the term, V depends only on U = T - T_0 = sum_c w_c l_ic (absent_classes.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "scoring/score_kernels.hpp"

namespace termsift {

enum class PairSum : std::uint8_t {
  split,  // A - P log T + R T + V; used for kl with small probabilities or rates
  whole   // only V
};

// The sums over the pairs of one term. Each sum is a double-double (hi, lo). Only split sums use the number n_pairs.
struct alignas(64) TermSums {
  enum : int { U, P, A, n_pairs };
  double hi[4], lo[4];
};

// The sums of one term that the loop over V accesses. Memory limits the loop over V, so TermValue is only half as large as
// TermSums.
struct alignas(32) TermValue {
  double U_hi, U_lo;  // U of TermSums, normalised, because many additions can make its low part large
  double V_hi, V_lo;
};

// The constants of one class for unscaled counts l. ClassConstants has the constants for scaled counts s l.
struct PairConstants {
  DoubleDouble omega;          // omega_c, the weight of the class in the score
  DoubleDouble w;              // w_c
  double r;                    // r_c
  double inverse;              // 1 / L_c
  double absent_p;             // b1 / L_c
  double absent_w;             // w_c b1
  DoubleDouble T_0_rest;       // T_0 without the summand of this class
  double b1;
  DoubleDouble kappa;          // kappa_c
  DoubleDouble P;              // omega_c / L_c
  DoubleDouble absent_P;       // omega_c b1 / L_c
  DoubleDouble linear;         // omega_c (1 / L_c + r_c w_c)
  DoubleDouble absent_A;       // the class's summand of A at l = 0, without terms linear in x
  const ClassConstants* base;  // the constants for scaled counts, used in whole sums
};

// The sums over all classes for a term that no class has (l = 0).
struct PairTotals {
  DoubleDouble T_0, P_0, A_0, R;
  // A power of two that is at least 4 sum_c omega_c, or 0 for rates. A split sum splits the V of each pair into V_hi and
  // V_lo. V_hi is a multiple of the step 2^-53 most_V, and V_lo is the rest. For p <= 2^-6 and w x / T <= 1 - 2^-49, the V
  // of a pair is below 0.6 omega_c, because log 2^49 is 34 and t(1-p, 1-q) is below 2^-11. Sums of V_hi thus stay below
  // most_V and are exact. A sum of n rests V_lo, each at most half a step, has an error of at most n^2 2^-107 most_V, which
  // must be below 2^-57 times the score. For rates, V of a pair may exceed 0.6 omega_c, so V is summed as a double-double.
  double most_V;
  // log(l + b1) for small counts l.
  static constexpr int n_logs = 256;
  double log_x_hi[n_logs], log_x_lo[n_logs];
};

struct PairModel {
  Measure measure;
  // In every event model, probabilities are treated as small if b1 / L_c <= ordinary_p in every class. If a count makes p
  // larger than ordinary_p, the sum is doubtful, and the term is scored as in score_dense.
  Variable variable;
  double lost;                         // ClassModel::lost
  // The score is doubtful if V_pairs + absent_share V_absent is more than most_V_of_score times the score. V_absent is the V
  // of a term that no class has, and V_pairs is what the pairs add to it. V_absent has an error of about 1 ulp, and the V of
  // a pair one of up to 5 ulp. In a sum, V is only close to the score if many classes add to it, and then their errors are
  // not added up. In a mean, a single class may add nearly all of V, so most_V_of_score is smaller.
  double most_V_of_score;
  // A pair adds the difference between its V and its class's V without the term. If no count is below b1, the former is
  // about four times the latter or more, so V_pairs bounds the errors of pairs, and absent_share is 1/3. Otherwise, it is 1.
  double absent_share;
  std::vector<PairConstants> classes;  // (ClassModel::classes.size(),)
  PairTotals totals;

  PairSum usual_sum() const {
    return measure == Measure::kl && variable != Variable::probability ? PairSum::split : PairSum::whole;
  }
};

// Totals L_c outside [1 / most_pair_total, most_pair_total] could make double-doubles of a PairModel overflow or underflow.
inline constexpr double most_pair_total = 0x1p300;

template <CountType Count>
bool fits_pair_model(const ClassRow<Count>& row, double b2) {
  const double total = static_cast<double>(row.n_tokens) + b2;
  return total >= 1 / most_pair_total && total <= most_pair_total;
}

// Requires Aggregate::sum or Aggregate::mean, b1 > 0, and classes that satisfy fits_pair_model(). O(n_classes).
// No positive count may be below least_count.
PairModel make_pair_model(const ClassModel& model, double b1, Measure measure, Aggregate aggregate, double least_count = 0);

// ---- kernels -----------------------------------------------------------------------------------------------------------

// n (class, term) pairs of one class with distinct terms.
struct ClassPairs {
  std::int64_t n;
  const PairModel* model;
  const PairConstants* constants;  // the constants of the class
  PairSum sum;
  const std::uint32_t* narrow_l;  // (n,) the counts l_ic, or null
  const double* l;                // (n,) the counts l_ic if narrow_l is null
  const TermId* terms;            // (n,) distinct
  TermId first;                   // sums[i - first], values[i - first] and doubtful[i - first] belong to term i
  TermSums* sums;
  TermValue* values;
  unsigned char* doubtful;
};

// A block of n terms in one class, with the U of each term. n is a multiple of 8 and at most block_terms.
struct ClassValues {
  int n;
  const PairModel* model;
  const PairConstants* constants;  // the constants of the class
  Measure measure;                 // may differ from the measure of the model
  const double* l;                 // (n,) the count l_ic of each term, 0 if the class lacks the term
  const double* U_hi;              // (n,)
  const double* U_lo;
  double* values;                  // (n,) out
  unsigned char* doubtful;         // (n,) out: 1 if the value is unreliable
};

// A block of n values of U. Each V is computed as if no class had the term. n is a multiple of 8 and at most block_terms.
struct AbsentBlock {
  int n;
  const PairModel* model;
  int n_classes;
  const PairConstants* constants;  // (n_classes,)
  PairSum sum;
  const double* U_hi;  // (n,)
  const double* U_lo;
  double* V_hi;  // (n,) out
  double* V_lo;
  unsigned char* doubtful;  // (n,) out: 1 if V is unreliable
};

// A piece of the values of U, in which a polynomial gives the V of all classes as if no class had the term:
//     V(U) = middle + t (slope[0] + t (slope[1] + ...)),  t = (U - center) / (U + center).
struct AbsentPiece {
  static constexpr int n_nodes = 16;            // the values of V that determine the polynomial
  static constexpr int n_slopes = n_nodes;      // a multiple of 4; the last slope is 0
  double center = 1;
  DoubleDouble middle;          // V at the center
  double slope[n_slopes] = {};
};

// A block of n terms whose pairs have been added up over all classes. n is a multiple of 8 and at most block_terms.
struct SummedBlock {
  int n;
  const PairModel* model;
  PairSum sum;
  const TermSums* sums;      // (n,)
  const TermValue* values;   // (n,)
  const AbsentPiece* const* absent;  // (n,) the piece of each term's U
  double* scores;           // (n,) out
  unsigned char* doubtful;  // (n,) out: 1 if the score is unreliable
};

struct PairKernels {
  void (*mix)(const ClassPairs&);           // adds the class's contribution to U and, in a split sum, to P and A. O(n)
  void (*score)(const ClassPairs&);         // adds to V the change of the class's value from count 0 to l_ic, given U. O(n)
  void (*score_absent)(const AbsentBlock&);  // sets V = sum_c omega_c (value for count 0), given U. O(n_classes n)
  void (*finish)(const SummedBlock&);       // computes scores from the sums. O(n)
  void (*values)(const ClassValues&);       // computes values as exactly as class_results() unless doubtful. O(n)

  static const PairKernels baseline, avx2, avx512;  // simd/targets.hpp
};

}  // namespace termsift

// The interface of the kernels of greedy selection. A gain is the amount by which a term would raise the divergence.
//
// Symbols, as in termsift/greedy.hpp: m_c is a term's mass in class c, n_c the mass of the class, and R_c the part of n_c
// that has not been selected. Masses are whole numbers below 2^53. The quotient s_c = m_c / R_c is the term's share in
// class c, and t_c is its share in the complement of class c.
#pragma once

#include "scoring/class_model.hpp"
#include "termsift/types.hpp"

namespace termsift {

// One class of the pool R.
struct PoolClass {
  double rest;    // R_c
  double weight;  // R_c / n_c; for two classes, 1 / (n_c R_k), where k is the other class
  // For two classes, the members below are not used.
  double inverse;         // 1 / R_c
  double share;           // v_c = pi_c R_c / n_c
  double others_inverse;  // 1 / sum_{k != c} v_k
};

// A gain depends only on the pool and on the masses of the term.
struct PoolView {
  const PoolClass* classes;  // (n_classes,)
  int reference;             // r: the class whose share is subtracted from all shares
};

inline constexpr int longest_gain_block = 64;

struct GainBlock {
  int n;                 // the number of terms, a multiple of 8, at most longest_gain_block
  int n_classes;         // at least 2
  const double* masses;  // (n_classes, n)
  double* scratch;       // (3, n_classes, n)
  double* values;        // (n,) out
};

// One class of a wedge. A wedge is the set of pools with A1/B1 <= A/B <= A2/B2, A >= A2 and B >= B1 in every class. For
// class c, A = R_c / n_c, and B = Q_c = sum_{k != c} pi_k R_k / n_k / (1 - pi_c). If there are only two classes, A and B
// are the masses of the pool in these classes, and only the first class has corners.
//
// absent_p and absent_rest are for bounds of terms that are absent from most classes (greedy/gain_evaluator.hpp). The
// number a_k is the mass of a term that is absent from class k.
struct WedgeClass {
  double A1, B1, A2, B2;        // the corners (A1, B1) and (A2, B2)
  double inverse_1, inverse_2;  // 1 / B1, 1 / B2
  double inverse_total;         // 1 / n_c
  double w;                     // w_c = pi_c / n_c
  double others_inverse;        // 1 / (1 - pi_c)
  double absent_p;              // a_c / n_c
  double absent_rest;           // sum_{k != c} w_k a_k
};

// Terms that have the given U = sum_c w_c (m_c - a_c), but are treated as absent from every class.
struct AbsentBoundBlock {
  int n;  // the number of terms, a multiple of 8, at most longest_gain_block
  int n_classes;
  int begin, end;             // the classes whose bounds are added up
  const WedgeClass* classes;  // (n_classes,)
  const double* U;            // (n,)
  double* values;             // (n,) out
};

// Pairs of a term and a class that has the term.
struct PairBoundBlock {
  int n;  // the number of pairs, at most longest_gain_block
  int n_classes;
  const WedgeClass* classes;  // (n_classes,)
  const ClassId* class_;      // (n,) the class of each pair
  const double* mass;         // (n,) m_c
  const double* U;            // (n,) U of the pair's term
  const double* U_rest;       // (n,) U without the summand of the pair's class
  double* values;             // (n,) out, followed by elements up to the next multiple of 8, which are scratch
};

// Cells of a partition, given by their probabilities p = p_hi + p_lo (double-double). Differences |p - q| <= 2^-92 p count
// as 0. Arrays are (n_classes, n).
struct CellBlock {
  int n;                          // the number of cells, at most longest_gain_block
  int n_classes;                  // at least 2
  const ClassConstants* classes;  // (n_classes,), of which only pi_c and 1 / (1 - pi_c) are used
  double remainder_of;            // x if p was computed as a difference x - y, else 0; |p - q| <= 2^-92 x also counts as 0
  const double *p_hi, *p_lo;
  double *before_hi, *before_lo;  // scratch
  double* values;                 // (n,) out
};

struct GainKernels {
  void (*gains)(const GainBlock&, const PoolView&);
  // Computes the contribution sum_c t(p_c, q_c) of each cell to the divergence. p must have about 106 correct bits.
  void (*cells)(const CellBlock&);
  // Computes an upper bound of each term's gains in the wedge. The bound does not cover rounding errors (see
  // Ladder::margin_), and is infinite if a term has nearly all the mass of a corner.
  void (*bounds)(const GainBlock&, const WedgeClass* wedge);
  // Computes the summands of some classes in the same bounds, but for terms that are treated as absent from all classes.
  void (*absent_bounds)(const AbsentBoundBlock&);
  // Computes, for each pair, an upper bound of the change in the bound of absent_bounds if the pair's class has the term.
  void (*pair_bounds)(const PairBoundBlock&);

  static const GainKernels baseline, avx2, avx512;  // simd/targets.hpp
};

}  // namespace termsift

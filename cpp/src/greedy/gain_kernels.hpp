// The interface of the kernels of greedy selection, which compute what a term would add to the divergence. The source is
// gain_kernels.cpp.
//
// Symbols, as in termsift/greedy.hpp: m_c is a term's mass in class c, n_c the mass of the class, and R_c the part of it
// that has not been selected. Masses are whole numbers below 2^53. s_c = m_c / R_c, and t_c is the same share of the
// complement.
#pragma once

#include "termsift/types.hpp"

namespace termsift {

// The pool R, on which gains depend besides the masses. Arrays are (n_classes, width): width is 1 if all terms of a block
// meet the same pool, otherwise each term has a pool of its own.
struct PoolView {
  const double* rest;     // R_c
  const double* weight;   // R_c / n_c; for two classes 1 / (n_c R_other)
  // The others are not used for two classes.
  const double* inverse;         // 1 / R_c
  const double* share;           // v_c = pi_c R_c / n_c
  const double* others_inverse;  // 1 / sum_{k != c} v_k
  int reference;                 // the class r, with which shares are compared
};

inline constexpr int longest_gain_block = 64;

struct GainBlock {
  int n;                 // terms, a multiple of 8, at most longest_gain_block
  int n_classes;         // at least 2
  const double* masses;  // (n_classes, n)
  double* scratch;       // (3, n_classes, n)
  double* values;        // (n,) out
};

// A wedge is the set of pools that have in every class A1/B1 <= A/B <= A2/B2, A >= A2 and B >= B1, where A = R_c / n_c and
// B = Q_c = sum_{k != c} pi_k R_k / n_k / (1 - pi_c). Arrays are (n_classes,). For two classes the corners are (1,), and
// A and B are the masses of the two.
struct WedgeView {
  const double *A1, *B1, *A2, *B2;
  const double* inverse_total;   // (n_classes,) 1 / n_c
  const double* prior;           // pi_c
  const double* others_inverse;  // 1 / (1 - pi_c)
};

// A class in bounds of terms that are absent from most classes (greedy/sparse_bounds.hpp). a_k is the mass of a term that is
// absent from class k, and w_k = pi_k / n_k.
struct BoundClass {
  double A1, B1, A2, B2;      // WedgeView
  double inverse_1, inverse_2;  // 1 / B1, 1 / B2
  double inverse_total;         // 1 / n_c
  double others_inverse;        // 1 / (1 - pi_c)
  double absent_p;              // a_c / n_c
  double absent_rest;           // sum_{k != c} w_k a_k
};

// Made-up terms that are absent from every class but have the given U = sum_c w_c (m_c - a_c).
struct AbsentBoundBlock {
  int n;  // terms, a multiple of 8, at most longest_gain_block
  int n_classes;
  const BoundClass* classes;  // (n_classes,)
  const double* U;            // (n,)
  double* values;             // (n,) out
};

// Pairs of a term and a class that has it.
struct PairBoundBlock {
  int n;  // pairs, a multiple of 8, at most longest_gain_block
  int n_classes;
  const BoundClass* classes;  // (n_classes,)
  const ClassId* class_;      // (n,) of the pair
  const double* mass;         // (n,) m_c
  const double* U;            // (n,) of the term
  const double* U_rest;       // (n,) U without the part of the class
  double* values;             // (n,) out
};

// Cells of a partition, given by probabilities in twice the digits. A difference p - q below 2^-92 of p counts as 0. Arrays
// are (n_classes, n).
struct CellBlock {
  int n;                       // cells, at most longest_gain_block
  int n_classes;               // at least 2
  double remainder_of;         // what p was subtracted from, 0 if it was not; p - q below 2^-92 of this counts as 0 too
  const double *p_hi, *p_lo;
  double *before_hi, *before_lo;  // scratch
  double* values;                 // (n,) out
};

// (n_classes,): pi_c, and 1 / (1 - pi_c).
struct MixtureView {
  const double *prior_hi, *prior_lo, *others_inverse_hi, *others_inverse_lo;
};

struct GainKernels {
  void (*gains)(const GainBlock&, const PoolView&);              // one pool for all terms
  void (*gains_along_path)(const GainBlock&, const PoolView&);   // a pool for each term
  // sum_c t(m_c / n_c, q_c), the part of the divergence in a cell of the partition. The pool is the whole, R = n.
  void (*cells)(const GainBlock&, const PoolView&);
  // The same cells, sum_c t(p_c, q_c), given p to some 106 bits.
  void (*precise_cells)(const CellBlock&, const MixtureView&);
  // A bound no less than any gain in the wedge, up to rounding (Ladder::margin_); infinite if a term has nearly all of a
  // corner.
  void (*bounds)(const GainBlock&, const WedgeView&);
  // The same bound, of terms that are absent from all classes,
  void (*absent_bounds)(const AbsentBoundBlock&);
  // and what it changes by at least, because a class has the term.
  void (*pair_bounds)(const PairBoundBlock&);

  static const GainKernels baseline, avx2, avx512;  // simd/targets.hpp
};

}  // namespace termsift

// The kernels of greedy selection: what a term would add to the divergence.
//
// Symbols, as in termsift/greedy.hpp: m_c a term's mass in class c, n_c the mass of the class, R_c what of it has not been
// selected; masses are whole numbers below 2^53. s_c = m_c / R_c; t_c is the same share of the complement's mixture.
#pragma once

namespace termsift {

// What the gains depend on besides the masses: the pool R. Arrays are (n_classes, width), where width is 1 if all terms of a
// block meet the same pool, else one pool for each term.
struct PoolView {
  const double* rest;     // R_c
  const double* weight;   // R_c / n_c; of two classes instead 1 / (n_c R_other)
  // Not of two classes:
  const double* inverse;         // 1 / R_c
  const double* share;           // v_c = pi_c R_c / n_c
  const double* others_inverse;  // 1 / sum_{k != c} v_k
  int reference;                 // the class r that shares are compared with
};

inline constexpr int longest_gain_block = 64;

struct GainBlock {
  int n;                 // terms, a multiple of 8, at most longest_gain_block
  int n_classes;         // at least 2
  const double* masses;  // (n_classes, n)
  double* scratch;       // (3, n_classes, n)
  double* values;        // (n,) out
};

// A region of pools: in every class c, with A = R_c / n_c and B = Q_c = sum_{k != c} pi_k R_k / n_k / (1 - pi_c) (of two
// classes once, with A and B the masses of the two), all (A, B) with A1/B1 <= A/B <= A2/B2, A >= A2 and B >= B1. Arrays are
// (n_classes,), those of the corners of two classes (1,).
struct WedgeView {
  const double *A1, *B1, *A2, *B2;
  const double* inverse_total;   // 1 / n_c, (n_classes,)
  const double* prior;           // pi_c
  const double* others_inverse;  // 1 / (1 - pi_c)
};

// Cells of a partition by probabilities of twice the digits, in which a difference p - q below 2^-92 of p counts as none.
// Arrays are (n_classes, n).
struct CellBlock {
  int n;                       // cells, at most longest_gain_block
  int n_classes;               // at least 2
  double remainder_of;         // p are what subtraction from so much has left; 0: they are not remainders
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
  // sum_c t(m_c / n_c, q_c): what a cell of the partition holds of the divergence. The pool is the whole, R = n.
  void (*cells)(const GainBlock&, const PoolView&);
  // The same cells, sum_c t(p_c, q_c), given p to some 106 bits.
  void (*precise_cells)(const CellBlock&, const MixtureView&);
  // No less than any gain in the wedge, up to rounding (Ladder::margin_); infinite where a term has nearly all of a corner.
  void (*bounds)(const GainBlock&, const WedgeView&);

  static const GainKernels baseline, avx2, avx512;  // simd/targets.hpp
};

}  // namespace termsift

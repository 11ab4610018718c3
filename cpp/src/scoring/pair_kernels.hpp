// These kernels score a term by visiting only the classes that contain it. pair_model.hpp has the equations.
#pragma once

#include "scoring/pair_model.hpp"
#include "scoring/score_kernels.hpp"

namespace termsift {

// n pairs of one class with distinct terms.
struct ClassPairs {
  std::int64_t n;
  const PairConstants* constants;  // the constants of the class
  const PairTotals* totals;
  Measure measure;
  Variable variable;
  PairSum sum;
  double lost;                    // ClassModel::lost
  const std::uint32_t* narrow_l;  // (n,) l_ic, or null
  const double* l;                // (n,) l_ic, if narrow_l is null
  const TermId* terms;            // (n,) distinct
  TermId first;                   // sums[i - first], values[i - first] and doubtful[i - first] belong to term i
  TermSums* sums;
  TermValue* values;
  unsigned char* doubtful;
};

// n <= block_terms terms in one class, with the U of each term. n is a multiple of 8.
struct ClassValues {
  int n;
  const PairConstants* constants;  // the constants of the class
  const PairTotals* totals;
  Measure measure;
  Variable variable;
  double lost;
  const double* l;          // (n,) l_ic, or 0 if the term is absent
  const double* U_hi;       // (n,)
  const double* U_lo;
  double* values;           // (n,) out
  unsigned char* doubtful;  // (n,) out: 1 if the value is unreliable
};

// n <= block_terms values of U. For each of them, V is computed as if no class had the term. n is a multiple of 8.
struct AbsentBlock {
  int n;
  int n_classes;
  const PairConstants* constants;  // (n_classes,)
  const PairTotals* totals;
  Measure measure;
  Variable variable;
  PairSum sum;
  double lost;
  const double* U_hi;  // (n,)
  const double* U_lo;
  double* V_hi;  // (n,) out
  double* V_lo;
  unsigned char* doubtful;  // (n,) out: 1 if V is unreliable
};

// n <= block_terms terms whose pairs of all classes have been added up. n is a multiple of 8.
struct SummedBlock {
  int n;
  const PairTotals* totals;
  PairSum sum;
  const TermSums* sums;      // (n,)
  const TermValue* values;   // (n,)
  const double* absent_hi;   // (n,) V summed over all classes, as if the term were absent from all
  const double* absent_lo;
  double* scores;           // (n,) out
  unsigned char* doubtful;  // (n,) out: 1 if the score is unreliable
};

struct PairKernels {
  void (*mix)(const ClassPairs&);           // adds the class's contribution to U and, in a split sum, to P and A. O(n)
  void (*score)(const ClassPairs&);         // adds (value with l_ic) - (value with 0) to V, given U. O(n)
  void (*score_absent)(const AbsentBlock&);  // sets V = sum_c omega_c (value with 0), given U. O(n_classes n)
  void (*finish)(const SummedBlock&);       // computes scores from the sums. O(n)
  void (*values)(const ClassValues&);       // computes values as exactly as class_scores() unless doubtful. O(n)

  static const PairKernels baseline, avx2, avx512;  // simd/targets.hpp
};

}  // namespace termsift

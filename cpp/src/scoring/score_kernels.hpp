// The kernels that score blocks of terms from the counts of every class.
#pragma once

#include "scoring/class_model.hpp"
#include "termsift/scores.hpp"

namespace termsift {

// The number of terms in a block is a multiple of the vector size on every SIMD target. In blocks of 128 terms, loading the
// constants of a class takes only a small part of the time.
inline constexpr int block_terms = 128;

// A block of n terms. n is a multiple of 8 and at most block_terms. Arrays of shape (n_classes, block) are row-major, with
// rows of `stride` >= n. Unused lanes may hold any counts, and their results are not read.
struct ScoreBlock {
  int n;
  int stride;
  int n_classes;                    // the number of nonempty classes
  const ClassConstants* constants;  // (n_classes,)
  Measure measure;
  Variable variable;
  Aggregate aggregate;
  double lost;              // ClassModel::lost
  const double* x_hi;       // (n_classes, block) the high part of x_ic = s (l_ic + b1)
  const double* x_lo;       // (n_classes, block) the low part of x_ic, or null if all low parts are 0
  double* class_scores;     // (n_classes, block) out: the values of the classes, or null
  double* scores;           // (block,) out: the scores of the terms, or null
  unsigned char* doubtful;  // (block,) out: 1 if the results are unreliable and score_block_carefully must recompute them
};

struct CarefulBlock : ScoreBlock {  // x_lo and class_scores are not null; doubtful is not used
  int reference;                    // ClassModel::reference
  double* e_hi;                     // (n_classes, block) scratch: p_ic - p_ir
  double* e_lo;
};

// The results of a term depend only on its own lane. Each kernel that scores a block runs in O(n_classes n).
struct ScoreKernels {
  // Sets x[j] = s l[j] + s b1, the numerators of p for n counts of a class. x[j] is exact if a double holds the sum.
  void (*numerators)(const std::uint32_t* l, int n, double scale, double scaled_b1, double* x);
  void (*score_block)(const ScoreBlock&);
  void (*score_block_carefully)(const CarefulBlock&);

  static const ScoreKernels baseline, avx2, avx512;  // simd/targets.hpp
};

}  // namespace termsift

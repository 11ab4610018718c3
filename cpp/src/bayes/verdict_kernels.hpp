// The interface of the kernel of naive Bayes: the class of the largest posterior.
#pragma once

#include <cstdint>

namespace termsift {

// Rows of class values are padded to a multiple of this.
inline constexpr std::int64_t verdict_lanes = 4;

// v_c = log_docs_c + sums_c - tokens absent_c - weight loss_c (prefix_model.hpp). Its error is at most `error` times the sum
// of the magnitudes.
struct Verdict {
  std::int64_t winner;  // the first class that agrees with the largest v_c within the errors
  double lead;          // of v over the next class, reduced by twice the errors
};

// Beyond the classes, log_docs is `no_class`, and the other rows are 0. All numbers are finite.
struct ClassPosteriors {
  std::int64_t stride;  // a multiple of verdict_lanes, at least one
  const double *log_docs, *sums, *absent, *loss;  // (stride,)
  double tokens, weight, error;
  double *values, *errors;  // (stride,) scratch
};

// Less than any v_c: the values of documents are less than 2^900.
inline constexpr double no_class = -0x1p1000;

struct VerdictKernels {
  Verdict (*judge)(const ClassPosteriors&);  // O(stride)

  static const VerdictKernels baseline, avx2, avx512;  // simd/targets.hpp
};

}  // namespace termsift

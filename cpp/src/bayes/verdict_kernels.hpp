// The interface of the naive Bayes kernels, which find the class with the largest posterior and add up log posteriors.
#pragma once

#include <cstdint>

#include "simd/weighted_row.hpp"

namespace termsift {

// Arrays with one value per class are padded to a multiple of this length, verdict_lanes.
inline constexpr std::int64_t verdict_lanes = 4;

// The kernel computes v_c = log_docs_c + sums_c - tokens absent_c - weight loss_c (see PrefixModel). The error of v_c is at
// most `error` times the sum of the magnitudes of its four summands.
struct Verdict {
  std::int64_t winner;  // the first class whose v_c equals the largest v_c within the errors
  double lead;          // the winner's v_c minus the largest other v_c, minus twice the errors of both
};

// In the padding of the arrays, log_docs is `no_class`, and all other arrays are 0. All numbers are finite.
struct ClassPosteriors {
  std::int64_t stride;  // a multiple of verdict_lanes, at least one
  const double *log_docs, *sums, *absent, *loss;  // (stride,)
  double tokens, weight, error;
  double *values, *errors;  // (stride,) scratch
};

// no_class is less than any v_c, because the values of documents are less than 2^900.
inline constexpr double no_class = -0x1p1000;

// A term of a document: the row of its weights, and its value.
struct ValuedTerm {
  std::int32_t id;
  double count;
};

struct VerdictKernels {
  Verdict (*judge)(const ClassPosteriors&);  // O(stride)
  void (*add_weights)(const WeightedRow<ValuedTerm>& row);

  static const VerdictKernels baseline, avx2, avx512;  // simd/targets.hpp
};

}  // namespace termsift

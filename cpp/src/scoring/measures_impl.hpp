// The common parts of all scoring kernels: dispatch by measure and variable, conversions, and aggregation of class scores.
// The kernels are plain loops that the compiler vectorises. Their loops over terms have no unpredictable branches.
#pragma once

#include "scoring/score_kernels.hpp"
#include "simd/logarithms.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

// Calls f.operator()<measure, variable>(). Measure::direction does not depend on the variable.
template <class F>
TERMSIFT_INLINE void with_measure(Measure measure, Variable variable, const F& f) {
  const auto with_variable = [&]<Measure of>() {
    switch (variable) {
      case Variable::small_probability: return f.template operator()<of, Variable::small_probability>();
      case Variable::probability: return f.template operator()<of, Variable::probability>();
      case Variable::rate: return f.template operator()<of, Variable::rate>();
    }
  };
  switch (measure) {
    case Measure::kl: return with_variable.template operator()<Measure::kl>();
    case Measure::nu_j: return with_variable.template operator()<Measure::nu_j>();
    case Measure::nu_pearson: return with_variable.template operator()<Measure::nu_pearson>();
    case Measure::direction: return f.template operator()<Measure::direction, Variable::rate>();
  }
}

// Converts an integer: sets the bits of 2^52 + l, and subtracts 2^52 as a double. This vectorises on every target.
TERMSIFT_INLINE double as_double(std::uint32_t l) { return from_bits(0x4330000000000000ull | l) - 0x1p52; }

TERMSIFT_INLINE DoubleDouble inverse(const ClassConstants& c) { return {c.inverse_hi, c.inverse_lo}; }
TERMSIFT_INLINE DoubleDouble rest_inverse(const ClassConstants& c) { return {c.rest_inverse_hi, c.rest_inverse_lo}; }
TERMSIFT_INLINE DoubleDouble total(const ClassConstants& c) { return {c.total_hi, c.total_lo}; }
TERMSIFT_INLINE DoubleDouble prior(const ClassConstants& c) { return {c.prior_hi, c.prior_lo}; }

// Returns the low parts of the x_ic of class k, or null if the block has no low parts.
TERMSIFT_INLINE const double* low_row(const ScoreBlock& block, int k) {
  return block.x_lo == nullptr ? nullptr : block.x_lo + k * block_terms;
}

// ---- aggregation: `low` (block,) holds the rounding errors of block.scores, so sums over 5,000 classes lose no digit ----

[[maybe_unused]] void begin_aggregate(const ScoreBlock& block, double* low) {
  for (int j = 0; j < block.n; ++j) block.scores[j] = low[j] = 0;
}

[[maybe_unused]] void aggregate_class(const ScoreBlock& block, int k, const double* __restrict values,
                                      double* __restrict low) {
  double* __restrict scores = block.scores;
  if (block.aggregate == Aggregate::max) {
    for (int j = 0; j < block.n; ++j) scores[j] = larger(values[j], scores[j]);
    return;
  }
  const double weight = block.aggregate == Aggregate::mean ? block.constants[k].prior_hi : 1.0;
  if (weight == 0) return;  // a mean ignores this class, even if its value is infinite
  for (int j = 0; j < block.n; ++j) {
    const DoubleDouble sum = two_sum(scores[j], weight * values[j]);
    scores[j] = sum.hi;
    low[j] += sum.lo;
  }
}

[[maybe_unused]] void end_aggregate(const ScoreBlock& block, const double* low) {
  for (int j = 0; j < block.n; ++j) {
    const double score = block.scores[j] + low[j];
    block.scores[j] = block.scores[j] == infinity ? infinity : score;
  }
}

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

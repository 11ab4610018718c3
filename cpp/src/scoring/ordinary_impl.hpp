// The common parts of the scoring kernels: dispatch by measure and variable, conversions, aggregation of class scores, and
// ordinary scoring. Kernels are plain loops that the compiler vectorises, without unpredictable branches per term.
#pragma once

#include "scoring/score_kernels.hpp"
#include "simd/logarithms.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

// Calls f.operator()<measure, variable>(). Measure::direction does not depend on the Variable.
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

// Converts l: makes the bits of the double 2^52 + l, and subtracts 2^52. Every SIMD target vectorises these operations.
TERMSIFT_INLINE double as_double(std::uint32_t l) { return from_bits(0x4330000000000000ull | l) - 0x1p52; }

// Returns the low parts of the x_ic of class k, or null if the block has no low parts.
TERMSIFT_INLINE const double* low_row(const ScoreBlock& block, int k) {
  return block.x_lo == nullptr ? nullptr : block.x_lo + k * block.stride;
}

// ---- aggregation: `low` (block,) has the rounding errors of block.scores, so sums over 5,000 classes lose no digit ------

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
  if (block.aggregate == Aggregate::sum) {
    for (int j = 0; j < block.n; ++j) {
      const DoubleDouble sum = two_sum(scores[j], values[j]);
      scores[j] = sum.hi;
      low[j] += sum.lo;
    }
    return;
  }
  const DoubleDouble weight = block.constants[k].prior;
  if (weight.hi == 0) return;  // a mean ignores a class with the prior 0, even if its value is infinite
  for (int j = 0; j < block.n; ++j) {
    const DoubleDouble value = two_product(weight.hi, values[j]), sum = two_sum(scores[j], value.hi);
    scores[j] = sum.hi;
    low[j] += sum.lo + (value.lo + weight.lo * values[j]);
  }
}

[[maybe_unused]] void end_aggregate(const ScoreBlock& block, const double* low) {
  for (int j = 0; j < block.n; ++j) {
    const double score = block.scores[j] + low[j];
    block.scores[j] = block.scores[j] == infinity ? infinity : score;
  }
}

// ---- ordinary scoring ----------------------------------------------------------------------------------------------------

// Ordinary scoring computes p - q fast, from the mixture of all classes. Margins tell whether digits were lost.

// A product of two probabilities that is below least_product may lack digits. Only unsmoothed float counts give products
// this small.
constexpr double least_product = 0x1p-960;

// If p and q are above least_factor, p q is not subnormal. The product of p and a difference is not subnormal either, if the
// difference exceeds the rounding error of p.
constexpr double least_factor = 0x1p-480;

// If 1-p is below least_complement, subtracting p from 1 leaves too few digits.
constexpr double least_complement = 0x1p-20;

TERMSIFT_INLINE DoubleDouble one_minus(DoubleDouble p) {
  const DoubleDouble difference = two_sum(1.0, -p.hi);
  return quick_two_sum(difference.hi, difference.lo - p.lo);
}

// Returns w x, or w x.hi if x has no low part. No compiler may drop a product with 0, so x without a low part has its own
// code.
template <bool with_low>
TERMSIFT_INLINE DoubleDouble weighted(DoubleDouble x, double w_hi, double w_lo) {
  const DoubleDouble product = two_product(x.hi, w_hi);
  const double rest = x.hi * w_lo;
  return {product.hi, product.lo + (with_low ? rest + x.lo * w_hi : rest)};
}

template <bool with_low = true>
TERMSIFT_INLINE DoubleDouble probability(DoubleDouble x, const ClassConstants& c) {
  return weighted<with_low>(x, c.inverse.hi, c.inverse.lo);
}

// Holds d = p - q = (p - T) / (1 - pi) and q = p - d for p = p_ic, given the mixture T = sum_k pi_k p_k. T has a relative
// error of lost 2^-57 (ClassModel::lost), so the error of p - T is about lost 2^-57 p. If one class has nearly all the prior
// mass, division by 1 - pi makes the error large relative to q.
struct Difference {
  DoubleDouble d, q;
  double margin;             // if <= 0, q lost digits or a small_probability exceeds ordinary_p: use score_block_carefully()
  double difference_margin;  // if <= 0, d lost digits: use score_block_carefully() unless other values are far larger
};

template <Variable variable>
TERMSIFT_INLINE Difference ordinary_difference(DoubleDouble p, DoubleDouble T, DoubleDouble rest_inverse, double lost) {
  const DoubleDouble difference = two_sum(p.hi, -T.hi);
  const double difference_lo = difference.lo + (p.lo - T.lo);
  const DoubleDouble scaled = two_product(difference.hi, rest_inverse.hi);
  const DoubleDouble d =
      quick_two_sum(scaled.hi, scaled.lo + (difference.hi * rest_inverse.lo + difference_lo * rest_inverse.hi));
  const DoubleDouble q_sum = two_sum(p.hi, -d.hi);
  const DoubleDouble q = quick_two_sum(q_sum.hi, q_sum.lo + (p.lo - d.lo));
  const double q_margin = q.hi - lost * rest_inverse.hi * p.hi;
  return {d, q, variable == Variable::small_probability ? smaller(q_margin, ordinary_p - p.hi) : q_margin,
          magnitude(difference.hi) - lost * p.hi};
}

// The value of one class, with the margins of Difference.
struct Value {
  double value;
  double margin;
  double difference_margin;
};

template <Measure measure, Variable variable>
TERMSIFT_INLINE Value ordinary_value(DoubleDouble p, DoubleDouble T, DoubleDouble rest_inverse, double lost) {
  const auto [d, q, q_margin, difference_margin] = ordinary_difference<variable>(p, T, rest_inverse, lost);
  if constexpr (measure == Measure::direction) return {sign(d.hi), infinity, difference_margin};  // q is not used
  DoubleDouble P{}, Q{};
  double margin = q_margin;
  if constexpr (variable == Variable::probability) {
    P = one_minus(p), Q = one_minus(q);
    margin = smaller(margin, smaller(P.hi, Q.hi) - least_complement);
  }
  if constexpr (measure == Measure::kl) {
    const double term = ordinary_term(p, q, d);
    if constexpr (variable == Variable::rate) return {term, margin, difference_margin};
    else if constexpr (variable == Variable::probability)
      return {term + ordinary_term(P, Q, negate(d)), margin, difference_margin};
    else return {term + ordinary_complement(p.hi + q.hi, d.hi), margin, difference_margin};
  }
  double p_variance, q_variance;
  if constexpr (variable == Variable::rate) p_variance = p.hi + p.lo, q_variance = q.hi;
  else if constexpr (variable == Variable::probability) p_variance = multiply(p, P).hi, q_variance = multiply(q, Q).hi;
  else p_variance = p.hi + (p.lo - p.hi * p.hi), q_variance = q.hi + (q.lo - q.hi * q.hi);
  if constexpr (measure == Measure::nu_pearson) {
    const double s = d.hi / q_variance;
    return {d.hi * s + 2.0 * (d.lo * s), margin, difference_margin};
  }
  // One division is enough: for the variances u of p and v of q, d^2 / (2 u) + d^2 / (2 v) = d^2 (u + v) / (2 u v).
  const double both = p_variance * q_variance;
  const double s = (p_variance + q_variance) * (0.5 * d.hi) / both;
  const double value = d.hi * s + 2.0 * (d.lo * s);
  return {p.hi > 0 ? value : infinity, smaller(margin, p.hi > 0 ? both - least_product : 1.0), difference_margin};
}

// p, q and d = p - q of a block's terms, for the summands t(p, q) of a divergence.
//
// A divergence is computed in several short loops over the block. In a single loop, about 150 dependent operations of a term
// fill the processor's reorder buffer, so only one or two terms overlap. One loop took a fifth longer than several.
struct Divergents {
  double p_hi[block_terms], p_lo[block_terms], q_hi[block_terms], q_lo[block_terms], d_hi[block_terms], d_lo[block_terms];

  TERMSIFT_INLINE DoubleDouble p(int j) const { return {p_hi[j], p_lo[j]}; }
  TERMSIFT_INLINE DoubleDouble q(int j) const { return {q_hi[j], q_lo[j]}; }
  TERMSIFT_INLINE DoubleDouble d(int j) const { return {d_hi[j], d_lo[j]}; }
  TERMSIFT_INLINE void set(int j, DoubleDouble p, DoubleDouble q, DoubleDouble d) {
    p_hi[j] = p.hi, p_lo[j] = p.lo, q_hi[j] = q.hi, q_lo[j] = q.lo, d_hi[j] = d.hi, d_lo[j] = d.lo;
  }
};

TERMSIFT_INLINE void ordinary_terms(const Divergents& of, int n, double* __restrict t) {
  double s[block_terms], k[block_terms], sR[block_terms];
  for (int j = 0; j < n; ++j) {
    const Ratio ratio = ordinary_ratio(of.p(j), of.q(j), of.d(j));
    s[j] = ratio.s, k[j] = ratio.k;
  }
  for (int j = 0; j < n; ++j) sR[j] = s[j] * atanh_rest(s[j] * s[j]);
  for (int j = 0; j < n; ++j) t[j] = ordinary_term(of.p(j), of.q(j), of.d(j), {s[j], k[j]}, sR[j]);
}

// Computes the mixture T = sum_c w_c x_ic with w_c = pi_c / (s L_c) for each term of the block. O(n_classes n).
template <bool with_low>
void mix_classes(const ScoreBlock& block, double* __restrict T_hi, double* __restrict T_lo) {
  for (int j = 0; j < block.n; ++j) T_hi[j] = T_lo[j] = 0;
  for (int k = 0; k < block.n_classes; ++k) {
    const double w_hi = block.constants[k].weight.hi, w_lo = block.constants[k].weight.lo;
    const double* __restrict x_hi = block.x_hi + k * block.stride;
    const double* __restrict x_lo = low_row(block, k);
    for (int j = 0; j < block.n; ++j) {
      const DoubleDouble wx = weighted<with_low>({x_hi[j], with_low ? x_lo[j] : 0.0}, w_hi, w_lo);
      const DoubleDouble T = two_sum(T_hi[j], wx.hi);
      T_hi[j] = T.hi, T_lo[j] += T.lo + wx.lo;
    }
  }
}

// Computes the values (block,) of class k, and sets margin[j] to the minimum of margin[j] and the margin of values[j]. O(n).
template <Measure measure, Variable variable, bool with_low>
void ordinary_class_values(const ScoreBlock& block, int k, const double* __restrict T_hi, const double* __restrict T_lo,
                           double* __restrict margin, double* __restrict values) {
  const ClassConstants c = block.constants[k];
  const double lost = block.lost;
  const double* __restrict x_hi = block.x_hi + k * block.stride;
  const double* __restrict x_lo = low_row(block, k);
  const auto p_of = [&](int j) { return probability<with_low>({x_hi[j], with_low ? x_lo[j] : 0.0}, c); };
  if constexpr (measure == Measure::kl) {
    Divergents terms;
    for (int j = 0; j < block.n; ++j) {
      const DoubleDouble p = p_of(j);
      const Difference from = ordinary_difference<variable>(p, {T_hi[j], T_lo[j]}, c.rest_inverse, lost);
      margin[j] = smaller(margin[j], smaller(from.margin, from.difference_margin));
      terms.set(j, p, from.q, from.d);
    }
    ordinary_terms(terms, block.n, values);
    if constexpr (variable == Variable::small_probability) {
      for (int j = 0; j < block.n; ++j)
        values[j] += ordinary_complement(terms.p_hi[j] + terms.q_hi[j], terms.d_hi[j]);
    } else if constexpr (variable == Variable::probability) {
      Divergents complements;
      double rest[block_terms];
      for (int j = 0; j < block.n; ++j) {
        const DoubleDouble P = one_minus(terms.p(j)), Q = one_minus(terms.q(j));
        margin[j] = smaller(margin[j], smaller(P.hi, Q.hi) - least_complement);
        complements.set(j, P, Q, negate(terms.d(j)));
      }
      ordinary_terms(complements, block.n, rest);
      for (int j = 0; j < block.n; ++j) values[j] += rest[j];
    }
  } else {
    for (int j = 0; j < block.n; ++j) {
      const Value v = ordinary_value<measure, variable>(p_of(j), {T_hi[j], T_lo[j]}, c.rest_inverse, lost);
      values[j] = v.value;
      margin[j] = smaller(margin[j], smaller(v.margin, v.difference_margin));
    }
  }
}

// Makes margin[j] negative if any class has 0 < p < least_factor. A smoothed p is always above least_factor. Every q is also
// above least_factor, unless the subtraction p - d lost digits. O(n_classes n).
[[maybe_unused]] void check_factors(const ScoreBlock& block, double* __restrict margin) {
  for (int k = 0; k < block.n_classes; ++k) {
    const double to_p = block.constants[k].inverse.hi;
    const double* __restrict x = block.x_hi + k * block.stride;
    for (int j = 0; j < block.n; ++j) {
      const double p = x[j] * to_p;
      margin[j] = smaller(margin[j], p > 0 ? p - least_factor : infinity);
    }
  }
}

template <Measure measure, Variable variable, bool with_low>
void ordinary_scores(const ScoreBlock& block) {
  double T_hi[block_terms], T_lo[block_terms], margin[block_terms], low[block_terms], row[block_terms];
  mix_classes<with_low>(block, T_hi, T_lo);
  for (int j = 0; j < block.n; ++j) margin[j] = infinity;
  if constexpr (measure == Measure::nu_j && variable == Variable::small_probability)
    if (block.constants[0].absent_x == 0) check_factors(block, margin);
  if (block.scores != nullptr) begin_aggregate(block, low);
  for (int k = 0; k < block.n_classes; ++k) {
    double* values = block.class_scores == nullptr ? row : block.class_scores + k * block.stride;
    ordinary_class_values<measure, variable, with_low>(block, k, T_hi, T_lo, margin, values);
    if (block.scores != nullptr) aggregate_class(block, k, values, low);
  }
  if (block.scores != nullptr) end_aggregate(block, low);
  for (int j = 0; j < block.n; ++j) block.doubtful[j] = margin[j] > 0 ? 0 : 1;
}

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

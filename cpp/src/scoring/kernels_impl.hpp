// The scoring kernels, without a logarithm of the C library, a branch that cannot be foretold in a loop over terms, or a
// difference that loses digits. Included by one source file for each SIMD target, which sets TERMSIFT_TARGET_NAMESPACE;
// plain loops that the compiler vectorises for that target. Every operation is an IEEE addition, multiplication or division
// in a fixed order, so that all targets give the same bits.
//
// What is said in logarithms.hpp of precision, and of functions from outside the target, holds here too.
#pragma once

#include "scoring/kernels.hpp"
#include "simd/logarithms.hpp"

namespace termsift::simd::TERMSIFT_TARGET_NAMESPACE {
namespace {

// Differences that small against the spread of the class probabilities are rounding of double-doubles, or exact zeros.
constexpr double nothing = 0x1p-92;

// Products of two probabilities above this, and of one and a difference that is no rounding, are normal numbers.
constexpr double least_factor = 0x1p-480;

// d^2 / (r (1-r)), 0/0 = 0; r and its complement given.
TERMSIFT_INLINE double squared_over_variance(DoubleDouble d, DoubleDouble r, double complement) {
  const DoubleDouble variance = multiply(r, {complement, 0.0});
  const DoubleDouble usable{larger(variance.hi, least_probability), variance.lo};
  const double value = product(d, quotient(d, usable), 0.0);
  const double result = variance.hi > 0 ? value : infinity;
  return d.hi == 0 ? 0.0 : result;
}

// d^2 / r of rates, 0/0 = 0. Rates up to 2^64 leave room for a smaller divisor than this.
TERMSIFT_INLINE double squared_over_rate(DoubleDouble d, DoubleDouble r) {
  const DoubleDouble usable{larger(r.hi, 0x1p-860), r.lo};
  const double value = product(d, quotient(d, usable), 0.0);
  const double result = r.hi > 0 ? value : infinity;
  return d.hi == 0 ? 0.0 : result;
}

// Calls f.operator()<measure, variable>(). A direction is the same of any variable.
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

TERMSIFT_INLINE DoubleDouble rest_inverse(const ClassConstants& c) { return {c.rest_inverse_hi, c.rest_inverse_lo}; }

// ---- the classes' values of each term as one score. Sums keep their rounding errors, so that 5,000 classes add none. ----

void begin_aggregate(const Block& block, double* low) {
  for (int j = 0; j < block.n; ++j) block.scores[j] = low[j] = 0;
}

void aggregate_class(const Block& block, int k, const double* __restrict values, double* __restrict low) {
  double* __restrict scores = block.scores;
  if (block.aggregate == Aggregate::max) {
    for (int j = 0; j < block.n; ++j) scores[j] = larger(values[j], scores[j]);
    return;
  }
  const double weight = block.aggregate == Aggregate::mean ? block.constants[k].prior_hi : 1.0;
  if (weight == 0) return;  // 0 times an infinite value is no part of a mean
  for (int j = 0; j < block.n; ++j) {
    const DoubleDouble sum = two_sum(scores[j], weight * values[j]);
    scores[j] = sum.hi;
    low[j] += sum.lo;
  }
}

void end_aggregate(const Block& block, const double* low) {
  for (int j = 0; j < block.n; ++j) {
    const double score = block.scores[j] + low[j];
    block.scores[j] = block.scores[j] == infinity ? infinity : score;
  }
}

// 2^52 + l in the bits of a double, less 2^52: the one conversion that vectorises on every target.
TERMSIFT_INLINE double as_double(std::uint32_t l) { return from_bits(0x4330000000000000ull | l) - 0x1p52; }

void numerators(const std::uint32_t* __restrict l, int n, double scale, double scaled_b1, double* __restrict x) {
  for (int j = 0; j < n; ++j) x[j] = as_double(l[j]) * scale + scaled_b1;
}

// ---- the ordinary way ---------------------------------------------------------------------------------------------------

// A product of two probabilities below this may have lost digits: of unsmoothed float counts.
constexpr double least_product = 0x1p-960;

// 1-p below this has too few of p's digits to be a difference.
constexpr double least_complement = 0x1p-20;

TERMSIFT_INLINE DoubleDouble one_minus(DoubleDouble p) {
  const DoubleDouble difference = two_sum(1.0, -p.hi);
  return quick_two_sum(difference.hi, difference.lo - p.lo);
}

// d = p - q = (p - T) / (1 - pi) and q = p - d for p = p_ic, given T = sum_k pi_k p_k. T is good to lost 2^-57 of itself
// (ClassModel::lost), and so is p - T beside p. The division makes that 1 / (1 - pi) times as much beside q, which counts
// where one class has nearly all the prior mass.
struct Difference {
  DoubleDouble d, q;
  // Not positive where d or q is too small beside p for that, or p too large for the short series of the complements, if the
  // measure has them:
  double margin;             // the careful way must score the term;
  double difference_margin;  // here too, unless other values dwarf this one
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

// The value of one class, and margins as above.
struct Value {
  double value;
  double margin;
  double difference_margin;
};

template <Measure measure, Variable variable>
TERMSIFT_INLINE Value ordinary_value(DoubleDouble p, DoubleDouble T, DoubleDouble rest_inverse, double lost) {
  const auto [d, q, margin, difference_margin] = ordinary_difference<variable>(p, T, rest_inverse, lost);
  if constexpr (measure == Measure::direction) {
    return {sign(d.hi), infinity, difference_margin};  // whatever else is lost of d, its sign is not
  } else if constexpr (variable == Variable::probability) {
    const DoubleDouble P = one_minus(p), Q = one_minus(q);
    const double both_margins = smaller(margin, smaller(P.hi, Q.hi) - least_complement);
    if constexpr (measure == Measure::kl)
      return {ordinary_term(p, q, d) + ordinary_term(P, Q, negate(d)), both_margins, difference_margin};
    const double q_variance = multiply(q, Q).hi;
    if constexpr (measure == Measure::nu_pearson) {
      const double s = d.hi / q_variance;
      return {d.hi * s + 2.0 * (d.lo * s), both_margins, difference_margin};
    }
    const double p_variance = multiply(p, P).hi;
    const double both = p_variance * q_variance;
    const double s = (p_variance + q_variance) * (0.5 * d.hi) / both;
    const double value = d.hi * s + 2.0 * (d.lo * s);
    return {p.hi > 0 ? value : infinity, smaller(both_margins, p.hi > 0 ? both - least_product : 1.0), difference_margin};
  } else if constexpr (measure == Measure::kl) {
    const double term = ordinary_term(p, q, d);
    if constexpr (variable == Variable::rate) return {term, margin, difference_margin};
    return {term + ordinary_complement(p.hi + q.hi, d.hi), margin, difference_margin};
  } else if constexpr (variable == Variable::rate && measure == Measure::nu_j) {
    // One division for both terms, as below.
    const double p_rounded = p.hi + p.lo, both = p_rounded * q.hi;
    const double s = (p_rounded + q.hi) * (0.5 * d.hi) / both;
    const double value = d.hi * s + 2.0 * (d.lo * s);
    return {p.hi > 0 ? value : infinity, smaller(margin, p.hi > 0 ? both - least_product : 1.0), difference_margin};
  } else if constexpr (variable == Variable::rate) {
    const double s = d.hi / q.hi;
    return {d.hi * s + 2.0 * (d.lo * s), margin, difference_margin};
  } else if constexpr (measure == Measure::nu_j) {
    // One division for both terms: d^2 [p(1-p) + q(1-q)] / (2 p(1-p) q(1-q)).
    const double p_variance = p.hi + (p.lo - p.hi * p.hi), q_variance = q.hi + (q.lo - q.hi * q.hi);
    const double both = p_variance * q_variance;
    const double s = (p_variance + q_variance) * (0.5 * d.hi) / both;
    const double value = d.hi * s + 2.0 * (d.lo * s);
    return {p.hi > 0 ? value : infinity, smaller(margin, p.hi > 0 ? both - least_product : 1.0), difference_margin};
  } else {
    const double s = d.hi / (q.hi + (q.lo - q.hi * q.hi));
    return {d.hi * s + 2.0 * (d.lo * s), margin, difference_margin};
  }
}

// p, q and d = p - q of the terms of a block, of which a divergence takes t(p, q).
//
// Each step below goes through the block by itself. The operations of a term, some 150 that wait for each other, would fill
// what a processor looks ahead, so that in one loop it would work at one or two at a time: a fifth longer.
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

// w x; without low parts x is x.hi, and the product with zero is not left to the compiler, which may not leave it out.
template <bool with_low>
TERMSIFT_INLINE DoubleDouble weighted(DoubleDouble x, double w_hi, double w_lo) {
  const DoubleDouble product = two_product(x.hi, w_hi);
  const double rest = x.hi * w_lo;
  return {product.hi, product.lo + (with_low ? rest + x.lo * w_hi : rest)};
}

template <bool with_low = true>
TERMSIFT_INLINE DoubleDouble probability(DoubleDouble x, const ClassConstants& c) {
  return weighted<with_low>(x, c.inverse_hi, c.inverse_lo);
}

// The low parts of a class's row, or null where there are none: null has no offset.
TERMSIFT_INLINE const double* low_row(const Block& block, int k) {
  return block.x_lo == nullptr ? nullptr : block.x_lo + k * block_terms;
}

// T = sum_c w_c x_ic, w_c = pi_c / L_c. O(n_classes n).
template <bool with_low>
void mix_classes(const Block& block, double* __restrict T_hi, double* __restrict T_lo) {
  for (int j = 0; j < block.n; ++j) T_hi[j] = T_lo[j] = 0;
  for (int k = 0; k < block.n_classes; ++k) {
    const double w_hi = block.constants[k].weight_hi, w_lo = block.constants[k].weight_lo;
    const double* __restrict x_hi = block.x_hi + k * block_terms;
    const double* __restrict x_lo = low_row(block, k);
    for (int j = 0; j < block.n; ++j) {
      const DoubleDouble wx = weighted<with_low>({x_hi[j], with_low ? x_lo[j] : 0.0}, w_hi, w_lo);
      const DoubleDouble T = two_sum(T_hi[j], wx.hi);
      T_hi[j] = T.hi, T_lo[j] += T.lo + wx.lo;
    }
  }
}

// The values of one class. O(n).
template <Measure measure, Variable variable, bool with_low>
void ordinary_class_values(const Block& block, int k, const double* __restrict T_hi, const double* __restrict T_lo,
                           double* __restrict margin, double* __restrict values) {
  const ClassConstants c = block.constants[k];
  const double lost = block.lost;
  const double* __restrict x_hi = block.x_hi + k * block_terms;
  const double* __restrict x_lo = low_row(block, k);
  const auto p_of = [&](int j) { return probability<with_low>({x_hi[j], with_low ? x_lo[j] : 0.0}, c); };
  if constexpr (measure == Measure::kl) {
    Divergents terms, complements;
    for (int j = 0; j < block.n; ++j) {
      const DoubleDouble p = p_of(j);
      const Difference from = ordinary_difference<variable>(p, {T_hi[j], T_lo[j]}, rest_inverse(c), lost);
      margin[j] = smaller(margin[j], smaller(from.margin, from.difference_margin));
      terms.set(j, p, from.q, from.d);
    }
    ordinary_terms(terms, block.n, values);
    if constexpr (variable == Variable::small_probability) {
      for (int j = 0; j < block.n; ++j)
        values[j] += ordinary_complement(terms.p_hi[j] + terms.q_hi[j], terms.d_hi[j]);
    } else if constexpr (variable == Variable::probability) {
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
      const Value v = ordinary_value<measure, variable>(p_of(j), {T_hi[j], T_lo[j]}, rest_inverse(c), lost);
      values[j] = v.value;
      margin[j] = smaller(margin[j], smaller(v.margin, v.difference_margin));
    }
  }
}

// Smoothed probabilities are above least_factor, and so is a q that is not lost beside them. Others may be below: then the
// margin is negative. O(n_classes n).
void check_factors(const Block& block, double* __restrict margin) {
  for (int k = 0; k < block.n_classes; ++k) {
    const double inverse = block.constants[k].inverse_hi;
    const double* __restrict x = block.x_hi + k * block_terms;
    for (int j = 0; j < block.n; ++j) {
      const double p = x[j] * inverse;
      margin[j] = smaller(margin[j], p > 0 ? p - least_factor : infinity);
    }
  }
}

template <Measure measure, Variable variable, bool with_low>
void ordinary_scores(const Block& block) {
  double T_hi[block_terms], T_lo[block_terms], margin[block_terms], low[block_terms], row[block_terms];
  mix_classes<with_low>(block, T_hi, T_lo);
  for (int j = 0; j < block.n; ++j) margin[j] = infinity;
  if constexpr (measure == Measure::nu_j && variable == Variable::small_probability)
    if (block.constants[0].empty == 0) check_factors(block, margin);
  if (block.scores != nullptr) begin_aggregate(block, low);
  for (int k = 0; k < block.n_classes; ++k) {
    double* values = block.class_scores == nullptr ? row : block.class_scores + k * block_terms;
    ordinary_class_values<measure, variable, with_low>(block, k, T_hi, T_lo, margin, values);
    if (block.scores != nullptr) aggregate_class(block, k, values, low);
  }
  if (block.scores != nullptr) end_aggregate(block, low);
  for (int j = 0; j < block.n; ++j) block.doubtful[j] = margin[j] > 0 ? 0 : 1;
}

template <Measure measure, Variable variable>
void ordinary_scores(const Block& block) {
  if (block.x_lo == nullptr) ordinary_scores<measure, variable, false>(block);
  else ordinary_scores<measure, variable, true>(block);
}

// ---- the classes that have a term, and those that lack it (pair_model.hpp has the equations) -----------------------------

void logarithms(const double* __restrict hi, const double* __restrict lo, int n, double* __restrict log_hi,
                double* __restrict log_lo) {
  for (int j = 0; j < n; ++j) {
    const DoubleDouble y = logarithm({hi[j], lo[j]});
    log_hi[j] = y.hi, log_lo[j] = y.lo;
  }
}

void log_plus_one(double* __restrict x, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) x[j] = log_plus_one(x[j]);
}

// What a class adds to U, P and A for counts l: n <= block_terms of them, a multiple of 8.
void class_parts(const PairConstants& class_, const double* __restrict l, int n, TermSums* parts) {
  const PairConstants c = class_;
  double hi[3][block_terms], lo[3][block_terms];
  for (int j = 0; j < n; ++j) {
    const DoubleDouble U = two_product(l[j], c.w_hi);
    const DoubleDouble P = two_product(l[j], c.p_hi);
    const double P_lo = P.lo + l[j] * c.p_lo;
    const DoubleDouble p_sum = two_sum(c.empty_p_hi, P.hi);
    const DoubleDouble p = quick_two_sum(p_sum.hi, p_sum.lo + (P_lo + c.empty_p_lo));
    const DoubleDouble log_x = logarithm(two_sum(l[j], c.b1));
    const DoubleDouble A =
        subtract(subtract(multiply(p, add(log_x, {c.kappa_hi, c.kappa_lo})), {c.empty_A_hi, c.empty_A_lo}),
                 multiply({l[j], 0.0}, {c.linear_hi, c.linear_lo}));
    hi[0][j] = U.hi, lo[0][j] = U.lo + l[j] * c.w_lo;
    hi[1][j] = P.hi, lo[1][j] = P_lo;
    hi[2][j] = A.hi, lo[2][j] = A.lo;
  }
  for (int j = 0; j < n; ++j) parts[j] = {{hi[0][j], hi[1][j], hi[2][j], 0}, {lo[0][j], lo[1][j], lo[2][j], 0}};
}

// Four sums at once: compilers take them one by one unless told, three times as slow.
using Four = double __attribute__((vector_size(32)));

TERMSIFT_INLINE void add_part(TermSums& sums, const TermSums& part) {
  Four a, b, sums_lo, part_lo;
  __builtin_memcpy(&a, sums.hi, sizeof a);
  __builtin_memcpy(&b, part.hi, sizeof b);
  __builtin_memcpy(&sums_lo, sums.lo, sizeof sums_lo);
  __builtin_memcpy(&part_lo, part.lo, sizeof part_lo);
  const Four s = a + b, bb = s - a;  // two_sum
  const Four lo = sums_lo + (((a - (s - bb)) + (b - bb)) + part_lo);
  __builtin_memcpy(sums.hi, &s, sizeof s);
  __builtin_memcpy(sums.lo, &lo, sizeof lo);
}

// What the pairs touch lies scattered, and is asked for this many pairs ahead.
constexpr int pairs_ahead = 32;

// l[j] = l_ic of the pair begin + j, n of them.
TERMSIFT_INLINE void load_counts(const PairRun& run, std::int64_t begin, int n, double* __restrict l) {
  if (run.narrow_l != nullptr)
    for (int j = 0; j < n; ++j) l[j] = as_double(run.narrow_l[begin + j]);
  else
    for (int j = 0; j < n; ++j) l[j] = run.l[begin + j];
}

TERMSIFT_INLINE int pairs_of_block(const PairRun& run, std::int64_t begin) {
  return static_cast<int>(run.n - begin < block_terms ? run.n - begin : block_terms);
}

// U alone, which is all that sums of whole values need. O(n).
void mix_totals(const PairRun& run) {
  const double w_hi = run.constants->w_hi, w_lo = run.constants->w_lo;
  double l[block_terms];
  for (std::int64_t begin = 0; begin < run.n; begin += block_terms) {
    const int n = pairs_of_block(run, begin);
    load_counts(run, begin, n, l);
    for (int j = 0; j < n; ++j) {
      if (begin + j + pairs_ahead < run.n) __builtin_prefetch(&run.sums[run.terms[begin + j + pairs_ahead] - run.first]);
      TermSums& sums = run.sums[run.terms[begin + j] - run.first];
      const DoubleDouble part = two_product(l[j], w_hi);
      const DoubleDouble sum = two_sum(sums.hi[TermSums::U], part.hi);
      sums.hi[TermSums::U] = sum.hi;
      sums.lo[TermSums::U] += sum.lo + (part.lo + l[j] * w_lo);
    }
  }
}

// Most counts are small: what they add is worked out beforehand. O(n).
void mix_pairs(const PairRun& run) {
  if (run.sum == PairSum::whole) return mix_totals(run);
  constexpr int most_parts = 256;
  TermSums* const sums = run.sums;
  const TermId* const terms = run.terms;
  const TermId first = run.first;
  TermSums parts[most_parts], other_parts[block_terms];
  double l[block_terms], other_l[block_terms];
  const auto n_parts = static_cast<int>(run.n / 8 < 8 ? 8 : run.n / 8 > most_parts ? most_parts : run.n / 64 * 8);
  for (int begin = 0; begin < n_parts; begin += block_terms) {
    const int n = n_parts - begin < block_terms ? n_parts - begin : block_terms;
    for (int j = 0; j < n; ++j) l[j] = begin + j;
    class_parts(*run.constants, l, n, parts + begin);
  }

  std::int64_t others[block_terms];
  int n_others = 0;
  const auto add_others = [&] {
    if (n_others == 0) return;
    for (int j = n_others; j % 8 != 0; ++j) other_l[j] = other_l[0];
    class_parts(*run.constants, other_l, (n_others + 7) / 8 * 8, other_parts);
    for (int j = 0; j < n_others; ++j) add_part(sums[terms[others[j]] - first], other_parts[j]);
    n_others = 0;
  };
  for (std::int64_t begin = 0; begin < run.n; begin += block_terms) {
    const int n = pairs_of_block(run, begin);
    load_counts(run, begin, n, l);
    for (int j = 0; j < n; ++j) {
      if (begin + j + pairs_ahead < run.n) __builtin_prefetch(&sums[terms[begin + j + pairs_ahead] - first]);
      const int at = l[j] < n_parts ? static_cast<int>(l[j]) : -1;
      if (at == l[j]) {
        add_part(sums[terms[begin + j] - first], parts[at]);
      } else {
        other_l[n_others] = l[j];
        others[n_others] = begin + j;
        if (++n_others == block_terms) add_others();
      }
    }
  }
  add_others();
}

// V of the pairs of one class less V of the class without the term, each in the precision of a double.
struct Coupling {
  double value;
  double margin;  // not positive: good for nothing
};

// -p log(1 - w x / T) + t(1-p, 1-q), the part of an empty class; of rates the first alone. T = T_0 + U.
// The series hold for p, q <= 2^-6 and for s <= 0.2.
template <Variable variable>
TERMSIFT_INLINE Coupling empty_coupling(const PairConstants& c, double U, double T) {
  const double Y = c.T_0_rest + U;  // T - w x
  const double s = c.empty_w / (T + Y);
  const double z = s * s;
  const double logarithm_part = 2.0 * c.empty_p * (s + s * (z * short_atanh_rest(z)));
  if constexpr (!has_complement(variable)) return {logarithm_part, 0.2 - s};
  const double q = c.r * Y;
  return {logarithm_part + ordinary_complement(c.empty_p + q, c.empty_p - q),
          smaller(ordinary_p - larger(c.empty_p, q), 0.2 - s)};
}

// The same of a class with l of the term's occurrences. The series hold for p, q <= 2^-6: q is a mixture of the other
// classes' p, each of which is checked here or, in a class without the term, above.
template <Variable variable>
TERMSIFT_INLINE Coupling coupling(const PairConstants& c, double l, double U_hi, double U_lo, double T, double lost) {
  const DoubleDouble wl = two_product(l, c.w_hi);
  const double Y = c.T_0_rest + ((U_hi - wl.hi) + (U_lo - (wl.lo + l * c.w_lo)));  // T - w x
  // log(T/Y) as in divergence_term; where T is near Y, their difference is w x.
  const unsigned long long biased = (bits(T) - bits(Y) + (1ull << 51) + (1024ull << 52)) >> 52;
  const double k = from_bits(biased | 0x4330000000000000ull) - (0x1p52 + 1024.0);
  const double a = T * from_bits((2047ull - biased) << 52);
  const double s = (biased == 1024 ? wl.hi + c.empty_w : a - Y) / (a + Y);
  const double z = s * s;
  const double log_ratio = log_of_power_plus(k, 2.0 * s + 2.0 * s * (z * short_atanh_rest(z)));
  const double p = c.empty_p + l * c.inverse, q = c.r * Y;
  if constexpr (!has_complement(variable)) return {p * log_ratio, Y - lost * T};
  return {p * log_ratio + ordinary_complement(p + q, p - q), smaller(ordinary_p - p, Y - lost * T)};
}

// The whole value with p = x / L, T given; l as above.
template <Measure measure, Variable variable>
TERMSIFT_INLINE Coupling whole_value(const ClassConstants& c, double l, DoubleDouble T, double lost) {
  const DoubleDouble x = two_sum(l * c.scale, c.empty);
  const Value v = ordinary_value<measure, variable>(probability(x, c), T, rest_inverse(c), lost);
  return {v.value, v.margin};
}

// Calls f.operator()<measure, variable, sum>().
template <class Run, class F>
TERMSIFT_INLINE void with_sum(const Run& run, const F& f) {
  with_measure(run.measure, run.variable, [&]<Measure measure, Variable variable>() {
    if constexpr (measure == Measure::kl && variable != Variable::probability)
      if (run.sum == PairSum::split) return f.template operator()<measure, variable, PairSum::split>();
    f.template operator()<measure, variable, PairSum::whole>();
  });
}

TERMSIFT_INLINE DoubleDouble whole_T(DoubleDouble T_0, double U_hi, double U_lo) {
  const DoubleDouble T = two_sum(T_0.hi, U_hi);
  return quick_two_sum(T.hi, T.lo + (T_0.lo + U_lo));
}

// In short loops, as the divergences above.
template <Measure measure, Variable variable, PairSum sum_of>
void score_pairs(const PairRun& run) {
  double U_hi[block_terms], U_lo[block_terms], l[block_terms], hi[block_terms], lo[block_terms], margin[block_terms];
  const PairConstants& c = *run.constants;
  const ClassConstants base = *c.base;
  const double lost = run.lost;
  const DoubleDouble T_0{run.totals->T_0_hi, run.totals->T_0_lo};
  TermValue* const values = run.values;
  const TermId first = run.first;
  for (std::int64_t begin = 0; begin < run.n; begin += block_terms) {
    const int n = pairs_of_block(run, begin);
    const int lanes = (n + 7) / 8 * 8;
    const TermId* const terms = run.terms + begin;
    load_counts(run, begin, n, l);
    for (int j = 0; j < n; ++j) {
      const TermValue& value = values[terms[j] - first];
      if (begin + j + pairs_ahead < run.n) __builtin_prefetch(&values[terms[j + pairs_ahead] - first]);
      U_hi[j] = value.U_hi, U_lo[j] = value.U_lo;
    }
    for (int j = n; j < lanes; ++j)  // lanes without a pair repeat the first
      U_hi[j] = U_hi[0], U_lo[j] = U_lo[0], l[j] = l[0];
    if constexpr (sum_of == PairSum::split) {
      for (int j = 0; j < lanes; ++j) {
        const Coupling with = coupling<variable>(c, l[j], U_hi[j], U_lo[j], T_0.hi + U_hi[j], lost);
        hi[j] = with.value, margin[j] = with.margin;
      }
      for (int j = 0; j < lanes; ++j) {
        const Coupling without = empty_coupling<variable>(c, U_hi[j], T_0.hi + U_hi[j]);
        hi[j] = c.omega * (hi[j] - without.value), lo[j] = 0;
        margin[j] = smaller(margin[j], without.margin);
      }
    } else {
      for (int j = 0; j < lanes; ++j) {
        const DoubleDouble T = whole_T(T_0, U_hi[j], U_lo[j]);
        const Coupling with = whole_value<measure, variable>(base, l[j], T, lost);
        const Coupling without = whole_value<measure, variable>(base, 0.0, T, lost);
        const DoubleDouble gain = two_sum(c.omega * with.value, -(c.omega * without.value));
        hi[j] = gain.hi, lo[j] = gain.lo;
        margin[j] = smaller(with.margin, without.margin);
      }
    }
    long long some_doubtful = 0;
    for (int j = 0; j < lanes; ++j) some_doubtful |= margin[j] > 0 ? 0 : 1;
    for (int j = 0; j < n; ++j) {
      TermValue& value = values[terms[j] - first];
      const DoubleDouble sum = two_sum(value.V_hi, hi[j]);
      value.V_hi = sum.hi;
      value.V_lo += sum.lo + lo[j];
    }
    if (some_doubtful != 0)
      for (int j = 0; j < n; ++j)
        if (!(margin[j] > 0)) run.doubtful[terms[j] - first] = 1;
  }
}

void score_pairs(const PairRun& run) {
  with_sum(run, [&]<Measure measure, Variable variable, PairSum sum>() { score_pairs<measure, variable, sum>(run); });
}

// O(n_classes n).
template <Measure measure, Variable variable, PairSum sum_of>
void score_empty(const EmptyRun& run) {
  double hi[block_terms], lo[block_terms], margin[block_terms], T_hi[block_terms], T_lo[block_terms];
  const DoubleDouble T_0{run.totals->T_0_hi, run.totals->T_0_lo};
  for (int j = 0; j < run.n; ++j) {
    const DoubleDouble T = whole_T(T_0, run.U_hi[j], run.U_lo[j]);
    T_hi[j] = T.hi, T_lo[j] = T.lo;
    hi[j] = lo[j] = 0, margin[j] = infinity;
  }
  const double lost = run.lost;
  for (int k = 0; k < run.n_classes; ++k) {
    const PairConstants c = run.constants[k];
    const ClassConstants base = *c.base;
    for (int j = 0; j < run.n; ++j) {
      Coupling v;
      if constexpr (sum_of == PairSum::split) v = empty_coupling<variable>(c, run.U_hi[j], T_hi[j]);
      else v = whole_value<measure, variable>(base, 0.0, {T_hi[j], T_lo[j]}, lost);
      const DoubleDouble sum = two_sum(hi[j], c.omega * v.value);
      hi[j] = sum.hi;
      lo[j] += sum.lo;
      margin[j] = smaller(margin[j], v.margin);
    }
  }
  for (int j = 0; j < run.n; ++j) {
    run.V_hi[j] = hi[j], run.V_lo[j] = lo[j];
    run.doubtful[j] = margin[j] > 0 ? 0 : 1;
  }
}

void score_empty(const EmptyRun& run) {
  with_sum(run, [&]<Measure measure, Variable variable, PairSum sum>() { score_empty<measure, variable, sum>(run); });
}

// Scores from sums. O(n).
void finish_terms(const TermRun& run) {
  double U_hi[block_terms], U_lo[block_terms], P_hi[block_terms], P_lo[block_terms], A_hi[block_terms], A_lo[block_terms],
      V[block_terms], margin[block_terms];
  const TermSums* const sums = run.sums;
  const TermValue* const values = run.values;
  if (run.sum == PairSum::whole) {
    for (int j = 0; j < run.n; ++j) {
      const DoubleDouble sum = two_sum(run.empty_hi[j], values[j].V_hi);
      run.scores[j] = sum.hi + (sum.lo + (run.empty_lo[j] + values[j].V_lo));
      // V of empty classes counts with its rounding errors also where most of it is taken away again.
      run.doubtful[j] = run.scores[j] >= 0.75 * run.empty_hi[j] ? 0 : 1;
    }
    return;
  }
  for (int j = 0; j < run.n; ++j) {
    U_hi[j] = values[j].U_hi, U_lo[j] = values[j].U_lo;
    P_hi[j] = sums[j].hi[TermSums::P], P_lo[j] = sums[j].lo[TermSums::P];
    A_hi[j] = sums[j].hi[TermSums::A], A_lo[j] = sums[j].lo[TermSums::A];
    V[j] = run.empty_hi[j] + (values[j].V_hi + (values[j].V_lo + run.empty_lo[j]));
  }
  const PairTotals totals = *run.totals;
  const DoubleDouble T_0{totals.T_0_hi, totals.T_0_lo}, P_0{totals.P_0_hi, totals.P_0_lo}, A_0{totals.A_0_hi, totals.A_0_lo},
      R{totals.R_hi, totals.R_lo};
  for (int j = 0; j < run.n; ++j) {
    const DoubleDouble T = add(T_0, {U_hi[j], U_lo[j]});
    const DoubleDouble P = add(P_0, quick_two_sum(P_hi[j], P_lo[j]));
    const DoubleDouble A = add(A_0, quick_two_sum(A_hi[j], A_lo[j]));
    const DoubleDouble rest = add(subtract(A, multiply(P, logarithm(T))), multiply(R, T));
    const double score = rest.hi + (rest.lo + V[j]);
    run.scores[j] = score;
    // The errors of V must be no more to the score than its own rounding, those of the rest nothing.
    margin[j] = smaller(score - magnitude(V[j]), score - 0x1p-12 * (P.hi + R.hi * T.hi));
  }
  for (int j = 0; j < run.n; ++j) run.doubtful[j] = margin[j] >= 0 ? 0 : 1;
}

// ---- the careful way ----------------------------------------------------------------------------------------------------

// What all classes together know of each term of the block.
struct Pool {
  double reference_x_hi[block_terms], reference_x_lo[block_terms];  // x_ir
  double mean_hi[block_terms], mean_lo[block_terms];  // sum_k pi_k (p_ik - p_ir)
  double spread[block_terms];                         // sum_k pi_k |p_ik - p_ir|
  // The largest pi_k p_ik and the sum of the others (double-double): q of the class that has the largest is a sum without
  // it, never the difference of two nearly equal numbers.
  double top[block_terms], rest_hi[block_terms], rest_lo[block_terms];
  double largest_p[block_terms];
};

TERMSIFT_INLINE void add_to_rest(double w, double& top, double& rest_hi, double& rest_lo) {
  const double smaller = w > top ? top : w;
  top = larger(w, top);
  const DoubleDouble rest = two_sum(rest_hi, smaller);
  rest_hi = rest.hi;
  rest_lo += rest.lo;
}

// (1 - pi) q of a class whose own weight is w.
TERMSIFT_INLINE double all_but(double w, double top, double rest_hi, double rest_lo) {
  const double without_top = rest_hi + rest_lo;
  const double without_w = ((rest_hi - w) + top) + rest_lo;
  return w == top ? without_top : without_w;
}

// q = p - d to twice the digits, from its sum to one. Where q is so much smaller than p that the difference holds less of
// it than the sum does, the sum is all.
TERMSIFT_INLINE DoubleDouble refine(double q, DoubleDouble p, DoubleDouble d) {
  const DoubleDouble difference = two_sum(p.hi, -d.hi);
  const double correction = (difference.hi - q) + (difference.lo + (p.lo - d.lo));
  return quick_two_sum(q, magnitude(correction) <= 0x1p-50 * q ? correction : 0.0);
}

TERMSIFT_INLINE DoubleDouble inverse(const ClassConstants& c) { return {c.inverse_hi, c.inverse_lo}; }
TERMSIFT_INLINE DoubleDouble total(const ClassConstants& c) { return {c.total_hi, c.total_lo}; }
TERMSIFT_INLINE DoubleDouble prior(const ClassConstants& c) { return {c.prior_hi, c.prior_lo}; }

// x L_r - x_r L_c. It is exact where no number has a low part, as of integers with Laplace's smoothing. Products of low
// parts are rounded, and a difference within their rounding is 0: so equal probabilities always differ by exactly 0.
TERMSIFT_INLINE DoubleDouble cross_difference(DoubleDouble x, DoubleDouble L_r, DoubleDouble x_r, DoubleDouble L) {
  const DoubleDouble ours = multiply(x, L_r), theirs = multiply(x_r, L), d = subtract(ours, theirs);
  const double low_products = (magnitude(x.hi * L_r.lo) + magnitude(x.lo * L_r.hi)) +
                              (magnitude(x_r.hi * L.lo) + magnitude(x_r.lo * L.hi));
  const double rounding = 0x1p-50 * (low_products + (magnitude(ours.lo) + magnitude(theirs.lo)));
  const bool none = low_products > 0 && magnitude(d.hi) <= rounding;
  return {none ? 0.0 : d.hi, none ? 0.0 : d.lo};
}

// First pass over the classes: p_ic - p_ir, and the sums over classes.
void pool_classes(const CarefulBlock& block, Pool& pool) {
  const ClassConstants& r = block.constants[block.reference];
  for (int j = 0; j < block.n; ++j) {
    pool.reference_x_hi[j] = block.x_hi[block.reference * block_terms + j];
    pool.reference_x_lo[j] = block.x_lo[block.reference * block_terms + j];
    pool.mean_hi[j] = pool.mean_lo[j] = pool.spread[j] = 0;
    pool.top[j] = pool.rest_hi[j] = pool.rest_lo[j] = pool.largest_p[j] = 0;
  }
  for (int k = 0; k < block.n_classes; ++k) {
    const ClassConstants c = block.constants[k];
    const double* x_hi = block.x_hi + k * block_terms;
    const double* x_lo = low_row(block, k);
    double* e_hi = block.e_hi + k * block_terms;
    double* e_lo = block.e_lo + k * block_terms;
    for (int j = 0; j < block.n; ++j) {
      const DoubleDouble x{x_hi[j], x_lo[j]}, x_r{pool.reference_x_hi[j], pool.reference_x_lo[j]};
      const DoubleDouble e = multiply(cross_difference(x, total(r), x_r, total(c)), {c.difference_hi, c.difference_lo});
      e_hi[j] = e.hi, e_lo[j] = e.lo;
      const DoubleDouble mean = add({pool.mean_hi[j], pool.mean_lo[j]}, multiply(prior(c), e));
      pool.mean_hi[j] = mean.hi, pool.mean_lo[j] = mean.lo;
      pool.spread[j] += c.prior_hi * magnitude(e.hi);
      const double p = multiply(x, inverse(c)).hi;
      add_to_rest(c.prior_hi * p, pool.top[j], pool.rest_hi[j], pool.rest_lo[j]);
      pool.largest_p[j] = larger(pool.largest_p[j], p);
    }
  }
}

TERMSIFT_INLINE DoubleDouble difference_from_rest(DoubleDouble e, DoubleDouble mean, double spread,
                                                  const ClassConstants& c) {
  const DoubleDouble difference = subtract(e, mean);
  const DoubleDouble d = multiply(difference, rest_inverse(c));
  const bool none = magnitude(difference.hi) <= nothing * (magnitude(e.hi) + spread);
  return {none ? 0.0 : d.hi, none ? 0.0 : d.lo};
}

// Second pass, one class: its values for the block, where the term is ordinary.
template <Measure measure, bool with_complement>
void class_values(const CarefulBlock& block, const Pool& pool, int k, double* values) {
  const ClassConstants c = block.constants[k];
  const double* x_hi = block.x_hi + k * block_terms;
  const double* x_lo = low_row(block, k);
  const double* e_hi = block.e_hi + k * block_terms;
  const double* e_lo = block.e_lo + k * block_terms;
  for (int j = 0; j < block.n; ++j) {
    const DoubleDouble d = difference_from_rest({e_hi[j], e_lo[j]}, {pool.mean_hi[j], pool.mean_lo[j]}, pool.spread[j], c);
    const DoubleDouble p = multiply({x_hi[j], x_lo[j]}, inverse(c));
    const double q_sum = all_but(c.prior_hi * p.hi, pool.top[j], pool.rest_hi[j], pool.rest_lo[j]) * c.rest_inverse_hi;
    const DoubleDouble q = refine(q_sum, p, d);
    if constexpr (measure == Measure::direction) {
      values[j] = sign(d.hi);
    } else if constexpr (measure == Measure::kl) {
      const double term = divergence_term(p, q, d);
      values[j] = with_complement ? term + complement_term(p.hi, q.hi, d.hi) : term;
    } else if constexpr (!with_complement) {
      const double of_q = squared_over_rate(d, q);
      values[j] = measure == Measure::nu_j ? 0.5 * (of_q + squared_over_rate(d, p)) : of_q;
    } else if constexpr (measure == Measure::nu_j) {
      values[j] = 0.5 * (squared_over_variance(d, q, 1.0 - q.hi) + squared_over_variance(d, p, 1.0 - p.hi));
    } else {
      values[j] = squared_over_variance(d, q, 1.0 - q.hi);
    }
  }
}

// The same for common terms, of which some class has p > 2^-6: 1-p and 1-q by sums of their own, like p and q. For the lanes
// [begin, end), a multiple of 8 of them; only those of common terms are stored.
template <Measure measure>
void common_class_values(const CarefulBlock& block, const Pool& pool, int begin, int end) {
  double top[block_terms], rest_hi[block_terms], rest_lo[block_terms];  // as in Pool, of 1-p
  const auto complement = [&](const ClassConstants& c, int at) {
    return multiply(subtract(total(c), {block.x_hi[at], block.x_lo[at]}), inverse(c));
  };
  for (int j = begin; j < end; ++j) top[j] = rest_hi[j] = rest_lo[j] = 0;
  for (int k = 0; k < block.n_classes; ++k) {
    const ClassConstants c = block.constants[k];
    for (int j = begin; j < end; ++j)
      add_to_rest(c.prior_hi * complement(c, k * block_terms + j).hi, top[j], rest_hi[j], rest_lo[j]);
  }
  for (int k = 0; k < block.n_classes; ++k) {
    const ClassConstants c = block.constants[k];
    double* values = block.class_scores + k * block_terms;
    for (int j = begin; j < end; ++j) {
      const int at = k * block_terms + j;
      const DoubleDouble d = difference_from_rest({block.e_hi[at], block.e_lo[at]}, {pool.mean_hi[j], pool.mean_lo[j]},
                                                  pool.spread[j], c);
      const DoubleDouble p = multiply({block.x_hi[at], block.x_lo[at]}, inverse(c));
      const DoubleDouble P = complement(c, at);
      const double q_sum = all_but(c.prior_hi * p.hi, pool.top[j], pool.rest_hi[j], pool.rest_lo[j]) * c.rest_inverse_hi;
      const double Q_sum = all_but(c.prior_hi * P.hi, top[j], rest_hi[j], rest_lo[j]) * c.rest_inverse_hi;
      const DoubleDouble q = refine(q_sum, p, d), Q = refine(Q_sum, P, negate(d));
      double value;
      if constexpr (measure == Measure::kl)
        value = divergence_term(p, q, d) + divergence_term(P, Q, negate(d));
      else if constexpr (measure == Measure::nu_j)
        value = 0.5 * (squared_over_variance(d, q, Q.hi) + squared_over_variance(d, p, P.hi));
      else
        value = squared_over_variance(d, q, Q.hi);
      values[j] = pool.largest_p[j] > ordinary_p ? value : values[j];
    }
  }
}

void score_common_terms(const CarefulBlock& block, const Pool& pool) {
  const auto some_common = [&](int begin) {
    bool common = false;
    for (int j = begin; j < begin + 8; ++j) common |= pool.largest_p[j] > ordinary_p;
    return common;
  };
  for (int begin = 0, end = 0; begin < block.n; begin = end + 8) {
    for (end = begin; end < block.n && some_common(end); end += 8) {
    }
    if (end == begin) continue;
    with_measure(block.measure, block.variable, [&]<Measure measure, Variable variable>() {
      if constexpr (measure != Measure::direction && has_complement(variable))
        common_class_values<measure>(block, pool, begin, end);
    });
  }
}

void score_block(const Block& block) {
  with_measure(block.measure, block.variable,
               [&]<Measure measure, Variable variable>() { ordinary_scores<measure, variable>(block); });
}

void score_block_carefully(const CarefulBlock& block) {
  Pool pool;
  pool_classes(block, pool);
  for (int k = 0; k < block.n_classes; ++k) {
    double* values = block.class_scores + k * block_terms;
    with_measure(block.measure, block.variable, [&]<Measure measure, Variable variable>() {
      class_values<measure, has_complement(variable)>(block, pool, k, values);
    });
  }
  // Chosen by the term's own counts, never by its block's, so that equal columns have equal scores wherever they stand.
  if (block.measure != Measure::direction && has_complement(block.variable)) score_common_terms(block, pool);
  if (block.scores == nullptr) return;
  double low[block_terms];
  begin_aggregate(block, low);
  for (int k = 0; k < block.n_classes; ++k) aggregate_class(block, k, block.class_scores + k * block_terms, low);
  end_aggregate(block, low);
}

}  // namespace

extern constexpr Kernels kernels{numerators, score_block, score_block_carefully, logarithms,  log_plus_one,
                                 mix_pairs,  score_pairs, score_empty,           finish_terms};

}  // namespace termsift::simd::TERMSIFT_TARGET_NAMESPACE

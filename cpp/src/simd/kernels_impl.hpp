// The scoring kernels, without a logarithm of the C library, a branch in a loop over terms, or a difference that loses
// digits. Included by one source file for each SIMD target, which sets TERMSIFT_TARGET_NAMESPACE; plain loops that the
// compiler vectorises for that target. Every operation is an IEEE addition, multiplication or division in a fixed order,
// so that all targets give the same bits.
//
// Nothing here may use an inline function or template from outside the target's namespace: the linker keeps one copy of
// such a function for the whole program, and it might be this one, with instructions that the machine lacks.
//
// Precision. With p and q known to about 106 bits and their difference likewise, the term
//     t(p, q) = p log(p/q) - p + q = q h((p-q)/q),  h(x) = (1+x) log(1+x) - x,  t >= 0,
// of the divergence KL = t(p, q) + t(1-p, 1-q) is evaluated in two ways, with s = (p-q)/(p+q), log(p/q) = 2 atanh(s):
//     p/q in [1/2, 2]:  t = (p-q) s [1 + (1+s) s R(s^2)], where atanh(s) = s + s^3 R(s^2): products of accurate factors;
//     otherwise:        t = p log(p/q) - (p-q) in double-double, since the difference magnifies rounding up to 10 times.
// Either is rounded about once.
#pragma once

#include "kernels.hpp"
#include "termsift/double_double.hpp"

namespace termsift::simd::TERMSIFT_TARGET_NAMESPACE {
namespace {

constexpr double infinity = __builtin_huge_val();

// Probabilities below this count as it where they are divided by or their logarithm is taken: the exponent arithmetic of
// divergence_term needs normal numbers and a quotient below 2^1023. Smoothed probabilities are larger (class_model.cpp
// refuses less than 2^-450); unsmoothed float counts that far apart may underflow, to 0 or infinity but never NaN.
constexpr double least_probability = 0x1p-960;

// Up to this p, a term is ordinary: the complements are near 1 and need neither sums of their own nor logarithms.
constexpr double ordinary_p = 0x1p-6;

// Differences that small against the spread of the class probabilities are rounding of double-doubles, or exact zeros.
constexpr double nothing = 0x1p-92;

TERMSIFT_INLINE unsigned long long bits(double x) {
  unsigned long long u;
  __builtin_memcpy(&u, &x, sizeof u);
  return u;
}
TERMSIFT_INLINE double from_bits(unsigned long long u) {
  double x;
  __builtin_memcpy(&x, &u, sizeof x);
  return x;
}
TERMSIFT_INLINE double magnitude(double x) { return __builtin_fabs(x); }
TERMSIFT_INLINE double larger(double a, double b) { return a > b ? a : b; }
TERMSIFT_INLINE double smaller(double a, double b) { return a < b ? a : b; }

// log 2 = ln2_hi + ln2_lo; ln2_hi has 42 bits, so that k ln2_hi is exact.
constexpr double ln2_hi = 0x1.62e42fefa3800p-1, ln2_lo = 0x1.ef35793c76730p-45;

// R(z) = (atanh(s)/s - 1)/z for z = s^2 in [0, 1/9]: the Chebyshev interpolant of degree 10 (error 1.2e-18) computed with
// mpmath.chebyfit at 60 digits.
// In Estrin's order: Horner's chain of twenty operations would be most of the time a value takes.
TERMSIFT_INLINE double atanh_rest(double z) {
  const double z2 = z * z, z4 = z2 * z2;
  const double r0 = 0.3333333333333333 + 0.19999999999999762 * z;
  const double r2 = 0.1428571428580005 + 0.11111111099118386 * z;
  const double r4 = 0.09090909948981357 + 0.07692271982430275 * z;
  const double r6 = 0.06667589315724629 + 0.05867139530651599 * z;
  const double r8 = 0.05422589197440007 + (0.03746071897775383 + 0.07815288900461426 * z) * z;
  return (r0 + r2 * z2) + z4 * ((r4 + r6 * z2) + r8 * z4);
}

// log(2^k (1+s)/(1-s)) in one double, with z_sR = s^3 R(s^2).
TERMSIFT_INLINE double log_of(double k, double s, double z_sR) { return k * ln2_hi + (2.0 * (s + z_sR) + k * ln2_lo); }

// a / b for b >= least_probability, with one division; relative error about 2^-100.
TERMSIFT_INLINE DoubleDouble quotient(DoubleDouble a, DoubleDouble b) {
  const double inverse = 1.0 / b.hi;
  const double q = a.hi * inverse;
  const DoubleDouble product = two_product(q, b.hi);
  return {q, (((a.hi - product.hi) - product.lo) + (a.lo - q * b.lo)) * inverse};
}

// a * b * (1 + g), rounded once or so; |g| < 1/4 or so, since its own rounding counts as far as it is not small against 1.
TERMSIFT_INLINE double product(DoubleDouble a, DoubleDouble b, double g) {
  const DoubleDouble p = two_product(a.hi, b.hi);
  return p.hi + (p.hi * g + (p.lo + (a.hi * b.lo + a.lo * b.hi)));
}

// t(p, q) = p log(p/q) - p + q, given d = p - q. p, q >= 0; 0 log 0 = 0, and infinite for p > q = 0.
TERMSIFT_INLINE double divergence_term(DoubleDouble p, DoubleDouble q, DoubleDouble d) {
  DoubleDouble sum = two_sum(p.hi, q.hi);
  sum.lo += p.lo + q.lo;
  const bool near = 3 * magnitude(d.hi) <= sum.hi;

  // k = log2(p/q) to the nearest integer or so, from the exponents and leading bits; a = p / 2^k is within 1.5 of q.
  const double p_log = larger(p.hi, least_probability), q_log = larger(q.hi, least_probability);
  const unsigned long long biased = (bits(p_log) - bits(q_log) + (1ull << 51) + (1024ull << 52)) >> 52;  // k + 1024
  const double k = from_bits(biased | 0x4330000000000000ull) - (0x1p52 + 1024.0);
  const double down = from_bits((2047ull - biased) << 52);  // 2^-k
  const double a = p_log * down;

  // s = (p - q) / (p + q), or (a - q) / (a + q)
  const DoubleDouble numerator{near ? d.hi : (a - q_log) + (p.lo * down - q.lo), near ? d.lo : 0.0};
  const DoubleDouble denominator{near ? larger(sum.hi, least_probability) : a + q_log, near ? sum.lo : 0.0};
  const DoubleDouble s_both = quotient(numerator, denominator);
  const double s = s_both.hi;
  const double z = s * s;
  const double R = atanh_rest(z);

  const double t_near = product(d, s_both, (1.0 + s) * s * R);

  DoubleDouble log_ratio = two_sum(k * ln2_hi, 2.0 * s + 2.0 * s * z * R);
  log_ratio.lo += k * ln2_lo;
  const DoubleDouble p_log_ratio = two_product(p.hi, log_ratio.hi);
  const DoubleDouble t = two_sum(p_log_ratio.hi, -d.hi);
  const double t_far = t.hi + (t.lo + p_log_ratio.lo + (p.hi * log_ratio.lo + p.lo * log_ratio.hi - d.lo));

  const double finite = near ? t_near : t_far;
  const double result = q.hi > 0 ? finite : infinity;
  return d.hi == 0 ? 0.0 : result;
}

// t(1-p, 1-q) for p, q <= 2^-6, where s = (q-p)/(2-p-q) is below 2^-6 and three terms of R suffice; d = p - q.
TERMSIFT_INLINE double complement_term(double p, double q, double d) {
  const double s = -d / (2.0 - p - q);
  const double z = s * s;
  const double R = 1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7));
  return -d * s * (1.0 + (1.0 + s) * s * R);
}

// The same for p, q <= 2^-6 without a division, good to 2^-48: beside t(p, q), at least 2^6 times larger, that is enough.
TERMSIFT_INLINE double ordinary_complement(double p_plus_q, double d) {
  const double m = 0.5 * p_plus_q, m2 = m * m;
  const double s = -0.5 * d * ((1.0 + m) * (1.0 + m2) * (1.0 + m2 * m2));  // 1 / (1 - m)
  const double z = s * s;
  const double R = 1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7));
  return -d * s * (1.0 + (s + z) * R);
}

// t(p, q) + t(1-p, 1-q) for 0 <= p, q <= 2^-6, where q > 0 is no more than 2^60 times smaller than p; d = p - q.
TERMSIFT_INLINE double ordinary_divergence(DoubleDouble p, DoubleDouble q, DoubleDouble d) {
  const double sum = p.hi + q.hi;
  const bool near = 3 * magnitude(d.hi) <= sum;

  // As in divergence_term.
  const double p_log = larger(p.hi, least_probability);
  const unsigned long long biased = (bits(p_log) - bits(q.hi) + (1ull << 51) + (1024ull << 52)) >> 52;
  const double k = from_bits(biased | 0x4330000000000000ull) - (0x1p52 + 1024.0);
  const double down = from_bits((2047ull - biased) << 52);
  const double a = p_log * down;
  const double s = (near ? d.hi : (a - q.hi) + (p.lo * down - q.lo)) / (near ? sum : a + q.hi);
  const double z = s * s;
  const double sR = s * atanh_rest(z);

  // d s [1 + (1+s) s R], where d.lo counts twice: in d and in s
  const double t_near = d.hi * s + s * (d.hi * (sR + s * sR) + 2.0 * d.lo);

  const double r = 2.0 * s;
  const DoubleDouble log_ratio = quick_two_sum(k * ln2_hi, r + r * (s * sR));
  const DoubleDouble p_log_ratio = two_product(p.hi, log_ratio.hi);
  const double t_far =
      (p_log_ratio.hi - d.hi) +
      (p_log_ratio.lo + (p.hi * (log_ratio.lo + k * ln2_lo) + (p.lo * log_ratio.hi - d.lo)));
  return (near ? t_near : t_far) + ordinary_complement(sum, d.hi);
}

// d^2 / (r (1-r)), 0/0 = 0; r and its complement given.
TERMSIFT_INLINE double squared_over_variance(DoubleDouble d, DoubleDouble r, double complement) {
  const DoubleDouble variance = multiply(r, {complement, 0.0});
  const DoubleDouble usable{larger(variance.hi, least_probability), variance.lo};
  const double value = product(d, quotient(d, usable), 0.0);
  const double result = variance.hi > 0 ? value : infinity;
  return d.hi == 0 ? 0.0 : result;
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
void numerators(const std::uint32_t* __restrict l, int n, double scale, double scaled_b1, double* __restrict x) {
  for (int j = 0; j < n; ++j) x[j] = (from_bits(0x4330000000000000ull | l[j]) - 0x1p52) * scale + scaled_b1;
}

// ---- the ordinary way ---------------------------------------------------------------------------------------------------

struct Value {
  double value;
  double margin;             // not positive: the careful way must score the term;
  double difference_margin;  // here too, unless other values dwarf this one
};

// The value of one class with p = p_ic, given T = sum_k pi_k p_k, as in
//     d = p - q = (p - T) / (1 - pi),  q = p - d,
// each to about 2^-100 of p. The margin says whether d or q is too small beside p for that, or p too large for the short
// series of the complements.
template <Measure measure>
TERMSIFT_INLINE Value ordinary_value(DoubleDouble p, DoubleDouble T, DoubleDouble rest_inverse, double lost) {
  const DoubleDouble difference = two_sum(p.hi, -T.hi);
  const double difference_lo = difference.lo + (p.lo - T.lo);
  const DoubleDouble scaled = two_product(difference.hi, rest_inverse.hi);
  const DoubleDouble d =
      quick_two_sum(scaled.hi, scaled.lo + (difference.hi * rest_inverse.lo + difference_lo * rest_inverse.hi));
  const DoubleDouble q_sum = two_sum(p.hi, -d.hi);
  const DoubleDouble q = quick_two_sum(q_sum.hi, q_sum.lo + (p.lo - d.lo));
  const double margin = smaller(q.hi - lost * p.hi, ordinary_p - p.hi);
  const double difference_margin = magnitude(difference.hi) - lost * p.hi;

  if constexpr (measure == Measure::kl) {
    return {ordinary_divergence(p, q, d), margin, difference_margin};
  } else if constexpr (measure == Measure::nu_j) {
    // One division for both terms: d^2 [p(1-p) + q(1-q)] / (2 p(1-p) q(1-q)).
    const double p_variance = p.hi + (p.lo - p.hi * p.hi), q_variance = q.hi + (q.lo - q.hi * q.hi);
    const double s = (p_variance + q_variance) * (0.5 * d.hi) / (p_variance * q_variance);
    const double value = d.hi * s + 2.0 * (d.lo * s);
    return {p.hi > 0 ? value : infinity, margin, difference_margin};
  } else {
    const double s = d.hi / (q.hi + (q.lo - q.hi * q.hi));
    return {d.hi * s + 2.0 * (d.lo * s), margin, difference_margin};
  }
}

TERMSIFT_INLINE DoubleDouble probability(double x_hi, double x_lo, const ClassConstants& c) {
  const DoubleDouble p = two_product(x_hi, c.inverse_hi);
  return {p.hi, p.lo + (x_hi * c.inverse_lo + x_lo * c.inverse_hi)};
}

// sum + w x
TERMSIFT_INLINE DoubleDouble add_product(DoubleDouble sum, double w_hi, double w_lo, double x_hi, double x_lo) {
  const DoubleDouble wx = two_product(x_hi, w_hi);
  const DoubleDouble s = two_sum(sum.hi, wx.hi);
  return {s.hi, sum.lo + (s.lo + (wx.lo + (x_hi * w_lo + x_lo * w_hi)))};
}

// T = sum_c w_c x_ic, w_c = pi_c / L_c. O(n_classes n).
template <bool with_low>
void mix_classes(const Block& block, double* __restrict T_hi, double* __restrict T_lo) {
  for (int j = 0; j < block.n; ++j) T_hi[j] = T_lo[j] = 0;
  for (int k = 0; k < block.n_classes; ++k) {
    const double w_hi = block.constants[k].weight_hi, w_lo = block.constants[k].weight_lo;
    const double* __restrict x_hi = block.x_hi + k * block_terms;
    const double* __restrict x_lo = block.x_lo + k * block_terms;
    for (int j = 0; j < block.n; ++j) {
      const DoubleDouble T = add_product({T_hi[j], T_lo[j]}, w_hi, w_lo, x_hi[j], with_low ? x_lo[j] : 0.0);
      T_hi[j] = T.hi, T_lo[j] = T.lo;
    }
  }
}

// The values of one class. O(n).
template <Measure measure, bool with_low>
void ordinary_class_values(const Block& block, int k, const double* __restrict T_hi, const double* __restrict T_lo,
                           double* __restrict margin, double* __restrict values) {
  const ClassConstants c = block.constants[k];
  const double lost = block.lost;
  const double* __restrict x_hi = block.x_hi + k * block_terms;
  const double* __restrict x_lo = block.x_lo + k * block_terms;
  for (int j = 0; j < block.n; ++j) {
    const DoubleDouble p = probability(x_hi[j], with_low ? x_lo[j] : 0.0, c);
    const Value v = ordinary_value<measure>(p, {T_hi[j], T_lo[j]}, rest_inverse(c), lost);
    values[j] = v.value;
    margin[j] = smaller(margin[j], smaller(v.margin, v.difference_margin));
  }
}

template <Measure measure, bool with_low>
void ordinary_scores(const Block& block) {
  double T_hi[block_terms], T_lo[block_terms], margin[block_terms], low[block_terms], row[block_terms];
  mix_classes<with_low>(block, T_hi, T_lo);
  for (int j = 0; j < block.n; ++j) margin[j] = infinity;
  if (block.scores != nullptr) begin_aggregate(block, low);
  for (int k = 0; k < block.n_classes; ++k) {
    double* values = block.class_scores == nullptr ? row : block.class_scores + k * block_terms;
    ordinary_class_values<measure, with_low>(block, k, T_hi, T_lo, margin, values);
    if (block.scores != nullptr) aggregate_class(block, k, values, low);
  }
  if (block.scores != nullptr) end_aggregate(block, low);
  for (int j = 0; j < block.n; ++j) block.doubtful[j] = margin[j] > 0 ? 0 : 1;
}

template <Measure measure>
void ordinary_scores(const Block& block) {
  if (block.x_lo == nullptr) ordinary_scores<measure, false>(block);
  else ordinary_scores<measure, true>(block);
}

// ---- the classes that have a term, and those that lack it ----------------------------------------------------------------

// Scalar: what a pair touches lies scattered. O(n).
void mix_pairs(const PairRun& run) {
  const double w_hi = run.constants->weight_hi, w_lo = run.constants->weight_lo;
  for (int j = 0; j < run.n; ++j) {
    TermSums& term = run.terms[run.places[j]];
    const DoubleDouble T = add_product({term.T_hi, term.T_lo}, w_hi, w_lo, run.l[j], 0.0);
    term.T_hi = T.hi, term.T_lo = T.lo;
  }
}

// A difference p - T that lost its digits is no matter here: its square is beside the values of all other classes.
template <Measure measure>
void score_pairs(const PairRun& run) {
  double T_hi[block_terms], T_lo[block_terms], l[block_terms], hi[block_terms], lo[block_terms], margin[block_terms];
  const int n = (run.n + 7) / 8 * 8;
  for (int j = 0; j < n; ++j) {  // lanes without a pair repeat the first
    const int from = j < run.n ? j : 0;
    const TermSums& term = run.terms[run.places[from]];
    T_hi[j] = term.T_hi, T_lo[j] = term.T_lo, l[j] = run.l[from];
  }
  const ClassConstants c = *run.constants;
  const double weight = run.weight, lost = run.lost;
  for (int j = 0; j < n; ++j) {
    const DoubleDouble x = two_sum(l[j], c.empty);
    const Value with = ordinary_value<measure>(probability(x.hi, x.lo, c), {T_hi[j], T_lo[j]}, rest_inverse(c), lost);
    hi[j] = with.value;
    margin[j] = with.margin;
  }
  const DoubleDouble p = probability(c.empty, 0.0, c);
  for (int j = 0; j < n; ++j) {
    const Value without = ordinary_value<measure>(p, {T_hi[j], T_lo[j]}, rest_inverse(c), lost);
    const DoubleDouble gain = two_sum(weight * hi[j], -(weight * without.value));
    hi[j] = gain.hi, lo[j] = gain.lo;
    margin[j] = smaller(margin[j], without.margin);
  }
  for (int j = 0; j < run.n; ++j) {
    TermSums& term = run.terms[run.places[j]];
    const DoubleDouble sum = two_sum(term.score_hi, hi[j]);
    term.score_hi = sum.hi;
    term.score_lo += sum.lo + lo[j];
    if (!(margin[j] > 0)) run.doubtful[run.places[j]] = 1;
  }
}

void score_pairs(const PairRun& run) {
  switch (run.measure) {
    case Measure::kl: score_pairs<Measure::kl>(run); break;
    case Measure::nu_j: score_pairs<Measure::nu_j>(run); break;
    case Measure::nu_pearson: score_pairs<Measure::nu_pearson>(run); break;
  }
}

// O(n_classes n).
template <Measure measure>
void score_empty(const EmptyRun& run) {
  double hi[block_terms], lo[block_terms], margin[block_terms];
  for (int j = 0; j < run.n; ++j) hi[j] = lo[j] = 0, margin[j] = infinity;
  const double lost = run.lost;
  for (int k = 0; k < run.n_classes; ++k) {
    const ClassConstants c = run.constants[k];
    const double weight = run.aggregate == Aggregate::mean ? c.prior_hi : 1.0;
    const DoubleDouble p = probability(c.empty, 0.0, c);
    for (int j = 0; j < run.n; ++j) {
      const Value v = ordinary_value<measure>(p, {run.T_hi[j], run.T_lo[j]}, rest_inverse(c), lost);
      const DoubleDouble sum = two_sum(hi[j], weight * v.value);
      hi[j] = sum.hi;
      lo[j] += sum.lo;
      margin[j] = smaller(margin[j], v.margin);
    }
  }
  for (int j = 0; j < run.n; ++j) {
    run.score_hi[j] = hi[j], run.score_lo[j] = lo[j];
    run.doubtful[j] = margin[j] > 0 ? 0 : 1;
  }
}

void score_empty(const EmptyRun& run) {
  switch (run.measure) {
    case Measure::kl: score_empty<Measure::kl>(run); break;
    case Measure::nu_j: score_empty<Measure::nu_j>(run); break;
    case Measure::nu_pearson: score_empty<Measure::nu_pearson>(run); break;
  }
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

// First pass over the classes: p_ic - p_ir, from x_ic L_r - x_ir L_c, which is exact for integers, and the sums over
// classes. Equal probabilities differ by exactly 0.
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
    const double* x_lo = block.x_lo + k * block_terms;
    double* e_hi = block.e_hi + k * block_terms;
    double* e_lo = block.e_lo + k * block_terms;
    for (int j = 0; j < block.n; ++j) {
      const DoubleDouble x{x_hi[j], x_lo[j]}, x_r{pool.reference_x_hi[j], pool.reference_x_lo[j]};
      const DoubleDouble e = multiply(subtract(multiply(x, total(r)), multiply(x_r, total(c))),
                                      {c.difference_hi, c.difference_lo});
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
  const DoubleDouble d = multiply(subtract(e, mean), rest_inverse(c));
  const bool none = magnitude(e.hi - mean.hi) <= nothing * (magnitude(e.hi) + spread);
  return {none ? 0.0 : d.hi, none ? 0.0 : d.lo};
}

// Second pass, one class: its values for the block, where the term is ordinary.
template <Measure measure>
void class_values(const CarefulBlock& block, const Pool& pool, int k, double* values) {
  const ClassConstants c = block.constants[k];
  const double* x_hi = block.x_hi + k * block_terms;
  const double* x_lo = block.x_lo + k * block_terms;
  const double* e_hi = block.e_hi + k * block_terms;
  const double* e_lo = block.e_lo + k * block_terms;
  for (int j = 0; j < block.n; ++j) {
    const DoubleDouble d = difference_from_rest({e_hi[j], e_lo[j]}, {pool.mean_hi[j], pool.mean_lo[j]}, pool.spread[j], c);
    const DoubleDouble p = multiply({x_hi[j], x_lo[j]}, inverse(c));
    const double q_sum = all_but(c.prior_hi * p.hi, pool.top[j], pool.rest_hi[j], pool.rest_lo[j]) * c.rest_inverse_hi;
    const DoubleDouble q = refine(q_sum, p, d);
    if constexpr (measure == Measure::kl) {
      values[j] = divergence_term(p, q, d) + complement_term(p.hi, q.hi, d.hi);
    } else if constexpr (measure == Measure::nu_j) {
      values[j] = 0.5 * (squared_over_variance(d, q, 1.0 - q.hi) + squared_over_variance(d, p, 1.0 - p.hi));
    } else {
      values[j] = squared_over_variance(d, q, 1.0 - q.hi);
    }
  }
}

// The same for one common term, of which some class has p > 2^-6: 1-p and 1-q by sums of their own, like p and q.
void common_term_values(const CarefulBlock& block, const Pool& pool, int j, double* values /* (n_classes, block) */) {
  double top = 0, rest_hi = 0, rest_lo = 0;
  const auto complement = [&](int k) {
    const ClassConstants& c = block.constants[k];
    const DoubleDouble x{block.x_hi[k * block_terms + j], block.x_lo[k * block_terms + j]};
    return multiply(subtract(total(c), x), inverse(c));
  };
  for (int k = 0; k < block.n_classes; ++k)
    add_to_rest(block.constants[k].prior_hi * complement(k).hi, top, rest_hi, rest_lo);
  for (int k = 0; k < block.n_classes; ++k) {
    const ClassConstants& c = block.constants[k];
    const int at = k * block_terms + j;
    const DoubleDouble d = difference_from_rest({block.e_hi[at], block.e_lo[at]}, {pool.mean_hi[j], pool.mean_lo[j]},
                                                pool.spread[j], c);
    const DoubleDouble p = multiply({block.x_hi[at], block.x_lo[at]}, inverse(c));
    const DoubleDouble P = complement(k);
    const double q_sum = all_but(c.prior_hi * p.hi, pool.top[j], pool.rest_hi[j], pool.rest_lo[j]) * c.rest_inverse_hi;
    const double Q_sum = all_but(c.prior_hi * P.hi, top, rest_hi, rest_lo) * c.rest_inverse_hi;
    const DoubleDouble q = refine(q_sum, p, d), Q = refine(Q_sum, P, negate(d));
    switch (block.measure) {
      case Measure::kl:
        values[at] = divergence_term(p, q, d) + divergence_term(P, Q, negate(d));
        break;
      case Measure::nu_j:
        values[at] = 0.5 * (squared_over_variance(d, q, Q.hi) + squared_over_variance(d, p, P.hi));
        break;
      case Measure::nu_pearson:
        values[at] = squared_over_variance(d, q, Q.hi);
        break;
    }
  }
}

void score_block(const Block& block) {
  switch (block.measure) {
    case Measure::kl: ordinary_scores<Measure::kl>(block); break;
    case Measure::nu_j: ordinary_scores<Measure::nu_j>(block); break;
    case Measure::nu_pearson: ordinary_scores<Measure::nu_pearson>(block); break;
  }
}

void score_block_carefully(const CarefulBlock& block) {
  Pool pool;
  pool_classes(block, pool);
  for (int k = 0; k < block.n_classes; ++k) {
    double* values = block.class_scores + k * block_terms;
    switch (block.measure) {
      case Measure::kl: class_values<Measure::kl>(block, pool, k, values); break;
      case Measure::nu_j: class_values<Measure::nu_j>(block, pool, k, values); break;
      case Measure::nu_pearson: class_values<Measure::nu_pearson>(block, pool, k, values); break;
    }
  }
  // Chosen by the term's own counts, never by its block's, so that equal columns have equal scores wherever they stand.
  for (int j = 0; j < block.n; ++j)
    if (pool.largest_p[j] > ordinary_p) common_term_values(block, pool, j, block.class_scores);
  if (block.scores == nullptr) return;
  double low[block_terms];
  begin_aggregate(block, low);
  for (int k = 0; k < block.n_classes; ++k) aggregate_class(block, k, block.class_scores + k * block_terms, low);
  end_aggregate(block, low);
}

}  // namespace

extern constexpr Kernels kernels{numerators, score_block, score_block_carefully, mix_pairs, score_pairs, score_empty};

}  // namespace termsift::simd::TERMSIFT_TARGET_NAMESPACE

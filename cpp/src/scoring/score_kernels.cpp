// The kernels that score blocks of terms. ordinary_impl.hpp scores most terms, and score_block_carefully() the others.
#include "scoring/score_kernels.hpp"

#include "scoring/ordinary_impl.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

void numerators(const std::uint32_t* __restrict l, int n, double scale, double scaled_b1, double* __restrict x) {
  for (int j = 0; j < n; ++j) x[j] = as_double(l[j]) * scale + scaled_b1;
}

void score_block(const ScoreBlock& block) {
  with_measure(block.measure, block.variable, [&]<Measure measure, Variable variable>() {
    if (block.x_lo == nullptr) ordinary_scores<measure, variable, false>(block);
    else ordinary_scores<measure, variable, true>(block);
  });
}

// ---- careful scores ----------------------------------------------------------------------------------------------------

// Terms with unreliable ordinary results are scored from double-double differences between each class and a reference class.
//
// Let u = 2^-53, n the number of classes, T = sum_k pi_k p_k, r the reference class, e_k = p_k - p_r and
// S = |e_c| + sum_k pi_k |e_k|. In class c, p - T is computed as e_c - sum_k pi_k e_k, with an error of at most
// (66 + 6n) u^2 S. If any l + b1 or L is not a double, products with low parts are rounded or dropped, which adds an error
// of 35 u^2 (p_c + T + 2 p_r). The class r has the largest prior, at least 1/n, so p_r <= n T, and S <= 2n max(p, q). For
// c = r, both errors have a factor 1 - pi; otherwise 1 - pi >= 1/2. The error of p - q = (p - T) / (1 - pi) is thus at most
// 190 n^2 u^2 max(p, q). Values depend on (p - q)^2: their relative error is <= 1e-14 if |p - q| >= n^2 2^-50 max(p, q).
//
// With all low parts 0, |p - T| >= n 2^-52 S suffices for a relative error of at most 1e-14, even if S is much smaller than
// p. If T happens to be closer to p than n 2^-52 S, the value of class c loses digits, but a sum over classes does not. Some
// other class k has |p_k - T| >= sum_j pi_j |e_j| / 2, so its value is accurate and far larger than the value of class c.

// If |p - T| is at most 2^-92 S, for S as above, p - T is a rounding error of double-doubles and is replaced by 0.
constexpr double nothing = 0x1p-92;

// Returns d^2 / (r (1-r)) for r in [0, 1], given complement = 1-r. 0/0 counts as 0.
TERMSIFT_INLINE double squared_over_variance(DoubleDouble d, DoubleDouble r, double complement) {
  const DoubleDouble variance = multiply(r, {complement, 0.0});
  const DoubleDouble usable{larger(variance.hi, least_probability), variance.lo};
  const double value = product(d, quotient(d, usable), 0.0);
  const double result = variance.hi > 0 ? value : infinity;
  return d.hi == 0 ? 0.0 : result;
}

// Returns d^2 / r for a rate r, where 0/0 is 0. Since |d| is at most 2^64, a divisor of at least 2^-860 prevents overflow.
TERMSIFT_INLINE double squared_over_rate(DoubleDouble d, DoubleDouble r) {
  const DoubleDouble usable{larger(r.hi, 0x1p-860), r.lo};
  const double value = product(d, quotient(d, usable), 0.0);
  const double result = r.hi > 0 ? value : infinity;
  return d.hi == 0 ? 0.0 : result;
}

// Holds the largest of the added weights w >= 0, and the sum of the other weights as a double-double. The function without()
// sums all weights except one, and subtracts no nearly equal numbers.
struct WeightSums {
  double top[block_terms], rest_hi[block_terms], rest_lo[block_terms];

  TERMSIFT_INLINE void clear(int j) { top[j] = rest_hi[j] = rest_lo[j] = 0; }
  TERMSIFT_INLINE void add(int j, double w) {
    const double smaller_one = w > top[j] ? top[j] : w;
    top[j] = larger(w, top[j]);
    const DoubleDouble rest = two_sum(rest_hi[j], smaller_one);
    rest_hi[j] = rest.hi;
    rest_lo[j] += rest.lo;
  }
  TERMSIFT_INLINE double without(int j, double w) const {
    const double without_top = rest_hi[j] + rest_lo[j];
    const double without_w = ((rest_hi[j] - w) + top[j]) + rest_lo[j];
    return w == top[j] ? without_top : without_w;
  }
};

// Sums over all classes for each term of the block; r is the reference class.
struct ClassSums {
  double reference_x_hi[block_terms], reference_x_lo[block_terms];  // x_ir
  double mean_hi[block_terms], mean_lo[block_terms];                // sum_k pi_k (p_ik - p_ir)
  double spread[block_terms];                                       // sum_k pi_k |p_ik - p_ir|
  WeightSums p;                                                     // sums of pi_k p_ik
  double largest_p[block_terms];
};

// Returns q = p - d as a double-double, given q as a double. If q is far smaller than p, p - d would have fewer correct
// digits than the given q, which is then returned with the low part 0.
TERMSIFT_INLINE DoubleDouble refine(double q, DoubleDouble p, DoubleDouble d) {
  const DoubleDouble difference = two_sum(p.hi, -d.hi);
  const double correction = (difference.hi - q) + (difference.lo + (p.lo - d.lo));
  return quick_two_sum(q, magnitude(correction) <= 0x1p-50 * q ? correction : 0.0);
}

// Returns x L_r - x_r L. The result is exact if all low parts are 0, as with integer counts and Laplace smoothing. Products
// with low parts are rounded, and a difference within the rounding error of the products is set to 0. Equal probabilities
// thus always have the difference 0.
TERMSIFT_INLINE DoubleDouble cross_difference(DoubleDouble x, DoubleDouble L_r, DoubleDouble x_r, DoubleDouble L) {
  const DoubleDouble ours = multiply(x, L_r), theirs = multiply(x_r, L), d = subtract(ours, theirs);
  const double low_products = (magnitude(x.hi * L_r.lo) + magnitude(x.lo * L_r.hi)) +
                              (magnitude(x_r.hi * L.lo) + magnitude(x_r.lo * L.hi));
  const double rounding = 0x1p-50 * (low_products + (magnitude(ours.lo) + magnitude(theirs.lo)));
  const bool none = low_products > 0 && magnitude(d.hi) <= rounding;
  return {none ? 0.0 : d.hi, none ? 0.0 : d.lo};
}

// Computes e = p_ic - p_ir and the ClassSums in a first pass over the classes. O(n_classes n).
void sum_classes(const CarefulBlock& block, ClassSums& sums) {
  const ClassConstants& r = block.constants[block.reference];
  for (int j = 0; j < block.n; ++j) {
    sums.reference_x_hi[j] = block.x_hi[block.reference * block.stride + j];
    sums.reference_x_lo[j] = block.x_lo[block.reference * block.stride + j];
    sums.mean_hi[j] = sums.mean_lo[j] = sums.spread[j] = sums.largest_p[j] = 0;
    sums.p.clear(j);
  }
  for (int k = 0; k < block.n_classes; ++k) {
    const ClassConstants c = block.constants[k];
    const double* x_hi = block.x_hi + k * block.stride;
    const double* x_lo = low_row(block, k);
    double* e_hi = block.e_hi + k * block.stride;
    double* e_lo = block.e_lo + k * block.stride;
    for (int j = 0; j < block.n; ++j) {
      const DoubleDouble x{x_hi[j], x_lo[j]}, x_r{sums.reference_x_hi[j], sums.reference_x_lo[j]};
      const DoubleDouble e = multiply(cross_difference(x, r.total, x_r, c.total), c.difference);
      e_hi[j] = e.hi, e_lo[j] = e.lo;
      const DoubleDouble mean = add({sums.mean_hi[j], sums.mean_lo[j]}, multiply(c.prior, e));
      sums.mean_hi[j] = mean.hi, sums.mean_lo[j] = mean.lo;
      sums.spread[j] += c.prior.hi * magnitude(e.hi);
      const double p = multiply(x, c.inverse).hi;
      sums.p.add(j, c.prior.hi * p);
      sums.largest_p[j] = larger(sums.largest_p[j], p);
    }
  }
}

// p, q and d = p - q of a term in a class.
struct Distribution {
  DoubleDouble p, q, d;
};

TERMSIFT_INLINE Distribution distribution(const CarefulBlock& block, const ClassSums& sums, const ClassConstants& c, int at,
                                          int j) {
  const DoubleDouble e{block.e_hi[at], block.e_lo[at]}, mean{sums.mean_hi[j], sums.mean_lo[j]};
  const DoubleDouble from_mean = subtract(e, mean);
  const bool none = magnitude(from_mean.hi) <= nothing * (magnitude(e.hi) + sums.spread[j]);
  const DoubleDouble from_rest = multiply(from_mean, c.rest_inverse);
  const DoubleDouble d{none ? 0.0 : from_rest.hi, none ? 0.0 : from_rest.lo};
  const DoubleDouble p = multiply({block.x_hi[at], block.x_lo[at]}, c.inverse);
  return {p, refine(sums.p.without(j, c.prior.hi * p.hi) * c.rest_inverse.hi, p, d), d};
}

// Computes the values (block,) of class k. Values of probabilities are accurate if every p is at most ordinary_p. O(n).
template <Measure measure, bool with_complement>
void careful_class_values(const CarefulBlock& block, const ClassSums& sums, int k, double* values) {
  const ClassConstants c = block.constants[k];
  for (int j = 0; j < block.n; ++j) {
    const auto [p, q, d] = distribution(block, sums, c, k * block.stride + j, j);
    if constexpr (measure == Measure::direction) {
      values[j] = sign(d.hi);
    } else if constexpr (measure == Measure::kl) {
      const double term = divergence_term(p, q, d);
      values[j] = with_complement ? term + complement_term(p.hi, q.hi, d.hi) : term;
    } else {
      const double of_q = with_complement ? squared_over_variance(d, q, 1.0 - q.hi) : squared_over_rate(d, q);
      const double of_p = with_complement ? squared_over_variance(d, p, 1.0 - p.hi) : squared_over_rate(d, p);
      values[j] = measure == Measure::nu_j ? 0.5 * (of_q + of_p) : of_q;
    }
  }
}

// A term is common if p > ordinary_p in some class. For common terms, the values of all classes are computed again, from
// separate sums of 1-p and 1-q. Whether a term is common depends only on its counts, so terms with equal counts have equal
// scores.
template <Measure measure>
void common_class_values(const CarefulBlock& block, const ClassSums& sums) {
  bool some_common = false;
  for (int j = 0; j < block.n; ++j) some_common |= sums.largest_p[j] > ordinary_p;
  if (!some_common) return;
  WeightSums complements;  // sums of pi_k (1 - p_ik)
  const auto complement = [&](const ClassConstants& c, int at) {
    return multiply(subtract(c.total, {block.x_hi[at], block.x_lo[at]}), c.inverse);
  };
  for (int j = 0; j < block.n; ++j) complements.clear(j);
  for (int k = 0; k < block.n_classes; ++k) {
    const ClassConstants c = block.constants[k];
    for (int j = 0; j < block.n; ++j) complements.add(j, c.prior.hi * complement(c, k * block.stride + j).hi);
  }
  for (int k = 0; k < block.n_classes; ++k) {
    const ClassConstants c = block.constants[k];
    double* values = block.class_scores + k * block.stride;
    for (int j = 0; j < block.n; ++j) {
      const int at = k * block.stride + j;
      const auto [p, q, d] = distribution(block, sums, c, at, j);
      const DoubleDouble P = complement(c, at);
      const DoubleDouble Q = refine(complements.without(j, c.prior.hi * P.hi) * c.rest_inverse.hi, P, negate(d));
      double value;
      if constexpr (measure == Measure::kl)
        value = divergence_term(p, q, d) + divergence_term(P, Q, negate(d));
      else if constexpr (measure == Measure::nu_j)
        value = 0.5 * (squared_over_variance(d, q, Q.hi) + squared_over_variance(d, p, P.hi));
      else
        value = squared_over_variance(d, q, Q.hi);
      values[j] = sums.largest_p[j] > ordinary_p ? value : values[j];
    }
  }
}

template <Measure measure, bool with_complement>
void careful_values(const CarefulBlock& block, const ClassSums& sums) {
  for (int k = 0; k < block.n_classes; ++k)
    careful_class_values<measure, with_complement>(block, sums, k, block.class_scores + k * block.stride);
  if constexpr (with_complement) common_class_values<measure>(block, sums);
}

void score_block_carefully(const CarefulBlock& block) {
  ClassSums sums;
  sum_classes(block, sums);
  with_measure(block.measure, block.variable, [&]<Measure measure, Variable variable>() {
    careful_values<measure, has_complement(variable) && measure != Measure::direction>(block, sums);
  });
  if (block.scores == nullptr) return;
  double low[block_terms];
  begin_aggregate(block, low);
  for (int k = 0; k < block.n_classes; ++k) aggregate_class(block, k, block.class_scores + k * block.stride, low);
  end_aggregate(block, low);
}

constexpr ScoreKernels kernels{numerators, score_block, score_block_carefully};

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

const termsift::ScoreKernels termsift::ScoreKernels::TERMSIFT_TARGET = termsift::simd::TERMSIFT_TARGET::kernels;

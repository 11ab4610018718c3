// Computes the gains of greedy selection. Loops over terms have no branches.
//
// With phi(x, y) = x log(x/y), the gain of p in the pool R is phi(p) + phi(R-p) - phi(R). Direct evaluation would lose all
// digits of a small gain. With t(p, q) = p log(p/q) - p + q >= 0 (logarithms.hpp), the gain is computed as
//     two classes, p = (a, b), R = (A, B):
//         gain = [t(aB, bA) + t((A-a)B, (B-b)A)] / (n_1 B) + [t(bA, aB) + t((B-b)A, (A-a)B)] / (n_2 A);
//     N classes:
//         gain = sum_c R_c / n_c [t(s_c, t_c) + t(1-s_c, 1-t_c)],
// These sums lose no digits if each function t is given the accurate difference d of its two arguments. The differences d
// are computed without loss of digits from determinants aB - bA of whole numbers below 2^53.
#include "greedy/gain_kernels.hpp"
#include "simd/logarithms.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

// Returns aB - bA, rounded at most twice, and exactly 0 if the true value is 0. For whole numbers a, b, A, B <= 2^53, the
// low parts of aB and bA are whole numbers below 2^52, so their difference is exact. The difference of the high parts is
// exact if the high parts are close.
TERMSIFT_INLINE double determinant(double a, double b, double A, double B) {
  const DoubleDouble aB = two_product(a, B), bA = two_product(b, A);
  return (aB.hi - bA.hi) + (aB.lo - bA.lo);
}

struct BothWays {
  double forward, backward;  // t(p, q), t(q, p)
};

// Returns t(p, q) and t(q, p) for p, q >= 0. Both results have relative errors of about 2^-50 if d is p - q with a relative
// error of at most 2^-52. Both results are exactly 0 if d = 0.
TERMSIFT_INLINE BothWays both_ways(double p, double q, double d) {
  const bool near = are_near(p, q, d);
  const auto [s, k] = plain_ratio(p, q, d);
  const double z = s * s;
  const double sR = s * atanh_rest(z);

  const double ds = d * s;
  const double log_ratio = log_of(k, s, z * sR);
  return {near ? ds + ds * (sR + s * sR) : p * log_ratio - d, near ? ds - ds * (sR - s * sR) : d - q * log_ratio};
}

TERMSIFT_INLINE double two_class_gain(double a, double b, double A, double B, double weight_a, double weight_b) {
  const double D = determinant(a, b, A, B);
  const BothWays gain = both_ways(a * B, b * A, D), rest = both_ways((A - a) * B, (B - b) * A, -D);
  return (gain.forward + rest.forward) * weight_a + (gain.backward + rest.backward) * weight_b;
}

void two_class_gains(const GainBlock& block, const PoolView& pool) {
  const int n = block.n;
  const double* a = block.masses;
  const double* b = block.masses + n;
  const PoolClass first = pool.classes[0], second = pool.classes[1];
  double* values = block.values;
  TERMSIFT_INDEPENDENT
  for (int j = 0; j < n; ++j) values[j] = two_class_gain(a[j], b[j], first.rest, second.rest, first.weight, second.weight);
}

// The gain of a term with a/b > A/B decreases in A, increases in B, and increases as the pool shrinks along a ray. The
// maximum of this gain in the wedge is therefore at (A1, B1). The gain of a term with a/b < A/B is largest at (A2, B2). If
// the ratios A/B of the wedge's pools lie on both sides of a/b, the bound is the larger of the gains at both corners.
void two_class_bounds(const GainBlock& block, const WedgeClass* wedge) {
  const int n = block.n;
  const double* a = block.masses;
  const double* b = block.masses + n;
  double* values = block.values;
  const double A1 = wedge->A1, B1 = wedge->B1, A2 = wedge->A2, B2 = wedge->B2;
  const double u = wedge[0].inverse_total, v = wedge[1].inverse_total;
  const double a1 = u / B1, b1 = v / A1, a2 = u / B2, b2 = v / A2;  // as PoolClass::weight
  double n_both = 0;
  TERMSIFT_INDEPENDENT
  for (int j = 0; j < n; ++j) {
    const bool first = determinant(a[j], b[j], A1, B1) > 0, second = determinant(a[j], b[j], A2, B2) < 0;
    const double A = first ? A1 : A2, B = first ? B1 : B2;
    double gain = two_class_gain(a[j], b[j], A, B, first ? a1 : a2, first ? b1 : b2);
    gain = (first | second) ? gain : 0.0;
    values[j] = ((first | second) & ((a[j] >= A) | (b[j] >= B))) ? infinity : gain;
    n_both += (first & second) ? 1.0 : 0.0;
  }
  if (n_both == 0) return;
  TERMSIFT_INDEPENDENT
  for (int j = 0; j < n; ++j) {
    const bool second = determinant(a[j], b[j], A2, B2) < 0;
    const double gain = two_class_gain(a[j], b[j], A2, B2, a2, b2);
    const double bound = ((a[j] >= A2) | (b[j] >= B2)) ? infinity : gain;
    values[j] = second ? larger(values[j], bound) : values[j];
  }
}

// t_c is computed from one sum over the classes before c and one sum over the classes after c. If only class c has the term,
// subtracting the part of class c from a total would lose all digits. Let delta_c = s_c - s_r for the reference class r. The
// formula delta_c = (m_c R_r - m_r R_c) / (R_c R_r) loses no digits, even if the shares are nearly equal. The difference
// d_c = s_c - t_c is computed as delta_c minus the mean of delta over the other classes.

// Sums over some classes k. The member x of Sums is an array (n,) that holds, for each term, the sum of v_k x_k.
struct Sums {
  double* s;
  double* rest;   // x_k is 1 - s_k
  double* delta;
};

// One class: the masses m of the terms, and the pool's data.
struct ClassPart {
  const double* m;
  PoolClass pool;
};

TERMSIFT_INLINE double delta(double m, const PoolClass& c, double m_r, const PoolClass& r) {
  return determinant(m, m_r, c.rest, r.rest) * (c.inverse * r.inverse);
}

// Sets after.x = before.x + v_c x_c for each member x of Sums.
void add_class(int n, const ClassPart c, const ClassPart r, const Sums before, const Sums after) {
  TERMSIFT_INDEPENDENT
  for (int j = 0; j < n; ++j) {
    after.s[j] = before.s[j] + c.pool.share * (c.m[j] * c.pool.inverse);
    after.rest[j] = before.rest[j] + c.pool.share * ((c.pool.rest - c.m[j]) * c.pool.inverse);
    after.delta[j] = before.delta[j] + c.pool.share * delta(c.m[j], c.pool, r.m[j], r.pool);
  }
}

// Adds the gain in class c to `sum`, and the rounding error of this addition to `low`. Adds v_c x_c to each member x of
// `after`.
void add_gain(int n, const ClassPart c, const ClassPart r, const Sums before, const Sums after, double* sum, double* low) {
  const double share = c.pool.share, others_inverse = c.pool.others_inverse;
  TERMSIFT_INDEPENDENT
  for (int j = 0; j < n; ++j) {
    const double s = c.m[j] * c.pool.inverse, rest = (c.pool.rest - c.m[j]) * c.pool.inverse;
    const double delta_c = delta(c.m[j], c.pool, r.m[j], r.pool);
    const double t = (before.s[j] + after.s[j]) * others_inverse;
    const double t_rest = (before.rest[j] + after.rest[j]) * others_inverse;
    const double d = delta_c - (before.delta[j] + after.delta[j]) * others_inverse;
    const double value = both_ways(s, t, d).forward + both_ways(rest, t_rest, -d).forward;
    const DoubleDouble total = two_sum(sum[j], c.pool.weight * value);
    sum[j] = total.hi;
    low[j] += total.lo;
    after.s[j] += share * s;
    after.rest[j] += share * rest;
    after.delta[j] += share * delta_c;
  }
}

void many_class_gains(const GainBlock& block, const PoolView& pool) {
  const int n = block.n, n_classes = block.n_classes;
  const auto part = [&](int c) { return ClassPart{block.masses + c * n, pool.classes[c]}; };
  const auto before = [&](int c) {
    double* const s = block.scratch + c * n;
    return Sums{s, s + n_classes * n, s + 2 * n_classes * n};
  };
  const ClassPart r = part(pool.reference);
  const auto clear = [n](double* x) {
    for (int j = 0; j < n; ++j) x[j] = 0;
  };
  clear(before(0).s), clear(before(0).rest), clear(before(0).delta);
  for (int c = 0; c + 1 < n_classes; ++c) add_class(n, part(c), r, before(c), before(c + 1));

  double s_after[longest_gain_block], rest_after[longest_gain_block], delta_after[longest_gain_block];
  double low[longest_gain_block];
  clear(s_after), clear(rest_after), clear(delta_after), clear(low), clear(block.values);
  for (int c = n_classes - 1; c >= 0; --c)
    add_gain(n, part(c), r, before(c), {s_after, rest_after, delta_after}, block.values, low);
  for (int j = 0; j < n; ++j) block.values[j] += low[j];
}

// A bound need not be tight to the last digit, so it is computed with less work than a gain. Let h(x) = (1+x) log(1+x) - x,
// so that t(p, q) = q h((p-q)/q). The series h(x) / x^2 = 1/2 - x/6 + x^2/12 - x^3/20 + ... has the sum 1 at x = -1. Hence
//     1/2 - x/6 <= h(x) / x^2 <= min(1, 1/2 - x/6 + x^2 (1/12 + max(-x, 0)/4))  for x >= -1.
// Returns one of the two limits.
template <bool is_upper>
TERMSIFT_INLINE double curvature(double x) {
  const double least = 0.5 - x * (1.0 / 6);
  return is_upper ? smaller(1.0, least + x * x * (1.0 / 12 + 0.25 * larger(-x, 0.0))) : least;
}

// Returns R(z) of logarithms.hpp with an error below 1.5e-7, by the Chebyshev interpolant of degree 3.
TERMSIFT_INLINE double rough_atanh_rest(double z) {
  return (0.3333332016834962 + 0.20003780322455603 * z) + (0.14118309902655241 + 0.13425749011418576 * z) * (z * z);
}

// The relative error of the first summand of class_bound is below 1e-7.
template <bool is_upper>
constexpr double for_short_logarithm = is_upper ? 1 + 1e-7 : 1 - 1e-7;

// Returns a limit of A kl(p/A || q/B) = [t(pB, qA) + t((A-p)B, (B-q)A)] / B for a corner (A, B) of the wedge, given
// d = pB - qA. Both quotients share one division.
template <bool is_upper>
TERMSIFT_INLINE double class_bound(double p, double q, double d, double A, double B, double B_inverse) {
  const double pB = p * B, qA = q * A, rest = (B - q) * A;
  const bool near = are_near(pB, qA, d);
  const auto [k, down] = nearest_power(larger(pB, least_probability), larger(qA, least_probability));
  const double scaled = larger(pB, least_probability) * down, q_log = larger(qA, least_probability);
  const double numerator = near ? d : scaled - q_log, sum = near ? pB + qA : scaled + q_log;
  const double inverse = 1.0 / (sum * rest);
  const double s = numerator * rest * inverse, z = s * s, x = -d * sum * inverse;
  const double sR = s * rough_atanh_rest(z);
  const double term = near ? d * s + d * s * (sR + s * sR) : pB * log_of(k, s, z * sR) - d;
  const double value = term * for_short_logarithm<is_upper> - d * x * curvature<is_upper>(x);
  // If p is near A, or q is near B, then A - p or B - q has too few digits for a finite bound.
  return ((p > 0.98 * A) | (q > 0.98 * B)) ? infinity : value * B_inverse;
}

// Returns a wider limit of the same number, without logarithms. The limit is close if pB and qA differ little.
template <bool is_upper>
TERMSIFT_INLINE double plain_class_bound(double p, double q, double d, double A, double B, double B_inverse) {
  const double qA = q * A, rest = (B - q) * A;
  const double inverse = 1.0 / (qA * rest);
  const double x = d * rest * inverse, x_rest = -d * qA * inverse;
  const double value = d * x * curvature<is_upper>(x) - d * x_rest * curvature<is_upper>(x_rest);
  return ((p > 0.98 * A) | (q > 0.98 * B)) ? infinity : value * B_inverse;
}

// For each bound, the corners of the wedge in the bound's class. The arrays are (n,), or (1,) if there is only one class.
struct Corners {
  const double *A1, *B1, *inverse_1, *A2, *B2, *inverse_2;
};

TERMSIFT_INLINE Corners corners_of(const WedgeClass& k) {
  return {&k.A1, &k.B1, &k.inverse_1, &k.A2, &k.B2, &k.inverse_2};
}

// Returns a bound of the rounding error of pB - qA relative to pB + qA, where q is a sum over the classes.
TERMSIFT_INLINE double lost_in_sum(int n_classes) { return (n_classes + 8) * 0x1p-52; }

// Writes values (n,). If `is_upper`, each value is the larger of the bounds at the two corners. If not `is_upper`, each
// value is a finite number that is at most the larger bound.
template <bool one_class, bool is_upper>
TERMSIFT_INLINE void corner_bounds(int n, const double* p, const double* q, const Corners& corners, double lost_in_q,
                                   double* values) {
  const double *A1 = corners.A1, *B1 = corners.B1, *inverse_1 = corners.inverse_1;
  const double *A2 = corners.A2, *B2 = corners.B2, *inverse_2 = corners.inverse_2;
  const double lost = is_upper ? lost_in_q : -lost_in_q;
  double n_both = 0;
  TERMSIFT_INDEPENDENT
  for (int j = 0; j < n; ++j) {
    const int i = one_class ? 0 : j;
    const double d1 = (p[j] * B1[i] - q[j] * A1[i]) + lost * (p[j] * B1[i] + q[j] * A1[i]);
    const double d2 = (p[j] * B2[i] - q[j] * A2[i]) - lost * (p[j] * B2[i] + q[j] * A2[i]);
    const bool first = d1 > 0, second = d2 < 0;
    // Of two corners, the one with the larger quadratic approximation is computed here, and the other one below.
    const bool is_1 = first & (!second | (d1 * d1 * (A2[i] * B2[i]) >= d2 * d2 * (A1[i] * B1[i])));
    const double value = class_bound<is_upper>(p[j], q[j], is_1 ? d1 : d2, is_1 ? A1[i] : A2[i], is_1 ? B1[i] : B2[i],
                                               is_1 ? inverse_1[i] : inverse_2[i]);
    values[j] = ((first | second) & (is_upper | (value < infinity))) ? value : 0.0;
    n_both += (first & second) ? 1.0 : 0.0;
  }
  if (n_both == 0) return;
  TERMSIFT_INDEPENDENT
  for (int j = 0; j < n; ++j) {
    const int i = one_class ? 0 : j;
    const double d1 = (p[j] * B1[i] - q[j] * A1[i]) + lost * (p[j] * B1[i] + q[j] * A1[i]);
    const double d2 = (p[j] * B2[i] - q[j] * A2[i]) - lost * (p[j] * B2[i] + q[j] * A2[i]);
    const bool is_2 = d1 * d1 * (A2[i] * B2[i]) >= d2 * d2 * (A1[i] * B1[i]);
    const double value = plain_class_bound<is_upper>(p[j], q[j], is_2 ? d2 : d1, is_2 ? A2[i] : A1[i],
                                                     is_2 ? B2[i] : B1[i], is_2 ? inverse_2[i] : inverse_1[i]);
    values[j] = ((d1 > 0) & (d2 < 0) & (is_upper | (value < infinity))) ? larger(values[j], value) : values[j];
  }
}

// Computes the larger of the bounds at the two corners for each class, and adds up the larger bounds of all classes. The
// gain's summand for class c is A kl(p/A || q/B), which depends on (A, B) as the gain with two classes depends on the pool.
// The sum is therefore an upper bound.
void many_class_bounds(const GainBlock& block, const WedgeClass* wedge) {
  const int n = block.n, n_classes = block.n_classes;
  double* values = block.values;
  double* const before = block.scratch;  // (n_classes, n) sum_{k < c} pi_k p_k
  for (int j = 0; j < n; ++j) before[j] = 0;
  for (int c = 0; c + 1 < n_classes; ++c) {
    const double* m = block.masses + c * n;
    const double* in = before + c * n;
    double* out = before + (c + 1) * n;
    const double w = wedge[c].w;
    for (int j = 0; j < n; ++j) out[j] = in[j] + w * m[j];
  }
  double after[longest_gain_block], p[longest_gain_block], q[longest_gain_block], bound[longest_gain_block];
  for (int j = 0; j < n; ++j) after[j] = values[j] = 0;
  for (int c = n_classes - 1; c >= 0; --c) {
    const double* m = block.masses + c * n;
    const double* in = before + c * n;
    const WedgeClass k = wedge[c];
    for (int j = 0; j < n; ++j) p[j] = m[j] * k.inverse_total;
    for (int j = 0; j < n; ++j) q[j] = (in[j] + after[j]) * k.others_inverse;
    corner_bounds<true, true>(n, p, q, corners_of(k), lost_in_sum(n_classes), bound);
    for (int j = 0; j < n; ++j) values[j] += bound[j];
    for (int j = 0; j < n; ++j) after[j] += k.w * m[j];
  }
}

void absent_bounds(const AbsentBoundBlock& block) {
  const int n = block.n;
  double p[longest_gain_block], q[longest_gain_block], bound[longest_gain_block];
  const double* U = block.U;
  double* values = block.values;
  for (int j = 0; j < n; ++j) values[j] = 0;
  for (int c = block.begin; c < block.end; ++c) {
    const WedgeClass& k = block.classes[c];
    for (int j = 0; j < n; ++j) p[j] = k.absent_p;
    for (int j = 0; j < n; ++j) q[j] = (k.absent_rest + U[j]) * k.others_inverse;
    corner_bounds<true, true>(n, p, q, corners_of(k), lost_in_sum(block.n_classes), bound);
    for (int j = 0; j < n; ++j) values[j] += bound[j];
  }
}

void pair_bounds(const PairBoundBlock& block) {
  constexpr int most = longest_gain_block;
  const int n = (block.n + 7) / 8 * 8;  // a multiple of every target's vector length
  double A1[most], B1[most], inverse_1[most], A2[most], B2[most], inverse_2[most];
  double p[most], q[most], absent_p[most], absent_q[most], absent[most];
  for (int j = 0; j < n; ++j) {
    const int i = j < block.n ? j : 0;  // unused lanes repeat the first pair
    const WedgeClass& k = block.classes[block.class_[i]];
    A1[j] = k.A1, B1[j] = k.B1, inverse_1[j] = k.inverse_1;
    A2[j] = k.A2, B2[j] = k.B2, inverse_2[j] = k.inverse_2;
    p[j] = block.mass[i] * k.inverse_total, absent_p[j] = k.absent_p;
    q[j] = (k.absent_rest + block.U_rest[i]) * k.others_inverse;
    absent_q[j] = (k.absent_rest + block.U[i]) * k.others_inverse;
  }
  const Corners corners{A1, B1, inverse_1, A2, B2, inverse_2};
  const double lost = lost_in_sum(block.n_classes);
  corner_bounds<false, true>(n, p, q, corners, lost, block.values);
  corner_bounds<false, false>(n, absent_p, absent_q, corners, lost, absent);
  for (int j = 0; j < n; ++j) block.values[j] -= absent[j];
}

void gains(const GainBlock& block, const PoolView& pool) {
  if (block.n_classes == 2) two_class_gains(block, pool);
  else many_class_gains(block, pool);
}

void bounds(const GainBlock& block, const WedgeClass* wedge) {
  if (block.n_classes == 2) two_class_bounds(block, wedge);
  else many_class_bounds(block, wedge);
}

// Computes sum_c t(p_c, q_c). As in the computation of gains, q_c comes from separate sums over the classes before c and
// after c.
void cells(const CellBlock& block) {
  const int n = block.n, n_classes = block.n_classes;
  const double remainder_of = block.remainder_of;
  double after_hi[longest_gain_block], after_lo[longest_gain_block], low[longest_gain_block];
  double* values = block.values;
  for (int j = 0; j < n; ++j) block.before_hi[j] = block.before_lo[j] = 0;
  for (int j = 0; j < n; ++j) after_hi[j] = after_lo[j] = low[j] = values[j] = 0;
  for (int c = 0; c + 1 < n_classes; ++c) {
    const DoubleDouble prior = block.classes[c].prior;
    const double *hi = block.p_hi + c * n, *lo = block.p_lo + c * n;
    const double *in_hi = block.before_hi + c * n, *in_lo = block.before_lo + c * n;
    double *out_hi = block.before_hi + (c + 1) * n, *out_lo = block.before_lo + (c + 1) * n;
    TERMSIFT_INDEPENDENT
    for (int j = 0; j < n; ++j) {
      const DoubleDouble sum = add({in_hi[j], in_lo[j]}, multiply(prior, {hi[j], lo[j]}));
      out_hi[j] = sum.hi;
      out_lo[j] = sum.lo;
    }
  }
  for (int c = n_classes - 1; c >= 0; --c) {
    const DoubleDouble prior = block.classes[c].prior;
    const DoubleDouble others_inverse = block.classes[c].rest_inverse;
    const double *hi = block.p_hi + c * n, *lo = block.p_lo + c * n;
    const double *in_hi = block.before_hi + c * n, *in_lo = block.before_lo + c * n;
    TERMSIFT_INDEPENDENT
    for (int j = 0; j < n; ++j) {
      const DoubleDouble p{hi[j], lo[j]}, after{after_hi[j], after_lo[j]};
      const DoubleDouble q = multiply(add({in_hi[j], in_lo[j]}, after), others_inverse);
      const DoubleDouble d = subtract(p, q);
      const double value = divergence_term(p, q, d);
      const bool is_none = magnitude(d.hi) <= 0x1p-92 * larger(p.hi, remainder_of);
      const DoubleDouble total = two_sum(values[j], is_none ? 0.0 : value);
      values[j] = total.hi;
      low[j] += total.lo;
      const DoubleDouble sum = add(after, multiply(prior, p));
      after_hi[j] = sum.hi;
      after_lo[j] = sum.lo;
    }
  }
  for (int j = 0; j < n; ++j) values[j] += low[j];
}

constexpr GainKernels kernels{gains, cells, bounds, absent_bounds, pair_bounds};

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

const termsift::GainKernels termsift::GainKernels::TERMSIFT_TARGET = termsift::simd::TERMSIFT_TARGET::kernels;

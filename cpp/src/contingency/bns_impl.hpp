// Bi-normal separation: |F(A/r) - F(B/(g-r))|. F is the normal quantile, and both rates are clipped to [0.0005, 0.9995].
#pragma once

#include "contingency/cells_impl.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

constexpr double least_rate = 0.0005;  // rates are clipped to [least_rate, 1 - least_rate], as in Forman's paper

// Returns the normal quantile of x / (x + y) clipped to [0.0005, 0.9995], given |x - y| and 2 / (x + y). The quantile of a
// rate p is (2p - 1) G(w) with w = -log(4 p (1-p)). G is smooth, so one polynomial covers the middle and the tails. The
// polynomial is the Chebyshev interpolant of degree 23 in v = 2w / 6.2154 - 1 (error 2e-17). It was computed with 60 digits.
TERMSIFT_INLINE double quantile_of_rate(double x, double y, double distance, double two_over_sum) {
  constexpr double clipped_product = 4.0 * least_rate * (1.0 - least_rate);
  const double twice = smaller(x, y) * two_over_sum, other = larger(x, y) * two_over_sum;
  // This is |2p - 1|. The subtraction is more accurate for small p, and the product is more accurate for p near 1/2.
  const double away = twice < 0.5 ? 1.0 - larger(twice, 2.0 * least_rate) : 0.5 * distance * two_over_sum;
  const double v = -0.32178138172925314 * natural_logarithm(larger(twice * other, clipped_product)) - 1.0;
  const double v2 = v * v, v4 = v2 * v2, v8 = v4 * v4;
  const double f2 = v2 * (-0.08187938340404688 + -0.031989772716198135 * v);
  const double f4 =
      (0.02478932951610805 + -0.005631676113558025 * v) + v2 * (-0.001805167973201143 + 0.0016923151488971208 * v);
  const double f8 =
      (-0.0003496134814124741 + -0.00016423672505746158 * v) + v2 * (0.0001261038539485202 + -1.8975684809074655e-05 * v);
  const double f12 =
      (-1.5573520568551066e-05 + 9.446368648356979e-06 * v) + v2 * (-7.818016156364461e-07 + -1.4403411183630304e-06 * v);
  const double f16 =
      (7.063603947785799e-07 + -5.048188529734489e-10 * v) + v2 * (-1.3952888597736984e-07 + 4.9305395410121416e-08 * v);
  const double f20 =
      (1.2637977992233532e-08 + -1.1094234777617264e-08 * v) + v2 * (-2.106564825488567e-10 + 1.0172478110343533e-09 * v);
  // The smallest terms are added first, because the last addition has the largest rounding error.
  const double rest = (f2 + v4 * f4) + v8 * ((f8 + v4 * f12) + v8 * (f16 + v4 * f20));
  const double quantile = away * (2.3327424768770726 + (1.0563981333492207 * v + rest));
  return x < y ? -quantile : quantile;
}

// Returns the quantile of A/r.
TERMSIFT_INLINE double quantile_in_class(DoubleDouble a, DoubleDouble C, const ContingencyConstants& c) {
  return quantile_of_rate(a.hi, C.hi, magnitude((a.hi - C.hi) + (a.lo - C.lo)), c.two_over_r);
}
// Returns the quantile of B/(g-r).
TERMSIFT_INLINE double quantile_in_rest(const auto& cells, const ContingencyConstants& c) {
  const DoubleDouble B = cells.B(), D = cells.D();
  return quantile_of_rate(B.hi, D.hi, magnitude((B.hi - D.hi) + (B.lo - D.lo)), c.two_over_rest);
}

// The difference of two quantiles has an absolute error of up to 2^-50, which is 7e-15 of a difference of 1/8. near_bns
// computes smaller differences.
constexpr double near_quantiles = 0.125;

// Returns a positive number if near_bns must compute the difference of quantiles. Returns 0 if both rates are clipped.
TERMSIFT_INLINE double bns_excess(const auto& cells, const ContingencyConstants& c, double difference) {
  constexpr double clipped = 2.0 * least_rate * (1.0 - 0x1p-49);
  const double twice_in_class = smaller(cells.a.hi, cells.C().hi) * c.two_over_r;
  const double twice_in_rest = smaller(cells.B().hi, cells.D().hi) * c.two_over_rest;
  return larger(twice_in_class, twice_in_rest) > clipped ? near_quantiles - difference : 0.0;
}

// Returns |p - q| of the clipped rates p = A/r and q = B/(g-r), with an error of a few ulp. The distance of a rate
// x/n from the lower bound is (2000 x - n) 0.0005 / n.
TERMSIFT_INLINE double gap_of_rates(const auto& cells, const ContingencyConstants& c) {
  const auto above = [](DoubleDouble x, DoubleDouble n) { return subtract(multiply(x, {1.0 / least_rate, 0.0}), n).hi; };
  const double p_low = above(cells.a, cells.r), p_high = above(cells.C(), cells.r);  // p's scaled distances from both bounds
  const double q_low = above(cells.B(), cells.rest), q_high = above(cells.D(), cells.rest);
  const double in_class = 0.5 * least_rate * c.two_over_r, in_rest = 0.5 * least_rate * c.two_over_rest;
  const double free = 0.25 * magnitude(cells.det.hi) * c.two_over_r * c.two_over_rest;
  const double q_clipped = q_low < 0 ? p_low * in_class : q_high < 0 ? p_high * in_class : free;
  return p_low < 0 ? larger(q_low, 0.0) * in_rest : p_high < 0 ? larger(q_high, 0.0) * in_rest : q_clipped;
}

// Returns the difference of the quantiles of p and q, given gap = |p - q|, the mean z of the quantiles, and an approximation
// d of the result with an error of up to 2^-49. |p - q| is the integral of the normal density between the quantiles:
//     phi(z) d [1 + sum over k = 1, 2, ... of He_2k(z) d^2k / (4^k (2k+1)!)] with Hermite's polynomials He_2k.
// For |z| <= 3.3 and d <= 1/8 (near_quantiles), the terms from k = 5 on add up to less than 4e-16. The error of z is
// multiplied by at most 3.3, and the error of d by less than 1/4.
TERMSIFT_INLINE double near_bns(double gap, double z, double d) {
  constexpr double root_of_2_pi = 2.5066282746310002;
  const double x = z * z, y = d * d;
  const double he4 = 3.0 + x * (-6.0 + x), he6 = -15.0 + x * (45.0 + x * (-15.0 + x));
  const double he8 = 105.0 + x * (-420.0 + x * (210.0 + x * (-28.0 + x)));
  const double series = y * ((x - 1.0) / 24 + y * (he4 / 1920 + y * (he6 / 322560 + y * (he8 / 92897280))));
  return gap * root_of_2_pi * exponential(0.5 * x) / (1.0 + series);
}

template <>
struct Formula<ContingencyMeasure::bns> {
  static constexpr MeasureFacts facts{.name = "bns", .absent = Absent::each};

  // Few terms have two quantiles near each other. These terms are copied to packed arrays, and near_bns computes the
  // differences again.
  template <Numbers numbers>
  static void run(const ContingencyBatch& batch) {
    constexpr bool with_low = numbers == Numbers::any;
    double middle[longest_contingency_batch], excess[longest_contingency_batch];
    run_far<numbers>(batch, middle, excess);
    int near[longest_contingency_batch], n = 0;
    for (int j = 0; j < batch.n; ++j) {
      near[n] = j;
      n += excess[j] > 0;
    }
    if (n == 0) return;
    double a_hi[longest_contingency_batch], a_lo[longest_contingency_batch], t_hi[longest_contingency_batch],
        t_lo[longest_contingency_batch], z[longest_contingency_batch], d[longest_contingency_batch];
    const ContingencyBatch packed{(n + 7) / 8 * 8, nullptr, a_hi, a_lo, t_hi, t_lo, d};
    for (int i = 0; i < packed.n; ++i) {
      const int j = near[i < n ? i : 0];
      a_hi[i] = batch.a_hi[j], t_hi[i] = batch.t_hi[j], z[i] = middle[j], d[i] = batch.values[j];
      if constexpr (with_low) a_lo[i] = batch.a_lo[j], t_lo[i] = batch.t_lo[j];
    }
    const ContingencyConstants c = *batch.constants;
    for (int i = 0; i < packed.n; ++i) d[i] = near_bns(gap_of_rates(Cells<numbers>(packed, i, c), c), z[i], d[i]);
    for (int i = 0; i < n; ++i) batch.values[near[i]] = d[i];
  }

 private:
  // Writes the differences of the quantiles to the batch's values. The differences are accurate if the quantiles are far
  // apart. Sets middle[j] to the mean of both quantiles, and excess[j] to a positive number if near_bns must compute the
  // difference.
  template <Numbers numbers>
  static void run_far(const ContingencyBatch& batch, double* __restrict middle, double* __restrict excess) {
    const ContingencyConstants c = *batch.constants;
    double* __restrict values = batch.values;
    for (int j = 0; j < batch.n; ++j) {
      const Cells<numbers> cells(batch, j, c);
      const double in_class = quantile_in_class(cells.a, cells.C(), c), in_rest = quantile_in_rest(cells, c);
      const double difference = magnitude(in_class - in_rest), more = bns_excess(cells, c, difference);
      const bool is_zero = (cells.t.hi == 0) | (cells.det.hi == 0) | !(cells.rest.hi > 0);
      values[j] = is_zero ? 0.0 : difference;
      middle[j] = 0.5 * (in_class + in_rest);
      excess[j] = is_zero ? 0.0 : more;
    }
  }
};

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

// The measures of contingency.hpp, without a branch in a loop over terms. Included by the source file of each SIMD target;
// what logarithms.hpp says of bits and of functions from outside the target holds here too.
//
// Everything follows from det = a g - t r, the products exact in double-double: a term that is nearly independent of a class
// keeps all digits of what little it says. With P = a g and Q = t r,
//     log(A g / (t r)) = log(P/Q),     A/g log(A g / (t r)) - (P - Q)/g^2 = t(P, Q) / g^2,
// where P - Q = det; the other cells have -det, -det and det, so that the linear terms of ig and g2 cancel and both are sums
// of t() >= 0 (logarithms.hpp).
#include "contingency/contingency_kernels.hpp"
#include "simd/logarithms.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

// What the counts of a table are, and with them the arithmetic that is exact.
enum class Numbers {
  small,  // whole and at most 2^26: products are exact
  whole,  // and at most 2^50: sums, and differences of products that are close
  any     // double-doubles
};

template <Numbers numbers>
struct Arithmetic {
  static TERMSIFT_INLINE DoubleDouble times(DoubleDouble x, DoubleDouble y) {
    if constexpr (numbers == Numbers::any) return multiply(x, y);
    else if constexpr (numbers == Numbers::whole) return two_product(x.hi, y.hi);
    else return {x.hi * y.hi, 0.0};
  }
  // p - q of two products, to 2^-105 of the larger; where they are close, the high parts' difference is exact.
  static TERMSIFT_INLINE DoubleDouble difference(DoubleDouble p, DoubleDouble q) {
    if constexpr (numbers == Numbers::any) return subtract(p, q);
    if constexpr (numbers == Numbers::small) return {p.hi - q.hi, 0.0};
    const DoubleDouble d = two_sum(p.hi, -q.hi);
    return quick_two_sum(d.hi, d.lo + (p.lo - q.lo));
  }
  // w x + y for whole w up to 6.
  static TERMSIFT_INLINE DoubleDouble weighted_sum(double w, DoubleDouble x, DoubleDouble y) {
    if constexpr (numbers == Numbers::any) return add(multiply(x, {w, 0.0}), y);
    else return {w * x.hi + y.hi, 0.0};
  }
  // A share of the prior and a count, neither negative.
  static TERMSIFT_INLINE DoubleDouble plus(DoubleDouble share, DoubleDouble count) {
    if constexpr (numbers == Numbers::any) return add(share, count);
    const DoubleDouble sum = two_sum(share.hi, count.hi);
    return {sum.hi, sum.lo + share.lo};
  }
  // x - y, where the difference cannot be negative but for rounding.
  static TERMSIFT_INLINE DoubleDouble minus(DoubleDouble x, DoubleDouble y) {
    if constexpr (numbers == Numbers::any) {
      const DoubleDouble d = subtract(x, y);
      return {d.hi > 0 ? d.hi : 0.0, d.hi > 0 ? d.lo : 0.0};
    } else {
      return {x.hi - y.hi, 0.0};
    }
  }
  // A power of two that brings a fraction x >= 0 into [1, 2), if it is a normal number; 1 for whole numbers.
  static TERMSIFT_INLINE double near_one(double x) {
    if constexpr (numbers == Numbers::any) return from_bits((2046ull << 52) - (bits(x) & (2047ull << 52)));
    else return 1.0;
  }
  // t(p, q) of a cell with p - q = d; 0 where d is.
  static TERMSIFT_INLINE double term(DoubleDouble p, DoubleDouble q, DoubleDouble d) {
    return ordinary_term<numbers != Numbers::small>(p, {larger(q.hi, least_probability), q.lo}, d);
  }
};

// A term and a class.
template <Numbers numbers>
struct Table {
  using Of = Arithmetic<numbers>;
  DoubleDouble a, t, r, rest, g;  // rest = g - r
  DoubleDouble P, Q, det;         // a g, t r and P - Q

  TERMSIFT_INLINE Table(DoubleDouble a_, DoubleDouble t_, const ContingencyConstants& c)
      : a(a_), t(t_), r{c.r_hi, c.r_lo}, rest{c.rest_hi, c.rest_lo}, g{c.g_hi, c.g_lo}, P(Of::times(a, g)),
        Q(Of::times(t, r)), det(Of::difference(P, Q)) {}

  TERMSIFT_INLINE DoubleDouble B() const { return Of::minus(t, a); }
  TERMSIFT_INLINE DoubleDouble C() const { return Of::minus(r, a); }
  TERMSIFT_INLINE DoubleDouble D() const { return Of::minus(rest, B()); }
  TERMSIFT_INLINE DoubleDouble others() const { return Of::minus(g, t); }  // documents without the term

  // The terms of the class's cell with the term, and so on.
  TERMSIFT_INLINE double class_with() const { return Of::term(P, Q, det); }
  TERMSIFT_INLINE double rest_with() const { return Of::term(Of::times(B(), g), Of::times(t, rest), negate(det)); }
  TERMSIFT_INLINE double class_without() const { return Of::term(Of::times(C(), g), Of::times(others(), r), negate(det)); }
  TERMSIFT_INLINE double rest_without() const { return Of::term(Of::times(D(), g), Of::times(others(), rest), det); }

  // p + q of the cells without the term.
  TERMSIFT_INLINE double class_without_sum() const { return C().hi * g.hi + others().hi * r.hi; }
  TERMSIFT_INLINE double rest_without_sum() const { return D().hi * g.hi + others().hi * rest.hi; }
  // Not positive where p/q of both is in [2/3, 3/2]: of all but the most frequent terms.
  TERMSIFT_INLINE double excess() const {
    return 5 * magnitude(det.hi) - smaller(class_without_sum(), rest_without_sum());
  }
};

TERMSIFT_INLINE double square_root(double x) { return __builtin_sqrt(x); }

constexpr double least_rate = 0.0005;  // Forman's bounds of rates are this and 1 less this

// The normal distribution's quantile of x / (x + y) clipped to [0.0005, 0.9995], given |x - y| and 2 / (x + y). Of a rate p
// it is (2p - 1) F(w), w = -log(4 p (1-p)), and F is smooth: one polynomial serves the middle and the tails. It is the
// Chebyshev interpolant of degree 23 in v = 2w / 6.2154 - 1 (error 2e-17) computed with mpmath at 60 digits.
TERMSIFT_INLINE double quantile_of_rate(double x, double y, double distance, double two_over_sum) {
  constexpr double clipped_product = 4.0 * least_rate * (1.0 - least_rate);
  const double twice = smaller(x, y) * two_over_sum, other = larger(x, y) * two_over_sum;
  // |2p - 1|: of a small p the subtraction rounds less than the quotient, near a half the quotient.
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
  // The smallest first: a rounding of the whole counts most.
  const double rest = (f2 + v4 * f4) + v8 * ((f8 + v4 * f12) + v8 * (f16 + v4 * f20));
  const double quantile = away * (2.3327424768770726 + (1.0563981333492207 * v + rest));
  return x < y ? -quantile : quantile;
}

// Of bns, the quantile of A/r: what depends on a class and its cell alone.
TERMSIFT_INLINE double quantile_in_class(DoubleDouble a, DoubleDouble C, const ContingencyConstants& c) {
  return quantile_of_rate(a.hi, C.hi, magnitude((a.hi - C.hi) + (a.lo - C.lo)), c.two_over_r);
}
// Of bns, the quantile of B/(g-r).
template <Numbers numbers>
TERMSIFT_INLINE double quantile_in_rest(const Table<numbers>& table, const ContingencyConstants& c) {
  const DoubleDouble B = table.B(), D = table.D();
  return quantile_of_rate(B.hi, D.hi, magnitude((B.hi - D.hi) + (B.lo - D.lo)), c.two_over_rest);
}

// The difference of two quantiles errs by up to 2^-50, 7e-15 of 1/8: near_bns computes what is less than that.
constexpr double near_quantiles = 0.125;

// Positive if near_bns has to compute the difference of quantiles. Rates that are both clipped to the same bound have 0.
template <Numbers numbers>
TERMSIFT_INLINE double bns_excess(const Table<numbers>& table, const ContingencyConstants& c, double difference) {
  constexpr double clipped = 2.0 * least_rate * (1.0 - 0x1p-49);
  const double twice_in_class = smaller(table.a.hi, table.C().hi) * c.two_over_r;
  const double twice_in_rest = smaller(table.B().hi, table.D().hi) * c.two_over_rest;
  return larger(twice_in_class, twice_in_rest) > clipped ? near_quantiles - difference : 0.0;
}

// |p - q| of the clipped rates p = A/r and q = B/(g-r), to a few ulp. 2000 x - n is n / 0.0005 times what the rate x/n is
// above the lower bound.
template <Numbers numbers>
TERMSIFT_INLINE double gap_of_rates(const Table<numbers>& table, const ContingencyConstants& c) {
  const auto above = [](DoubleDouble x, DoubleDouble n) { return subtract(multiply(x, {1.0 / least_rate, 0.0}), n).hi; };
  const double p_low = above(table.a, table.r), p_high = above(table.C(), table.r);  // how far from either bound
  const double q_low = above(table.B(), table.rest), q_high = above(table.D(), table.rest);
  const double in_class = 0.5 * least_rate * c.two_over_r, in_rest = 0.5 * least_rate * c.two_over_rest;
  const double free = 0.25 * magnitude(table.det.hi) * c.two_over_r * c.two_over_rest;
  const double q_clipped = q_low < 0 ? p_low * in_class : q_high < 0 ? p_high * in_class : free;
  return p_low < 0 ? larger(q_low, 0.0) * in_rest : p_high < 0 ? larger(q_high, 0.0) * in_rest : q_clipped;
}

// The difference d of the quantiles of p and q, given their mean z and d itself to 2^-49: |p - q| is the integral of the
// normal density, phi(z) d [1 + sum over k = 1, 2, ... of He_2k(z) d^2k / (4^k (2k+1)!)], He_2k Hermite's polynomials. For
// |z| <= 3.3 and d <= 1/8 (near_quantiles) the terms from k = 5 on add up to less than 4e-16, and the errors of z and d
// count 3.3 and less than 1/4 times.
TERMSIFT_INLINE double near_bns(double gap, double z, double d) {
  constexpr double root_of_2_pi = 2.5066282746310002;
  const double x = z * z, y = d * d;
  const double he4 = 3.0 + x * (-6.0 + x), he6 = -15.0 + x * (45.0 + x * (-15.0 + x));
  const double he8 = 105.0 + x * (-420.0 + x * (210.0 + x * (-28.0 + x)));
  const double series = y * ((x - 1.0) / 24 + y * (he4 / 1920 + y * (he6 / 322560 + y * (he8 / 92897280))));
  return gap * root_of_2_pi * exponential(0.5 * x) / (1.0 + series);
}

// Whether a measure's values are found in a shorter way where Table::excess() is not positive.
constexpr bool has_usual_way(ContingencyMeasure measure, Numbers numbers) {
  return (measure == ContingencyMeasure::ig || measure == ContingencyMeasure::g2) && numbers != Numbers::any;
}

template <ContingencyMeasure measure, bool usual, Numbers numbers>
TERMSIFT_INLINE double value(const Table<numbers>& table, const ContingencyConstants& c) {
  using Of = Arithmetic<numbers>;
  const DoubleDouble a = table.a, t = table.t;
  const double det = table.det.hi;
  if constexpr (measure == ContingencyMeasure::df) {
    return a.hi;
  } else if constexpr (measure == ContingencyMeasure::tfidf) {
    return a.hi * log_ratio(table.g, {larger(t.hi, least_probability), t.lo}, table.others().hi);
  } else if constexpr (measure == ContingencyMeasure::mi) {
    return log_ratio(table.P, table.Q, det);
  } else if constexpr (measure == ContingencyMeasure::cet) {
    const double value = a.hi / table.g.hi * log_ratio(table.P, table.Q, det);
    return a.hi == 0 ? 0.0 : value;
  } else if constexpr (measure == ContingencyMeasure::ig) {
    const double without = usual ? close_term(table.class_without_sum(), negate(table.det)) : table.class_without();
    return (table.class_with() + without) / (table.g.hi * table.g.hi);
  } else if constexpr (measure == ContingencyMeasure::g2) {
    const double without = usual ? close_terms(table.rest_without_sum(), table.class_without_sum(), table.det)
                                 : table.class_without() + table.rest_without();
    return 2.0 * ((table.class_with() + table.rest_with()) + without) / table.g.hi;
  } else if constexpr (measure == ContingencyMeasure::chi2) {
    const double others = table.others().hi;  // without the term; 0 if rounded fractions make det a little more than 0
    const double value = (det * c.spread) * (det / (t.hi * others));
    return det == 0 || !(others > 0) || !(table.rest.hi > 0) ? 0.0 : value;
  } else if constexpr (measure == ContingencyMeasure::ngl) {
    const double others = table.others().hi;
    const double value = det * square_root(c.spread / (t.hi * others));
    return det == 0 || !(others > 0) || !(table.rest.hi > 0) ? 0.0 : value;
  } else if constexpr (measure == ContingencyMeasure::chi2_printed) {
    const double cells = (a.hi * table.B().hi) * (table.C().hi * table.D().hi);
    const double value = cells > 0 ? det * det / cells : infinity;
    return det == 0 ? 0.0 : value;
  } else if constexpr (measure == ContingencyMeasure::gss) {
    return det / (table.g.hi * table.g.hi);
  } else if constexpr (measure == ContingencyMeasure::odds_ratio) {
    const double AD = a.hi * table.D().hi, BC = table.B().hi * table.C().hi;
    const double value = BC > 0 ? AD / BC : infinity;
    return AD == 0 ? 0.0 : value;
  } else if constexpr (measure == ContingencyMeasure::relevancy) {
    // (A/r + 1/6) / (B/(g-r) + 1/6) = (6A + r) (g-r) / ((6B + g-r) r), in which the difference of both sides is 6 det.
    const DoubleDouble P = Of::times(Of::weighted_sum(6.0, a, table.r), table.rest);
    const DoubleDouble Q = Of::times(Of::weighted_sum(6.0, table.B(), table.rest), table.r);
    const double value = log_ratio(P, Q, 6.0 * det);
    return table.rest.hi > 0 ? value : 0.0;
  } else if constexpr (measure == ContingencyMeasure::log_odds) {
    // R - x = C + a_0 - a_i and S - u = D + a_0 - a_i, where nothing cancels: a_0 - a_i is the prior of all other terms.
    const DoubleDouble share{c.prior_hi, c.prior_lo};
    const DoubleDouble prior = multiply(t, share), rest_of_prior = multiply(table.others(), share);
    const DoubleDouble x = Of::plus(prior, a), u = Of::plus(prior, table.B());
    const DoubleDouble R_x = Of::plus(rest_of_prior, table.C()), S_u = Of::plus(rest_of_prior, table.D());
    // The range of both products: contingency_model.cpp holds the share s of the prior, if there is one, within 2^-450 and
    // 2^450. Of whole numbers, at most 2^50, x and u are in [s t, (1 + s) t], R - x and S - u in [s (g-t), (1 + s) (g-t)],
    // and the products in [2^-900, 2^1002], within a factor 2^902 of each other. Fractions are first scaled so that
    // x + u and R - x + S - u are in [1, 2), lest those of a rare term be less than least_probability. Without a prior,
    // cells that are more than 2^450 apart may underflow there, to a finite value or an infinite one.
    const double near_t = Of::near_one(x.hi + u.hi), near_others = Of::near_one(R_x.hi + S_u.hi);
    const DoubleDouble odds = multiply(scale(x, near_t), scale(S_u, near_others));
    const DoubleDouble other_odds = multiply(scale(u, near_t), scale(R_x, near_others));
    // x (S-u) - u (R-x) = x S - u R = det (1 + 2 a_0/g)
    const double log = log_ratio(odds, other_odds, det * near_t * near_others * c.gain);
    const double root = square_root(x.hi * (u.hi / (x.hi + u.hi)));
    return root > 0 && table.rest.hi > 0 ? log * root : 0.0;
  } else if constexpr (measure == ContingencyMeasure::jlh) {
    const double value = (det / (table.r.hi * t.hi)) * (a.hi / table.r.hi);
    return det > 0 ? value : 0.0;
  } else if constexpr (measure == ContingencyMeasure::direction) {
    return sign(det);
  } else {
    static_assert(measure == ContingencyMeasure::chi2_counts);
    const double value = (det / (table.g.hi * table.r.hi)) * (det / t.hi);
    return det == 0 ? 0.0 : value;
  }
}

template <ContingencyMeasure measure, Numbers numbers>
void run_values(const ContingencyRun& run) {
  constexpr bool with_low = numbers == Numbers::any;
  const ContingencyConstants c = *run.constants;
  const double* __restrict a_hi = run.a_hi;
  const double* __restrict t_hi = run.t_hi;
  const double* __restrict a_lo = run.a_lo;
  const double* __restrict t_lo = run.t_lo;
  double* __restrict values = run.values;
  const auto table = [&](int j) {
    return Table<numbers>({a_hi[j], with_low ? a_lo[j] : 0.0}, {t_hi[j], with_low ? t_lo[j] : 0.0}, c);
  };
  const auto store = [&](int j, double value) {
    const double result = with_low ? value * c.value_unit : value;
    values[j] = t_hi[j] == 0 ? 0.0 : result;
  };
  if constexpr (!has_usual_way(measure, numbers)) {
    for (int j = 0; j < run.n; ++j) store(j, value<measure, false>(table(j), c));
  } else {
    double excess[longest_contingency_run];
    for (int j = 0; j < run.n; ++j) {
      store(j, value<measure, true>(table(j), c));
      excess[j] = table(j).excess();
    }
    // Vectors of which some lane is unusual are found again in the long way; whatever its neighbours, a lane keeps its own.
    for (int begin = 0; begin < run.n; begin += 8) {
      double largest = excess[begin];
      for (int j = begin + 1; j < begin + 8; ++j) largest = larger(largest, excess[j]);
      if (!(largest > 0)) continue;
      for (int j = begin; j < begin + 8; ++j) {
        const double usual = values[j];
        store(j, value<measure, false>(table(j), c));
        values[j] = excess[j] > 0 ? values[j] : usual;
      }
    }
  }
}

// The pairs j of a run for a loop over tables.
template <Numbers numbers>
struct Pairs {
  const double *a_hi, *a_lo, *t_hi, *t_lo;
  TERMSIFT_INLINE Table<numbers> operator()(int j, const ContingencyConstants& c) const {
    constexpr bool with_low = numbers == Numbers::any;
    return Table<numbers>({a_hi[j], with_low ? a_lo[j] : 0.0}, {t_hi[j], with_low ? t_lo[j] : 0.0}, c);
  }
};

// The differences of far quantiles; `middle` is the mean of both.
template <Numbers numbers>
void far_bns(const ContingencyRun& run, double* __restrict middle, double* __restrict excess) {
  const ContingencyConstants c = *run.constants;
  const Pairs<numbers> pairs{run.a_hi, run.a_lo, run.t_hi, run.t_lo};
  double* __restrict values = run.values;
  double in_class[longest_contingency_run];
  if (const double* __restrict parts = run.parts)
    for (int j = 0; j < run.n; ++j) in_class[j] = parts[j];
  else
    for (int j = 0; j < run.n; ++j) in_class[j] = quantile_in_class(pairs(j, c).a, pairs(j, c).C(), c);
  for (int j = 0; j < run.n; ++j) {
    const Table<numbers> pair = pairs(j, c);
    const double in_rest = quantile_in_rest(pair, c);
    const double difference = magnitude(in_class[j] - in_rest), more = bns_excess(pair, c, difference);
    const bool is_zero = (pair.t.hi == 0) | (pair.det.hi == 0) | !(pair.rest.hi > 0);
    values[j] = is_zero ? 0.0 : difference;
    middle[j] = 0.5 * (in_class[j] + in_rest);
    excess[j] = is_zero ? 0.0 : more;
  }
}

// Near quantiles are a minority, which is packed together and computed once more.
template <Numbers numbers>
void run_bns(const ContingencyRun& run) {
  constexpr bool with_low = numbers == Numbers::any;
  double middle[longest_contingency_run], excess[longest_contingency_run];
  far_bns<numbers>(run, middle, excess);
  int near[longest_contingency_run], n = 0;
  for (int j = 0; j < run.n; ++j) {
    near[n] = j;
    n += excess[j] > 0;
  }
  if (n == 0) return;
  double a_hi[longest_contingency_run], a_lo[longest_contingency_run], t_hi[longest_contingency_run],
      t_lo[longest_contingency_run], z[longest_contingency_run], d[longest_contingency_run];
  const int padded = (n + 7) / 8 * 8;
  for (int i = 0; i < padded; ++i) {
    const int j = near[i < n ? i : 0];
    a_hi[i] = run.a_hi[j], t_hi[i] = run.t_hi[j], z[i] = middle[j], d[i] = run.values[j];
    if constexpr (with_low) a_lo[i] = run.a_lo[j], t_lo[i] = run.t_lo[j];
  }
  const ContingencyConstants c = *run.constants;
  const Pairs<numbers> pairs{a_hi, a_lo, t_hi, t_lo};
  for (int i = 0; i < padded; ++i) d[i] = near_bns(gap_of_rates(pairs(i, c), c), z[i], d[i]);
  for (int i = 0; i < n; ++i) run.values[near[i]] = d[i];
}

template <ContingencyMeasure measure>
void values_of(const ContingencyRun& run) {
  const auto run_by = [&]<Numbers numbers>() {
    if constexpr (measure == ContingencyMeasure::bns) run_bns<numbers>(run);
    else run_values<measure, numbers>(run);
  };
  if (run.a_lo != nullptr) run_by.template operator()<Numbers::any>();
  else if (run.constants->small) run_by.template operator()<Numbers::small>();
  else run_by.template operator()<Numbers::whole>();
}

void parts_of_bns(const ContingencyConstants& constants, const double* __restrict a, int n, double* __restrict parts) {
  const ContingencyConstants c = constants;
  for (int j = 0; j < n; ++j) parts[j] = quantile_in_class({a[j], 0.0}, {c.r_hi - a[j], 0.0}, c);
}

CellKernel cell_kernel(ContingencyMeasure measure) { return measure == ContingencyMeasure::bns ? parts_of_bns : nullptr; }

ContingencyKernel contingency_kernel(ContingencyMeasure measure) {
  switch (measure) {
#define TERMSIFT_CASE(name) case ContingencyMeasure::name: return values_of<ContingencyMeasure::name>;
    TERMSIFT_FOR_EACH_CONTINGENCY_MEASURE(TERMSIFT_CASE)
#undef TERMSIFT_CASE
    case ContingencyMeasure::direction: return values_of<ContingencyMeasure::direction>;
  }
  return nullptr;
}

constexpr ContingencyKernels kernels{contingency_kernel, cell_kernel};

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

const termsift::ContingencyKernels termsift::ContingencyKernels::TERMSIFT_TARGET = termsift::simd::TERMSIFT_TARGET::kernels;

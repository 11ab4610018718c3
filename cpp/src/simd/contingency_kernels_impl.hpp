// The measures of contingency.hpp, without a branch in a loop over terms. Included by the source file of each SIMD target;
// what logarithms.hpp says of bits and of functions from outside the target holds here too.
//
// Everything follows from det = a g - t r, the products exact in double-double: a term that is nearly independent of a class
// keeps all digits of what little it says. With P = a g and Q = t r,
//     log(A g / (t r)) = log(P/Q),     A/g log(A g / (t r)) - (P - Q)/g^2 = t(P, Q) / g^2,
// where P - Q = det; the other cells have -det, -det and det, so that the linear terms of ig and g2 cancel and both are sums
// of t() >= 0 (logarithms.hpp).
#pragma once

#include "contingency_kernels.hpp"
#include "logarithms.hpp"

namespace termsift::simd::TERMSIFT_TARGET_NAMESPACE {
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

// The normal distribution's quantile of x / (x + y) clipped to [0.0005, 0.9995], given |x - y| and 2 / (x + y). Of a rate p
// it is (2p - 1) F(w), w = -log(4 p (1-p)), and F is smooth: one polynomial serves the middle and the tails. It is the
// Chebyshev interpolant of degree 23 in v = 2w / 6.2154 - 1 (error 2e-17) computed with mpmath at 60 digits.
TERMSIFT_INLINE double quantile_of_rate(double x, double y, double distance, double two_over_sum) {
  constexpr double least_rate = 0.0005;  // Forman's
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
template <Numbers numbers>
TERMSIFT_INLINE double bns(const Table<numbers>& table, const ContingencyConstants& c, double in_class) {
  const DoubleDouble B = table.B(), D = table.D();
  const double in_rest = quantile_of_rate(B.hi, D.hi, magnitude((B.hi - D.hi) + (B.lo - D.lo)), c.two_over_rest);
  return table.det.hi == 0 || !(table.rest.hi > 0) ? 0.0 : magnitude(in_class - in_rest);
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
  } else if constexpr (measure == ContingencyMeasure::bns) {
    return bns(table, c, quantile_in_class(a, table.C(), c));
  } else if constexpr (measure == ContingencyMeasure::log_odds) {
    // R - x = C + a_0 - a_i and S - u = D + a_0 - a_i, where nothing cancels: a_0 - a_i is the prior of all other terms.
    const DoubleDouble share{c.prior_hi, c.prior_lo};
    const DoubleDouble prior = multiply(t, share), rest_of_prior = multiply(table.others(), share);
    const DoubleDouble x = Of::plus(prior, a), u = Of::plus(prior, table.B());
    const DoubleDouble R_x = Of::plus(rest_of_prior, table.C()), S_u = Of::plus(rest_of_prior, table.D());
    // x (S-u) - u (R-x) = x S - u R = det (1 + 2 a_0/g)
    const double log = log_ratio(multiply(x, S_u), multiply(u, R_x), det * c.gain);
    const double value = log * square_root(x.hi * (u.hi / (x.hi + u.hi)));
    return x.hi > 0 && u.hi > 0 && table.rest.hi > 0 ? value : 0.0;
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
  if constexpr (measure == ContingencyMeasure::bns) {
    if (const double* __restrict parts = run.parts) {
      for (int j = 0; j < run.n; ++j) store(j, bns(table(j), c, parts[j]));
      return;
    }
  }
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

template <ContingencyMeasure measure>
void values_of(const ContingencyRun& run) {
  if (run.a_lo != nullptr) run_values<measure, Numbers::any>(run);
  else if (run.constants->small) run_values<measure, Numbers::small>(run);
  else run_values<measure, Numbers::whole>(run);
}

void parts_of_bns(const ContingencyConstants& constants, const double* __restrict a, int n, double* __restrict parts) {
  const ContingencyConstants c = constants;
  for (int j = 0; j < n; ++j) parts[j] = quantile_in_class({a[j], 0.0}, {c.r_hi - a[j], 0.0}, c);
}

}  // namespace

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

}  // namespace termsift::simd::TERMSIFT_TARGET_NAMESPACE

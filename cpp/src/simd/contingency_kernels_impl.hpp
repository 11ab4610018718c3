// The measures of contingency.hpp, without a branch in a loop over terms. Included by the source file of each SIMD target; what
// logarithms.hpp says of bits and of functions from outside the target holds here too.
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

// Arithmetic of counts: of double-doubles, or of whole numbers up to 2^53, whose sums and differences here are exact.
template <bool with_low>
struct Arithmetic {
  static TERMSIFT_INLINE DoubleDouble times(DoubleDouble x, DoubleDouble y) {
    if constexpr (with_low) return multiply(x, y);
    else return two_product(x.hi, y.hi);
  }
  // x - y, where the difference cannot be negative but for rounding.
  static TERMSIFT_INLINE DoubleDouble minus(DoubleDouble x, DoubleDouble y) {
    if constexpr (with_low) {
      const DoubleDouble d = subtract(x, y);
      return {d.hi > 0 ? d.hi : 0.0, d.hi > 0 ? d.lo : 0.0};
    } else {
      return {x.hi - y.hi, 0.0};
    }
  }
};

// A term and a class.
template <bool with_low>
struct Table {
  using Of = Arithmetic<with_low>;
  DoubleDouble a, t, r, rest, g;  // rest = g - r
  DoubleDouble P, Q, det;         // a g, t r and P - Q

  TERMSIFT_INLINE Table(DoubleDouble a_, DoubleDouble t_, const ContingencyConstants& c)
      : a(a_), t(t_), r{c.r_hi, c.r_lo}, rest{c.rest_hi, c.rest_lo}, g{c.g_hi, c.g_lo}, P(Of::times(a, g)), Q(Of::times(t, r)),
        det(subtract(P, Q)) {}

  TERMSIFT_INLINE DoubleDouble B() const { return Of::minus(t, a); }
  TERMSIFT_INLINE DoubleDouble C() const { return Of::minus(r, a); }
  TERMSIFT_INLINE DoubleDouble D() const { return Of::minus(rest, B()); }
  TERMSIFT_INLINE DoubleDouble others() const { return Of::minus(g, t); }  // documents without the term

  // t(P, Q) of a cell of which P - Q = d; 0 if d is.
  static TERMSIFT_INLINE double term(DoubleDouble p, DoubleDouble q, DoubleDouble d) {
    const double value = ordinary_term(p, {larger(q.hi, least_probability), q.lo}, d);
    return d.hi == 0 ? 0.0 : value;
  }
  // The terms of the class's two cells, and of the others'.
  TERMSIFT_INLINE double class_terms() const {
    return term(P, Q, det) + term(Of::times(C(), g), Of::times(others(), r), negate(det));
  }
  TERMSIFT_INLINE double rest_terms() const {
    return term(Of::times(B(), g), Of::times(t, rest), negate(det)) + term(Of::times(D(), g), Of::times(others(), rest), det);
  }
};

TERMSIFT_INLINE double square_root(double x) { return __builtin_sqrt(x); }
TERMSIFT_INLINE DoubleDouble scaled(DoubleDouble x, double whole) { return multiply(x, {whole, 0.0}); }

// The normal distribution's quantile of p in [0.0005, 0.9995], given 1 - p: Wichura, Algorithm AS 241 (PPND16), Applied
// Statistics 37, 1988; relative error about 1e-16.
TERMSIFT_INLINE double normal_quantile(double p, double complement) {
  const double q = 0.5 * (p - complement);
  const double x = 0.180625 - q * q;
  const double central =
      q * (((((((2509.0809287301226727 * x + 33430.575583588128105) * x + 67265.770927008700853) * x + 45921.953931549871457) * x +
               13731.693765509461125) * x + 1971.5909503065514427) * x + 133.14166789178437745) * x + 3.387132872796366608) /
      (((((((5226.495278852854561 * x + 28729.085735721942674) * x + 39307.89580009271061) * x + 21213.794301586595867) * x +
          5394.1960214247511077) * x + 687.1870074920579083) * x + 42.313330701600911252) * x + 1.0);
  const double tail = p < complement ? p : complement;
  const double y = square_root(-logarithm({tail, 0.0}).hi) - 1.6;
  const double far =
      (((((((7.7454501427834140764e-4 * y + 0.0227238449892691845833) * y + 0.24178072517745061177) * y +
           1.27045825245236838258) * y + 3.64784832476320460504) * y + 5.7694972214606914055) * y + 4.6303378461565452959) * y +
       1.42343711074968357734) /
      (((((((1.05075007164441684324e-9 * y + 5.475938084995344946e-4) * y + 0.0151986665636164571966) * y +
           0.14810397642748007459) * y + 0.68976733498510000455) * y + 1.6763848301838038494) * y + 2.05319162663775882187) * y +
       1.0);
  return magnitude(q) <= 0.425 ? central : p < complement ? -far : far;
}

// F(x / (x + y)).
TERMSIFT_INLINE double quantile_of_rate(double x, double y, double sum) {
  constexpr double least_rate = 0.0005;  // Forman's
  const double p = x / sum, complement = y / sum;
  const double clipped = p < least_rate ? least_rate : complement < least_rate ? 1.0 - least_rate : p;
  const double rest = p < least_rate ? 1.0 - least_rate : complement < least_rate ? least_rate : complement;
  return normal_quantile(clipped, rest);
}

template <ContingencyMeasure measure, bool with_low>
TERMSIFT_INLINE double value(DoubleDouble a, DoubleDouble t, const ContingencyConstants& c) {
  const Table<with_low> table(a, t, c);
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
    return table.class_terms() / (table.g.hi * table.g.hi);
  } else if constexpr (measure == ContingencyMeasure::g2) {
    return 2.0 * (table.class_terms() + table.rest_terms()) / table.g.hi;
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
    const DoubleDouble P = multiply(add(scaled(a, 6.0), table.r), table.rest);
    const DoubleDouble Q = multiply(add(scaled(table.B(), 6.0), table.rest), table.r);
    const double value = log_ratio(P, Q, 6.0 * det);
    return table.rest.hi > 0 ? value : 0.0;
  } else if constexpr (measure == ContingencyMeasure::bns) {
    const double value =
        quantile_of_rate(a.hi, table.C().hi, table.r.hi) - quantile_of_rate(table.B().hi, table.D().hi, table.rest.hi);
    return det == 0 || !(table.rest.hi > 0) ? 0.0 : magnitude(value);
  } else if constexpr (measure == ContingencyMeasure::log_odds) {
    const DoubleDouble prior = multiply(t, {c.prior_hi, c.prior_lo});  // a_i
    const DoubleDouble x = add(a, prior), u = add(table.B(), prior), R{c.R_hi, c.R_lo}, S{c.S_hi, c.S_lo};
    // x (S-u) - u (R-x) = x S - u R = det (1 + 2 a_0/g)
    const double log = log_ratio(multiply(x, Arithmetic<true>::minus(S, u)), multiply(u, Arithmetic<true>::minus(R, x)),
                                 det * c.gain);
    const double value = log * square_root(x.hi * (u.hi / (x.hi + u.hi)));
    return x.hi > 0 && u.hi > 0 && table.rest.hi > 0 ? value : 0.0;
  } else if constexpr (measure == ContingencyMeasure::jlh) {
    const double value = (det / (table.r.hi * t.hi)) * (a.hi / table.r.hi);
    return det > 0 ? value : 0.0;
  } else {
    static_assert(measure == ContingencyMeasure::chi2_counts);
    const double value = (det / (table.g.hi * table.r.hi)) * (det / t.hi);
    return det == 0 ? 0.0 : value;
  }
}

template <ContingencyMeasure measure, bool with_low>
void run_values(const ContingencyRun& run) {
  const ContingencyConstants c = *run.constants;
  const double* __restrict a_hi = run.a_hi;
  const double* __restrict t_hi = run.t_hi;
  const double* __restrict a_lo = run.a_lo;
  const double* __restrict t_lo = run.t_lo;
  double* __restrict values = run.values;
  for (int j = 0; j < run.n; ++j) {
    const DoubleDouble a{a_hi[j], with_low ? a_lo[j] : 0.0}, t{t_hi[j], with_low ? t_lo[j] : 0.0};
    const double result = with_low ? value<measure, with_low>(a, t, c) * c.value_unit : value<measure, with_low>(a, t, c);
    values[j] = t.hi == 0 ? 0.0 : result;
  }
}

template <ContingencyMeasure measure>
void values_of(const ContingencyRun& run) {
  if (run.a_lo == nullptr) run_values<measure, false>(run);
  else run_values<measure, true>(run);
}

}  // namespace

ContingencyKernel contingency_kernel(ContingencyMeasure measure) {
  switch (measure) {
#define TERMSIFT_CASE(name) case ContingencyMeasure::name: return values_of<ContingencyMeasure::name>;
    TERMSIFT_FOR_EACH_CONTINGENCY_MEASURE(TERMSIFT_CASE)
#undef TERMSIFT_CASE
  }
  return nullptr;
}

}  // namespace termsift::simd::TERMSIFT_TARGET_NAMESPACE

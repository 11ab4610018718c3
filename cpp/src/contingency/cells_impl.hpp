// The 2 x 2 table of a term and a class, in exact arithmetic. contingency_kernels.cpp includes this header.
//
// Most measures are computed from det = a g - t r, whose two products are exact in double-double. If a term is nearly
// independent of the class, its values are therefore small but keep all digits. With P = a g and Q = t r,
//     log(a g / (t r)) = log(P/Q),     a/g log(a g / (t r)) - (P - Q)/g^2 = t(P, Q) / g^2,
// where P - Q = det. P - Q is det in cell D, and -det in the cells B and C. The parts (P - Q)/g^2 therefore cancel in ig,
// which adds up A and C, and in g2, which adds up all four cells. ig and g2 are sums of t(P, Q) >= 0 (logarithms.hpp).
#pragma once

#include "contingency/contingency_kernels.hpp"
#include "simd/logarithms.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

// The kinds of counts. The struct Arithmetic has an implementation for each kind of counts.
enum class Numbers {
  small,  // whole numbers up to 2^26, whose products are exact in a double
  whole,  // whole numbers up to 2^50; their sums, and differences of nearly equal products, are exact
  any     // double-doubles
};

// Returns a power of two whose product with x >= 0 is in [1, 2), if x is a normal number below 2^1023.
TERMSIFT_INLINE double power_near_one(double x) { return from_bits((2046ull << 52) - (bits(x) & (2047ull << 52))); }

template <Numbers numbers>
struct Arithmetic {
  static TERMSIFT_INLINE DoubleDouble times(DoubleDouble x, DoubleDouble y) {
    if constexpr (numbers == Numbers::any) return multiply(x, y);
    else if constexpr (numbers == Numbers::whole) return two_product(x.hi, y.hi);
    else return {x.hi * y.hi, 0.0};
  }
  // Returns p - q for two products p and q. The error is at most 2^-105 times the larger product. If p and q are close,
  // p.hi - q.hi is exact.
  static TERMSIFT_INLINE DoubleDouble difference(DoubleDouble p, DoubleDouble q) {
    if constexpr (numbers == Numbers::any) return subtract(p, q);
    if constexpr (numbers == Numbers::small) return {p.hi - q.hi, 0.0};
    const DoubleDouble d = two_sum(p.hi, -q.hi);
    return quick_two_sum(d.hi, d.lo + (p.lo - q.lo));
  }
  // Returns w x + y for a whole number w up to 6.
  static TERMSIFT_INLINE DoubleDouble weighted_sum(double w, DoubleDouble x, DoubleDouble y) {
    if constexpr (numbers == Numbers::any) return add(multiply(x, {w, 0.0}), y);
    else return {w * x.hi + y.hi, 0.0};
  }
  // Returns the sum of a smoothing parameter of any size and a count, which must both be at least 0.
  static TERMSIFT_INLINE DoubleDouble plus(DoubleDouble smoothing, DoubleDouble count) {
    if constexpr (numbers == Numbers::any) return add(smoothing, count);
    const DoubleDouble sum = two_sum(smoothing.hi, count.hi);
    return {sum.hi, sum.lo + smoothing.lo};
  }
  // Returns x - y for x >= y. Rounding never makes the result negative.
  static TERMSIFT_INLINE DoubleDouble minus(DoubleDouble x, DoubleDouble y) {
    if constexpr (numbers == Numbers::any) {
      const DoubleDouble d = subtract(x, y);
      return {d.hi > 0 ? d.hi : 0.0, d.hi > 0 ? d.lo : 0.0};
    } else {
      return {x.hi - y.hi, 0.0};
    }
  }
  // Returns power_near_one(x) for Numbers::any, otherwise 1.
  static TERMSIFT_INLINE double near_one(double x) { return numbers == Numbers::any ? power_near_one(x) : 1.0; }
  // Returns t(p, q), given d = p - q. Returns 0 if d is 0.
  static TERMSIFT_INLINE double term(DoubleDouble p, DoubleDouble q, DoubleDouble d) {
    return ordinary_term<numbers != Numbers::small>(p, {larger(q.hi, least_probability), q.lo}, d);
  }
};

template <Numbers numbers>
struct Cells {
  using Of = Arithmetic<numbers>;
  DoubleDouble a, t, r, rest, g;  // rest = g - r is the row total of the other classes
  DoubleDouble P, Q, det;         // P = a g, Q = t r, det = P - Q

  TERMSIFT_INLINE Cells(DoubleDouble a_, DoubleDouble t_, const ContingencyConstants& c)
      : a(a_), t(t_), r{c.r.hi, c.r.lo}, rest{c.rest.hi, c.rest.lo}, g{c.g.hi, c.g.lo}, P(Of::times(a, g)),
        Q(Of::times(t, r)), det(Of::difference(P, Q)) {}  // GCC does not vectorise loops that copy whole structs
  TERMSIFT_INLINE Cells(const ContingencyBatch& batch, int j, const ContingencyConstants& c)
      : Cells({batch.a_hi[j], numbers == Numbers::any ? batch.a_lo[j] : 0.0},
              {batch.t_hi[j], numbers == Numbers::any ? batch.t_lo[j] : 0.0}, c) {}

  TERMSIFT_INLINE DoubleDouble B() const { return Of::minus(t, a); }
  TERMSIFT_INLINE DoubleDouble C() const { return Of::minus(r, a); }
  TERMSIFT_INLINE DoubleDouble D() const { return Of::minus(rest, B()); }
  TERMSIFT_INLINE DoubleDouble others() const { return Of::minus(g, t); }  // C + D, the total of the second column

  // Each of these functions returns t(P, Q) of one cell. A and B are the cells of the term, in the class and in all other
  // classes. C and D are the cells without the term, in the class and in all other classes.
  TERMSIFT_INLINE double class_with() const { return Of::term(P, Q, det); }
  TERMSIFT_INLINE double rest_with() const { return Of::term(Of::times(B(), g), Of::times(t, rest), negate(det)); }
  TERMSIFT_INLINE double class_without() const { return Of::term(Of::times(C(), g), Of::times(others(), r), negate(det)); }
  TERMSIFT_INLINE double rest_without() const { return Of::term(Of::times(D(), g), Of::times(others(), rest), det); }

  // class_without_sum() and rest_without_sum() return P + Q of the cells C and D.
  TERMSIFT_INLINE double class_without_sum() const { return C().hi * g.hi + others().hi * r.hi; }
  TERMSIFT_INLINE double rest_without_sum() const { return D().hi * g.hi + others().hi * rest.hi; }
  // Returns a positive number if and only if P/Q is outside [2/3, 3/2] in cell C or in cell D. P/Q is so far from 1 only
  // for very frequent terms.
  TERMSIFT_INLINE double excess() const {
    return 5 * magnitude(det.hi) - smaller(class_without_sum(), rest_without_sum());
  }
};

// The formula of a contingency measure. Each specialisation has `facts` and one of two functions:
//     value(cells, constants), which computes one value,
//     run<numbers>(batch), which computes all values of a batch.
// A specialisation may also have usual_value(cells, constants), a shorter formula for whole numbers and excess() <= 0.
template <ContingencyMeasure measure>
struct Formula;

// Calls use(Formula<measure>{}).
template <int m = 0, class Use>
auto with_formula(ContingencyMeasure measure, const Use& use) {
  if constexpr (m < n_contingency_methods)
    if (measure != ContingencyMeasure{m}) return with_formula<m + 1>(measure, use);
  return use(Formula<ContingencyMeasure{m}>{});
}

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

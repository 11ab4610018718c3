// Double-double arithmetic: a number is the unevaluated sum hi + lo with |lo| <= ulp(hi) / 2, and has about 106 bits.
//
// Divergences depend on differences of probabilities. If p is within 1e-12 of q, p - q has 16 correct digits only if p and q
// have 28 correct digits. Each double-double operation is exact, or its comment states its error. No operation has a branch,
// so compilers can vectorise loops of operations. All operations return the same bits with and without fused multiply-add,
// unless a product is below 2^-969 (see two_product). The compiler options -ffp-contract=fast and -ffast-math, which
// termsift/portability.hpp refuses, would make the results wrong.
//
// Sources: Dekker 1971 (two_product without FMA); Knuth, TAOCP 2, 4.2.2 (two_sum); Joldes, Muller and Popescu, "Tight and
// rigorous error bounds for basic building blocks of double-word arithmetic", ACM TOMS 44(2), 2017 (the other operations).
#pragma once

#include <cstdint>

#include "termsift/portability.hpp"

#ifndef TERMSIFT_TARGET
#define TERMSIFT_TARGET baseline
#endif

namespace termsift {

struct DoubleDouble {
  double hi = 0;
  double lo = 0;
};

// Each SIMD target has a namespace of its own, because the linker could otherwise use the AVX-512 version of an inline
// function in the whole program.
inline namespace TERMSIFT_TARGET {

// Returns a + b exactly.
TERMSIFT_INLINE DoubleDouble two_sum(double a, double b) {
  const double s = a + b;
  const double bb = s - a;
  return {s, (a - (s - bb)) + (b - bb)};
}

// Returns a + b exactly. Precondition: |a| >= |b| or a == 0.
TERMSIFT_INLINE DoubleDouble quick_two_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}

// Returns a * b exactly. Precondition: |a|, |b| < 2^996 and |ab| > 2^-969, so nothing overflows or underflows. Below 2^-969
// the two forms may differ in the last bit of a score. Scaling such products took 1.3 to 2 times as long.
TERMSIFT_INLINE DoubleDouble two_product(double a, double b) {
  const double p = a * b;
#ifdef TERMSIFT_FUSED
  return {p, fused_multiply_add(a, b, -p)};
#else
  constexpr double split = 134217729.0;  // 2^27 + 1
  const double ta = split * a, tb = split * b;
  const double ah = ta - (ta - a), bh = tb - (tb - b);
  const double al = a - ah, bl = b - bh;
  return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
#endif
}

// Returns a + b. The relative error is at most 3 * 2^-106, even when a and b cancel (algorithm AccurateDWPlusDW).
TERMSIFT_INLINE DoubleDouble add(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble s = two_sum(a.hi, b.hi);
  const DoubleDouble t = two_sum(a.lo, b.lo);
  const DoubleDouble v = quick_two_sum(s.hi, s.lo + t.hi);
  return quick_two_sum(v.hi, t.lo + v.lo);
}

TERMSIFT_INLINE DoubleDouble negate(DoubleDouble a) { return {-a.hi, -a.lo}; }

TERMSIFT_INLINE DoubleDouble subtract(DoubleDouble a, DoubleDouble b) { return add(a, negate(b)); }

// Returns a * b. The relative error is at most 5 * 2^-106 (algorithm DWTimesDW1).
TERMSIFT_INLINE DoubleDouble multiply(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble p = two_product(a.hi, b.hi);
  return quick_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

// Returns a / b for b != 0. The relative error is at most 15 * 2^-106 (algorithm DWDivDW2 without FMA).
TERMSIFT_INLINE DoubleDouble divide(DoubleDouble a, DoubleDouble b) {
  const double q = a.hi / b.hi;
  const DoubleDouble product = multiply(b, {q, 0});
  const DoubleDouble rest = subtract(a, product);
  return quick_two_sum(q, rest.hi / b.hi);
}

// Returns a * power_of_two. The product is exact unless it underflows.
TERMSIFT_INLINE DoubleDouble scale(DoubleDouble a, double power_of_two) {
  return {a.hi * power_of_two, a.lo * power_of_two};
}

// Returns `count` exactly. An int64 above 2^53 may not fit one double, so its high and low 32 bits are converted separately.
TERMSIFT_INLINE DoubleDouble exact_double(std::int64_t count) {
  const std::int64_t low = count & 0xffffffff;
  return quick_two_sum(static_cast<double>(count - low), static_cast<double>(low));
}
TERMSIFT_INLINE DoubleDouble exact_double(double count) { return {count, 0}; }

}  // namespace TERMSIFT_TARGET
}  // namespace termsift

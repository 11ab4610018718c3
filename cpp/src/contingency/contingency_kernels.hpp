// The kernels of contingency.hpp's measures. contingency_kernels_impl.hpp holds their one source, compiled once for each
// SIMD target; contingency_targets.cpp chooses among them.
#pragma once

#include "termsift/contingency.hpp"

namespace termsift {

// What the measures know of a class. Pairs (hi, lo) are double-double.
struct ContingencyConstants {
  double r_hi, r_lo;        // r, the row total of the class
  double rest_hi, rest_lo;  // g - r
  double g_hi, g_lo;        // g, the grand total
  double spread;            // g / (r (g - r)); any number if the class is all
  double two_over_r, two_over_rest;  // 2 / r, 2 / (g - r)
  double prior_hi, prior_lo, gain;  // log_odds: a_0 / g and 1 + 2 a_0 / g
  bool small;               // all counts, of terms and of classes, are whole and at most 2^26
  double value_unit;        // what values are multiplied by, where counts are not whole numbers
};

inline constexpr int longest_contingency_run = 128;

// n terms of one class, n a multiple of 8; what lanes beyond the last term hold does not matter.
struct ContingencyRun {
  int n;
  const ContingencyConstants* constants;
  const double* a_hi;  // (n,) the cell of class and term
  const double* a_lo;  // (n,) null if all numbers here are whole and at most 2^50: then so are those of t, r and g
  const double* t_hi;  // (n,) the column total of the term
  const double* t_lo;
  double* values;      // (n,) out
  const double* parts;  // (n,) what the measure's cell kernel gives for them; null if that is not known
};

// The values of a class. Of a term that no document has, 0.
using ContingencyKernel = void (*)(const ContingencyRun&);

ContingencyKernel contingency_kernel_in_use(ContingencyMeasure measure);

// What of a value depends on the class and the cell alone, of cells that are whole numbers: n of them, a multiple of 8.
using CellKernel = void (*)(const ContingencyConstants& constants, const double* a, int n, double* parts);

// Null where that is nothing, or not worth remembering.
CellKernel cell_kernel_in_use(ContingencyMeasure measure);

namespace simd {
#define TERMSIFT_DECLARE_TARGET(target)                             \
  namespace target {                                                \
  ContingencyKernel contingency_kernel(ContingencyMeasure measure); \
  CellKernel cell_kernel(ContingencyMeasure measure);               \
  }
TERMSIFT_DECLARE_TARGET(baseline)
#ifdef TERMSIFT_X86_TARGETS
TERMSIFT_DECLARE_TARGET(avx2)
TERMSIFT_DECLARE_TARGET(avx512)
#endif
#undef TERMSIFT_DECLARE_TARGET
}  // namespace simd

}  // namespace termsift

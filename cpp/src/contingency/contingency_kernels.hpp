// The kernels of contingency.hpp's measures.
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

// What of a value depends on the class and the cell alone, of cells that are whole numbers: n of them, a multiple of 8.
using CellKernel = void (*)(const ContingencyConstants& constants, const double* a, int n, double* parts);

// The kernels of one SIMD target (simd/targets.hpp).
struct ContingencyKernels {
  ContingencyKernel (*values_of)(ContingencyMeasure measure);
  CellKernel (*parts_of)(ContingencyMeasure measure);  // null where no part of a value is worth remembering

  static const ContingencyKernels baseline, avx2, avx512;
};

}  // namespace termsift

// The interface of the kernels that compute contingency.hpp's measures.
#pragma once

#include "termsift/contingency.hpp"

namespace termsift {

// The numbers of a class that a measure reads. Pairs (hi, lo) are double-double.
struct ContingencyConstants {
  double r_hi, r_lo;        // r, the row total of the class
  double rest_hi, rest_lo;  // g - r
  double g_hi, g_lo;        // g, the grand total
  double spread;            // g / (r (g - r)); any number if the class holds all
  double two_over_r, two_over_rest;    // 2 / r, 2 / (g - r)
  double b1, b2_hi, b2_lo;             // the smoothing, in the unit of the counts
  double prior_hi, prior_lo, gain;     // for log_odds: b2 / g, and 1 + 2 b2 / g
  double mean_r, unit;                 // for c_tfidf: the whole tokens of an average class, and one token
  bool small;               // all counts, of terms and of classes, are whole and at most 2^26
  double value_unit;        // the factor from a value in the model's unit to the value of the counts
};

// What the classes from which a term is absent add to its sum, known from t alone.
enum class Absent : std::uint8_t {
  nothing,
  minus_infinity,
  infinity,
  product,  // value(0, t, c) = h_c k(t)
  each      // value(0, t, c) has no such form, and is computed for each class and t
};

// The properties of a measure that the code around the kernels uses.
struct MeasureFacts {
  const char* name = nullptr;
  // Whether the numbers of the 2 x 2 table count tokens; otherwise they count documents.
  bool cells_are_tokens = false, column_totals_are_tokens = false, row_totals_are_tokens = false;
  bool compares_classes = true;
  Absent absent = Absent::nothing;
  bool reads_b1 = false;     // for b1 = 0, `absent` is minus_infinity
  bool grows_with_r = true;  // value(0, t, c) grows with r; otherwise it falls
  double degree = 0;         // counts multiplied by s make values s^degree times as large
  double (*h)(const ContingencyConstants&) = nullptr;  // of Absent::product, for a class that does not hold all
  bool direction_is_sign = false;  // the direction of a class and a term is the sign of the value; otherwise that of det
  bool b2_is_prior_mass = false;   // b2 / g must not leave the range of the kernel
};

inline constexpr int longest_contingency_batch = 128;

// n terms of one class, n a multiple of 8. Lanes beyond the last term may hold anything.
struct ContingencyBatch {
  int n;
  const ContingencyConstants* constants;
  const double* a_hi;  // (n,) the cell of class and term
  const double* a_lo;  // (n,) null if all numbers here are whole and at most 2^50, as then are t, r and g
  const double* t_hi;  // (n,) the column total of the term
  const double* t_lo;
  double* values;  // (n,) out
};

// Computes the values of a class. The value of a term that no document has is 0.
using ContingencyKernel = void (*)(const ContingencyBatch&);

// The kernels of one SIMD target (simd/targets.hpp).
struct ContingencyKernels {
  ContingencyKernel (*values_of)(ContingencyMeasure measure);

  static const ContingencyKernels baseline, avx2, avx512;
};

}  // namespace termsift

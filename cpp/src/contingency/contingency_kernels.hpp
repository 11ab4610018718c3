// The interface of the kernels that compute the measures of termsift/contingency.hpp.
#pragma once

#include "termsift/contingency.hpp"
#include "termsift/double_double.hpp"

namespace termsift {

// The constants of one class in the formulas of the measures.
struct ContingencyConstants {
  DoubleDouble r;                    // the row total of the class
  DoubleDouble rest;                 // g - r
  DoubleDouble g;                    // the grand total
  double spread;                     // g / (r (g - r)); arbitrary if r = g
  double two_over_r, two_over_rest;  // 2 / r, 2 / (g - r)
  double b1;                         // the smoothing parameter b1, scaled like the counts
  DoubleDouble b2;
  DoubleDouble prior;                // for log_odds: b2 / g
  double gain;                       // for log_odds: 1 + 2 b2 / g
  double mean_r;                     // for c_tfidf: the mean number of tokens per class, rounded down and scaled
  double n_classes;                  // for cmfs: the number of classes with documents
  double unit;                       // 1, scaled like the counts
  bool small;               // true if all counts of terms and classes are whole numbers up to 2^26
  double value_unit;        // the factor that converts a value of scaled counts to the value of unscaled counts
};

// Forms of value(0, t, c), the value of a term with the column total t in a class c that lacks the term.
enum class Absent : std::uint8_t {
  nothing,
  minus_infinity,
  infinity,
  product,  // value(0, t, c) = h_c k(t) for some function k
  each      // value(0, t, c) is computed for each class and each t
};

// The properties of a measure that the code around the kernels uses.
struct MeasureFacts {
  const char* name = nullptr;
  // A flag is true if the cells or totals in its name count tokens, and false if these cells or totals count documents.
  bool cells_are_tokens = false, column_totals_are_tokens = false, row_totals_are_tokens = false;
  bool reads_tokens = false;  // true if the measure counts documents and also reads l_i, the tokens of the term
  bool compares_classes = true;
  Absent absent = Absent::nothing;
  bool reads_b1 = false;     // true if the measure uses b1; if b1 = 0, `absent` is minus_infinity
  bool grows_with_r = true;  // true if value(0, t, c) increases with r, false if it decreases
  double degree = 0;         // if counts are multiplied by s, values are multiplied by s^degree
  double (*h)(const ContingencyConstants&) = nullptr;  // h_c of Absent::product, for r < g
  bool direction_is_sign = false;  // true if the direction is the sign of the value, false if it is the sign of det
  bool b2_is_prior_mass = false;   // true if b2 is the mass of a prior; b2 / g is then checked (contingency_task.cpp)
};

// The column total of a term.
struct ColumnTotal {
  DoubleDouble t;
  double tokens = 0;  // l_i if the measure reads tokens (MeasureFacts::reads_tokens), otherwise 0
};

inline constexpr int longest_contingency_batch = 128;

// n terms of one class. n is a multiple of 8, and unused elements may hold any numbers.
struct ContingencyBatch {
  int n;
  const ContingencyConstants* constants;
  const double* a_hi;  // (n,) the cell of class and term
  const double* a_lo;  // (n,) null if all a, t, r and g are whole numbers up to 2^50
  const double* t_hi;  // (n,) the column total of the term
  const double* t_lo;
  double* values;  // (n,) out
  const double* tokens = nullptr;  // (n,) the tokens of the term; null unless the measure reads tokens
};

// Computes the values of terms in one class. If a term occurs in no document, its value is 0.
using ContingencyKernel = void (*)(const ContingencyBatch&);

// The kernels of one SIMD target (simd/targets.hpp).
struct ContingencyKernels {
  ContingencyKernel (*values_of)(ContingencyMeasure measure);

  static const ContingencyKernels baseline, avx2, avx512;
};

}  // namespace termsift

// Counts -> what a measure of contingency.hpp reads: cells, and the totals of classes and terms.
#pragma once

#include <cstdint>
#include <vector>

#include "contingency/contingency_kernels.hpp"
#include "termsift/contingency.hpp"

namespace termsift {

// What the classes that lack a term add to its sum, from t alone:
enum class Missing : std::uint8_t {
  nothing,
  minus_infinity,
  infinity,
  product,  // value(0, t, c) = h_c k(t)
  each      // no closed form
};

struct MeasureFacts {
  bool cells_are_tokens, column_totals_are_tokens, row_totals_are_tokens;  // else documents
  Missing missing;
  bool grows_with_r;  // value(0, t, c), with r; else it falls
  double degree;      // of homogeneity: counts scaled by s make values s^degree times as large
};
MeasureFacts facts_of(ContingencyMeasure measure);

// A class that takes part.
struct ContingencyClass {
  std::int64_t row;     // in ClassCounts::rows
  double weight;        // pi_c in a mean, else 1
  double product;       // h_c, 0 if the class is all or the measure has none
  ContingencyConstants constants;
};

struct ContingencyModel {
  MeasureFacts facts;
  // In the order of value(0, t, c), the largest first, equals by row: of the classes that lack a term the first has the
  // largest value.
  std::vector<ContingencyClass> classes;
  bool whole = false;  // all counts are whole numbers and at most 2^50
  double unit = 1;     // what counts are multiplied by
};

// O(n_classes).
template <CountType Count>
ContingencyModel make_contingency_model(const ClassCounts<Count>& counts, const ContingencyOptions& options,
                                        ContingencyMeasure measure, Aggregate aggregate);

}  // namespace termsift

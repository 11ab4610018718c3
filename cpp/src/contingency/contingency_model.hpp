// Counts -> what a measure of contingency.hpp reads: cells, and the totals of classes and terms.
#pragma once

#include <cstdint>
#include <vector>

#include "contingency/contingency_kernels.hpp"

namespace termsift {

// A class that takes part.
struct ContingencyClass {
  std::int64_t row;  // in ClassCounts::rows
  double weight;     // pi_c in a mean, otherwise 1
  double product;    // MeasureFacts::h, 0 if the class holds all or the measure has none
  ContingencyConstants constants;
};

struct ContingencyModel {
  MeasureFacts facts;
  // Sorted by decreasing value(0, t, c), ties by row: of the classes from which a term is absent, the first has the largest
  // value.
  std::vector<ContingencyClass> classes;
  bool whole = false;  // all counts are whole numbers and at most 2^50
  double unit = 1;     // the factor that counts are multiplied by
};

// O(n_classes).
template <CountType Count>
ContingencyModel make_contingency_model(const ClassCounts<Count>& counts, const Estimation& estimation,
                                        ContingencyMeasure measure, Aggregate aggregate);

}  // namespace termsift

// Passes the terms of one class through a contingency kernel, one batch at a time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "termsift/double_double.hpp"
#include "contingency/column_totals.hpp"
#include "contingency/contingency_kernels.hpp"

namespace termsift {

inline constexpr int batch_terms = longest_contingency_batch;

// Divides [first, last) into batches [begin, begin + n), and calls use(begin, n) for each.
template <class Use>
void for_each_batch(std::int64_t first, std::int64_t last, const Use& use) {
  for (std::int64_t begin = first; begin < last; begin += batch_terms)
    use(begin, static_cast<int>(std::min<std::int64_t>(batch_terms, last - begin)));
}

class TermBatch {
 public:
  TermBatch(ContingencyKernel kernel, const ContingencyModel& model)
      : kernel_(kernel), whole_(model.whole), unit_(model.unit) {}

  // Sets the cell a and the column total t of term j of the batch.
  void set(int j, DoubleDouble a, DoubleDouble t) {
    a_hi_[j] = a.hi, t_hi_[j] = t.hi;
    if (!whole_) a_lo_[j] = a.lo, t_lo_[j] = t.lo;
  }
  // Returns the values of terms 0 to n - 1 of the batch, n <= batch_terms.
  const double* values(int n, const ContingencyConstants& constants) {
    const int padded = std::min((n + 7) / 8 * 8, batch_terms);
    for (int j = n; j < padded; ++j) set(j, {0, 0}, {0, 0});
    kernel_({padded, &constants, a_hi_, whole_ ? nullptr : a_lo_, t_hi_, whole_ ? nullptr : t_lo_, values_});
    return values_;
  }
  // Returns the values of the entries [begin, begin + n) of a class, n <= batch_terms. `totals` has the column totals of the
  // chunk whose first term is `first`.
  template <CountType Count>
  const double* values_of_entries(const Frequencies<Count>& cells, const TermId* terms, std::int64_t begin, int n,
                                  const ColumnTotals<Count>& totals, std::int64_t first,
                                  const ContingencyConstants& constants) {
    with_width(cells, [&](const auto& values) {
      for (int j = 0; j < n && whole_; ++j) a_hi_[j] = static_cast<double>(values[begin + j]);
      for (int j = 0; j < n && !whole_; ++j) {
        const DoubleDouble a = scale(exact_double(static_cast<Count>(values[begin + j])), unit_);
        a_hi_[j] = a.hi, a_lo_[j] = a.lo;
      }
    });
    for (int j = 0; j < n; ++j) t_hi_[j] = totals.hi()[terms[begin + j] - first];
    for (int j = 0; j < n && !whole_; ++j) t_lo_[j] = totals.lo()[terms[begin + j] - first];
    return this->values(n, constants);
  }

 private:
  const ContingencyKernel kernel_;
  const bool whole_;
  const double unit_;
  double a_hi_[batch_terms], a_lo_[batch_terms], t_hi_[batch_terms], t_lo_[batch_terms], values_[batch_terms];
};

}  // namespace termsift

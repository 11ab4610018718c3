// Passes the terms of one class through a contingency kernel, one batch at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "termsift/double_double.hpp"
#include "contingency/column_totals.hpp"
#include "contingency/contingency_kernels.hpp"

namespace termsift {

inline constexpr int batch_terms = longest_contingency_batch;

// Calls use(begin, n) for [first, last) in batches [begin, begin + n).
template <class Use>
void for_each_batch(std::int64_t first, std::int64_t last, const Use& use) {
  for (std::int64_t begin = first; begin < last; begin += batch_terms)
    use(begin, static_cast<int>(std::min<std::int64_t>(batch_terms, last - begin)));
}

// The results of a cell kernel for every whole number up to each class's total, which no cell exceeds. They are kept only if
// far fewer than the pairs of a term and a class: many pairs then have equal cells.
class CellParts {
 public:
  CellParts(const ContingencyModel& model, CellKernel kernel, std::int64_t n_pairs, const Threads& threads) {
    if (kernel == nullptr || !model.whole) return;
    const auto n_classes = static_cast<std::int64_t>(model.classes.size());
    std::vector<std::int64_t> begin{0};
    for (const ContingencyClass& c : model.classes) {
      if (c.constants.r_hi > static_cast<double>(n_pairs)) return;
      begin.push_back(begin.back() + static_cast<std::int64_t>(c.constants.r_hi) / 8 * 8 + 8);
      if (4 * begin.back() > n_pairs) return;
    }
    parts_.resize(static_cast<std::size_t>(begin.back()));
    for_each_block(n_classes, worth(threads, begin.back()), [&](std::int64_t block, Worker&) {
      double a[batch_terms];
      const auto k = static_cast<std::size_t>(block);
      for_each_batch(begin[k], begin[k + 1], [&](std::int64_t first, int n) {
        std::iota(a, a + n, static_cast<double>(first - begin[k]));
        kernel(model.classes[k].constants, a, n, parts_.data() + first);
      });
    });
    begin_ = std::move(begin);
  }

  // The results of class k by cell, or null if none are kept.
  const double* of_class(std::size_t k) const { return begin_.empty() ? nullptr : parts_.data() + begin_[k]; }

 private:
  std::vector<std::int64_t> begin_;
  std::vector<double> parts_;
};

class TermBatch {
 public:
  TermBatch(ContingencyKernel kernel, const ContingencyModel& model)
      : kernel_(kernel), whole_(model.whole), unit_(model.unit) {}

  // Sets term j of the batch: its cell a and its column total t.
  void set(int j, DoubleDouble a, DoubleDouble t) {
    a_hi_[j] = a.hi, t_hi_[j] = t.hi;
    if (!whole_) a_lo_[j] = a.lo, t_lo_[j] = t.lo;
  }
  // Returns the values of the first n <= batch_terms terms that were set.
  const double* values(int n, const ContingencyConstants& constants, const double* parts = nullptr) {
    const int padded = std::min((n + 7) / 8 * 8, batch_terms);
    for (int j = n; j < padded; ++j) set(j, {0, 0}, {0, 0});
    kernel_({padded, &constants, a_hi_, whole_ ? nullptr : a_lo_, t_hi_, whole_ ? nullptr : t_lo_, values_, parts});
    return values_;
  }
  // Returns the values of the entries [begin, begin + n) of a class, n <= batch_terms. `totals` are those of the chunk of
  // terms from `first` on, `parts` is CellParts::of_class.
  template <CountType Count>
  const double* values_of_entries(const Frequencies<Count>& cells, const TermId* terms, std::int64_t begin, int n,
                                  const ColumnTotals<Count>& totals, std::int64_t first, const double* parts,
                                  const ContingencyConstants& constants) {
    with_width(cells, [&](const auto& values) {
      for (int j = 0; j < n && parts != nullptr; ++j) parts_[j] = parts[static_cast<std::int64_t>(values[begin + j])];
      for (int j = 0; j < n && whole_; ++j) a_hi_[j] = static_cast<double>(values[begin + j]);
      for (int j = 0; j < n && !whole_; ++j) {
        const DoubleDouble a = scale(exact_double(static_cast<Count>(values[begin + j])), unit_);
        a_hi_[j] = a.hi, a_lo_[j] = a.lo;
      }
    });
    for (int j = 0; j < n; ++j) t_hi_[j] = totals.hi()[terms[begin + j] - first];
    for (int j = 0; j < n && !whole_; ++j) t_lo_[j] = totals.lo()[terms[begin + j] - first];
    return this->values(n, constants, parts == nullptr ? nullptr : parts_);
  }

 private:
  const ContingencyKernel kernel_;
  const bool whole_;
  const double unit_;
  double a_hi_[batch_terms], a_lo_[batch_terms], t_hi_[batch_terms], t_lo_[batch_terms], parts_[batch_terms] = {},
      values_[batch_terms];
};

}  // namespace termsift

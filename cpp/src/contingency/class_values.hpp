// Computes the values of terms in one class. Terms that are absent from the class have the same value if their column totals
// are equal, so this value is computed only once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "termsift/double_double.hpp"
#include "contingency/column_totals.hpp"

namespace termsift {

inline bool is_less(DoubleDouble x, DoubleDouble y) { return x.hi != y.hi ? x.hi < y.hi : x.lo < y.lo; }

// Returns the column totals (n_terms,) of all terms, scaled by the model's unit. O(pairs).
template <CountType Count>
std::vector<DoubleDouble> totals_of_terms(const ContingencyTask<Count>& task, const Threads& threads);

// The terms, grouped by column total. If totals are whole numbers, few are distinct: n distinct totals add up to at least
// n (n - 1) / 2, and all totals add up to the size of the collection.
class TermsByTotal {
 public:
  // O(n_terms log(n_terms)).
  TermsByTotal(const std::vector<DoubleDouble>& of_terms, const Threads& threads);

  const std::vector<DoubleDouble>& totals() const { return totals_; }  // distinct and increasing
  // Returns the terms with the i-th total in increasing order.
  std::span<const TermId> terms(std::size_t i) const { return {&terms_[starts_[i]], starts_[i + 1] - starts_[i]}; }

 private:
  std::vector<TermId> terms_;
  std::vector<DoubleDouble> totals_;
  std::vector<std::size_t> starts_;  // (n_totals + 1,)
};

// Writes the values (n,) of n terms in the model's k-th class. The terms must be increasing. `totals` has all column totals.
// O(n + pairs of the class).
template <CountType Count>
void values_of_terms(const ContingencyTask<Count>& task, std::size_t k, std::span<const TermId> terms,
                     const std::vector<DoubleDouble>& totals, double* values);

// Writes the values (n,) of terms that are absent from the model's k-th class. values[i] is the value of a term with the
// column total totals[i].
template <CountType Count>
void values_if_absent(const ContingencyTask<Count>& task, std::size_t k, const std::vector<DoubleDouble>& totals,
                      double* values);

}  // namespace termsift

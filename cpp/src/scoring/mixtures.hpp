// Computes the value of a term in one class without visiting the other classes. For the other classes, the term's mixture
// T = sum_k w_k x_ik is enough (pair_model.hpp). Only classes that have the term are visited to sum T.
#pragma once

#include <vector>

#include "scoring/block_scores.hpp"
#include "scoring/pair_model.hpp"

namespace termsift {

// Bounds of values have this relative margin. It covers the relative errors of class_results() and of PairKernels::values,
// which are up to 1e-14.
inline constexpr double bound_margin = 1e-9;

struct Mixtures {
  std::vector<double> U_hi, U_lo;           // (n_terms,) U = T - T_0
  std::vector<unsigned char> n_classes_of;  // (n_terms,) min(2, the number of classes with the term)

  // Returns the terms that occur in any class, sorted by decreasing T.
  std::vector<TermId> seen_terms(const Threads& threads) const;
};

// Returns true if a PairModel can describe the classes, and a double holds every count exactly. O(n_classes), or O(pairs)
// for counts above 2^32.
template <CountType Count>
bool fits_pair_values(const ClassCounts<Count>& counts, const Estimation& estimation);

// Returns true if fits_pair_values(), and classes have few terms. With few terms per class, searches by mixtures are faster
// than class_results() for all terms.
template <CountType Count>
bool pair_values_pay(const ClassCounts<Count>& counts, const Estimation& estimation);

// Requires fits_pair_values(). O(pairs).
template <CountType Count>
Mixtures sum_mixtures(const ScoreTask<Count>& task, const PairModel& pairs, const Threads& threads);

// Some terms in one class, and their values.
struct ValueBlock {
  int n = 0;  // at most block_terms
  double l[block_terms], U_hi[block_terms], U_lo[block_terms], values[block_terms];
  unsigned char doubtful[block_terms];

  // Adds a term that occurs l_ic times in the class.
  void add(double l_ic, const Mixtures& sums, TermId term) {
    l[n] = l_ic, U_hi[n] = sums.U_hi[static_cast<std::size_t>(term)], U_lo[n] = sums.U_lo[static_cast<std::size_t>(term)];
    ++n;
  }
  // Sets `values` and `doubtful` for the k-th nonempty class.
  void evaluate(const PairModel& pairs, std::size_t k, Measure measure);
};

}  // namespace termsift

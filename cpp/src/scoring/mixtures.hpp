// Sums the mixture T = sum_k w_k x_ik of each term over the classes that have the term (pair_model.hpp). Given the mixture,
// PairKernels::values computes the term's value in any class without a visit to the other classes.
#pragma once

#include <vector>

#include "scoring/block_scores.hpp"
#include "scoring/pair_model.hpp"

namespace termsift {

struct Mixtures {
  std::vector<double> U_hi, U_lo;           // (n_terms,) U = T - T_0
  std::vector<unsigned char> n_classes_of;  // (n_terms,) min(2, the number of classes with the term)
};

// Returns true if a PairModel can describe the classes, and a double can hold every count. O(n_classes), or O(pairs) for
// counts above 2^32.
template <CountType Count>
bool fits_pair_values(const ClassCounts<Count>& counts, const Estimation& estimation);

// Requires fits_pair_values(). O(pairs).
template <CountType Count>
Mixtures sum_mixtures(const ScoreTask<Count>& task, const PairModel& pairs, const Threads& threads);

}  // namespace termsift

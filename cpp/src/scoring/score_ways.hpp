// Two algorithms that compute scores. Their results are equal up to rounding.
#pragma once

#include "termsift/scores.hpp"

namespace termsift {

// Computes the scores of all terms from their counts in all classes. O(n_classes * n_terms). With few classes, each distinct
// pattern of counts is scored only once, which changes no bit of a score.
template <CountType Count>
void score_dense(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
                 const Threads& threads, double* scores);

// Visits only the classes that have a term. The contribution of all other classes is derived from the sum over all classes
// for a term that is absent from all (pair_model.hpp). O(pairs). Terms that would lose digits are scored as in score_dense.
// Requires Aggregate::sum or Aggregate::mean, b1 > 0, and totals in the range of most_pair_total.
template <CountType Count>
void score_sparse(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
                  const Threads& threads, double* scores);

// Returns true if `score` calls score_sparse. The result depends only on the arguments, so neither the number of threads nor
// the SIMD target changes a bit of a score.
template <CountType Count>
bool sparse_pays(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate);

}  // namespace termsift

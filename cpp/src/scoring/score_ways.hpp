// Two algorithms that compute the same scores, up to rounding.
#pragma once

#include "termsift/scores.hpp"

namespace termsift {

// Computes the scores of all terms from their counts in all classes. O(n_classes * n_terms). With few classes, each distinct
// pattern of counts is scored only once, which changes no bit of a score.
template <CountType Count>
void score_dense(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
                 const Threads& threads, double* scores);

// For each term, visits only the classes that have the term. The contribution of the other classes is derived from the sum
// over all classes for an absent term (pair_model.hpp). O(pairs). Terms that would lose digits are scored as in score_dense.
// Requires b1 > 0 and fits_pair_model() for all classes. Aggregate::max also requires fits_pair_values().
template <CountType Count>
void score_sparse(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
                  const Threads& threads, double* scores);

// Does the work of score_sparse for Aggregate::max.
template <CountType Count>
void score_largest(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, const Threads& threads,
                   double* scores);

// Returns true if `score` calls score_sparse. The result does not depend on the number of threads or the SIMD target.
template <CountType Count>
bool sparse_pays(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate);

}  // namespace termsift

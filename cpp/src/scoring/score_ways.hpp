// The two ways to compute the same scores, up to rounding.
#pragma once

#include "termsift/scores.hpp"

namespace termsift {

// Computes the scores from every class of every term that occurs: O(n_classes * n_terms). With few classes, computes them
// from every pattern of counts that occurs, with the same bits.
template <CountType Count>
void score_dense(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
                 const Threads& threads, double* scores);

// Computes the scores from the classes that have a term, and a sum over all classes as if it were absent from each
// (pair_model.hpp): O(pairs). Terms that would lose digits are scored as by score_dense. Requires the aggregate sum or mean,
// b1 > 0, and totals within most_pair_total.
template <CountType Count>
void score_sparse(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
                  const Threads& threads, double* scores);

// Returns whether `score` calls score_sparse. Depends only on its arguments, so that neither the number of threads nor the
// SIMD target changes a bit of a score.
template <CountType Count>
bool sparse_pays(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate);

}  // namespace termsift

// The two ways to the same scores, up to rounding.
#pragma once

#include "termsift/scores.hpp"

namespace termsift {

// Every class of every term that occurs: O(n_classes * n_terms); or of every column that occurs, where few classes leave
// few columns (small_columns.hpp), to the same bits.
template <CountType Count>
void score_dense(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
                 const Threads& threads, double* scores);

// Only the classes that have a term, beside the sum over all as if they lacked it (pair_model.hpp): O(pairs). Terms for
// which that would lose digits are scored as by score_dense. Aggregate sum or mean, b1 > 0, totals within most_pair_total.
template <CountType Count>
void score_sparse(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
                  const Threads& threads, double* scores);

// Which of them `score` takes: true for sparse. A function of its arguments alone, so that no thread or target changes a
// bit of a score.
template <CountType Count>
bool sparse_pays(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate);

}  // namespace termsift

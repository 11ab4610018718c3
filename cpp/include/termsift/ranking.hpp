// Ranks terms by their scores, or by taking terms in turn from one list per class.
#pragma once

#include <cstdint>

#include "termsift/contingency.hpp"
#include "termsift/parallel.hpp"
#include "termsift/scores.hpp"

namespace termsift {

// Writes the indices (k,) of the k largest of n scores, largest first. Equal scores are ordered by index. Precondition: no
// score is NaN, and 0 <= k <= n. Only the k largest scores are sorted, in O(n + k log k), so finding the best thousand of a
// million scores takes little more than one pass.
void top_k(const double* scores, std::int64_t n, std::int64_t k, const Threads& threads, std::int64_t* indices);

// Writes sums[i] = values[0] + ... + values[i] with a relative error of at most 1e-15. The sums never decrease. Values must
// not be negative, but may be infinite.
void running_sums(const double* values, std::int64_t n, double* sums);

// Every compared class has a list of all terms, ordered by their values in this class, largest first. Equal values in a list
// are ordered by index. The place of a term is its best position in any list. Terms are ranked by place, and terms with the
// same place by index.
//
// Writes the first k <= n_terms terms. For each term, also writes its class and its value in that class. A term's class is
// the first class whose list ranks the term best. If no class has documents, the class of every term is 0.
//
// AnyMeasure is Measure or ContingencyMeasure. Throws as class_results() does for the measure. Takes O(n_classes * n_terms)
// time if k is a small part of n_terms. If each class has few of the terms, a ContingencyMeasure takes
// O(pairs + n_classes * distinct column totals). A Measure with smoothing takes
// O(pairs + n_classes * terms that can be among the best of a class). Scratch memory: up to 32 MiB (or 1,024 values of each
// class, if these are larger) for values, and up to 128 MiB (or 64 places of each class) for lists. A ContingencyMeasure
// with more than 64 classes may take another 50 bytes per term, plus 1 byte per term for each thread. Lists that would take
// more memory are computed in parts, and the values are recomputed for each part.
template <CountType Count, class AnyMeasure>
void round_robin(const ClassCounts<Count>& counts, const Estimation& estimation, AnyMeasure measure, std::int64_t k,
                 const Threads& threads, std::int64_t* indices, double* scores, std::int64_t* classes);

}  // namespace termsift

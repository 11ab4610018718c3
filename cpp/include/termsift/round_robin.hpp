// Class scores -> ranking: the lists of the classes take turns.
#pragma once

#include <cstdint>

#include "termsift/contingency.hpp"
#include "termsift/scores.hpp"

namespace termsift {

// Every class that takes part lists all terms by its own values, largest first, ties by index. A term's place is its best
// position in any list. Terms are ranked by place, and by index within a place; no term is repeated.
//
// Writes the first k <= n_terms terms, and for each the class that gives it its place (a row of the counts, the first of
// several) and its value in that class. If no class has documents, the class is 0. AnyMeasure is Measure or
// ContingencyMeasure; throws as class_scores() of that measure does. O(n_classes * n_terms) time if k is a small part of
// n_terms; for a Measure with smoothing, if classes have few of the terms, O(pairs + n_classes * terms that can be among the
// best of a class). Scratch: up to 32 MiB of values and 128 MiB of lists or, if larger, 1,024 terms and 64 places of each
// class. A ranking that needs longer lists computes the values again for each part of them.
template <CountType Count, class AnyMeasure>
void round_robin(const ClassCounts<Count>& counts, const Estimation& estimation, AnyMeasure measure, std::int64_t k,
                 const Threads& threads, std::int64_t* indices, double* scores, std::int64_t* classes);

}  // namespace termsift

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
// n_terms. If classes have few of the terms, it takes O(pairs + n_classes * terms that can be among the best of a class) for
// a Measure with smoothing, and O(pairs + n_classes * distinct column totals) for a ContingencyMeasure. Scratch: up to 32
// MiB of values and 128 MiB of lists or, if larger, 1,024 terms and 64 places of each class. A ContingencyMeasure of more
// than 64 classes may take another 50 bytes a term, and 9 for each thread. A ranking that needs longer lists computes the
// values again for each part of them.
template <CountType Count, class AnyMeasure>
void round_robin(const ClassCounts<Count>& counts, const Estimation& estimation, AnyMeasure measure, std::int64_t k,
                 const Threads& threads, std::int64_t* indices, double* scores, std::int64_t* classes);

// Writes the first k <= n_terms terms of each class's list, with their values: (n_classes that take part, k), row-major.
// Time is that of round_robin. Scratch: as there, but lists of up to 32 k bytes for each class.
template <CountType Count, class AnyMeasure>
void best_of_classes(const ClassCounts<Count>& counts, const Estimation& estimation, AnyMeasure measure, std::int64_t k,
                     const Threads& threads, std::int64_t* indices, double* scores);

}  // namespace termsift

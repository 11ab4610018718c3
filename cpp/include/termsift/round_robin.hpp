// Class scores -> ranking: the classes' own lists take turns.
#pragma once

#include <cstdint>

#include "termsift/contingency.hpp"
#include "termsift/scores.hpp"

namespace termsift {

// Every class that takes part lists all terms by its own value, the largest first and equals by index. A term's place is its
// best position in a list. The terms of the first place come first, by index, then those of the second, each term once.
//
// Writes the first k <= n_terms terms, and the values that earned them their places, in the first class of several.
// O(n_classes * n_terms) time for lists of which a small part is wanted. Scratch: 32 MiB of values and 128 MiB of lists,
// or 1,024 terms and 64 places of each class; a ranking that needs longer lists works out the values again for each part.
template <CountType Count>
void round_robin(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, std::int64_t k,
                 const Threads& threads, std::int64_t* indices, double* scores);
template <CountType Count>
void round_robin(const ClassCounts<Count>& counts, const ContingencyOptions& options, ContingencyMeasure measure,
                 std::int64_t k, const Threads& threads, std::int64_t* indices, double* scores);

}  // namespace termsift

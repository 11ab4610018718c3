// Wilcoxon's rank-sum test of each term: do the documents of one corpus use it more than those of another?
#pragma once

#include <cstdint>
#include <span>

#include "termsift/csr_view.hpp"

namespace termsift {

// Sets z[t] to the z-score of the test of term t (the formula is in rank_sums.cpp). The test compares the rates of the term
// in the documents: its number of occurrences, divided by the document's tokens. The first corpus has the first n_first
// documents of `documents`, which holds rows of x, and the second corpus has the others. Documents without tokens are left
// out. Throws as check_csr does, and std::invalid_argument for a row that x does not have. O(entries log entries) time at
// most, and in texts 4 to 9 times as long as counting. Memory is 4 bytes per entry, 40 per term, and some 64 for each pair
// of a document and a number of occurrences in it.
void rank_sums(const AnyCsr& x, std::span<const std::int64_t> documents, std::int64_t n_first, const Threads& threads,
               double* z);

}  // namespace termsift

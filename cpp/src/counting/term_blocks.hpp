// Counting by term blocks, where a stream holds some terms of all classes: the path of few classes and a huge vocabulary,
// where the counters of one class would not stay in the cache.
#pragma once

#include <cstdint>

#include "counting/streams.hpp"
#include "termsift/counting.hpp"

namespace termsift {

// The largest number of rows (classes and the collection) for which a block can hold 64 terms.
inline constexpr std::int64_t most_rows_of_term_blocks = 2048;

// Works as count_by_class_streams does, with windows of documents. Reads the matrix twice: first it checks the entries and
// counts those of each block.
//
// O(n_entries + n_windows n_classes n_terms); all additions stay in the cache. Memory besides the rows: window_bytes, or 4
// bytes for each entry of one document; a second copy of the rows while blocks are joined; 1 MiB for each thread.
template <CountType Count>
Streamed<Count> count_by_term_blocks(const StreamSource& source, std::int64_t window_bytes, const Threads& threads);

}  // namespace termsift

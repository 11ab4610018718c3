// Counting by term blocks: a stream holds some terms of all classes. The way for few classes and a huge vocabulary, where
// the counters of one class would not stay in the cache.
#pragma once

#include <cstdint>

#include "counting/streams.hpp"
#include "termsift/counting.hpp"

namespace termsift {

// Rows (classes and the collection) of which a block can hold 64 terms.
inline constexpr std::int64_t most_rows_of_term_blocks = 2048;

// Like count_by_class_streams, with windows of documents. Reads the matrix twice: the first look also says how many entries
// each block has.
//
// O(n_entries + n_windows n_classes n_terms) with additions that stay in the cache. Extra memory besides the rows:
// window_bytes, or 4 bytes for each entry of one document; a second copy of the rows while blocks are put together; 1 MiB
// for each thread.
template <CountType Count>
Streamed<Count> count_by_term_blocks(const StreamSource& source, std::int64_t window_bytes, const Threads& threads);

}  // namespace termsift

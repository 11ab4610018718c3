// Counting by class streams: a stream holds all terms of one class. The way for most collections.
#pragma once

#include <cstdint>

#include "counting/streams.hpp"
#include "termsift/counting.hpp"

namespace termsift {

// Copies the entries into the streams of their classes, as many classes at a time as fit into window_bytes (or as many
// documents of one class), and adds the streams up. One read of the matrix, also to check it.
//
// `notes_touched`: do not look through all terms of each class for those that occur (many classes).
//
// O(n_entries + n_windows n_docs) and, unless notes_touched, O(n_classes n_terms). Extra memory besides the rows:
// window_bytes, or 4 bytes for each entry of one document; for each thread 4 bytes a term, up to 8 more where counters
// overflow, and 16 a class.
template <CountType Count>
Streamed<Count> count_by_class_streams(const StreamSource& source, bool notes_touched, std::int64_t window_bytes,
                                       const Threads& threads);

}  // namespace termsift

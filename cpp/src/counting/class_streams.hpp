// Counting by class streams, where a stream holds all terms of one class: the path of most collections.
#pragma once

#include <cstdint>

#include "counting/streams.hpp"
#include "termsift/counting.hpp"

namespace termsift {

// Copies the entries to the streams of their classes, as many classes at a time as fit into window_bytes (or as many
// documents of one class), and adds up each stream. Checks the entries while it copies them.
//
// If `notes_touched`, notes the terms of each class while adding, instead of searching all terms. This is faster with many
// classes.
//
// O(n_entries + n_windows n_docs), plus O(n_classes n_terms) unless notes_touched. Besides the rows, this takes
// window_bytes, or 4 bytes for each entry of one document if that is more. Each thread takes 4 bytes a term, up to 8 more
// where counters overflow, and 16 bytes a class.
template <CountType Count>
Streamed<Count> count_by_class_streams(const StreamSource& source, bool notes_touched, std::int64_t window_bytes,
                                       const Threads& threads);

}  // namespace termsift

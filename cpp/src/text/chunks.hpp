// Texts in chunks, the blocks of a parallel loop.
#pragma once

#include <cstdint>
#include <vector>

#include "termsift/texts.hpp"

namespace termsift {

inline constexpr std::int64_t most_chunk_documents = 1 << 12;

inline std::int64_t bytes_of(const Text& text) {
  const std::int64_t unit = text.encoding == TextEncoding::ucs4 ? 4 : text.encoding == TextEncoding::ucs2 ? 2 : 1;
  return unit * text.length;
}

// Returns where chunks begin, and texts.size(): each has documents of about text_tuning().chunk_bytes, at most
// most_chunk_documents, and at least one.
std::vector<std::int64_t> chunk_bounds(Texts texts);

// Prefetches the texts [begin, end), which may lie anywhere.
void prefetch_texts(Texts texts, std::int64_t begin, std::int64_t end);

}  // namespace termsift

#include "text/chunks.hpp"

#include <algorithm>

#include "termsift/portability.hpp"
#include "text/tuning.hpp"

namespace termsift {

std::vector<std::int64_t> chunk_bounds(Texts texts) {
  const std::int64_t chunk_bytes = text_tuning().chunk_bytes;
  std::vector<std::int64_t> bounds{0};
  std::int64_t bytes = 0;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(texts.size()); ++i) {
    const std::int64_t size = bytes_of(texts[static_cast<std::size_t>(i)]);
    if (i > bounds.back() && (bytes + size > chunk_bytes || i - bounds.back() == most_chunk_documents)) {
      bounds.push_back(i);
      bytes = 0;
    }
    bytes += size;
  }
  if (!texts.empty()) bounds.push_back(static_cast<std::int64_t>(texts.size()));
  return bounds;
}

void prefetch_texts(Texts texts, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t line = 64, most = 1 << 12;
  for (std::int64_t i = begin; i < end; ++i) {
    const Text& text = texts[static_cast<std::size_t>(i)];
    const auto* const bytes = static_cast<const char*>(text.data);
    const std::int64_t size = std::min(bytes_of(text), most);  // the hardware prefetches the rest of a longer text
    for (std::int64_t at = 0; at < size; at += line) prefetch(bytes + at);
  }
}

}  // namespace termsift

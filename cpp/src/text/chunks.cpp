#include "text/chunks.hpp"

#include <algorithm>
#include <stdexcept>

#include "text/normaliser.hpp"
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

void throw_first_bad_text(const TextRules& rules, Texts texts, std::int64_t found, const Threads& threads) {
  constexpr std::int64_t piece = 1 << 16;
  Normaliser normaliser(rules, false);
  NormalText text;
  for_each_block(found + 1, {1, threads.poll}, [&](std::int64_t document, Worker& worker) {
    normaliser.open(texts[static_cast<std::size_t>(document)], document);
    while (!normaliser.at_end()) {
      worker.check();
      text.clear();
      normaliser.read(piece, text);
    }
  });
  throw std::logic_error("a text changed while it was read");
}

}  // namespace termsift

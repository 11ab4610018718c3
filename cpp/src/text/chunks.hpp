// Cuts a list of texts into chunks for parallel loops. If several texts are invalid, the error names the first of them.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "termsift/parallel.hpp"
#include "termsift/text_rules.hpp"
#include "termsift/texts.hpp"
#include "text/normaliser.hpp"
#include "text/tuning.hpp"

namespace termsift {

inline constexpr std::int64_t most_chunk_documents = 1 << 12;

// Returns the index of the first document of each chunk, followed by texts.size(). A chunk has about
// text_tuning().chunk_bytes bytes of text, in 1 to most_chunk_documents documents.
inline std::vector<std::int64_t> chunk_bounds(Texts texts) {
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

// Throws the BadText of the first invalid text. Text number `found` is invalid, but an earlier text may be invalid too.
[[noreturn]] inline void throw_first_bad_text(const TextRules& rules, Texts texts, std::int64_t found,
                                              const Threads& threads) {
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

// Calls f(), which cuts `texts` on several threads. If f() throws a BadText, the BadText of the first invalid text is thrown
// instead, so the error is the same on every call. number_of() converts bad.document to a position in `texts`.
template <class F, class NumberOf = std::identity>
void name_first_bad_text(const TextRules& rules, Texts texts, const Threads& threads, const F& f,
                         const NumberOf& number_of = {}) {
  std::int64_t found = 0;
  try {
    return f();
  } catch (const BadText& bad) {
    found = number_of(bad.document);
  }
  throw_first_bad_text(rules, texts, found, threads);
}

// Calls f(chunk, begin, end, worker) for every chunk of documents [begin, end), in parallel like for_each_block(). If f()
// throws a BadText, the BadText of the first invalid text is thrown instead.
template <class F>
void for_each_chunk(const TextRules& rules, Texts texts, const std::vector<std::int64_t>& bounds, const Threads& threads,
                    const F& f) {
  name_first_bad_text(rules, texts, threads, [&] {
    for_each_block(std::ssize(bounds) - 1, threads, [&](std::int64_t block, Worker& worker) {
      const auto chunk = static_cast<std::size_t>(block);
      f(chunk, bounds[chunk], bounds[chunk + 1], worker);
    });
  });
}

}  // namespace termsift

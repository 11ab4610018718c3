// Texts in chunks; a chunk is a block of a parallel loop. If several texts are broken, an error names the first one.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "termsift/parallel.hpp"
#include "termsift/text_rules.hpp"
#include "termsift/texts.hpp"

namespace termsift {

inline constexpr std::int64_t most_chunk_documents = 1 << 12;

// Returns the begins of the chunks, then texts.size(). A chunk has documents of about text_tuning().chunk_bytes, at least
// one and at most most_chunk_documents.
std::vector<std::int64_t> chunk_bounds(Texts texts);

// Throws the BadText of the first broken text. The text `found` is broken, but an earlier one may be unread yet.
[[noreturn]] void throw_first_bad_text(const TextRules& rules, Texts texts, std::int64_t found, const Threads& threads);

// Calls f(), which cuts `texts` on several threads. If f() throws BadText of a document, which is text number_of(document),
// throws the BadText of the first broken text instead, so the error does not depend on the threads.
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

}  // namespace termsift

// Cuts lists of texts into chunks, which are blocks of parallel loops. If several texts are invalid, the error names the
// first invalid text.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "termsift/parallel.hpp"
#include "termsift/text_rules.hpp"
#include "termsift/texts.hpp"

namespace termsift {

inline constexpr std::int64_t most_chunk_documents = 1 << 12;

// Returns the first document of each chunk, followed by texts.size(). A chunk has about text_tuning().chunk_bytes bytes of
// text. It has at least one document and at most most_chunk_documents.
std::vector<std::int64_t> chunk_bounds(Texts texts);

// Throws the BadText of the first invalid text. Text number `found` is known to be invalid, but an earlier text may be
// invalid too.
[[noreturn]] void throw_first_bad_text(const TextRules& rules, Texts texts, std::int64_t found, const Threads& threads);

// Calls f(), which cuts `texts` on several threads. If f() throws a BadText, throws the BadText of the first invalid text
// instead, so the error does not depend on the threads. Document d of f() is text number_of(d) of `texts`.
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

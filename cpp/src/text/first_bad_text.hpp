// The choice of the broken text that an error names.
#pragma once

#include <cstdint>

#include "termsift/parallel.hpp"
#include "termsift/text_rules.hpp"
#include "termsift/texts.hpp"

namespace termsift {

// Throws the BadText of the first broken text. The text `found` is broken, but a thread may not have reached an earlier one.
[[noreturn]] void throw_first_bad_text(const TextRules& rules, Texts texts, std::int64_t found, const Threads& threads);

// Calls f(), which cuts `texts` in their order on several threads. A BadText that it throws becomes that of the first broken
// text, so that the error does not depend on the threads.
template <class F>
void name_first_bad_text(const TextRules& rules, Texts texts, const Threads& threads, const F& f) {
  std::int64_t found = 0;
  try {
    return f();
  } catch (const BadText& bad) {
    found = bad.document;
  }
  throw_first_bad_text(rules, texts, found, threads);
}

}  // namespace termsift

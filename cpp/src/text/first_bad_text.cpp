#include "text/first_bad_text.hpp"

#include <stdexcept>

#include "text/normaliser.hpp"

namespace termsift {

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

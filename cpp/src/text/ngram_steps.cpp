#include <algorithm>

#include "text/thread_counter.hpp"

namespace termsift {

void NgramSteps::start(std::span<const Part> of_words) {
  of_words_.assign(of_words.begin(), of_words.end());
  words_.assign(ids.begin(), ids.end());
  word_ends_.assign(ends.begin(), ends.end());
  if (of_words.empty()) return;
  continues_ = of_words.front().document == document_;
  document_ = of_words.back().document;
}

void NgramSteps::prepare(std::size_t n) {
  parts.clear();
  keys.clear();
  std::uint32_t before = continues_ ? before_[n - 1] : no_term;
  std::size_t first = 0;  // begin of the part's shorter n-grams in `ids`
  for (std::size_t p = 0; p < of_words_.size(); ++p) {
    const auto end = static_cast<std::size_t>(ends[p]);
    // A shorter n-gram and the word after it form an n-gram. The last shorter n-gram waits for the document's next piece.
    const auto add = [&](std::uint32_t prefix, std::size_t after) {
      keys.push_back(NgramKey::of(prefix, words_[static_cast<std::size_t>(word_ends_[p]) - (end - after)]));
    };
    if (p > 0) before = no_term;
    if (before != no_term && first < end) add(before, first);
    for (std::size_t i = first; i + 1 < end; ++i) add(ids[i], i + 1);
    parts.push_back({of_words_[p].document, of_words_[p].owner, static_cast<std::int64_t>(keys.size())});
    if (first < end) before = ids[end - 1];
    first = end;
  }
  if (!of_words_.empty()) before_[n - 1] = before;
  ids.resize(keys.size() + 1);
}

}  // namespace termsift

#include "text/cutter.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "simd/targets.hpp"
#include "text/scan_kernels.hpp"

namespace termsift {
namespace {

constexpr std::int64_t longest_token = std::int64_t{1} << 31, most_at_once = std::int64_t{1} << 29;

// Returns the end of the last unmarked byte in [begin, end), or `begin` if all bytes are marked.
std::int64_t end_of_unmarked(const std::uint64_t* marks, std::int64_t begin, std::int64_t end) {
  for (std::int64_t at = end; at > begin;) {
    const std::int64_t word = (at - 1) / 64, above = 64 * (word + 1) - at;
    const std::uint64_t unmarked = ~marks[word] << above;  // the unmarked bytes among these 64 bytes, up to `at`
    if (unmarked != 0) return std::max(begin, at - std::countl_zero(unmarked));
    at = 64 * word;
  }
  return begin;
}

// Returns the number of bounds that ScanKernels::cut would write.
std::int64_t count_bounds(const std::uint64_t* marks, std::int64_t n_words) {
  std::int64_t n = 0;
  std::uint64_t before = 0;
  for (std::int64_t w = 0; w < n_words; ++w) {
    const std::uint64_t one_before = marks[w] << 1 | before >> 63, two_before = marks[w] << 2 | before >> 62;
    n += std::popcount(one_before & (marks[w] ^ two_before));
    before = marks[w];
  }
  return n;
}

class Words final : public Cutter {
 public:
  Words(const TextRules& rules, std::int64_t piece)
      : Cutter(rules, std::clamp<std::int64_t>(piece, 64, most_at_once), false) {}

  bool next(Tokens& tokens) override {
    tokens.n_tokens = 0;
    tokens.parts.clear();
    // The bytes of the current document begin at `begin`. Unmarked padding may precede its first character, at `first`.
    std::int64_t begin = 0, first = 0;
    if (open_) first = text_.keep_marked(kept_);  // keeps a word whose end has not been read
    else text_.clear();
    std::int64_t wanted = text_.size() + piece_;
    std::int64_t searched = first;  // no word ends between `first` and this byte
    while (text_.size() < wanted) {
      if (!open_) {
        if (next_ == end_) break;
        open_next();
        begin = first = searched = text_.size();
      }
      normaliser_.read(std::min((wanted - text_.size() + 63) / 64 * 64, std::int64_t{1} << 20), text_);
      if (normaliser_.at_end()) {
        text_.align();
        cut(begin, text_.size(), tokens);
        close();
      } else if (text_.size() >= wanted) {
        kept_ = end_of_unmarked(text_.marks(), searched, text_.size());
        if (kept_ == searched) kept_ = first;
        if (text_.size() - kept_ >= longest_token) refuse_long_word();
        if (first == kept_ && begin == 0) {  // the whole text is one word
          searched = text_.size();
          wanted = searched + piece_;
        } else {
          cut(begin, kept_, tokens);
        }
      }
    }
    tokens.bytes = text_.bytes();
    return !tokens.parts.empty();
  }

 private:
  [[noreturn]] void refuse_long_word() const {
    throw std::length_error("document " + std::to_string(next_) + " has a word of 2 GB or more; insert blanks");
  }
  // Adds the words in the bytes [begin, end). No word may cross `begin` or `end`, and `begin` must be a multiple of 64.
  void cut(std::int64_t begin, std::int64_t end, Tokens& tokens) {
    std::uint64_t* const marks = text_.marks() + begin / 64;
    const std::int64_t n_words = (end - begin + 63) / 64;
    if (end % 64 != 0) marks[n_words - 1] &= (std::uint64_t{1} << end % 64) - 1;
    // One bound per byte would take four times the memory of the text, so the bounds of a long text are counted first.
    const std::int64_t n_bounds = end - begin <= 4 * piece_ ? 64 * n_words : count_bounds(marks, n_words);
    const auto room = static_cast<std::size_t>(2 * tokens.n_tokens + n_bounds + 64);
    if (tokens.bounds.size() < room) tokens.bounds.resize(room);
    std::uint32_t* const bounds = tokens.bounds.data() + 2 * tokens.n_tokens;
    std::int64_t n = kernels_in_use<ScanKernels>().cut(marks, n_words, static_cast<std::uint32_t>(begin), bounds) / 2;
    if (n > 0 && bounds[1] - bounds[0] >= longest_token) refuse_long_word();  // only a piece's first word can be this long
    if (!normaliser_.ascii()) {  // drops words of one character, even if the character has several bytes
      std::int64_t kept = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const std::uint32_t first = bounds[2 * i], last = bounds[2 * i + 1];
        bounds[2 * kept] = first;
        bounds[2 * kept + 1] = last;
        kept += static_cast<int>(last - first) > utf8_length(text_.bytes()[first]);
      }
      n = kept;
    }
    tokens.n_tokens += n;
    tokens.parts.push_back({next_, tokens.n_tokens});
  }

  NormalText text_;
  std::int64_t kept_ = 0;
};

}  // namespace

std::unique_ptr<Cutter> Cutter::of(const TextRules& rules, std::int64_t piece) {
  if (rules.analyzer == Analyzer::word) return std::make_unique<Words>(rules, piece);
  return cutter_of_char_ngrams(rules, piece);
}

}  // namespace termsift

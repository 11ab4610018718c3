#include "text/cutter.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

#include "simd/targets.hpp"
#include "text/characters.hpp"
#include "text/pattern_words.hpp"
#include "text/text_kernels.hpp"

namespace termsift {
namespace {

// Returns the end of the last unmarked byte in [begin, end), or `begin` if all bytes are marked.
std::int64_t end_of_unmarked(const std::uint64_t* marks, std::int64_t begin, std::int64_t end) {
  for (std::int64_t at = end; at > begin;) {
    const std::int64_t word = (at - 1) / 64, above = 64 * (word + 1) - at;
    const std::uint64_t unmarked = ~marks[word] << above;  // one bit for each unmarked byte of this word before `at`
    if (unmarked != 0) return std::max(begin, at - std::countl_zero(unmarked));
    at = 64 * word;
  }
  return begin;
}

// Returns the number of bounds that TextKernels::cut would write.
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
    // The bytes of the current document begin at `begin`. Unmarked padding may fill the bytes from `begin` to `first`.
    std::int64_t begin = 0, first = 0;
    if (open_) first = text_.keep_marked(kept_);  // keeps a word whose end has not been read
    else text_.clear();
    std::int64_t wanted = text_.size() + piece_;
    std::int64_t searched = first;  // no word ends in the bytes from `first` to `searched`
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
  // Adds the words in the bytes [begin, end). No word may cross `begin` or `end`, and `begin` must be a multiple of 64.
  void cut(std::int64_t begin, std::int64_t end, Tokens& tokens) {
    std::uint64_t* const marks = text_.marks() + begin / 64;
    const std::int64_t n_words = (end - begin + 63) / 64;
    if (end % 64 != 0) marks[n_words - 1] &= (std::uint64_t{1} << end % 64) - 1;
    // Room for one bound per byte would take four times the memory of the text, so the bounds of a long text are counted.
    const std::int64_t n_bounds = end - begin <= 4 * piece_ ? 64 * n_words : count_bounds(marks, n_words);
    const auto room = static_cast<std::size_t>(2 * tokens.n_tokens + n_bounds + 64);
    if (tokens.bounds.size() < room) tokens.bounds.resize(room);
    std::uint32_t* const bounds = tokens.bounds.data() + 2 * tokens.n_tokens;
    std::int64_t n = kernels_in_use<TextKernels>().cut(marks, n_words, static_cast<std::uint32_t>(begin), bounds) / 2;
    if (n > 0 && bounds[1] - bounds[0] >= longest_token) refuse_long_word();  // only a piece's first word can have 2 GB
    if (!normaliser_.ascii()) {  // drops words of one character, even if the character has several bytes
      std::int64_t kept = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const std::uint32_t first = bounds[2 * i], last = bounds[2 * i + 1];
        bounds[2 * kept] = first;
        bounds[2 * kept + 1] = last;
        cut_words_.before_mark += begins_with_mark(text_.bytes() + last);
        kept += static_cast<int>(last - first) > utf8_length(text_.bytes()[first]);
      }
      n = kept;
    }
    cut_words_.all += n;
    tokens.n_tokens += n;
    tokens.parts.push_back({next_, tokens.n_tokens});
  }

  NormalText text_;
  std::int64_t kept_ = 0;
};

// Cuts texts into n-grams of characters, as scikit-learn's _char_ngrams and _char_wb_ngrams do.
class CharNgrams final : public Cutter {
 public:
  CharNgrams(const TextRules& rules, std::int64_t piece)
      : Cutter(rules, std::clamp<std::int64_t>(piece, 64, 1 << 24), true), of_words_(rules.analyzer == Analyzer::char_wb),
        min_n_(rules.min_n), max_n_(rules.max_n) {}

  bool next(Tokens& tokens) override {
    const std::int64_t most_tokens = piece_ / 2;
    tokens.n_tokens = 0;
    tokens.parts.clear();
    drop();
    for (;;) {
      if (!open_) {
        if (next_ == end_) break;
        open();
      }
      if (of_words_) add_of_words(tokens);
      else add(tokens);
      const bool closes = all_read_ && at_ == n_chars();
      if (closes || tokens.n_tokens >= most_tokens || n_bytes() >= 2 * piece_) {
        if (closes || tokens.n_tokens > 0) tokens.parts.push_back({next_, tokens.n_tokens});
        if (closes) close();
        if (tokens.n_tokens >= most_tokens || n_bytes() >= 2 * piece_) {
          if (tokens.n_tokens > 0) break;
          drop();  // drop() is safe, because no token points into bytes_
        }
      }
      if (open_ && !all_read_ && tokens.n_tokens < most_tokens) read();
    }
    tokens.bytes = bytes_.data();
    return !tokens.parts.empty();
  }

 private:
  std::int64_t n_chars() const { return static_cast<std::int64_t>(starts_.size()) - 1; }
  std::int64_t n_bytes() const { return starts_.back(); }
  bool blank(std::int64_t i) const { return bytes_[starts_[static_cast<std::size_t>(i)]] == ' '; }

  void open() {
    open_next();
    all_read_ = after_space_ = false;
    at_ = scanned_ = n_chars();
    word_end_ = 0;
    if (of_words_) {
      bytes_.resize(static_cast<std::size_t>(n_bytes()) + 65);
      add_blank();
    }
  }

  // Appends a blank. Precondition: bytes_ has room for the blank.
  void add_blank() {
    bytes_[starts_.back()] = ' ';
    starts_.push_back(starts_.back() + 1);
    after_space_ = true;
  }

  // Removes the characters whose n-grams have been returned.
  void drop() {
    if (!open_) at_ = n_chars();
    const std::uint32_t begin = starts_[static_cast<std::size_t>(at_)], end = starts_.back();
    if (2 * at_ >= n_chars() && at_ > 0) {  // removes at least half of the characters, so few are moved
      std::memmove(bytes_.data(), bytes_.data() + begin, end - begin);
      starts_.erase(starts_.begin(), starts_.begin() + at_);
      for (std::uint32_t& start : starts_) start -= begin;
      scanned_ -= at_;
      if (word_end_ > 0) word_end_ -= at_;
      at_ = 0;
    }
  }

  // Reads the next piece of the document. Two or more white-space characters in a row become one blank. For n-grams within
  // words, a single white-space character also becomes a blank.
  void read() {
    raw_.clear();
    normaliser_.read(piece_, raw_);
    all_read_ = normaliser_.at_end();
    const std::int64_t n = raw_.size();
    if (n_bytes() + n >= std::int64_t{1} << 31)
      throw std::length_error("document " + std::to_string(next_) + " would have n-grams of 2 GB or more; lower max_n");
    bytes_.resize(static_cast<std::size_t>(n_bytes() + n) + 65);
    const std::uint8_t* const raw = raw_.bytes();
    const std::size_t n_before = starts_.size();
    starts_.resize(n_before + static_cast<std::size_t>(n) + 1);
    std::uint32_t* next = starts_.data() + n_before;  // the next element of starts_ to write
    for (std::int64_t i = 0; i < n;) {
      const int length = utf8_length(raw[i]);
      const bool space = (raw_.marks()[i / 64] >> i % 64 & 1) != 0;
      if (space && after_space_) {
        if (!of_words_) {
          bytes_[next[-2]] = ' ';
          next[-1] = next[-2] + 1;
        }
      } else if (space && of_words_) {
        bytes_[next[-1]] = ' ';
        next[0] = next[-1] + 1;
        ++next;
      } else {
        std::memcpy(bytes_.data() + next[-1], raw + i, 4);
        next[0] = next[-1] + static_cast<std::uint32_t>(length);
        ++next;
      }
      after_space_ = space;
      i += length;
    }
    starts_.resize(static_cast<std::size_t>(next - starts_.data()));
    if (all_read_ && of_words_ && !after_space_) add_blank();
  }

  // Adds the n-grams of `shortest` to `longest` characters that begin at character `first`.
  void add_at(std::int64_t first, std::int64_t shortest, std::int64_t longest, Tokens& tokens) {
    if (longest < shortest) return;
    const auto size = static_cast<std::size_t>(2 * tokens.n_tokens), room = size + 2 * static_cast<std::size_t>(longest);
    if (tokens.bounds.size() < room) tokens.bounds.resize(2 * room);
    std::uint32_t* to = tokens.bounds.data() + size;
    const std::uint32_t* const starts = starts_.data() + first;
    for (std::int64_t n = shortest; n <= longest; ++n, to += 2) {
      to[0] = starts[0];
      to[1] = starts[n];
    }
    tokens.n_tokens += longest - shortest + 1;
  }

  void add(Tokens& tokens) {
    // White space at the end of a piece is held back, because the next piece may turn it into a blank.
    const std::int64_t end = n_chars() - (!all_read_ && after_space_);
    const std::int64_t last = all_read_ ? end : end - max_n_ + 1;
    for (; at_ < last && tokens.n_tokens < piece_ / 2; ++at_) add_at(at_, min_n_, std::min(max_n_, end - at_), tokens);
  }

  // Each n-gram lies within one word and the two blanks around this word. Each blank ends one word and begins the next word.
  void add_of_words(Tokens& tokens) {
    while (at_ < n_chars() && tokens.n_tokens < piece_ / 2) {
      if (word_end_ == 0) {
        scanned_ = std::max(scanned_, at_ + 1);
        while (scanned_ < n_chars() && !blank(scanned_)) ++scanned_;
        if (scanned_ < n_chars()) word_end_ = scanned_ + 1;
      }
      const bool ended = word_end_ != 0;
      if (!ended && all_read_) {
        at_ = n_chars();  // skips the last blank, which begins no word
        return;
      }
      const std::int64_t end = ended ? word_end_ : n_chars();
      if (!ended && end - at_ <= max_n_) return;
      if (ended && blank(at_) && at_ + 1 < end && end - at_ < min_n_) {  // a word shorter than min_n is one n-gram
        add_at(at_, end - at_, end - at_, tokens);
        at_ = end - 1;
        word_end_ = 0;
        continue;
      }
      add_at(at_, min_n_, std::min(max_n_, end - at_), tokens);
      if (ended && at_ + 1 == end) word_end_ = 0;  // the blank begins the next word
      else ++at_;
    }
  }

  bool of_words_;
  std::int64_t min_n_, max_n_;
  bool all_read_ = false;  // whether the document with the number next_ has been read to its end
  NormalText raw_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint32_t> starts_{0};  // the offset in bytes_ of each character, and the end of the last character
  bool after_space_ = false;              // whether the last character read is white space
  std::int64_t at_ = 0;                   // the index of the character at which the next n-grams begin
  // word_end_ is the index after the blank that ends the word, or 0 if unknown. The search for the blank continues at
  // scanned_.
  std::int64_t word_end_ = 0, scanned_ = 0;
};

// Reads lists of tokens (see TextEncoding::tokens). The tokens of a piece stay where they are, so a piece ends where a list
// does not follow the list before it in memory.
class TokenLists final : public Cutter {
 public:
  TokenLists(const TextRules& rules, std::int64_t piece)
      : Cutter(rules, std::clamp<std::int64_t>(piece, 64, most_at_once), false) {}

  bool next(Tokens& tokens) override {
    tokens.n_tokens = 0;
    tokens.parts.clear();
    const std::uint8_t *begin = nullptr, *at = nullptr;  // the piece
    for (; next_ < end_; ++next_) {
      const auto* const list = static_cast<const std::uint8_t*>(next_text().data);
      const auto* const end = list + next_text().length;
      const auto* const from = open_ ? read_to_ : list;  // a long list is read in pieces
      if (begin == nullptr) begin = at = from;
      if (from != at || at - begin >= piece_) break;
      while (at < end && at - begin < piece_) at = add(begin, at, tokens);
      tokens.parts.push_back({next_, tokens.n_tokens});
      open_ = at < end;
      if (open_) break;
    }
    read_to_ = at;
    tokens.bytes = begin;
    return !tokens.parts.empty();
  }

 private:
  // Adds the token that begins with its size at `at`, and returns the token's end.
  static const std::uint8_t* add(const std::uint8_t* begin, const std::uint8_t* at, Tokens& tokens) {
    std::uint32_t size = 0;
    std::memcpy(&size, at, sizeof size);
    at += sizeof size;
    const auto place = static_cast<std::size_t>(2 * tokens.n_tokens++), offset = static_cast<std::size_t>(at - begin);
    if (tokens.bounds.size() < place + 2) tokens.bounds.resize(2 * place + 1024);
    tokens.bounds[place] = static_cast<std::uint32_t>(offset);
    tokens.bounds[place + 1] = static_cast<std::uint32_t>(offset + size);
    return at + size;
  }

  const std::uint8_t* read_to_ = nullptr;  // the place in the list number next_ from which reading continues
};

}  // namespace

void Cutter::refuse_long_word() const {
  throw std::length_error("document " + std::to_string(next_) + " has a word of 2 GB or more; insert blanks");
}

void Cutter::refuse_encoding() {
  throw std::invalid_argument("the analyzer 'tokens' counts lists of tokens, and all other analyzers count texts");
}

std::unique_ptr<Cutter> Cutter::of(const TextRules& rules, std::int64_t piece) {
  if (rules.analyzer == Analyzer::tokens) return std::make_unique<TokenLists>(rules, piece);
  if (rules.analyzer == Analyzer::word && rules.pattern) return words_of_pattern(rules, piece);
  if (rules.analyzer == Analyzer::word) return std::make_unique<Words>(rules, piece);
  return std::make_unique<CharNgrams>(rules, piece);
}

}  // namespace termsift

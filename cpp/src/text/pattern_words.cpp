#include "text/pattern_words.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "simd/targets.hpp"
#include "termsift/portability.hpp"
#include "text/characters.hpp"
#include "text/pattern_matcher.hpp"
#include "text/pattern_scanner.hpp"
#include "text/text_kernels.hpp"

namespace termsift {
namespace {

constexpr std::int64_t stride = 64;  // the symbols that a scanner reads at once

// A long document is read in pieces. If an attempt runs at the end of a piece, the next piece begins with the characters of
// this attempt, which then runs again.
class PatternWords final : public Cutter {
 public:
  PatternWords(const TextRules& rules, std::int64_t piece)
      : Cutter(rules, std::clamp<std::int64_t>(piece, 64, most_at_once), false),
        pattern_(rules.pattern),
        program_(pattern_->program()),
        scanner_(pattern_->scanner()),
        matcher_(program_) {}

  bool next(Tokens& tokens) override {
    tokens.n_tokens = 0;
    tokens.parts.clear();
    read_piece();
    if (parts_.empty()) return false;
    write_symbols();
    scan();
    for (const Part& part : parts_) add_tokens(part, tokens);
    if (open_) keep_rest();
    restore_newlines();
    tokens.bytes = text_.bytes();
    return true;
  }

 private:
  // The bytes [begin, end) of a document in text_. `begin` is a multiple of 64, and the bytes from `end` to the next
  // multiple of 64 are padding.
  struct Part {
    std::int64_t document, begin, end;
  };

  // Reads the next documents. The last of them may be unfinished (open_).
  void read_piece() {
    parts_.clear();
    std::int64_t wanted = piece_;
    if (open_) {
      text_.keep_unmarked(kept_begin_, kept_end_);
      parts_.push_back({next_, 0, text_.size()});
      // An attempt that runs again and again reads at least twice as much each time, so that the time stays linear.
      wanted = text_.size() + std::clamp(text_.size(), piece_, most_at_once);
    } else {
      text_.clear();
      is_ascii_ = true;
      context_at_begin_ = program_.context_at_start();
    }
    while (text_.size() < wanted) {
      if (!open_) {
        if (next_ == end_) break;
        open_next();
        parts_.push_back({next_, text_.size(), 0});
      }
      normaliser_.read(std::min((wanted - text_.size() + stride - 1) / stride * stride, std::int64_t{1} << 20), text_);
      is_ascii_ = is_ascii_ && normaliser_.ascii();
      parts_.back().end = text_.size();
      if (normaliser_.at_end()) {
        pad();
        close();
      }
    }
    if (open_) pad();
  }

  // Fills the last block with zeros, and adds a block if it is full, so that the end of the text has a symbol.
  void pad() {
    const std::int64_t end = text_.size();
    text_.align();
    std::memset(text_.bytes() + end, 0, static_cast<std::size_t>(text_.size() - end));
  }

  bool is_unfinished(const Part& part) const { return open_ && &part == &parts_.back(); }
  std::int64_t n_blocks() const { return text_.size() / stride; }

  void write_symbols() {
    symbols_ = text_.bytes();  // ASCII is its own symbols
    if (!is_ascii_) {
      if (std::ssize(symbols_of_classes_) < text_.size()) symbols_of_classes_.resize(static_cast<std::size_t>(text_.size()));
      symbols_ = symbols_of_classes_.data();
      kernels_in_use<TextKernels>().write_symbols(text_.bytes(), text_.size(), program_.class_of.data(), symbols_);
    }
    newlines_.clear();
    for (const Part& part : parts_) {
      const std::int64_t stop = (part.end / stride + 1) * stride;
      std::memset(symbols_ + part.end, PatternSymbol::nothing, static_cast<std::size_t>(stop - part.end));
      if (!is_unfinished(part)) symbols_[part.end] = PatternSymbol::end_of_text;
      if (program_.asks_for_last_newline && part.end > part.begin && symbols_[part.end - 1] == '\n') {
        // Whether this newline is the last of the text is not known before the text has been read to its end.
        symbols_[part.end - 1] = is_unfinished(part) ? PatternSymbol::nothing : PatternSymbol::last_newline;
        newlines_.push_back(part.end - 1);
      }
    }
  }

  // Undoes what write_symbols() has done to the bytes of the text.
  void restore_newlines() {
    for (const std::int64_t newline : newlines_) symbols_[newline] = '\n';
  }

  // Returns the context before the character at `at`.
  int context_before(std::int64_t at) const {
    while (--at >= 0) {
      const std::uint8_t symbol = symbols_[at];
      if (symbol == PatternSymbol::end_of_text) return program_.context_at_start();
      if (symbol != PatternSymbol::nothing) return program_.context_after[scanner_.class_of_symbol(symbol)];
    }
    return context_at_begin_;
  }
  // Returns the place of the character that is n characters before the character (or the end) at `at`.
  std::int64_t back(std::int64_t at, int n) const {
    for (; n > 0; --n)
      do --at;
      while (symbols_[at] == PatternSymbol::nothing);
    return at;
  }
  std::int64_t forward(std::int64_t at, int n) const {
    for (; n > 0; --n)
      do ++at;
      while (symbols_[at] == PatternSymbol::nothing);
    return at;
  }

  // Sets begins_ and ends_ for the whole piece.
  void scan() {
    if (std::ssize(begins_) < n_blocks()) {
      begins_.resize(static_cast<std::size_t>(n_blocks()));
      ends_.resize(static_cast<std::size_t>(n_blocks()));
    }
    set_state(scanner_.between(context_at_begin_));
    still_runs_ = false;
    resumes_at_ = -1;
    for (std::int64_t at = 0; at < n_blocks();) {
      const std::uint8_t* symbols = symbols_ + stride * at;
      if (resumes_at_ >= 0) {
        scan_from(resumes_at_);
        symbols = rest_of_block_;
        ++at;
      } else {
        found_.begins = begins_.data() + at;
        found_.ends = ends_.data() + at;
        at += run(symbols, n_blocks() - at);
        symbols = symbols_ + stride * (at - 1);
      }
      resumes_at_ = -1;
      if (found_.rare != 0) at = handle_rare(at - 1, symbols);
    }
    if (open_ && scanner_.runs(found_.states[0])) still_runs_ = true;
  }

  void set_state(int state) { found_.states[0] = static_cast<std::uint8_t>(state); }

  std::int64_t run(const std::uint8_t* symbols, std::int64_t n) {
    const TextKernels& kernels = kernels_in_use<TextKernels>();
    found_.rare = 0;
    return scanner_.has_few_states() ? kernels.scan_few(scanner_.few(), symbols, n, found_)
                                     : kernels.scan_many(scanner_.many(), symbols, n, found_);
  }

  // Scans from a place to the end of its block. The marks before the place are right, and those after it are zero.
  void scan_from(std::int64_t place) {
    const std::int64_t at = place / stride;
    for (std::int64_t i = 0; i < stride; ++i)
      rest_of_block_[i] = i < place % stride ? PatternSymbol::nothing : symbols_[stride * at + i];
    std::uint64_t begins = 0, ends = 0;
    found_.begins = &begins;
    found_.ends = &ends;
    run(rest_of_block_, 1);
    begins_[static_cast<std::size_t>(at)] |= begins;
    ends_[static_cast<std::size_t>(at)] |= ends;
  }

  // Handles the rare transitions of block `at`, whose symbols were `symbols`. Returns the next block to scan.
  std::int64_t handle_rare(std::int64_t at, const std::uint8_t* symbols) {
    const auto state = [&](int i) {
      return scanner_.has_few_states() ? found_.states[i] & (few_scan_states - 1) : found_.states[i];
    };
    for (std::uint64_t rare = found_.rare; rare != 0; rare &= rare - 1) {
      const int i = lowest_set(rare);
      const PatternScanner::Transition& transition = scanner_.transition(state(i), symbols[i]);
      if (transition.is_hard) return search_again(stride * at + i);
      for (const PatternScanner::Event& event : transition.events) {
        const std::int64_t place = back(stride * at + i, event.delay);
        (event.is_end ? ends_ : begins_)[static_cast<std::size_t>(place / stride)] |= std::uint64_t{1} << place % stride;
      }
    }
    set_state(state(64));
    return at + 1;
  }

  // Makes the running attempt once more with the matcher, because the scanner met a hard transition at a place. The scan
  // goes on after the match, or after the character that began the attempt. Returns the next block to scan.
  std::int64_t search_again(std::int64_t hard) {
    const auto at = static_cast<std::size_t>(hard / stride);
    const std::uint64_t before = (std::uint64_t{1} << hard % stride) - 1;
    begins_[at] &= before;
    ends_[at] &= before;
    std::size_t word = at;
    while (begins_[word] == 0) --word;
    const std::int64_t begin = stride * static_cast<std::int64_t>(word) + highest_set(begins_[word]);
    const Attempt attempt = attempt_at(begin);
    if (attempt.is_unfinished) {
      still_runs_ = true;
      std::fill(begins_.begin() + static_cast<std::ptrdiff_t>(at) + 1, begins_.begin() + n_blocks(), 0);
      std::fill(ends_.begin() + static_cast<std::ptrdiff_t>(at) + 1, ends_.begin() + n_blocks(), 0);
      return n_blocks();
    }
    resumes_at_ = forward(begin, 1);
    if (attempt.end >= 0) {
      resumes_at_ = attempt.end;
      ends_[static_cast<std::size_t>(resumes_at_ / stride)] |= std::uint64_t{1} << resumes_at_ % stride;
    }
    set_state(scanner_.between(context_before(resumes_at_)));
    return resumes_at_ / stride;
  }

  struct Attempt {
    std::int64_t end = -1;       // the end of the match, or -1 if there is none
    bool is_unfinished = false;  // whether the unfinished document ends before the attempt
  };

  Attempt attempt_at(std::int64_t begin) {
    constexpr std::int64_t step = 1 << 20;
    Attempt attempt;
    int state = matcher_.start(context_before(begin));
    for (std::int64_t at = begin; at < text_.size(); ++at) {
      if (++n_read_again_ % step == 0 && worker_ != nullptr) worker_->check();
      const std::uint8_t symbol = symbols_[at];
      if (symbol == PatternSymbol::nothing) continue;
      const PatternMatcher::Next next = matcher_.step(state, scanner_.class_of_symbol(symbol));
      if (next.ends_match) attempt.end = at;
      if (next.state == PatternMatcher::dead) return attempt;
      state = matcher_.limit_memory(next.state);
    }
    return {-1, true};
  }

  void add_tokens(const Part& part, Tokens& tokens) {
    const auto first = static_cast<std::size_t>(part.begin / stride);
    const std::int64_t n_words = part.end / stride + 1 - part.begin / stride;
    std::int64_t n_ends = 0;
    for (std::int64_t w = 0; w < n_words; ++w) n_ends += std::popcount(ends_[first + static_cast<std::size_t>(w)]);
    const auto room = static_cast<std::size_t>(2 * (tokens.n_tokens + n_ends) + 130);
    if (tokens.bounds.size() < room) tokens.bounds.resize(std::max(room, tokens.bounds.size() * 3 / 2));
    std::uint32_t* const bounds = tokens.bounds.data() + 2 * tokens.n_tokens;
    const std::int64_t n = kernels_in_use<TextKernels>().pair(begins_.data() + first, ends_.data() + first, n_words,
                                                              static_cast<std::uint32_t>(part.begin), bounds);
    if (n > 0 && bounds[1] - bounds[0] >= longest_token) refuse_long_word();  // only a piece's first word can have 2 GB
    if (program_.skip_before != 0 || program_.skip_after != 0)
      for (std::int64_t i = 0; i < 2 * n; i += 2) {
        bounds[i] = static_cast<std::uint32_t>(forward(bounds[i], program_.skip_before));
        bounds[i + 1] = static_cast<std::uint32_t>(back(bounds[i + 1], program_.skip_after));
      }
    if (!is_ascii_)
      for (std::int64_t i = 0; i < n; ++i) {
        // A mark that another word takes is not lost.
        const bool is_taken = i + 1 < n && bounds[2 * i + 2] == bounds[2 * i + 1];
        cut_words_.before_mark += !is_taken && begins_with_mark(text_.bytes() + bounds[2 * i + 1]);
      }
    cut_words_.all += n;
    tokens.n_tokens += n;
    tokens.parts.push_back({part.document, tokens.n_tokens});
  }

  // Remembers which bytes of the unfinished document the next piece needs.
  void keep_rest() {
    const Part& part = parts_.back();
    kept_begin_ = kept_end_ = part.end;
    if (!newlines_.empty() && newlines_.back() == part.end - 1) kept_begin_ = part.end - 1;
    if (still_runs_) {
      // An attempt that may match has marked its start, after the end of the last token.
      const std::int64_t begin = last_mark(begins_, part);
      if (begin >= 0 && begin >= last_mark(ends_, part)) kept_begin_ = begin;
    }
    if (kept_end_ - kept_begin_ >= longest_token) refuse_long_word();
    if (kept_begin_ > part.begin) context_at_begin_ = context_before(kept_begin_);
    else if (part.begin > 0) context_at_begin_ = program_.context_at_start();
  }

  // Returns the last marked place of a part, or -1.
  static std::int64_t last_mark(const std::vector<std::uint64_t>& marks, const Part& part) {
    for (std::int64_t word = part.end / stride; word >= part.begin / stride; --word)
      if (const std::uint64_t bits = marks[static_cast<std::size_t>(word)]; bits != 0)
        return stride * word + highest_set(bits);
    return -1;
  }

  const std::shared_ptr<const TokenPattern> pattern_;
  const PatternProgram& program_;
  const PatternScanner& scanner_;
  PatternMatcher matcher_;
  NormalText text_;
  std::vector<Part> parts_;
  bool is_ascii_ = true;  // whether the texts of this piece are ASCII
  std::uint8_t* symbols_ = nullptr;
  std::vector<std::uint8_t> symbols_of_classes_;
  std::vector<std::int64_t> newlines_;  // the places of newlines whose symbols differ from their bytes
  std::vector<std::uint64_t> begins_, ends_;  // one bit for each symbol of the piece
  ScannedBlocks found_;
  std::uint8_t rest_of_block_[stride] = {};
  std::int64_t resumes_at_ = -1;  // the place from which the scan goes on within a block, or -1
  bool still_runs_ = false;  // whether an attempt runs at the end of the piece
  int context_at_begin_ = 0;
  std::int64_t kept_begin_ = 0, kept_end_ = 0;
  std::int64_t n_read_again_ = 0;
};

}  // namespace

std::unique_ptr<Cutter> words_of_pattern(const TextRules& rules, std::int64_t piece) {
  return std::make_unique<PatternWords>(rules, piece);
}

std::vector<std::vector<std::string>> all_matches(const std::shared_ptr<const TokenPattern>& pattern, Texts texts,
                                                  std::int64_t piece) {
  TextRules rules;
  rules.lowercase = false;
  rules.pattern = pattern;
  const std::unique_ptr<Cutter> cutter = words_of_pattern(rules, piece);
  cutter->start(texts, 0, std::ssize(texts));
  std::vector<std::vector<std::string>> matches(texts.size());
  for (Tokens tokens; cutter->next(tokens);) {
    std::int64_t i = 0;
    for (const Tokens::Part& part : tokens.parts)
      for (; i < part.end; ++i) matches[static_cast<std::size_t>(part.document)].emplace_back(tokens.spans()[i]);
  }
  return matches;
}

}  // namespace termsift

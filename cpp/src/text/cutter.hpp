// Cuts texts into tokens, which are words or n-grams of characters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "termsift/parallel.hpp"
#include "termsift/portability.hpp"
#include "termsift/text_rules.hpp"
#include "termsift/texts.hpp"
#include "text/normaliser.hpp"

namespace termsift {

// Token i is the bytes [bounds[2 i], bounds[2 i + 1]) of a text.
struct TokenSpans {
  const char* bytes;
  const std::uint32_t* bounds;

  std::string_view operator[](std::int64_t i) const { return {bytes + bounds[2 * i], bounds[2 * i + 1] - bounds[2 * i]}; }
};

// The tokens of some consecutive documents. A token is a span of `bytes`.
struct Tokens {
  // UTF-8 text, lowercase or without accents if the rules say so. Lone surrogates take three bytes each. At least 64 bytes
  // from the start of every token are readable.
  const std::uint8_t* bytes = nullptr;
  std::vector<std::uint32_t> bounds;  // (2 n_tokens or more,), the start and the end of each token in `bytes`
  std::int64_t n_tokens = 0;
  TokenSpans spans() const { return {reinterpret_cast<const char*>(bytes), bounds.data()}; }
  // `parts` lists the documents in order, including documents without tokens. A long document is read in pieces, so the last
  // document of one call of Cutter::next() may be the first document of the next call.
  struct Part {
    std::int64_t document;
    std::int64_t end;  // the index after the last token of the document in this call
  };
  std::vector<Part> parts;
};

// The number of words of a cutter, and how many runs of letters end at a combining mark, even those of one letter. A mark in
// a word cuts it in two.
struct CutWords {
  std::int64_t all = 0, before_mark = 0;
};

// Cuts documents into tokens. Each thread has its own Cutter, which reuses its buffers.
class Cutter {
 public:
  // Returns a Cutter that reads about `piece` bytes of text at a time.
  static std::unique_ptr<Cutter> of(const TextRules& rules, std::int64_t piece = 1 << 16);
  virtual ~Cutter() = default;
  // Starts with the documents [begin, end) of `texts`. Prefetching each text's first bytes saves 4% of the reading time.
  // Throws std::invalid_argument for a list of tokens unless the rules have the analyzer `tokens`, and vice versa.
  // A cutter that may read some texts again and again asks `worker` whether to stop.
  void start(Texts texts, std::int64_t begin, std::int64_t end, Worker* worker = nullptr) {
    texts_ = texts, next_ = begin, end_ = end, worker_ = worker;
    open_ = false;
    for (std::int64_t i = begin; i < end; ++i) {
      const Text& text = texts[static_cast<std::size_t>(i)];
      if ((text.encoding == TextEncoding::tokens) != reads_tokens_) refuse_encoding();
      const auto* const bytes = static_cast<const char*>(text.data);
      const std::int64_t size = std::min<std::int64_t>(bytes_of(text), 1 << 12);
      for (std::int64_t at = 0; at < size; at += 64) prefetch(bytes + at);  // the processor prefetches later bytes by itself
    }
  }
  // Fills `tokens` with the next tokens. Returns false if there are no more documents. Throws BadText for an invalid text,
  // and std::length_error for a token of 2^31 bytes or more.
  virtual bool next(Tokens& tokens) = 0;
  // Returns how many words this cutter has cut since the last call.
  CutWords take_cut_words() { return std::exchange(cut_words_, {}); }

 protected:
  static constexpr std::int64_t longest_token = std::int64_t{1} << 31, most_at_once = std::int64_t{1} << 29;

  Cutter(const TextRules& rules, std::int64_t piece, bool marks_spaces)
      : piece_(piece), reads_tokens_(rules.analyzer == Analyzer::tokens), normaliser_(rules, marks_spaces) {}
  const Text& next_text() const { return texts_[static_cast<std::size_t>(next_)]; }
  void open_next() {
    normaliser_.open(next_text(), next_);
    open_ = true;
  }
  void close() {
    open_ = false;
    ++next_;
  }

  // Refuses a word of longest_token bytes or more in the document numbered next_.
  [[noreturn]] void refuse_long_word() const;

  const std::int64_t piece_;
  const bool reads_tokens_;
  Normaliser normaliser_;
  std::int64_t next_ = 0, end_ = 0;
  bool open_ = false;  // whether the document numbered next_ is being read
  CutWords cut_words_;
  Worker* worker_ = nullptr;

 private:
  [[noreturn]] static void refuse_encoding();

  Texts texts_;
};

}  // namespace termsift

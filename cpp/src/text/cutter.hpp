// Texts cut into tokens: the words of a text, or its n-grams of characters.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "termsift/text_rules.hpp"
#include "termsift/texts.hpp"

namespace termsift {

// The tokens of some consecutive documents. A token is a span of `bytes`.
struct Tokens {
  // UTF-8 text, lowercase or without accents if the rules say so. Lone surrogates take three bytes each. At least 64 bytes
  // are readable from the begin of every token.
  const std::uint8_t* bytes = nullptr;
  std::vector<std::uint32_t> bounds;  // (2 n_tokens or more,) begin and end of each token in `bytes`
  std::int64_t n_tokens = 0;
  // The documents of these tokens, in order, and the end of each document's tokens. A document without tokens is listed too.
  // A long document comes in pieces: it is the last document of a call and the first of the next call.
  struct Part {
    std::int64_t document;
    std::int64_t end;  // in tokens
  };
  std::vector<Part> parts;
};

// Cuts one chunk of documents. Each thread has its own Cutter and reuses its buffers.
class Cutter {
 public:
  // Reads about `piece` bytes of text at a time.
  explicit Cutter(const TextRules& rules, std::int64_t piece = 1 << 16);
  ~Cutter();
  Cutter(Cutter&&) noexcept;
  // Starts on the documents [begin, end) of `texts`.
  void start(Texts texts, std::int64_t begin, std::int64_t end);
  // Fills `tokens` with the next tokens and returns false after the last.
  // Throws BadText, and std::length_error for a token of 2^31 bytes or more.
  bool next(Tokens& tokens);

  class Analysis;  // what one analyzer does

 private:
  std::unique_ptr<Analysis> analysis_;
};

}  // namespace termsift

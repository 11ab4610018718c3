// The interface of analyzers, which the Cutter calls.
#pragma once

#include <cstdint>

#include "text/cutter.hpp"
#include "text/normaliser.hpp"

namespace termsift {

class Cutter::Analysis {
 public:
  virtual ~Analysis() = default;
  virtual void start(Texts texts, std::int64_t begin, std::int64_t end) = 0;
  virtual bool next(Tokens& tokens) = 0;
};

std::unique_ptr<Cutter::Analysis> char_ngrams(const TextRules& rules, std::int64_t piece);

inline int utf8_length(std::uint8_t first) { return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4; }

}  // namespace termsift

// The rules for cutting texts into terms, as in scikit-learn's CountVectorizer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "termsift/term_sketch.hpp"

namespace termsift {

enum class Analyzer : std::uint8_t {
  word,    // maximal runs of two or more word characters: letters, digits and "_" (the pattern (?u)\b\w\w+\b)
  chars,   // every n consecutive characters; two or more white-space characters in a row count as one blank
  char_wb  // every n consecutive characters of a word between white space, after a blank is added at both of its ends
};

// Buckets of terms. The bucket of a term is its column in hashed_matrix() with n columns.
struct TermBuckets {
  std::int32_t n = 1;
  std::vector<bool> chosen;  // (n,)
};

enum class StripAccents : std::uint8_t { none, ascii, unicode };

struct TextRules {
  Analyzer analyzer = Analyzer::word;
  bool lowercase = true;
  StripAccents strip_accents = StripAccents::none;  // applied after lowercasing
  std::int64_t min_n = 1, max_n = 1;                // ngram_range
  std::vector<std::string> stop_words;              // UTF-8 (may encode surrogates); removed before n-grams are formed
  std::shared_ptr<const TermSketch> sketch;         // if given, only terms whose counter is at least `least` are counted
  std::uint8_t least = 1;
  std::shared_ptr<const TermBuckets> buckets;       // if given instead of a sketch, only terms in chosen buckets are counted
};

}  // namespace termsift

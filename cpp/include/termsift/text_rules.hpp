// How texts are cut into terms, as by scikit-learn's CountVectorizer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "termsift/term_sketch.hpp"

namespace termsift {

enum class Analyzer : std::uint8_t {
  word,    // maximal runs of two or more word characters: letters, digits and "_" (the pattern (?u)\b\w\w+\b)
  chars,   // every run of n characters of the text, after two or more white-space characters are made a blank
  char_wb  // every run of n characters of each blank-separated word, after a blank is added at both its ends
};

enum class StripAccents : std::uint8_t { none, ascii, unicode };

struct TextRules {
  Analyzer analyzer = Analyzer::word;
  bool lowercase = true;
  StripAccents strip_accents = StripAccents::none;  // after lowercasing
  std::int64_t min_n = 1, max_n = 1;                // ngram_range
  std::vector<std::string> stop_words;              // UTF-8 (surrogates pass); removed before n-grams are formed
  std::shared_ptr<const TermSketch> sketch;         // if given, only terms whose counter is at least `least` are counted
  std::uint8_t least = 1;
};

}  // namespace termsift

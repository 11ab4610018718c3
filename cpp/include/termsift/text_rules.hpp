// Rules for cutting texts into terms, as in scikit-learn's CountVectorizer. Sketches hold upper bounds of the document
// frequencies of all terms, in less memory than the terms themselves would take.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "termsift/large_memory.hpp"
#include "termsift/parallel.hpp"
#include "termsift/portability.hpp"
#include "termsift/texts.hpp"
#include "termsift/token_pattern.hpp"

namespace termsift {

struct TextRules;

// Counters of document frequency. All terms whose hashes have the same place() share a counter. A counter holds the number
// of documents that contain any of its terms, but at most 255. A counter below 255 is an upper bound of the document
// frequencies of its terms. The counters depend neither on the order of the texts nor on the threads, because the hash is
// the same in every process, and additions that stop at 255 give the same result in any order.
class TermSketch {
 public:
  explicit TermSketch(std::int64_t n_counters);

  // Cuts documents into terms by the rules, and adds the documents to the counters. If add() throws, some of the documents
  // may have been added.
  void add(const TextRules& rules, Texts texts, const Threads& threads);

  std::span<std::uint8_t> counters() { return {counters_.get(), static_cast<std::size_t>(n_)}; }
  std::int64_t n_bytes() const { return n_; }
  // Returns the index of the counter for terms with the given hash.
  std::uint64_t place(std::uint64_t hash) const {
    return high_product(hash, static_cast<std::uint64_t>(n_));
  }
  const std::uint8_t& at(std::uint64_t place) const { return counters_[static_cast<std::int64_t>(place)]; }

 private:
  std::int64_t n_;
  LargeArray<std::uint8_t> counters_;
};

enum class Analyzer : std::uint8_t {
  word,     // maximal runs of two or more word characters: letters, digits and "_" (the pattern (?u)\b\w\w+\b)
  chars,    // every n consecutive characters; two or more white-space characters in a row count as one blank
  char_wb,  // every n consecutive characters of a word between white space, with a blank added at each end of the word
  tokens    // the tokens that the caller has cut (see TextEncoding); the rules that change or join words have no effect
};

enum class StripAccents : std::uint8_t { none, ascii, unicode };

// The normal form of Unicode to which a text is brought before all other rules.
enum class NormalForm : std::uint8_t { none, nfc, nfkc };

// The stems of words, which all threads of a call share. Words and stems are UTF-8 and may encode surrogates.
class WordStems {
 public:
  using Function = std::function<std::vector<std::string>(const std::vector<std::string>&)>;

  // `function` returns the stem of each word. Only one thread calls it at a time, and once for each distinct word.
  explicit WordStems(Function function) : function_(std::move(function)) {}
  std::vector<std::string> of(const std::vector<std::string>& words);

 private:
  const Function function_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::string> known_;
};

struct TextRules {
  Analyzer analyzer = Analyzer::word;
  NormalForm normalize = NormalForm::none;
  bool lowercase = true;
  StripAccents strip_accents = StripAccents::none;  // applied after lowercasing
  std::int64_t min_n = 1, max_n = 1;                // ngram_range
  std::shared_ptr<const TokenPattern> pattern;      // if given, words are its matches (with the analyzer `word`)
  std::vector<std::string> stop_words;              // UTF-8 (may encode surrogates); stop words are removed before n-grams
  std::shared_ptr<WordStems> stems;         // if given (without a sketch), stems are counted in place of words
  std::shared_ptr<const TermSketch> sketch;         // if given, only terms whose counter is at least `least` are counted
  std::uint8_t least = 1;
};

}  // namespace termsift

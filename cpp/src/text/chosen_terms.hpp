// Filters terms by their hashes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "termsift/text_rules.hpp"
#include "text/cutter.hpp"
#include "text/term_table.hpp"

namespace termsift {

// Inserts a word that is not empty, and returns its id.
inline std::uint32_t insert_word(std::string_view word, WordTable& words) {
  char padded[WordKey::most_bytes] = {};  // lets 16 bytes be read
  const bool is_short = word.size() <= sizeof padded;
  if (is_short) std::memcpy(padded, word.data(), word.size());
  const WordKey key = key_of_token(is_short ? std::string_view(padded, word.size()) : word, words.hash());
  return words.find_or_insert(key, word)->id;
}

// Inserts the stop words into an empty table, and returns their number.
inline std::uint32_t add_stop_words(const TextRules& rules, WordTable& words) {
  if (rules.analyzer == Analyzer::word)
    for (const std::string& word : rules.stop_words)
      if (!word.empty()) insert_word(word, words);
  return words.size();
}

inline bool is_stop_word(const WordTable& stop_words, std::string_view word) {
  return stop_words.size() > 0 && !stop_words.find_token(key_of_token(word, stop_words.hash()), word)->key.is_empty();
}

// Turns the tokens of a cutter into tokens that are whole terms, such as "new york". Leaves out the terms that rules.sketch
// or rules.buckets exclude. An excluded word takes no memory, even if a counted n-gram contains it.
class ChosenTerms {
 public:
  explicit ChosenTerms(const TextRules& rules)
      : rules_(rules),
        joins_(rules.analyzer == Analyzer::word && rules.max_n > 1),
        before_(static_cast<std::size_t>(joins_ ? rules.max_n : 1)),
        now_(before_) {
    add_stop_words(rules, stop_words_);
  }

  void start_texts() { document_ = -1; }

  // Returns the terms in the next piece of text, given its tokens. The result is valid until the next call.
  const Tokens& of(const Tokens& tokens) {
    std::size_t begin = text_.size();  // the last words so far may begin n-grams that end in this piece
    for (std::int64_t n = 1; n < rules_.max_n && begin > first_; ++n) begin = previous_word(begin);
    text_.erase(0, begin);
    first_ = 0;
    terms_.parts.clear();
    terms_.n_tokens = 0;
    for (std::int64_t i = 0; i < ahead; ++i) look_ahead(tokens, i);
    std::int64_t i = 0;
    for (const Tokens::Part& part : tokens.parts) {
      if (part.document != document_) first_ = text_.size();
      document_ = part.document;
      for (; i < part.end; ++i) {
        look_ahead(tokens, i + ahead);
        const std::string_view token = tokens.spans()[i];
        if (is_stop_word(stop_words_, token)) continue;
        before_.swap(now_);
        now_[0].hash = hashes_[static_cast<std::size_t>(i) % n_hashes];
        if (joins_)
          add_word(token);
        else if (is_chosen(1, token))
          add_term(tokens.bounds[static_cast<std::size_t>(2 * i)], tokens.bounds[static_cast<std::size_t>(2 * i + 1)]);
      }
      terms_.parts.push_back({document_, terms_.n_tokens});
    }
    text_.reserve(text_.size() + 64);  // 64 bytes must be readable from the start of each term
    terms_.bytes = joins_ ? reinterpret_cast<const std::uint8_t*>(text_.data()) : tokens.bytes;
    return terms_;
  }

 private:
  // An n-gram of words.
  struct Ngram {
    std::uint64_t hash;
    bool is_chosen;
  };

  // Hashes token i and prefetches its counter in the sketch, because waiting for memory would take most of the time.
  void look_ahead(const Tokens& tokens, std::int64_t i) {
    if (!rules_.sketch || i >= tokens.n_tokens) return;
    const std::uint64_t hash = word_hash(tokens.spans()[i]);
    hashes_[static_cast<std::size_t>(i) % n_hashes] = hash;
    prefetch(&rules_.sketch->at(rules_.sketch->place(hash)));
  }
  // Returns the start of the word before the word at `begin`. Precondition: text_ has a word before `begin`.
  std::size_t previous_word(std::size_t begin) const { return text_.rfind(' ', begin - 2) + 1; }
  void add_word(std::string_view word) {
    std::size_t begin = text_.size();
    const std::size_t end = begin + word.size();
    if (end >= std::size_t{1} << 31)
      throw std::length_error("document " + std::to_string(document_) + " has n-grams of 2 GB or more; insert blanks");
    text_ += word;
    for (Ngram& ngram : now_) ngram.is_chosen = false;
    for (std::int64_t n = 1;; ++n) {
      const bool chosen = is_chosen(n, std::string_view(text_).substr(begin));
      if (n >= rules_.min_n && chosen) add_term(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
      if (n == rules_.max_n || begin == first_ || (rules_.sketch && !chosen)) break;
      begin = previous_word(begin);
    }
    text_ += ' ';
  }
  // Returns whether a term of n words is chosen. With a sketch, all terms of fewer than min_n words count as chosen, and no
  // n-gram that contains a rare n-gram is chosen.
  bool is_chosen(std::int64_t n, std::string_view term) {
    if (rules_.buckets)
      return rules_.buckets->chosen[static_cast<std::size_t>(column_of(murmur3(term), rules_.buckets->n))];
    const auto i = static_cast<std::size_t>(n - 1);
    if (n > 1) {
      if (!before_[i - 1].is_chosen) return false;
      now_[i].hash = ngram_hash(before_[i - 1].hash, now_[0].hash);
    }
    const bool is_short = joins_ && n < rules_.min_n;
    return now_[i].is_chosen = is_short || rules_.sketch->at(rules_.sketch->place(now_[i].hash)) >= rules_.least;
  }
  void add_term(std::uint32_t begin, std::uint32_t end) {
    const auto place = static_cast<std::size_t>(2 * terms_.n_tokens++);
    if (terms_.bounds.size() < place + 2) terms_.bounds.resize(2 * place + 1024);
    terms_.bounds[place] = begin;
    terms_.bounds[place + 1] = end;
  }

  static constexpr std::int64_t ahead = 16;  // in tokens
  static constexpr std::size_t n_hashes = 2 * ahead;

  const TextRules& rules_;
  const bool joins_;
  WordTable stop_words_;
  Tokens terms_;
  std::string text_;       // the words, each followed by a blank
  std::size_t first_ = 0;  // the start of the document's words in text_
  std::int64_t document_ = -1;
  std::uint64_t hashes_[n_hashes] = {};  // the hashes of the next tokens
  std::vector<Ngram> before_, now_;  // n-grams that end at the previous word and at this word; element n - 1 has n words
};

}  // namespace termsift

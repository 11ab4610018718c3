// Filters and counts the terms of documents in one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "termsift/parallel.hpp"
#include "termsift/text_rules.hpp"
#include "text/cutter.hpp"
#include "text/rows.hpp"
#include "text/stemmed_words.hpp"
#include "text/token_counting.hpp"

namespace termsift {

// Inserts a word that is not empty, and returns its id.
inline std::uint32_t insert_word(std::string_view word, WordTable& words) {
  char padded[WordKey::most_bytes] = {};  // key_of_token() reads 16 bytes
  const bool is_short = word.size() <= sizeof padded;
  if (is_short) std::memcpy(padded, word.data(), word.size());
  const WordKey key = key_of_token(is_short ? std::string_view(padded, word.size()) : word, words.hash());
  return words.find_or_insert(key, word)->id;
}

// Inserts the stop words into an empty table, and returns their number. If words are stemmed, StemmedWords
// leaves out the stop words.
inline std::uint32_t add_stop_words(const TextRules& rules, WordTable& words) {
  if (rules.analyzer == Analyzer::word && !rules.stems)
    for (const std::string& word : rules.stop_words)
      if (!word.empty()) insert_word(word, words);
  return words.size();
}

inline bool is_stop_word(const WordTable& stop_words, std::string_view word) {
  return stop_words.size() > 0 && !stop_words.find_token(key_of_token(word, stop_words.hash()), word)->key.is_empty();
}

// Turns the tokens of a cutter into tokens that are whole terms, such as "new york". Leaves out the terms that rules.sketch
// excludes. An excluded word takes no memory, even if a counted n-gram contains it.
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
        else if (is_chosen(1))
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
    if (i >= tokens.n_tokens) return;
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
      const bool chosen = is_chosen(n);
      if (n >= rules_.min_n && chosen) add_term(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
      if (n == rules_.max_n || begin == first_ || !chosen) break;
      begin = previous_word(begin);
    }
    text_ += ' ';
  }
  // Returns whether a term of n words is chosen. With a sketch, all terms of fewer than min_n words are chosen, and n-grams
  // that contain a rare n-gram are not chosen.
  bool is_chosen(std::int64_t n) {
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

// Tables of n-grams are needed only for words without ChosenTerms. The cutter returns each n-gram of characters as one
// token, and ChosenTerms returns each n-gram of words as one token.
inline bool counts_words(const TextRules& rules) { return rules.analyzer == Analyzer::word && !rules.sketch; }
inline std::int64_t most_words(const TextRules& rules) { return counts_words(rules) ? rules.max_n : 1; }
inline std::int64_t fewest_words(const TextRules& rules) { return counts_words(rules) ? rules.min_n : 1; }

// Returns tables that contain only the stop words.
inline std::shared_ptr<TermTables> empty_tables(const TextRules& rules, bool keeps_keys = false) {
  auto tables = std::make_shared<TermTables>(most_words(rules), keeps_keys);
  if (counts_words(rules)) tables->n_stop = add_stop_words(rules, tables->words);
  return tables;
}

// Passes tokens to count_tokens(). If may_insert is false, several threads may share the table, and the empty slots of the
// table must have the id no_term.
template <bool may_insert>
struct TokenSource {
  static constexpr bool inserts = may_insert;
  WordTable& table;
  const TokenSpans tokens;
  const KeyHash hash = table.hash();

  WordKey key(std::int64_t i) const { return key_of_token(tokens[i], hash); }
  Slot<WordKey>* slot(std::int64_t i, const WordKey& key) const {
    return inserts ? table.find_or_insert(key, tokens[i]) : table.find_token(key, tokens[i]);
  }
};

template <bool may_insert>
struct NgramSource {
  static constexpr bool inserts = may_insert;
  NgramTable& table;
  const NgramKey* keys;

  // A pair of unknown words would have the key of an empty slot, so key() returns the key of a different unknown pair.
  NgramKey key(std::int64_t i) const { return !inserts && keys[i].is_empty() ? NgramKey::of(no_term, 0) : keys[i]; }
  Slot<NgramKey>* slot(std::int64_t, NgramKey key) const {
    return inserts ? table.find_or_insert(key) : table.find_key(key);
  }
};

// Forms the n-grams that end at the words of a piece, for n = 2, 3, ... in turn.
class NgramSteps {
 public:
  explicit NgramSteps(std::int64_t max_n) : before_(static_cast<std::size_t>(max_n) + 1, no_term) {}

  // `ids` holds the ids of the n-grams of n - 1 words, part by part, and `ends` holds the end of each part.
  std::vector<std::uint32_t> ids;
  std::vector<std::int64_t> ends;
  std::vector<Part> parts;     // the parts into which `keys` is divided
  std::vector<NgramKey> keys;  // (parts.back().end,), the keys of the n-grams of n words

  void start_texts() { document_ = -1; }
  // Starts a piece of text whose words are in `ids` and `ends`.
  void start(std::span<const Part> of_words) {
    of_words_.assign(of_words.begin(), of_words.end());
    words_.assign(ids.begin(), ids.end());
    word_ends_.assign(ends.begin(), ends.end());
    if (of_words.empty()) return;
    continues_ = of_words.front().document == document_;
    document_ = of_words.back().document;
  }
  // Sets `parts` and `keys` for the n-grams of n words. Must be called for n = 2, 3, ... in turn. After each call, the
  // caller looks the n-grams up and writes their ids to `ids` and `ends`.
  void prepare(std::size_t n) {
    parts.clear();
    keys.clear();
    std::uint32_t before = continues_ ? before_[n - 1] : no_term;
    std::size_t first = 0;  // the start of the part's n-grams of n - 1 words in `ids`
    for (std::size_t p = 0; p < of_words_.size(); ++p) {
      const auto end = static_cast<std::size_t>(ends[p]);
      // An n-gram of n - 1 words is joined to the next word. The last n-gram is kept for the document's next piece.
      const auto add = [&](std::uint32_t prefix, std::size_t after) {
        keys.push_back(NgramKey::of(prefix, words_[static_cast<std::size_t>(word_ends_[p]) - (end - after)]));
      };
      if (p > 0) before = no_term;
      if (before != no_term && first < end) add(before, first);
      for (std::size_t i = first; i + 1 < end; ++i) add(ids[i], i + 1);
      parts.push_back({of_words_[p].document, of_words_[p].owner, static_cast<std::int64_t>(keys.size())});
      if (first < end) before = ids[end - 1];
      first = end;
    }
    if (!of_words_.empty()) before_[n - 1] = before;
    ids.resize(keys.size() + 1);
  }

 private:
  std::vector<Part> of_words_;
  std::vector<std::uint32_t> words_;
  std::vector<std::int64_t> word_ends_;
  std::vector<std::uint32_t> before_;  // before_[n] is the last n-gram of n words in the document's earlier pieces
  std::int64_t document_ = -1;         // the document of the last piece, which the next piece may continue
  bool continues_ = false;
};

// Makes count_tokens() count nothing.
struct NoCounts {
  struct Count {
    template <class Key>
    void add(Slot<Key>&) {}
    void end() {}
  };
  template <class Table>
  Count begin_part(Table&, const Part&, std::int64_t) {
    return {};
  }
};

// Cuts the documents of one thread and counts their terms. `Rows` is DocumentRows, ClassRows or IndexedRows.
template <class Rows>
class ThreadCounter {
 public:
  // Terms of fewer than rules.min_n words are not counted.
  explicit ThreadCounter(const TextRules& rules) : ThreadCounter(rules, empty_tables(rules)) {}
  ThreadCounter(const TextRules& rules, std::shared_ptr<TermTables> given)
      : tables(std::move(given)),
        rows(static_cast<std::size_t>(most_words(rules))),
        min_n_(static_cast<std::size_t>(fewest_words(rules))),
        cutter_(Cutter::of(rules)),
        steps_(most_words(rules)) {
    if (rules.sketch && rules.stems) throw std::invalid_argument("a sketch cannot choose stems");
    if (rules.sketch) terms_.emplace(rules);
    if (rules.stems) stemmed_.emplace(rules, tables->words, Rows::inserts);
  }

  // Counts the documents [begin, end). owner(document) returns the owner of the document's row.
  template <class Owner>
  void count(Texts texts, std::int64_t begin, std::int64_t end, const Owner& owner, Worker& worker) {
    cutter_->start(texts, begin, end, &worker);
    steps_.start_texts();
    if (terms_) terms_->start_texts();
    while (cutter_->next(tokens_)) {
      worker.check();
      parts_.clear();
      const Tokens& tokens = terms_ ? terms_->of(tokens_) : tokens_;
      for (const Tokens::Part& part : tokens.parts) parts_.push_back({part.document, owner(part.document), part.end});
      count_piece(tokens);
    }
    for (Rows& of_length : rows) of_length.end_texts();
  }

  CutWords take_cut_words() { return cutter_->take_cut_words(); }

  // Returns the approximate memory of the terms and their counts, in bytes.
  std::int64_t n_bytes() const {
    std::int64_t n_entries = 0;
    for (const Rows& of_length : rows) n_entries += of_length.n_entries();
    return tables->n_bytes() + (stemmed_ ? stemmed_->n_bytes() : 0) + n_entries * std::int64_t{sizeof(ClassEntry)};
  }

  const std::shared_ptr<TermTables> tables;
  std::vector<Rows> rows;  // rows[n - 1] has the rows of terms of n words

 private:
  void count_piece(const Tokens& tokens) {
    if (!tables->ngrams.empty()) {
      steps_.ids.resize(static_cast<std::size_t>(tokens.n_tokens) + 1);
      steps_.ends.resize(parts_.size());
    }
    NoCounts none;
    const TokenSource<Rows::inserts> words{tables->words, tokens.spans()};
    if (stemmed_ && min_n_ == 1) count_stems(tokens, rows[0]);
    else if (stemmed_) count_stems(tokens, none);
    else if (min_n_ == 1) count_words(tables->words, words, tables->n_stop, rows[0]);
    else count_words(tables->words, words, tables->n_stop, none);
    if (tables->ngrams.empty()) return;
    steps_.start(parts_);
    for (std::size_t n = 2; n <= rows.size(); ++n) {
      steps_.prepare(n);
      NgramTable& table = tables->ngrams[n - 2];
      count_and_list(table, NgramSource<Rows::inserts>{table, steps_.keys.data()}, steps_.parts, 0, n);
    }
  }
  // Counts words, and lists their ids if n-grams are counted, too.
  template <class Source, class Counts>
  void count_words(WordTable& table, const Source& source, std::uint32_t n_stop, Counts& counts) {
    const TokenIds list{steps_.ids.data(), steps_.ends.data()};
    if (tables->ngrams.empty()) count_tokens<false>(table, source, parts_, n_stop, counts, {});
    else count_tokens<true>(table, source, parts_, n_stop, counts, list);
  }
  template <class Counts>
  void count_stems(const Tokens& tokens, Counts& counts) {
    StemmedWords::Counter<Counts> counter(*stemmed_, counts);
    WordTable& words = stemmed_->words();
    stemmed_->look_ahead(tokens.spans(), parts_);
    count_words(words, TokenSource<true>{words, tokens.spans()}, stemmed_->n_stop(), counter);
    if (tables->ngrams.empty() || parts_.empty()) return;
    for (auto i = static_cast<std::size_t>(steps_.ends.back()); i-- > 0;)
      steps_.ids[i] = stemmed_->stem_id(steps_.ids[i]);
  }
  template <class Table, class Source>
  void count_and_list(Table& table, const Source& source, std::span<const Part> parts, std::uint32_t n_stop, std::size_t n) {
    const TokenIds list{steps_.ids.data(), steps_.ends.data()};
    NoCounts none;
    if (n >= min_n_)
      count_tokens<true>(table, source, parts, n_stop, rows[n - 1], list);
    else
      count_tokens<true>(table, source, parts, n_stop, none, list);
  }

  std::size_t min_n_;
  std::unique_ptr<Cutter> cutter_;
  Tokens tokens_;
  std::vector<Part> parts_;
  NgramSteps steps_;
  std::optional<ChosenTerms> terms_;
  std::optional<StemmedWords> stemmed_;
};

}  // namespace termsift

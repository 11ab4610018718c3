// Counts the terms of documents in one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "termsift/parallel.hpp"
#include "termsift/text_rules.hpp"
#include "text/chosen_terms.hpp"
#include "text/cutter.hpp"
#include "text/row_store.hpp"
#include "text/token_counting.hpp"

namespace termsift {

inline bool leaves_out(const TextRules& rules) { return rules.sketch || rules.buckets; }

// Tables of n-grams are needed only for words without ChosenTerms. N-grams of characters are tokens of the cutter, and
// ChosenTerms returns whole terms.
inline bool counts_words(const TextRules& rules) { return rules.analyzer == Analyzer::word && !leaves_out(rules); }
inline std::int64_t most_words(const TextRules& rules) { return counts_words(rules) ? rules.max_n : 1; }
inline std::int64_t fewest_words(const TextRules& rules) { return counts_words(rules) ? rules.min_n : 1; }

// Returns tables with no terms but the stop words.
inline std::shared_ptr<TermTables> empty_tables(const TextRules& rules, bool keeps_keys = false) {
  auto tables = std::make_shared<TermTables>(most_words(rules), keeps_keys);
  if (counts_words(rules)) tables->n_stop = add_stop_words(rules, tables->words);
  return tables;
}

// A source for count_tokens() that has the tokens of a cutter. If it inserts no terms, several threads may share the table,
// whose empty slots must have the id no_term.
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

  // A pair of two unknown words would have the key of an empty slot, so key() returns the key of another unknown pair.
  NgramKey key(std::int64_t i) const { return !inserts && keys[i].is_empty() ? NgramKey::of(no_term, 0) : keys[i]; }
  Slot<NgramKey>* slot(std::int64_t, NgramKey key) const {
    return inserts ? table.find_or_insert(key) : table.find_key(key);
  }
};

// Forms the n-grams that end at the words of a piece, for n = 2, 3, ... in turn.
class NgramSteps {
 public:
  explicit NgramSteps(std::int64_t max_n) : before_(static_cast<std::size_t>(max_n) + 1, no_term) {}

  // The ids of the n-grams of n - 1 words (of the words if n = 2), and the end of each part's ids.
  std::vector<std::uint32_t> ids;
  std::vector<std::int64_t> ends;
  std::vector<Part> parts;     // the parts of the list of n-grams to look up
  std::vector<NgramKey> keys;  // (parts.back().end,), the keys of these n-grams

  void start_texts() { document_ = -1; }
  // Starts on a piece whose words are in `ids` and `ends`.
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
      // The next word extends an n-gram of n - 1 words. The last such n-gram is kept for the document's next piece.
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

// Cuts and counts the documents of one thread. Rows are DocumentRows, ClassRows or IndexedRows.
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
    if (leaves_out(rules)) terms_.emplace(rules);
  }

  // Counts the documents [begin, end). owner(document) returns the owner of the document's row.
  template <class Owner>
  void count(Texts texts, std::int64_t begin, std::int64_t end, const Owner& owner, Worker& worker) {
    cutter_->start(texts, begin, end);
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

  // Returns the approximate memory of the terms and their counts, in bytes.
  std::int64_t n_bytes() const {
    std::int64_t n_entries = 0;
    for (const Rows& of_length : rows) n_entries += of_length.n_entries();
    return tables->n_bytes() + n_entries * std::int64_t{sizeof(ClassEntry)};
  }

  const std::shared_ptr<TermTables> tables;
  std::vector<Rows> rows;  // rows[n - 1] has the rows of terms of n words

 private:
  void count_piece(const Tokens& tokens) {
    const TokenSource<Rows::inserts> words{tables->words, tokens.spans()};
    if (tables->ngrams.empty()) return count_tokens(tables->words, words, parts_, tables->n_stop, rows[0], {});
    steps_.ids.resize(static_cast<std::size_t>(tokens.n_tokens) + 1);
    steps_.ends.resize(parts_.size());
    count_and_list(tables->words, words, parts_, tables->n_stop, 1);
    steps_.start(parts_);
    for (std::size_t n = 2; n <= rows.size(); ++n) {
      steps_.prepare(n);
      NgramTable& table = tables->ngrams[n - 2];
      count_and_list(table, NgramSource<Rows::inserts>{table, steps_.keys.data()}, steps_.parts, 0, n);
    }
  }
  template <class Table, class Source>
  void count_and_list(Table& table, const Source& source, std::span<const Part> parts, std::uint32_t n_stop, std::size_t n) {
    const TokenIds list{steps_.ids.data(), steps_.ends.data()};
    NoCounts none;
    if (n >= min_n_)
      count_tokens(table, source, parts, n_stop, rows[n - 1], list);
    else
      count_tokens(table, source, parts, n_stop, none, list);
  }

  std::size_t min_n_;
  std::unique_ptr<Cutter> cutter_;
  Tokens tokens_;
  std::vector<Part> parts_;
  NgramSteps steps_;
  std::optional<ChosenTerms> terms_;
};

}  // namespace termsift

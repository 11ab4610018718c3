// Counts the terms of documents in one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "termsift/parallel.hpp"
#include "termsift/text_rules.hpp"
#include "text/cutter.hpp"
#include "text/row_store.hpp"
#include "text/term_hash.hpp"
#include "text/token_counting.hpp"

namespace termsift {

// The cutter yields n-grams of characters as tokens, so only words need tables of n-grams.
inline std::int64_t most_words(const TextRules& rules) { return rules.analyzer == Analyzer::word ? rules.max_n : 1; }
inline std::int64_t fewest_words(const TextRules& rules) { return rules.analyzer == Analyzer::word ? rules.min_n : 1; }

// Inserts the stop words into an empty table, and returns their number.
inline std::uint32_t add_stop_words(const TextRules& rules, WordTable& words) {
  if (rules.analyzer != Analyzer::word) return 0;
  std::vector<std::uint8_t> padded;
  for (const std::string& word : rules.stop_words) {
    if (word.empty()) continue;
    padded.assign(word.begin(), word.end());
    padded.resize(word.size() + 16);
    const auto size = static_cast<std::uint32_t>(word.size());
    words.find_or_insert(key_of_token(padded.data(), size, words.hash()), padded.data(), size);
  }
  return words.size();
}

// The tokens of a cutter as the source of count_tokens().
struct TokenSource {
  TokenSource(WordTable& in, const Tokens& tokens)
      : table(in), bytes(tokens.bytes), bounds(tokens.bounds.data()), hash(in.hash()) {}

  static constexpr bool inserts = true;
  WordTable& table;
  const std::uint8_t* bytes;
  const std::uint32_t* bounds;
  const KeyHash hash;
  static constexpr bool is_gated = false;

  const std::uint8_t* begin(std::int64_t i) const { return bytes + bounds[2 * i]; }
  std::uint32_t size(std::int64_t i) const { return bounds[2 * i + 1] - bounds[2 * i]; }
  WordKey key(std::int64_t i) const { return key_of_token(begin(i), size(i), hash); }
  Slot<WordKey>* slot(std::int64_t i, const WordKey& key) const { return table.find_or_insert(key, begin(i), size(i)); }
};

struct NgramSource {
  static constexpr bool inserts = true;
  NgramTable& table;
  const NgramKey* keys;
  static constexpr bool is_gated = false;

  NgramKey key(std::int64_t i) const { return keys[i]; }
  Slot<NgramKey>* slot(std::int64_t, NgramKey key) const { return table.find_or_insert(key); }
};

// Keeps terms that are certainly rare out of a thread's tables. All rare terms have the id no_term. An n-gram is rare if it
// contains a rare shorter n-gram.
class TermGate {
 public:
  TermGate(const TextRules& rules, std::uint32_t n_stop)
      : sketch_(*rules.sketch), least_(rules.least), min_n_(static_cast<std::size_t>(fewest_words(rules))),
        hashes_(static_cast<std::size_t>(most_words(rules))) {
    hashes_[0].resize(n_stop);  // these are never read, because no n-gram contains a stop word
  }

  // Returns whether a new term of n words is admitted to the tables. If so, the caller must insert it with the next id.
  bool admits(std::size_t n, std::uint64_t hash) {
    if (n >= min_n_ && sketch_.at(sketch_.place(hash)) < least_) return false;
    if (n < hashes_.size()) hashes_[n - 1].push_back(hash);
    return true;
  }
  bool admits(std::size_t n, NgramKey key) {
    return admits(n, ngram_hash(hashes_[n - 2][key.prefix()], hashes_[0][key.word()]));
  }

  Slot<WordKey> no_word{{}, no_term, 0, 0, 0};
  Slot<NgramKey> no_ngram{{}, no_term, 0, 0, 0};

 private:
  const TermSketch& sketch_;
  const std::uint8_t least_;
  const std::size_t min_n_;
  std::vector<std::vector<std::uint64_t>> hashes_;  // hashes_[n - 1][id], for terms of n words, n < max_n
};

struct GatedTokens : TokenSource {
  GatedTokens(WordTable& in, const Tokens& tokens, TermGate& by) : TokenSource(in, tokens), gate(by) {}

  TermGate& gate;
  static constexpr bool is_gated = true;

  Slot<WordKey>* slot(std::int64_t i, const WordKey& key) const {
    const bool is_new = table.find_token(key, begin(i), size(i))->key.is_empty();
    if (is_new && !gate.admits(1, word_hash(begin(i), size(i)))) return &gate.no_word;
    return TokenSource::slot(i, key);
  }
};

struct GatedNgrams : NgramSource {
  TermGate& gate;
  const std::size_t n;
  static constexpr bool is_gated = true;

  // A pair of two rare terms would have the key of an empty slot, so it gets another key with a rare term.
  NgramKey key(std::int64_t i) const { return keys[i].is_empty() ? NgramKey::of(no_term, 0) : keys[i]; }
  Slot<NgramKey>* slot(std::int64_t i, NgramKey key) const {
    if (key.prefix() == no_term || key.word() == no_term) return &gate.no_ngram;
    if (table.find_key(key)->key.is_empty() && !gate.admits(n, key)) return &gate.no_ngram;
    return NgramSource::slot(i, key);
  }
};

// Forms the n-grams that end at the words of a piece, for n = 2, 3, ... in turn.
class NgramSteps {
 public:
  explicit NgramSteps(std::int64_t max_n) : before_(static_cast<std::size_t>(max_n) + 1, no_term) {}

  // The ids of the n-grams of n - 1 words (for n = 2, of the words), and the end of each part's ids.
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
  // Sets `parts` and `keys` for the n-grams of n words. It is called for n = 2, 3, ... in turn. After each call, the caller
  // looks the n-grams up and writes their ids to `ids` and `ends`.
  void prepare(std::size_t n) {
    parts.clear();
    keys.clear();
    std::uint32_t before = continues_ ? before_[n - 1] : no_term;
    std::size_t first = 0;  // the start of the part's shorter n-grams in `ids`
    for (std::size_t p = 0; p < of_words_.size(); ++p) {
      const auto end = static_cast<std::size_t>(ends[p]);
      // A shorter n-gram and the next word form an n-gram. The last shorter n-gram waits for the document's next piece.
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

// Cuts and counts the documents of one thread. Rows are DocumentRows or ClassRows.
template <class Rows>
class ThreadCounter {
 public:
  // Terms of fewer than `min_n` words are not counted.
  explicit ThreadCounter(const TextRules& rules, bool keeps_keys = false)
      : tables(most_words(rules), keeps_keys),
        rows(static_cast<std::size_t>(most_words(rules))),
        min_n_(static_cast<std::size_t>(fewest_words(rules))),
        cutter_(Cutter::of(rules)),
        steps_(most_words(rules)) {
    n_stop = add_stop_words(rules, tables.words);
    if (rules.sketch) gate_.emplace(rules, n_stop);
  }

  // Counts the documents [begin, end). owner(document) returns the owner of the document's row.
  template <class Owner>
  void count(Texts texts, std::int64_t begin, std::int64_t end, const Owner& owner, Worker& worker) {
    cutter_->start(texts, begin, end);
    steps_.start_texts();
    while (cutter_->next(tokens_)) {
      worker.check();
      parts_.clear();
      for (const Tokens::Part& part : tokens_.parts) parts_.push_back({part.document, owner(part.document), part.end});
      count_piece();
    }
    for (Rows& of_length : rows) of_length.end_texts();
  }

  // Returns the approximate memory of the terms and their counts, in bytes.
  std::int64_t n_bytes() const {
    std::int64_t n_entries = 0;
    for (const Rows& of_length : rows) n_entries += of_length.n_entries();
    return tables.n_bytes() + n_entries * std::int64_t{sizeof(ClassEntry)};
  }

  TermTables tables;
  std::vector<Rows> rows;   // rows[n - 1] has the rows of terms of n words
  std::uint32_t n_stop = 0;           // the first n_stop words of the table are stop words

 private:
  void count_piece() {
    if (gate_)
      count_piece(GatedTokens(tables.words, tokens_, *gate_), [&](NgramTable& table, std::size_t n) {
        return GatedNgrams{{table, steps_.keys.data()}, *gate_, n};
      });
    else
      count_piece(TokenSource(tables.words, tokens_),
                  [&](NgramTable& table, std::size_t) { return NgramSource{table, steps_.keys.data()}; });
  }
  template <class Words, class Ngrams>
  void count_piece(const Words& words, const Ngrams& ngrams) {
    if (tables.ngrams.empty()) {
      if (n_stop > 0) return count_tokens<true, false>(tables.words, words, parts_, n_stop, rows[0], {});
      return count_tokens<false, false>(tables.words, words, parts_, 0, rows[0], {});
    }
    steps_.ids.resize(static_cast<std::size_t>(tokens_.n_tokens) + 1);
    steps_.ends.resize(parts_.size());
    const TokenIds list{steps_.ids.data(), steps_.ends.data()};
    count_and_list<true>(tables.words, words, parts_, 1, list);
    steps_.start(parts_);
    for (std::size_t n = 2; n <= rows.size(); ++n) {
      steps_.prepare(n);
      count_and_list<false>(tables.ngrams[n - 2], ngrams(tables.ngrams[n - 2], n), steps_.parts, n, list);
    }
  }
  template <bool stops, class Table, class Source>
  void count_and_list(Table& table, const Source& source, std::span<const Part> parts, std::size_t n, const TokenIds& list) {
    NoCounts none;
    if (n >= min_n_)
      count_tokens<stops, true>(table, source, parts, n_stop, rows[n - 1], list);
    else
      count_tokens<stops, true>(table, source, parts, n_stop, none, list);
  }

  std::size_t min_n_;
  std::unique_ptr<Cutter> cutter_;
  Tokens tokens_;
  std::vector<Part> parts_;
  NgramSteps steps_;
  std::optional<TermGate> gate_;
};

}  // namespace termsift

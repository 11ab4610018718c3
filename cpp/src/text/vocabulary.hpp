// The sorted terms of all threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "termsift/large_memory.hpp"
#include "termsift/parallel.hpp"
#include "text/term_table.hpp"

namespace termsift {

// A word in sortable form. A word that is its own key (term_keys.hpp) is `first`; other words begin with `first`.
struct SortedWord {
  std::uint64_t first[2];  // its first 16 bytes, padded with zeros; the first byte is the most significant
  const char* outside;     // null, or the word in a table's arena, right after its length, if no key holds it

  // Returns its bytes. `buffer` has 16 bytes and may hold them.
  std::string_view bytes(char* buffer) const;
  bool operator==(const SortedWord& other) const;
  bool operator<(const SortedWord& other) const;  // by bytes: the order of code points
};

// The distinct terms of one length, sorted, and the number of rows with each.
template <class Key>
struct SortedTerms {
  std::int64_t size = 0;
  LargeArray<Key> keys;
  LargeArray<std::int64_t> documents;
};

// Terms are sorted as strings: by code points, a term right before the terms that it begins. A blank sorts below every
// character of a word, so n-grams are sorted as sequences of words, and no strings are built.
class Vocabulary {
 public:
  // Sorts the terms of the tables of all threads. Ids below n_stop are stop words and are skipped, as are n-grams of fewer
  // than min_n words. The tables lose their slots and must outlive this.
  Vocabulary(std::span<TermTables* const> tables, std::uint32_t n_stop, std::int64_t min_n, const Threads& threads);

  std::int64_t n_terms() const { return n_terms_; }
  // terms(table, n)[id] is the sorted term of an n-gram of n words in a table, or -1 for a stop word or an n-gram too short
  // to be a term.
  const std::int32_t* terms(std::size_t table, std::size_t n) const { return terms_[table][n - 1].get(); }
  // The number of rows that have each term.
  const std::int64_t* rows() const { return (ngrams_.empty() ? words_.documents : rows_).get(); }
  // Calls visit(term, its bytes) for every term, in order.
  void for_each_term(const std::function<void(std::int64_t, std::string_view)>& visit) const;

 private:
  using Ranks = LargeArray<std::int32_t>;

  void sort_words(std::span<TermTables* const> tables, std::uint32_t n_stop, const Threads& threads);
  void sort_ngrams(std::span<TermTables* const> tables, std::size_t n, const Threads& threads);
  std::vector<LargeArray<std::int64_t>> places_of_terms(std::size_t max_n, Worker& worker);
  void number_terms(std::span<TermTables* const> tables, std::size_t max_n, const Threads& threads);
  std::int64_t n_of_length(std::size_t n) const { return n == 1 ? words_.size : ngrams_[n - 2].size; }

  SortedTerms<SortedWord> words_;
  // At n - 2: the sorted n-grams, each by the rank of its prefix among the n-grams of n - 1 words, and of its last word.
  std::vector<SortedTerms<NgramKey>> ngrams_;
  std::vector<std::vector<Ranks>> terms_;  // at [table][n - 1][id]: the rank while terms are sorted, then the term
  std::size_t min_n_ = 1;
  std::int64_t n_terms_ = 0;
  LargeArray<std::int64_t> rows_;  // empty if there are no n-grams
};

}  // namespace termsift

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

// A word in sortable form.
struct SortedWord {
  std::uint64_t first[2];  // the first 16 bytes, padded with zeros; the first byte is the most significant
  const char* outside;     // null, or a pointer to the bytes of an outside token (see WordKey), which follow their length

  // Returns the bytes of the word. The bytes may lie in `buffer`, which must have room for 16 bytes.
  std::string_view bytes(char* buffer) const;
  bool operator==(const SortedWord& other) const;
  bool operator<(const SortedWord& other) const;  // compares bytes, which gives the order of code points
};

// The distinct n-grams of one fixed n, sorted, and the number of rows with each n-gram.
template <class Key>
struct SortedTerms {
  std::int64_t size = 0;
  LargeArray<Key> keys;
  LargeArray<std::int64_t> documents;
};

// All terms, sorted as strings by code points. A term comes right before the longer n-grams that begin with its words. A
// blank sorts below every character of a usual word, so n-grams can be sorted as sequences of words, without building
// strings. If a word has a control character, which a pattern may match, the terms are sorted again as strings.
class Vocabulary {
 public:
  // Sorts the terms in the tables of all threads, which must have the same stop words. Skips stop words and n-grams of fewer
  // than min_n words. Frees the slots of the tables. The tables must outlive the Vocabulary.
  Vocabulary(std::span<TermTables* const> tables, std::int64_t min_n, const Threads& threads);

  std::int64_t n_terms() const { return n_terms_; }
  // terms(table, n)[id] is the number of the term for a table's n-gram of n words, or -1 for a stop word or if n < min_n.
  const std::int32_t* terms(std::size_t table, std::size_t n) const { return terms_[table][n - 1].get(); }
  // Returns an array with the number of rows that have each term.
  const std::int64_t* rows() const { return (ngrams_.empty() ? words_.documents : rows_).get(); }
  // Calls visit(term, bytes of the term) for every term, in order.
  void for_each_term(const std::function<void(std::int64_t, std::string_view)>& visit) const;

 private:
  using Ranks = LargeArray<std::int32_t>;

  void sort_words(std::span<TermTables* const> tables, const Threads& threads);
  void sort_ngrams(std::span<TermTables* const> tables, std::size_t n, const Threads& threads);
  std::vector<LargeArray<std::int64_t>> places_of_terms(std::size_t max_n, Worker& worker);
  void number_terms(std::span<TermTables* const> tables, std::size_t max_n, const Threads& threads);
  bool has_control_characters() const;
  void sort_strings(std::span<TermTables* const> tables, Worker& worker);
  std::int64_t n_of_length(std::size_t n) const { return n == 1 ? words_.size : ngrams_[n - 2].size; }

  SortedTerms<SortedWord> words_;
  // ngrams_[n - 2] has the sorted n-grams of n words. A key is the rank of the prefix among the n-grams of n - 1 words, and
  // the rank of the last word.
  std::vector<SortedTerms<NgramKey>> ngrams_;
  std::vector<std::vector<Ranks>> terms_;  // terms_[table][n - 1][id] is a rank at first, and later the number of a term
  std::size_t min_n_ = 1;
  std::int64_t n_terms_ = 0;
  LargeArray<std::int64_t> rows_;  // empty if there are no n-grams
  std::vector<std::string> strings_;  // the sorted terms, if they were sorted again
};

}  // namespace termsift

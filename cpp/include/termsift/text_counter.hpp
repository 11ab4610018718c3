// Counts the terms of texts, either by document (as a CSR matrix) or by class.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "termsift/class_counts.hpp"
#include "termsift/counting.hpp"
#include "termsift/large_memory.hpp"
#include "termsift/parallel.hpp"
#include "termsift/table_reader.hpp"
#include "termsift/text_rules.hpp"
#include "termsift/texts.hpp"

namespace termsift {

// A CSR matrix of counts. Columns strictly increase in each row.
struct TextMatrix {
  std::int64_t n_rows = 0, n_entries = 0;
  LargeArray<std::int64_t> indptr;   // (n_rows + 1,)
  LargeArray<std::int32_t> indices;  // (n_entries,)
  LargeArray<std::int64_t> data;     // (n_entries,)
};

// Learns the vocabulary of texts and counts its terms, block by block. Results do not depend on the number of threads, the
// size of the blocks or the seed of the hash tables. Only one thread at a time may call a counter.
class TextCounter {
 public:
  TextCounter(const TextRules& rules, bool by_class);
  ~TextCounter();
  // Adds documents. `classes` has one class per document, or is empty if the counter counts by document. Throws BadText for
  // the first text that is not UTF-8. If add() throws after it has checked the arguments, all later calls of the counter
  // throw std::logic_error.
  void add(Texts texts, std::span<const ClassId> classes, const Threads& threads);
  // Adds documents that may have any number of classes each. The counter must count by class, and all documents must be
  // added by this function. A document counts once in each of its classes, and once in the row of the collection.
  void add_labelled(Texts texts, const LabelView& labels, const Threads& threads);
  // Adds the rows in about the next n_bytes bytes of a table (fewer at its end). The counter must count by class. One thread
  // reads a block while the other threads count earlier blocks. Returns the number of documents added.
  std::int64_t add(TableReader& table, std::int64_t n_bytes, const Threads& threads);

  // Returns the number of texts so far without a character.
  std::int64_t n_empty() const;
  // Returns the number of words of the texts so far, if the analyzer cuts words.
  std::int64_t n_words() const;
  // Returns how many runs of letters, even of one letter, end at a combining mark, which then cuts a word in two.
  std::int64_t n_before_marks() const;
  // Returns the approximate memory of the terms and counts so far, in bytes.
  std::int64_t n_bytes() const;

  // Sorts the terms found so far in the order of code points. No text may be added after sort().
  void sort(const Threads& threads);
  std::int64_t n_terms() const;
  // For each sorted term, document_frequency() returns the number of documents that contain the term, and term_frequency()
  // returns the number of the term's occurrences.
  LargeArray<std::int64_t> document_frequency(const Threads& threads) const;
  LargeArray<std::int64_t> term_frequency(const Threads& threads) const;
  // Calls visit(term, its UTF-8 bytes) for every sorted term with columns[term] >= 0, or for all terms if `columns` is
  // empty.
  void for_each_term(std::span<const std::int32_t> columns,
                     const std::function<void(std::int64_t, std::string_view)>& visit) const;
  // columns[term] is the column of a term, or -1 to drop the term. Columns must increase. If `columns` is empty, no term is
  // dropped. matrix() needs a counter by document, and counts() a counter by class.
  TextMatrix matrix(std::span<const std::int32_t> columns, const Threads& threads) const;
  ClassCounts<std::int64_t> counts(std::span<const std::int32_t> columns, std::int64_t n_classes, bool binary,
                                   const Threads& threads) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Counts the terms of a fixed vocabulary, which are the columns of the counts. All other terms are ignored.
class TextIndex {
 public:
  TextIndex(const TextRules& rules, std::span<const std::string> terms, const Poll& poll = {});
  ~TextIndex();
  // Several threads may call matrix() and sums() at once.
  TextMatrix matrix(Texts texts, const Threads& threads) const;
  // Returns the product of the matrix of counts and `weights`, which has shape (terms, n). The product has shape (texts, n).
  // With `binary`, a term counts at most once in a text.
  LargeArray<double> sums(Texts texts, std::span<const double> weights, std::int64_t n, bool binary,
                          const Threads& threads) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Counts terms by hash, as scikit-learn's HashingVectorizer does. The column of a term is |h| mod n_columns, where h is the
// MurmurHash3 (32 bits, seed 0) of its UTF-8 bytes. With alternate_sign, each occurrence of a term with h < 0 counts as -1.
TextMatrix hashed_matrix(const TextRules& rules, Texts texts, std::int32_t n_columns, bool alternate_sign,
                         const Threads& threads);

}  // namespace termsift

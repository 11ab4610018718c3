// The counts from which all scores are computed. Each pair of a class and a term has two counts: the number of
// occurrences of the term in the class, and the number of documents of the class that contain the term.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "termsift/parallel.hpp"
#include "termsift/types.hpp"

namespace termsift {

// The term frequencies or the document frequencies of a ClassRow. In a narrow row, all frequencies are integers below 2^32,
// and each takes 4 bytes. In any other row, each frequency is a Count.
template <CountType Count>
class Frequencies {
 public:
  Count operator[](std::int64_t i) const { return narrow_ != nullptr ? static_cast<Count>(narrow_[i]) : wide_[i]; }
  void set(std::int64_t i, Count value) {
    if (narrow_ != nullptr)
      narrow_[i] = static_cast<std::uint32_t>(value);
    else
      wide_[i] = value;
  }
  std::uint32_t* narrow() const { return narrow_; }  // null if the row is not narrow

 private:
  template <CountType>
  friend struct ClassRow;
  std::uint32_t* narrow_ = nullptr;
  Count* wide_ = nullptr;
};

// Memory for the many rows that one thread makes. The first rows have memory of their own. Later rows are slices of chunks
// in huge pages, because page faults took a quarter of the time of counting 5,000 classes, and a third of the time of
// counting 570. A chunk lives as long as any of its rows, so it is small. In each thread, at most 4 MiB of the last chunk
// and a sixteenth of the others remain unused.
class RowMemory {
 public:
  std::shared_ptr<std::byte> slice(std::int64_t bytes);

 private:
  static constexpr std::int64_t chunk_bytes = std::int64_t{4} << 20, longest_slice = chunk_bytes / 16;
  static constexpr std::int64_t bytes_before_chunks = chunk_bytes;

  std::shared_ptr<std::byte> chunk_;
  std::int64_t n_used_ = chunk_bytes;  // bytes of `chunk_`
  std::int64_t n_total_ = 0;           // bytes of all slices
};

// The counts of one class. Rows are immutable once built. An update of counts creates new rows for the classes that change,
// and shares all other rows with the old counts. A failed update therefore leaves the old counts intact.
template <CountType Count>
struct ClassRow {
  Count n_docs = 0;    // number of documents of the class, or the sum of their weights; 0 if unknown
  Count n_tokens = 0;  // l_c, the sum of all term frequencies and n_unlisted
  Count n_unlisted = 0;  // number of tokens of the terms that a truncated frequency list omits
  // The rounding error of n_tokens in float counts. Differences of probabilities need twice the precision of a double.
  Count n_tokens_rest = 0;
  std::int64_t size = 0;
  TermId* terms = nullptr;                // (size,), the terms that occur in the class, strictly increasing
  Frequencies<Count> term_frequency;      // (size,), l_ic > 0
  Frequencies<Count> document_frequency;  // (size,), d_ic > 0; all d_ic are 0 if they are unknown

  // Allocates arrays for `capacity` pairs, in `memory` if it is not null. The caller fills the arrays and sets `size`.
  static ClassRow with_capacity(std::int64_t capacity, bool narrow = false, RowMemory* memory = nullptr);
  bool is_narrow() const { return term_frequency.narrow() != nullptr; }
  // Returns whether the scores include the class.
  bool is_present() const { return n_docs > 0 || n_tokens > 0; }
  // Returns whether the class has tokens but unknown document frequencies, as in counts from a frequency list. The test
  // n_docs == 0 alone does not suffice, because counting sets the document frequencies before n_docs.
  bool has_unknown_documents() const { return n_docs == 0 && (size > 0 ? document_frequency[0] == 0 : n_unlisted > 0); }
  // Sets pair i to a term and its frequencies.
  void set_pair(std::int64_t i, TermId term, Count tf, Count df) {
    terms[i] = term;
    term_frequency.set(i, tf);
    document_frequency.set(i, df);
  }
  // Sets n_tokens to the sum of term_frequency and n_unlisted. In float counts, sets n_tokens_rest to the rounding error of
  // n_tokens. Throws CountOverflow if the sum exceeds int64.
  void sum_tokens();

 private:
  std::shared_ptr<std::byte> memory_;
};

// Throws std::invalid_argument if a float count has become infinite.
template <CountType Count>
void check_finite(Count sum, const char* what);
template <CountType Count>
void check_finite(const ClassRow<Count>& row);

// Checks the arrays of a row from a file. Terms must strictly increase and be below n_terms. Frequencies must be finite and
// positive, except that all document frequencies are 0 if the documents are unknown. In exact counts, a document frequency
// must exceed neither the term frequency nor n_docs. Throws std::invalid_argument for an invalid row.
template <CountType Count>
void check_row(const ClassRow<Count>& row, std::int64_t n_terms);

template <CountType Count>
using ClassRowPtr = std::shared_ptr<const ClassRow<Count>>;

template <CountType Count>
struct ClassCounts {
  std::int64_t n_terms = 0;
  Count n_docs = 0;  // number of documents, each counted once even if it has several classes or none
  std::vector<ClassRowPtr<Count>> rows;  // the row of each class, never null

  // The whole collection as one class, with every document counted once. The row of the collection is stored if some
  // document has no class or several classes. Float counts also store the row of the collection if each document has a list
  // of labels. A null pointer means that the collection is the sum of the class rows.
  ClassRowPtr<Count> collection;

  EventModel model = EventModel::multinomial;  // the event that term_frequency and n_tokens count (see as_counted_by)

  // Returns the row of class c, or the collection if c is the number of classes.
  ClassRowPtr<Count>& row_or_collection(std::size_t c) { return c < rows.size() ? rows[c] : collection; }
};

// Checks counts from a file whose rows check_row accepts. The number of documents must be the sum over the classes or, if
// the row of the collection is stored, equal to its number. In exact counts, no class may have a larger count than the
// collection. Throws std::invalid_argument for impossible counts.
template <CountType Count>
void check_collection(const ClassCounts<Count>& counts);

// The terms [first, last), by default all terms.
struct TermRange {
  std::int64_t first = 0, last = max_terms;

  TermRange within(std::int64_t n_terms) const { return {first, last < n_terms ? last : n_terms}; }
  std::int64_t size() const { return last - first; }
};

// Returns the sum of two rows. If a row has unknown document frequencies, the sum also has unknown document frequencies.
// Calls worker->check() at intervals unless `worker` is null.
template <CountType Count>
ClassRow<Count> merge_rows(const ClassRow<Count>& a, const ClassRow<Count>& b, Worker* worker = nullptr);

// Joins the rows [begin, end) into one row with n_docs = 0. Each row's terms must be greater than the terms of earlier rows.
template <CountType Count>
ClassRow<Count> concatenate(const ClassRow<Count>* begin, const ClassRow<Count>* end);

// Returns the row of the whole collection, which is the sum of the class rows if `collection` is null. Takes
// O(pairs * log(classes)) time, in parallel over pairs of rows.
template <CountType Count>
ClassRowPtr<Count> collection_row(const ClassCounts<Count>& counts, const Threads& threads = {});

// Class c of the new counts is class map[c] of the old counts, or an empty class if map[c] is -1.
using ClassMap = std::span<const std::int64_t>;

// Returns the counts for a different list of classes. The result shares the rows of `counts`.
template <CountType Count>
ClassCounts<Count> with_classes(const ClassCounts<Count>& counts, ClassMap map);

// Returns the counts of the given terms, renumbered 0, 1, ... The totals of the classes still include all terms, so no bit
// of a score changes. Throws std::invalid_argument if terms do not exist or do not strictly increase. O(n_terms + pairs).
template <CountType Count>
ClassCounts<Count> of_terms(const ClassCounts<Count>& counts, std::span<const std::int64_t> terms, const Threads& threads);

// Returns the sum of the counts of two collections with the same classes. O(pairs of both), in parallel over the classes.
template <CountType Count>
ClassCounts<Count> merge(const ClassCounts<Count>& a, const ClassCounts<Count>& b, const Threads& threads);

// Returns the counts of `whole` minus the counts of `part`. Document frequencies that are unknown in `whole` stay unknown.
// If a count of `part` exceeds the same count of `whole`, throws std::invalid_argument with a message that names the class
// and the term. In float counts, a difference of at most 2^-40 of the count in `whole` is treated as a rounding error and
// set to zero.
template <CountType Count>
ClassCounts<Count> subtract(const ClassCounts<Count>& whole, const ClassCounts<Count>& part, const Threads& threads);

// Returns `counts` as doubles. Throws std::invalid_argument if a double cannot hold a count exactly, such as 2^53 + 1.
ClassCounts<double> to_float(const ClassCounts<std::int64_t>& counts, const Threads& threads);

// Returns counts in which term_frequency is x and n_tokens is X, as EventModel defines x and X for `model`. The result
// shares the memory of `counts`. The result stores the model, which decides whether p is a probability or a rate.
//
// In float counts, n_c and d_ic are rounded sums. If rounding makes the largest d_ic exceed n_c, the model bernoulli uses
// the largest d_ic as X. Takes at most O(pairs) time.
template <CountType Count>
ClassCounts<Count> as_counted_by(EventModel model, const ClassCounts<Count>& counts, const Threads& threads);

}  // namespace termsift

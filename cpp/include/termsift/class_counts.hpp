// The sufficient statistic: how often each term occurs in each class, and in how many documents of the class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "termsift/parallel.hpp"
#include "termsift/types.hpp"

namespace termsift {

// The term or document frequencies of a row. Each takes 4 bytes if all in the row are integers below 2^32, and is a Count
// otherwise; values are the same.
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
  std::uint32_t* narrow() const { return narrow_; }  // null unless each takes 4 bytes

 private:
  template <CountType>
  friend struct ClassRow;
  std::uint32_t* narrow_ = nullptr;
  Count* wide_ = nullptr;
};

// The counts of one class. Rows are immutable once built: an update replaces the rows that it changes and shares the others
// with its operand. A failed update therefore leaves its operand intact.
template <CountType Count>
struct ClassRow {
  Count n_docs = 0;    // documents of the class, or the sum of their weights; 0 if unknown
  Count n_tokens = 0;  // l_c, the sum of term_frequency and n_unlisted
  Count n_unlisted = 0;  // tokens of a frequency list that was cut off, of terms that it does not have
  // The rounding error of n_tokens in float counts. Differences of probabilities need l_c in twice the precision.
  Count n_tokens_rest = 0;
  std::int64_t size = 0;
  TermId* terms = nullptr;                // (size,), strictly increasing: the terms that occur in the class
  Frequencies<Count> term_frequency;      // (size,), l_ic > 0
  Frequencies<Count> document_frequency;  // (size,), d_ic > 0; all are 0 if the documents are unknown

  // The caller sets size and fills the arrays. A narrow row holds only integers below 2^32.
  static ClassRow with_capacity(std::int64_t capacity, bool narrow = false);
  bool is_narrow() const { return term_frequency.narrow() != nullptr; }
  // Whether the class takes part in scores.
  bool is_present() const { return n_docs > 0 || n_tokens > 0; }
  // Whether the class has tokens of documents that nobody has counted, as a frequency list has.
  // While documents are being counted, d_ic comes before n_docs.
  bool has_unknown_documents() const { return n_docs == 0 && (size > 0 ? document_frequency[0] == 0 : n_unlisted > 0); }
  // Sets the pair i.
  void set_pair(std::int64_t i, TermId term, Count tf, Count df) {
    terms[i] = term;
    term_frequency.set(i, tf);
    document_frequency.set(i, df);
  }
  // Sets n_tokens and n_tokens_rest to the sum of term_frequency and n_unlisted, a double-double in float counts. Throws
  // CountOverflow if the sum exceeds int64.
  void sum_tokens();

 private:
  std::shared_ptr<std::byte> memory_;
};

// Throws std::invalid_argument if a float count has become infinite.
template <CountType Count>
void check_finite(Count sum, const char* what);
template <CountType Count>
void check_finite(const ClassRow<Count>& row);

// Checks arrays from a file: terms strictly increase and are below n_terms; frequencies are finite and positive, but those
// of unknown documents are 0; in exact counts no term has more documents than occurrences, or than the class has. Throws
// std::invalid_argument.
template <CountType Count>
void check_row(const ClassRow<Count>& row, std::int64_t n_terms);

template <CountType Count>
using ClassRowPtr = std::shared_ptr<const ClassRow<Count>>;

template <CountType Count>
struct ClassCounts {
  std::int64_t n_terms = 0;
  Count n_docs = 0;  // counts every document once, even one with several classes or none
  std::vector<ClassRowPtr<Count>> rows;  // one for each class, never null

  // The whole collection as one class, with every document counted once. It is kept if some document has no class or
  // several, and in float counts also if the labels were lists. Otherwise it is null: the sum of the rows.
  ClassRowPtr<Count> collection;

  EventModel model = EventModel::multinomial;  // the model of term_frequency and n_tokens (as_counted_by)

  // The row of class c; if c is one more than the last class, the collection.
  ClassRowPtr<Count>& row_or_collection(std::size_t c) { return c < rows.size() ? rows[c] : collection; }
};

// The terms [first, last); by default all terms.
struct TermRange {
  std::int64_t first = 0, last = max_terms;

  TermRange within(std::int64_t n_terms) const { return {first, last < n_terms ? last : n_terms}; }
  std::int64_t size() const { return last - first; }
};

// Returns the sum of two rows. Its documents are unknown if those of either row are.
template <CountType Count>
ClassRow<Count> merge_rows(const ClassRow<Count>& a, const ClassRow<Count>& b);

// Joins the rows [begin, end). The terms of a row are larger than those of the rows before it. Leaves n_docs at 0.
template <CountType Count>
ClassRow<Count> concatenate(const ClassRow<Count>* begin, const ClassRow<Count>* end);

// Returns the row of all documents: `collection` if it is kept, else the sum of the rows. O(pairs * log(classes)).
template <CountType Count>
ClassRowPtr<Count> collection_row(const ClassCounts<Count>& counts);

// Class c of a result is class map[c] of the operand, or is empty if map[c] is -1.
using ClassMap = std::span<const std::int64_t>;

// Returns the counts under a different list of classes. The rows are shared.
template <CountType Count>
ClassCounts<Count> with_classes(const ClassCounts<Count>& counts, ClassMap map);

// Returns the counts of the given terms, which increase and become 0, 1, ... All totals remain those of all terms, so scores
// keep their bits. Throws std::invalid_argument for terms that do not increase or do not exist. O(n_terms + pairs).
template <CountType Count>
ClassCounts<Count> of_terms(const ClassCounts<Count>& counts, std::span<const std::int64_t> terms, const Threads& threads);

// Returns the sum of the counts of two collections that have the same classes. O(pairs of both), parallel over classes.
template <CountType Count>
ClassCounts<Count> merge(const ClassCounts<Count>& a, const ClassCounts<Count>& b, const Threads& threads);

// Returns the counts of `whole` without those of `part`; unknown documents stay unknown. Throws std::invalid_argument if
// part exceeds whole, and names class and term. In float counts a remainder within rounding of zero (2^-40 of the whole) is
// zero.
template <CountType Count>
ClassCounts<Count> subtract(const ClassCounts<Count>& whole, const ClassCounts<Count>& part, const Threads& threads);

// Returns the same counts as doubles. Throws std::invalid_argument if a double cannot hold a count, such as an odd one above
// 2^53.
ClassCounts<double> to_float(const ClassCounts<std::int64_t>& counts, const Threads& threads);

// Returns counts whose term_frequency is x and whose n_tokens is X of the model (EventModel). They share the memory of
// `counts`. They store the model, which tells scores whether p are probabilities or rates.
//
// For float counts of bernoulli, X is the largest d_ic if it exceeds n_c: both are rounded sums. O(pairs) at most.
template <CountType Count>
ClassCounts<Count> as_counted_by(EventModel model, const ClassCounts<Count>& counts, const Threads& threads);

}  // namespace termsift

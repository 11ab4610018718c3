// The sufficient statistic: how often each term occurs in each class, and in how many of its documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "termsift/parallel.hpp"
#include "termsift/row_memory.hpp"
#include "termsift/types.hpp"

namespace termsift {

// How often each term of a row occurs, or in how many documents: in 4 bytes each where all of a row are integers below 2^32,
// else in a Count each. Which of the two shows in no value.
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
  std::uint32_t* narrow() const { return narrow_; }  // null unless 4 bytes each

 private:
  template <CountType>
  friend struct ClassRow;
  std::uint32_t* narrow_ = nullptr;
  Count* wide_ = nullptr;
};

// What is counted in one class. Immutable once built, so counts share rows freely: an update replaces the rows it
// touches and leaves the others to both, which is also why a failed update cannot harm anything.
template <CountType Count>
struct ClassRow {
  Count n_docs = 0;    // documents of the class (the sum of their weights)
  Count n_tokens = 0;  // l_c, the sum of term_frequency
  // What n_tokens rounds off, in float counts: differences of probabilities need twice the digits of l_c.
  Count n_tokens_rest = 0;
  std::int64_t size = 0;
  TermId* terms = nullptr;                // (size,), strictly increasing: the terms seen in the class
  Frequencies<Count> term_frequency;      // (size,), l_ic > 0
  Frequencies<Count> document_frequency;  // (size,), d_ic > 0

  // The caller sets size and fills the arrays. Narrow: no frequency will exceed 2^32 - 1 or be a fraction.
  static ClassRow with_capacity(std::int64_t capacity, bool narrow = false);
  static ClassRow with_capacity(std::int64_t capacity, bool narrow, RowMemory& memory);
  bool is_narrow() const { return term_frequency.narrow() != nullptr; }
  // Sets n_tokens and n_tokens_rest to the sum of term_frequency, a double-double for float counts. Throws CountOverflow
  // where it leaves int64.
  void sum_tokens();

 private:
  std::shared_ptr<std::byte> memory_;
};

// Float counts may overflow too, to infinity. Throws std::invalid_argument.
template <CountType Count>
void check_finite(Count sum, const char* what);
template <CountType Count>
void check_finite(const ClassRow<Count>& row);

// Checks what ClassRow promises of arrays that come from a file: strictly increasing terms below n_terms; finite, positive
// frequencies; in exact counts no more documents than occurrences or documents of the class. Throws std::invalid_argument.
template <CountType Count>
void check_row(const ClassRow<Count>& row, std::int64_t n_terms);

template <CountType Count>
using ClassRowPtr = std::shared_ptr<const ClassRow<Count>>;

template <CountType Count>
struct ClassCounts {
  std::int64_t n_terms = 0;
  Count n_docs = 0;  // every document once, also those of several classes or of none
  std::vector<ClassRowPtr<Count>> rows;  // one a class, never null

  // The collection as if it were one class: every document counted once. Null where it is the sum of the rows; kept when
  // some document has not exactly one class, and in float counts when labels came as lists.
  ClassRowPtr<Count> collection;

  EventModel model = EventModel::multinomial;  // by which term_frequency and n_tokens count (event_model.hpp)
};

// The terms [first, last); by default all.
struct TermRange {
  std::int64_t first = 0, last = max_terms;

  TermRange within(std::int64_t n_terms) const { return {first, last < n_terms ? last : n_terms}; }
  std::int64_t size() const { return last - first; }
};

// Both rows' counts together.
template <CountType Count>
ClassRow<Count> merge_rows(const ClassRow<Count>& a, const ClassRow<Count>& b);

// One row of the rows [begin, end), each of which has larger terms than those before; without n_docs.
template <CountType Count>
ClassRow<Count> concatenate(const ClassRow<Count>* begin, const ClassRow<Count>* end);

// The row of all documents: `collection` if kept, else the sum of the rows. O(pairs * log(classes)) at worst.
template <CountType Count>
ClassRowPtr<Count> collection_row(const ClassCounts<Count>& counts);

// The classes of a result in terms of an operand: class c of the result is class `map[c]` of it, or absent (-1).
using ClassMap = std::span<const std::int64_t>;

// The counts under another list of classes; absent ones are empty. Shares the rows.
template <CountType Count>
ClassCounts<Count> with_classes(const ClassCounts<Count>& counts, ClassMap map);

// The counts of some terms alone, which are given in increasing order and become the terms 0, 1, ... All totals stay those
// of all terms, so that scores keep their bits. Throws std::invalid_argument for other terms. O(n_terms + pairs).
template <CountType Count>
ClassCounts<Count> of_terms(const ClassCounts<Count>& counts, std::span<const std::int64_t> terms, const Threads& threads);

// Counts of both collections together. Same number of classes in both; vocabularies are united by index.
// O(pairs of both), parallel over classes.
template <CountType Count>
ClassCounts<Count> merge(const ClassCounts<Count>& a, const ClassCounts<Count>& b, const Threads& threads);

// The counts of `whole` without those of `part`. Throws std::invalid_argument where part exceeds whole, naming class and
// term. In float counts a remainder within rounding of zero (2^-40 of the whole) is zero.
template <CountType Count>
ClassCounts<Count> subtract(const ClassCounts<Count>& whole, const ClassCounts<Count>& part, const Threads& threads);

// The same counts as doubles. Throws std::invalid_argument where a count is no double (above 2^53 and odd, say).
ClassCounts<double> to_float(const ClassCounts<std::int64_t>& counts, const Threads& threads);

}  // namespace termsift

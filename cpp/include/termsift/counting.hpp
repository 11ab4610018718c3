// Matrix -> counts.
#pragma once

#include <cstdint>
#include <optional>

#include "termsift/class_counts.hpp"
#include "termsift/csr_view.hpp"

namespace termsift {

// The classes of each document: document d has the classes codes[indptr[d] .. indptr[d + 1]), each at most once.
// A null indptr says that document d has the one class codes[d].
struct LabelView {
  std::int64_t n_classes = 0;
  std::int64_t n_codes = 0;               // length of codes
  const std::int64_t* indptr = nullptr;   // (n_docs + 1,) or null
  const ClassId* codes = nullptr;
};

// Calls f(class) for each class of the document.
template <class F>
void for_each_class(const LabelView& labels, std::int64_t document, const F& f) {
  if (labels.indptr == nullptr) return f(static_cast<std::size_t>(labels.codes[document]));
  for (std::int64_t i = labels.indptr[document]; i < labels.indptr[document + 1]; ++i)
    f(static_cast<std::size_t>(labels.codes[i]));
}

// Checks that codes are in [0, n_classes) and indptr is sound. Throws std::invalid_argument.
void check_labels(const LabelView& labels, std::int64_t n_docs);

// The ways of counting. Each gives the same result to the last bit.
enum class CountingPath : std::uint8_t {
  class_streams,  // entries copied class by class, each class added up in sequence           (cpp/src/class_streams.hpp)
  touched_terms,  // the same, noting each class's terms instead of looking through all of them
  term_blocks,    // entries copied by blocks of terms, each added up for all classes            (cpp/src/term_blocks.hpp)
  rows            // each class's rows gathered from the matrix: any values, weights and entries (cpp/src/row_gather.hpp)
};
inline constexpr CountingPath counting_paths[] = {CountingPath::class_streams, CountingPath::touched_terms,
                                                  CountingPath::term_blocks, CountingPath::rows};
const char* name(CountingPath path);

// The way for n_entries of n_terms in n_rows, which are the classes and the collection if it is kept:
//   term_blocks    at most 16 rows of 2^21 terms or more (and 2^27 at most, lest blocks be too many): the counters of one
//                  row would not stay in the cache. Of 2 classes and 19 million entries term blocks took 1.8 times as long
//                  at 2^20 terms, 0.8 at 2^21, 0.5 at 2^24;
//   touched_terms  rows with less than an eighth of the terms in the mean: most of what a row looks through would be zero.
//                  Of 5,000 classes 0.65 times as long;
//   class_streams  everything else.
// Logarithms, weights, stored zeros, fractions, rows that are not sorted or repeat a column, many values too large to pack,
// and float counts that already hold documents are counted by `rows` whatever the shape.
CountingPath choose_counting_path(std::int64_t n_rows, std::int64_t n_terms, std::int64_t n_entries);

// What is counted of an entry x > 0, repeated entries of a document added up first and weights applied afterwards.
enum class Damping : std::uint8_t {
  raw,    // x
  log,    // log(1 + x), to 1 ulp; in float counts
  binary  // 1
};

// Memory for the packed entries of a window of documents.
inline constexpr std::int64_t default_window_bytes = std::int64_t{128} << 20;

struct CountingOptions {
  Threads threads = {};
  std::int64_t window_bytes = default_window_bytes;
  std::optional<CountingPath> path = {};  // none: choose_counting_path
  Damping damping = Damping::raw;
};

template <CountType Count>
struct Counted {
  ClassCounts<Count> counts;
  CountingPath path;  // the way taken
};

// Adds the documents of x to `counts` and returns the sum; `counts` itself is left as it is.
//
//   x        (n_docs, n_terms), any entry order, repeated entries add up, zeros count nowhere
//   labels   of n_docs documents, labels.n_classes == counts.rows.size(); check_labels passed
//   weights  (n_docs,) or null; a document of weight w counts as w documents, of weight 0 not at all; finite, not negative
//
// x is checked on the way: throws as check_csr does. Count is int64 only if x holds no floats, or in binary counts; never in
// logarithmic ones.
//
// Each cell is summed in document order, starting from the value it has in `counts`: neither the number of threads nor
// the cut of a collection into successive calls changes a bit. Throws CountOverflow, naming the document.
//
// Time and extra memory are those of the path; the result takes 12 bytes a pair, 20 in a class
// whose tokens may exceed 2^32 or are fractions.
template <CountType Count>
Counted<Count> count_documents(const ClassCounts<Count>& counts, const AnyCsr& x, const LabelView& labels,
                               const Count* weights, const CountingOptions& options);

}  // namespace termsift

// Counts the documents of a matrix by class.
#pragma once

#include <cstdint>
#include <optional>

#include "termsift/class_counts.hpp"
#include "termsift/csr_view.hpp"

namespace termsift {

// The classes of each document. Document d has the classes codes[indptr[d] .. indptr[d + 1]), each at most once. If indptr
// is null, document d has the one class codes[d].
struct LabelView {
  std::int64_t n_classes = 0;
  std::int64_t n_codes = 0;               // length of codes
  const std::int64_t* indptr = nullptr;   // (n_docs + 1,), or null if each document has one class
  const ClassId* codes = nullptr;
  const ClassId* numbers = nullptr;       // (n_classes,) the numbers of the classes in errors, or null if they are 0, 1, ...
};

// Calls f(class) for each class of the document.
template <class F>
void for_each_class(const LabelView& labels, std::int64_t document, const F& f) {
  if (labels.indptr == nullptr) return f(static_cast<std::size_t>(labels.codes[document]));
  for (std::int64_t i = labels.indptr[document]; i < labels.indptr[document + 1]; ++i)
    f(static_cast<std::size_t>(labels.codes[i]));
}

// Throws std::invalid_argument if a code is outside [0, n_classes), or if indptr does not start at 0, decreases, or does not
// end at n_codes.
void check_labels(const LabelView& labels, std::int64_t n_docs);

// The counting algorithms, which all give the same result to the last bit.
enum class CountingPath : std::uint8_t {
  class_streams,  // copies the entries class by class, then adds up each class (cpp/src/counting/streams.hpp)
  term_blocks,    // like class_streams, but sorts the entries of a class by blocks of terms, and adds up each block
  rows            // gathers the rows of each class from the matrix (cpp/src/counting/row_gather.cpp)
};
inline constexpr CountingPath counting_paths[] = {CountingPath::class_streams, CountingPath::term_blocks,
                                                  CountingPath::rows};
const char* name(CountingPath path);

// Returns the fastest counting path. The paths are
//   term_blocks    for 2^22 terms or more, whose counters would not stay in the cache, if each block of a row has 64 entries
//                  or more on average, and 8 or more from each thread. With 2 classes and 15 million entries, term_blocks
//                  took 1.5 times as long as class_streams at 2^20 terms, 1.2 times at 2^22 and 0.7 times at 2^24.
//   class_streams  for all other counts.
// The path `rows` counts logarithms, weighted documents and fractions. The path `rows` is also used if documents are added
// to float counts that are not empty, and if many values are too large to pack.
CountingPath choose_counting_path(std::int64_t n_rows, std::int64_t n_terms, std::int64_t n_entries, int n_threads);

// How an entry x > 0 is counted. Repeated entries of a document are added up first, and document weights are applied last.
enum class TermWeight : std::uint8_t {
  raw,    // counted as x
  log,    // counted as log(1 + x), with an error of at most 1 ulp; in float counts only
  binary  // counted as 1
};

// The memory in bytes for the packed entries of a window of documents.
inline constexpr std::int64_t default_window_bytes = std::int64_t{128} << 20;

struct CountingOptions {
  Threads threads = {};
  std::int64_t window_bytes = default_window_bytes;
  std::optional<CountingPath> path = {};  // if empty, choose_counting_path() chooses the path
  TermWeight term_weight = TermWeight::raw;
};

template <CountType Count>
struct Counted {
  ClassCounts<Count> counts;
  CountingPath path;  // the counting path that was used
};

// Returns `counts` with the documents of x added.
//
// The entries of x (n_docs, n_terms) may be in any order. Repeated entries are added up, and zeros are ignored. The labels
// of the n_docs documents must have passed check_labels(), and labels.n_classes must be counts.rows.size(). `weights` is
// null, or has n_docs finite elements that are not negative. A document of weight w counts as w documents.
//
// Throws as check_csr does if x is not a valid matrix of counts. Count must be double if the term weight is log, or if the
// term weight is raw and x holds floats.
//
// Each count is summed in document order, starting from its value in `counts`. The result has the same bits for any number
// of threads, and if the documents are added in several calls. The message of CountOverflow names the document.
//
// Time and extra memory depend on the counting path. The result takes 12 bytes per pair of a class and a term, or 20 bytes
// in a class whose number of tokens may exceed 2^32 or is a fraction.
//
// Precondition: no class of `counts` has unknown documents (ClassRow::has_unknown_documents), because the counters of the
// path `rows` recognise the terms that a class has by their documents. The Python package refuses such counts.
template <CountType Count>
Counted<Count> count_documents(const ClassCounts<Count>& counts, const AnyCsr& x, const LabelView& labels,
                               const Count* weights, const CountingOptions& options);

// Adds the documents of x to `counts`, as count_documents() does, and returns the counting path. Takes no time for classes
// without documents in x, so that a stream with ever new classes takes time in proportion to its documents. After an
// exception, the counts are as before.
template <CountType Count>
CountingPath add_documents(ClassCounts<Count>& counts, const AnyCsr& x, const LabelView& labels, const Count* weights,
                           const CountingOptions& options);

// Does the same as count_documents() for a CSC matrix of unweighted documents, where x is the CSR view of the transposed
// matrix. Returns nothing if the caller must check the entries and convert the matrix to CSR instead: for fractions, invalid
// entries, thousands of classes, and columns that are unsorted, repeat a row or store a zero. Throws as check_csr does if
// indptr is not valid.
template <CountType Count>
std::optional<ClassCounts<Count>> count_columns(const ClassCounts<Count>& counts, const AnyCsr& x, const LabelView& labels,
                                                const CountingOptions& options);

}  // namespace termsift

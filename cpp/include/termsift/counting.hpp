// Matrix -> counts.
#pragma once

#include <cstdint>

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

// Memory for the packed entries of a window of documents.
inline constexpr std::int64_t default_window_bytes = std::int64_t{256} << 20;

// Adds the documents of x to `counts` and returns the sum; `counts` itself is left as it is.
//
//   x        (n_docs, n_terms), any entry order, repeated entries add up, zeros count nowhere
//   labels   of n_docs documents, labels.n_classes == counts.rows.size()
//   weights  (n_docs,) or null; a document of weight w counts as w documents, of weight 0 not at all
//
// Preconditions: check_csr and check_labels passed (facts is what check_csr found), weights are finite and not negative.
// Count is int64 only if Value is an integer or Bool type.
//
// Each cell is summed in document order, starting from the value it has in `counts`: neither the number of threads nor
// the cut of a collection into successive calls changes a bit. Throws CountOverflow, naming the document.
//
// Two ways, with the same result: class streams (cpp/src/class_streams.hpp) for distinct small integers without weights; a
// gather of each class's rows for everything else. Time O(nnz + n_docs + terms of the rows touched). Extra memory, besides
// the result's 20 bytes a pair:
//   streams  8 bytes a term and thread, and window_bytes of entries at a time, or one document's; with several such windows,
//            a copy of the result
//   gather   20 bytes a term and thread (28 if rows repeat a column or are not sorted), 8 bytes a label and a document
template <class Index, class Value, CountType Count>
ClassCounts<Count> count_documents(const ClassCounts<Count>& counts, const CsrView<Index, Value>& x,
                                   const CsrFacts& facts, const LabelView& labels, const Count* weights,
                                   const Threads& threads, std::int64_t window_bytes = default_window_bytes);

}  // namespace termsift

// Counting by gathering each class's rows from the matrix: any values, weights and entries, in document order.
#pragma once

#include <cstdint>
#include <vector>

#include "termsift/counting.hpp"

namespace termsift {

// Adds the documents to the counts. `docs` are the documents of each class and last of the collection, with these.
//
// O(n_entries + n_docs + terms of the rows touched). Extra memory: 8 bytes a label and a document; for each thread 20
// bytes a term, 28 if rows repeat a column or are not sorted (20, and 28 an entry of one document, if entries are damped).
template <CountType Count>
void add_by_rows(ClassCounts<Count>& counts, const AnyCsr& x, const CsrFacts& facts, const LabelView& labels,
                 const Count* weights, Damping damping, const std::vector<Count>& docs, const Threads& threads);

// The row of class c; of the collection for c beyond the last (null if it is not kept).
template <CountType Count>
ClassRowPtr<Count>& row_of(ClassCounts<Count>& counts, std::size_t c) {
  return c < counts.rows.size() ? counts.rows[c] : counts.collection;
}

template <CountType Count>
void replace_row(ClassRowPtr<Count>& row, ClassRow<Count>&& with, Count n_docs) {
  with.n_docs = n_docs;
  check_finite(with);
  row = std::make_shared<const ClassRow<Count>>(std::move(with));
}

}  // namespace termsift

// Gathers the rows of each class from the matrix and counts them. Values, weights and the order of entries are arbitrary.
#pragma once

#include <cstdint>
#include <vector>

#include "termsift/counting.hpp"

namespace termsift {

// Adds the documents to the counts in document order. `docs` holds the new n_docs of each class, followed by the new n_docs
// of the collection.
//
// O(n_entries + n_docs + terms of the changed rows). Extra memory is 8 bytes for each label and each document. Each thread
// uses 20 bytes per term, and 8 more if rows repeat a column or are not sorted. With term weights, each thread also uses 28
// bytes for each entry of the longest document.
template <CountType Count>
void add_by_rows(ClassCounts<Count>& counts, const AnyCsr& x, const CsrFacts& facts, const LabelView& labels,
                 const Count* weights, TermWeight term_weight, const std::vector<Count>& docs, const Threads& threads);

template <CountType Count>
void replace_row(ClassRowPtr<Count>& row, ClassRow<Count>&& with, Count n_docs) {
  with.n_docs = n_docs;
  check_finite(with);
  row = std::make_shared<const ClassRow<Count>>(std::move(with));
}

}  // namespace termsift

// Computes the counts of classes from the rows that threads filled.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "termsift/class_counts.hpp"
#include "termsift/types.hpp"
#include "text/rows.hpp"

namespace termsift {

// Unites the closed rows of each class into one row, or into several rows if a sum exceeds 32 bits. O(entries + ids).
void unite_rows(RowStore<ClassEntry>& store, std::int64_t n_ids, Worker& worker);

// Appends the closed rows of another store. The id i of an entry is replaced by ids[i].
void append_rows(RowStore<ClassEntry>& store, const RowStore<ClassEntry>& other, std::span<const std::uint32_t> ids,
                 Worker& worker);

// The documents that have the same list of classes.
struct LabelSet {
  std::vector<ClassId> classes;
  std::int64_t n_docs = 0;
};

// Returns the counts of the classes 0 to n_classes - 1. of_threads[t][n - 1] has the rows of thread t for n-grams of n
// words. The rows of owner s count the documents of sets[s]. With `binary`, a term counts once per document.
ClassCounts<std::int64_t> class_counts(std::span<const std::vector<CountedRows<ClassEntry>>> of_threads,
                                       std::span<const LabelSet> sets, std::int64_t n_columns, std::int64_t n_classes,
                                       bool binary, const Threads& threads);

}  // namespace termsift

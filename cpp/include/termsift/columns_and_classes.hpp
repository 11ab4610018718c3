// The algebra of columns and classes: counts with other columns or with groups of classes, totals, and equality.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "termsift/class_counts.hpp"
#include "termsift/parallel.hpp"
#include "termsift/types.hpp"

namespace termsift {

// Returns the counts with term i as term new_column[i] of n_terms terms. A term whose new column is -1 is dropped: its
// tokens no longer count. All other columns must be different. Throws std::invalid_argument for an impossible column. The
// row of the collection, the documents and the unlisted tokens stay. In parallel over the classes. O(n_terms + pairs), plus
// a sort of each row if the new columns do not increase. Extra memory is then one bit for each new term and, in each thread,
// 16 bytes for each pair of its largest row.
template <CountType Count>
ClassCounts<Count> in_columns(const ClassCounts<Count>& counts, std::span<const std::int64_t> new_column,
                              std::int64_t n_terms, const Threads& threads);

// Returns counts with one class for each group of classes, which is the sum of the group. The documents of all other classes
// no longer count. The counts must not have a row of the collection, because they do not record which documents two classes
// share. The classes of groups of one class share the rows of `counts`. In parallel over pairs of classes;
// O(pairs * log(classes of a group)). Extra memory is at most twice the pairs of the groups.
template <CountType Count>
ClassCounts<Count> of_classes(const ClassCounts<Count>& counts, std::span<const std::vector<std::int64_t>> groups,
                              const Threads& threads);

// Sets totals[i] to the frequency of term i in the whole collection, where each document counts once. `totals` has n_terms
// elements, and `frequency` is a member of ClassRow. Throws CountOverflow if a total exceeds int64. In parallel over ranges
// of terms; O(n_terms + pairs). Float counts are added as in collection_row, with its time and memory.
template <CountType Count>
void collection_totals(const ClassCounts<Count>& counts, Frequencies<Count> ClassRow<Count>::*frequency, Count* totals,
                       const Threads& threads);

// Returns whether all numbers are equal. If only one of the two has a row of the collection, that row is compared with the
// sum of the other's classes. Throws CountOverflow if that sum exceeds int64. In parallel over the classes; O(pairs).
template <CountType Count>
bool equal(const ClassCounts<Count>& a, const ClassCounts<Count>& b, const Threads& threads);

}  // namespace termsift

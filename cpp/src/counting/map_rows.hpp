// Loops over the rows of counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "termsift/class_counts.hpp"
#include "termsift/parallel.hpp"

namespace termsift {

// The frequencies of a narrow row are below this number.
inline constexpr std::int64_t narrow_limit = std::int64_t{1} << 32;

// A loop over the pairs of a row calls Worker::check() once for so many pairs.
inline constexpr std::int64_t pairs_per_check = 1 << 14;

// Sets the row of each class c to make(c, worker). If `with_collection`, also sets the row of the collection to
// make(n_classes, worker).
template <CountType Count, class F>
void set_rows(ClassCounts<Count>& counts, std::size_t n_classes, bool with_collection, const Threads& threads,
              const F& make) {
  counts.rows.resize(n_classes);
  for_each_block(static_cast<std::int64_t>(n_classes) + with_collection, threads, [&](std::int64_t block, Worker& worker) {
    const auto c = static_cast<std::size_t>(block);
    counts.row_or_collection(c) = make(c, worker);
  });
}

// Sets each row of `result` to f(row of `counts`, worker), including the row of the collection if `counts` has one.
template <CountType To, CountType From, class F>
ClassCounts<To> map_rows(const ClassCounts<From>& counts, ClassCounts<To> result, const Threads& threads, const F& f) {
  std::int64_t n_pairs = 0;
  for (const auto& row : counts.rows) n_pairs += row->size;
  set_rows(result, counts.rows.size(), counts.collection != nullptr, worth(threads, n_pairs),
           [&](std::size_t c, Worker& worker) {
             const ClassRow<From>& row = c < counts.rows.size() ? *counts.rows[c] : *counts.collection;
             return std::make_shared<const ClassRow<To>>(f(row, worker));
           });
  return result;
}

// Replaces the rows of each group by their sum. In float counts, the order of the additions depends only on the number of
// rows. O(pairs * log(rows of a group)) in float counts, and O(pairs + rows) for large groups of exact counts, in parallel
// over the sums. Extra memory is at most twice the pairs of the groups, or 512 KiB and 8 bytes for each row in each thread.
template <CountType Count>
void sum_groups(std::vector<std::vector<ClassRowPtr<Count>>>& groups, const Threads& threads);

}  // namespace termsift

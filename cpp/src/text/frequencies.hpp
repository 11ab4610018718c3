// Term and document frequencies, summed over rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "termsift/large_memory.hpp"
#include "termsift/parallel.hpp"
#include "text/row_store.hpp"

namespace termsift {

// The rows of a thread, of terms of one length, and the sorted term of each id, or -1.
template <class Entry>
struct TermEntries {
  const RowStore<Entry>* store;
  const std::int32_t* terms;
};

// Returns the sum of value(entry) for each term. O(entries + threads * n_terms).
template <class Entry, class Value>
LargeArray<std::int64_t> sum_entries(std::span<const TermEntries<Entry>> stores, std::int64_t n_terms, const Value& value,
                                     const Threads& threads) {
  constexpr std::size_t block_rows = 1 << 10;
  std::size_t most_rows = 0;
  for (const TermEntries<Entry>& part : stores) most_rows = std::max(most_rows, part.store->rows().size());
  const std::int64_t n_sums = worth(threads, static_cast<std::int64_t>(most_rows / block_rows) + 1, 1).count;
  const LargeArray<std::int64_t> sums = LargeArray<std::int64_t>::zeroed(n_sums * std::max<std::int64_t>(n_terms, 1));
  for (const TermEntries<Entry>& part : stores) {
    const auto& rows = part.store->rows();
    for_each_block(static_cast<std::int64_t>((rows.size() + block_rows - 1) / block_rows), threads,
                   [&](std::int64_t block, Worker& worker) {
                     std::int64_t* const own = sums.get() + worker.thread() * n_terms;
                     const std::size_t begin = static_cast<std::size_t>(block) * block_rows;
                     for (std::size_t r = begin; r < std::min(rows.size(), begin + block_rows); ++r) {
                       worker.check();
                       for (std::int64_t i = 0; i < rows[r].size; ++i) {
                         const Entry& entry = rows[r].entries[i];
                         if (part.terms[entry.id] >= 0) own[part.terms[entry.id]] += value(entry);
                       }
                     }
                   });
  }
  LargeArray<std::int64_t> total = LargeArray<std::int64_t>::uninitialised(n_terms);
  constexpr std::int64_t block_terms = 1 << 14;
  for_each_block((n_terms + block_terms - 1) / block_terms, threads, [&](std::int64_t block, Worker&) {
    for (std::int64_t term = block * block_terms; term < std::min(n_terms, (block + 1) * block_terms); ++term) {
      total[term] = 0;
      for (std::int64_t s = 0; s < n_sums; ++s) total[term] += sums[s * n_terms + term];
    }
  });
  return total;
}

}  // namespace termsift

// Sorting in parallel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "termsift/parallel.hpp"

namespace termsift {

// Sorts by `less`. Elements of a sample divide the others into buckets, which all threads fill and then sort.
// O(n log n) comparisons, and n elements of extra memory.
template <class T, class Less>
void sort_in_buckets(std::vector<T>& elements, const Less& less, const Threads& threads) {
  const auto n = static_cast<std::int64_t>(elements.size());
  constexpr std::int64_t small = 1 << 14, sampled = 16;
  if (n <= small) return std::sort(elements.begin(), elements.end(), less);
  const std::int64_t n_buckets = std::min<std::int64_t>(n / (small / 16), 4096);
  std::vector<T> sample;
  for (std::int64_t i = 0; i < n_buckets * sampled; ++i)
    sample.push_back(elements[static_cast<std::size_t>(i * (n / (n_buckets * sampled)))]);
  std::sort(sample.begin(), sample.end(), less);
  std::vector<T> splitters;
  for (std::int64_t i = 1; i < n_buckets; ++i) splitters.push_back(sample[static_cast<std::size_t>(i * sampled)]);

  const std::int64_t n_chunks = std::min<std::int64_t>(4 * threads.count, n / small + 1);
  const auto chunk_begin = [&](std::int64_t c) { return n / n_chunks * c + std::min(c, n % n_chunks); };
  std::vector<std::uint16_t> bucket(static_cast<std::size_t>(n));
  std::vector<std::vector<std::int64_t>> places(static_cast<std::size_t>(n_chunks));
  for_each_block(n_chunks, threads, [&](std::int64_t c, Worker& worker) {
    std::vector<std::int64_t>& counts = places[static_cast<std::size_t>(c)];
    counts.assign(static_cast<std::size_t>(n_buckets), 0);
    for (auto i = static_cast<std::size_t>(chunk_begin(c)); i < static_cast<std::size_t>(chunk_begin(c + 1)); ++i) {
      if (i % 8192 == 0) worker.check();
      const auto found = std::upper_bound(splitters.begin(), splitters.end(), elements[i], less) - splitters.begin();
      bucket[i] = static_cast<std::uint16_t>(found);
      ++counts[static_cast<std::size_t>(found)];
    }
  });
  std::vector<std::int64_t> begins;
  std::int64_t begin = 0;
  for (std::size_t b = 0; b < static_cast<std::size_t>(n_buckets); ++b) {
    begins.push_back(begin);
    for (std::vector<std::int64_t>& counts : places) begin += std::exchange(counts[b], begin);
  }
  begins.push_back(n);
  std::vector<T> sorted(static_cast<std::size_t>(n));
  for_each_block(n_chunks, threads, [&](std::int64_t c, Worker&) {
    std::vector<std::int64_t>& place = places[static_cast<std::size_t>(c)];
    for (auto i = static_cast<std::size_t>(chunk_begin(c)); i < static_cast<std::size_t>(chunk_begin(c + 1)); ++i)
      sorted[static_cast<std::size_t>(place[bucket[i]]++)] = elements[i];
  });
  for_each_block(n_buckets, threads, [&](std::int64_t b, Worker& worker) {
    worker.check();
    std::sort(sorted.begin() + begins[static_cast<std::size_t>(b)], sorted.begin() + begins[static_cast<std::size_t>(b) + 1],
              less);
  });
  elements.swap(sorted);
}

}  // namespace termsift

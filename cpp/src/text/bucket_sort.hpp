// Sorting in parallel.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "termsift/large_memory.hpp"
#include "termsift/parallel.hpp"

namespace termsift {

// The first bits of an element, by which elements are sorted before they are compared.
struct SortPrefix {
  std::uint64_t high = 0, low = 0;

  // Without a branch, which would be unpredictable.
  bool operator<=(const SortPrefix& other) const {
    return (static_cast<unsigned>(high < other.high) |
            (static_cast<unsigned>(high == other.high) & static_cast<unsigned>(low <= other.low))) != 0;
  }
};

// Elements in buckets, each of which is to be sorted for all to be sorted. Equal elements are in the same bucket.
template <class T>
struct Buckets {
  LargeArray<T> elements;
  std::vector<std::int64_t> begins;  // and the number of elements

  std::int64_t n_buckets() const { return static_cast<std::int64_t>(begins.size()) - 1; }
  T* begin(std::int64_t b) const { return elements.get() + begins[static_cast<std::size_t>(b)]; }
  T* end(std::int64_t b) const { return begin(b + 1); }
};

// Puts n elements into buckets, which a sample of them divides. for_each(block, f) calls f(element) for those of a
// block, in the same order each time, as long as f returns true: they are visited twice, so that they need not be held
// elsewhere. The first of a block must be a fair sample of it. prefix(element) must agree with the order.
// O(n log n) in total, and little more memory than the elements take. Many elements of one prefix are in one bucket.
template <class T, class ForEach, class Prefix>
Buckets<T> in_buckets(std::int64_t n, std::int64_t n_blocks, const ForEach& for_each, const Prefix& prefix,
                      const Threads& threads) {
  constexpr std::int64_t per_bucket = 512, sampled = 16, most_buckets = 4096;
  const std::size_t n_buckets =
      std::bit_floor(static_cast<std::size_t>(std::clamp<std::int64_t>(n / per_bucket, 1, most_buckets)));
  std::vector<SortPrefix> sample, splitters;
  const std::int64_t of_block = static_cast<std::int64_t>(n_buckets) * sampled / std::max<std::int64_t>(n_blocks, 1) + 1;
  for (std::int64_t block = 0; block < n_blocks && n_buckets > 1; ++block) {
    std::int64_t left = of_block;
    for_each(block, [&](const T& element) {
      sample.push_back(prefix(element));
      return --left > 0;
    });
  }
  std::sort(sample.begin(), sample.end(), [](const SortPrefix& a, const SortPrefix& b) { return !(b <= a); });
  for (std::size_t i = 1; i < n_buckets; ++i) splitters.push_back(sample[i * sample.size() / n_buckets]);

  std::vector<std::vector<std::uint16_t>> bucket_of(static_cast<std::size_t>(n_blocks));
  std::vector<std::vector<std::int64_t>> places(static_cast<std::size_t>(n_blocks));
  for_each_block(n_blocks, threads, [&](std::int64_t block, Worker& worker) {
    worker.check();
    std::vector<std::uint16_t>& own = bucket_of[static_cast<std::size_t>(block)];
    std::vector<std::int64_t>& counts = places[static_cast<std::size_t>(block)];
    counts.assign(n_buckets, 0);
    // A batch is searched step by step, so that its searches wait for memory together.
    std::array<SortPrefix, 256> batch;
    std::array<std::uint32_t, batch.size()> found;
    std::size_t n_batch = 0;
    const auto search = [&] {
      std::fill_n(found.begin(), n_batch, 0);
      for (auto step = static_cast<std::uint32_t>(n_buckets / 2); step > 0; step /= 2)
        for (std::size_t i = 0; i < n_batch; ++i)
          found[i] += step & (0U - static_cast<std::uint32_t>(splitters[found[i] + step - 1] <= batch[i]));
      for (std::size_t i = 0; i < n_batch; ++i) {
        own.push_back(static_cast<std::uint16_t>(found[i]));
        ++counts[found[i]];
      }
      n_batch = 0;
    };
    for_each(block, [&](const T& element) {
      batch[n_batch++] = prefix(element);
      if (n_batch == batch.size()) search();
      return true;
    });
    search();
  });
  Buckets<T> buckets;
  std::int64_t begin = 0;
  for (std::size_t b = 0; b < n_buckets; ++b) {
    buckets.begins.push_back(begin);
    for (std::vector<std::int64_t>& counts : places) begin += std::exchange(counts[b], begin);
  }
  buckets.begins.push_back(begin);
  buckets.elements = LargeArray<T>::uninitialised(begin);
  for_each_block(n_blocks, threads, [&](std::int64_t block, Worker& worker) {
    worker.check();
    std::vector<std::int64_t>& place = places[static_cast<std::size_t>(block)];
    const std::uint16_t* bucket = bucket_of[static_cast<std::size_t>(block)].data();
    for_each(block, [&](const T& element) {
      buckets.elements[place[*bucket++]++] = element;
      return true;
    });
  });
  return buckets;
}

}  // namespace termsift

// Two parallel sorts. sort_in_parts() sorts parts and merges them. Buckets distributes elements into buckets, which
// BucketSorter sorts.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "termsift/parallel.hpp"

namespace termsift {

// Sorts [begin, end) by `less`. Each thread sorts a part, and the sorted parts are merged in pairs. Elements that are equal
// under `less` must be identical, so that the result does not depend on the number of threads.
template <class Iterator, class Less>
void sort_in_parts(Iterator begin, Iterator end, const Threads& requested, const Less& less) {
  const std::int64_t n = end - begin;
  const Threads threads = worth(requested, n, 1 << 14);
  const auto part = [&](std::int64_t i) { return begin + n * std::min<std::int64_t>(i, threads.count) / threads.count; };
  for_each_block(threads.count, threads, [&](std::int64_t i, Worker&) { std::sort(part(i), part(i + 1), less); });
  for (std::int64_t width = 1; width < threads.count; width *= 2)
    for_each_block((threads.count + 2 * width - 1) / (2 * width), threads, [&](std::int64_t i, Worker&) {
      std::inplace_merge(part(2 * i * width), part((2 * i + 1) * width), part((2 * i + 2) * width), less);
    });
}

// Holds elements in buckets. Every element of a bucket is smaller than all elements of later buckets. Splitters divide the
// elements into buckets by the first 64 bits of each element. Elements with the same first 64 bits share a bucket. Comparing
// 128 bits took a third longer than 64, and few words agree in their first 64 bits.
template <class T>
class Buckets {
 public:
  // visit(part, elements) appends the elements of a part to the empty vector `elements`. The constructor calls `visit` twice
  // for some parts: the first call draws a sample from which splitters are chosen. All parts together have at most n
  // elements. The elements of each part should be representative of all elements. prefix(element) returns the first 64 bits
  // of an element. O(n log n).
  template <class Visit, class Prefix>
  Buckets(std::int64_t n, std::int64_t n_parts, const Visit& visit, const Prefix& prefix, const Threads& threads) {
    choose_splitters(n, n_parts, visit, prefix, threads);
    const Threads worthwhile = worth(threads, n_parts, 1);
    of_threads_.assign(static_cast<std::size_t>(worthwhile.count), OfThread(static_cast<std::size_t>(size())));
    PerThread<std::vector<T>> found(worthwhile);
    for_each_block(n_parts, worthwhile, [&](std::int64_t part, Worker& worker) {
      worker.check();
      OfThread& own = of_threads_[static_cast<std::size_t>(worker.thread())];
      std::vector<T>& elements = found.own(worker);
      elements.clear();
      visit(part, elements);
      std::array<std::uint64_t, batch> prefixes;
      std::array<std::uint32_t, batch> buckets;
      for (std::size_t begin = 0; begin < elements.size(); begin += batch) {
        const std::size_t n_here = std::min(batch, elements.size() - begin);
        for (std::size_t i = 0; i < n_here; ++i) prefixes[i] = prefix(elements[begin + i]);
        // The binary searches of all elements of a batch advance together, step by step, so their memory accesses overlap.
        std::fill_n(buckets.begin(), n_here, 0);
        for (auto step = static_cast<std::uint32_t>(size() / 2); step > 0; step /= 2)
          for (std::size_t i = 0; i < n_here; ++i)
            buckets[i] += step & (0U - static_cast<std::uint32_t>(splitters_[buckets[i] + step - 1] <= prefixes[i]));
        for (std::size_t i = 0; i < n_here; ++i) own[buckets[i]].push_back(elements[begin + i]);
      }
    });
  }

  std::int64_t size() const { return static_cast<std::int64_t>(splitters_.size()) + 1; }
  // Returns the elements of a bucket, which the caller may sort.
  std::vector<T>& operator[](std::size_t bucket) {
    std::vector<T>& all = of_threads_[0][bucket];
    for (std::size_t thread = 1; thread < of_threads_.size(); ++thread) {
      const std::vector<T> more = std::move(of_threads_[thread][bucket]);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }

 private:
  using OfThread = std::vector<std::vector<T>>;  // (size(),) the elements that one thread has put into each bucket
  static constexpr std::size_t batch = 256;

  // Sorts the first 64 bits of a sample of elements, and chooses splitters at equal distances in the sorted sample.
  template <class Visit, class Prefix>
  void choose_splitters(std::int64_t n, std::int64_t n_parts, const Visit& visit, const Prefix& prefix,
                        const Threads& threads) {
    constexpr std::int64_t per_bucket = 512, most_buckets = 4096, samples_per_bucket = 16;
    const std::int64_t n_buckets = std::clamp<std::int64_t>(n / per_bucket, 1, most_buckets);
    if (n_parts == 0 || n_buckets == 1) return;
    const std::int64_t n_sampled = std::min(n_parts, n_parts * samples_per_bucket * n_buckets / n + 1);
    std::vector<std::uint64_t> sample;
    for_each_block(1, threads, [&](std::int64_t, Worker& worker) {
      for (std::int64_t i = 0; i < n_sampled; ++i) {
        worker.check();
        std::vector<T> elements;
        visit(i * n_parts / n_sampled, elements);
        for (const T& element : elements) sample.push_back(prefix(element));
      }
    });
    std::sort(sample.begin(), sample.end());
    const std::size_t most = std::max<std::size_t>(sample.size(), 1);
    const std::size_t n_of_sample = std::bit_floor(std::min(most, static_cast<std::size_t>(n_buckets)));
    for (std::size_t i = 1; i < n_of_sample; ++i) splitters_.push_back(sample[i * sample.size() / n_of_sample]);
  }

  std::vector<std::uint64_t> splitters_;  // (2^k - 1,), sorted
  std::vector<OfThread> of_threads_;
};

// Sorts buckets one after the other. Each thread has its own BucketSorter, which reuses its memory for the next bucket.
template <class T>
class BucketSorter {
 public:
  template <class Prefix, class Less>
  void sort(std::vector<T>& elements, const Prefix& prefix, const Less& less) {
    constexpr std::size_t few = 64, most = std::size_t{1} << 32;
    if (elements.size() < few || elements.size() > most) return std::sort(elements.begin(), elements.end(), less);
    std::uint64_t differing = 1;  // the bits in which any prefix differs from the first prefix
    for (const T& element : elements) differing |= prefix(element) ^ prefix(elements[0]);
    const int shift = std::countl_zero(differing);
    places_.resize(elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) places_[i] = (prefix(elements[i]) << shift & ~(most - 1)) | i;
    // Comparing two elements takes an unpredictable branch, so a radix sort by 32 bits comes first. Only elements with the
    // same 32 bits are compared.
    sorted_.resize(elements.size());
    for (int bit = 32; bit < 64; bit += 8) {
      std::array<std::uint32_t, 256> next{};
      for (const std::uint64_t place : places_) ++next[place >> bit & 0xFF];
      std::uint32_t begin = 0;
      for (std::uint32_t& place : next) begin += std::exchange(place, begin);
      for (const std::uint64_t place : places_) sorted_[next[place >> bit & 0xFF]++] = place;
      places_.swap(sorted_);
    }
    in_order_.clear();
    for (const std::uint64_t place : places_) in_order_.push_back(elements[place & (most - 1)]);
    elements.swap(in_order_);
    for (std::size_t begin = 0, end = 0; begin < elements.size(); begin = end) {
      for (end = begin + 1; end < elements.size() && places_[end] >> 32 == places_[begin] >> 32;) ++end;
      if (end - begin > 1) std::sort(elements.data() + begin, elements.data() + end, less);
    }
  }

 private:
  std::vector<T> in_order_;
  std::vector<std::uint64_t> places_, sorted_;  // each number holds 32 bits of an element and its index
};

}  // namespace termsift

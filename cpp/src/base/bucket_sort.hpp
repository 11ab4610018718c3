// Two parallel sorts. sort_in_parts() sorts parts and merges them. Buckets distributes elements into buckets, which
// BucketSorter sorts.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "termsift/large_memory.hpp"
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
// 128 bits took a third longer than 64, and few words agree in their first 64 bits. T must have a trivial type.
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
    for (int thread = 0; thread < worthwhile.count; ++thread) of_threads_.emplace_back(size(), n / worthwhile.count);
    PerThread<std::vector<T>> found(worthwhile);
    for_each_block(n_parts, worthwhile, [&](std::int64_t part, Worker& worker) {
      worker.check();
      Collected& own = of_threads_[static_cast<std::size_t>(worker.thread())];
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
        for (std::size_t i = 0; i < n_here; ++i) own.add(buckets[i], elements[begin + i]);
      }
    });
    begins_.assign(static_cast<std::size_t>(size()) + 1, 0);
    for (std::size_t b = 0; b + 1 < begins_.size(); ++b) {
      begins_[b + 1] = begins_[b];
      for (const Collected& own : of_threads_) begins_[b + 1] += own.size(b);
    }
    elements_ = LargeArray<T>::uninitialised(begins_.back());
  }

  std::int64_t size() const { return static_cast<std::int64_t>(splitters_.size()) + 1; }
  // Brings the elements of a bucket together, which must be done once before they are used. Threads may gather different
  // buckets at the same time.
  std::span<T> gather(std::size_t bucket) {
    T* end = elements_.get() + begins_[bucket];
    for (const Collected& own : of_threads_) end = own.copy(bucket, end);
    return (*this)[bucket];
  }
  // Returns the elements of a gathered bucket, which the caller may sort.
  std::span<T> operator[](std::size_t bucket) {
    return {elements_.get() + begins_[bucket], static_cast<std::size_t>(begins_[bucket + 1] - begins_[bucket])};
  }
  // Frees the memory of the places from which elements were gathered, once all buckets are gathered.
  void end_gathering() { of_threads_.clear(); }

 private:
  // The elements that one thread has put into each bucket. They lie in chunks of huge pages. When each bucket was a vector,
  // page faults, copies and malloc took a fifth of the time of sorting words.
  class Collected {
   public:
    Collected(std::int64_t n_buckets, std::int64_t n_expected)
        : buckets_(static_cast<std::size_t>(n_buckets)),
          block_chunks_(std::clamp<std::int64_t>(n_expected / chunk_elements, 1, most_block_chunks)) {}

    void add(std::size_t b, const T& element) {
      Bucket& bucket = buckets_[b];
      if (bucket.next == bucket.end) start_chunk(bucket);
      *bucket.next++ = element;
    }
    std::int64_t size(std::size_t b) const {
      return buckets_[b].n_chunks * chunk_elements - (buckets_[b].end - buckets_[b].next);
    }
    // Copies the elements of a bucket, and returns the end of the copy.
    T* copy(std::size_t b, T* to) const {
      const Bucket& bucket = buckets_[b];
      const T* end = bucket.next;
      for (const Chunk* chunk = bucket.last; chunk != nullptr; chunk = chunk->before) {
        to = std::copy(chunk->elements, chunk == bucket.last ? end : chunk->elements + chunk_elements, to);
      }
      return to;
    }

   private:
    static constexpr std::int64_t chunk_elements = 64;
    struct Chunk {
      Chunk* before;  // the chunk of the same bucket that was filled before this one, or null
      T elements[chunk_elements];
    };
    struct Bucket {
      T *next = nullptr, *end = nullptr;  // the free places of the last chunk
      Chunk* last = nullptr;
      std::int64_t n_chunks = 0;
    };
    static constexpr std::int64_t most_block_chunks = (std::int64_t{32} << 20) / std::int64_t{sizeof(Chunk)} + 1;

    void start_chunk(Bucket& bucket) {
      if (next_chunk_ == end_chunks_) {
        next_chunk_ = blocks_.emplace_back(LargeArray<Chunk>::uninitialised(block_chunks_)).get();
        end_chunks_ = next_chunk_ + block_chunks_;
      }
      next_chunk_->before = std::exchange(bucket.last, next_chunk_);
      bucket.next = next_chunk_++->elements;
      bucket.end = bucket.next + chunk_elements;
      ++bucket.n_chunks;
    }

    std::vector<Bucket> buckets_;
    std::vector<LargeArray<Chunk>> blocks_;
    Chunk *next_chunk_ = nullptr, *end_chunks_ = nullptr;
    std::int64_t block_chunks_;
  };
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
  std::vector<Collected> of_threads_;
  std::vector<std::int64_t> begins_;  // (size() + 1,) the place of each bucket in elements_
  LargeArray<T> elements_;
};

// Sorts buckets one after the other. Each thread has its own BucketSorter, which reuses its memory for the next bucket.
template <class T>
class BucketSorter {
 public:
  template <class Prefix, class Less>
  void sort(std::span<T> elements, const Prefix& prefix, const Less& less) {
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
    std::copy(in_order_.begin(), in_order_.end(), elements.begin());
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

// Parallel sorting: elements are distributed to buckets, and each bucket is sorted on its own.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/per_thread.hpp"
#include "termsift/large_memory.hpp"
#include "termsift/parallel.hpp"

namespace termsift {

// The first bits of an element. Elements are sorted by them before they are compared.
struct SortPrefix {
  std::uint64_t high = 0, low = 0;
};

// Splitters divide elements into buckets. Sorting each bucket sorts everything, and equal elements are in one bucket.
// Splitters compare only the first 64 bits: comparing 128 took a third longer, and few words agree in eight bytes.
class Splitters {
 public:
  // `sample` holds the first bits of about samples_per_bucket * n_buckets(n) of the n elements. O(n_buckets log n_buckets).
  Splitters(std::vector<std::uint64_t> sample, std::int64_t n) {
    const std::size_t most = std::max<std::size_t>(sample.size(), 1);
    const std::size_t n_of_sample = std::bit_floor(std::min(most, static_cast<std::size_t>(n_buckets(n))));
    std::sort(sample.begin(), sample.end());
    for (std::size_t i = 1; i < n_of_sample; ++i) splitters_.push_back(sample[i * sample.size() / n_of_sample]);
  }
  static constexpr std::int64_t samples_per_bucket = 16;
  static std::int64_t n_buckets(std::int64_t n) {
    constexpr std::int64_t per_bucket = 512, most_buckets = 4096;
    return std::clamp<std::int64_t>(n / per_bucket, 1, most_buckets);
  }
  std::int64_t size() const { return static_cast<std::int64_t>(splitters_.size()) + 1; }

  // Sets the bucket of each element. All searches of a batch take each step together, so their waits for memory overlap.
  static constexpr std::size_t batch = 256;
  using Batch = std::array<std::uint64_t, batch>;
  void find(const Batch& prefixes, std::size_t n, std::array<std::uint32_t, batch>& buckets) const {
    std::fill_n(buckets.begin(), n, 0);
    for (auto step = static_cast<std::uint32_t>(size() / 2); step > 0; step /= 2)
      for (std::size_t i = 0; i < n; ++i)
        buckets[i] += step & (0U - static_cast<std::uint32_t>(splitters_[buckets[i] + step - 1] <= prefixes[i]));
  }

 private:
  std::vector<std::uint64_t> splitters_;  // 2^k - 1
};

// The elements that one thread has put into buckets. Buckets are lists of chunks: counting the elements of each bucket first
// would double the time.
template <class T>
class BucketChunks {
 public:
  explicit BucketChunks(std::int64_t n_buckets) : last_(static_cast<std::size_t>(n_buckets), nullptr) {}

  void push(std::size_t bucket, const T& element) {
    Chunk* chunk = last_[bucket];
    if (chunk == nullptr || chunk->size == chunk_size) chunk = last_[bucket] = new_chunk(chunk);
    chunk->elements[chunk->size++] = element;
  }
  // Calls f(elements) for the spans of elements that make up a bucket.
  template <class F>
  void for_each_span(std::size_t bucket, const F& f) const {
    for (Chunk* chunk = last_[bucket]; chunk != nullptr; chunk = chunk->before)
      f(std::span<T>(chunk->elements, static_cast<std::size_t>(chunk->size)));
  }

 private:
  static constexpr std::int64_t chunk_size = 32;
  struct Chunk {
    Chunk* before;
    std::int64_t size;
    T elements[chunk_size];
  };

  Chunk* new_chunk(Chunk* before) {
    if (next_ == end_) {
      // Blocks double up to a size for which LargeArray uses huge pages.
      constexpr std::int64_t most = (std::int64_t{32} << 20) / std::int64_t{sizeof(Chunk)} + 1;
      block_size_ = std::min(2 * block_size_, most);
      blocks_.push_back(LargeArray<Chunk>::uninitialised(block_size_));
      next_ = blocks_.back().get();
      end_ = next_ + block_size_;
    }
    next_->before = before;
    next_->size = 0;
    return next_++;
  }

  std::vector<Chunk*> last_;  // of each bucket
  std::vector<LargeArray<Chunk>> blocks_;
  std::int64_t block_size_ = 8;
  Chunk *next_ = nullptr, *end_ = nullptr;
};

// The elements that all threads have put into buckets.
template <class T>
class Buckets {
 public:
  // visit(part, elements) appends the elements of a part to `elements`, which is empty. Some parts are visited
  // twice, to draw a sample; there are at most n elements, and each part should be a fair sample of them. O(n log n) in
  // total. All elements of one prefix share a bucket.
  template <class Visit, class Prefix>
  Buckets(std::int64_t n, std::int64_t n_parts, const Visit& visit, const Prefix& prefix, const Threads& threads)
      : Buckets(Splitters(sample(n, n_parts, visit, prefix, threads), n), n_parts, visit, prefix, threads) {}

  std::int64_t size() const { return n_buckets_; }
  // Calls f(elements) for the spans of elements that make up a bucket, in the same order each time.
  template <class F>
  void for_each_span(std::int64_t bucket, const F& f) const {
    for (const auto& own : of_threads_)
      if (own) own->for_each_span(static_cast<std::size_t>(bucket), f);
  }

 private:
  template <class Visit, class Prefix>
  Buckets(const Splitters& splitters, std::int64_t n_parts, const Visit& visit, const Prefix& prefix, const Threads& threads)
      : n_buckets_(splitters.size()), of_threads_(static_cast<std::size_t>(worth(threads, n_parts, 1).count)) {
    PerThread<std::vector<T>> found(worth(threads, n_parts, 1));
    for_each_block(n_parts, threads, [&](std::int64_t part, Worker& worker) {
      worker.check();
      std::unique_ptr<BucketChunks<T>>& own = of_threads_[static_cast<std::size_t>(worker.thread())];
      if (!own) own = std::make_unique<BucketChunks<T>>(n_buckets_);
      std::vector<T>& elements = found.own(worker);
      elements.clear();
      visit(part, elements);
      Splitters::Batch prefixes;
      std::array<std::uint32_t, Splitters::batch> buckets;
      for (std::size_t begin = 0; begin < elements.size(); begin += Splitters::batch) {
        const std::size_t n = std::min(Splitters::batch, elements.size() - begin);
        for (std::size_t i = 0; i < n; ++i) prefixes[i] = prefix(elements[begin + i]).high;
        splitters.find(prefixes, n, buckets);
        for (std::size_t i = 0; i < n; ++i) own->push(buckets[i], elements[begin + i]);
      }
    });
  }

  template <class Visit, class Prefix>
  static std::vector<std::uint64_t> sample(std::int64_t n, std::int64_t n_parts, const Visit& visit, const Prefix& prefix,
                                        const Threads& threads) {
    std::vector<std::uint64_t> sample;
    const std::int64_t wanted = Splitters::samples_per_bucket * Splitters::n_buckets(n);
    const std::int64_t n_sampled = std::min(n_parts, n_parts * wanted / std::max<std::int64_t>(n, 1) + 1);
    if (n_sampled == 0 || wanted == Splitters::samples_per_bucket) return sample;  // there is one bucket
    for_each_block(1, threads, [&](std::int64_t, Worker& worker) {
      for (std::int64_t i = 0; i < n_sampled; ++i) {
        worker.check();
        std::vector<T> elements;
        visit(i * n_parts / n_sampled, elements);
        for (const T& element : elements) sample.push_back(prefix(element).high);
      }
    });
    return sample;
  }

  std::int64_t n_buckets_;
  std::vector<std::unique_ptr<BucketChunks<T>>> of_threads_;
};

// Sorts a bucket by prefix(element), and elements of the same prefix by `before`. Each thread has its own.
template <class T>
class BucketSorter {
 public:
  template <class Prefix, class Before>
  void sort(const Buckets<T>& buckets, std::int64_t bucket, const Prefix& prefix, const Before& before) {
    elements_.clear();
    buckets.for_each_span(bucket, [&](std::span<T> span) { elements_.insert(elements_.end(), span.begin(), span.end()); });
    if (elements_.empty()) return;
    // All prefixes begin with the same bits. The next 64 bits are compared first.
    const SortPrefix first = prefix(elements_[0]);
    SortPrefix differ;
    for (const T& element : elements_) {
      const SortPrefix own = prefix(element);
      differ.high |= own.high ^ first.high;
      differ.low |= own.low ^ first.low;
    }
    const int shift = differ.high != 0  ? std::countl_zero(differ.high)
                      : differ.low != 0 ? 64 + std::countl_zero(differ.low)
                                        : 0;
    places_.resize(elements_.size());
    for (std::size_t i = 0; i < elements_.size(); ++i)
      places_[i] = {shifted(prefix(elements_[i]), shift), i};
    sort_places([&](const Place& a, const Place& b) {
      return a.bits != b.bits ? a.bits < b.bits : before(elements_[a.at], elements_[b.at]);
    });
    const Place* next = places_.data();
    buckets.for_each_span(bucket, [&](std::span<T> span) {
      for (T& element : span) element = elements_[(next++)->at];
    });
  }

 private:
  struct Place {
    std::uint64_t bits;
    std::size_t at;
  };
  static std::uint64_t shifted(const SortPrefix& prefix, int shift) {
    if (shift == 0) return prefix.high;
    return shift >= 64 ? prefix.low << (shift - 64) : prefix.high << shift | prefix.low >> (64 - shift);
  }
  // Radix-sorts by the first 32 bits, without unpredictable comparisons, then sorts those with equal bits by `less`.
  template <class Less>
  void sort_places(const Less& less) {
    constexpr std::size_t few = 64;
    if (places_.size() < few) return std::sort(places_.begin(), places_.end(), less);
    constexpr int digits = 4, first_bit = 32;
    std::array<std::array<std::size_t, 256>, digits> begins{};
    for (const Place& place : places_)
      for (int d = 0; d < digits; ++d) ++begins[static_cast<std::size_t>(d)][place.bits >> (first_bit + 8 * d) & 0xFF];
    other_.resize(places_.size());
    for (int d = 0; d < digits; ++d) {
      std::array<std::size_t, 256>& begin = begins[static_cast<std::size_t>(d)];
      std::size_t sum = 0;
      for (std::size_t& count : begin) sum += std::exchange(count, sum);
      for (const Place& place : places_) other_[begin[place.bits >> (first_bit + 8 * d) & 0xFF]++] = place;
      places_.swap(other_);
    }
    for (std::size_t begin = 0, end = 0; begin < places_.size(); begin = end) {
      for (end = begin + 1; end < places_.size() && (places_[end].bits ^ places_[begin].bits) >> first_bit == 0;) ++end;
      if (end - begin > 1) std::sort(places_.data() + begin, places_.data() + end, less);
    }
  }

  std::vector<T> elements_;
  std::vector<Place> places_, other_;
};

}  // namespace termsift

// Parallel sorting: elements are dealt out to buckets, and each bucket is sorted on its own.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/per_thread.hpp"
#include "termsift/parallel.hpp"

namespace termsift {

// All elements of a bucket are less than those of the next, and equal elements are in one bucket. Splitters divide the
// elements into buckets by prefix(element), their first 64 bits.
template <class T>
class Buckets {
 public:
  // visit(part, elements) appends the elements of a part to `elements`, which is empty. Some parts are visited twice, to
  // draw a sample; there are at most n elements, and each part should be a fair sample of them. O(n log n).
  template <class Visit, class Prefix>
  Buckets(std::int64_t n, std::int64_t n_parts, const Visit& visit, const Prefix& prefix, const Threads& threads)
      : splitters_(splitters_of_sample(n, n_parts, visit, prefix, threads)) {
    const Threads used = worth(threads, n_parts, 1);
    of_threads_.resize(static_cast<std::size_t>(used.count));
    for (auto& buckets : of_threads_) buckets.resize(splitters_.size() + 1);
    const auto room = static_cast<std::size_t>(n / (used.count * size()) + 8);
    PerThread<std::vector<T>> found(used);
    for_each_block(n_parts, threads, [&](std::int64_t part, Worker& worker) {
      worker.check();
      std::vector<std::vector<T>>& buckets = of_threads_[static_cast<std::size_t>(worker.thread())];
      std::vector<T>& elements = found.own(worker);
      elements.clear();
      visit(part, elements);
      for (const T& element : elements) {
        std::vector<T>& bucket = buckets[bucket_of(prefix(element))];
        if (bucket.empty()) bucket.reserve(room);
        bucket.push_back(element);
      }
    });
  }

  std::int64_t size() const { return std::ssize(splitters_) + 1; }

  // Sorts a bucket, which elements() returns afterwards. Several threads may sort different buckets.
  template <class Before>
  void sort(std::int64_t bucket, const Before& before) {
    const auto b = static_cast<std::size_t>(bucket);
    std::vector<T>& all = of_threads_[0][b];
    for (std::size_t t = 1; t < of_threads_.size(); ++t) {
      all.insert(all.end(), of_threads_[t][b].begin(), of_threads_[t][b].end());
      of_threads_[t][b] = {};
    }
    std::sort(all.begin(), all.end(), before);
  }
  std::span<const T> elements(std::int64_t bucket) const { return of_threads_[0][static_cast<std::size_t>(bucket)]; }

 private:
  // Returns the number of splitters that are at most the prefix, by a search without branches.
  std::size_t bucket_of(std::uint64_t prefix) const {
    std::size_t bucket = 0;
    for (std::size_t step = (splitters_.size() + 1) / 2; step > 0; step /= 2)
      bucket += step & (std::size_t{0} - static_cast<std::size_t>(splitters_[bucket + step - 1] <= prefix));
    return bucket;
  }

  // Returns 2^k - 1 splitters.
  template <class Visit, class Prefix>
  static std::vector<std::uint64_t> splitters_of_sample(std::int64_t n, std::int64_t n_parts, const Visit& visit,
                                                        const Prefix& prefix, const Threads& threads) {
    constexpr std::int64_t per_bucket = 512, most_buckets = 4096, samples_per_bucket = 16;
    const std::int64_t n_buckets = std::clamp<std::int64_t>(n / per_bucket, 1, most_buckets);
    if (n_buckets == 1) return {};
    const std::int64_t n_sampled = std::min(n_parts, n_parts * samples_per_bucket * n_buckets / n + 1);
    std::vector<std::uint64_t> sample, splitters;
    for_each_block(1, threads, [&](std::int64_t, Worker& worker) {
      for (std::int64_t i = 0; i < n_sampled; ++i) {
        worker.check();
        std::vector<T> elements;
        visit(i * n_parts / n_sampled, elements);
        for (const T& element : elements) sample.push_back(prefix(element));
      }
    });
    std::sort(sample.begin(), sample.end());
    const std::size_t n_used = std::bit_floor(std::min(sample.size() + 1, static_cast<std::size_t>(n_buckets)));
    for (std::size_t i = 1; i < n_used; ++i) splitters.push_back(sample[i * sample.size() / n_used]);
    return splitters;
  }

  std::vector<std::uint64_t> splitters_;
  std::vector<std::vector<std::vector<T>>> of_threads_;  // at [thread][bucket]
};

}  // namespace termsift

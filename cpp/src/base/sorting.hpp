// Sorts on several threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "termsift/parallel.hpp"

namespace termsift {

// Sorts [begin, end) by `less`. Each thread sorts a part, and parts are merged in pairs. Elements that are equal under
// `less` must be identical, so that the result does not depend on the threads.
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

}  // namespace termsift

#include "termsift/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/sorting.hpp"
#include "termsift/double_double.hpp"

namespace termsift {

void top_k(const double* scores, std::int64_t n, std::int64_t k, const Threads& threads, std::int64_t* indices) {
  // Score and index are stored together, because a lookup of the score in each comparison would cause a cache miss.
  struct Entry {
    double score;
    std::int64_t index;
  };
  const auto better = [](const Entry& a, const Entry& b) {
    return a.score > b.score || (a.score == b.score && a.index < b.index);
  };
  const auto entries = std::make_unique_for_overwrite<Entry[]>(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) entries[i] = {scores[i], i};
  Entry* const begin = entries.get();
  if (k < n) std::nth_element(begin, begin + k, begin + n, better);
  sort_in_parts(begin, begin + k, threads, better);
  for (std::int64_t i = 0; i < k; ++i) indices[i] = entries[i].index;
}

void running_sums(const double* values, std::int64_t n, double* sums) {
  DoubleDouble sum;
  double largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const DoubleDouble next = add(sum, {values[i], 0});
    // The remainder of an infinite sum would be NaN.
    if (std::isfinite(next.hi)) sum = next, largest = std::max(largest, sum.hi);
    else largest = HUGE_VAL;
    sums[i] = largest;
  }
}

}  // namespace termsift

#include "termsift/ranking.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

namespace termsift {

void top_k(const double* scores, std::int64_t n, std::int64_t k, std::int64_t* indices) {
  // Score and index side by side: a comparison that looked the score up would miss the cache on every step.
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
  std::sort(begin, begin + k, better);
  for (std::int64_t i = 0; i < k; ++i) indices[i] = entries[i].index;
}

}  // namespace termsift

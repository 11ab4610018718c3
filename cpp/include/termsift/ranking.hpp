// Scores -> ranking.
#pragma once

#include <cstdint>

namespace termsift {

// The k best of n scores, best first, ties to the lowest index: indices (k,). Scores hold no NaN, 0 <= k <= n. O(n + k log
// k): a partial selection, so that the first thousand of a million cost one pass.
void top_k(const double* scores, std::int64_t n, std::int64_t k, std::int64_t* indices);

// sums[i] = values[0] + ... + values[i], each good to a relative 1e-15 and none less than the one before; values are not
// negative and may be infinite.
void running_sums(const double* values, std::int64_t n, double* sums);

}  // namespace termsift

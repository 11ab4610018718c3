// Scores -> ranking.
#pragma once

#include <cstdint>

#include "termsift/parallel.hpp"

namespace termsift {

// Writes indices (k,) of the k best of n scores, best first, ties to the lowest index. Scores hold no NaN; 0 <= k <= n.
// The selection is partial and takes O(n + k log k): the first thousand of a million scores cost one pass.
void top_k(const double* scores, std::int64_t n, std::int64_t k, const Threads& threads, std::int64_t* indices);

// Writes sums[i] = values[0] + ... + values[i], each to a relative 1e-15 and none less than the one before. Values are not
// negative and may be infinite.
void running_sums(const double* values, std::int64_t n, double* sums);

}  // namespace termsift

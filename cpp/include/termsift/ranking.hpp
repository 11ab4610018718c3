// Scores -> ranking.
#pragma once

#include <cstdint>

#include "termsift/parallel.hpp"

namespace termsift {

// Writes the indices (k,) of the k largest of n scores, largest first. Equal scores are ordered by index. Precondition: no
// score is NaN, and 0 <= k <= n. Only the k largest scores are sorted, in O(n + k log k), so finding the best thousand of a
// million scores takes little more than one pass.
void top_k(const double* scores, std::int64_t n, std::int64_t k, const Threads& threads, std::int64_t* indices);

// Writes sums[i] = values[0] + ... + values[i] with a relative error of at most 1e-15. The sums never decrease. Values must
// not be negative, but may be infinite.
void running_sums(const double* values, std::int64_t n, double* sums);

}  // namespace termsift

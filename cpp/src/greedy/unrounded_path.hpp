// The divergences along an order of terms, computed from probabilities that no grid has rounded.
#pragma once

#include <cstdint>
#include <functional>

#include "greedy/mass_grid.hpp"
#include "termsift/class_counts.hpp"
#include "termsift/scores.hpp"

namespace termsift {

// divergences (n,): element k is the divergence of {each of terms[0 .. k], the pool of the rest}, the sum of its cells
//     t(p) = sum_c [p_c log(p_c/q_c) - p_c + q_c] >= 0,
// in which nothing cancels, so that the small difference of two pools is not lost. No element is less than the one before.
// Terms are distinct. `tick` is called now and then with the number of steps done. O(pairs of the terms) memory.
template <CountType Count>
void unrounded_divergences(const ClassCounts<Count>& counts, const Estimation& estimation, const Smoothing& smoothing,
                           const std::int64_t* terms, std::int64_t n, double* divergences,
                           const std::function<void(std::int64_t)>& tick);

}  // namespace termsift

// Ranks terms by greedy selection, which is Algorithm 1 of Tang, Kay and He 2016.
#pragma once

#include <cstdint>

#include "termsift/class_counts.hpp"
#include "termsift/large_memory.hpp"
#include "termsift/scores.hpp"

namespace termsift {

// At each step Algorithm 1 selects the term i for which the partition {each selected term, i, the pool of all other terms}
// has the largest divergence. Let R be the pool's probabilities, and phi the divergence of one cell of the partition. The
// selected term has the largest
//     gain_i = phi(p_i) + phi(R - p_i) - phi(R) >= 0,
// where for two classes phi(p) = (p_1 - p_2) log(p_1/p_2), as in the paper. For N > 2 classes termsift replaces the
// divergence J by the JMH divergence of Algorithms 2 and 3:
//     phi(p) = sum_c p_c log(p_c/q_c),  q_c = sum_{k != c} pi_k p_k / (1 - pi_c),
// which equals J for N = 2 and any priors.
//
// Gains are computed from masses. Masses are whole numbers m_ic with p_ic = m_ic / n_c, where n_c = sum_i m_ic + leftover_c
// is below 2^52. The relative error of a gain is about 1e-14, and a gain is exactly 0 if and only if m_i is proportional to
// R in all classes. Equal gains are ordered by index. Terms with equal masses have equal gains, and the last two terms have
// equal gains if the pool has no leftover. Rounding may change the order of terms whose gains are equal by symmetry, for
// example if the masses of two terms are swapped between two classes. Once the largest gain is 0, the remaining terms follow
// in order of index, with gain 0.
//
// Whole counts have exact masses if, in every class, the total of the counts times the common denominator of b1 and b2 is
// below 2^52. All other masses are rounded (greedy/term_groups.cpp). Rounded masses may change the order of terms whose
// gains differ very little. A term whose exact gain is 0 may have a positive gain after rounding, and `informative` counts
// such a term. The divergences are always computed from the unrounded probabilities.
//
// If b2 > b1 n_terms, a leftover mass stays in the pool to the end, so even the last term has a gain.
struct GreedyRanking {
  LargeArray<std::int64_t> indices;  // (k,) terms in the order of their selection
  LargeArray<double> divergences;    // (k,) divergence after each step, never decreasing, with a relative error below 1e-12
  std::int64_t informative = 0;      // number of steps with a positive gain; these steps come first
  std::int64_t evaluations = 0;      // number of gains and bounds computed; terms with equal counts share an evaluation
};

// Selects the first k terms, 0 <= k <= n_terms. With `exhaustive`, every gain is computed at every step, as in Algorithm 1,
// which takes O(k n_terms) evaluations of O(n_classes) time each. Without `exhaustive`, terms with equal counts are
// evaluated together, and a ladder of shortlists (greedy/greedy_ladder.cpp) omits groups that provably lack the largest
// gain. `exhaustive` changes neither the selected terms nor their order. Without `exhaustive`, the search needs at most
// about twice as many evaluations as with `exhaustive`. Usually, the number of evaluations is almost linear in n_terms. Any
// number of threads and any SIMD target give the same bits. Takes O(n_terms + pairs) memory, and O(n_classes) for each
// thread.
//
// Throws std::invalid_argument in every case in which score() throws it, and also if a term has p = 0 in a class, if
// b2 < b1 n_terms, or if a rounded mass is less than 2^10 units (about 2^-40 of the class's tokens). With the default
// smoothing, only classes of more than 2^52 tokens have masses that are too small. Exceptions of `progress` are passed on.
template <CountType Count>
GreedyRanking greedy(const ClassCounts<Count>& counts, const Estimation& estimation, std::int64_t k, bool exhaustive,
                     const Threads& threads, const Progress& progress = {});

}  // namespace termsift

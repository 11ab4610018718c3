// Counts -> probabilities -> the greedy order: Algorithm 1 of Tang, Kay and He 2016.
#pragma once

#include <cstdint>
#include <span>

#include "termsift/class_counts.hpp"
#include "termsift/large_memory.hpp"
#include "termsift/scores.hpp"

namespace termsift {

// At each step Algorithm 1 selects the term i with the largest divergence of the partition {each selected term, i, the pool
// of the rest}. With R the pool's probabilities and phi the divergence of one cell, that is the largest
//     gain_i = phi(p_i) + phi(R - p_i) - phi(R) >= 0,
// where for two classes phi(p) = (p_1 - p_2) log(p_1/p_2), as in the paper. For N > 2 it is ours: the JMH divergence of
// Algorithms 2 and 3 in place of J,
//     phi(p) = sum_c p_c log(p_c/q_c),  q_c = sum_{k != c} pi_k p_k / (1 - pi_c),
// which for N = 2 is J whatever the priors.
//
// The order is that of the gains of masses as computed by one function (relative error about 1e-14, exactly 0 if and only
// if m_i is proportional to R in all classes), ties to the lowest index. Terms of equal masses tie. Others whose gains are
// equal by symmetry, such as masses with two classes exchanged, may differ by rounding and come in either order. Where the
// largest gain is 0 all later ones are, and the rest follows by index. The last two terms, if the pool has no more, tie.
//
// Masses are p_ic = m_ic / n_c in whole numbers, with n_c = sum_i m_ic + leftover_c below 2^52 (src/mass_grid.hpp). b1 and
// b2 are read as simple fractions (0.1 is 1/10). Whole counts are exact where their total times the common denominator of b1
// and b2 is below 2^52 in every class. With a larger denominator the counts are exact still, and b1 and b2 - b1 n_terms are
// rounded alike in all classes. More tokens and fractions are rounded at 2^-52 of the largest class's total, or of the
// class's own if that is more than 2^10 times smaller. Then gains that differ less than rounding does may come in either
// order, and fractions that are no whole numbers of units may have a gain where in truth there is none: `informative` counts
// it. Divergences are of the probabilities unrounded in any case.
//
// Where b2 > b1 n_terms, the leftover is a part of the pool that is never selected, and the last term has a gain too.
struct GreedyRanking {
  LargeArray<std::int64_t> indices;  // (k,) terms in the order of their selection
  LargeArray<double> divergences;    // (k,) after each step; nondecreasing, relative error below 1e-12
  std::int64_t informative = 0;      // how many of the k steps had a gain; the first ones
  std::int64_t evaluations = 0;      // gains and bounds of gains that the search computed, that of equal terms once
};

// The first k terms. `exhaustive` is Algorithm 1 as written: every gain at every step, O(k n_terms) evaluations of
// O(n_classes) time. Otherwise equal terms are one and a ladder of shortlists (src/greedy_ladder.cpp) leaves out what
// provably cannot win: the same order, never more than about twice the evaluations of the plain search for the same k,
// usually near-linear. Any number of threads and any SIMD target give the same bits. Memory: O(n_terms + pairs), and
// O(n_classes) for each thread.
//
// Throws std::invalid_argument as score() does, unless 0 <= k <= n_terms, where a term has p = 0 in a class, where b2 is
// less than b1 n_terms, and where a mass that is not whole would be less than 2^10 units (a 2^-40th of the class's tokens,
// more or less): by default of more than 2^52 tokens. An exception of `progress` is passed on.
template <CountType Count>
GreedyRanking greedy(const ClassCounts<Count>& counts, const Estimation& estimation, std::int64_t k, bool exhaustive,
                     const Threads& threads, const Progress& progress = {});

// The JMH divergence of the partition {each of the terms, the pool of the rest}: sum of phi over its cells, computed
// directly. Throws as greedy() does, and for an index that is no term or stands twice.
template <CountType Count>
double divergence(const ClassCounts<Count>& counts, const Estimation& estimation, std::span<const std::int64_t> terms);

}  // namespace termsift

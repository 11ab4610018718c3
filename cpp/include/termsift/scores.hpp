// Computes probabilities from counts, class scores from probabilities, and one score per term from the term's class scores.
#pragma once

#include <cstdint>
#include <span>

#include "termsift/class_counts.hpp"

namespace termsift {

// Measures of the difference between p = p_ic and q = q_ic. ClassCounts::model decides whether p and q are probabilities or
// rates. For probabilities, a measure compares the distributions {p, 1-p} and {q, 1-q}. Rates of Poisson variables may
// exceed 1 and have no complement.
enum class Measure : std::uint8_t {
  kl,          // p log(p/q) + (1-p) log((1-p)/(1-q))         Tang, Kay and He 2016, Algorithms 2 and 3
               // for rates: p log(p/q) - p + q
  nu_j,        // 1/2 [(p-q)^2/(q(1-q)) + (p-q)^2/(p(1-p))]    ibid., eq. (20), the noncentrality of J
               // for rates: 1/2 [(p-q)^2/q + (p-q)^2/p]
  nu_pearson,  // (p-q)^2/(q(1-q))                            ibid., Section 4.4, Pearson's
               // for rates: (p-q)^2/q
  direction    // the sign of p-q (1, 0 or -1), which only class_directions uses
};

// The function that combines the values of the classes into the score of the term.
enum class Aggregate : std::uint8_t {
  sum,
  mean,  // the mean, weighted by the class priors
  max
};

// The estimates of the probabilities: p_ic = (l_ic + b1) / (l_c + b2), and q_ic is the mean of p_ik over the classes k != c,
// weighted by their priors pi_k.
struct Estimation {
  double b1 = 1;
  double b2 = 1;
  // One weight per class. The prior of a class is its weight, divided by the sum over the compared classes. If the span is
  // empty, the weights are the classes' numbers of documents.
  std::span<const double> prior_weights = {};
  double b2_rest = 0;  // the rounding error of b2: a double rarely holds alpha * n_terms exactly
};

// Pairs of a class and a term: the pairs of class c have the terms terms[starts[c] .. starts[c + 1]), in increasing order.
struct Pairs {
  const std::int64_t* starts;  // (n_classes + 1,)
  const TermId* terms;
};

// All functions compare the classes that have documents, and ignore all other classes. The functions throw
// std::invalid_argument if one of these conditions is not met:
// - At least two classes are compared. For every class c, the other classes have at least 2^-450 of the prior mass, because
//   q would otherwise be nearly 0/0.
// - 0 <= b1 <= b2 < inf. For rates, b1 and b2 are in [0, inf).
// - The smoothed p of an absent term is 0 or at least 2^-450. Rates are at most 2^64.
// - The weights are finite and not negative.
// The functions use 0 log 0 = 0, x log(x/0) = inf and 0/0 = 0. If b2 = 0, p is 0 in a class without tokens. No result is
// NaN.
//
// Accuracy: the relative error is at most 4 ulp in ordinary cases, and 1e-14 if |p - q| >= n_classes^2 2^-50 max(p, q).
// If p and q agree in all digits of a double-double, their difference is lost (proof in scoring/score_kernels.cpp, cases
// in tests/scores/test_scoring_accuracy.py). A difference p - q below 2^-92 of the spread of the p_ik counts as 0.
// Results have the same bits for any number of threads and any SIMD target. The bits of a term's results depend on other
// terms only through the constants of the classes and, in `score`, through the choice of one algorithm for all terms.
//
// Each thread needs 1 MiB of scratch memory, plus up to 7 KiB (128 times 56 bytes) for each class.

// Writes scores (n_terms,). Takes O(pairs) time for smoothed scores of many classes that have few of the terms, and
// O(n_classes * terms that occur) time for all other scores. The choice of the algorithm depends only on counts, estimation,
// measure and aggregate (score_ways.hpp).
template <CountType Count>
void score(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
           const Threads& threads, double* scores);

// Writes class scores or directions (n_classes, terms of the range), row-major. Rows of ignored classes are 0.
// - If Result is double, the results are class scores, which are the values of the classes before aggregation.
// - If Result is std::int8_t, the results are directions. A direction is the sign of p - q for every measure, or 0 where
//   class scores treat p and q as equal.
// O(n_classes * terms).
template <CountType Count, class Result>
void class_results(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, const Threads& threads,
                   Result* results, TermRange range = {});

// Writes the scores and the directions (n_pairs,) of pairs. class_results() gives the same scores, up to rounding, and the
// same directions. Takes O(pairs of the counts) time, and O(n_classes) more for each pair that loses digits. Without
// smoothing, or if a double cannot hold some count, takes O(n_classes * terms of the pairs) time.
template <CountType Count>
void score_pairs(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, const Threads& threads,
                 const Pairs& pairs, double* scores, std::int8_t* directions);

}  // namespace termsift

// Counts -> probabilities -> per-class scores -> scores.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "termsift/class_counts.hpp"

namespace termsift {

// How far apart p = p_ic and q = q_ic are. The model that counted (ClassCounts::model) says what they are: probabilities,
// of the distributions {p, 1-p} and {q, 1-q}; or rates of two Poisson variables, which may exceed 1 and have no complement.
enum class Measure : std::uint8_t {
  kl,          // p log(p/q) + (1-p) log((1-p)/(1-q))         Tang, Kay and He 2016, Algorithms 2 and 3
               // of rates p log(p/q) - p + q
  nu_j,        // 1/2 [(p-q)^2/(q(1-q)) + (p-q)^2/(p(1-p))]    ibid., eq. (20), the noncentrality of J
               // of rates 1/2 [(p-q)^2/q + (p-q)^2/p]
  nu_pearson,  // (p-q)^2/(q(1-q))                            ibid., Section 4.4, Pearson's
               // of rates (p-q)^2/q
  direction    // the sign of p-q: 1, 0 or -1; internal to class_directions
};

// How the values of the classes become the score of the term.
enum class Aggregate : std::uint8_t {
  sum,
  mean,  // weighted by the class priors
  max
};

// How probabilities are estimated from counts: p_ic = (l_ic + b1) / (l_c + b2), and the class priors pi_c.
struct Estimation {
  double b1 = 1;
  double b2 = 1;
  // One weight a class, normalised to sum to 1 over the classes that take part; empty: the number of documents.
  std::span<const double> prior_weights = {};
  double b2_rest = 0;  // what b2 rounds off: alpha M seldom is a double
};

// Both functions: classes without documents take no part. They throw std::invalid_argument if fewer than two classes take
// part, if one of them has all the prior mass but 2^-450 of it (then q is 0/0 for it, or nearly), or unless
// 0 <= b1 <= b2 < inf (b1, b2 in [0, inf) for rates), the smoothed p of a term that a class lacks is 0 or at least 2^-450,
// rates are at most 2^64, and the weights are finite and not negative. 0 log 0 = 0, x log(x/0) = inf, 0/0 = 0 (so p = 0 in a
// class without tokens if b2 = 0); no result is NaN.
//
// Accuracy: 4 ulp in ordinary cases, 1e-14 unless p and q agree to more than 16 digits; a difference p - q below 2^-92 of
// the spread of the p_ik counts as none (tests/test_accuracy.py). Unsmoothed float counts 10^270 apart, and rates
// below 10^-250, may underflow. Bits depend on neither the number of threads nor the SIMD target, and on other terms only by
// the constants of the classes and, in `score`, by the choice between two ways for all terms: within one way a term's own
// counts decide.
//
// Scratch for each thread: up to 56 bytes for each class and term of a block of 128, and 1 MiB.

// scores (n_terms,). O(pairs of a term and a class that has it) time for the smoothed sum or mean over many classes, else
// O(n_classes * terms that occur). Which of the two depends on counts, estimation and aggregate alone (score_ways.hpp).
template <CountType Count>
void score(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
           const Threads& threads, double* scores);

// class_scores (n_classes, terms of the range), row-major; rows of classes that take no part are 0. O(n_classes * terms).
template <CountType Count>
void class_scores(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure,
                  const Threads& threads, double* class_scores, TermRange range = {});

// directions (n_classes, terms of the range), row-major: the sign of p - q, which is the same for every measure. It is 0
// where class_scores takes p and q for equal, and in rows of classes that take no part. O(n_classes * terms).
template <CountType Count>
void class_directions(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure,
                      const Threads& threads, std::int8_t* directions, TermRange range = {});

}  // namespace termsift

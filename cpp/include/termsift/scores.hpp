// Counts -> probabilities -> per-class scores -> scores.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "termsift/class_counts.hpp"

namespace termsift {

// How far apart p = p_ic and q = q_ic are. ClassCounts::model says what they are: probabilities, with the distributions {p,
// 1-p} and {q, 1-q}, or rates of two Poisson variables, which may exceed 1 and have no complement.
enum class Measure : std::uint8_t {
  kl,          // p log(p/q) + (1-p) log((1-p)/(1-q))         Tang, Kay and He 2016, Algorithms 2 and 3
               // of rates p log(p/q) - p + q
  nu_j,        // 1/2 [(p-q)^2/(q(1-q)) + (p-q)^2/(p(1-p))]    ibid., eq. (20), the noncentrality of J
               // of rates 1/2 [(p-q)^2/q + (p-q)^2/p]
  nu_pearson,  // (p-q)^2/(q(1-q))                            ibid., Section 4.4, Pearson's
               // of rates (p-q)^2/q
  direction    // the sign of p-q: 1, 0 or -1; internal to class_directions
};

// How the values of the classes are combined into the score of the term.
enum class Aggregate : std::uint8_t {
  sum,
  mean,  // weighted by the class priors
  max
};

// How probabilities are estimated: p_ic = (l_ic + b1) / (l_c + b2), with class priors pi_c. q_ic is the mixture of p_ik over
// the other classes, weighted by their priors.
struct Estimation {
  double b1 = 1;
  double b2 = 1;
  // One weight per class, normalised to sum to 1 over the classes that take part; if empty, numbers of documents.
  std::span<const double> prior_weights = {};
  double b2_rest = 0;  // the rounding error of b2, since alpha * n_terms is rarely a double
};

// Pairs of a class and a term: row c of the counts has the terms [starts[c], starts[c + 1]), which increase.
struct Pairs {
  const std::int64_t* starts;  // (n_classes + 1,)
  const TermId* terms;
};

// All functions compare the classes that have documents; other classes take no part. They throw std::invalid_argument
// - if fewer than two classes take part, or the others have less than 2^-450 of the prior mass (q would be nearly 0/0),
// - unless 0 <= b1 <= b2 < inf, or b1 and b2 are in [0, inf) for rates,
// - if the smoothed p of an absent term is neither 0 nor at least 2^-450, or a rate exceeds 2^64,
// - unless the weights are finite and not negative.
// 0 log 0 = 0, x log(x/0) = inf, and 0/0 = 0, so p = 0 in a class without tokens if b2 = 0. No result is NaN.
//
// Accuracy: 4 ulp in ordinary cases, and 1e-14 if |p - q| >= n_classes^2 2^-50 max(p, q); if all digits of p and q agree, no
// double-double can tell them apart (proof in scoring/careful_impl.hpp, cases in tests/unit/test_accuracy.py). A difference
// p - q below 2^-92 of the spread of the p_ik counts as 0. Bits depend on neither the number of threads nor the SIMD target.
// They depend on other terms only through the constants of the classes and, in `score`, through the choice of an algorithm
// for all terms at once.
//
// Each thread has up to 56 bytes of scratch for each class and term of a block of 128 terms, and 1 MiB.

// scores (n_terms,). The smoothed sum or mean over many classes takes O(pairs), other scores O(n_classes * terms that
// occur). The choice depends only on counts, estimation, measure and aggregate (score_ways.hpp).
template <CountType Count>
void score(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
           const Threads& threads, double* scores);

// class_scores (n_classes, terms of the range), row-major: the values of the classes before they are aggregated. Rows of
// classes that take no part are 0. O(n_classes * terms).
template <CountType Count>
void class_scores(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure,
                  const Threads& threads, double* class_scores, TermRange range = {});

// directions (n_classes, terms of the range), row-major: the sign of p - q, which is the same for every measure. It is 0
// where class_scores treats p and q as equal, and in rows of classes that take no part. O(n_classes * terms).
template <CountType Count>
void class_directions(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure,
                      const Threads& threads, std::int8_t* directions, TermRange range = {});

// scores and directions (n_pairs,): class_scores and class_directions of the pairs; scores may be null. O(n_classes * terms
// of the pairs).
template <CountType Count>
void score_pairs(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, const Threads& threads,
                 const Pairs& pairs, double* scores, std::int8_t* directions);

}  // namespace termsift

// Counts -> per-class scores -> scores, for the methods that read a 2 x 2 table of each term and class:
//
//                      term i            other terms (or documents without i)
//     class c          A = a             C = r - a                 r
//     other classes    B = t - a         D = g - r - t + a         g - r
//                      t                 g - t                     g
//
// Most count documents: a = d_ic, r = n_c, t = d_i, g = n. tfidf has a = l_ic instead, chi2_counts a = l_ic and t = l_i, and
// log_odds counts tokens throughout: a = l_ic, r = l_c, t = l_i, g = l. The totals t and g are those of the collection,
// which counts a document of several classes once.
#pragma once

#include <cstdint>
#include <span>

#include "termsift/class_counts.hpp"
#include "termsift/scores.hpp"

namespace termsift {

// Of each the formula, with det = AD - CB = a g - t r; sources in python/termsift/methods.py.
enum class ContingencyMeasure : std::uint8_t {
  df,            // A
  tfidf,         // a log(g/t)
  mi,            // log(A g / (t r))
  cet,           // A/g log(A g / (t r))
  ig,            // A/g log(A g / (t r)) + C/g log(C g / ((g-t) r))
  chi2,          // g det^2 / (r (g-r) t (g-t))
  chi2_printed,  // det^2 / (A B C D)
  gss,           // det / g^2
  odds_ratio,    // A D / (B C)
  relevancy,     // log((A/r + 1/6) / (B/(g-r) + 1/6))
  ngl,           // sqrt(g) det / sqrt(r (g-r) t (g-t))
  g2,            // 2 sum O log(O/E) over the four cells O, E = row total * column total / g
  bns,           // |F(A/r) - F(B/(g-r))|, F the normal quantile, rates clipped to [0.0005, 0.9995]
  log_odds,      // log(x (S-u) / (u (R-x))) / sqrt(1/x + 1/u), x = a + a_i, u = t - a + a_i, R = r + a_0, S = g - r + a_0,
                 // a_0 the prior mass, a_i = a_0 t / g
  jlh,           // max(0, A/r - t/g) (A/r) / (t/g)
  chi2_counts,   // (a - E)^2 / E, E = t r / g
  direction      // the sign of det: 1, 0 or -1; all counts are of tokens
};

// Those that are methods.
#define TERMSIFT_FOR_EACH_CONTINGENCY_MEASURE(apply)                                                                 \
  apply(df) apply(tfidf) apply(mi) apply(cet) apply(ig) apply(chi2) apply(chi2_printed) apply(gss) apply(odds_ratio) \
      apply(relevancy) apply(ngl) apply(g2) apply(bns) apply(log_odds) apply(jlh) apply(chi2_counts)

// What besides the counts a score depends on.
struct ContingencyOptions {
  // Weights of the classes in a mean, as in Estimation.
  std::span<const double> prior_weights = {};
  double prior_mass = 0, prior_mass_rest = 0;  // a_0 of log_odds, a double-double
};

// All functions: classes without documents take no part. 0 log 0 = 0, log 0 = -inf, x/0 = inf, 0/0 = 0, and 0 where the
// class is all or no document has the term. No result is NaN. A sum or mean with an infinite value is that infinity, and 0
// if both infinities are among its values. An infinite value of a class without weight is no part of a mean. They throw
// std::invalid_argument if fewer than two classes have documents (df and tfidf compare none), unless the weights are finite
// and not negative, some positive, and for log_odds unless a_0 is 0 or between 2^-450 g and 2^450 g.
//
// Accuracy: 4 ulp of the formula's value; of bns a relative 1e-14. Where counts are not whole or exceed 2^50, the error of
// det is up to 2^-104 a g, and counts more than 2^450 apart may underflow, to a finite value or an infinite one. A sum or
// mean has a further error: up to 2^-104 n_classes times what the classes that have the term would add without it. It is
// the larger one where some classes have more than 10^7 times the documents of others. Bits depend neither on the number of
// threads nor on the SIMD target.

// scores (n_terms,). O(pairs of a term and a class that has it) time: what a class without the term adds is known from t
// and r. Only the sums and means of g2, bns, relevancy and log_odds are
// O(pairs + n_classes * number of distinct totals t).
template <CountType Count>
void score(const ClassCounts<Count>& counts, const ContingencyOptions& options, ContingencyMeasure measure,
           Aggregate aggregate, const Threads& threads, double* scores);

// For chi2, g2 and chi2_counts: scores (n_terms,), the largest value of a class; classes (n_terms,), the first class that
// has it; signs (n_terms,), 1 if the term is over-represented there, -1 if under-represented, 0 if neither. O(pairs).
template <CountType Count>
void strongest_class(const ClassCounts<Count>& counts, ContingencyMeasure measure, const Threads& threads, double* scores,
                     std::int64_t* classes, std::int8_t* signs);

// scores (n_terms,): the value of the whole collection as one class; of df and tfidf.
template <CountType Count>
void collection_scores(const ClassCounts<Count>& counts, ContingencyMeasure measure, const Threads& threads, double* scores);

// class_scores (n_classes, terms of the range), row-major. O(n_classes * terms).
template <CountType Count>
void class_scores(const ClassCounts<Count>& counts, const ContingencyOptions& options, ContingencyMeasure measure,
                  const Threads& threads, double* class_scores, TermRange range = {});

// directions (n_classes, terms of the range), row-major: the sign of det in the table that the measure reads. tfidf mixes
// tokens and documents and compares no class with the others; its direction is that of the tokens that it counts.
// O(n_classes * terms).
template <CountType Count>
void class_directions(const ClassCounts<Count>& counts, const ContingencyOptions& options, ContingencyMeasure measure,
                      const Threads& threads, std::int8_t* directions, TermRange range = {});

}  // namespace termsift

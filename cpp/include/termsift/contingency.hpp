// Computes the scores of the methods whose formulas use the 2 x 2 table of a term and a class:
//
//                      term i            other terms (or documents without i)
//     class c          A = a             C = r - a                 r
//     other classes    B = t - a         D = g - r - t + a         g - r
//                      t                 g - t                     g
//
// Most methods count documents: a = d_ic, r = n_c, t = d_i, g = n. For tfidf, a is l_ic. For chi2_counts, a is l_ic and t is
// l_i. The methods log_odds, log_ratio, g2_counts, c_tfidf and cmfs count only tokens: a = l_ic, r = l_c, t = l_i, g = l.
// Beside the documents, poisson_deviation reads l_i. The totals t and g count a document of several classes only once.
#pragma once

#include <cstdint>

#include "termsift/class_counts.hpp"
#include "termsift/scores.hpp"

namespace termsift {

// The formulas, with det = AD - CB = a g - t r. To add a formula, put its name here, before `direction`, and specialise
// Formula<ContingencyMeasure::name> in src/contingency/formulas_impl.hpp. A name without a formula does not compile.
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
  g2,            // 2 sum O log(O/E) over the four cells O, where E = row total * column total / g
  bns,           // |F(A/r) - F(B/(g-r))|, F is the normal quantile function; rates are clipped to [0.0005, 0.9995]
  log_odds,      // log(x (S-u) / (u (R-x))) / sqrt(1/x + 1/u), x = a + a_i, u = t - a + a_i, R = r + b2, S = g - r + b2,
                 // a_i = b2 t / g, so b2 is the mass of the prior
  jlh,           // max(0, A/r - t/g) (A/r) / (t/g)
  chi2_counts,   // (a - E)^2 / E, E = t r / g
  log_ratio,     // log2((a + b1) (g - r + b2) / ((t - a + b1) (r + b2)))
  g2_counts,     // the formula of g2, with counts of tokens
  c_tfidf,       // a/r log(1 + m/t), m = floor(g / number of classes with documents)
  c_tfidf_sqrt,  // sqrt(a/r) log(1 + m/t)
  c_tfidf_bm25,  // a/r log((m + 1) / (t + 1/2))
  c_tfidf_bm25_sqrt,  // sqrt(a/r) log((m + 1) / (t + 1/2))
  dfs,           // (A/t) / (C/r + B/(g-r) + 1)
  efs,           // dfs (A/r) / (C/(g-t) + B/t + 1)
  gini,          // (A/r)^2 (A/t)^2
  acc2,          // |A/r - B/(g-r)|
  ndm,           // acc2 / min(A/r, B/(g-r)); where the minimum is 0, it is replaced by 10^-10
  ndm_document,  // acc2 / min(A/r, B/(g-r)); where A or B is 0, the minimum is the rate of one document
  mmr,           // acc2 max(A/r, B/(g-r)) / min(A/r, B/(g-r)), with the minimum of ndm
  mmr_document,  // the same with the minimum of ndm_document
  wllr,          // A/r log((A/r) / (B/(g-r))); where B is 0, its rate is that of one document
  wllr_epsilon,  // the same; where B is 0, its rate is 10^-10
  cmfs,          // (a + b1)/(r + b2) (a + b1)/(t + N b1), with N classes with documents
  poisson_deviation,  // sum (O-E)^2/E over the four cells O, where E = r p or (g-r) p for the cells with the term,
                      // E = r (1-p) or (g-r) (1-p) for the cells without it, and p = 1 - e^(-l_i/g)
  direction      // the sign of det (1, 0 or -1) where a, r, t and g count tokens; the only measure that is not a method
};
inline constexpr int n_contingency_methods = static_cast<int>(ContingencyMeasure::direction);

// Returns the name of a method as in the enumeration above.
const char* name_of(ContingencyMeasure measure);

// In all functions, classes without documents are ignored, and 0 log 0 = 0, log 0 = -inf, x/0 = inf and 0/0 = 0. A score is
// 0 if no document has the term. A class score is 0 if the class holds all documents, except for log_ratio with smoothing,
// and for df, tfidf, c_tfidf and cmfs, which do not compare the class with other classes. No result is NaN. If some values
// of a term are infinite with the same sign, the sum or mean is infinite with this sign. If some values are inf and others
// -inf, the sum or mean is 0. A mean ignores classes of weight 0. The functions throw
// std::invalid_argument if a class weight is negative or not finite, or if all class weights are 0. At least two classes
// must have documents, except for df and tfidf, which compare no classes. log_odds needs b2 = 0 or
// 2^-450 g <= b2 <= 2^450 g, and log_ratio needs b1 = 0 or b1 >= 2^-450 g. Only log_odds, log_ratio and cmfs read the
// smoothing.
//
// Accuracy: the error is at most 4 ulp of the formula's value, and for bns at most 1e-14 of this value. The value of
// poisson_deviation is within 4 ulp of the formula's value for a p that differs by at most 2^-51 (1 + l_i/g) min(p, 1-p).
// If counts are fractions or are above 2^50, the error of det is up to 2^-104 a g. If counts differ by a factor above
// 2^450, products of counts may underflow, which makes scores wrong or infinite. Let s be the sum of the values that the
// classes with the term would have if they lacked the term. A sum or mean has a further error of up to 2^-104 n_classes s.
// This further error dominates if some classes have more than 10^7 times as many documents as other classes. Results have
// the same bits for any number of threads and any SIMD target.

// Writes scores (n_terms,) in O(pairs) time, where a pair is a term and a class that has it. Classes without the term cost
// no time, because their values depend only on t and r. Only sums and means of measures with Absent::each
// (contingency_kernels.hpp) take O(pairs + n_classes * number of distinct t) time.
template <CountType Count>
void score(const ClassCounts<Count>& counts, const Estimation& estimation, ContingencyMeasure measure, Aggregate aggregate,
           const Threads& threads, double* scores);

// `measure` must be chi2, g2, chi2_counts or g2_counts. Writes three arrays (n_terms,) in O(pairs) time. `scores` holds the
// largest value of a term over the classes. `classes` holds the first class with the largest value. `signs` holds 1 if the
// term is over-represented in the class from `classes`, -1 if under-represented, and 0 otherwise.
template <CountType Count>
void strongest_class(const ClassCounts<Count>& counts, ContingencyMeasure measure, const Threads& threads, double* scores,
                     std::int64_t* classes, std::int8_t* signs);

// `measure` must be df or tfidf. Writes scores (n_terms,), which are computed with the whole collection as one class.
template <CountType Count>
void collection_scores(const ClassCounts<Count>& counts, ContingencyMeasure measure, const Threads& threads, double* scores);

// Writes class scores (Result is double) or directions (Result is std::int8_t) of shape (n_classes, terms of the range),
// row-major. A direction is the sign of det in the 2 x 2 table of the measure. For log_ratio, which compares smoothed
// frequencies, the direction is the sign of the score. For tfidf, which mixes tokens and documents, the direction is the
// sign of det in the table of tokens. O(n_classes * terms).
template <CountType Count, class Result>
void class_results(const ClassCounts<Count>& counts, const Estimation& estimation, ContingencyMeasure measure,
                   const Threads& threads, Result* results, TermRange range = {});

// Writes the class scores and the directions (n_pairs,) of the given pairs. Takes O(pairs of the counts + given pairs) time.
template <CountType Count>
void score_pairs(const ClassCounts<Count>& counts, const Estimation& estimation, ContingencyMeasure measure,
                 const Threads& threads, const Pairs& pairs, double* scores, std::int8_t* directions);

}  // namespace termsift

// Makes naive Bayes models from counts and a ranking. For each k of a list, there is a model of the first k terms.
#pragma once

#include <cstdint>
#include <vector>

#include "termsift/class_counts.hpp"
#include "termsift/naive_bayes.hpp"

namespace termsift {

// With the first k terms, the log posterior of class c is v_c plus a number that does not depend on c:
//
//   v_c = log n_c + sum_r x_r gain_rc - absent_c sum_r x_r - w loss_c(k)
//
// Here x_r and l are the counts of the term of rank r < k in the document and in class c. The rest depends on the model:
//
//   model                gain_rc, l = l_rc or d_rc      absent_c   loss_c(k)                             w
//   multinomial, binary  L(l/b1)                        0          L(sum_{r<k} l / (b1 k))               sum_r x_r
//   bernoulli            L(l/b1) + L(l/(X_c - l + b1))  L(X_c/b1)  sum_{r<k} -log(1 - p_rc)              1
//   poisson              L(l/b1)                        L(X_c/b1)  sum_{r<k} p_rc = (l + b1)/(X_c + b1)  1
//
// In the table, L(x) is log(1 + x), and X_c is the model's total (event_model.hpp). gain_rc is 0 for a class without the
// term, so a term has pairs only with the classes that contain it. All numbers in the formula except v_c are at least 0.
struct PrefixModel {
  std::vector<std::int64_t> classes;      // (n,) the rows of the counts that have documents, increasing
  std::int64_t stride = 0;                // n padded to whole vectors, as in ClassPosteriors
  std::vector<double> log_docs;           // (stride,) log(n_c / the least n_c)
  std::vector<double> absent;             // (stride,)
  bool weighs_tokens = false;             // true if w is sum_r x_r, false if w is 1
  std::vector<std::int32_t> rank_of;      // (n_terms,) the rank of each term, or -1 if the rank is not below ks.back()
  std::vector<std::int32_t> step_of;      // (ranks,) for each rank, the index of the smallest k above the rank
  std::vector<std::int64_t> first_pair;   // (ranks + 1,) the first pair of each rank
  std::vector<std::int32_t> pair_class;   // the position of the class in `classes`, increasing within a rank
  std::vector<double> pair_gain;
  std::vector<double> loss;               // (ks.size(), stride)
  // (ks.size(),) From one k to a later k, no class's loss falls by more than the rise grows. The rise falls if all losses
  // grow. It includes margins for rounding and for `tolerance_growth`.
  std::vector<double> rise;
};

// If the loss of a class changes by x, twice the error of v_c changes by less than this times w x (see judge() in
// naive_bayes.cpp), for documents with at most 2^20 ranked terms.
inline constexpr double tolerance_growth = 0x1p-31;

// `counts` come from as_counted_by(). O(pairs + n_terms + ks * classes).
template <CountType Count>
PrefixModel make_prefix_model(const ClassCounts<Count>& counts, const NaiveBayes& bayes);

}  // namespace termsift

// Counts and a ranking -> what naive Bayes needs to know of the first k terms, for every k.
#pragma once

#include <cstdint>
#include <vector>

#include "termsift/class_counts.hpp"
#include "termsift/naive_bayes.hpp"

namespace termsift {

// But for what all classes share, the log posterior of class c is, after the terms of the first k ranks,
//
//   v_c = log n_c + sum_r x_r gain_rc - absent_c sum_r x_r - w loss_c(k)
//
// with x_r what the document has of the term of rank r < k, and
//
//   model                gain_rc, l = l_rc or d_rc      absent_c   loss_c(k)                             w
//   multinomial, binary  L(l/b1)                        0          L(sum_{r<k} l / (b1 k))               sum_r x_r
//   bernoulli            L(l/b1) + L(l/(X_c - l + b1))  L(X_c/b1)  sum_{r<k} -log(1 - p_rc)              1
//   poisson              L(l/b1)                        L(X_c/b1)  sum_{r<k} p_rc = (l + b1)/(X_c + b1)  1
//
// where L(x) = log(1 + x) and X_c is the model's total (event_model.hpp). A class that lacks the term gains nothing, so that
// pairs are enough; everything but v_c is at least 0.
struct PrefixModel {
  std::vector<std::int64_t> classes;      // rows that take part, increasing; (n,), and so are
  std::vector<double> log_docs;           //   log(n_c / the least n_c)
  std::vector<double> absent;
  bool weighs_tokens = false;             // w is sum_r x_r
  std::vector<std::int32_t> rank_of;      // (n_terms,); -1 if not among the first ks.back()
  std::vector<std::int32_t> step_of;      // of each rank, the first of the ks that has it
  std::vector<std::int64_t> first_pair;   // of each rank, and the end of the last
  std::vector<std::int32_t> pair_class;   // position in `classes`, increasing within a rank
  std::vector<double> pair_gain;
  std::vector<double> loss;               // (ks.size(), n)
  // Between two ks, no loss of a class changes by more, compared with another's, than this does, and by a little more, so
  // that the tolerance for rounding may grow meanwhile (ks.size(),).
  std::vector<double> drift;
};

// `counts` as the model counts them. O(pairs + n_terms + ks * classes).
template <CountType Count>
PrefixModel make_prefix_model(const ClassCounts<Count>& counts, const NaiveBayes& bayes);

}  // namespace termsift

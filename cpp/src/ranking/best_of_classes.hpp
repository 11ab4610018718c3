// Finds the terms that may be among the best of some class, without computing the values of all terms in all classes.
//
// A term's values are computed one by one for the classes that have the term. For a class without the term,
// p_ic = b1 / L_c, and q_ic increases with the term's mixture T = sum_k w_k x_ik (scoring/pair_model.hpp). Every measure is
// 0 at q = p, and increases as q moves away from p in either direction. The best of the terms absent from a class are
// therefore the terms with the largest or the smallest T. The order of terms by T is the same for all classes.
//
// The values computed by this search may differ by rounding from the values of class_results(). The result therefore
// includes all terms whose values are within a margin of the best values.
#pragma once

#include <cstdint>
#include <vector>

#include "scoring/mixtures.hpp"
#include "termsift/scores.hpp"

namespace termsift {

template <CountType Count>
class BestOfClasses {
 public:
  // Returns true if the classes have so few terms that this search is faster than class_results() for all terms.
  static bool pays(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure);

  // Requires pays(). Throws as class_results() does. O(pairs + n_terms log(n_terms)).
  BestOfClasses(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, const Threads& threads);

  BestOfClasses(const BestOfClasses&) = delete;  // `task_` refers to `model_`
  BestOfClasses& operator=(const BestOfClasses&) = delete;

  // Returns terms, in increasing order, that include the best `length` terms of every nonempty class. If two terms have
  // equal values, the term with the lower index is better. O(pairs + n_classes * length) if few values are equal.
  std::vector<std::int64_t> terms(std::int64_t length) const;

 private:
  class Search;

  const ClassModel model_;
  const PairModel pairs_;
  const ScoreTask<Count> task_;
  const Threads threads_;
  const Mixtures sums_;
  const std::vector<TermId> seen_;  // the terms that some class has, sorted by decreasing T
  std::vector<TermId> unseen_;      // all other terms
};

}  // namespace termsift

// Finds the terms that can be among the best of a class, without computing the values of all terms in all classes.
//
// The values of the classes that have a term are computed one by one. A class without the term has p_ic = b1 / L_c and a
// q_ic that grows with the term's mixture T = sum_k w_k x_ik (scoring/pair_model.hpp). Every measure is 0 at q = p, and
// grows as q moves away on either side. So the best absent terms are first or last in the order of T, which is the same for
// all classes.
//
// Values here may differ by rounding from those of class_scores(). Terms within a margin of the best are included.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "scoring/block_scores.hpp"
#include "scoring/class_model.hpp"
#include "scoring/pair_kernels.hpp"
#include "termsift/scores.hpp"

namespace termsift {

template <CountType Count>
class BestOfClasses {
 public:
  // Whether the classes have so few of the terms that this is faster than class_scores() of all terms.
  static bool pays(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure);

  // Requires pays(). Throws as class_scores() does. O(pairs + n_terms log(n_terms)).
  BestOfClasses(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, const Threads& threads);

  // Returns increasing terms that include the best `length` of every class that takes part; ties go to the lowest index.
  // O(pairs + n_classes * length), if few values are equal.
  std::vector<std::int64_t> terms(std::int64_t length) const;

 private:
  class Search;
  void sum_mixtures();

  const ClassModel model_;
  const PairModel pairs_;
  const ScoreTask<Count> task_;
  const Threads threads_;
  std::vector<double> U_hi_, U_lo_;          // (n_terms,) U = T - T_0
  std::vector<unsigned char> n_classes_of_;  // (n_terms,) number of classes with the term, capped at 2
  std::vector<TermId> seen_, unseen_;        // terms of some class, by decreasing T; the others
};

}  // namespace termsift

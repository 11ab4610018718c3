// The pool R holds, for each class, the mass that has not been selected yet.
#pragma once

#include <cstdint>
#include <vector>

#include "greedy/gain_kernels.hpp"
#include "greedy/term_groups.hpp"

namespace termsift {

// The pairs (A, B) of a pool (see WedgeView). They determine all gains. Each array is (n_classes,), or (1,) for two classes.
struct Axes {
  std::vector<double> A, B;
};

class Pool {
 public:
  // Makes the pool of all terms.
  explicit Pool(const TermGroups& groups);

  // Removes the given number of members of the group. This is exact, since masses are whole numbers below 2^53.
  // O(n_classes).
  void remove(GroupId group, std::int64_t copies);

  // Returns the axes of the pool after the masses `removed` (n_classes,) are subtracted from R.
  Axes axes_less(const std::vector<double>& removed) const;
  PoolView view() const;

 private:
  void refresh();

  const TermGroups& groups_;
  const int n_classes_;
  std::vector<double> fields_, mass_;  // the arrays of PoolView (5, n_classes); scratch (n_classes,)
  double* const rest_;
  int reference_ = 0;
};

}  // namespace termsift

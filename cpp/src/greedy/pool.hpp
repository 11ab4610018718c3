// The pool R: the mass of each class that has not been selected yet.
#pragma once

#include <cstdint>
#include <vector>

#include "greedy/gain_kernels.hpp"
#include "greedy/term_groups.hpp"

namespace termsift {

// The pairs (A, B) of a pool (WedgeView), which determine gains. (n_classes,) each; (1,) for two classes.
struct Axes {
  std::vector<double> A, B;
};

class Pool {
 public:
  // The pool of all terms.
  explicit Pool(const TermGroups& groups);

  // Removes the given number of members of the group. This is exact, since masses are whole numbers below 2^53.
  // O(n_classes).
  void remove(GroupId group, std::int64_t copies);

  const double* rest() const { return rest_; }  // (n_classes,) R_c
  // The axes of R less `removed` (n_classes,).
  Axes axes_less(const std::vector<double>& removed) const;
  // The fields of PoolView, (n_fields, n_classes).
  static constexpr int n_fields = 5;
  const double* fields() const { return fields_.data(); }
  PoolView view() const { return view_of(fields_.data(), 1); }
  // The view of fields (n_fields, n_classes, width).
  PoolView view_of(const double* fields, int width) const;

 private:
  void refresh();

  const TermGroups& groups_;
  const int n_classes_;
  std::vector<double> fields_, mass_;
  double* const rest_;
  int reference_ = 0;
};

}  // namespace termsift

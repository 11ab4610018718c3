// The pool R: the mass of each class that has not been selected yet.
#pragma once

#include <cstdint>
#include <vector>

#include "greedy/gain_kernels.hpp"
#include "greedy/term_groups.hpp"

namespace termsift {

class Pool {
 public:
  // The pool of all terms.
  explicit Pool(const TermGroups& groups);

  // Removes so many members of the group. Exact, since masses are whole numbers below 2^53. O(n_classes).
  void remove(GroupId group, std::int64_t copies);

  const double* rest() const { return rest_; }  // (n_classes,) R_c
  // Writes (n_axes,) pairs (A, B) of R less `removed` (n_classes,), on which gains depend (WedgeView).
  void axes_less(const double* removed, double* A, double* B) const;
  int n_axes() const { return n_classes_ == 2 ? 1 : n_classes_; }
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

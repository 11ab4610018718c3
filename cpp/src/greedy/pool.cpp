#include "greedy/greedy_search.hpp"

#include <algorithm>

namespace termsift {

Pool::Pool(const TermGroups& groups)
    : groups_(groups), n_classes_(groups.n_classes()), fields_(static_cast<std::size_t>(5 * n_classes_)),
      mass_(static_cast<std::size_t>(n_classes_)), rest_(fields_.data()) {
  std::copy(groups.totals.begin(), groups.totals.end(), rest_);
  // The reference is the class with the largest prior, as in ClassModel. Subtracting the shares in this class from other
  // shares loses no digits.
  reference_ = static_cast<int>(std::max_element(groups.prior.begin(), groups.prior.end()) - groups.prior.begin());
  refresh();
}

void Pool::remove(GroupId group, std::int64_t copies) {
  groups_.gather(&group, 1, 1, mass_.data());
  for (int c = 0; c < n_classes_; ++c) rest_[c] -= static_cast<double>(copies) * mass_[static_cast<std::size_t>(c)];
  refresh();
}

Axes Pool::axes_less(const std::vector<double>& removed) const {
  if (n_classes_ == 2) return {{rest_[0] - removed[0]}, {rest_[1] - removed[1]}};
  const std::size_t n = removed.size();
  Axes axes{std::vector<double>(n), std::vector<double>(n)};
  double before = 0, after = 0;
  for (std::size_t c = 0; c < n; ++c) {
    axes.A[c] = (rest_[c] - removed[c]) / groups_.totals[c];
    axes.B[c] = before;
    before += groups_.prior[c] * axes.A[c];
  }
  for (std::size_t c = n; c-- > 0;) {
    axes.B[c] = (axes.B[c] + after) * groups_.others_inverse[c];
    after += groups_.prior[c] * axes.A[c];
  }
  return axes;
}

PoolView Pool::view() const {
  const std::ptrdiff_t n = n_classes_;
  return {rest_, rest_ + n, rest_ + 2 * n, rest_ + 3 * n, rest_ + 4 * n, reference_};
}

void Pool::refresh() {
  double* const weight = rest_ + n_classes_;
  if (n_classes_ == 2) {
    weight[0] = 1 / (groups_.totals[0] * rest_[1]);
    weight[1] = 1 / (groups_.totals[1] * rest_[0]);
    return;
  }
  double *const inverse = weight + n_classes_, *const share = inverse + n_classes_, *const others = share + n_classes_;
  double before = 0, after = 0;
  for (int c = 0; c < n_classes_; ++c) {
    weight[c] = rest_[c] / groups_.totals[static_cast<std::size_t>(c)];
    inverse[c] = 1 / rest_[c];
    share[c] = groups_.prior[static_cast<std::size_t>(c)] * weight[c];
    others[c] = before;
    before += share[c];
  }
  for (int c = n_classes_; c-- > 0;) {
    others[c] = 1 / (others[c] + after);
    after += share[c];
  }
}

}  // namespace termsift

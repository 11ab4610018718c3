// Turns counts into whole-number masses, and groups the terms with equal counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "greedy/gain_kernels.hpp"
#include "ranking/pairs_by_term.hpp"
#include "termsift/class_counts.hpp"
#include "termsift/double_double.hpp"
#include "termsift/portability.hpp"
#include "termsift/scores.hpp"

namespace termsift {

using GroupId = std::int32_t;

// The smoothing b1, and the excess of b2 over b1 n_terms. b1 and b2 are read as simple fractions: 0.1 means 1/10.
struct Smoothing {
  DoubleDouble b1;
  DoubleDouble leftover;  // at least 0; exactly 0 if b2 differs from b1 n_terms by at most 2^-45 b2
};

// Columns of masses, one for each group. Like counts, the columns are stored in sparse form.
struct MassColumns {
  struct Cell {
    ClassId class_;
    double mass;
  };
  std::vector<double> absent;        // (n_classes,) for each class, the mass of a term that is absent from the class
  std::vector<std::int64_t> starts;  // (n_columns + 1,)
  std::vector<Cell> cells;           // column i has cells [starts[i], starts[i + 1]), sorted by class

  std::span<const Cell> column(std::int64_t i) const {
    const auto at = static_cast<std::size_t>(i);
    return {cells.data() + starts[at], cells.data() + starts[at + 1]};
  }

  // Prefetches columns that a loop over the columns of groups[0 .. n) reads some steps after groups[i]. Groups of a list are
  // scattered in memory. Long columns are prefetched by the hardware.
  void prefetch_later(const GroupId* groups, std::int64_t i, std::int64_t n) const {
    constexpr std::int64_t ahead = 8, most_cells = 32, cells_in_line = 4;
    if (i + 2 * ahead < n) prefetch(starts.data() + groups[i + 2 * ahead]);
    if (i + ahead >= n) return;
    const std::span<const Cell> later = column(groups[i + ahead]);
    const std::int64_t end = std::min<std::int64_t>(std::ssize(later), most_cells);
    for (std::int64_t cell = 0; cell < end; cell += cells_in_line) prefetch(later.data() + cell);
  }
};

// Terms with equal counts in all classes form one group in the search, and the members of a group are selected in
// increasing order. Groups are numbered in the order of their first members. Empty classes are left out.
class TermGroups {
 public:
  // If not `grouped`, every term is a group of its own. O(n_terms + pairs) time and memory.
  template <CountType Count>
  TermGroups(const ClassCounts<Count>& counts, const Estimation& estimation, bool grouped, const Threads& threads);

  std::int64_t n_terms() const { return n_terms_; }
  int n_classes() const { return static_cast<int>(totals.size()); }
  GroupId n_groups() const { return static_cast<GroupId>(member_starts_.size()) - 1; }
  // The members of group g are member(begin(g)) < ... < member(end(g) - 1).
  std::int64_t begin(GroupId g) const { return member_starts_[static_cast<std::size_t>(g)]; }
  std::int64_t end(GroupId g) const { return begin(g + 1); }
  std::int64_t member(std::int64_t i) const { return members_[static_cast<std::size_t>(i)]; }

  // Writes masses (n_classes, width), n <= width. Column j < n holds the masses of groups[j]. All later columns repeat
  // column n - 1.
  void gather(const GroupId* groups, int n, int width, double* masses) const;
  // Returns the sum of copies[i] times the masses of groups[i], (n_classes,). The sum is exact, because masses are whole
  // numbers.
  std::vector<double> sum(std::span<const GroupId> groups, std::span<const double> copies) const;

  // Returns the classes of a wedge whose corners are not set.
  std::vector<WedgeClass> wedge_classes() const;
  // Returns whether most groups are absent from most classes.
  bool is_sparse() const { return totals.size() * at(n_groups()) > 4 * (columns_.cells.size() + at(n_groups())); }
  const MassColumns& columns() const { return columns_; }

  const Smoothing& smoothing() const { return smoothing_; }
  bool has_leftover() const { return smoothing_.leftover.hi > 0; }

  // (n_classes,)
  std::vector<double> totals;          // n_c, whole numbers below 2^53
  std::vector<double> prior;           // pi_c
  std::vector<double> others_inverse;  // 1 / (1 - pi_c)

 private:
  // Sets the members of the groups. Returns the first member of each group.
  template <CountType Count>
  std::vector<TermId> group_equal_columns(const PairsByTerm<Count>& pairs, bool grouped, const Threads& threads);

  Smoothing smoothing_;
  std::int64_t n_terms_ = 0;
  std::vector<std::int64_t> member_starts_;  // (n_groups + 1,)
  std::vector<TermId> members_;              // (n_terms,)
  MassColumns columns_;                      // the columns of the groups
};

}  // namespace termsift

// Counts -> whole-number masses, and the terms that have the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "greedy/mass_grid.hpp"
#include "termsift/class_counts.hpp"
#include "termsift/scores.hpp"

namespace termsift {

using GroupId = std::int32_t;

// The masses of columns of terms, kept as the pairs of the counts are.
struct MassColumns {
  struct Cell {
    ClassId class_;
    double mass;
  };
  std::vector<double> unseen;        // (n_classes,) of a class without a cell
  std::vector<std::int64_t> starts;  // (n_columns + 1,)
  std::vector<Cell> cells;           // column i's are [starts[i], starts[i + 1]), by class

  std::span<const Cell> column(std::int64_t i) const {
    const auto at = static_cast<std::size_t>(i);
    return {cells.data() + starts[at], cells.data() + starts[at + 1]};
  }
};

// Terms of equal masses in all classes compete as one group, whose members win in increasing order. Groups are numbered in
// the order of their first members. Classes are those with documents.
class TermGroups {
 public:
  // Ungrouped, every term is a group of its own. O(n_terms + pairs) time and memory.
  template <CountType Count>
  TermGroups(const ClassCounts<Count>& counts, const Estimation& estimation, bool grouped, const Threads& threads);

  std::int64_t n_terms() const { return n_terms_; }
  int n_classes() const { return static_cast<int>(totals.size()); }
  GroupId n_groups() const { return n_groups_; }
  // The members of group g: members()[begin(g)] < ... < members()[end(g) - 1].
  std::int64_t begin(GroupId g) const { return member_starts_.empty() ? g : member_starts_[static_cast<std::size_t>(g)]; }
  std::int64_t end(GroupId g) const { return begin(g + 1); }
  std::int64_t member(std::int64_t i) const { return members_.empty() ? i : members_[static_cast<std::size_t>(i)]; }

  // masses (n_classes, width): column j is that of groups[j], for j < n <= width; the others are copies of the last.
  void gather(const GroupId* groups, int n, int width, double* masses) const;

  const Smoothing& smoothing() const { return smoothing_; }
  bool has_leftover() const { return smoothing_.leftover.hi > 0; }
  // Whether no mass is rounded: m_ic / n_c is (l_ic + b1) / (l_c + b2).
  bool masses_are_exact() const { return masses_are_exact_; }

  // (n_classes,)
  std::vector<double> totals;          // n_c, whole numbers below 2^53
  std::vector<double> prior;           // pi_c
  std::vector<double> others_inverse;  // 1 / (1 - pi_c)

 private:
  template <CountType Count>
  MassColumns read_columns(const ClassCounts<Count>& counts, const Estimation& estimation, const Threads& threads);
  // Sets the groups' members; returns the first of each.
  std::vector<TermId> group_equal_columns(const MassColumns& columns, const Threads& threads);
  void make_dense();

  Smoothing smoothing_;
  bool masses_are_exact_ = true;
  std::int64_t n_terms_ = 0;
  GroupId n_groups_ = 0;
  std::vector<std::int64_t> member_starts_;  // (n_groups + 1,), or empty: every term is a group
  std::vector<TermId> members_;              // (n_terms,), or empty
  // Column g is that of group g. As dense rows where they take little more memory than the cells; else as cells:
  // thousands of classes share few terms.
  MassColumns columns_;
  std::vector<double> dense_;  // (n_groups, n_classes), or empty
};

}  // namespace termsift

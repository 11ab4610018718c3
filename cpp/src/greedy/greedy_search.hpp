// The state of a search for the greedy order.
#pragma once

#include <stdexcept>
#include <vector>

#include "greedy/gain_evaluator.hpp"
#include "greedy/term_groups.hpp"
#include "termsift/greedy.hpp"

namespace termsift {

// The pairs (A, B) of a pool (see WedgeClass), which determine all gains. Each array is (n_classes,), or (1,) for two
// classes.
struct Axes {
  std::vector<double> A, B;
};

// The pool R holds, for each class, the mass that has not been selected yet.
class Pool {
 public:
  // Makes the pool of all terms.
  explicit Pool(const TermGroups& groups);

  // Removes `copies` members of the group. The new pool is exact, because masses are whole numbers below 2^53.
  // O(n_classes).
  void remove(GroupId group, std::int64_t copies);

  // Returns the axes of the pool that would remain if the masses `removed` (n_classes,) were subtracted from R.
  Axes axes_less(const std::vector<double>& removed) const;
  PoolView view() const { return {classes_.data(), reference_}; }

 private:
  void refresh();

  const TermGroups& groups_;
  std::vector<PoolClass> classes_;
  std::vector<double> mass_;  // scratch (n_classes,)
  int reference_;
};

// Several members of one group that were selected in succession.
struct Win {
  GroupId group;
  std::int64_t copies;
};

// The terms selected so far, in the order of selection, and the pool of all other terms.
class Selection {
 public:
  Selection(const TermGroups& terms, std::int64_t wanted)
      : groups(terms), pool(terms), wanted_(wanted), left_(static_cast<std::size_t>(terms.n_groups())) {
    for (GroupId g = 0; g < terms.n_groups(); ++g)
      left_[static_cast<std::size_t>(g)] = static_cast<TermId>(terms.end(g) - terms.begin(g));
  }

  std::int64_t selected() const { return selected_; }
  std::int64_t wanted() const { return wanted_; }
  bool complete() const { return selected_ == wanted_; }
  std::int64_t left() const { return groups.n_terms() - selected_; }
  // True if the pool consists of two terms. The removal of either term leaves one term, so both gains are equal up to
  // rounding.
  bool is_tie_of_two() const { return left() == 2 && !groups.has_leftover(); }
  std::int64_t copies_left(GroupId g) const { return left_[static_cast<std::size_t>(g)]; }
  // Returns the head of the group: the lowest of its terms that have not been selected.
  std::int64_t head(GroupId g) const { return groups.member(groups.end(g) - copies_left(g)); }
  void select(GroupId g, std::int64_t copies) {
    wins.push_back({g, copies});
    left_[static_cast<std::size_t>(g)] -= static_cast<TermId>(copies);
    selected_ += copies;
    pool.remove(g, copies);
  }

  const TermGroups& groups;
  Pool pool;
  std::vector<Win> wins;

 private:
  std::int64_t wanted_, selected_ = 0;
  std::vector<TermId> left_;  // (n_groups,) for each group, the number of members that have not been selected
};

// The group with the largest gain. Among groups with equal gains, the best group is the one with the lowest head.
struct Best {
  GroupId group = -1;
  double gain = -1;

  void consider(GroupId g, double value, const Selection& selection) {
    if (value > gain || (value == gain && selection.head(g) < selection.head(group))) *this = {g, value};
  }
  // If only two terms are left, chooses the term with the lower index. Throws std::logic_error if all gains were NaN.
  void settle(const Selection& selection) {
    if (group < 0) throw std::logic_error("greedy: all gains are NaN");
    if (!selection.is_tie_of_two() || gain == 0) return;
    for (GroupId g = 0; g < selection.groups.n_groups(); ++g)
      if (selection.copies_left(g) > 0 && selection.head(g) < selection.head(group)) group = g;
  }
};

// Selects terms until the largest gain is 0 or enough terms are selected.
void search_by_ladder(Selection& selection, GainEvaluator& evaluator, Pacer& pacer);

}  // namespace termsift

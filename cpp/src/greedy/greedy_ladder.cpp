// Finds the greedy order from nested shortlists of groups that may win. Most steps evaluate only a few groups.
//
// The gain is phi(p) + phi(R-p) - phi(R), where phi is convex and homogeneous of degree 1. Three facts hold for the gain
// with two classes, and for each class's part of the gain with N classes (gain_kernels.cpp):
//   1. Let R = (A, B) and p = (a, b). If a/b > A/B, the gain falls in A and grows in B; if a/b < A/B, it grows in A and
//      falls in B. Shrinking R along a ray raises every gain. Hence the largest gain of a term in a wedge of pools is at
//      one of two corners.
//   2. By fact 1, gains may grow as terms leave the pool. Lazy evaluation, with old gains as upper bounds, would be wrong
//      here, because it requires a submodular function.
//   3. The gain of a group does not fall when its own copies leave the pool, because the difference of the gains is
//      phi(R) - 2 phi(R-p) + phi(R-2p) >= 0.
//
// The nested shortlists C_0, C_1, ... hold 16, 64, 256, ... groups. Each list has a wedge W of pools, and a number
// `left_out`. For pools in W, `left_out` bounds the gains of the groups that are in the next longer list but not in this
// list. While R is in all wedges, a step evaluates only C_0. The best group of C_0 wins if its gain exceeds every
// `left_out`, because these numbers bound the gains of all other groups. A list is rebuilt if the best gain of C_0 does not
// exceed the list's `left_out`, or if R has left the list's wedge. When a list is rebuilt, so are all shorter lists, each
// from the next longer list. In the worst case, a step rebuilds all lists. A budget therefore limits the cost of the ladder
// to the cost of a plain search.
#include <algorithm>
#include <limits>
#include <span>

#include "greedy/greedy_search.hpp"

namespace termsift {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The constants below were tuned on text, and affect the time but not the resulting order.
constexpr std::size_t smallest_list = 16, list_ratio = 4;
constexpr double used_up = 0.5;           // the share of a list that is expected to be selected before the list is rebuilt
constexpr double most_used = 0.5;         // the largest share of a pool's mass that may be selected within a wedge
constexpr double usual_slack = 0.15;      // the first slack of a list (see Shortlist)
constexpr double most_slack = 0.6, least_slack = 0.01;
constexpr double farther = 1.25;          // the factor of a list's reach or slack if the pool leaves the wedge
constexpr double nearer = 1 / farther;    // the factor of the reach if `left_out` of an older list reaches the best gain
constexpr double much_nearer = 0.4;       // the factor of the reach if `left_out` of a new list reaches the best gain
constexpr double most_reach = 4;          // the upper limit of the reach, so that a few reductions suffice later
constexpr double least_reach = 1e-3;      // the lower limit
constexpr double most_saved = 64;         // the limit of the budget, in scans of all groups
constexpr std::int64_t pause = 16;        // the number of plain steps if the budget is used up
constexpr std::int64_t run_ratio = 4;     // the growth factor of the number of copies that count_wins adds

// An upper bound of the relative rounding errors of axes, of their products and of their ratios.
constexpr double rounding = 1e-13;

struct Wedge {
  std::vector<WedgeClass> classes;

  // Makes the wedge cover all pools between two pools. `slack` (axes,) widens the range of the ratios A/B.
  void cover(const Axes& from, const Axes& to, const std::vector<double>& slack) {
    for (std::size_t i = 0; i < slack.size(); ++i) {
      const double ratio = from.A[i] / from.B[i], ratio_to = to.A[i] / to.B[i];
      WedgeClass& k = classes[i];
      k.B1 = std::min(from.B[i], to.B[i]);
      k.A1 = k.B1 * (std::min(ratio, ratio_to) * (1 - slack[i]));
      k.A2 = std::min(from.A[i], to.A[i]);
      k.B2 = k.A2 / (std::max(ratio, ratio_to) * (1 + slack[i]));
      k.inverse_1 = 1 / k.B1, k.inverse_2 = 1 / k.B2;
    }
  }

  // Returns whether the pool has enough mass for the wedge. The ratios of its masses may be outside.
  bool is_heavy_enough(const Axes& pool) const {
    for (std::size_t i = 0; i < pool.A.size(); ++i)
      if (!(pool.B[i] * (1 - rounding) >= classes[i].B1 && pool.A[i] * (1 - rounding) >= classes[i].A2)) return false;
    return true;
  }

  bool contains(const Axes& pool) const {
    for (std::size_t i = 0; i < pool.A.size(); ++i) {
      const WedgeClass& k = classes[i];
      const double A = pool.A[i], B = pool.B[i];
      if (!(A * k.B1 * (1 - rounding) >= k.A1 * B && A * k.B2 <= k.A2 * B * (1 - rounding))) return false;
    }
    return is_heavy_enough(pool);
  }
};

struct Candidate {
  double bound;
  GroupId group;
};
constexpr auto more = [](const Candidate& a, const Candidate& b) { return a.bound > b.bound; };

struct Shortlist {
  Shortlist(std::size_t size, const Wedge& any_wedge) : capacity(size), wedge(any_wedge) {}

  std::size_t capacity;
  std::vector<Candidate> candidates;  // sorted by decreasing bound
  double left_out = -infinity;
  bool everywhere = true;  // true if no group is left out, so the list is valid for every pool
  Wedge wedge;
  std::int64_t made_at = -1;    // the round that made the list, or -1
  std::int64_t inside_at = -1;  // the latest round whose pool is known to be in the wedge
  // The selected mass that the wedge allows, relative to the mass that is expected to be selected before the list is used
  // up. `reach` falls if `left_out` reaches the best gain, and grows if R leaves the wedge because its mass is too small.
  double reach = 1;
  // How far the ratios A/B may differ from the expected ratios, relative to the selected mass that the wedge allows.
  // `slack` grows if R leaves the wedge by its ratios, and falls if the ratios stay inside until the mass is too small.
  double slack = usual_slack;

  // Adapts the next wedge to a pool that has left the wedge.
  void widen(const Axes& pool) {
    if (wedge.is_heavy_enough(pool)) {
      slack = std::min(most_slack, farther * slack);
    } else {
      reach = std::min(most_reach, farther * reach);
      slack = std::max(least_slack, nearer * slack);
    }
  }
};

class Ladder {
 public:
  Ladder(Selection& selection, GainEvaluator& evaluator)
      : selection_(selection), evaluator_(evaluator),
        margin_(1e-12 + 1e-14 * selection.groups.n_classes()), any_wedge_{selection.groups.wedge_classes()},
        n_live_(selection.groups.n_groups()), nothing_(any_wedge_.classes.size(), 0.0) {
    now_ = selection_.pool.axes_less(nothing_);
    const auto n = static_cast<std::size_t>(n_live_);
    groups_.resize(n);
    values_.resize(n);
    for (GroupId g = 0; g < selection.groups.n_groups(); ++g) all_.push_back({0, g});
    first_ = scan_all();
    std::size_t capacity = smallest_list;
    do {
      lists_.emplace_back(capacity, any_wedge_);
      capacity *= list_ratio;
    } while (2 * capacity < n);
    budget_ = static_cast<double>(n);
  }

  // Returns the winner of the next step.
  Best find_best() {
    if (round_ == 0) return first_;
    if (plain_steps_left_ > 0) {
      --plain_steps_left_;
      return scan_all();
    }
    budget_ = std::min(budget_ + static_cast<double>(n_live_), most_saved * static_cast<double>(n_live_));
    const std::int64_t before = evaluator_.evaluations();
    const auto used = [&] { return static_cast<double>(evaluator_.evaluations() - before); };
    while (used() + cost_of(count_left()) <= budget_) {
      renew_left_lists();
      const Best best = scan(lists_[0].candidates);
      const std::size_t level = lowest_unsure(best.gain * (1 - 2 * margin_));
      if (level == lists_.size()) {
        budget_ -= used();
        return best;
      }
      if (best.gain == 0) break;  // bounds cannot show whether all gains are 0
      Shortlist& list = lists_[level];
      const bool is_new = list.made_at == round_;
      list.reach = std::max(least_reach, list.reach * (is_new ? much_nearer : nearer));
      if (used() + cost_of(level + 1) > budget_) break;
      for (std::size_t l = level + 1; l-- > 0;) make(l);
    }
    budget_ -= used();
    plain_steps_left_ = pause - 1;
    return scan_all();
  }

  // Returns a number of copies of the winner that are certain to win one after the other.
  std::int64_t count_wins(const Best& best) {
    // A tie of the last two terms is broken by index, not by gain.
    const std::int64_t most = std::min({selection_.copies_left(best.group), selection_.wanted() - selection_.selected(),
                                        std::max<std::int64_t>(selection_.left() - 2, 1)});
    const double gain = best.gain * (1 - 3 * margin_);
    if (most < 2 || gain <= 0 || lowest_unsure(gain) < lists_.size()) return 1;
    // The pool may have left the wedges of the lists during earlier steps.
    for (Shortlist& list : lists_)
      if (is_left(list)) return 1;
    // Other groups are rivals if their bounds in C_0's wedge reach the winner's gain. A wedge that covers only the pools of
    // the next wins gives tighter bounds of the rivals.
    std::vector<Candidate> rivals;
    for (const Candidate& c : lists_[0].candidates) {
      if (c.bound < gain) break;
      if (c.group != best.group && selection_.copies_left(c.group) > 0) rivals.push_back(c);
    }
    if (!rivals.empty() && most < run_ratio) return 1;
    std::vector<double> mass(nothing_.size()), removed(nothing_.size());
    selection_.groups.gather(&best.group, 1, 1, mass.data());
    const auto pool_after = [&](std::int64_t copies) {
      for (std::size_t c = 0; c < mass.size(); ++c) removed[c] = static_cast<double>(copies) * mass[c];
      return selection_.pool.axes_less(removed);
    };
    Wedge wedge = any_wedge_;
    const std::vector<double> slack(now_.A.size(), rounding);
    std::int64_t wins = 1;
    for (std::int64_t extra = run_ratio; wins < most; extra *= run_ratio) {
      const std::int64_t wanted = std::min(most, wins + extra);
      const Axes end = pool_after(wanted - 1);  // the pool from which the last copy is selected
      for (const Shortlist& list : lists_)
        if (!list.everywhere && !list.wedge.contains(end)) return wins;
      if (!rivals.empty()) {
        wedge.cover(pool_after(wins - 1), end, slack);
        const std::int64_t before = evaluator_.evaluations();
        evaluate_bounds(rivals, wedge);
        budget_ -= static_cast<double>(evaluator_.evaluations() - before);
        for (std::size_t i = 0; i < rivals.size(); ++i)
          if (values_[i] >= gain) return wins;
      }
      wins = wanted;
    }
    return wins;
  }

  void select(GroupId group, std::int64_t copies) {
    selection_.select(group, copies);
    if (selection_.copies_left(group) == 0) --n_live_;
    ++round_;
    now_ = selection_.pool.axes_less(nothing_);
  }

 private:
  Best scan_all() {
    drop_selected(all_);
    if (evaluator_.has_sparse_bounds()) {
      Wedge here = any_wedge_;
      here.cover(now_, now_, std::vector<double>(now_.A.size(), rounding));
      evaluate_bounds(all_, here);
      for (std::size_t i = 0; i < all_.size(); ++i) all_[i].bound = values_[i];
      std::sort(all_.begin(), all_.end(), more);
      return scan(all_);
    }
    for (std::size_t i = 0; i < all_.size(); ++i) groups_[i] = all_[i].group;
    evaluator_.gains(groups_.data(), std::ssize(all_), selection_.pool.view(), values_.data());
    Best best;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      all_[i].bound = values_[i];
      best.consider(groups_[i], values_[i], selection_);
    }
    return best;
  }

  // Returns the best of the candidates, which must be sorted by decreasing bound. Evaluates the candidates in batches of
  // growing size until no remaining bound reaches the best gain. Each batch is at most twice as large as the previous one.
  Best scan(const std::vector<Candidate>& candidates) {
    Best best;
    std::size_t most = evaluator_.least_batch();
    for (auto c = candidates.begin(); c != candidates.end(); most = std::min(2 * most, std::size_t{1} << 12)) {
      std::size_t n = 0;
      for (; c != candidates.end() && n < most; ++c) {
        if (c->bound < best.gain * (1 - 2 * margin_)) {
          c = candidates.end();
          break;
        }
        if (selection_.copies_left(c->group) > 0) groups_[n++] = c->group;
      }
      if (n == 0) break;
      evaluator_.gains(groups_.data(), static_cast<std::int64_t>(n), selection_.pool.view(), values_.data());
      for (std::size_t j = 0; j < n; ++j) best.consider(groups_[j], values_[j], selection_);
    }
    return best;
  }

  // Returns the level of the shortest list that may have left out a group with the given gain, or else lists_.size().
  std::size_t lowest_unsure(double gain) const {
    std::size_t level = 0;
    while (level < lists_.size() && lists_[level].left_out < gain) ++level;
    return level;
  }

  // Returns true if the pool has left the list's wedge, or if the list has not been made yet.
  bool is_left(Shortlist& list) {
    if (list.made_at < 0) return true;
    if (list.everywhere || list.made_at == round_ || list.inside_at == round_) return false;
    if (!list.wedge.contains(now_)) return true;
    list.inside_at = round_;  // A step asks several times, and many classes take long to compare.
    return false;
  }

  // Returns n such that lists_[n - 1] is the longest list for which is_left() is true, or 0 if there is no such list.
  std::size_t count_left() {
    std::size_t n = lists_.size();
    while (n > 0 && !is_left(lists_[n - 1])) --n;
    return n;
  }

  void renew_left_lists() {
    for (std::size_t l = count_left(); l-- > 0;) {
      if (is_left(lists_[l]) && lists_[l].made_at >= 0) lists_[l].widen(now_);
      make(l);
    }
  }

  // Returns an upper bound of the number of evaluations needed to make the n_lists shortest lists and to scan C_0.
  double cost_of(std::size_t n_lists) const {
    const auto live = static_cast<double>(n_live_);
    double evaluations = std::min(static_cast<double>(smallest_list), live);
    for (std::size_t l = 1; l <= n_lists; ++l)
      evaluations += l < lists_.size() ? std::min(static_cast<double>(lists_[l].capacity), live) : live;
    return evaluations;
  }

  void make(std::size_t level) {
    Shortlist& list = lists_[level];
    std::vector<Candidate>& source = level + 1 < lists_.size() ? lists_[level + 1].candidates : all_;
    if (&source == &all_ && list.made_at < 0) std::sort(all_.begin(), all_.end(), more);
    drop_selected(source);
    list.made_at = round_;
    list.left_out = -infinity;
    list.everywhere = source.size() <= list.capacity;
    if (list.everywhere) {
      list.candidates = source;
      for (Candidate& c : list.candidates) c.bound = infinity;
      return;
    }
    set_wedge(list, source);
    fill(list, source);
  }

  // Moves the candidates with the largest bounds from the source to the list. A shorter list serves only while R is also in
  // the wedge of its source. The source's bounds, in decreasing order, are therefore valid too, and candidates at the end of
  // the source need no evaluation if their bounds are below those in the list. Bounds of all_ are those of an older step.
  void fill(Shortlist& list, const std::vector<Candidate>& source) {
    const bool has_bounds = &source != &all_;
    // Bounds that are computed from pairs are cheap only for many groups.
    const std::size_t portion = has_bounds && !evaluator_.has_sparse_bounds() ? std::max(list.capacity / 4, smallest_list)
                                                                              : source.size();
    const auto capacity = static_cast<std::ptrdiff_t>(list.capacity);
    std::vector<Candidate>& chosen = list.candidates;
    chosen.clear();
    for (std::size_t i = 0; i < source.size();) {
      if (i > list.capacity && source[i].bound < chosen.back().bound) {
        list.left_out = std::max(list.left_out, source[i].bound);
        break;
      }
      const std::size_t n = std::min(portion, source.size() - i);
      evaluate_bounds({source.data() + i, n}, list.wedge);
      for (std::size_t j = 0; j < n; ++j, ++i)
        chosen.push_back({has_bounds ? std::min(source[i].bound, values_[j]) : values_[j], source[i].group});
      if (i <= list.capacity) continue;
      std::nth_element(chosen.begin(), chosen.begin() + capacity - 1, chosen.end(), more);
      for (auto c = chosen.begin() + capacity; c != chosen.end(); ++c) list.left_out = std::max(list.left_out, c->bound);
      chosen.erase(chosen.begin() + capacity, chosen.end());
    }
    std::sort(chosen.begin(), chosen.end(), more);
  }

  void set_wedge(Shortlist& list, const std::vector<Candidate>& source) {
    const std::size_t n = std::min(source.size(), static_cast<std::size_t>(used_up * static_cast<double>(list.capacity)));
    for (std::size_t i = 0; i < n; ++i) {
      groups_[i] = source[i].group;
      values_[i] = static_cast<double>(selection_.copies_left(source[i].group));
    }
    const std::vector<double> removed = selection_.groups.sum({groups_.data(), n}, {values_.data(), n});
    const Axes after = selection_.pool.axes_less(removed);
    Axes end = now_;
    std::vector<double> slack(now_.A.size());
    for (std::size_t i = 0; i < slack.size(); ++i) {
      const double used_A = std::min(most_used, list.reach * (1 - after.A[i] / now_.A[i]));
      const double used_B = std::min(most_used, list.reach * (1 - after.B[i] / now_.B[i]));
      end.A[i] *= 1 - used_A - 10 * rounding;
      end.B[i] *= 1 - used_B - 10 * rounding;
      slack[i] = list.slack * (used_A + used_B) + 100 * rounding;
    }
    list.wedge.cover(now_, end, slack);
  }

  void drop_selected(std::vector<Candidate>& candidates) const {
    std::erase_if(candidates, [&](const Candidate& c) { return selection_.copies_left(c.group) == 0; });
  }

  // Writes upper bounds of the candidates' gains in the wedge to values_.
  void evaluate_bounds(std::span<const Candidate> candidates, const Wedge& wedge) {
    const std::size_t n = candidates.size();
    for (std::size_t i = 0; i < n; ++i) groups_[i] = candidates[i].group;
    evaluator_.bounds(groups_.data(), static_cast<std::int64_t>(n), wedge.classes.data(), values_.data());
    for (std::size_t i = 0; i < n; ++i) values_[i] *= 1 + margin_;
  }

  Selection& selection_;
  GainEvaluator& evaluator_;
  const double margin_;  // the relative margin by which bounds are raised; rounding errors are far smaller
  const Wedge any_wedge_;  // a wedge whose corners have not been set
  std::vector<Shortlist> lists_;
  // All groups. Once the longest list has been made, the groups are sorted by decreasing gains or bounds of an earlier step.
  std::vector<Candidate> all_;
  std::int64_t n_live_;         // the number of groups that have unselected members
  std::int64_t round_ = 0;      // the number of calls of select
  Best first_;                  // the winner of the first step
  Axes now_;
  std::vector<double> nothing_;  // (n_classes,) zeros
  std::vector<GroupId> groups_;  // scratch, like values_
  std::vector<double> values_;
  // The number of evaluations that the ladder may still use. The budget starts with one scan of all groups. Every step
  // of the ladder adds one more scan, which is the cost of a plain step. If the budget is used up, plain steps follow.
  double budget_;
  std::int64_t plain_steps_left_ = 0;
};

}  // namespace

void search_by_ladder(Selection& selection, GainEvaluator& evaluator, Pacer& pacer) {
  if (selection.complete()) return;
  Ladder ladder(selection, evaluator);
  while (!selection.complete()) {
    pacer.tick(selection.selected());
    Best best = ladder.find_best();
    best.settle(selection);
    if (best.gain == 0) return;
    ladder.select(best.group, ladder.count_wins(best));
  }
}

}  // namespace termsift

#include "termsift/greedy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "greedy/gain_kernels.hpp"
#include "greedy/greedy_search.hpp"
#include "ranking/pairs_by_term.hpp"
#include "scoring/class_model.hpp"
#include "simd/targets.hpp"
#include "termsift/double_double.hpp"

namespace termsift {

// ---- the pool ----------------------------------------------------------------------------------------------------------

Pool::Pool(const TermGroups& groups)
    : groups_(groups), classes_(groups.totals.size()), mass_(groups.totals.size()),
      // The reference is the class with the largest prior, as in ClassModel. Subtracting the shares in the reference class
      // from other shares loses no digits.
      reference_(static_cast<int>(std::max_element(groups.prior.begin(), groups.prior.end()) - groups.prior.begin())) {
  for (std::size_t c = 0; c < classes_.size(); ++c) classes_[c].rest = groups.totals[c];
  refresh();
}

void Pool::remove(GroupId group, std::int64_t copies) {
  groups_.gather(&group, 1, 1, mass_.data());
  for (std::size_t c = 0; c < classes_.size(); ++c) classes_[c].rest -= static_cast<double>(copies) * mass_[c];
  refresh();
}

Axes Pool::axes_less(const std::vector<double>& removed) const {
  if (classes_.size() == 2) return {{classes_[0].rest - removed[0]}, {classes_[1].rest - removed[1]}};
  const std::size_t n = removed.size();
  Axes axes{std::vector<double>(n), std::vector<double>(n)};
  double before = 0, after = 0;
  for (std::size_t c = 0; c < n; ++c) {
    axes.A[c] = (classes_[c].rest - removed[c]) / groups_.totals[c];
    axes.B[c] = before;
    before += groups_.prior[c] * axes.A[c];
  }
  for (std::size_t c = n; c-- > 0;) {
    axes.B[c] = (axes.B[c] + after) * groups_.others_inverse[c];
    after += groups_.prior[c] * axes.A[c];
  }
  return axes;
}

void Pool::refresh() {
  if (classes_.size() == 2) {
    classes_[0].weight = 1 / (groups_.totals[0] * classes_[1].rest);
    classes_[1].weight = 1 / (groups_.totals[1] * classes_[0].rest);
    return;
  }
  double before = 0, after = 0;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    PoolClass& k = classes_[c];
    k.weight = k.rest / groups_.totals[c];
    k.inverse = 1 / k.rest;
    k.share = groups_.prior[c] * k.weight;
    k.others_inverse = before;
    before += k.share;
  }
  for (std::size_t c = classes_.size(); c-- > 0;) {
    PoolClass& k = classes_[c];
    k.others_inverse = 1 / (k.others_inverse + after);
    after += k.share;
  }
}

// ---- the order ---------------------------------------------------------------------------------------------------------

namespace {

// Runs Algorithm 1 of the paper without shortcuts, but over groups of terms. Every step evaluates all remaining groups.
void search_plainly(Selection& selection, GainEvaluator& evaluator, Pacer& pacer) {
  std::vector<GroupId> live(static_cast<std::size_t>(selection.groups.n_groups()));
  std::iota(live.begin(), live.end(), 0);
  std::vector<double> gains(live.size());
  while (!selection.complete()) {
    pacer.tick_now(selection.selected());
    evaluator.gains(live.data(), std::ssize(live), selection.pool.view(), gains.data());
    Best best;
    for (std::size_t i = 0; i < live.size(); ++i) best.consider(live[i], gains[i], selection);
    best.settle(selection);
    if (best.gain == 0) return;
    selection.select(best.group, 1);
    if (selection.copies_left(best.group) > 0) continue;
    *std::find(live.begin(), live.end(), best.group) = live.back();
    live.pop_back();
  }
}

// Writes the selected terms in the order of selection. If more terms are wanted, the remaining terms follow by increasing
// index.
void list_terms(const Selection& selection, std::int64_t* indices) {
  const TermGroups& groups = selection.groups;
  std::vector<std::int64_t> next(static_cast<std::size_t>(groups.n_groups()));
  for (GroupId g = 0; g < groups.n_groups(); ++g) next[static_cast<std::size_t>(g)] = groups.begin(g);
  std::int64_t step = 0;
  for (const Win& win : selection.wins)
    for (std::int64_t i = 0; i < win.copies; ++i)
      indices[step++] = groups.member(next[static_cast<std::size_t>(win.group)]++);
  if (step == selection.wanted()) return;
  std::vector<bool> selected(static_cast<std::size_t>(groups.n_terms()), false);
  for (std::int64_t i = 0; i < step; ++i) selected[static_cast<std::size_t>(indices[i])] = true;
  for (std::int64_t term = 0; step < selection.wanted(); ++term)
    if (!selected[static_cast<std::size_t>(term)]) indices[step++] = term;
}

// ---- the divergences ---------------------------------------------------------------------------------------------------

struct DoubleDoubles {
  std::vector<double> hi, lo;

  void set(std::size_t i, DoubleDouble x) { hi[i] = x.hi, lo[i] = x.lo; }
  void resize(std::size_t n) { hi.resize(n), lo.resize(n); }
};

// Writes divergences (n,). Element k is the divergence of the partition into the single terms terms[0], ..., terms[k] and
// the pool of all other terms. The divergence is the sum of sum_c t(p_c, q_c) >= 0 over the cells (simd/logarithms.hpp). No
// digits cancel in this sum, so even a small difference between two pools is accurate. The divergences never decrease.
// Terms must be distinct. Memory is O(number of pairs).
template <CountType Count>
void unrounded_divergences(const ClassCounts<Count>& counts, const Estimation& estimation, const Smoothing& smoothing,
                           const std::int64_t* terms, std::int64_t n, double* divergences, Pacer& pacer) {
  ClassModel model = make_class_model(counts, estimation);
  const std::size_t n_classes = model.classes.size();

  std::vector<TermId> place(static_cast<std::size_t>(counts.n_terms), -1);
  for (std::int64_t i = 0; i < n; ++i) place[static_cast<std::size_t>(terms[i])] = static_cast<TermId>(i);
  const PairsByTerm<Count> pairs =
      arrange_pairs_by_term(counts, model.classes, n, Threads{1, {}}, [&](TermId term) { return place[at(term)]; });

  // The numerators x = l + b1 and the totals n_c are scaled by powers of two, so that no product overflows or underflows.
  const DoubleDouble b2 =
      add(multiply(smoothing.b1, {static_cast<double>(counts.n_terms), 0}), smoothing.leftover);
  std::vector<double> scales;
  std::vector<DoubleDouble> rest, inverse_total;
  for (std::size_t c = 0; c < n_classes; ++c) {
    const ClassRow<Count>& row = *counts.rows[static_cast<std::size_t>(model.classes[c])];
    DoubleDouble total = add(add(exact_double(row.n_tokens), exact_double(row.n_tokens_rest)), b2);
    scales.push_back(std::ldexp(1.0, -std::ilogb(total.hi)));
    total = scale(total, scales.back());
    rest.push_back(total);
    inverse_total.push_back(divide({1, 0}, total));
    // With two classes, each class is the complement of the other, regardless of the priors.
    ClassConstants& k = model.constants[c];
    if (n_classes == 2) k.prior = {0.5, 0}, k.rest_inverse = {2, 0};
  }
  const auto kernel = kernels_in_use<GainKernels>().cells;

  const std::int64_t block = n_classes <= 4 ? longest_gain_block : 16;
  DoubleDoubles p, pools, before;
  std::vector<double> values(static_cast<std::size_t>(block)), pool_values(static_cast<std::size_t>(block));
  for (DoubleDoubles* array : {&p, &pools, &before}) array->resize(n_classes * static_cast<std::size_t>(block));
  DoubleDouble sum;  // the sum over the cells of the terms so far
  double divergence = 0;
  for (std::int64_t begin = 0; begin < n; begin += block) {
    const auto width = static_cast<std::size_t>(std::min(block, n - begin));
    for (std::size_t j = 0; j < width; ++j) {
      const std::size_t step = static_cast<std::size_t>(begin) + j;
      const auto pairs_of_term = pairs[static_cast<std::int64_t>(step)];
      auto pair = pairs_of_term.begin();
      const bool is_last = static_cast<std::int64_t>(step) + 1 == counts.n_terms && smoothing.leftover.hi == 0;
      for (std::size_t c = 0; c < n_classes; ++c) {
        DoubleDouble x = smoothing.b1;
        if (pair != pairs_of_term.end() && at(pair->k) == c) x = add(x, exact_double((pair++)->l));
        x = scale(x, scales[c]);
        DoubleDouble left = subtract(rest[c], x);
        if (is_last || left.hi < 0) left = {};  // `left` is only a rounding error
        rest[c] = left;
        p.set(c * width + j, multiply(x, inverse_total[c]));
        pools.set(c * width + j, multiply(left, inverse_total[c]));
      }
    }
    const auto cells_of = [&](const DoubleDoubles& of, double remainder_of, double* out) {
      kernel({static_cast<int>(width), static_cast<int>(n_classes), model.constants.data(), remainder_of, of.hi.data(),
              of.lo.data(), before.hi.data(), before.lo.data(), out});
    };
    cells_of(p, 0, values.data());
    cells_of(pools, 1, pool_values.data());
    for (std::size_t j = 0; j < width; ++j) {
      sum = add(sum, {values[j], 0});
      divergence = std::max(divergence, add(sum, {pool_values[j], 0}).hi);
      divergences[static_cast<std::size_t>(begin) + j] = divergence;
    }
    pacer.tick(begin);
  }
}

}  // namespace

template <CountType Count>
GreedyRanking greedy(const ClassCounts<Count>& counts, const Estimation& estimation, std::int64_t k, bool exhaustive,
                     const Threads& threads, const Progress& progress) {
  GreedyRanking ranking{LargeArray<std::int64_t>::uninitialised(k), LargeArray<double>::uninitialised(k)};
  if (counts.n_terms == 0) return ranking;
  const TermGroups groups(counts, estimation, !exhaustive, threads);
  GainEvaluator evaluator(groups, threads);
  Pacer pacer(threads, progress);
  Selection selection(groups, k);
  if (exhaustive) search_plainly(selection, evaluator, pacer);
  else search_by_ladder(selection, evaluator, pacer);
  ranking.informative = selection.selected();
  ranking.evaluations = evaluator.evaluations();
  list_terms(selection, ranking.indices.get());
  double* const divergences = ranking.divergences.get();
  const std::int64_t n = ranking.informative;
  unrounded_divergences(counts, estimation, groups.smoothing(), ranking.indices.get(), n, divergences, pacer);
  std::fill(divergences + n, divergences + k, n > 0 ? divergences[n - 1] : 0);
  return ranking;
}

template GreedyRanking greedy(const ClassCounts<std::int64_t>&, const Estimation&, std::int64_t, bool, const Threads&,
                              const Progress&);
template GreedyRanking greedy(const ClassCounts<double>&, const Estimation&, std::int64_t, bool, const Threads&,
                              const Progress&);

}  // namespace termsift

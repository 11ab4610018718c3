#include "termsift/greedy.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "greedy/greedy_search.hpp"
#include "termsift/double_double.hpp"

namespace termsift {
namespace {

// Algorithm 1 as written, over groups: every step evaluates all remaining groups.
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

// Adds up the gains of the selected steps. A block of steps is evaluated at once, each step with its own pool.
void accumulate_gains(const Selection& selection, GainEvaluator& evaluator, Pacer& pacer, double* divergences) {
  const TermGroups& groups = selection.groups;
  const auto block = static_cast<std::size_t>(evaluator.block());
  const auto n_fields = static_cast<std::size_t>(Pool::n_fields * groups.n_classes());
  Pool pool(groups);
  std::vector<GroupId> winners(block, 0);
  std::vector<double> pools(n_fields * block), gains(block);
  for (std::size_t f = 0; f < n_fields; ++f) std::fill_n(&pools[f * block], block, pool.fields()[f]);
  std::size_t n = 0;
  DoubleDouble divergence;
  double* next = divergences;
  const auto flush = [&] {
    evaluator.gains_along_path(winners.data(), pool.view_of(pools.data(), evaluator.block()), gains.data());
    for (std::size_t j = 0; j < n; ++j) {
      divergence = add(divergence, {gains[j], 0});
      *next++ = divergence.hi;
    }
    n = 0;
    pacer.tick(selection.selected());
  };
  for (const Win& win : selection.wins)
    for (std::int64_t i = 0; i < win.copies; ++i) {
      winners[n] = win.group;
      for (std::size_t f = 0; f < n_fields; ++f) pools[f * block + n] = pool.fields()[f];
      pool.remove(win.group, 1);
      if (++n == block) flush();
    }
  flush();  // lanes beyond the last step hold earlier steps
  std::fill(next, divergences + selection.wanted(), divergence.hi);
}

// Writes the selected terms, then the others by index.
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

}  // namespace

template <CountType Count>
GreedyRanking greedy(const ClassCounts<Count>& counts, const Estimation& estimation, std::int64_t k, bool exhaustive,
                     const Threads& threads, const Progress& progress) {
  if (k < 0 || k > counts.n_terms)
    throw std::invalid_argument("k must be in [0, number of terms = " + std::to_string(counts.n_terms) + "], got " +
                                std::to_string(k));
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
  if (groups.masses_are_exact()) {
    accumulate_gains(selection, evaluator, pacer, divergences);
  } else {
    const std::int64_t n = ranking.informative;
    unrounded_divergences(counts, estimation, groups.smoothing(), ranking.indices.get(), n, divergences,
                          [&](std::int64_t done) { pacer.tick(done); });
    std::fill(divergences + n, divergences + k, n > 0 ? divergences[n - 1] : 0);
  }
  return ranking;
}

template <CountType Count>
double divergence(const ClassCounts<Count>& counts, const Estimation& estimation, std::span<const std::int64_t> terms) {
  std::vector<bool> selected(static_cast<std::size_t>(counts.n_terms), false);
  for (const std::int64_t term : terms) {
    if (term < 0 || term >= counts.n_terms)
      throw std::invalid_argument("indices must be in [0, number of terms = " + std::to_string(counts.n_terms) + "), got " +
                                  std::to_string(term));
    if (selected[static_cast<std::size_t>(term)])
      throw std::invalid_argument("indices must be distinct, got " + std::to_string(term) + " twice");
    selected[static_cast<std::size_t>(term)] = true;
  }
  if (counts.n_terms == 0) return 0;
  const Threads threads{1, {}};
  const TermGroups groups(counts, estimation, false, threads);
  if (!groups.masses_are_exact()) {
    std::vector<double> values(terms.size() + 1, 0.0);
    unrounded_divergences(counts, estimation, groups.smoothing(), terms.data(), std::ssize(terms), values.data() + 1,
                          [](std::int64_t) {});
    return values.back();
  }
  GainEvaluator evaluator(groups, threads);
  const Pool whole(groups);
  Pool pool(groups);
  const std::vector<GroupId> cells(terms.begin(), terms.end());
  std::vector<double> values(cells.size());
  evaluator.cells(cells.data(), std::ssize(cells), whole.view(), values.data());
  for (const GroupId cell : cells) pool.remove(cell, 1);
  DoubleDouble sum{pool.rest()[0] > 0 ? evaluator.cell(pool.rest(), whole.view()) : 0, 0};
  for (const double value : values) sum = add(sum, {value, 0});
  return sum.hi;
}

template GreedyRanking greedy(const ClassCounts<std::int64_t>&, const Estimation&, std::int64_t, bool, const Threads&,
                              const Progress&);
template GreedyRanking greedy(const ClassCounts<double>&, const Estimation&, std::int64_t, bool, const Threads&,
                              const Progress&);
template double divergence(const ClassCounts<std::int64_t>&, const Estimation&, std::span<const std::int64_t>);
template double divergence(const ClassCounts<double>&, const Estimation&, std::span<const std::int64_t>);

}  // namespace termsift

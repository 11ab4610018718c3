#include "termsift/greedy.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "greedy/greedy_search.hpp"

namespace termsift {
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
  const std::int64_t n = ranking.informative;
  unrounded_divergences(counts, estimation, groups.smoothing(), ranking.indices.get(), n, divergences,
                        [&](std::int64_t done) { pacer.tick(done); });
  std::fill(divergences + n, divergences + k, n > 0 ? divergences[n - 1] : 0);
  return ranking;
}

template GreedyRanking greedy(const ClassCounts<std::int64_t>&, const Estimation&, std::int64_t, bool, const Threads&,
                              const Progress&);
template GreedyRanking greedy(const ClassCounts<double>&, const Estimation&, std::int64_t, bool, const Threads&,
                              const Progress&);

}  // namespace termsift

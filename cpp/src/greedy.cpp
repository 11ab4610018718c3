#include "termsift/greedy.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "greedy_search.hpp"
#include "termsift/double_double.hpp"

namespace termsift {
namespace {

// The gains of the steps of the runs, added up, in blocks of steps with a pool for each.
void accumulate_gains(const Selection& selection, GainEvaluator& evaluator, Pacer& pacer, double* divergences) {
  const TermGroups& groups = selection.groups;
  const int n_fields = Pool::n_fields * groups.n_classes();
  Pool pool(groups);
  std::vector<GroupId> block;
  std::vector<std::vector<double>> pools;
  std::vector<double> fields(static_cast<std::size_t>(n_fields * longest_gain_block)), gains(longest_gain_block);
  DoubleDouble divergence;
  std::int64_t step = 0;
  const auto flush = [&] {
    const int n = static_cast<int>(block.size()), width = GainEvaluator::block_width(n);
    for (int f = 0; f < n_fields; ++f)
      for (int j = 0; j < width; ++j)
        fields[static_cast<std::size_t>(f * width + j)] =
            pools[static_cast<std::size_t>(std::min(j, n - 1))][static_cast<std::size_t>(f)];
    evaluator.gains_along_path(block.data(), n, pool.view_of(fields.data(), width), gains.data());
    for (int j = 0; j < n; ++j) {
      divergence = add(divergence, {gains[static_cast<std::size_t>(j)], 0});
      divergences[step++] = divergence.hi;
    }
    block.clear();
    pools.clear();
    pacer.tick(selection.selected());
  };
  for (const Run& run : selection.runs)
    for (std::int64_t i = 0; i < run.copies; ++i) {
      block.push_back(run.group);
      pools.emplace_back(pool.fields(), pool.fields() + n_fields);
      pool.remove(run.group, 1);
      if (std::ssize(block) == evaluator.block()) flush();
    }
  if (!block.empty()) flush();
  std::fill(divergences + step, divergences + selection.wanted(), divergence.hi);
}

// The terms of the runs, then the others by index.
void list_terms(const Selection& selection, std::int64_t* indices) {
  const TermGroups& groups = selection.groups;
  std::vector<std::int64_t> next(static_cast<std::size_t>(groups.n_groups()));
  for (GroupId g = 0; g < groups.n_groups(); ++g) next[static_cast<std::size_t>(g)] = groups.begin(g);
  std::int64_t step = 0;
  for (const Run& run : selection.runs)
    for (std::int64_t i = 0; i < run.copies; ++i)
      indices[step++] = groups.member(next[static_cast<std::size_t>(run.group)]++);
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
  accumulate_gains(selection, evaluator, pacer, ranking.divergences.get());
  list_terms(selection, ranking.indices.get());
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

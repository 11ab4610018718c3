// Scores single pairs of a class and a term.
#include <algorithm>
#include <utility>
#include <vector>

#include "scoring/mixtures.hpp"
#include "termsift/scores.hpp"

namespace termsift {
namespace {

// Indices of (class, term) pairs, for each row of the counts.
using PairsOfRows = std::vector<std::vector<std::int64_t>>;

// Scores the given pairs in O(all pairs of the counts). Returns the pairs whose results are unreliable.
template <CountType Count>
PairsOfRows score_from_mixtures(const ScoreTask<Count>& task, double b1, const Threads& requested, const Pairs& pairs,
                                double* scores, std::int8_t* directions) {
  const PairModel model = make_pair_model(task.model, b1, task.measure, Aggregate::sum);
  std::int64_t n_pairs = 0;
  for (std::size_t k = 0; k < task.n_classes(); ++k) n_pairs += task.row(k).size;
  const Threads threads = worth(requested, n_pairs + pairs.starts[task.counts.rows.size()]);
  const Mixtures sums = sum_mixtures(task, model, threads);
  PairsOfRows doubtful(task.counts.rows.size());
  PerThread<ValueBlock> blocks(threads);
  for_each_block(static_cast<std::int64_t>(task.n_classes()), threads, [&](std::int64_t class_, Worker& worker) {
    ValueBlock& block = blocks.own(worker);
    const auto k = static_cast<std::size_t>(class_);
    const std::int64_t c = task.model.classes[k];
    const ClassRow<Count>& row = task.row(k);
    std::int64_t i = 0;
    for (std::int64_t begin = pairs.starts[c]; begin < pairs.starts[c + 1]; begin += block.n) {
      worker.check();
      block.n = 0;
      for (std::int64_t p = begin; p < std::min(begin + block_terms, pairs.starts[c + 1]); ++p) {
        while (i < row.size && row.terms[i] < pairs.terms[p]) ++i;
        const bool has_term = i < row.size && row.terms[i] == pairs.terms[p];
        block.add(has_term ? static_cast<double>(row.term_frequency[i]) : 0.0, sums, pairs.terms[p]);
      }
      block.evaluate(model, k, task.measure);
      std::copy_n(block.values, block.n, scores + begin);
      for (int j = 0; j < block.n; ++j)
        if (block.doubtful[j] != 0) doubtful[static_cast<std::size_t>(c)].push_back(begin + j);
      block.evaluate(model, k, Measure::direction);
      for (int j = 0; j < block.n; ++j) directions[begin + j] = static_cast<std::int8_t>(block.values[j]);
    }
  });
  return doubtful;
}

// Sets the results of the given pairs to those of class_results(). O(n_classes * terms of the pairs).
template <CountType Count, class Result>
void pick_pairs(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, const Threads& threads,
                const Pairs& pairs, Result* results) {
  constexpr std::int64_t block_values = 1 << 22;
  const auto n_rows = counts.rows.size();
  std::vector<std::int64_t> place(static_cast<std::size_t>(counts.n_terms)), terms;
  for (std::int64_t p = 0; p < pairs.starts[n_rows]; ++p) place[static_cast<std::size_t>(pairs.terms[p])] = 1;
  for (std::size_t t = 0; t < place.size(); ++t)
    if (std::exchange(place[t], std::ssize(terms)) != 0) terms.push_back(static_cast<std::int64_t>(t));
  const ClassCounts<Count> part = of_terms(counts, terms, threads);
  const auto n_classes = static_cast<std::int64_t>(n_rows);
  const std::int64_t width = std::max<std::int64_t>(1, block_values / std::max<std::int64_t>(n_classes, 1));
  std::vector<Result> block(n_rows * static_cast<std::size_t>(std::min(width, part.n_terms)));
  std::vector<std::int64_t> next(pairs.starts, pairs.starts + n_rows);  // the next pair of each class
  for (std::int64_t first = 0; first < part.n_terms; first += width) {
    const TermRange range{first, std::min(first + width, part.n_terms)};
    class_results(part, estimation, measure, threads, block.data(), range);
    for_each_block(n_classes, worth(threads, n_classes * range.size()), [&](std::int64_t c, Worker&) {
      for (std::int64_t& p = next[static_cast<std::size_t>(c)]; p < pairs.starts[c + 1]; ++p) {
        const std::int64_t t = place[static_cast<std::size_t>(pairs.terms[p])];
        if (t >= range.last) break;
        results[p] = block[static_cast<std::size_t>(c * range.size() + t - first)];
      }
    });
  }
}

template <CountType Count>
void score_from_all_classes(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure,
                            const Threads& threads, const Pairs& pairs, double* scores, std::int8_t* directions) {
  pick_pairs(counts, estimation, measure, threads, pairs, scores);
  pick_pairs(counts, estimation, measure, threads, pairs, directions);
}

}  // namespace

template <CountType Count>
void score_pairs(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, const Threads& threads,
                 const Pairs& pairs, double* scores, std::int8_t* directions) {
  const ClassModel model = make_class_model(counts, estimation);
  if (!fits_pair_values(counts, estimation))
    return score_from_all_classes(counts, estimation, measure, threads, pairs, scores, directions);
  const std::int64_t n_pairs = pairs.starts[counts.rows.size()];
  std::fill_n(scores, n_pairs, 0.0);
  std::fill_n(directions, n_pairs, std::int8_t{0});
  const ScoreTask<Count> task{counts, model, measure};
  const PairsOfRows doubtful = score_from_mixtures(task, estimation.b1, threads, pairs, scores, directions);

  std::vector<std::int64_t> starts{0}, places;
  std::vector<TermId> terms;
  for (const auto& of_class : doubtful) {
    for (const std::int64_t p : of_class) places.push_back(p), terms.push_back(pairs.terms[p]);
    starts.push_back(std::ssize(places));
  }
  if (places.empty()) return;
  std::vector<double> new_scores(places.size());
  std::vector<std::int8_t> new_directions(places.size());
  score_from_all_classes(counts, estimation, measure, threads, {starts.data(), terms.data()}, new_scores.data(),
                         new_directions.data());
  for (std::size_t i = 0; i < places.size(); ++i)
    scores[places[i]] = new_scores[i], directions[places[i]] = new_directions[i];
}

#define TERMSIFT_INSTANTIATE(Count)                                                                                         \
  template void score_pairs(const ClassCounts<Count>&, const Estimation&, Measure, const Threads&, const Pairs&, double*, \
                            std::int8_t*);
TERMSIFT_INSTANTIATE(std::int64_t)
TERMSIFT_INSTANTIATE(double)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift

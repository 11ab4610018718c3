#include "termsift/scores.hpp"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include "scoring/block_scores.hpp"
#include "scoring/score_ways.hpp"

namespace termsift {
namespace {

// The number of terms in a thread's chunk.
constexpr std::int64_t chunk_terms = 16 * block_terms;
constexpr std::int64_t lookup_chunk_terms = 1 << 14;  // 128 KiB of scores
constexpr std::size_t rows_per_check = 1024;  // the first write to a page of a new array may take a millisecond

// The memory that one thread reuses for all its chunks of terms.
template <CountType Count>
struct Workspace {
  Workspace(const ScoreTask<Count>& task, std::int64_t n) : entries(task.n_classes()), chosen(at(n)), scorer(task) {}
  ChunkEntries entries;
  std::vector<unsigned char> chosen;
  std::vector<std::uint16_t> numbers;  // for each term, the number of its pattern of counts
  BlockScorer<Count> scorer;
};

// Computes results (rows, terms of the range), row-major, from the counts of the terms in all classes. `results` has one row
// of scores, or one row of values for each class of the counts. O(n_classes * occurring terms).
template <CountType Count, class Result>
void run_dense(const ScoreTask<Count>& task, TermRange range, const Threads& requested, Result* results) {
  const std::int64_t n_terms = range.size();
  const std::size_t n_classes = task.n_classes();
  const auto stride = static_cast<std::size_t>(terms_in_block(n_classes));
  const auto row_of = [&](std::size_t k) { return results + (task.aggregate ? 0 : task.model.classes[k] * n_terms); };
  const auto store = [&](const std::int64_t* terms, int n, const double* of_block, Worker& worker) {
    for (std::size_t k = 0; k < task.n_results(); ++k) {
      if (k % rows_per_check == 0) worker.check();
      Result* const row = row_of(k);
      const double* const values = of_block + k * stride;
      for (int i = 0; i < n; ++i) row[terms[i] - range.first] = static_cast<Result>(values[i]);
    }
  };
  // Most terms of a hashed vocabulary are in no class, and all terms in no class have the same results.
  const std::vector<double> unseen = BlockScorer<Count>(task).results_of_unseen();
  const Threads threads = worth(requested, n_terms * static_cast<std::int64_t>(n_classes));
  PerThread<Workspace<Count>> workspaces(threads);
  for_each_range(n_terms, chunk_terms, threads, [&](std::int64_t begin, std::int64_t end, Worker& worker) {
    Workspace<Count>& work = workspaces.own(worker, task, chunk_terms);
    const std::int64_t first = range.first + begin, last = range.first + end;
    work.entries.find(task, first, last);
    // If the chunk has more pairs than terms, most of its terms probably occur. Finding the absent terms would take longer
    // than scoring them.
    const bool all = work.entries.size() > last - first;
    if (!all) {
      std::fill(work.chosen.begin(), work.chosen.end(), 0);
      for (std::size_t k = 0; k < n_classes; ++k)
        for (std::int64_t i = work.entries.begin[k]; i < work.entries.end[k]; ++i)
          work.chosen[static_cast<std::size_t>(task.row(k).terms[i] - first)] = 1;
      for (std::size_t k = 0; k < unseen.size(); ++k) {
        if (k % rows_per_check == 0) worker.check();
        std::fill_n(row_of(k) + begin, end - begin, static_cast<Result>(unseen[k]));
      }
    }
    work.scorer.score(first, last, all ? nullptr : work.chosen.data(), work.entries, worker,
                      [&](const auto&... scored) { store(scored..., worker); });
  });
}

// ---- few classes ---------------------------------------------------------------------------------------------------------

// The score of a term depends only on its pattern, that is, its counts in all classes. With few classes, most terms of a
// large vocabulary share a few thousand patterns with counts below a number `side`. For example, 99.6% of 4 million terms of
// two classes had counts below 64 in each class. The scores of so few patterns fit into the cache and are looked up. For a
// million terms of two to four classes, lookups take 0.25 to 0.4 times as long as scoring all terms. The pattern (l_1, l_2,
// ...) has the number l_1 + side (l_2 + side (...)), so a term that no class has gets the number 0.
constexpr std::int64_t most_patterns = 1 << 12;
constexpr std::uint16_t large = most_patterns;  // added to the number of a term for each count of at least `side`
constexpr std::size_t most_classes_of_patterns = 4;

// Returns `side`, or 1 if lookups would not be faster than scoring all terms.
template <CountType Count>
std::int64_t side_of_patterns(const ScoreTask<Count>& task) {
  if (task.n_classes() > most_classes_of_patterns) return 1;
  const auto n_patterns = [&](std::int64_t side) {
    std::int64_t n = 1;
    for (std::size_t k = 0; k < task.n_classes(); ++k) n *= side;
    return n;
  };
  std::int64_t n_terms = 0, n_large = 0, side = 1;
  for (std::size_t k = 0; k < task.n_classes(); ++k) {
    if (!task.row(k).is_narrow()) return 1;
    n_terms = std::max(n_terms, task.row(k).size);  // a lower bound on the number of terms that occur
  }
  while (n_patterns(side + 1) <= std::min(n_terms / 8, most_patterns)) ++side;
  // If most terms have a count of at least `side`, lookups take 1.5 times as long as scoring all terms. The number of large
  // counts is estimated from a sample.
  for (std::size_t k = 0; k < task.n_classes(); ++k) {
    const std::int64_t step = std::max<std::int64_t>(task.row(k).size / 64, 1);
    for (std::int64_t i = 0; i < task.row(k).size; i += step)
      if (task.row(k).term_frequency.narrow()[i] >= side) n_large += step;
  }
  return n_large > n_terms / 2 ? 1 : side;
}

// Returns the scores of all patterns, indexed by their numbers.
template <CountType Count>
std::vector<double> scores_of_patterns(const ScoreTask<Count>& task, std::int64_t side, const Threads& threads) {
  ClassCounts<Count> patterns{1, 0, {}, nullptr};
  for (std::size_t k = 0; k < task.n_classes(); ++k) patterns.n_terms *= side;
  patterns.rows.assign(task.counts.rows.size(), std::make_shared<const ClassRow<Count>>());
  std::int64_t step = 1;
  for (const std::int64_t c : task.model.classes) {
    auto row = ClassRow<Count>::with_capacity(patterns.n_terms, true);
    for (std::int64_t number = 0; number < patterns.n_terms; ++number)
      if (const auto count = static_cast<Count>(number / step % side); count != 0)
        row.set_pair(row.size++, static_cast<TermId>(number), count, count);
    patterns.rows[static_cast<std::size_t>(c)] = std::make_shared<const ClassRow<Count>>(std::move(row));
    step *= side;
  }
  std::vector<double> scores(most_patterns);
  run_dense(ScoreTask<Count>{patterns, task.model, task.measure, task.aggregate}, TermRange{0, patterns.n_terms}, threads,
            scores.data());
  return scores;
}

// Looks up the scores of terms whose counts are all below `side`, and scores the other terms. O(pairs + n_classes * others).
template <CountType Count>
void run_by_pattern(const ScoreTask<Count>& task, std::int64_t side, const Threads& requested, double* scores) {
  const std::vector<double> scores_of = scores_of_patterns(task, side, requested);
  const std::int64_t n_terms = task.counts.n_terms;
  const Threads threads = worth(requested, n_terms * static_cast<std::int64_t>(task.n_classes()));
  PerThread<Workspace<Count>> workspaces(threads);
  for_each_range(n_terms, lookup_chunk_terms, threads, [&](std::int64_t first, std::int64_t last, Worker& worker) {
    Workspace<Count>& work = workspaces.own(worker, task, lookup_chunk_terms);
    const auto n = static_cast<std::size_t>(last - first);
    work.numbers.assign(n, 0);
    std::uint16_t* const numbers = work.numbers.data();
    unsigned char* const is_large = work.chosen.data();
    work.entries.find(task, first, last);
    std::uint32_t step = 1;
    for (std::size_t k = 0; k < task.n_classes(); ++k, step *= static_cast<std::uint32_t>(side)) {
      const ClassRow<Count>& row = task.row(k);
      const std::uint32_t* const l = row.term_frequency.narrow();
      for (std::int64_t i = work.entries.begin[k]; i < work.entries.end[k]; ++i) {
        std::uint16_t& number = numbers[row.terms[i] - first];
        number = static_cast<std::uint16_t>(number + (l[i] < side ? l[i] * step : large));
      }
    }
    double* const of_chunk = scores + first;
    for (std::size_t t = 0; t < n; ++t) of_chunk[t] = scores_of[numbers[t] % large];
    for (std::size_t t = 0; t < n; ++t) is_large[t] = numbers[t] >= large;
    work.scorer.score(first, last, is_large, work.entries, worker, store_scores(scores));
  });
}

}  // namespace

template <CountType Count>
void score_dense(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
                 const Threads& threads, double* scores) {
  const ClassModel model = make_class_model(counts, estimation);
  const ScoreTask<Count> task{counts, model, measure, aggregate};
  const std::int64_t side = side_of_patterns(task);
  if (side > 1) run_by_pattern(task, side, threads, scores);
  else run_dense(task, TermRange{0, counts.n_terms}, threads, scores);
}

template <CountType Count>
void score(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
           const Threads& threads, double* scores) {
  const bool sparse = sparse_pays(counts, estimation, measure, aggregate);
  (sparse ? score_sparse<Count> : score_dense<Count>)(counts, estimation, measure, aggregate, threads, scores);
}

template <CountType Count, class Result>
void class_results(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, const Threads& threads,
                   Result* results, TermRange range) {
  const ClassModel model = make_class_model(counts, estimation);
  range = range.within(counts.n_terms);
  for (std::size_t c = 0; c < counts.rows.size(); ++c)
    if (!counts.rows[c]->is_present())
      std::fill_n(results + static_cast<std::int64_t>(c) * range.size(), range.size(), Result{0});
  if constexpr (std::is_same_v<Result, std::int8_t>) measure = Measure::direction;
  run_dense(ScoreTask<Count>{counts, model, measure}, range, threads, results);
}

#define TERMSIFT_INSTANTIATE(Count)                                                                                        \
  template void score_dense(const ClassCounts<Count>&, const Estimation&, Measure, Aggregate, const Threads&, double*);    \
  template void score(const ClassCounts<Count>&, const Estimation&, Measure, Aggregate, const Threads&, double*);          \
  template void class_results(const ClassCounts<Count>&, const Estimation&, Measure, const Threads&, double*, TermRange);  \
  template void class_results(const ClassCounts<Count>&, const Estimation&, Measure, const Threads&, std::int8_t*,         \
                              TermRange);
TERMSIFT_INSTANTIATE(std::int64_t)
TERMSIFT_INSTANTIATE(double)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift

#include "termsift/scores.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "scoring/absent_classes.hpp"
#include "scoring/mixtures.hpp"
#include "scoring/score_ways.hpp"

namespace termsift {
namespace {

// The number of terms in a thread's chunk.
constexpr std::int64_t chunk_terms = 16 * block_terms;
constexpr std::int64_t lookup_chunk_terms = 1 << 14;  // 128 KiB of scores

// One thread's scratch for chunks of terms.
template <CountType Count>
struct Workspace {
  Workspace(const ScoreTask<Count>& task, std::int64_t n) : entries(task.n_classes()), chosen(at(n)), scorer(task) {}
  ChunkEntries entries;
  std::vector<unsigned char> chosen;
  std::vector<std::uint16_t> numbers;  // for each term, the number of its pattern
  BlockScorer<Count> scorer;
};

// Scores the terms of the range from their counts in all classes. O(n_classes * occurring terms).
template <CountType Count>
void run_dense(const ScoreTask<Count>& task, const Threads& requested) {
  const std::int64_t range_first = task.range.first, n_terms = task.range.size();
  const std::size_t n_classes = task.n_classes();
  // The array has one row for each class, so successive values of a term are one row apart.
  const auto store_in_rows = [&]<class Result>(Result* rows, const std::int64_t* terms, int n, const double* results) {
    for (std::size_t k = 0; k < n_classes; ++k) {
      Result* const row = rows + task.model.classes[k] * n_terms;
      const double* const values = results + k * block_terms;
      for (int i = 0; i < n; ++i) row[terms[i] - range_first] = static_cast<Result>(values[i]);
    }
  };
  const auto store = [&](const std::int64_t* terms, int n, const double* results) {
    if (task.directions != nullptr) return store_in_rows(task.directions, terms, n, results);
    if (task.class_scores != nullptr) return store_in_rows(task.class_scores, terms, n, results);
    store_scores(task.scores, range_first)(terms, n, results);
  };
  // Most terms of a hashed vocabulary are in no class, and all such terms have the same results.
  const std::vector<double> unseen = BlockScorer<Count>(task).results_of_unseen();
  const auto store_unseen = [&](std::int64_t first, std::int64_t n) {
    if (task.scores != nullptr) {
      std::fill_n(task.scores + first - range_first, n, unseen[0]);
      return;
    }
    for (std::size_t k = 0; k < n_classes; ++k) {
      const std::int64_t at = task.model.classes[k] * n_terms + first - range_first;
      if (task.directions != nullptr) std::fill_n(task.directions + at, n, static_cast<std::int8_t>(unseen[k]));
      else std::fill_n(task.class_scores + at, n, unseen[k]);
    }
  };

  const Threads threads = worth(requested, n_terms * static_cast<std::int64_t>(n_classes));
  PerThread<Workspace<Count>> workspaces(threads);
  for_each_range(n_terms, chunk_terms, threads, [&](std::int64_t begin, std::int64_t end, Worker& worker) {
    Workspace<Count>& work = workspaces.own(worker, task, chunk_terms);
    const std::int64_t first = range_first + begin, last = range_first + end;
    work.entries.find(task, first, last);
    // If the chunk has more pairs than terms, assume that most of its terms occur. Finding the absent terms would then take
    // longer than skipping them would save.
    const bool all = work.entries.size() > last - first;
    if (!all) {
      std::fill(work.chosen.begin(), work.chosen.end(), 0);
      for (std::size_t k = 0; k < n_classes; ++k)
        for (std::int64_t i = work.entries.begin[k]; i < work.entries.end[k]; ++i)
          work.chosen[static_cast<std::size_t>(task.row(k).terms[i] - first)] = 1;
      store_unseen(first, last - first);
    }
    work.scorer.score(first, last, all ? nullptr : work.chosen.data(), work.entries, worker, store);
  });
}

// Sets the results of empty classes to zero.
template <CountType Count, class Result>
void clear_absent_rows(const ClassCounts<Count>& counts, std::int64_t n_terms, Result* results) {
  for (std::size_t c = 0; c < counts.rows.size(); ++c)
    if (!counts.rows[c]->is_present()) std::fill_n(results + static_cast<std::int64_t>(c) * n_terms, n_terms, Result{0});
}

// ---- few classes ---------------------------------------------------------------------------------------------------------

// The score of a term depends only on its pattern: its counts in all classes. With few classes, most terms of a
// large vocabulary share a few thousand patterns with counts below a number `side`. For example, of 4 million terms of two
// classes, 99.6% had counts below 64 in both. The scores of these patterns fit into the cache and are looked up. For a
// million terms of two to four classes, lookups take 0.25 to 0.4 times as long. Pattern (l_1, l_2, ...) has the number
// l_1 + side (l_2 + side (...)), so a term that no class has is number 0.
constexpr std::int64_t most_patterns = 1 << 12;
constexpr std::uint16_t large = most_patterns;  // added to a term's number for each large count
constexpr std::size_t most_classes_of_patterns = 4;

// Returns `side`, or 1 if lookups would not be faster.
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
  // If most terms have a large count, lookups take 1.5 times as long as scoring. A sample estimates the number of such
  // terms.
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
  run_dense<Count>({patterns, task.model, task.measure, task.aggregate, scores.data(), nullptr}, threads);
  return scores;
}

// Looks up the scores of terms whose counts are all below `side`, and scores the others. O(pairs + n_classes * others).
template <CountType Count>
void run_by_pattern(const ScoreTask<Count>& task, std::int64_t side, const Threads& requested) {
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
    double* const scores = task.scores + first;
    for (std::size_t t = 0; t < n; ++t) scores[t] = scores_of[numbers[t] % large];
    for (std::size_t t = 0; t < n; ++t) is_large[t] = numbers[t] >= large;
    work.scorer.score(first, last, is_large, work.entries, worker, store_scores(task.scores));
  });
}

}  // namespace

template <CountType Count>
bool sparse_pays(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate) {
  if (!(estimation.b1 > 0) || measure == Measure::direction) return false;
  if (aggregate == Aggregate::max) return pair_values_pay(counts, estimation);
  double n_classes = 0, pairs = 0;
  for (const auto& row : counts.rows) {
    if (!row->is_present()) continue;  // an empty class has no scores
    if (!fits_pair_model(*row, estimation.b2)) return false;
    n_classes += 1, pairs += static_cast<double>(row->size);
  }
  const double terms = std::min(static_cast<double>(counts.n_terms), pairs);
  // These are measured costs. The unit is the cost of one value in score_dense. V is tabulated in about 48 pieces.
  const double pair = measure == Measure::kl ? 3 : 4, term = 5, pieces = 48 * AbsentClasses::n_evaluations;
  return pair * pairs + term * terms + pieces * n_classes < n_classes * terms;
}

template <CountType Count>
void score_dense(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
                 const Threads& threads, double* scores) {
  const ClassModel model = make_class_model(counts, estimation);
  const ScoreTask<Count> task{counts, model, measure, aggregate, scores, nullptr};
  const std::int64_t side = side_of_patterns(task);
  if (side > 1) run_by_pattern(task, side, threads);
  else run_dense(task, threads);
}

template <CountType Count>
void score(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
           const Threads& threads, double* scores) {
  const bool sparse = sparse_pays(counts, estimation, measure, aggregate);
  (sparse ? score_sparse<Count> : score_dense<Count>)(counts, estimation, measure, aggregate, threads, scores);
}

template <CountType Count>
void class_scores(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure,
                  const Threads& threads, double* class_scores, TermRange range) {
  const ClassModel model = make_class_model(counts, estimation);
  range = range.within(counts.n_terms);
  clear_absent_rows(counts, range.size(), class_scores);
  run_dense<Count>({counts, model, measure, Aggregate::sum, nullptr, class_scores, nullptr, range}, threads);
}

template <CountType Count>
void class_directions(const ClassCounts<Count>& counts, const Estimation& estimation, Measure, const Threads& threads,
                      std::int8_t* directions, TermRange range) {
  const ClassModel model = make_class_model(counts, estimation);
  range = range.within(counts.n_terms);
  clear_absent_rows(counts, range.size(), directions);
  run_dense<Count>({counts, model, Measure::direction, Aggregate::sum, nullptr, nullptr, directions, range}, threads);
}

#define TERMSIFT_INSTANTIATE(Count)                                                                                        \
  template bool sparse_pays(const ClassCounts<Count>&, const Estimation&, Measure, Aggregate);                             \
  template void score_dense(const ClassCounts<Count>&, const Estimation&, Measure, Aggregate, const Threads&, double*);    \
  template void score(const ClassCounts<Count>&, const Estimation&, Measure, Aggregate, const Threads&, double*);          \
  template void class_scores(const ClassCounts<Count>&, const Estimation&, Measure, const Threads&, double*, TermRange);   \
  template void class_directions(const ClassCounts<Count>&, const Estimation&, Measure, const Threads&, std::int8_t*,      \
                                 TermRange);
TERMSIFT_INSTANTIATE(std::int64_t)
TERMSIFT_INSTANTIATE(double)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift

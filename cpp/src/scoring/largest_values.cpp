// The largest value of each term over all classes, for classes that have few terms.
//
// The values of a term in the classes that have it are computed one by one. For a class without the term, p_ic = b1 / L_c,
// and the value depends only on the term's mixture T. As T rises, the value falls until q_ic = p_ic, and then it rises
// (ranking/best_of_classes.hpp). If T lies between two limits, the value is thus at most the larger value at the limits. In
// a block of terms with neighbouring T, only classes are evaluated whose bound exceeds the smallest score found so far.
// A term's score is set to infinity as soon as one of its values is unreliable. Such terms are left out of the rest of the
// search, and are scored by all their classes at the end.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "scoring/mixtures.hpp"
#include "scoring/score_ways.hpp"

namespace termsift {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double margin = 1e-9;  // covers rounding errors, which are far smaller
constexpr std::int64_t search_chunk_terms = 1 << 14;

// Finds the largest values of chunks of terms. Each thread has its own LargestValues.
template <CountType Count>
class LargestValues {
 public:
  LargestValues(const ScoreTask<Count>& task, const PairModel& pairs, const Mixtures& sums)
      : task_(task), pairs_(pairs), sums_(sums), entries_(task.n_classes()) {}

  // Sets the scores of the terms [first, last) to their largest values in classes that have them. O(pairs).
  void find_present(std::int64_t first, std::int64_t last, Worker& worker) {
    entries_.find(task_, first, last);
    for (std::size_t k = 0; k < task_.n_classes(); ++k) {
      if (k % 64 == 0) worker.check();
      entries_.prefetch_after(task_, k);
      const ClassRow<Count>& row = task_.row(k);
      for (std::int64_t i = entries_.begin[k]; i < entries_.end[k]; ++i) {
        block_.add(static_cast<double>(row.term_frequency[i]), sums_, row.terms[i]);
        if (block_.n == block_terms || i + 1 == entries_.end[k]) raise_scores(k, row.terms + i + 1 - block_.n);
      }
    }
  }

  // Raises the scores to the largest values in classes without the terms. `terms` must be in the order of T. O(n_classes)
  // for each block of terms, and a binary search for each value that is evaluated.
  void find_absent(std::span<const TermId> terms, Worker& worker) {
    // bounds_[k][b] is the value of class k at the limit before block b of the terms.
    const std::size_t n_blocks = (terms.size() + block_terms - 1) / block_terms;
    bounds_.resize(task_.n_classes() * (n_blocks + 1));
    for (std::size_t k = 0; k < task_.n_classes(); ++k) {
      if (k % 64 == 0) worker.check();
      for (std::size_t b = 0; b <= n_blocks; ++b)
        block_.add(0, sums_, terms[std::min(b * block_terms, terms.size() - 1)]);
      block_.evaluate(task_.model, pairs_, k, task_.measure);
      for (int b = 0; b < block_.n; ++b)
        bounds_[k * (n_blocks + 1) + static_cast<std::size_t>(b)] = block_.doubtful[b] != 0 ? infinity : block_.values[b];
      block_.n = 0;
    }
    for (std::size_t b = 0; b < n_blocks; ++b) {
      worker.check();
      const std::size_t begin = b * block_terms, n = std::min<std::size_t>(block_terms, terms.size() - begin);
      const auto of_block = terms.subspan(begin, n);
      by_bound_.clear();
      for (std::size_t k = 0; k < task_.n_classes(); ++k) {
        const double* const bounds = bounds_.data() + k * (n_blocks + 1) + b;
        by_bound_.push_back({std::max(bounds[0], bounds[1]) * (1 + margin), k});
      }
      std::make_heap(by_bound_.begin(), by_bound_.end());
      for (auto end = by_bound_.end(); end != by_bound_.begin(); --end) {
        double least = infinity;
        for (const TermId term : of_block) least = std::min(least, task_.scores[term]);
        if (by_bound_.front().first <= least) break;
        std::pop_heap(by_bound_.begin(), end);
        evaluate_absent((end - 1)->second, of_block);
      }
    }
  }

 private:
  void evaluate_absent(std::size_t k, std::span<const TermId> terms) {
    const ClassRow<Count>& row = task_.row(k);
    int n = 0;
    for (const TermId term : terms) {
      if (std::isinf(task_.scores[term])) continue;
      const std::int64_t i = find_term(row, 0, row.size, term);
      if (i < row.size && row.terms[i] == term) continue;
      block_.add(0, sums_, term);
      terms_[n++] = term;
    }
    if (n > 0) raise_scores(k, terms_);
  }

  // Raises the scores to the values of the block's terms in class k, and empties the block.
  void raise_scores(std::size_t k, const TermId* terms) {
    block_.evaluate(task_.model, pairs_, k, task_.measure);
    for (int j = 0; j < block_.n; ++j) {
      double& score = task_.scores[terms[j]];
      score = block_.doubtful[j] != 0 ? infinity : std::max(score, block_.values[j]);
    }
    block_.n = 0;
  }

  const ScoreTask<Count>& task_;
  const PairModel& pairs_;
  const Mixtures& sums_;
  ChunkEntries entries_;
  std::vector<double> bounds_;
  std::vector<std::pair<double, std::size_t>> by_bound_;  // a heap of upper bounds with their classes
  TermId terms_[block_terms];
  ValueBlock block_;
};

}  // namespace

template <CountType Count>
void score_largest(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure,
                   const Threads& requested, double* scores) {
  const ClassModel model = make_class_model(counts, estimation);
  const ScoreTask<Count> task{counts, model, measure, Aggregate::max, scores, nullptr};
  const PairModel pairs = make_pair_model(model, estimation.b1, measure, Aggregate::sum);
  const Threads threads = worth(requested, std::ssize(model.classes) * counts.n_terms / 8);
  const Mixtures sums = sum_mixtures(task, pairs, threads);
  const std::vector<TermId> seen = sums.seen_terms(threads);
  std::fill_n(scores, counts.n_terms, BlockScorer<Count>(task).results_of_unseen()[0]);
  for (const TermId term : seen) scores[term] = 0;
  PerThread<LargestValues<Count>> searches(threads);
  for_each_range(counts.n_terms, search_chunk_terms, threads, [&](std::int64_t first, std::int64_t last, Worker& worker) {
    searches.own(worker, task, pairs, sums).find_present(first, last, worker);
  });
  // A block holds the limits of this many terms.
  for_each_range(std::ssize(seen), (block_terms - 1) * block_terms, threads,
                 [&](std::int64_t first, std::int64_t last, Worker& worker) {
                   const std::span<const TermId> terms{seen.data() + first, seen.data() + last};
                   searches.own(worker, task, pairs, sums).find_absent(terms, worker);
                 });
  PerThread<BlockScorer<Count>> scorers(threads);
  PerThread<ChunkEntries> entries_of_threads(threads);
  PerThread<std::vector<unsigned char>> chosen_terms(threads);
  for_each_range(counts.n_terms, search_chunk_terms, threads, [&](std::int64_t first, std::int64_t last, Worker& worker) {
    const std::span<const double> results(scores + first, scores + last);
    if (std::ranges::none_of(results, [](double score) { return std::isinf(score); })) return;
    std::vector<unsigned char>& chosen = chosen_terms.own(worker);
    chosen.resize(results.size());
    std::ranges::transform(results, chosen.begin(), [](double score) { return std::isinf(score); });
    ChunkEntries& entries = entries_of_threads.own(worker, task.n_classes());
    entries.find(task, first, last);
    scorers.own(worker, task).score(first, last, chosen.data(), entries, worker, store_scores(scores));
  });
}

template void score_largest(const ClassCounts<std::int64_t>&, const Estimation&, Measure, const Threads&, double*);
template void score_largest(const ClassCounts<double>&, const Estimation&, Measure, const Threads&, double*);

}  // namespace termsift

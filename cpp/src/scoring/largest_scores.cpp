// Finds the largest value of each term over all classes.
//
// In classes that have a term, the term's values are computed one by one. In a class without the term, p_ic = b1 / L_c, and
// the term's value depends only on the term's mixture T. As T rises, the value falls until q_ic = p_ic, and rises for larger
// T (ranking/best_of_classes.hpp). If T lies between two limits, the value is therefore at most the larger of the values at
// these limits. A block has terms with similar T. In a block, a class is evaluated only if its bound exceeds the smallest
// score found so far. If a value of a term is unreliable, the term's score is set to infinity. The search skips terms with
// infinite scores, and score_dense() scores these terms at the end.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "scoring/mixtures.hpp"
#include "scoring/score_ways.hpp"

namespace termsift {
namespace {

constexpr std::int64_t search_range_terms = 1 << 14;

// Finds the largest value of each term in chunks of terms. Each thread has its own LargestValues.
template <CountType Count>
class LargestValues {
 public:
  LargestValues(const ScoreTask<Count>& task, const PairModel& pairs, const Mixtures& sums, double* scores)
      : task_(task), pairs_(pairs), sums_(sums), scores_(scores), entries_(task.n_classes()) {}

  // Sets the score of each term in [first, last) to its largest value in the classes that have the term. O(pairs).
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

  // Raises each term's score to its largest value in the classes without the term. `terms` must be sorted by T. O(n_classes)
  // for each block of terms, and a binary search for each value that is evaluated.
  void find_absent(std::span<const TermId> terms, Worker& worker) {
    // bounds_[k][b] is the value in class k for the T of the first term of block b, or of the last term if b = n_blocks.
    const std::size_t n_blocks = (terms.size() + block_terms - 1) / block_terms;
    bounds_.resize(task_.n_classes() * (n_blocks + 1));
    for (std::size_t k = 0; k < task_.n_classes(); ++k) {
      if (k % 64 == 0) worker.check();
      for (std::size_t b = 0; b <= n_blocks; ++b)
        block_.add(0, sums_, terms[std::min(b * block_terms, terms.size() - 1)]);
      block_.evaluate(pairs_, k, task_.measure);
      for (int b = 0; b < block_.n; ++b)
        bounds_[k * (n_blocks + 1) + static_cast<std::size_t>(b)] = block_.doubtful[b] != 0 ? HUGE_VAL : block_.values[b];
      block_.n = 0;
    }
    for (std::size_t b = 0; b < n_blocks; ++b) {
      worker.check();
      const std::size_t begin = b * block_terms, n = std::min<std::size_t>(block_terms, terms.size() - begin);
      const auto of_block = terms.subspan(begin, n);
      by_bound_.clear();
      for (std::size_t k = 0; k < task_.n_classes(); ++k) {
        const double* const bounds = bounds_.data() + k * (n_blocks + 1) + b;
        by_bound_.push_back({std::max(bounds[0], bounds[1]) * (1 + bound_margin), k});
      }
      std::make_heap(by_bound_.begin(), by_bound_.end());
      for (auto end = by_bound_.end(); end != by_bound_.begin(); --end) {
        double least = HUGE_VAL;
        for (const TermId term : of_block) least = std::min(least, scores_[term]);
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
      if (std::isinf(scores_[term])) continue;
      const std::int64_t i = find_term(row, 0, row.size, term);
      if (i < row.size && row.terms[i] == term) continue;
      block_.add(0, sums_, term);
      terms_[n++] = term;
    }
    if (n > 0) raise_scores(k, terms_);
  }

  // Raises the score of each term of the block to its value in class k if that value is larger, and empties the block.
  void raise_scores(std::size_t k, const TermId* terms) {
    block_.evaluate(pairs_, k, task_.measure);
    for (int j = 0; j < block_.n; ++j) {
      double& score = scores_[terms[j]];
      score = block_.doubtful[j] != 0 ? HUGE_VAL : std::max(score, block_.values[j]);
    }
    block_.n = 0;
  }

  const ScoreTask<Count>& task_;
  const PairModel& pairs_;
  const Mixtures& sums_;
  double* const scores_;
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
  const ScoreTask<Count> task{counts, model, measure, Aggregate::max};
  const PairModel pairs = make_pair_model(model, estimation.b1, measure, Aggregate::sum);
  const Threads threads = worth(requested, std::ssize(model.classes) * counts.n_terms / 8);
  const Mixtures sums = sum_mixtures(task, pairs, threads);
  const std::vector<TermId> seen = sums.seen_terms(threads);
  std::fill_n(scores, counts.n_terms, BlockScorer<Count>(task).results_of_unseen()[0]);
  for (const TermId term : seen) scores[term] = 0;
  PerThread<LargestValues<Count>> searches(threads);
  for_each_range(counts.n_terms, search_range_terms, threads, [&](std::int64_t first, std::int64_t last, Worker& worker) {
    searches.own(worker, task, pairs, sums, scores).find_present(first, last, worker);
  });
  // One ValueBlock holds the limits of block_terms - 1 blocks of terms.
  for_each_range(std::ssize(seen), (block_terms - 1) * block_terms, threads,
                 [&](std::int64_t first, std::int64_t last, Worker& worker) {
                   const std::span<const TermId> terms{seen.data() + first, seen.data() + last};
                   searches.own(worker, task, pairs, sums, scores).find_absent(terms, worker);
                 });
  std::vector<std::int64_t> unreliable;
  for (std::int64_t t = 0; t < counts.n_terms; ++t)
    if (std::isinf(scores[t])) unreliable.push_back(t);
  if (unreliable.empty()) return;
  std::vector<double> reliable(unreliable.size());
  const ClassCounts<Count> part = of_terms(counts, unreliable, threads);
  score_dense(part, estimation, measure, Aggregate::max, threads, reliable.data());
  for (std::size_t i = 0; i < unreliable.size(); ++i) scores[unreliable[i]] = reliable[i];
}

#define TERMSIFT_INSTANTIATE(Count) \
  template void score_largest(const ClassCounts<Count>&, const Estimation&, Measure, const Threads&, double*);
TERMSIFT_INSTANTIATE(std::int64_t)
TERMSIFT_INSTANTIATE(double)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift

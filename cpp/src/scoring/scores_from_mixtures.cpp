#include "scoring/scores_from_mixtures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/bucket_sort.hpp"
#include "scoring/score_ways.hpp"

namespace termsift {
namespace {

// Returns true if a PairModel can describe the classes, and a double holds every count exactly. O(n_classes), or O(pairs)
// for counts above 2^32.
template <CountType Count>
bool fits_pair_values(const ClassCounts<Count>& counts, const Estimation& estimation) {
  if (!(estimation.b1 > 0)) return false;
  for (const auto& row : counts.rows) {
    if (!row->is_present()) continue;
    if (!fits_pair_model(*row, estimation.b2)) return false;
    for (std::int64_t i = 0; i < row->size && !row->is_narrow(); ++i)
      if (!is_double(row->term_frequency[i])) return false;
  }
  return true;
}

}  // namespace

template <CountType Count>
bool pair_values_pay(const ClassCounts<Count>& counts, const Estimation& estimation) {
  std::int64_t n_classes = 0, n_pairs = 0;
  for (const auto& row : counts.rows)
    if (row->is_present()) ++n_classes, n_pairs += row->size;
  return n_classes > 1 && 8 * (n_pairs + counts.n_terms) < n_classes * counts.n_terms &&
         fits_pair_values(counts, estimation);
}

template <CountType Count>
Mixtures sum_mixtures(const ScoreTask<Count>& task, const PairModel& pairs, const Threads& threads) {
  constexpr std::int64_t range_terms = 1 << 14;
  const std::int64_t n_terms = task.counts.n_terms;
  const auto n = static_cast<std::size_t>(n_terms);
  Mixtures sums{std::vector<double>(n), std::vector<double>(n), std::vector<unsigned char>(n)};
  PerThread<ChunkEntries> entries_of_threads(threads);
  for_each_range(n_terms, range_terms, threads, [&](std::int64_t first, std::int64_t last, Worker& worker) {
    ChunkEntries& entries = entries_of_threads.own(worker, task.n_classes());
    entries.find(task, first, last);
    for (std::size_t k = 0; k < task.n_classes(); ++k) {
      if (k % 64 == 0) worker.check();
      entries.prefetch_after(task, k);
      const ClassRow<Count>& row = task.row(k);
      const double w_hi = pairs.classes[k].w.hi, w_lo = pairs.classes[k].w.lo;
      for (std::int64_t i = entries.begin[k]; i < entries.end[k]; ++i) {
        const auto t = static_cast<std::size_t>(row.terms[i]);
        const auto l = static_cast<double>(row.term_frequency[i]);
        const DoubleDouble part = two_product(l, w_hi), sum = two_sum(sums.U_hi[t], part.hi);
        sums.U_hi[t] = sum.hi, sums.U_lo[t] += sum.lo + (part.lo + l * w_lo);
        sums.n_classes_of[t] = sums.n_classes_of[t] == 0 ? 1 : 2;
      }
    }
  });
  return sums;
}

std::vector<TermId> Mixtures::seen_terms(const Threads& threads) const {
  std::vector<TermId> terms;
  for (std::size_t t = 0; t < U_hi.size(); ++t)
    if (n_classes_of[t] > 0) terms.push_back(static_cast<TermId>(t));
  sort_in_parts(terms.begin(), terms.end(), threads, [&](TermId a, TermId b) {
    const double U_a = U_hi[static_cast<std::size_t>(a)], U_b = U_hi[static_cast<std::size_t>(b)];
    return U_a != U_b ? U_a > U_b : a < b;
  });
  return terms;
}

void ValueBlock::evaluate(const PairModel& pairs, std::size_t k, Measure measure) {
  const int lanes = (n + 7) / 8 * 8;
  for (int j = n; j < lanes; ++j) l[j] = l[0], U_hi[j] = U_hi[0], U_lo[j] = U_lo[0];
  kernels_in_use<PairKernels>().values({lanes, &pairs, &pairs.classes[k], measure, l, U_hi, U_lo, values, doubtful});
}

// ---- the largest value of each term ------------------------------------------------------------------------------------

// In classes that have a term, the term's values are computed one by one. In a class without the term, p_ic = b1 / L_c, and
// the term's value depends only on the term's mixture T. As T rises, the value falls until q_ic = p_ic, and rises for larger
// T (ranking/best_of_classes.hpp). If T lies between two limits, the value is therefore at most the larger of the values at
// these limits. A block has terms with similar T. In a block, a class is evaluated only if its bound exceeds the smallest
// score found so far. If a value of a term is unreliable, the term's score is set to infinity. The search skips terms with
// infinite scores, and score_dense() scores these terms at the end.
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double margin = 1e-9;  // the relative margin of a bound, far above its rounding error
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
      score = block_.doubtful[j] != 0 ? infinity : std::max(score, block_.values[j]);
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

// ---- single pairs of a class and a term --------------------------------------------------------------------------------

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

#define TERMSIFT_INSTANTIATE(Count)                                                                                        \
  template bool pair_values_pay(const ClassCounts<Count>&, const Estimation&);                                             \
  template Mixtures sum_mixtures(const ScoreTask<Count>&, const PairModel&, const Threads&);                               \
  template void score_largest(const ClassCounts<Count>&, const Estimation&, Measure, const Threads&, double*);             \
  template void score_pairs(const ClassCounts<Count>&, const Estimation&, Measure, const Threads&, const Pairs&, double*,  \
                            std::int8_t*);
TERMSIFT_INSTANTIATE(std::int64_t)
TERMSIFT_INSTANTIATE(double)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift

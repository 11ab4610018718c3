// Computes the sum of a measure over all classes by visiting only the classes that have the term (pair_model.hpp).
#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "scoring/absent_classes.hpp"
#include "scoring/mixtures.hpp"
#include "scoring/pair_model.hpp"
#include "scoring/score_ways.hpp"

namespace termsift {
namespace {

// Returns the number of terms in a thread's chunk. In small chunks, the terms' sums (100 bytes per term) stay in cache. But
// the hardware prefetcher fails at the start of a class's entries, so a chunk should have many entries of a class. With 50
// classes of 6,000 pairs, chunks of 2^15 terms took 1.05 times as long as chunks of 2^14. With 5,000 classes of 220 pairs,
// chunks of 2^14 terms took 1.25 times as long as chunks of 2^16. All threads get the same number of chunks. In a vocabulary
// sorted by frequency, the first terms have most pairs, so each thread needs several chunks even for 20,000 terms.
std::int64_t size_of_chunk(std::int64_t n_terms, std::int64_t n_pairs, std::size_t n_classes, const Threads& threads) {
  constexpr std::int64_t least = 1 << 12, most = 1 << 16;
  constexpr double enough_pairs = 1024;
  const auto in_steps = [](std::int64_t n, std::int64_t step) { return (n + step - 1) / step * step; };
  n_terms = std::max<std::int64_t>(n_terms, 1);
  const double pairs_of_term = static_cast<double>(n_pairs) / static_cast<double>(n_terms) / static_cast<double>(n_classes);
  std::int64_t size = least;
  while (size < most && static_cast<double>(size) * pairs_of_term < enough_pairs) size *= 2;
  const std::int64_t n_even = in_steps(in_steps(n_terms, size) / size, threads.count);
  return in_steps((n_terms + n_even - 1) / n_even, block_terms);
}

// Returns the least count of the row, or 1 if no count is less. Whole numbers may be stored in either way, and a score must
// not depend on the way.
template <CountType Count>
double least_of(const ClassRow<Count>& row) {
  double least = 1;
  if constexpr (std::is_floating_point_v<Count>)
    for (std::int64_t i = 0; i < row.size && !row.is_narrow(); ++i) least = std::min(least, row.term_frequency[i]);
  return least;
}

// The cost of summing all pairs of the terms, as a multiple of the measured cost of one value in score_dense.
double cost_of_sums(PairSum sum, double n_pairs, double n_terms) {
  const double pair = sum == PairSum::split ? 2 : 5, term = sum == PairSum::split ? 3 : 5;
  return pair * n_pairs + term * n_terms;
}

// Data that all chunks share. `whole` is for all terms without split sums, and if whole_pays, for terms that lose digits in
// a split sum.
struct SharedSums {
  SharedSums(const ClassModel& model, double b1, Measure measure, Aggregate aggregate, double least_count,
             bool whole_after_split)
      : pairs(make_pair_model(model, b1, measure, aggregate, least_count)), split(model, pairs, PairSum::split),
        whole(model, pairs, PairSum::whole), whole_pays(whole_after_split) {}
  SharedSums(const SharedSums&) = delete;  // `split` and `whole` refer to `pairs`
  SharedSums& operator=(const SharedSums&) = delete;
  const AbsentClasses& absent(PairSum sum) const { return sum == PairSum::split ? split : whole; }

  PairModel pairs;
  AbsentClasses split, whole;
  bool whole_pays;  // true if the terms with doubtful split sums get whole sums, before score_dense() scores what remains
};

// Scores chunks of terms. Each thread has its own SparseScorer. Most arrays have one element per term of the chunk.
template <CountType Count>
class SparseScorer {
 public:
  SparseScorer(const ScoreTask<Count>& task, const SharedSums& shared, double unseen, std::int64_t most_terms,
               double* scores)
      : task_(task), shared_(shared), scores_(scores), pairs_(shared.pairs), kernels_(kernels_in_use<PairKernels>()),
        unseen_(unseen), entries_(task.n_classes()), sums_(static_cast<std::size_t>(most_terms)), values_(sums_.size()),
        doubtful_(sums_.size()), dense_(task) {}

  // Scores the terms [first, last). O(pairs of the chunk + n_classes * terms that are scored as in score_dense).
  void score(std::int64_t first, std::int64_t last, Worker& worker) {
    entries_.find(task_, first, last);
    first_ = first, n_ = static_cast<std::size_t>(last - first);
    std::fill_n(sums_.begin(), n_, TermSums{});
    std::fill_n(doubtful_.begin(), n_, 0);
    chosen_.clear();

    const PairSum sum = pairs_.usual_sum();
    for_each_class(sum, worker, kernels_.mix);
    for (std::size_t j = 0; j < n_; ++j) {
      const DoubleDouble U = quick_two_sum(sums_[j].hi[TermSums::U], sums_[j].lo[TermSums::U]);
      values_[j] = {U.hi, U.lo, 0, 0};
    }
    add_values(sum, worker);
    if (sum == PairSum::split && shared_.whole_pays && choose_doubtful()) add_values(PairSum::whole, worker);
    if (std::memchr(doubtful_.data(), 1, n_) != nullptr)
      dense_.score(first, last, doubtful_.data(), entries_, worker, store_scores(scores_));
  }

 private:
  // Chooses the terms with doubtful split sums, which need whole sums, and sets their V to 0. Returns true if any term is
  // chosen.
  bool choose_doubtful() {
    for (std::size_t j = 0; j < n_; ++j) {
      if (doubtful_[j] == 0) continue;
      chosen_.push_back(static_cast<TermId>(first_ + static_cast<std::int64_t>(j)));
      values_[j].V_hi = values_[j].V_lo = 0;
    }
    if (chosen_.empty()) return false;
    is_chosen_.swap(doubtful_);
    doubtful_.assign(is_chosen_.size(), 0);
    return true;
  }

  // Computes the scores of the chosen terms, or of all terms if none is chosen.
  void add_values(PairSum sum, Worker& worker) {
    for_each_class(sum, worker, kernels_.score);
    for (std::size_t begin = 0; begin < n_; begin += block_terms)
      finish(sum, begin, std::min<std::size_t>(n_ - begin, block_terms), worker);
  }

  // For each class, calls the kernel with the pairs of the chosen terms, or with all pairs if no term is chosen.
  void for_each_class(PairSum sum, Worker& worker, void (*kernel)(const ClassPairs&)) {
    for (std::size_t k = 0; k < task_.n_classes(); ++k) {
      if (k % 64 == 0) worker.check();
      entries_.prefetch_after(task_, k);
      const ClassRow<Count>& row = task_.row(k);
      const std::int64_t begin = entries_.begin[k];
      std::int64_t n = entries_.end[k] - begin;
      if (n == 0) continue;
      const TermId* terms = row.terms + begin;
      const std::uint32_t* narrow_l = row.is_narrow() ? row.term_frequency.narrow() + begin : nullptr;
      const PairConstants& c = pairs_.classes[k];
      if (narrow_l == nullptr || !chosen_.empty()) {
        n = copy_pairs(row, begin, n, c);
        terms = terms_.data(), narrow_l = nullptr;
      } else if (c.w.hi == 0) {
        for (std::int64_t i = 0; i < n; ++i) doubt(terms[i]);
      }
      kernel({n, &pairs_, &c, sum, narrow_l, l_.data(), terms, static_cast<TermId>(first_), sums_.data(), values_.data(),
              doubtful_.data()});
    }
  }

  void doubt(TermId term) { doubtful_[static_cast<std::size_t>(term - first_)] = 1; }

  // Copies the pairs of the chosen terms, or all pairs if none is chosen, from the entries [begin, begin + n) of a row to
  // the arrays terms_ and l_. Returns the number of copied pairs.
  std::int64_t copy_pairs(const ClassRow<Count>& row, std::int64_t begin, std::int64_t n, const PairConstants& c) {
    terms_.resize(sums_.size());
    l_.resize(sums_.size());
    std::int64_t n_copied = 0;
    const auto copy = [&](std::int64_t i) {
      const Count count = row.term_frequency[i];
      const auto at = static_cast<std::size_t>(n_copied++);
      terms_[at] = row.terms[i];
      l_[at] = static_cast<double>(count);
      // A pair is doubtful if a double does not hold the count, or if U remains 0, because U = 0 marks a term in no class.
      if (!is_double(count) || l_[at] * c.w.hi == 0) doubt(row.terms[i]);
    };
    if (chosen_.empty()) {
      for (std::int64_t i = begin; i < begin + n; ++i) copy(i);
    } else if (16 * std::ssize(chosen_) < n) {  // searching for terms is faster than reading all entries
      std::int64_t i = begin;
      for (const TermId term : chosen_)
        if (i = find_term(row, i, begin + n, term); i < begin + n && row.terms[i] == term) copy(i);
    } else {
      for (std::int64_t i = begin; i < begin + n; ++i)
        if (is_chosen_[static_cast<std::size_t>(row.terms[i] - first_)] != 0) copy(i);
    }
    return n_copied;
  }

  // Computes the scores of n <= block_terms terms of the chunk, beginning at `begin`.
  void finish(PairSum sum, std::size_t begin, std::size_t n, Worker& worker) {
    const unsigned char* const is_chosen = chosen_.empty() ? nullptr : is_chosen_.data() + begin;
    if (is_chosen != nullptr && std::memchr(is_chosen, 1, n) == nullptr) return;
    const auto is_asked_for = [&](std::size_t j) { return j < n && (is_chosen == nullptr || is_chosen[j] != 0); };
    const std::size_t lanes = (n + 7) / 8 * 8;
    const TermValue* const values = values_.data() + begin;
    unsigned char* const doubtful = doubtful_.data() + begin;
    static constexpr AbsentPiece none;
    const AbsentPiece* pieces[block_terms];
    double scores[block_terms];
    unsigned char doubtful_scores[block_terms];
    const AbsentClasses& absent = shared_.absent(sum);
    for (std::size_t j = 0; j < lanes; ++j) {
      pieces[j] = &none;
      if (!is_asked_for(j) || values[j].U_hi == 0) continue;
      if (const AbsentPiece* const piece = absent.find(values[j].U_hi, worker)) pieces[j] = piece;
      else doubtful[j] = 1;
    }
    kernels_.finish({static_cast<int>(lanes), &pairs_, sum, sums_.data() + begin, values, pieces, scores, doubtful_scores});
    for (std::size_t j = 0; j < n; ++j) {
      if (!is_asked_for(j)) continue;
      const bool unseen = values[j].U_hi == 0;
      scores_[static_cast<std::size_t>(first_) + begin + j] = unseen ? unseen_ : scores[j];
      if (!unseen && doubtful_scores[j] != 0) doubtful[j] = 1;
    }
  }

  const ScoreTask<Count>& task_;
  const SharedSums& shared_;
  double* const scores_;
  const PairModel& pairs_;
  const PairKernels& kernels_;
  const double unseen_;
  ChunkEntries entries_;
  std::int64_t first_ = 0;                // the chunk's first term
  std::size_t n_ = 0;                     // the chunk's size
  std::vector<TermSums> sums_;
  std::vector<TermValue> values_;
  std::vector<unsigned char> doubtful_;
  std::vector<TermId> chosen_;            // the terms of the second sum, in increasing order; empty during the first sum
  std::vector<unsigned char> is_chosen_;  // 1 if a term is chosen
  std::vector<TermId> terms_;             // the terms of the copied pairs of a class
  std::vector<double> l_;                 // the counts of the copied pairs of a class
  BlockScorer<Count> dense_;
};

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
  const double pieces = 48 * AbsentPiece::n_nodes;  // about 48 pieces of V are tabulated
  const PairSum sum = measure == Measure::kl ? PairSum::split : PairSum::whole;
  return cost_of_sums(sum, pairs, terms) + pieces * n_classes < n_classes * terms;
}

template <CountType Count>
void score_sparse(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
                  const Threads& requested, double* scores) {
  if (aggregate == Aggregate::max) return score_largest(counts, estimation, measure, requested, scores);
  const ClassModel model = make_class_model(counts, estimation);
  const ScoreTask<Count> task{counts, model, measure, aggregate};
  const double unseen = BlockScorer<Count>(task).results_of_unseen()[0];
  const std::int64_t n_pairs = task.n_pairs();
  double least_count = 1;
  for (std::size_t k = 0; k < task.n_classes(); ++k) least_count = std::min(least_count, least_of(task.row(k)));
  // With few classes, scoring a doubtful term as in score_dense is cheaper than summing its pairs again. The choice
  // depends on the whole collection, because a score must not depend on the other terms of a chunk.
  const auto pairs = static_cast<double>(n_pairs), terms = std::min(static_cast<double>(counts.n_terms), pairs);
  const bool whole_pays = cost_of_sums(PairSum::whole, pairs, terms) < static_cast<double>(task.n_classes()) * terms;
  const SharedSums shared(model, estimation.b1, measure, aggregate, least_count, whole_pays);
  // The costs are multiples of the measured cost of one value in score_dense.
  const Threads threads = worth(requested, 3 * n_pairs + 8 * counts.n_terms);
  PerThread<SparseScorer<Count>> scorers(threads);
  const std::int64_t size = size_of_chunk(counts.n_terms, n_pairs, task.n_classes(), threads);
  for_each_block((counts.n_terms + size - 1) / size, threads, [&](std::int64_t chunk, Worker& worker) {
    const std::int64_t first = chunk * size;
    scorers.own(worker, task, shared, unseen, size, scores).score(first, std::min(first + size, counts.n_terms), worker);
  });
}

#define TERMSIFT_INSTANTIATE(Count)                                                            \
  template bool sparse_pays(const ClassCounts<Count>&, const Estimation&, Measure, Aggregate); \
  template void score_sparse(const ClassCounts<Count>&, const Estimation&, Measure, Aggregate, const Threads&, double*);
TERMSIFT_INSTANTIATE(std::int64_t)
TERMSIFT_INSTANTIATE(double)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift

#include "termsift/scores.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "scoring/block_scores.hpp"
#include "scoring/empty_classes.hpp"
#include "scoring/pair_model.hpp"
#include "base/per_thread.hpp"
#include "scoring/score_ways.hpp"
#include "scoring/small_columns.hpp"

namespace termsift {
namespace {

// Terms are handed to threads in chunks of this many.
constexpr std::int64_t chunk_terms = 16 * block_terms;

constexpr std::int64_t table_chunk_terms = 1 << 14;  // 128 KiB of scores

// Of the classes that have a term. The smaller, the more of their sums the cache holds (100 bytes a term); but each class's
// run of entries begins where no machine looks ahead, so that runs are to be long. Of 50 classes with 6,000 pairs in a run
// 2^15 terms took 1.05 times as long as 2^14; of 5,000 with 220, 2^14 took 1.25 times as long as 2^16.
constexpr std::int64_t least_sparse_chunk_terms = 1 << 14, most_sparse_chunk_terms = 1 << 16;
constexpr double enough_pairs_of_run = 1024;

// As many chunks for each thread as for the others.
std::int64_t sparse_chunk_terms(std::int64_t n_terms, std::int64_t n_pairs, std::size_t n_classes, const Threads& threads) {
  const auto in_steps = [](std::int64_t n, std::int64_t step) { return (n + step - 1) / step * step; };
  n_terms = std::max<std::int64_t>(n_terms, 1);
  const double pairs_of_term = static_cast<double>(n_pairs) / static_cast<double>(n_terms) / static_cast<double>(n_classes);
  std::int64_t size = least_sparse_chunk_terms;
  while (size < most_sparse_chunk_terms && static_cast<double>(size) * pairs_of_term < enough_pairs_of_run) size *= 2;
  const std::int64_t n_even = in_steps(in_steps(n_terms, size) / size, threads.count);
  return in_steps((n_terms + n_even - 1) / n_even, block_terms);
}

// The results of a term that no class has, most of a hashed vocabulary: its score, or the values of the classes.
template <CountType Count>
std::vector<double> results_of_unseen(const ScoreTask<Count>& task) {
  std::vector<double> results(task.scores != nullptr ? 1 : task.n_classes());
  BlockScorer<Count>(task).score_unseen([&](std::int64_t, const double* result) {
    for (std::size_t k = 0; k < results.size(); ++k) results[k] = result[k * block_terms];
  });
  return results;
}

template <CountType Count>
void run_dense(const ScoreTask<Count>& task, const Threads& requested) {
  const std::int64_t range_first = task.range.first, range_last = task.range.last;  // no binding: lambdas of clang take none
  const std::int64_t n_terms = task.range.size();
  const std::size_t n_classes = task.n_classes();
  const auto store_in_rows = [&]<class Result>(Result* rows, std::int64_t term, const double* result) {
    for (std::size_t k = 0; k < n_classes; ++k)
      rows[task.model.classes[k] * n_terms + term - range_first] = static_cast<Result>(result[k * block_terms]);
  };
  const auto store = [&](std::int64_t term, const double* result) {
    if (task.scores != nullptr) task.scores[term - range_first] = *result;
    else if (task.directions != nullptr) store_in_rows(task.directions, term, result);
    else store_in_rows(task.class_scores, term, result);
  };
  const std::vector<double> unseen = results_of_unseen(task);
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

  struct Workspace {
    explicit Workspace(const ScoreTask<Count>& t) : entries(t.n_classes()), chosen(chunk_terms), scorer(t) {}
    ChunkEntries entries;
    std::vector<unsigned char> chosen;
    BlockScorer<Count> scorer;
  };
  const Threads threads = worth(requested, n_terms * static_cast<std::int64_t>(n_classes));
  PerThread<Workspace> workspaces(threads);
  for_each_block((n_terms + chunk_terms - 1) / chunk_terms, threads, [&](std::int64_t chunk, Worker& worker) {
    Workspace& work = workspaces.own(worker, task);
    const std::int64_t first = range_first + chunk * chunk_terms, last = std::min(first + chunk_terms, range_last);
    // Where there are more pairs than terms most terms occur, and finding out which is not worth it.
    const bool all = work.entries.find(task, first, last) > last - first;
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

// ---- columns of small counts looked up, the others scored --------------------------------------------------------------

template <CountType Count>
void run_by_table(const ScoreTask<Count>& task, const SmallColumns& small, const Threads& requested) {
  std::vector<double> table(SmallColumns::large);
  const ClassCounts<Count> columns = small.counts<Count>(task.model, task.counts.rows.size());
  run_dense<Count>({columns, task.model, task.kernels, task.measure, task.aggregate, table.data(), nullptr}, requested);

  struct Workspace {
    explicit Workspace(const ScoreTask<Count>& t)
        : entries(t.n_classes()), numbers(table_chunk_terms), is_large(table_chunk_terms), scorer(t) {}
    ChunkEntries entries;
    std::vector<std::uint16_t> numbers;
    std::vector<unsigned char> is_large;
    BlockScorer<Count> scorer;
  };
  const std::int64_t n_terms = task.counts.n_terms;
  const Threads threads = worth(requested, n_terms * static_cast<std::int64_t>(task.n_classes()));
  PerThread<Workspace> workspaces(threads);
  for_each_block((n_terms + table_chunk_terms - 1) / table_chunk_terms, threads, [&](std::int64_t chunk, Worker& worker) {
    Workspace& work = workspaces.own(worker, task);
    const std::int64_t first = chunk * table_chunk_terms, last = std::min(first + table_chunk_terms, n_terms);
    const auto n = static_cast<std::size_t>(last - first);
    std::uint16_t* const numbers = work.numbers.data();
    unsigned char* const is_large = work.is_large.data();
    std::fill_n(numbers, n, 0);
    work.entries.find(task, first, last);
    small.number(task, work.entries, first, numbers);
    double* const scores = task.scores + first;
    for (std::size_t t = 0; t < n; ++t) scores[t] = table[numbers[t] % SmallColumns::large];
    for (std::size_t t = 0; t < n; ++t) is_large[t] = numbers[t] >= SmallColumns::large;
    work.scorer.score(first, last, is_large, work.entries, worker,
                       [&](std::int64_t term, const double* score) { task.scores[term] = *score; });
  });
}

// ---- the classes that have a term, and all others at once ---------------------------------------------------------------

// What the classes that lack a term add, by either sum; split is not used but for divergences.
struct EmptySums {
  EmptyClasses split, whole;
  const EmptyClasses& of(PairSum sum) const { return sum == PairSum::split ? split : whole; }
};

// One thread's scratch for a chunk.
template <CountType Count>
class SparseScorer {
 public:
  SparseScorer(const ScoreTask<Count>& task, const PairModel& pairs, const EmptySums& empty, double unseen,
               std::int64_t most_terms)
      : task_(task), pairs_(pairs), empty_(empty), unseen_(unseen), entries_(task.n_classes()),
        sums_(static_cast<std::size_t>(most_terms)), values_(sums_.size()), doubtful_(sums_.size()), dense_(task) {}

  // The terms [first, last). O(pairs of the chunk + n_classes * terms scored densely).
  void score(std::int64_t first, std::int64_t last, Worker& worker) {
    // A search through 5,000 lists is as dear as reading a chunk of them: begin where the chunk before ended.
    if (first == next_ && first > 0) entries_.begin.swap(entries_.end);
    else entries_.find_begin(task_, first);
    entries_.find_end(task_, last);
    next_ = last;
    first_ = first, n_ = static_cast<std::size_t>(last - first);
    std::fill_n(sums_.begin(), n_, TermSums{});
    std::fill_n(doubtful_.begin(), n_, 0);
    chosen_.clear();

    const PairSum sum = pairs_.usual_sum();
    for_each_class_run(sum, worker, task_.kernels.mix_pairs);
    for (std::size_t j = 0; j < n_; ++j) {
      const DoubleDouble U = quick_two_sum(sums_[j].hi[TermSums::U], sums_[j].lo[TermSums::U]);
      values_[j] = {U.hi, U.lo, 0, 0};
    }
    add_values(sum, worker);
    if (sum == PairSum::split && choose_doubtful()) add_values(PairSum::whole, worker);
    if (some_doubtful())
      dense_.score(first, last, doubtful_.data(), entries_, worker,
                   [&](std::int64_t term, const double* score_of_term) { task_.scores[term] = *score_of_term; });
  }

 private:
  bool some_doubtful() const { return std::memchr(doubtful_.data(), 1, n_) != nullptr; }

  // From the doubtful terms to the chosen ones, with nothing added up. Returns whether there are some.
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

  // The scores of the terms chosen, or of all while none are.
  void add_values(PairSum sum, Worker& worker) {
    for_each_class_run(sum, worker, task_.kernels.score_pairs);
    for (std::size_t begin = 0; begin < n_; begin += block_terms)
      finish(sum, begin, std::min<std::size_t>(n_ - begin, block_terms));
  }

  // Calls kernel(run) for the pairs of these terms in each class.
  void for_each_class_run(PairSum sum, Worker& worker, void (*kernel)(const PairRun&)) {
    for (std::size_t k = 0; k < task_.n_classes(); ++k) {
      if (k % 64 == 0) worker.check();
      if (k + 4 < task_.n_classes()) prefetch_run(k + 4);
      const ClassRow<Count>& row = task_.row(k);
      const std::int64_t begin = entries_.begin[k];
      std::int64_t n = entries_.end[k] - begin;
      if (n == 0) continue;
      const TermId* terms = row.terms + begin;
      const std::uint32_t* narrow_l = row.is_narrow() ? row.term_frequency.narrow() + begin : nullptr;
      const PairConstants& c = pairs_.classes[k];
      if (narrow_l == nullptr || !chosen_.empty()) {
        n = load_run(row, begin, n, c);
        terms = terms_.data(), narrow_l = nullptr;
      } else if (c.w_hi == 0) {
        for (std::int64_t i = 0; i < n; ++i) doubt(terms[i]);
      }
      kernel({n, &c, &pairs_.totals, pairs_.variable, pairs_.measure, sum, task_.model.lost, narrow_l, l_.data(), terms,
              static_cast<TermId>(first_), sums_.data(), values_.data(), doubtful_.data()});
    }
  }

  void doubt(TermId term) { doubtful_[static_cast<std::size_t>(term - first_)] = 1; }

  // Copies the pairs of these terms out of the entries [begin, begin + n) of a row. Returns how many there are.
  std::int64_t load_run(const ClassRow<Count>& row, std::int64_t begin, std::int64_t n, const PairConstants& c) {
    terms_.resize(sums_.size());
    l_.resize(sums_.size());
    std::int64_t n_loaded = 0;
    const auto load = [&](std::int64_t i) {
      const Count count = row.term_frequency[i];
      const auto at = static_cast<std::size_t>(n_loaded++);
      terms_[at] = row.terms[i];
      l_[at] = static_cast<double>(count);
      // What leaves no trace in U would make the term one that no class has.
      if (!is_double(count) || l_[at] * c.w_hi == 0) doubt(row.terms[i]);
    };
    if (chosen_.empty()) {
      for (std::int64_t i = begin; i < begin + n; ++i) load(i);
    } else if (16 * std::ssize(chosen_) < n) {  // searched for sooner than met
      std::int64_t i = begin;
      for (const TermId term : chosen_)
        if (i = find_term(row, i, begin + n, term); i < begin + n && row.terms[i] == term) load(i);
    } else {
      for (std::int64_t i = begin; i < begin + n; ++i)
        if (is_chosen_[static_cast<std::size_t>(row.terms[i] - first_)] != 0) load(i);
    }
    return n_loaded;
  }

  void prefetch_run(std::size_t k) const {
    const ClassRow<Count>& row = task_.row(k);
    prefetch_entries(row.terms, entries_.begin[k], entries_.end[k]);
    if (row.is_narrow()) prefetch_entries(row.term_frequency.narrow(), entries_.begin[k], entries_.end[k]);
  }

  // The scores of n terms of the chunk from `begin` on, a block of them or less.
  void finish(PairSum sum, std::size_t begin, std::size_t n) {
    const unsigned char* const is_chosen = chosen_.empty() ? nullptr : is_chosen_.data() + begin;
    if (is_chosen != nullptr && std::memchr(is_chosen, 1, n) == nullptr) return;
    const auto is_asked_for = [&](std::size_t j) { return j < n && (is_chosen == nullptr || is_chosen[j] != 0); };
    const std::size_t lanes = (n + 7) / 8 * 8;
    const TermValue* const values = values_.data() + begin;
    unsigned char* const doubtful = doubtful_.data() + begin;
    double empty_hi[block_terms], empty_lo[block_terms], scores[block_terms];
    unsigned char doubtful_scores[block_terms];
    for (std::size_t j = 0; j < lanes; ++j) {
      const DoubleDouble U{values[j].U_hi, values[j].U_lo};
      DoubleDouble V;
      if (is_asked_for(j) && U.hi > 0 && !empty_.of(sum).find(U, V)) doubtful[j] = 1;
      empty_hi[j] = V.hi, empty_lo[j] = V.lo;
    }
    task_.kernels.finish_terms({static_cast<int>(lanes), &pairs_.totals, sum, sums_.data() + begin, values, empty_hi,
                                empty_lo, scores, doubtful_scores});
    for (std::size_t j = 0; j < n; ++j) {
      if (!is_asked_for(j)) continue;
      const bool unseen = values[j].U_hi == 0;
      task_.scores[static_cast<std::size_t>(first_) + begin + j] = unseen ? unseen_ : scores[j];
      if (!unseen && doubtful_scores[j] != 0) doubtful[j] = 1;
    }
  }

  const ScoreTask<Count>& task_;
  const PairModel& pairs_;
  const EmptySums& empty_;
  const double unseen_;
  ChunkEntries entries_;
  std::int64_t next_ = 0;                 // the term after the last chunk's
  std::int64_t first_ = 0;                // the chunk's first term
  std::size_t n_ = 0;                     // and how many it has
  std::vector<TermSums> sums_;            // (terms of the chunk,)
  std::vector<TermValue> values_;         // (terms of the chunk,)
  std::vector<unsigned char> doubtful_;   // (terms of the chunk,)
  std::vector<TermId> chosen_;            // the terms of the second sum, none during the first
  std::vector<unsigned char> is_chosen_;  // (terms of the chunk,) whether a term is one of them
  std::vector<TermId> terms_;             // (terms of the chunk,) of a class's run that could not be read where it stands
  std::vector<double> l_;                 // (terms of the chunk,) its counts
  BlockScorer<Count> dense_;
};

template <CountType Count>
void run_sparse(const ScoreTask<Count>& task, double b1, const Threads& requested) {
  const std::int64_t n_terms = task.counts.n_terms;
  const double unseen = results_of_unseen(task)[0];
  const PairModel pairs = make_pair_model(task.model, task.kernels, b1, task.measure, task.aggregate);
  const auto of_empty = [&](PairSum sum) { return EmptyClasses(task.model, pairs, task.kernels, sum); };
  const EmptySums empty{of_empty(PairSum::split), of_empty(PairSum::whole)};
  std::int64_t n_pairs = 0;
  for (std::size_t k = 0; k < task.n_classes(); ++k) n_pairs += task.row(k).size;
  const Threads threads = worth(requested, n_pairs);
  PerThread<SparseScorer<Count>> scorers(threads);
  const std::int64_t size = sparse_chunk_terms(n_terms, n_pairs, task.n_classes(), threads);
  for_each_block((n_terms + size - 1) / size, threads, [&](std::int64_t chunk, Worker& worker) {
    const std::int64_t first = chunk * size;
    scorers.own(worker, task, pairs, empty, unseen, size).score(first, std::min(first + size, n_terms), worker);
  });
}

}  // namespace

template <CountType Count>
bool sparse_pays(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate) {
  if (aggregate == Aggregate::max || !(estimation.b1 > 0) || measure == Measure::direction) return false;
  double n_classes = 0, pairs = 0;
  for (const auto& row : counts.rows) {
    if (row->n_docs == 0) continue;  // takes no part and changes no bit
    const double total = static_cast<double>(row->n_tokens) + estimation.b2;
    if (!(total >= 1 / most_pair_total && total <= most_pair_total)) return false;
    n_classes += 1, pairs += static_cast<double>(row->size);
  }
  const double terms = std::min(static_cast<double>(counts.n_terms), pairs);
  // In evaluations of a class's value by the dense way, as measured; 48 pieces of V.
  const double pair = measure == Measure::kl ? 2 : 4, term = 4, pieces = 48 * EmptyClasses::n_evaluations;
  return pair * pairs + term * terms + pieces * n_classes < n_classes * terms;
}

template <CountType Count>
void score_dense(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
                 const Threads& threads, double* scores) {
  const ClassModel model = make_class_model(counts, estimation);
  const ScoreTask<Count> task{counts, model, kernels_in_use(), measure, aggregate, scores, nullptr};
  const SmallColumns small(counts, model);
  if (small.pay()) run_by_table(task, small, threads);
  else run_dense(task, threads);
}

template <CountType Count>
void score_sparse(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
                  const Threads& threads, double* scores) {
  const ClassModel model = make_class_model(counts, estimation);
  run_sparse<Count>({counts, model, kernels_in_use(), measure, aggregate, scores, nullptr}, estimation.b1, threads);
}

template <CountType Count>
void score(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
           const Threads& threads, double* scores) {
  if (sparse_pays(counts, estimation, measure, aggregate))
    score_sparse(counts, estimation, measure, aggregate, threads, scores);
  else
    score_dense(counts, estimation, measure, aggregate, threads, scores);
}

template <CountType Count>
void class_scores(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure,
                  const Threads& threads, double* class_scores, TermRange range) {
  const ClassModel model = make_class_model(counts, estimation);
  range = range.within(counts.n_terms);
  std::fill_n(class_scores, static_cast<std::int64_t>(counts.rows.size()) * range.size(), 0.0);
  run_dense<Count>(
      {counts, model, kernels_in_use(), measure, Aggregate::sum, nullptr, class_scores, nullptr, range}, threads);
}

template <CountType Count>
void class_directions(const ClassCounts<Count>& counts, const Estimation& estimation, Measure,
                      const Threads& threads, std::int8_t* directions, TermRange range) {
  const ClassModel model = make_class_model(counts, estimation);
  range = range.within(counts.n_terms);
  std::fill_n(directions, static_cast<std::int64_t>(counts.rows.size()) * range.size(), std::int8_t{0});
  run_dense<Count>(
      {counts, model, kernels_in_use(), Measure::direction, Aggregate::sum, nullptr, nullptr, directions, range}, threads);
}

template void score_dense(const ClassCounts<std::int64_t>&, const Estimation&, Measure, Aggregate, const Threads&, double*);
template void score_dense(const ClassCounts<double>&, const Estimation&, Measure, Aggregate, const Threads&, double*);
template void score_sparse(const ClassCounts<std::int64_t>&, const Estimation&, Measure, Aggregate, const Threads&, double*);
template void score_sparse(const ClassCounts<double>&, const Estimation&, Measure, Aggregate, const Threads&, double*);
template bool sparse_pays(const ClassCounts<std::int64_t>&, const Estimation&, Measure, Aggregate);
template bool sparse_pays(const ClassCounts<double>&, const Estimation&, Measure, Aggregate);
template void score(const ClassCounts<std::int64_t>&, const Estimation&, Measure, Aggregate, const Threads&, double*);
template void score(const ClassCounts<double>&, const Estimation&, Measure, Aggregate, const Threads&, double*);
template void class_scores(const ClassCounts<std::int64_t>&, const Estimation&, Measure, const Threads&, double*, TermRange);
template void class_scores(const ClassCounts<double>&, const Estimation&, Measure, const Threads&, double*, TermRange);
template void class_directions(const ClassCounts<std::int64_t>&, const Estimation&, Measure, const Threads&, std::int8_t*,
                               TermRange);
template void class_directions(const ClassCounts<double>&, const Estimation&, Measure, const Threads&, std::int8_t*,
                               TermRange);

}  // namespace termsift

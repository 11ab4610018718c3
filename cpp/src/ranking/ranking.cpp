#include "termsift/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/bucket_sort.hpp"
#include "contingency/contingency_task.hpp"
#include "ranking/best_of_classes.hpp"
#include "ranking/best_terms.hpp"
#include "termsift/double_double.hpp"

namespace termsift {
namespace {

constexpr std::int64_t value_bytes = std::int64_t{32} << 20, list_bytes = std::int64_t{128} << 20;

// Makes the lists of all classes, one part at a time.
template <CountType Count, class AnyMeasure>
class ClassLists {
 public:
  ClassLists(const ClassCounts<Count>& counts, const Estimation& estimation, AnyMeasure measure, const Threads& threads)
      : counts_(counts), estimation_(estimation), measure_(measure), threads_(threads), lists_(counts.rows.size()) {
    std::int64_t n_pairs = 0;
    for (const auto& row : counts.rows)
      if (row->is_present()) ++n_classes_, n_pairs += row->size;
    if constexpr (std::is_same_v<AnyMeasure, Measure>) {
      if (Best::pays(counts, estimation, measure)) best_.emplace(counts, estimation, measure, threads);
    } else if (4 * n_pairs + 64 * counts.n_terms < n_classes_ * counts.n_terms) {  // a measured limit
      by_total_.emplace(ContingencyTask<Count>(counts, estimation, measure, Aggregate::sum), threads);
    }
  }

  std::int64_t n_classes() const { return n_classes_; }  // the number of nonempty classes
  // Returns the current part of a row's list. The list of an empty class is empty.
  const std::vector<ListedTerm>& operator[](std::size_t row) const { return lists_[row].terms(); }

  // Makes the next part of every list current and returns its length. The length is `few` if only few terms are candidates,
  // and `many` otherwise.
  std::int64_t next(std::int64_t few, std::int64_t many) {
    const std::vector<std::int64_t> terms = candidates(n_places_ + few);
    if (terms.empty()) best_.reset();  // further parts would have even more candidates
    const std::int64_t length = terms.empty() ? many : few;
    for (BestTerms& list : lists_) list.begin_next_part(length);
    if (by_total_) add_by_total();
    else add_every_value(terms);
    n_places_ += length;
    return length;
  }

 private:
  using Best = BestOfClasses<Count>;

  struct ByTotal {
    ByTotal(const ContingencyTask<Count>& t, const Threads& threads)
        : task(t), totals(totals_of_terms(task, threads)), terms(totals, threads) {}
    const ContingencyTask<Count> task;
    const std::vector<ColumnTotal> totals;
    const TermsByTotal terms;
  };

  // Returns the terms that may be among the first `n_places` terms of a list, or no terms if most terms may be among them.
  std::vector<std::int64_t> candidates(std::int64_t n_places) const {
    if (!best_ || 4 * n_places * n_classes_ > counts_.n_terms) return {};
    std::vector<std::int64_t> terms = best_->terms(n_places);
    if (2 * std::ssize(terms) > counts_.n_terms) terms.clear();
    return terms;
  }

  // Adds the values of `terms`, or of all terms if `terms` is empty, to the lists of all classes.
  void add_every_value(const std::vector<std::int64_t>& terms) {
    const bool few = !terms.empty();
    const ClassCounts<Count> counts_of_few = few ? of_terms(counts_, terms, threads_) : ClassCounts<Count>{};
    const ClassCounts<Count>& source = few ? counts_of_few : counts_;
    const std::int64_t n_rows = std::ssize(counts_.rows);
    // counts_of_few also needs memory, so the values may use only half of value_bytes.
    const std::int64_t width =
        std::min(source.n_terms, std::max<std::int64_t>(64, value_bytes / 8 / n_rows) / (few ? 2 : 1));
    std::vector<double> values(at(n_rows * width));
    for (std::int64_t first = 0; first < source.n_terms; first += width) {
      const std::int64_t n = std::min(width, source.n_terms - first);
      class_results(source, estimation_, measure_, threads_, values.data(), {first, first + n});
      for_each_block(n_rows, worth(threads_, n * n_classes_), [&](std::int64_t c, Worker&) {
        if (!counts_.rows[at(c)]->is_present()) return;
        BestTerms& list = lists_[at(c)];
        for (std::int64_t t = 0; t < n; ++t) list.add(values[at(c * n + t)], few ? terms[at(first + t)] : first + t);
        if (first + n == source.n_terms) list.finish_list();
      });
    }
  }

  // Adds the values of each class to its list. In a class, all absent terms with the same total have the same value.
  void add_by_total() {
    const ContingencyTask<Count>& task = by_total_->task;
    const std::vector<ColumnTotal>& distinct = by_total_->terms.totals();
    PerThread<std::vector<unsigned char>> has_of_threads(threads_);
    for_each_block(static_cast<std::int64_t>(task.n_classes()), threads_, [&](std::int64_t block, Worker& worker) {
      worker.check();
      const auto k = static_cast<std::size_t>(block);
      const ClassRow<Count>& row = task.row(k);
      const ContingencyConstants& constants = task.model.classes[k].constants;
      BestTerms& list = lists_[at(task.row_index(k))];
      std::vector<unsigned char>& has = has_of_threads.own(worker, counts_.n_terms);  // 1 if the class has the term
      for (std::int64_t i = 0; i < row.size; ++i) has[at(row.terms[i])] = 1;
      TermBatch batch(task.kernel, task.model);
      for_each_batch(0, row.size, [&](std::int64_t begin, int n) {
        const TermId* const terms = row.terms + begin;
        for (int j = 0; j < n; ++j)
          batch.set(j, scale(exact_double(task.cells(row)[begin + j]), task.model.unit), by_total_->totals[at(terms[j])]);
        const double* const values = batch.values(n, constants);
        for (int j = 0; j < n; ++j) list.add(values[j], terms[j]);
      });
      for_each_batch(0, std::ssize(distinct), [&](std::int64_t begin, int n) {
        for (int j = 0; j < n; ++j) batch.set(j, {}, distinct[at(begin + j)]);
        const double* const values = batch.values(n, constants);
        for (int j = 0; j < n; ++j)
          for (const TermId term : by_total_->terms.terms(at(begin + j)))
            if (has[at(term)] == 0 && !list.add(values[j], term)) break;
      });
      for (std::int64_t i = 0; i < row.size; ++i) has[at(row.terms[i])] = 0;
      list.finish_list();
    });
  }

  const ClassCounts<Count>& counts_;
  const Estimation& estimation_;
  const AnyMeasure measure_;
  const Threads& threads_;
  std::vector<BestTerms> lists_;  // (rows of the counts,) the current part of each list
  std::int64_t n_classes_ = 0, n_places_ = 0;
  std::optional<Best> best_;        // only for a Measure
  std::optional<ByTotal> by_total_;  // only for a ContingencyMeasure
};

}  // namespace

void top_k(const double* scores, std::int64_t n, std::int64_t k, const Threads& threads, std::int64_t* indices) {
  // Score and index are stored together, because a lookup of the score in each comparison would cause a cache miss.
  struct Entry {
    double score;
    std::int64_t index;
  };
  const auto better = [](const Entry& a, const Entry& b) {
    return a.score > b.score || (a.score == b.score && a.index < b.index);
  };
  const auto entries = std::make_unique_for_overwrite<Entry[]>(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) entries[i] = {scores[i], i};
  Entry* const begin = entries.get();
  if (k < n) std::nth_element(begin, begin + k, begin + n, better);
  sort_in_parts(begin, begin + k, threads, better);
  for (std::int64_t i = 0; i < k; ++i) indices[i] = entries[i].index;
}

void running_sums(const double* values, std::int64_t n, double* sums) {
  DoubleDouble sum;
  double largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const DoubleDouble next = add(sum, {values[i], 0});
    // The low part of an infinite sum would be NaN.
    if (std::isfinite(next.hi)) sum = next, largest = std::max(largest, sum.hi);
    else largest = HUGE_VAL;
    sums[i] = largest;
  }
}

template <CountType Count, class AnyMeasure>
void round_robin(const ClassCounts<Count>& counts, const Estimation& estimation, AnyMeasure measure, std::int64_t k,
                 const Threads& threads, std::int64_t* indices, double* scores, std::int64_t* classes) {
  const std::int64_t n_terms = counts.n_terms;
  const bool any_present = std::any_of(counts.rows.begin(), counts.rows.end(), [](auto& row) { return row->is_present(); });
  if (!any_present || n_terms == 0 || k == 0) {
    double none = 0;
    class_results(counts, estimation, measure, threads, &none, {0, 0});  // checks the arguments
    std::iota(indices, indices + k, 0);
    std::fill_n(scores, k, 0.0);
    std::fill_n(classes, k, std::int64_t{0});
    return;
  }
  ClassLists lists(counts, estimation, measure, threads);
  const std::int64_t longest_that_fits = list_bytes / static_cast<std::int64_t>(2 * sizeof(ListedTerm)) / lists.n_classes();
  const std::int64_t longest = std::min(n_terms, std::max<std::int64_t>(64, longest_that_fits));
  std::vector<bool> taken(static_cast<std::size_t>(n_terms));
  struct Turn {
    ListedTerm listed;
    std::size_t row;
  };
  std::vector<Turn> turn;  // the new terms at the current place of all lists
  std::int64_t n_taken = 0, length = 0;
  while (n_taken < k) {
    const std::int64_t share = (k - n_taken) / lists.n_classes() + 1;
    const auto up_to_longest = [&](std::int64_t least) { return std::min(longest, std::max(least, 2 * length)); };
    // Several lists may have the same best terms, so each part has four times its share of the remaining places, which is
    // usually enough.
    length = lists.next(up_to_longest(share), k - n_taken > n_terms / 4 ? longest : up_to_longest(4 * share + 12));
    for (std::size_t place = 0; place < static_cast<std::size_t>(length) && n_taken < k; ++place) {
      turn.clear();
      for (std::size_t row = 0; row < counts.rows.size(); ++row) {
        if (place >= lists[row].size()) continue;
        const ListedTerm& listed = lists[row][place];
        if (taken[static_cast<std::size_t>(listed.term)]) continue;
        taken[static_cast<std::size_t>(listed.term)] = true;
        turn.push_back({listed, row});
      }
      std::sort(turn.begin(), turn.end(), [](const Turn& a, const Turn& b) { return a.listed.term < b.listed.term; });
      for (std::size_t i = 0; i < turn.size() && n_taken < k; ++i, ++n_taken) {
        indices[n_taken] = turn[i].listed.term, scores[n_taken] = turn[i].listed.value;
        classes[n_taken] = static_cast<std::int64_t>(turn[i].row);
      }
    }
  }
}

#define TERMSIFT_INSTANTIATE(Count, AnyMeasure)                                                                            \
  template void round_robin(const ClassCounts<Count>&, const Estimation&, AnyMeasure, std::int64_t, const Threads&,        \
                            std::int64_t*, double*, std::int64_t*);
TERMSIFT_INSTANTIATE(std::int64_t, Measure)
TERMSIFT_INSTANTIATE(std::int64_t, ContingencyMeasure)
TERMSIFT_INSTANTIATE(double, Measure)
TERMSIFT_INSTANTIATE(double, ContingencyMeasure)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift

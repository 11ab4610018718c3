#include "termsift/contingency.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "termsift/double_double.hpp"
#include "base/bucket_sort.hpp"
#include "contingency/contingency_task.hpp"
#include "simd/targets.hpp"

namespace termsift {
namespace {

// Replaces an infinite value(0, t, c) by 0. value(0, t, c) is infinite only if all classes except c together are too small
// for a term with the total t. The result must be finite, because it is added to a sum and subtracted again later.
double if_possible(double value) { return std::isfinite(value) ? value : 0; }

constexpr double infinity = std::numeric_limits<double>::infinity();

// The data that all terms share when their values are summed over the classes. Classes of weight 0 are ignored.
template <CountType Count>
class SumTask {
 public:
  SumTask(const ContingencyTask<Count>& task, const Threads& threads) {
    for (const ContingencyClass& c : task.model.classes) {
      // Without smoothing, the values of a class that has no tokens are 0/0, which counts as 0 and not as -inf.
      const bool adds_zero = task.model.facts.absent == Absent::minus_infinity && c.constants.r.hi == 0 &&
                             c.constants.b2.hi == 0;
      n_classes += c.weight != 0 && !adds_zero;
      products = add(products, {c.weight * c.product, 0});
      if (reference == nullptr && c.product > 0) reference = &c;
    }
    if (task.model.facts.absent == Absent::each) sum_absent(task, threads);
  }

  // Returns sum_c weight_c value(0, t, c) over all classes, for Absent::each.
  DoubleDouble if_absent(const ColumnTotal& t) const {
    return sums_[static_cast<std::size_t>(std::lower_bound(totals_.begin(), totals_.end(), t, is_less) - totals_.begin())];
  }

  std::int32_t n_classes = 0;
  DoubleDouble products;                        // sum_c weight_c h_c
  const ContingencyClass* reference = nullptr;  // a class whose h_c is positive

 private:
  void sum_absent(const ContingencyTask<Count>& task, const Threads& threads) {
    totals_ = totals_of_terms(task, threads);
    sort_in_parts(totals_.begin(), totals_.end(), threads, is_less);
    const auto equal = [](const ColumnTotal& x, const ColumnTotal& y) { return !is_less(x, y); };  // as x <= y
    totals_.erase(std::unique(totals_.begin(), totals_.end(), equal), totals_.end());
    sums_.resize(totals_.size());
    const std::int64_t n = std::ssize(totals_);
    const Threads worthwhile = worth(threads, n * std::ssize(task.model.classes));
    for_each_range(n, batch_terms, worthwhile, [&](std::int64_t begin, std::int64_t end, Worker& worker) {
      const auto first = static_cast<std::size_t>(begin);
      const auto size = static_cast<int>(end - begin);
      TermBatch batch(task.kernel, task.model);
      for (int j = 0; j < size; ++j) batch.set(j, {}, totals_[first + static_cast<std::size_t>(j)]);
      for (const ContingencyClass& c : task.model.classes) {
        worker.check();
        const double* values = batch.values(size, c.constants);
        for (int j = 0; j < size; ++j) {
          DoubleDouble& sum = sums_[first + static_cast<std::size_t>(j)];
          if (c.weight != 0) sum = add(sum, {c.weight * if_possible(values[j]), 0});
        }
      }
    });
  }

  std::vector<ColumnTotal> totals_;  // the distinct totals t, increasing; empty unless Absent::each
  std::vector<DoubleDouble> sums_;    // if_absent(t) for each t in totals_
};

// Computes the scores of chunks of terms. Each thread has its own ChunkScorer.
template <CountType Count>
class ChunkScorer {
 public:
  explicit ChunkScorer(const ContingencyTask<Count>& task)
      : task_(task), entries_(task.n_classes()), totals_(task.model), batch_(task.kernel, task.model) {}

  // Sets scores[t] to the sum of the values of term first + t over the classes. O(pairs of the chunk + n_classes).
  void sum(const SumTask<Count>& sums, std::int64_t first, std::int64_t last, Worker& worker, double* scores) {
    find(first, last);
    sums_.assign(static_cast<std::size_t>(last - first), Sum{});
    for (std::size_t k = 0; k < task_.n_classes(); ++k) {
      if (k % 64 == 0) worker.check();
      const ContingencyClass& c = task_.model.classes[k];
      if (c.weight == 0) continue;
      entries_.prefetch_after(task_, k);
      for_each_batch(entries_.begin[k], entries_.end[k], [&](std::int64_t begin, int n) {
        const TermId* const terms = task_.row(k).terms + begin;
        const double* const values = values_of_entries(k, begin, n, first);
        for (int j = 0; j < n; ++j) {
          Sum& sum = sums_[at(terms[j] - first)];
          ++sum.n_classes;
          add_to(sum.value, c.weight * values[j]);
          add_to(sum.if_absent, c.weight * c.product);
        }
        if (task_.model.facts.absent == Absent::each) add_values_if_absent(c, terms, n, first);
      });
    }
    finish_sums(sums, last - first, scores);
  }

  // Sets scores[t] to the largest value of term first + t in any class. If `strongest` is not null, sets strongest[t] to
  // the row of the class with the largest value (the first such row), and signs[t] to the sign of det in this class.
  void max(std::int64_t first, std::int64_t last, Worker& worker, double* scores, std::int64_t* strongest,
           std::int8_t* signs) {
    find(first, last);
    const auto n = static_cast<std::size_t>(last - first);
    largest_.assign(n, Largest{});
    for (std::size_t k = 0; k < task_.n_classes(); ++k) {
      if (k % 64 == 0) worker.check();
      const auto place = static_cast<std::int32_t>(k);
      entries_.prefetch_after(task_, k);
      for_each_batch(entries_.begin[k], entries_.end[k], [&](std::int64_t begin, int n_batch) {
        const TermId* const terms = task_.row(k).terms + begin;
        const double* const values = values_of_entries(k, begin, n_batch, first);
        for (int j = 0; j < n_batch; ++j) {  // an unpredictable branch in this loop would dominate the time
          Largest& largest = largest_[at(terms[j] - first)];
          largest.first_absent += largest.first_absent == place;
          if (strongest != nullptr) raise(largest, values[j], place);
          else largest.value = std::max(largest.value, values[j]);
        }
      });
    }
    raise_to_absent(n);
    for (std::size_t t = 0; t < n; ++t) scores[t] = totals_[t].t.hi > 0 ? largest_[t].value : 0;
    if (strongest == nullptr) return;
    std::int64_t first_row = std::ssize(task_.counts.rows);
    for (const ContingencyClass& c : task_.model.classes) first_row = std::min(first_row, c.row);
    for (std::size_t t = 0; t < n; ++t) {
      const bool seen = totals_[t].t.hi > 0;
      strongest[t] = seen ? row_of(largest_[t].place) : first_row;
      signs[t] = seen ? sign(static_cast<std::size_t>(largest_[t].place), first, t) : std::int8_t{0};
    }
  }

  // Sets scores[t] to the value of the term in the whole collection, which is treated as one class.
  void collection(std::int64_t first, std::int64_t last, double* scores) {
    find(first, last);
    ColumnTotals<Count> cells(task_.model);
    cells.find(task_, entries_, first, last, task_.model.facts.cells_are_tokens);
    for_each_batch(0, last - first, [&](std::int64_t begin, int n) {
      for (int j = 0; j < n; ++j) batch_.set(j, cells[at(begin + j)].t, totals_[at(begin + j)]);
      std::copy_n(batch_.values(n, task_.model.classes.front().constants), n, scores + begin);
    });
  }

  // Calls store(k, begin, n, values) for each class k and each batch of terms [begin, begin + n). O(n_classes * terms).
  template <class Store>
  void all_values(std::int64_t first, std::int64_t last, Worker& worker, const Store& store) {
    find(first, last);
    std::vector<DoubleDouble> a(static_cast<std::size_t>(last - first));
    for (std::size_t k = 0; k < task_.n_classes(); ++k) {
      worker.check();
      std::fill(a.begin(), a.end(), DoubleDouble{});
      const ClassRow<Count>& row = task_.row(k);
      for (std::int64_t i = entries_.begin[k]; i < entries_.end[k]; ++i)
        a[static_cast<std::size_t>(row.terms[i] - first)] = scale(exact_double(task_.cells(row)[i]), task_.model.unit);
      for_each_batch(0, last - first, [&](std::int64_t begin, int n) {
        for (int j = 0; j < n; ++j) batch_.set(j, a[at(begin + j)], totals_[at(begin + j)]);
        store(k, first + begin, n, batch_.values(n, task_.model.classes[k].constants));
      });
    }
  }

 private:
  struct Sum {
    DoubleDouble value;
    // The weighted sum of h_c, or of value(0, t, c), over the classes that have the term.
    DoubleDouble if_absent;
    std::int32_t n_classes = 0;  // the number of classes that have the term
  };
  struct Largest {
    double value = -infinity;
    std::int32_t place = 0;         // the class with the largest value (the first row if there are several)
    std::int32_t first_absent = 0;  // the first class from which the term is absent
  };

  void find(std::int64_t first, std::int64_t last) {
    entries_.find(task_, first, last);
    totals_.find(task_, entries_, first, last);
  }

  // Returns the values of the entries [begin, begin + n) of class k, n <= batch_terms. They are valid until batch_ is used.
  const double* values_of_entries(std::size_t k, std::int64_t begin, int n, std::int64_t first) {
    const ClassRow<Count>& row = task_.row(k);
    return batch_.values_of_entries(task_.cells(row), row.terms, begin, n, totals_, first, task_.model.classes[k].constants);
  }

  // Adds the values that n terms of class c would have in this class if it lacked them.
  void add_values_if_absent(const ContingencyClass& c, const TermId* terms, int n, std::int64_t first) {
    for (int j = 0; j < n; ++j) batch_.set(j, {}, totals_[at(terms[j] - first)]);
    const double* const values = batch_.values(n, c.constants);
    for (int j = 0; j < n; ++j) add_to(sums_[at(terms[j] - first)].if_absent, c.weight * if_possible(values[j]));
  }

  // Returns the sign of det = a g - t r for class k and the term first + t.
  std::int8_t sign(std::size_t k, std::int64_t first, std::size_t t) const {
    const ClassRow<Count>& row = task_.row(k);
    const std::int64_t term = first + static_cast<std::int64_t>(t);
    const std::int64_t i = find_term(row, entries_.begin[k], entries_.end[k], term);
    const bool has_term = i < entries_.end[k] && row.terms[i] == term;
    const DoubleDouble a = has_term ? scale(exact_double(task_.cells(row)[i]), task_.model.unit) : DoubleDouble{};
    const ContingencyConstants& c = task_.model.classes[k].constants;
    return result_of<std::int8_t>(subtract(multiply(a, c.g), multiply(totals_[t].t, c.r)).hi);
  }

  // Adds a value to a double-double sum. If the sum is infinite, sets its low part to 0.
  static void add_to(DoubleDouble& sum, double value) {
    const DoubleDouble s = two_sum(sum.hi, value);
    sum = {s.hi, std::isfinite(s.hi) ? sum.lo + s.lo : 0.0};
  }

  // Completes the sum of each term by adding the term's values in the classes without the term.
  void finish_sums(const SumTask<Count>& sums, std::int64_t n_terms, double* scores) {
    const Absent absent = task_.model.facts.absent;
    for_each_batch(0, n_terms, [&](std::int64_t begin, int n) {
      const double* if_absent = nullptr;
      if (absent == Absent::product && sums.reference != nullptr) {
        for (int j = 0; j < n; ++j) batch_.set(j, {}, totals_[at(begin + j)]);
        if_absent = batch_.values(n, sums.reference->constants);
      }
      for (int j = 0; j < n; ++j) {
        const std::size_t t = at(begin + j);
        Sum& sum = sums_[t];
        if (sum.n_classes < sums.n_classes) {  // if every class has the term, only rounding errors would be added
          if (absent == Absent::each) {
            const DoubleDouble difference = subtract(sums.if_absent(totals_[t]), sum.if_absent);
            add_to(sum.value, difference.hi);
            add_to(sum.value, difference.lo);
          } else if (absent == Absent::minus_infinity) add_to(sum.value, -infinity);
          else if (absent == Absent::infinity) add_to(sum.value, infinity);
          else if (if_absent != nullptr)
            add_to(sum.value, if_absent[j] / sums.reference->product * subtract(sums.products, sum.if_absent).hi);
        }
        const double score = sum.value.hi + sum.value.lo;  // NaN if both inf and -inf were added
        scores[t] = totals_[t].t.hi > 0 && score == score ? score : 0;
      }
    });
  }

  std::int64_t row_of(std::int32_t place) const { return task_.model.classes[static_cast<std::size_t>(place)].row; }

  // Replaces `largest` by a class's value if it is greater. If both are equal, the class with the earlier row wins.
  void raise(Largest& largest, double value, std::int32_t place) const {
    if (value > largest.value || (value == largest.value && row_of(place) < row_of(largest.place)))
      largest.value = value, largest.place = place;
  }

  // Raises each term's largest value to the term's value in the first class without the term, if this value is greater.
  // In later classes without the term, the value is not greater. O(pairs), because a term stays in waiting_ only for the
  // classes that have the term.
  void raise_to_absent(std::size_t n_terms) {
    waiting_.resize(n_terms + 1);
    std::size_t n_waiting = 0;
    for (std::size_t t = 0; t < n_terms; ++t) {  // this loop and the loop over i avoid unpredictable branches
      waiting_[n_waiting] = static_cast<std::int32_t>(t);
      n_waiting += totals_[t].t.hi > 0;
    }
    for (std::size_t k = 0; k < task_.n_classes() && n_waiting > 0; ++k) {
      const ContingencyClass& c = task_.model.classes[k];
      std::int32_t absent[batch_terms];
      int n = 0;
      const auto raise_batch = [&] {
        if (n == 0) return;
        for (int j = 0; j < n; ++j) batch_.set(j, {}, totals_[static_cast<std::size_t>(absent[j])]);
        const double* const values = batch_.values(n, c.constants);
        for (int j = 0; j < n; ++j)
          raise(largest_[static_cast<std::size_t>(absent[j])], values[j], static_cast<std::int32_t>(k));
        n = 0;
      };
      std::size_t n_kept = 0;
      for (std::size_t i = 0; i < n_waiting; ++i) {
        const std::int32_t t = waiting_[i];
        const bool is_absent = largest_[static_cast<std::size_t>(t)].first_absent == static_cast<std::int32_t>(k);
        absent[n] = waiting_[n_kept] = t;
        n += is_absent;
        n_kept += !is_absent;
        if (n == batch_terms) raise_batch();
      }
      raise_batch();
      n_waiting = n_kept;
    }
  }

  const ContingencyTask<Count>& task_;
  ChunkEntries entries_;
  ColumnTotals<Count> totals_;
  TermBatch batch_;
  // The following arrays have one element for each term of the chunk.
  std::vector<Sum> sums_;
  std::vector<Largest> largest_;
  std::vector<std::int32_t> waiting_;  // terms for which the loop over classes has not reached first_absent
};

// Calls use(scorer, first, last, worker) for every chunk of terms.
template <CountType Count, class Use>
void for_each_chunk(const ContingencyTask<Count>& task, std::int64_t work, const Threads& requested, const Use& use,
                    TermRange wanted = {}) {
  const TermRange range = wanted.within(task.counts.n_terms);
  const Threads threads = worth(requested, work);
  PerThread<ChunkScorer<Count>> scorers(threads);
  const std::int64_t size = chunk_terms(range.size(), threads);
  for_each_range(range.size(), size, threads, [&](std::int64_t begin, std::int64_t end, Worker& worker) {
    use(scorers.own(worker, task), range.first + begin, range.first + end, worker);
  });
}

}  // namespace

template <CountType Count>
void score(const ClassCounts<Count>& counts, const Estimation& estimation, ContingencyMeasure measure, Aggregate aggregate,
           const Threads& threads, double* scores) {
  const ContingencyTask<Count> task(counts, estimation, measure, aggregate);
  const std::int64_t work = task.n_pairs();
  if (task.model.classes.empty()) {
    std::fill_n(scores, counts.n_terms, 0.0);
  } else if (aggregate == Aggregate::max) {
    for_each_chunk(task, work, threads, [&](auto& scorer, std::int64_t first, std::int64_t last, Worker& worker) {
      scorer.max(first, last, worker, scores + first, nullptr, nullptr);
    });
  } else {
    const SumTask<Count> sums(task, threads);
    for_each_chunk(task, work, threads, [&](auto& scorer, std::int64_t first, std::int64_t last, Worker& worker) {
      scorer.sum(sums, first, last, worker, scores + first);
    });
  }
}

template <CountType Count>
void strongest_class(const ClassCounts<Count>& counts, ContingencyMeasure measure, const Threads& threads, double* scores,
                     std::int64_t* classes, std::int8_t* signs) {
  const ContingencyTask<Count> task(counts, {0, 0}, measure, Aggregate::max);
  for_each_chunk(task, task.n_pairs(), threads, [&](auto& scorer, std::int64_t first, std::int64_t last, Worker& worker) {
    scorer.max(first, last, worker, scores + first, classes + first, signs + first);
  });
}

template <CountType Count>
void collection_scores(const ClassCounts<Count>& counts, ContingencyMeasure measure, const Threads& threads,
                       double* scores) {
  const ContingencyTask<Count> task(counts, {0, 0}, measure, Aggregate::sum);
  if (task.model.classes.empty()) {
    std::fill_n(scores, counts.n_terms, 0.0);
    return;
  }
  for_each_chunk(task, task.n_pairs(), threads, [&](auto& scorer, std::int64_t first, std::int64_t last, Worker&) {
    scorer.collection(first, last, scores + first);
  });
}

template <CountType Count, class Result>
void class_results(const ClassCounts<Count>& counts, const Estimation& estimation, ContingencyMeasure measure,
                   const Threads& threads, Result* results, TermRange range) {
  const auto task = task_of<Result>(counts, estimation, measure);
  range = range.within(counts.n_terms);
  const std::int64_t n_results = std::ssize(counts.rows) * range.size();
  for (std::size_t c = 0; c < counts.rows.size(); ++c)  // the loop below writes all other rows
    if (!counts.rows[c]->is_present())
      std::fill_n(results + static_cast<std::int64_t>(c) * range.size(), range.size(), Result{0});
  const auto use = [&](auto& scorer, std::int64_t first, std::int64_t last, Worker& worker) {
    scorer.all_values(first, last, worker, [&](std::size_t k, std::int64_t begin, int n, const double* values) {
      const std::int64_t place = task.model.classes[k].row * range.size() + begin - range.first;
      std::transform(values, values + n, results + place, result_of<Result>);
    });
  };
  for_each_chunk(task, n_results, threads, use, range);
}

#define TERMSIFT_INSTANTIATE(Count)                                                                                        \
  template void score(const ClassCounts<Count>&, const Estimation&, ContingencyMeasure, Aggregate, const Threads&,         \
                      double*);                                                                                            \
  template void strongest_class(const ClassCounts<Count>&, ContingencyMeasure, const Threads&, double*, std::int64_t*,     \
                                std::int8_t*);                                                                             \
  template void collection_scores(const ClassCounts<Count>&, ContingencyMeasure, const Threads&, double*);                 \
  template void class_results(const ClassCounts<Count>&, const Estimation&, ContingencyMeasure, const Threads&, double*,   \
                              TermRange);                                                                                  \
  template void class_results(const ClassCounts<Count>&, const Estimation&, ContingencyMeasure, const Threads&,            \
                              std::int8_t*, TermRange);
TERMSIFT_INSTANTIATE(std::int64_t)
TERMSIFT_INSTANTIATE(double)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift

// A scoring task over contingency tables, the column totals of a chunk of its terms, and batches of terms for the kernels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "termsift/double_double.hpp"
#include "contingency/contingency_kernels.hpp"
#include "scoring/chunk_entries.hpp"
#include "simd/targets.hpp"

namespace termsift {

// A nonempty class.
struct ContingencyClass {
  std::int64_t row;  // the index of the class in ClassCounts::rows
  double weight;     // pi_c if the aggregate is the mean, otherwise 1
  double product;    // h_c (MeasureFacts::h), or 0 if the class is the whole collection or the measure has no h
  ContingencyConstants constants;
};

struct ContingencyModel {
  MeasureFacts facts;
  // The classes are sorted by decreasing value(0, t, c) (see Absent), and by increasing row if these values are equal.
  // Among the classes without a term, the first class therefore gives the term its largest value.
  std::vector<ContingencyClass> classes;
  bool whole = false;  // true if all counts are whole numbers up to 2^50
  double unit = 1;     // the factor by which counts are multiplied
};

// O(n_classes).
template <CountType Count>
ContingencyModel make_contingency_model(const ClassCounts<Count>& counts, const Estimation& estimation,
                                        ContingencyMeasure measure, Aggregate aggregate);

// The largest chunk has arrays of 256 KiB. With 5,000 classes, a smaller chunk would have too few terms of each class.
inline constexpr std::int64_t most_chunk_terms = 1 << 15;

// Returns the number of terms in a thread's chunk. Chunks are so small that no thread waits long for the last chunk of
// another thread.
inline std::int64_t chunk_terms(std::int64_t n_terms, const Threads& threads) {
  constexpr std::int64_t least_chunk_terms = 1 << 10;  // in smaller chunks, visiting the classes would take most of the time
  if (threads.count == 1) return most_chunk_terms;
  return std::clamp(n_terms / (8 * threads.count), least_chunk_terms, most_chunk_terms);
}

template <CountType Count>
struct ContingencyTask {
  ContingencyTask(const ClassCounts<Count>& counted, const Estimation& estimation, ContingencyMeasure measure,
                  Aggregate aggregate)
      : counts(counted), model(make_contingency_model(counted, estimation, measure, aggregate)),
        kernel(kernels_in_use<ContingencyKernels>().values_of(measure)) {}

  const ClassCounts<Count>& counts;
  const ContingencyModel model;
  ContingencyKernel kernel;

  std::size_t n_classes() const { return model.classes.size(); }
  std::int64_t row_index(std::size_t k) const { return model.classes[k].row; }
  const ClassRow<Count>& row(std::size_t k) const { return *counts.rows[at(row_index(k))]; }
  const Frequencies<Count>& cells(const ClassRow<Count>& row) const {
    return model.facts.cells_are_tokens ? row.term_frequency : row.document_frequency;
  }
  std::int64_t n_pairs() const {
    std::int64_t n = 0;
    for (std::size_t k = 0; k < n_classes(); ++k) n += row(k).size;
    return n;
  }
};

// Returns the task for class_results(), which applies result_of<Result>() to the task's values.
template <class Result, CountType Count>
ContingencyTask<Count> task_of(const ClassCounts<Count>& counts, const Estimation& estimation, ContingencyMeasure measure) {
  constexpr bool of_directions = std::is_same_v<Result, std::int8_t>;
  if (of_directions && measure == ContingencyMeasure::tfidf) measure = ContingencyMeasure::direction;
  ContingencyTask<Count> task(counts, estimation, measure, Aggregate::sum);
  if (of_directions && !task.model.facts.direction_is_sign)
    task.kernel = kernels_in_use<ContingencyKernels>().values_of(ContingencyMeasure::direction);
  return task;
}

// Returns the value itself, or its sign if Result is std::int8_t.
template <class Result>
Result result_of(double value) {
  if constexpr (std::is_same_v<Result, std::int8_t>) return static_cast<Result>((value > 0) - (value < 0));
  else return value;
}

// The column totals of a chunk of terms, scaled by the model's unit.
template <CountType Count>
class ColumnTotals {
 public:
  explicit ColumnTotals(const ContingencyModel& model)
      : hi_(most_chunk_terms), lo_(most_chunk_terms), tokens_(model.facts.reads_tokens ? most_chunk_terms : 0) {}

  ColumnTotal operator[](std::size_t t) const { return {{hi_[t], lo_[t]}, tokens_.empty() ? 0.0 : tokens_[t]}; }
  const double* hi() const { return hi_.data(); }
  const double* lo() const { return lo_.data(); }
  const double* tokens() const { return tokens_.data(); }  // null unless the measure reads tokens

  // Computes the totals of the terms [first, last) from their entries. O(entries).
  void find(const ContingencyTask<Count>& task, const ChunkEntries& entries, std::int64_t first, std::int64_t last) {
    if (!tokens_.empty()) {
      find(task, entries, first, last, true);
      std::copy_n(hi_.begin(), last - first, tokens_.begin());
    }
    find(task, entries, first, last, task.model.facts.column_totals_are_tokens);
  }
  // Computes the totals of tokens or of documents.
  void find(const ContingencyTask<Count>& task, const ChunkEntries& entries, std::int64_t first, std::int64_t last,
            bool of_tokens) {
    const auto add_entries = [&](const ClassRow<Count>& row, std::int64_t begin, std::int64_t end) {
      const Frequencies<Count>& frequencies = of_tokens ? row.term_frequency : row.document_frequency;
      add_row(row.terms, frequencies, begin, end, first, task.model.whole);
    };
    const auto n = static_cast<std::size_t>(last - first);
    std::fill_n(hi_.begin(), n, 0.0);
    std::fill_n(lo_.begin(), n, 0.0);
    if (const auto& collection = task.counts.collection) {
      const std::int64_t begin = find_term(*collection, 0, collection->size, first);
      add_entries(*collection, begin, find_term(*collection, begin, collection->size, last));
    } else {
      for (std::size_t k = 0; k < task.n_classes(); ++k) add_entries(task.row(k), entries.begin[k], entries.end[k]);
    }
    if (task.model.whole) return;
    for (std::size_t t = 0; t < n; ++t) {
      const DoubleDouble total = scale(quick_two_sum(hi_[t], lo_[t]), task.model.unit);
      hi_[t] = total.hi, lo_[t] = total.lo;
    }
  }

 private:
  void add_row(const TermId* terms, const Frequencies<Count>& frequency, std::int64_t begin, std::int64_t end,
               std::int64_t first, bool whole) {
    double* const hi = hi_.data();
    double* const lo = lo_.data();
    if (whole) {  // sums are exact
      for (std::int64_t i = begin; i < end; ++i) hi[terms[i] - first] += static_cast<double>(frequency[i]);
      return;
    }
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t t = terms[i] - first;
      const DoubleDouble value = exact_double(frequency[i]);
      const DoubleDouble sum = two_sum(hi[t], value.hi);
      hi[t] = sum.hi, lo[t] += sum.lo + value.lo;
    }
  }

  std::vector<double> hi_, lo_, tokens_;
};

inline constexpr int batch_terms = longest_contingency_batch;

// Divides [first, last) into batches [begin, begin + n), and calls use(begin, n) for each.
template <class Use>
void for_each_batch(std::int64_t first, std::int64_t last, const Use& use) {
  for (std::int64_t begin = first; begin < last; begin += batch_terms)
    use(begin, static_cast<int>(std::min<std::int64_t>(batch_terms, last - begin)));
}

// Passes the terms of one class through a contingency kernel, one batch at a time.
class TermBatch {
 public:
  TermBatch(ContingencyKernel kernel, const ContingencyModel& model)
      : kernel_(kernel), whole_(model.whole), reads_tokens_(model.facts.reads_tokens), unit_(model.unit) {}

  // Sets the cell a and the column total of term j of the batch.
  void set(int j, DoubleDouble a, const ColumnTotal& total) {
    a_hi_[j] = a.hi, t_hi_[j] = total.t.hi;
    if (!whole_) a_lo_[j] = a.lo, t_lo_[j] = total.t.lo;
    if (reads_tokens_) tokens_[j] = total.tokens;
  }
  // Returns the values of terms 0 to n - 1 of the batch, n <= batch_terms.
  const double* values(int n, const ContingencyConstants& constants) {
    const int padded = std::min((n + 7) / 8 * 8, batch_terms);
    for (int j = n; j < padded; ++j) set(j, {}, {});
    kernel_({padded, &constants, a_hi_, whole_ ? nullptr : a_lo_, t_hi_, whole_ ? nullptr : t_lo_, values_,
             reads_tokens_ ? tokens_ : nullptr});
    return values_;
  }
  // Returns the values of the entries [begin, begin + n) of a class, n <= batch_terms. `totals` has the column totals of the
  // chunk whose first term is `first`.
  template <CountType Count>
  const double* values_of_entries(const Frequencies<Count>& cells, const TermId* terms, std::int64_t begin, int n,
                                  const ColumnTotals<Count>& totals, std::int64_t first,
                                  const ContingencyConstants& constants) {
    for (int j = 0; j < n && whole_; ++j) a_hi_[j] = static_cast<double>(cells[begin + j]);
    for (int j = 0; j < n && !whole_; ++j) {
      const DoubleDouble a = scale(exact_double(cells[begin + j]), unit_);
      a_hi_[j] = a.hi, a_lo_[j] = a.lo;
    }
    for (int j = 0; j < n; ++j) t_hi_[j] = totals.hi()[terms[begin + j] - first];
    for (int j = 0; j < n && !whole_; ++j) t_lo_[j] = totals.lo()[terms[begin + j] - first];
    for (int j = 0; j < n && reads_tokens_; ++j) tokens_[j] = totals.tokens()[terms[begin + j] - first];
    return this->values(n, constants);
  }

 private:
  const ContingencyKernel kernel_;
  const bool whole_, reads_tokens_;
  const double unit_;
  double a_hi_[batch_terms], a_lo_[batch_terms], t_hi_[batch_terms], t_lo_[batch_terms], tokens_[batch_terms],
      values_[batch_terms];
};

// ---- values of terms in one class --------------------------------------------------------------------------------------

inline bool is_less(const ColumnTotal& x, const ColumnTotal& y) {
  if (x.t.hi != y.t.hi) return x.t.hi < y.t.hi;
  return x.t.lo != y.t.lo ? x.t.lo < y.t.lo : x.tokens < y.tokens;
}

// Returns the column totals (n_terms,) of all terms, scaled by the model's unit. O(pairs).
template <CountType Count>
std::vector<ColumnTotal> totals_of_terms(const ContingencyTask<Count>& task, const Threads& threads);

// The terms, grouped by column total. If totals are whole numbers, few of them are distinct, because n distinct totals add
// up to at least n (n - 1) / 2. The sum of all totals is the size of the collection. (A measure that reads tokens may have
// more distinct totals, because a total then is a pair of numbers.)
class TermsByTotal {
 public:
  // O(n_terms log(n_terms)).
  TermsByTotal(const std::vector<ColumnTotal>& of_terms, const Threads& threads);

  const std::vector<ColumnTotal>& totals() const { return totals_; }  // distinct and decreasing
  // Returns, in increasing order, the terms whose column total is totals()[i].
  std::span<const TermId> terms(std::size_t i) const { return {&terms_[starts_[i]], starts_[i + 1] - starts_[i]}; }

 private:
  std::vector<TermId> terms_;
  std::vector<ColumnTotal> totals_;
  std::vector<std::size_t> starts_;  // (n_totals + 1,)
};

}  // namespace termsift

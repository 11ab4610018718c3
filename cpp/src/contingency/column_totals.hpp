// A scoring task over contingency tables, and the column totals of a chunk of its terms.
#pragma once

#include <algorithm>
#include <cstdint>
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
  double product;    // MeasureFacts::h, or 0 if the class is the whole collection or the measure has no h
  ContingencyConstants constants;
};

struct ContingencyModel {
  MeasureFacts facts;
  // Sorted by decreasing value(0, t, c), and by increasing row if these values are equal. Of all classes without a term, the
  // first one therefore has the largest value.
  std::vector<ContingencyClass> classes;
  bool whole = false;  // true if all counts are whole numbers up to 2^50
  double unit = 1;     // the factor by which counts are multiplied
};

// O(n_classes).
template <CountType Count>
ContingencyModel make_contingency_model(const ClassCounts<Count>& counts, const Estimation& estimation,
                                        ContingencyMeasure measure, Aggregate aggregate);

// Each array of a chunk uses 256 KiB. If there are 5,000 classes, each would have too few terms in a smaller chunk.
inline constexpr std::int64_t most_chunk_terms = 1 << 15;

// Returns the number of terms in a thread's chunk. Chunks are so small that no thread waits long for the last chunk of
// another.
inline std::int64_t chunk_terms(std::int64_t n_terms, const Threads& threads) {
  constexpr std::int64_t least_chunk_terms = 1 << 10;  // with fewer terms, most time would go to visiting classes
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
  const ClassRow<Count>& row(std::size_t k) const { return *counts.rows[static_cast<std::size_t>(model.classes[k].row)]; }
  const Frequencies<Count>& cells(const ClassRow<Count>& row) const {
    return model.facts.cells_are_tokens ? row.term_frequency : row.document_frequency;
  }
  std::int64_t n_pairs() const {
    std::int64_t n = 0;
    for (std::size_t k = 0; k < n_classes(); ++k) n += row(k).size;
    return n;
  }
};

// Returns the task of class_directions(). The directions are the signs of the task's values.
template <CountType Count>
ContingencyTask<Count> task_of_directions(const ClassCounts<Count>& counts, const Estimation& estimation,
                                          ContingencyMeasure measure) {
  if (measure == ContingencyMeasure::tfidf) measure = ContingencyMeasure::direction;
  ContingencyTask<Count> task(counts, estimation, measure, Aggregate::sum);
  if (!task.model.facts.direction_is_sign)
    task.kernel = kernels_in_use<ContingencyKernels>().values_of(ContingencyMeasure::direction);
  return task;
}

inline std::int8_t direction_of(double value) { return static_cast<std::int8_t>((value > 0) - (value < 0)); }

// Calls use(array), where `array` has the frequencies in their stored width. So a loop need not test the width of each
// element.
template <CountType Count, class Use>
void with_width(const Frequencies<Count>& frequencies, const Use& use) {
  if (const std::uint32_t* narrow = frequencies.narrow()) use(narrow);
  else use(frequencies);
}

// The column totals of a chunk of terms, scaled by the model's unit.
template <CountType Count>
class ColumnTotals {
 public:
  ColumnTotals() : hi_(most_chunk_terms), lo_(most_chunk_terms) {}

  DoubleDouble operator[](std::size_t t) const { return {hi_[t], lo_[t]}; }
  const double* hi() const { return hi_.data(); }
  const double* lo() const { return lo_.data(); }

  // Computes the totals of the terms [first, last) from their entries. O(entries).
  void find(const ContingencyTask<Count>& task, const ChunkEntries& entries, std::int64_t first, std::int64_t last,
            bool of_tokens) {
    const auto add_entries = [&](const ClassRow<Count>& row, std::int64_t begin, std::int64_t end) {
      with_width(of_tokens ? row.term_frequency : row.document_frequency,
                 [&](const auto& frequency) { add_row(row.terms, frequency, begin, end, first, task.model.whole); });
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
  template <class Frequency>
  void add_row(const TermId* terms, const Frequency& frequency, std::int64_t begin, std::int64_t end, std::int64_t first,
               bool whole) {
    double* const hi = hi_.data();
    double* const lo = lo_.data();
    if (whole) {  // sums are exact
      for (std::int64_t i = begin; i < end; ++i) hi[terms[i] - first] += static_cast<double>(frequency[i]);
      return;
    }
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t t = terms[i] - first;
      const DoubleDouble value = exact_double(static_cast<Count>(frequency[i]));
      const DoubleDouble sum = two_sum(hi[t], value.hi);
      hi[t] = sum.hi, lo[t] += sum.lo + value.lo;
    }
  }

  std::vector<double> hi_, lo_;
};

}  // namespace termsift

// For the measures without a closed form: the part of a term's sum that comes from the classes it is absent from.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/per_thread.hpp"
#include "contingency/column_totals.hpp"
#include "contingency/term_batch.hpp"

namespace termsift {

// Terms are handed to threads in chunks of this many, small enough that no thread waits long for another's last chunk.
inline std::int64_t chunk_terms(std::int64_t n_terms, const Threads& threads) {
  constexpr std::int64_t least_chunk_terms = 1 << 10;  // with fewer terms, visiting the classes would take most of the time
  if (threads.count == 1) return most_chunk_terms;
  return std::clamp(n_terms / (8 * threads.count), least_chunk_terms, most_chunk_terms);
}

// Replaces an infinite value(0, t, c), which occurs only where the other classes have no room for a term of t. What is added
// to a sum is subtracted again, so it must be finite.
inline double if_possible(double value) { return std::isfinite(value) ? value : 0; }

// sum_c weight_c value(0, t, c) over all classes, for each total t that occurs.
class AbsentSums {
 public:
  template <CountType Count>
  AbsentSums(const ContingencyTask<Count>& task, const Threads& threads);
  DoubleDouble operator[](DoubleDouble t) const {
    const auto at = std::lower_bound(totals_.begin(), totals_.end(), t, less) - totals_.begin();
    return sums_[static_cast<std::size_t>(at)];
  }

 private:
  static bool less(DoubleDouble x, DoubleDouble y) { return x.hi != y.hi ? x.hi < y.hi : x.lo < y.lo; }
  std::vector<DoubleDouble> totals_;  // increasing
  std::vector<DoubleDouble> sums_;
};

template <CountType Count>
AbsentSums::AbsentSums(const ContingencyTask<Count>& task, const Threads& threads) {
  struct Workspace {
    explicit Workspace(const ContingencyTask<Count>& t) : entries(t.n_classes()) {}
    ChunkEntries entries;
    ColumnTotals<Count> totals;
  };
  const std::int64_t n_terms = task.counts.n_terms, n_classes = std::ssize(task.model.classes);
  totals_.resize(static_cast<std::size_t>(n_terms));
  const Threads for_totals = worth(threads, n_terms * n_classes);
  PerThread<Workspace> workspaces(for_totals);
  const std::int64_t chunk_size = chunk_terms(n_terms, for_totals);
  for_each_block((n_terms + chunk_size - 1) / chunk_size, for_totals, [&](std::int64_t chunk, Worker& worker) {
    worker.check();
    Workspace& work = workspaces.own(worker, task);
    const std::int64_t first = chunk * chunk_size, last = std::min(first + chunk_size, n_terms);
    work.entries.find(task, first, last);
    work.totals.find(task, work.entries, first, last, task.model.facts.column_totals_are_tokens);
    for (std::int64_t t = first; t < last; ++t)
      totals_[static_cast<std::size_t>(t)] = work.totals[static_cast<std::size_t>(t - first)];
  });
  std::sort(totals_.begin(), totals_.end(), less);
  const auto equal = [](DoubleDouble x, DoubleDouble y) { return x.hi == y.hi && x.lo == y.lo; };
  totals_.erase(std::unique(totals_.begin(), totals_.end(), equal), totals_.end());
  sums_.resize(totals_.size());
  const std::int64_t n = std::ssize(totals_);
  const std::int64_t n_batches = (n + batch_terms - 1) / batch_terms;
  for_each_block(n_batches, worth(threads, n * n_classes), [&](std::int64_t block, Worker& worker) {
    const auto first = static_cast<std::size_t>(block * batch_terms);
    const auto size = static_cast<int>(std::min<std::size_t>(batch_terms, totals_.size() - first));
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

}  // namespace termsift

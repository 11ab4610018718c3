#include "contingency/class_values.hpp"

#include <algorithm>
#include <numeric>

#include "base/bucket_sort.hpp"
#include "termsift/contingency.hpp"

namespace termsift {

template <CountType Count>
std::vector<DoubleDouble> totals_of_terms(const ContingencyTask<Count>& task, const Threads& requested) {
  struct Workspace {
    explicit Workspace(const ContingencyTask<Count>& t) : entries(t.n_classes()) {}
    ChunkEntries entries;
    ColumnTotals<Count> totals;
  };
  const std::int64_t n_terms = task.counts.n_terms;
  std::vector<DoubleDouble> result(static_cast<std::size_t>(n_terms));
  const Threads threads = worth(requested, task.n_pairs());
  PerThread<Workspace> workspaces(threads);
  const std::int64_t size = chunk_terms(n_terms, threads);
  for_each_block((n_terms + size - 1) / size, threads, [&](std::int64_t chunk, Worker& worker) {
    worker.check();
    Workspace& work = workspaces.own(worker, task);
    const std::int64_t first = chunk * size, last = std::min(first + size, n_terms);
    work.entries.find(task, first, last);
    work.totals.find(task, work.entries, first, last, task.model.facts.column_totals_are_tokens);
    for (std::int64_t t = first; t < last; ++t)
      result[static_cast<std::size_t>(t)] = work.totals[static_cast<std::size_t>(t - first)];
  });
  return result;
}

TermsByTotal::TermsByTotal(const std::vector<DoubleDouble>& of_terms, const Threads& threads) : terms_(of_terms.size()) {
  const auto total = [&](TermId term) { return of_terms[static_cast<std::size_t>(term)]; };
  std::iota(terms_.begin(), terms_.end(), TermId{0});
  sort_in_parts(terms_.begin(), terms_.end(), threads, [&](TermId a, TermId b) {
    return is_less(total(a), total(b)) || (!is_less(total(b), total(a)) && a < b);
  });
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    if (i > 0 && !is_less(totals_.back(), total(terms_[i]))) continue;
    totals_.push_back(total(terms_[i]));
    starts_.push_back(i);
  }
  starts_.push_back(terms_.size());
}

template <CountType Count>
void values_of_terms(const ContingencyTask<Count>& task, std::size_t k, std::span<const TermId> terms,
                     const std::vector<DoubleDouble>& totals, double* values) {
  TermBatch batch(task.kernel, task.model);
  const ClassRow<Count>& row = task.row(k);
  std::int64_t i = 0;
  for_each_batch(0, std::ssize(terms), [&](std::int64_t begin, int n) {
    for (int j = 0; j < n; ++j) {
      const TermId term = terms[static_cast<std::size_t>(begin + j)];
      while (i < row.size && row.terms[i] < term) ++i;
      const bool has_term = i < row.size && row.terms[i] == term;
      batch.set(j, has_term ? scale(exact_double(task.cells(row)[i]), task.model.unit) : DoubleDouble{},
                totals[static_cast<std::size_t>(term)]);
    }
    std::copy_n(batch.values(n, task.model.classes[k].constants), n, values + begin);
  });
}

template <CountType Count>
void values_if_absent(const ContingencyTask<Count>& task, std::size_t k, const std::vector<DoubleDouble>& totals,
                      double* values) {
  TermBatch batch(task.kernel, task.model);
  for_each_batch(0, std::ssize(totals), [&](std::int64_t begin, int n) {
    for (int j = 0; j < n; ++j) batch.set(j, {}, totals[static_cast<std::size_t>(begin + j)]);
    std::copy_n(batch.values(n, task.model.classes[k].constants), n, values + begin);
  });
}

namespace {

// Sets each element of `results` (n_pairs,) to result_of(value of the pair).
template <CountType Count, class Result, class ResultOf>
void fill_pairs(const ContingencyTask<Count>& task, const Threads& requested, const Pairs& pairs, Result* results,
                const ResultOf& result_of) {
  std::fill_n(results, pairs.starts[task.counts.rows.size()], Result{0});
  const std::vector<DoubleDouble> totals = totals_of_terms(task, requested);
  const Threads threads = worth(requested, task.n_pairs());
  PerThread<std::vector<double>> values_of_threads(threads);
  for_each_block(static_cast<std::int64_t>(task.n_classes()), threads, [&](std::int64_t block, Worker& worker) {
    worker.check();
    const auto k = static_cast<std::size_t>(block);
    const std::int64_t* const start = pairs.starts + task.model.classes[k].row;
    const auto n = static_cast<std::size_t>(start[1] - start[0]);
    std::vector<double>& values = values_of_threads.own(worker);
    values.resize(std::max(values.size(), n));
    values_of_terms(task, k, {pairs.terms + start[0], n}, totals, values.data());
    std::transform(values.data(), values.data() + n, results + start[0], result_of);
  });
}

}  // namespace

template <CountType Count>
void score_pairs(const ClassCounts<Count>& counts, const Estimation& estimation, ContingencyMeasure measure,
                 const Threads& threads, const Pairs& pairs, double* scores, std::int8_t* directions) {
  fill_pairs<Count>({counts, estimation, measure, Aggregate::sum}, threads, pairs, scores, [](double x) { return x; });
  fill_pairs(task_of_directions(counts, estimation, measure), threads, pairs, directions, direction_of);
}

#define TERMSIFT_INSTANTIATE(Count)                                                                                        \
  template std::vector<DoubleDouble> totals_of_terms(const ContingencyTask<Count>&, const Threads&);                       \
  template void values_of_terms(const ContingencyTask<Count>&, std::size_t, std::span<const TermId>,                       \
                                const std::vector<DoubleDouble>&, double*);                                                \
  template void values_if_absent(const ContingencyTask<Count>&, std::size_t, const std::vector<DoubleDouble>&, double*);   \
  template void score_pairs(const ClassCounts<Count>&, const Estimation&, ContingencyMeasure, const Threads&,              \
                            const Pairs&, double*, std::int8_t*);
TERMSIFT_INSTANTIATE(std::int64_t)
TERMSIFT_INSTANTIATE(double)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift

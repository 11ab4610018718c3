#include "scoring/mixtures.hpp"

#include <algorithm>
#include <vector>

#include "base/bucket_sort.hpp"

namespace termsift {

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

#define TERMSIFT_INSTANTIATE(Count)                                             \
  template bool fits_pair_values(const ClassCounts<Count>&, const Estimation&); \
  template bool pair_values_pay(const ClassCounts<Count>&, const Estimation&);  \
  template Mixtures sum_mixtures(const ScoreTask<Count>&, const PairModel&, const Threads&);
TERMSIFT_INSTANTIATE(std::int64_t)
TERMSIFT_INSTANTIATE(double)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift

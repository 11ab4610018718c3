#include "scoring/small_patterns.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace termsift {
namespace {

// Returns base^exponent, or some number above `most` if it exceeds that.
std::int64_t power(std::int64_t base, std::size_t exponent, std::int64_t most) {
  std::int64_t result = 1;
  for (std::size_t i = 0; i < exponent && result <= most; ++i) result *= base;
  return result;
}

}  // namespace

template <CountType Count>
SmallPatterns::SmallPatterns(const ClassCounts<Count>& counts, const ClassModel& model) {
  std::int64_t n_terms = 0;  // a lower bound of the terms that occur
  for (const std::int64_t c : model.classes) {
    const ClassRow<Count>& row = *counts.rows[static_cast<std::size_t>(c)];
    if (!row.is_narrow()) return;
    n_terms = std::max(n_terms, row.size);
  }
  const std::int64_t most = std::min(n_terms / 8, std::int64_t{1} << number_bits);
  while (power(side_ + 1, model.classes.size(), most) <= most) ++side_;
  size_ = power(side_, model.classes.size(), most);

  // If most terms have a large count, looking up takes 1.5 times as long as scoring. A sample of some 64 counts of each
  // class estimates how many are large.
  std::int64_t n_large = 0;
  for (const std::int64_t c : model.classes) {
    const ClassRow<Count>& row = *counts.rows[static_cast<std::size_t>(c)];
    const std::int64_t step = std::max<std::int64_t>(row.size / 64, 1);
    for (std::int64_t i = 0; i < row.size; i += step)
      if (row.term_frequency.narrow()[i] >= side_) n_large += step;
  }
  if (n_large > n_terms / 2) side_ = 1, size_ = 1;
}

template <CountType Count>
ClassCounts<Count> SmallPatterns::counts(const ClassModel& model, std::size_t n_rows) const {
  ClassCounts<Count> result{size_, 0, {}, nullptr};
  result.rows.assign(n_rows, std::make_shared<const ClassRow<Count>>());
  std::int64_t step = 1;
  for (const std::int64_t c : model.classes) {
    auto row = ClassRow<Count>::with_capacity(size_, true);
    for (std::int64_t number = 0; number < size_; ++number) {
      const std::int64_t count = number / step % side_;
      if (count == 0) continue;
      row.terms[row.size] = static_cast<TermId>(number);
      row.term_frequency.set(row.size, static_cast<Count>(count));
      ++row.size;
    }
    result.rows[static_cast<std::size_t>(c)] = std::make_shared<const ClassRow<Count>>(std::move(row));
    step *= side_;
  }
  return result;
}

template <CountType Count>
void SmallPatterns::number(const ScoreTask<Count>& task, const ChunkEntries& entries, std::int64_t first,
                          std::uint16_t* numbers) const {
  std::uint32_t step = 1;
  for (std::size_t k = 0; k < task.n_classes(); ++k) {
    const ClassRow<Count>& row = task.row(k);
    const std::uint32_t* const l = row.term_frequency.narrow();
    for (std::int64_t i = entries.begin[k]; i < entries.end[k]; ++i) {
      std::uint16_t& number = numbers[row.terms[i] - first];
      number = static_cast<std::uint16_t>(number + (l[i] < side_ ? l[i] * step : large));
    }
    step *= side_;
  }
}

#define TERMSIFT_INSTANTIATE(Count)                                                                      \
  template SmallPatterns::SmallPatterns(const ClassCounts<Count>&, const ClassModel&);                     \
  template ClassCounts<Count> SmallPatterns::counts(const ClassModel&, std::size_t) const;                \
  template void SmallPatterns::number(const ScoreTask<Count>&, const ChunkEntries&, std::int64_t, std::uint16_t*) const;
TERMSIFT_INSTANTIATE(std::int64_t)
TERMSIFT_INSTANTIATE(double)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift

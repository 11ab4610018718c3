// Columns of small counts, by number.
//
// A term's score depends on its column of counts alone, and where classes are few most terms of a large vocabulary share a
// few thousand columns: of 4 million terms that occur in two classes, 99.6% had counts below 64 in both. The scores of all
// such columns fit a table that stays in the cache, and a term's score is then looked up.
#pragma once

#include <cstdint>

#include "scoring/block_scores.hpp"

namespace termsift {

// The columns whose counts are all below `side`; that of l_1, l_2, ... has the number l_1 + side (l_2 + side (...)). The
// column of a term that no class has is number 0.
class SmallColumns {
 public:
  static constexpr int number_bits = 12;
  // Added to a number for each count that is not small. Columns are of 12 counts at most, so that 16 bits are enough.
  static constexpr std::uint16_t large = 1 << number_bits;

  // As many as pay in scoring the counts: an eighth of the terms that occur. None unless most terms have such a column and
  // counts are in 4 bytes each. O(n_classes).
  template <CountType Count>
  SmallColumns(const ClassCounts<Count>& counts, const ClassModel& model);

  bool pay() const { return side_ > 1; }
  std::int64_t size() const { return size_; }  // side^n_classes <= 2^number_bits

  // Each of them once, as the counts of term `number` in the model's classes.
  template <CountType Count>
  ClassCounts<Count> counts(const ClassModel& model, std::size_t n_rows) const;

  // Adds to numbers[t] the number of the column of term first + t, or `large` and more; `entries` are those of the terms
  // that numbers[] stands for. O(entries).
  template <CountType Count>
  void number(const ScoreTask<Count>& task, const ChunkEntries& entries, std::int64_t first,
              std::uint16_t* numbers) const;

 private:
  std::uint32_t side_ = 1;
  std::int64_t size_ = 1;
};

}  // namespace termsift

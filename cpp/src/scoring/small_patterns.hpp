// Patterns of small counts, by number.
//
// The score of a term depends only on its pattern: its counts in all classes. With few classes, most terms of a large
// vocabulary share a few thousand patterns: of 4 million terms of two classes, 99.6% had counts below 64 in both. The scores
// of all such patterns fit an array that stays in the cache, in which the scores of terms are looked up.
#pragma once

#include <cstdint>

#include "scoring/block_scores.hpp"

namespace termsift {

// The patterns with all counts l_1, l_2, ... below `side`; their number is l_1 + side (l_2 + side (...)). A term that no
// class has is number 0.
class SmallPatterns {
 public:
  static constexpr int number_bits = 12;
  // Added to the number for each count that is not small. A pattern has at most 12 counts, so 16 bits suffice.
  static constexpr std::uint16_t large = 1 << number_bits;

  // Chooses how many patterns to tabulate for the scores of the counts: at most an eighth of the terms that occur, and none
  // unless most terms have a small pattern and all counts are narrow. O(n_classes).
  template <CountType Count>
  SmallPatterns(const ClassCounts<Count>& counts, const ClassModel& model);

  bool pay() const { return side_ > 1; }
  std::int64_t size() const { return size_; }  // side^n_classes <= 2^number_bits

  // Returns counts in which term `number` has the pattern of that number, for the classes of the model. O(size n_classes).
  template <CountType Count>
  ClassCounts<Count> counts(const ClassModel& model, std::size_t n_rows) const;

  // Adds the number of the pattern of term first + t to numbers[t], or at least `large` if it is not small. `entries` are
  // those of all terms in `numbers`. O(entries).
  template <CountType Count>
  void number(const ScoreTask<Count>& task, const ChunkEntries& entries, std::int64_t first,
              std::uint16_t* numbers) const;

 private:
  std::uint32_t side_ = 1;
  std::int64_t size_ = 1;
};

}  // namespace termsift

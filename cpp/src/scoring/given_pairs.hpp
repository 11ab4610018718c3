// Looks up the counts of given pairs of a class and a term, for every measure that scores single pairs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "termsift/class_counts.hpp"
#include "termsift/parallel.hpp"
#include "termsift/scores.hpp"

namespace termsift {

// Looks up the counts of terms in one class.
template <CountType Count>
class RowCursor {
 public:
  RowCursor(const ClassRow<Count>& row, const Frequencies<Count>& cells) : row_(row), cells_(cells) {}

  // Returns the count of the term, 0 if the class lacks it. Terms must not decrease from call to call.
  Count count_of(TermId term) {
    while (i_ < row_.size && row_.terms[i_] < term) ++i_;
    return i_ < row_.size && row_.terms[i_] == term ? cells_[i_] : Count{0};
  }

 private:
  const ClassRow<Count>& row_;
  const Frequencies<Count>& cells_;
  std::int64_t i_ = 0;
};

// Cuts the given pairs of each nonempty class into batches of at most `longest` pairs. Calls evaluate(k, begin, n, cursor)
// for the pairs [begin, begin + n) of the k-th class, on any thread. The cursor must look up the terms of all n pairs.
// O(pairs of the counts + given pairs).
//
// A Task is described at ChunkEntries. Its function row_index(k) returns the k-th nonempty class as an index of the rows.
template <class Task, class Evaluate>
void for_each_given_batch(const Task& task, const Pairs& pairs, int longest, const Threads& requested,
                          const Evaluate& evaluate) {
  const Threads threads = worth(requested, task.n_pairs() + pairs.starts[task.counts.rows.size()]);
  for_each_block(static_cast<std::int64_t>(task.n_classes()), threads, [&](std::int64_t block, Worker& worker) {
    const auto k = static_cast<std::size_t>(block);
    RowCursor cursor(task.row(k), task.cells(task.row(k)));
    const std::int64_t end = pairs.starts[task.row_index(k) + 1];
    for (std::int64_t begin = pairs.starts[task.row_index(k)]; begin < end; begin += longest) {
      worker.check();
      evaluate(k, begin, static_cast<int>(std::min<std::int64_t>(longest, end - begin)), cursor);
    }
  });
}

}  // namespace termsift

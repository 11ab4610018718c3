// Finds where the entries of a chunk of terms lie in the row of each class.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "termsift/class_counts.hpp"

namespace termsift {

// Returns the first entry in [begin, end) with a term of at least `term`, or `end` if there is none. O(log(end - begin)).
template <CountType Count>
std::int64_t find_term(const ClassRow<Count>& row, std::int64_t begin, std::int64_t end, std::int64_t term) {
  return std::lower_bound(row.terms + begin, row.terms + end, term) - row.terms;
}

// Prefetches array[i]; i may be out of range.
template <class T>
void prefetch(const T* array, std::int64_t i) {
  const auto address = reinterpret_cast<std::uintptr_t>(array) + static_cast<std::uintptr_t>(i) * sizeof(T);
  prefetch(reinterpret_cast<const void*>(address));
}

// With thousands of classes, a chunk has only a few hundred entries of each class, too few for the hardware prefetcher.
// While class k is read, software prefetches the entries of class k + classes_ahead.
inline constexpr std::size_t classes_ahead = 4;

// Prefetches the first 256 elements of array[begin .. end).
template <class T>
void prefetch_entries(const T* array, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < std::min(end, begin + 256); i += 16) prefetch(array, i);
}

// In the row of the k-th nonempty class, the chunk has the entries [begin[k], end[k]).
//
// A Task has the functions n_classes(), row(k) and cells(row). cells(row) returns the frequencies that the task reads.
struct ChunkEntries {
  explicit ChunkEntries(std::size_t n_classes) : begin(n_classes), end(n_classes) {}
  std::vector<std::int64_t> begin, end;  // (n_classes,)

  // Finds the entries of the terms [first, last). O(n_classes log(n_terms)). If the chunk directly follows the previous
  // chunk, only the ends of its entries are searched, and the cost is O(n_classes log(entries)). With 5,000 classes,
  // searching whole rows takes as long as reading a chunk's entries.
  template <class Task>
  void find(const Task& task, std::int64_t first, std::int64_t last) {
    if (first == next_) begin.swap(end);
    else
      for (std::size_t k = 0; k < begin.size(); ++k) begin[k] = find_term(task.row(k), 0, task.row(k).size, first);
    for (std::size_t k = 0; k < begin.size(); ++k) {
      if (k + 8 < begin.size()) prefetch(task.row(k + 8).terms, begin[k + 8] + 64);
      const auto& row = task.row(k);
      // A chunk usually has few entries of a class, so the search starts at `begin` and doubles its steps.
      std::int64_t low = begin[k], step = 64;
      while (low + step < row.size && row.terms[low + step] < last) low += step, step *= 2;
      end[k] = find_term(row, low, std::min(low + step, row.size), last);
    }
    next_ = last;
  }

  std::int64_t size() const {
    std::int64_t n = 0;
    for (std::size_t k = 0; k < begin.size(); ++k) n += end[k] - begin[k];
    return n;
  }

  // Prefetches the entries of class k + classes_ahead.
  template <class Task>
  void prefetch_after(const Task& task, std::size_t k) const {
    if (k += classes_ahead; k >= begin.size()) return;
    const auto& row = task.row(k);
    prefetch_entries(row.terms, begin[k], end[k]);
    if (const std::uint32_t* narrow = task.cells(row).narrow()) prefetch_entries(narrow, begin[k], end[k]);
  }

 private:
  std::int64_t next_ = -1;  // the first term after the previous chunk
};

}  // namespace termsift

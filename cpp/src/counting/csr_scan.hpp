// Checks the rows of a matrix before they are used.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "counting/entry_kernels.hpp"
#include "counting/packed_entry.hpp"
#include "termsift/csr_view.hpp"
#include "termsift/portability.hpp"

namespace termsift {

// The result of checking some rows.
struct CsrScan {
  bool refused = false;  // true if an entry is invalid; the facts are then meaningless
  EntryFacts facts;

  // Checks the rows [first, last) and adds the result to this object. Returns false if an entry is invalid. indptr must have
  // been checked.
  bool rows(const AnyCsr& x, std::int64_t first, std::int64_t last, const PackedEntry& packed);

  // True if the columns of every row strictly increase and no value is zero.
  bool is_tidy() const { return facts.distinct && !facts.has_zeros; }
  void add(bool others_refused, const EntryFacts& others);
  static CsrScan sum(const std::vector<CsrScan>& parts);
};

// Returns the end of the range of rows that begins with `first` and is scanned at once. The range is so short that its rows
// stay in the cache until they are copied.
inline std::int64_t rows_to_scan(const AnyCsr& x, std::int64_t first, std::int64_t end) {
  constexpr std::int64_t most_entries = 1 << 14, most_rows = 1 << 12;
  std::int64_t last = first + 1, most = std::min(end, first + most_rows);
  while (last < most) {  // a binary search, because testing every row would take as long as counting one entry per row
    const std::int64_t middle = (last + most + 1) / 2;
    if (x.indptr[middle] - x.indptr[first] <= most_entries) last = middle;
    else most = middle - 1;
  }
  return last;
}

// Prefetches the first 512 entries of a row.
template <class Index, class Value>
void prefetch_row(const CsrView<Index, Value>& x, std::int64_t row) {
  const std::int64_t begin = x.indptr[row], end = std::min<std::int64_t>(x.indptr[row + 1], begin + 512);
  for (std::int64_t e = begin; e < end; e += 8) {
    prefetch(x.indices + e);
    prefetch(x.data + e);
  }
}

// Does only the checks of check_csr that concern indptr.
void check_indptr(const AnyCsr& x, const MatrixName& matrix);

}  // namespace termsift

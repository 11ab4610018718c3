// Looking at the rows of a matrix before anything relies on them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "counting/packed_entry.hpp"
#include "termsift/csr_view.hpp"

namespace termsift {

// What has been seen of some rows.
struct CsrScan {
  bool refused = false;  // some entry is not acceptable; the facts then say nothing
  CsrFacts facts;

  // Looks at the rows [first, last); returns whether nothing was refused. indptr is checked, indices and data need not be.
  bool rows(const AnyCsr& x, std::int64_t first, std::int64_t last, const PackedEntry& packed);

  static CsrScan of(const std::vector<CsrScan>& parts);
};

// The end of the rows from `first` on that are scanned together: few enough to stay in the cache for what comes after.
inline std::int64_t rows_to_scan(const AnyCsr& x, std::int64_t first, std::int64_t end) {
  constexpr std::int64_t most_entries = 1 << 14, most_rows = 1 << 12;
  std::int64_t last = first + 1;
  while (last < end && last - first < most_rows && x.indptr[last + 1] - x.indptr[first] <= most_entries) ++last;
  return last;
}

void check_indptr(const AnyCsr& x, const MatrixName& matrix);

}  // namespace termsift

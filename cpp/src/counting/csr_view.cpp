#include "termsift/csr_view.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "counting/csr_scan.hpp"
#include "base/values.hpp"

namespace termsift {
namespace {

template <class Value>
bool acceptable(Value value) {
  if constexpr (std::is_floating_point_v<Value>)
    return value >= 0 && value <= std::numeric_limits<Value>::max();
  else if constexpr (std::is_same_v<Value, std::uint64_t>)
    return value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  else if constexpr (std::is_signed_v<Value>)
    return value >= 0;
  else
    return true;
}

// `value` is that of the entry, as text.
[[noreturn]] void refuse_entry(const AnyCsr& x, std::int64_t row, std::int64_t column, const std::string& value,
                               bool is_unsigned, const MatrixName& matrix) {
  const std::string line = (matrix.transposed ? "column " : "row ") + std::to_string(row);
  const std::string across = matrix.transposed ? "row " : "column ";
  if (column < 0 || column >= x.n_columns)
    throw std::invalid_argument(matrix.name + " has the index " + std::to_string(column) + " in " + line +
                                ", expected a " + across + "in [0, " + std::to_string(x.n_columns) + ")");
  const std::string crossing = across + std::to_string(column);
  const std::string entry_text = matrix.name + " has " + value + " at " +
                                 (matrix.transposed ? crossing + ", " + line : line + ", " + crossing);
  if (is_unsigned) throw CountOverflow(entry_text + ", expected a count below 2^63");
  throw std::invalid_argument(entry_text + ", expected a finite count that is not negative");
}

}  // namespace

CsrFacts check_csr(const AnyCsr& x, const MatrixName& name, const Threads& requested) {
  check_indptr(x, name);
  constexpr std::int64_t rows_per_block = 4096;
  const std::int64_t n_blocks = (x.n_rows + rows_per_block - 1) / rows_per_block;
  const PackedEntry packed(x.n_columns);
  std::vector<CsrScan> scans(static_cast<std::size_t>(n_blocks));
  for_each_block(n_blocks, worth(requested, x.indptr[x.n_rows]), [&](std::int64_t block, Worker&) {
    const std::int64_t first = block * rows_per_block;
    scans[static_cast<std::size_t>(block)].rows(x, first, std::min(first + rows_per_block, x.n_rows), packed);
  });
  for (std::int64_t block = 0; block < n_blocks; ++block) {
    if (!scans[static_cast<std::size_t>(block)].refused) continue;
    x.visit([&]<class Index, class Value>(const CsrView<Index, Value>& view) {
      for (std::int64_t row = block * rows_per_block; row < std::min((block + 1) * rows_per_block, x.n_rows); ++row)
        for (std::int64_t e = view.indptr[row]; e < view.indptr[row + 1]; ++e)
          if (view.indices[e] < 0 || view.indices[e] >= x.n_columns || !acceptable(view.data[e]))
            refuse_entry(x, row, view.indices[e], text(view.data[e]), std::is_unsigned_v<Value>, name);
    });
  }
  return CsrScan::of(scans).facts;
}

}  // namespace termsift

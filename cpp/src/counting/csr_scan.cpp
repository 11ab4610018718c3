
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/values.hpp"
#include "counting/entry_kernels.hpp"
#include "simd/targets.hpp"

namespace termsift {
namespace {

template <class Value>
bool is_count(Value value) {
  if constexpr (std::is_floating_point_v<Value>)
    return value >= 0 && value <= std::numeric_limits<Value>::max();
  else if constexpr (std::is_same_v<Value, Bool>)
    return true;
  else
    return std::cmp_greater_equal(value, 0) && std::in_range<std::int64_t>(value);
}

[[noreturn]] void refuse_entry(const AnyCsr& x, std::int64_t row, std::int64_t column, const std::string& value,
                               bool is_unsigned, const MatrixName& matrix) {
  const std::string line = (matrix.transposed ? "column " : "row ") + std::to_string(row);
  const std::string across = matrix.transposed ? "row " : "column ";
  if (column < 0 || column >= x.n_columns)
    throw std::invalid_argument(matrix.name + " has the index " + std::to_string(column) + " in " + line +
                                ", expected a " + across + "in [0, " + std::to_string(x.n_columns) + ")");
  const std::string crossing = across + std::to_string(column);
  const std::string entry = matrix.name + " has " + value + " at " +
                            (matrix.transposed ? crossing + ", " + line : line + ", " + crossing);
  if (is_unsigned) throw CountOverflow(entry + ", expected a count below 2^63");
  const bool may_be_hashed = matrix.name.starts_with("X") && value.starts_with('-') && value != "-inf";
  const std::string cure = may_be_hashed ? " (HashingVectorizer needs alternate_sign=False)" : "";
  throw std::invalid_argument(entry + ", expected a finite count that is not negative" + cure);
}

}  // namespace

void check_indptr(const AnyCsr& x, const MatrixName& matrix) {
  const std::string line = matrix.transposed ? " at column " : " at row ";
  if (x.indptr[0] != 0)
    throw std::invalid_argument(matrix.name + ".indptr starts at " + std::to_string(x.indptr[0]) + ", expected 0");
  const bool is_valid = x.visit([](const auto& view) {
    bool never_falls = true;  // a vectorised loop, which does not end at the first row that is wrong
    for (std::int64_t row = 0; row < view.n_rows; ++row) never_falls &= view.indptr[row + 1] >= view.indptr[row];
    return never_falls && view.indptr[view.n_rows] <= view.n_stored;
  });
  for (std::int64_t row = 0; row < x.n_rows && !is_valid; ++row) {
    const std::int64_t begin = x.indptr[row], end = x.indptr[row + 1];
    if (end < begin)
      throw std::invalid_argument(matrix.name + ".indptr decreases from " + std::to_string(begin) + " to " +
                                  std::to_string(end) + line + std::to_string(row));
    if (end > x.n_stored)
      throw std::invalid_argument(matrix.name + ".indptr reaches " + std::to_string(end) + line + std::to_string(row) +
                                  ", but " + std::to_string(x.n_stored) + " entries are stored");
  }
}

void CsrScan::rows(const AnyCsr& any, std::int64_t first, std::int64_t last, const PackedEntry& packed) {
  constexpr std::int64_t scan_entries = 8192;  // the kernel `descents` accepts fewer than 2^31 indices
  CsrScan seen;
  any.visit([&]<class Index, class Value>(const CsrView<Index, Value>& x) {
    const RowKernels<Index, Value> kernels = kernels_in_use<RowKernels<Index, Value>>();
    const std::int64_t begin = x.indptr[first], end = x.indptr[last];
    // Count descents (columns not above their predecessor) over all entries. Then subtract the descents between rows.
    std::int64_t descents = 0;
    for (std::int64_t e = begin; e < end; e += scan_entries) {
      const std::int64_t n = std::min(scan_entries, end - e);
      kernels.values(x.data + e, n, packed, seen);
      const std::int64_t first_pair = std::max(e, begin + 1);
      descents += kernels.descents(x.indices + first_pair, e + n - first_pair);
    }
    bool ends_within = true;
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t e = x.indptr[row], row_end = x.indptr[row + 1];
      if (e == row_end) continue;
      if (e > begin) descents -= x.indices[e] <= x.indices[e - 1];
      ends_within &= x.indices[e] >= 0 && x.indices[row_end - 1] < x.n_columns;
    }
    seen.distinct = descents == 0;
    // If the columns of a row increase, all of them are between its first and its last column.
    seen.refused |= seen.distinct ? !ends_within : !kernels.within(x.indices + begin, end - begin, x.n_columns);
  });
  add(seen);
}

void CsrScan::add(const CsrScan& others) {
  refused |= others.refused;
  distinct &= others.distinct;
  has_zeros |= others.has_zeros;
  has_fractions |= others.has_fractions;
  value_bound = std::max(value_bound, others.value_bound);
  n_unpackable += others.n_unpackable;
}

CsrScan CsrScan::sum(const std::vector<CsrScan>& parts) {
  CsrScan all;
  for (const CsrScan& part : parts) all.add(part);
  return all;
}

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
          if (view.indices[e] < 0 || view.indices[e] >= x.n_columns || !is_count(view.data[e]))
            refuse_entry(x, row, view.indices[e], text(view.data[e]), std::is_unsigned_v<Value>, name);
    });
  }
  return CsrScan::sum(scans);
}

}  // namespace termsift

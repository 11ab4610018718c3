#include "termsift/csr_view.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "csr_scan.hpp"
#include "simd/entry_kernels.hpp"
#include "values.hpp"

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

template <class Index, class Value>
[[noreturn]] void refuse_entry(const CsrView<Index, Value>& x, std::int64_t row, std::int64_t entry,
                               const MatrixName& matrix) {
  const std::int64_t column = x.indices[entry];
  const std::string line = (matrix.transposed ? "column " : "row ") + std::to_string(row);
  const std::string across = matrix.transposed ? "row " : "column ";
  if (column < 0 || column >= x.n_columns)
    throw std::invalid_argument(matrix.name + " has the index " + std::to_string(column) + " in " + line +
                                ", expected a " + across + "in [0, " + std::to_string(x.n_columns) + ")");
  const std::string crossing = across + std::to_string(column);
  const std::string entry_text = matrix.name + " has " + text(x.data[entry]) + " at " +
                                 (matrix.transposed ? crossing + ", " + line : line + ", " + crossing);
  if constexpr (std::is_same_v<Value, std::uint64_t>) throw CountOverflow(entry_text + ", expected a count below 2^63");
  throw std::invalid_argument(entry_text + ", expected a finite count that is not negative");
}

}  // namespace

template <class Index, class Value>
void check_indptr(const CsrView<Index, Value>& x, const MatrixName& matrix) {
  const std::string line = matrix.transposed ? " at column " : " at row ";
  if (x.indptr[0] != 0)
    throw std::invalid_argument(matrix.name + ".indptr starts at " + std::to_string(x.indptr[0]) + ", expected 0");
  for (std::int64_t row = 0; row < x.n_rows; ++row) {
    const std::int64_t begin = x.indptr[row], end = x.indptr[row + 1];
    if (end < begin)
      throw std::invalid_argument(matrix.name + ".indptr decreases from " + std::to_string(begin) + " to " +
                                  std::to_string(end) + line + std::to_string(row));
    if (end > x.n_stored)
      throw std::invalid_argument(matrix.name + ".indptr reaches " + std::to_string(end) + line + std::to_string(row) +
                                  ", but " + std::to_string(x.n_stored) + " entries are stored");
  }
}

template <class Index, class Value>
bool CsrScan::rows(const CsrView<Index, Value>& x, std::int64_t first, std::int64_t last, const PackedEntry& packed) {
  constexpr std::int64_t scan_entries = 8192;  // the two scans of the indices read them from the cache
  const RowKernels<Index, Value> kernels = row_kernels_in_use<Index, Value>();
  const std::int64_t begin = x.indptr[first], end = x.indptr[last];
  EntryFacts seen;
  // Over all entries of the rows at once; a row's first entry may lie below its predecessor's last, and those descents are
  // taken back afterwards.
  std::int64_t not_increasing = 0;
  for (std::int64_t e = begin; e < end; e += scan_entries) {
    const std::int64_t n = std::min(scan_entries, end - e);
    refused |= !kernels.within(x.indices + e, n, x.n_columns) || !kernels.values(x.data + e, n, packed, seen);
    const std::int64_t first_pair = std::max(e, begin + 1);
    not_increasing += kernels.descents(x.indices + first_pair, e + n - first_pair);
  }
  for (std::int64_t row = first; row < last; ++row) {
    const std::int64_t e = x.indptr[row];
    if (e > begin && e < x.indptr[row + 1]) not_increasing -= x.indices[e] <= x.indices[e - 1];
  }
  facts.distinct &= not_increasing == 0;
  facts.has_zeros |= seen.has_zeros;
  facts.has_fractions |= seen.has_fractions;
  facts.value_bound = std::max(facts.value_bound, seen.value_bound);
  facts.n_unpackable += seen.n_unpackable;
  return !refused;
}

CsrScan CsrScan::of(const std::vector<CsrScan>& parts) {
  CsrScan all;
  for (const CsrScan& part : parts) {
    all.refused |= part.refused;
    all.facts.distinct &= part.facts.distinct;
    all.facts.has_zeros |= part.facts.has_zeros;
    all.facts.has_fractions |= part.facts.has_fractions;
    all.facts.value_bound = std::max(all.facts.value_bound, part.facts.value_bound);
    all.facts.n_unpackable += part.facts.n_unpackable;
  }
  return all;
}

template <class Index, class Value>
CsrFacts check_csr(const CsrView<Index, Value>& x, const MatrixName& name, const Threads& requested) {
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
    for (std::int64_t row = block * rows_per_block; row < std::min((block + 1) * rows_per_block, x.n_rows); ++row)
      for (std::int64_t e = x.indptr[row]; e < x.indptr[row + 1]; ++e)
        if (x.indices[e] < 0 || x.indices[e] >= x.n_columns || !acceptable(x.data[e])) refuse_entry(x, row, e, name);
  }
  return CsrScan::of(scans).facts;
}

#define TERMSIFT_INSTANTIATE(Index, Value)                                                                       \
  template void check_indptr(const CsrView<Index, Value>&, const MatrixName&);                                   \
  template CsrFacts check_csr(const CsrView<Index, Value>&, const MatrixName&, const Threads&);                  \
  template bool CsrScan::rows(const CsrView<Index, Value>&, std::int64_t, std::int64_t, const PackedEntry&);
#define TERMSIFT_INSTANTIATE_VALUE(Value)   \
  TERMSIFT_INSTANTIATE(std::int32_t, Value) \
  TERMSIFT_INSTANTIATE(std::int64_t, Value)
TERMSIFT_FOR_EACH_INTEGER_VALUE(TERMSIFT_INSTANTIATE_VALUE)
TERMSIFT_FOR_EACH_FLOAT_VALUE(TERMSIFT_INSTANTIATE_VALUE)
#undef TERMSIFT_INSTANTIATE
#undef TERMSIFT_INSTANTIATE_VALUE

}  // namespace termsift

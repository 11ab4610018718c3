#include "counting/csr_scan.hpp"

#include <stdexcept>
#include <string>

#include "counting/entry_kernels.hpp"
#include "simd/targets.hpp"

namespace termsift {

void check_indptr(const AnyCsr& x, const MatrixName& matrix) {
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

bool CsrScan::rows(const AnyCsr& any, std::int64_t first, std::int64_t last, const PackedEntry& packed) {
  constexpr std::int64_t scan_entries = 8192;  // at most what `descents` may be given
  EntryFacts seen;
  // Over all entries of the rows at once; a row's first entry may lie below its predecessor's last, and those descents are
  // taken back afterwards.
  std::int64_t not_increasing = 0;
  bool ends_within = true;
  any.visit([&]<class Index, class Value>(const CsrView<Index, Value>& x) {
    const RowKernels<Index, Value> kernels = kernels_in_use<RowKernels<Index, Value>>();
    const std::int64_t begin = x.indptr[first], end = x.indptr[last];
    for (std::int64_t e = begin; e < end; e += scan_entries) {
      const std::int64_t n = std::min(scan_entries, end - e);
      refused |= !kernels.values(x.data + e, n, packed, seen);
      const std::int64_t first_pair = std::max(e, begin + 1);
      not_increasing += kernels.descents(x.indices + first_pair, e + n - first_pair);
    }
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t e = x.indptr[row], row_end = x.indptr[row + 1];
      if (e == row_end) continue;
      if (e > begin) not_increasing -= x.indices[e] <= x.indices[e - 1];
      ends_within &= x.indices[e] >= 0 && x.indices[row_end - 1] < x.n_columns;
    }
    // What increases lies between its ends.
    refused |= not_increasing == 0 ? !ends_within : !kernels.within(x.indices + begin, end - begin, x.n_columns);
  });
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

}  // namespace termsift

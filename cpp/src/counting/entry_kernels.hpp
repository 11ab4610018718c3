// The check of the rows of a matrix before they are used (csr_scan.cpp), and the loops over the entries of a matrix and over
// counters (entry_kernels.cpp). The loops are compiled once for each SIMD target, because they reach the speed of memory
// only with wide registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "counting/packed_entry.hpp"
#include "termsift/csr_view.hpp"
#include "termsift/portability.hpp"

namespace termsift {

// The result of checking some rows.
struct CsrScan : CsrFacts {
  bool refused = false;  // whether an entry is invalid; the other facts are then meaningless
  bool has_fractions = false;
  std::int64_t n_unpackable = 0;  // the number of values that do not fit into a packed entry; meaningless if has_fractions

  // Checks the rows [first, last) and adds the result to this object. indptr must have been checked.
  void rows(const AnyCsr& x, std::int64_t first, std::int64_t last, const PackedEntry& packed);
  // True if the columns of every row strictly increase and no value is zero.
  bool is_tidy() const { return distinct && !has_zeros; }
  void add(const CsrScan& others);
  static CsrScan sum(const std::vector<CsrScan>& parts);
};

// Returns the end of the range of rows that begins with `first` and is scanned at once. The range is so short that its rows
// stay in the cache until they are copied.
inline std::int64_t rows_to_scan(const AnyCsr& x, std::int64_t first, std::int64_t end) {
  constexpr std::int64_t most_entries = 1 << 14, most_rows = 1 << 12;
  std::int64_t last = first + 1, most = std::min(end, first + most_rows);
  while (last < most) {  // a binary search, because a step for each row would take too long
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

// Checks indptr in the same way as check_csr(), but checks no entries.
void check_indptr(const AnyCsr& x, const MatrixName& matrix);

template <class Index, class Value>
struct RowKernels {
  // Packs and checks n < 2^31 entries. The cell of a packed entry is its column. If `as_ones`, each value is packed as 1.
  // An entry is usual if its column is in [0, n_columns) and its value is a small whole number of at least 1. If
  // `in_order`, the columns of usual entries must also strictly increase. Values up to a quarter of the largest value of a
  // packed entry are small, and values above half of it are not. Nearly all rows have only usual entries. If all entries
  // are usual, returns an upper bound of the values that is less than twice the largest value. If an entry is not usual,
  // returns 0, and `out` is meaningless.
  std::uint32_t (*pack_usual)(const Index* indices, const Value* data, std::int64_t n, std::int64_t n_columns, bool in_order,
                              bool as_ones, PackedEntry packed, std::uint32_t* out);
  // Returns true if all of indices[0 .. n) are in [0, n_columns).
  bool (*within)(const Index* indices, std::int64_t n, std::int64_t n_columns);
  // Returns how many of indices[0 .. n) do not exceed their predecessor. Reads indices[-1]. Requires n < 2^31.
  std::int64_t (*descents)(const Index* indices, std::int64_t n);
  // Updates all facts except `distinct` for n values. A value is refused if it is negative, not finite or above 2^63 - 1.
  void (*values)(const Value* data, std::int64_t n, PackedEntry packed, CsrScan& facts);

  static const RowKernels baseline, avx2, avx512;  // simd/targets.hpp
};

// The number of counters in a cache line.
inline constexpr int line_cells = 16;

struct CounterKernels {
  // Adds n packed entries to the counters of their cells. If `bounded`, uses PackedCounters::add_bounded.
  void (*add)(const std::uint32_t* entries, std::int64_t n, PackedEntry packed, const PackedCounters& counters,
              bool bounded);
  // Does the same as add(), and sets lines[i] to 1 if a changed counter is in cache line i.
  void (*add_and_note)(const std::uint32_t* entries, std::int64_t n, PackedEntry packed, const PackedCounters& counters,
                       bool bounded, std::uint8_t* lines);
  // Moves the nonzero small counters to the front, in order, and clears all others. Sets terms[i] to `first` plus the
  // cell from which counters[i] came; `terms` needs space for line_cells additional elements. If `lines` is not null, the
  // byte of each line with a nonzero counter must be 1. Clears the bytes of all lines, whose number is rounded up to a
  // multiple of 64. Returns the number of moved counters.
  std::int64_t (*take)(std::uint32_t* counters, std::uint8_t* lines, std::int64_t n_lines, std::int32_t first,
                       std::int32_t* terms);

  static const CounterKernels baseline, avx2, avx512;
};

}  // namespace termsift

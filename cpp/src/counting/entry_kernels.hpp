// The loops over the entries of a matrix and over counters. They are compiled once for each SIMD target, because they reach
// the speed of memory only with wide registers. The source is entry_kernels.cpp.
#pragma once

#include <cstdint>

#include "counting/counters.hpp"
#include "counting/packed_entry.hpp"

namespace termsift {

// Facts about some rows of a matrix.
struct EntryFacts {
  bool distinct = true;  // true if the columns of every row strictly increase
  bool has_zeros = false;
  bool has_fractions = false;
  double value_bound = 0;         // at least the largest value, and less than twice that value
  std::int64_t n_unpackable = 0;  // the number of values that do not fit into a packed entry; meaningless with fractions
};

template <class Index, class Value>
struct RowKernels {
  // Packs and checks n < 2^31 entries. The cell of an entry is its column. If `as_ones`, each value is packed as 1. An entry
  // is usual if its column is in [0, n_columns) and its value is a small whole number of at least 1. If `in_order`, the
  // columns must also strictly increase. If all entries are usual, returns an upper bound of the values that is less than
  // twice the largest value. Otherwise returns 0, and `out` is meaningless. Values up to a quarter of PackedEntry::largest()
  // are small. Values above half of largest() are not small. In nearly all rows, all entries are usual.
  std::uint32_t (*pack_usual)(const Index* indices, const Value* data, std::int64_t n, std::int64_t n_columns, bool in_order,
                              bool as_ones, PackedEntry packed, std::uint32_t* out);
  // Returns true if all of indices[0 .. n) are in [0, n_columns).
  bool (*within)(const Index* indices, std::int64_t n, std::int64_t n_columns);
  // Returns the number of indices[0 .. n) that do not exceed their predecessor. Reads indices[-1]. Requires n < 2^31.
  std::int64_t (*descents)(const Index* indices, std::int64_t n);
  // Adds n values to all facts except `distinct`. Returns false if a value is negative, not finite or above 2^63 - 1.
  bool (*values)(const Value* data, std::int64_t n, PackedEntry packed, EntryFacts& facts);
  // Distributes a row of n entries to blocks of 2^term_bits columns. Writes each entry to *next[block]++, with the cell
  // first_cell + column % 2^term_bits. Returns the number of escapes.
  std::int64_t (*deal)(const Index* indices, const Value* data, std::int64_t n, PackedEntry packed, int term_bits,
                       std::uint32_t first_cell, std::uint32_t** next);

  static const RowKernels baseline, avx2, avx512;  // simd/targets.hpp
};

// The number of counters in a cache line.
inline constexpr int line_cells = 16;

struct CounterKernels {
  // Adds n packed entries to the counters of their cells. If `bounded`, it uses PackedCounters::add_bounded.
  void (*add)(const std::uint32_t* entries, std::int64_t n, PackedEntry packed, const PackedCounters& counters,
              bool bounded);
  // Does the same as add(). Also sets lines[i] to 1 if the counter of a changed cell is in cache line i.
  void (*add_and_note)(const std::uint32_t* entries, std::int64_t n, PackedEntry packed, const PackedCounters& counters,
                       bool bounded, std::uint8_t* lines);
  // Moves the nonzero small counters to the front, in order, and clears all others. Sets terms[i] to `first` plus the cell
  // from which counters[i] came; `terms` needs space for line_cells more elements. If `lines` is not null, lines[i] must be
  // 1 for each line i with a nonzero counter. The bytes of `lines` are cleared up to a multiple of 64. Returns the number of
  // moved counters.
  std::int64_t (*take)(std::uint32_t* counters, std::uint8_t* lines, std::int64_t n_lines, std::int32_t first,
                       std::int32_t* terms);

  static const CounterKernels baseline, avx2, avx512;
};

}  // namespace termsift

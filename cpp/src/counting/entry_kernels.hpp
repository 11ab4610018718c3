// The loops over entries of a matrix and over counters. They are compiled once for each SIMD target, because only wide
// registers let them check, pack and add up entries at the speed of memory. The source is entry_kernels.cpp.
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
  double value_bound = 0;         // at least the largest value, less than twice it
  std::int64_t n_unpackable = 0;  // the number of values that do not fit into a packed entry; meaningless with fractions
};

template <class Index, class Value>
struct RowKernels {
  // Packs and checks n < 2^31 entries. The cell of each is its column. Returns a bound of the values,
  // at least the largest and less than twice as much, if the columns are in [0, n_columns), strictly increase if they are to
  // be `in_order`, and all values are small whole numbers from 1 on, as in nearly all rows; else 0, and `out` means nothing.
  // Every value up to a quarter of what fits into a packed entry counts as small, and none above half of it.
  // Packs each value as 1 if they are to be counted `as_ones`.
  std::uint32_t (*pack_usual)(const Index* indices, const Value* data, std::int64_t n, std::int64_t n_columns, bool in_order,
                              bool as_ones, PackedEntry packed, std::uint32_t* out);
  // Returns true if all of indices[0 .. n) are in [0, n_columns).
  bool (*within)(const Index* indices, std::int64_t n, std::int64_t n_columns);
  // Returns how many of indices[0 .. n) do not exceed the index before them. indices[-1] is read; n < 2^31.
  std::int64_t (*descents)(const Index* indices, std::int64_t n);
  // Adds the facts of n values, except `distinct`. Returns false if a value is not finite, negative or above 2^63 - 1.
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
  // Does the same, and sets lines[i] to 1 for the line i of each cell.
  void (*add_and_note)(const std::uint32_t* entries, std::int64_t n, PackedEntry packed, const PackedCounters& counters,
                       bool bounded, std::uint8_t* lines);
  // Moves the nonzero small counters to the front, in order, and clears all others. Sets terms[i] to `first` plus the cell
  // from which counters[i] came; `terms` must have room for one more line. If `lines` is not null, all nonzero counters must
  // be in lines whose byte is 1, and the bytes are cleared up to a multiple of 64. Returns the number of moved counters.
  std::int64_t (*take)(std::uint32_t* counters, std::uint8_t* lines, std::int64_t n_lines, std::int32_t first,
                       std::int32_t* terms);

  static const CounterKernels baseline, avx2, avx512;
};

}  // namespace termsift

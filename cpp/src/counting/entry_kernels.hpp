// The loops over entries of a matrix and over counters, compiled once for each SIMD target like the scoring kernels:
// checking, packing and adding up run at the speed of memory only with wide registers.
#pragma once

#include <cstdint>

#include "counting/counters.hpp"
#include "counting/packed_entry.hpp"

namespace termsift {

// What a scan of entries adds up; CsrFacts says what the fields mean.
struct EntryFacts {
  bool has_zeros = false;
  bool has_fractions = false;
  double value_bound = 0;
  std::int64_t n_unpackable = 0;
};

template <class Index, class Value>
struct RowKernels {
  // Whether indices[0 .. n) are in [0, n_columns).
  bool (*within)(const Index* indices, std::int64_t n, std::int64_t n_columns);
  // How many of indices[0 .. n) do not exceed their predecessor, indices[-1] included; n <= 2^15.
  std::int64_t (*descents)(const Index* indices, std::int64_t n);
  // Adds the facts of n values; false if one is not finite, negative or above 2^63 - 1.
  bool (*values)(const Value* data, std::int64_t n, PackedEntry packed, EntryFacts& facts);
  // Packs a row of n entries, cell = column. Returns how many values are escapes.
  std::int64_t (*pack)(const Index* indices, const Value* data, std::int64_t n, PackedEntry packed, std::uint32_t* out);
  // Deals a row of n entries to blocks of 2^term_bits columns: each is written to *next[block]++, as cell
  // first_cell + column % 2^term_bits. Returns how many values are escapes.
  std::int64_t (*deal)(const Index* indices, const Value* data, std::int64_t n, PackedEntry packed, int term_bits,
                       std::uint32_t first_cell, std::uint32_t** next);

  static const RowKernels baseline, avx2, avx512;  // simd/targets.hpp
};

struct CounterKernels {
  // Adds n packed entries to the counters of their cells.
  void (*add)(const std::uint32_t* entries, std::int64_t n, PackedEntry packed, const Counters& counters);
  // The same, and sets the bit of each cell in `seen` and the byte of its 4096 neighbours in `seen_groups`.
  void (*add_and_note)(const std::uint32_t* entries, std::int64_t n, PackedEntry packed, const Counters& counters,
                       std::uint64_t* seen, std::uint8_t* seen_groups);
  // Sets bit i of words[w] to whether counters[64 w + i] is not zero; returns how many are.
  std::int64_t (*note)(const std::uint32_t* counters, std::int64_t n_words, std::uint64_t* words);
  std::int64_t (*count_bits)(const std::uint64_t* words, std::int64_t n_words);
  // Moves the counters whose bits are set in the words to a row that has room for n pairs: first + i, and the two parts of
  // counter i, for each bit i in order. Clears the bits and the counters. Returns how many there were.
  std::int64_t (*drain)(const Counters& counters, std::uint64_t* words, std::int64_t n_words, std::int32_t first,
                        std::int64_t n, std::int32_t* terms, std::uint32_t* tf, std::uint32_t* df);
  // The same for frequencies that need more than 32 bits: the terms alone, and leaves the counters.
  std::int64_t (*list)(std::uint64_t* words, std::int64_t n_words, std::int32_t first, std::int64_t n, std::int32_t* terms);

  static const CounterKernels baseline, avx2, avx512;
};

}  // namespace termsift

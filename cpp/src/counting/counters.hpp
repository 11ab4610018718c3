// Counters of occurrences and documents, to which packed entries are added.
#pragma once

#include <cstdint>

#include "counting/packed_entry.hpp"
#include "termsift/portability.hpp"

namespace termsift {

// A counter holds the occurrences and the documents of a cell in the 4 bytes small[cell]. Entries reach cells in any order,
// so the speed depends on how many counters fit into the cache. For 10^8 entries of a million terms, 4-byte counters took
// 0.7 of the time of 8-byte counters. Few cells also use large[cell], so most of `large` is never touched.
struct PackedCounters {
  // The low bits count occurrences, and the high bits count documents. If an addition sets a bit of `full`, the sum moves to
  // the large counter, and the small counter becomes `moved`. So both parts always have room for one more entry, and the
  // small counter of a cell with entries is never zero.
  static constexpr int document_shift = 16;
  static constexpr std::uint32_t one_document = std::uint32_t{1} << document_shift;
  static constexpr std::uint32_t moved = std::uint32_t{1} << 31;
  static constexpr std::uint32_t full = std::uint32_t{1} << 30 | std::uint32_t{1} << PackedEntry::most_value_bits;
  static_assert(PackedEntry::most_value_bits + 1 == document_shift, "the largest entry must fit into half of a part");
  // The layout of a large counter.
  static constexpr int large_document_shift = 40;

  std::uint32_t* small;
  std::uint64_t* large;

  static TERMSIFT_INLINE std::uint32_t occurrences(std::uint32_t counter) { return counter & (one_document - 1); }
  static TERMSIFT_INLINE std::uint32_t documents(std::uint32_t counter) { return (counter & ~moved) >> document_shift; }

  TERMSIFT_INLINE void add(std::uint32_t cell, std::uint32_t value) const {
    std::uint32_t counter = small[cell] + (one_document + value);
    if (unlikely((counter & full) != 0)) {
      large[cell] += widened(counter);
      counter = moved;
    }
    small[cell] = counter;
  }

  // Does the same as add() in a third of the time, because it does not test for `full`. Both parts of the sum must be below
  // 2^15.
  TERMSIFT_INLINE void add_bounded(std::uint32_t cell, std::uint32_t value) const { small[cell] += one_document + value; }
  static constexpr std::uint64_t bound = std::uint64_t{1} << PackedEntry::most_value_bits;

  // Adds any number of occurrences but no document.
  void add_occurrences(std::uint32_t cell, std::uint64_t n) const {
    large[cell] += n;
    small[cell] |= moved;
  }

  // Returns all counts of a cell in the layout of a large counter, given the small counter. Clears the large counter.
  TERMSIFT_INLINE std::uint64_t take_large(std::int64_t cell, std::uint32_t counter) const {
    std::uint64_t both = widened(counter);
    if ((counter & moved) == 0) return both;
    both += large[cell];
    large[cell] = 0;
    return both;
  }
  static TERMSIFT_INLINE std::uint64_t large_occurrences(std::uint64_t both) {
    return both & ((std::uint64_t{1} << large_document_shift) - 1);
  }

 private:
  static TERMSIFT_INLINE std::uint64_t widened(std::uint32_t counter) {
    return std::uint64_t{documents(counter)} << large_document_shift | occurrences(counter);
  }
};

}  // namespace termsift

// What a stream's entries are added up in.
#pragma once

#include <cstdint>

#include "counting/packed_entry.hpp"
#include "termsift/inline.hpp"

namespace termsift {

// The occurrences and the documents of each cell, in the 4 bytes of small[cell]: the additions go to cells as the entries
// come, and what of the counters the cache holds decides how long that takes (10^8 entries of a million terms: 0.7 of the
// time with 8 bytes each). Few cells need more; what does not fit is in large[cell], most of which is never touched.
struct Counters {
  // Occurrences below, documents above. A counter with a bit of `full` moves to the large one and leaves `moved`, so that
  // both parts have room for one more entry, and no counter of a cell that has entries is zero.
  static constexpr int document_shift = 16;
  static constexpr std::uint32_t one_document = std::uint32_t{1} << document_shift;
  static constexpr std::uint32_t moved = std::uint32_t{1} << 31;
  static constexpr std::uint32_t full = std::uint32_t{1} << 30 | std::uint32_t{1} << PackedEntry::most_value_bits;
  static_assert(PackedEntry::most_value_bits + 1 == document_shift, "half of a part is room for the largest entry");
  // The same in 64 bits.
  static constexpr int large_document_shift = 40;

  std::uint32_t* small;
  std::uint64_t* large;

  static TERMSIFT_INLINE std::uint32_t occurrences(std::uint32_t counter) { return counter & (one_document - 1); }
  static TERMSIFT_INLINE std::uint32_t documents(std::uint32_t counter) { return (counter & ~moved) >> document_shift; }

  TERMSIFT_INLINE void add(std::uint32_t cell, std::uint32_t value) const {
    std::uint32_t counter = small[cell] + (one_document + value);
    if (__builtin_expect((counter & full) != 0, 0)) {
      large[cell] += widened(counter);
      counter = moved;
    }
    small[cell] = counter;
  }

  // Adds occurrences alone, any number of them.
  void add_occurrences(std::uint32_t cell, std::uint64_t n) const {
    large[cell] += n;
    small[cell] |= moved;
  }

  // Takes away what is in 4 bytes.
  TERMSIFT_INLINE std::uint32_t take_small(std::int64_t cell) const {
    const std::uint32_t counter = small[cell];
    small[cell] = 0;
    return counter;
  }
  // Takes away the rest as well: all of a cell whose small counter was that, as the large one has it.
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

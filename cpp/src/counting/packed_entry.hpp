// An entry of a matrix in 32 bits, and the counters of occurrences and documents to which such entries are added.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "base/values.hpp"
#include "termsift/portability.hpp"
#include "termsift/types.hpp"

namespace termsift {

// The high bits of an entry are its cell (see streams.hpp), and the low bits are its value. A value that does not fit is an
// escape: the entry holds the largest number that fits, and a separate list holds the rest. Fractions are never packed.
class PackedEntry {
 public:
  // The largest number of bits for values. A counter always has room for one more value of this many bits (PackedCounters).
  static constexpr int most_value_bits = 15;

  explicit PackedEntry(std::int64_t n_cells)
      : value_bits_(std::min(most_value_bits, 32 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n_cells))))),
        escape_((std::uint32_t{1} << value_bits_) - 1) {}

  // Returns true if the value fits into an entry.
  template <class Value>
  TERMSIFT_INLINE bool holds(Value value) const {
    if constexpr (std::is_same_v<Value, Bool>) {
      return escape_ > 1;
    } else if constexpr (std::is_floating_point_v<Value>) {
      const Value small = value < static_cast<Value>(escape_) ? value : Value{0};  // fits int32
      return value < static_cast<Value>(escape_) && static_cast<Value>(static_cast<std::int32_t>(small)) == small;
    } else {
      // Negative values become large unsigned numbers, which do not fit. Types of up to 32 bits are not widened to 64 bits,
      // so that a vector holds more values.
      using Unsigned = std::conditional_t<sizeof(Value) <= 4, std::uint32_t, std::uint64_t>;
      return static_cast<Unsigned>(value) < escape_;
    }
  }
  template <class Value>
  TERMSIFT_INLINE std::uint32_t pack(std::uint32_t cell, Value value) const {
    if constexpr (std::is_same_v<Value, Bool>)
      return pack(cell, static_cast<std::uint32_t>(value != Bool{0}));
    else
      return cell << value_bits_ | (holds(value) ? static_cast<std::uint32_t>(value) : escape_);
  }
  // Returns the part of a value that does not fit into its packed entry. The value must be an integer below 2^63.
  template <class Value>
  TERMSIFT_INLINE std::uint64_t rest(Value value) const {
    return static_cast<std::uint64_t>(as_count<std::int64_t>(value)) - escape_;
  }
  // Returns true only if all values fit. Precondition: each value is at least 1. `any_bits` is the bitwise or of value - 1
  // over all values.
  TERMSIFT_INLINE bool holds_less_one(std::uint64_t any_bits) const { return any_bits < escape_ / 2; }
  // Packs a value that fits, given less_one = value - 1.
  TERMSIFT_INLINE std::uint32_t pack_less_one(std::uint32_t cell, std::uint32_t less_one) const {
    return (cell << value_bits_) + less_one + 1;
  }
  int value_bits() const { return value_bits_; }
  TERMSIFT_INLINE std::uint32_t cell(std::uint32_t entry) const { return entry >> value_bits_; }
  TERMSIFT_INLINE std::uint32_t value(std::uint32_t entry) const { return entry & escape_; }

 private:
  int value_bits_;
  std::uint32_t escape_;
};

// A counter holds the occurrences and the documents of a cell in the 4 bytes small[cell]. Cells are accessed in any order,
// so speed depends on how many counters fit into the cache. For 10^8 entries of a million terms, 4-byte counters took 0.7
// of the time of 8-byte counters. The few cells with larger counts also use large[cell]. Most of `large` is never touched.
struct PackedCounters {
  // The low part of a counter counts occurrences, and the high part counts documents. When a counter has a bit of `full`,
  // its parts are added to the large counter, and the counter becomes `moved`. Both parts of a counter therefore always
  // have room for one more entry, and the counter of a cell with entries is never zero.
  static constexpr int document_shift = 16;
  static constexpr std::uint32_t one_document = std::uint32_t{1} << document_shift;
  static constexpr std::uint32_t moved = std::uint32_t{1} << 31;
  static constexpr std::uint32_t full = std::uint32_t{1} << 30 | std::uint32_t{1} << PackedEntry::most_value_bits;
  static_assert(PackedEntry::most_value_bits + 1 == document_shift, "the largest value must fill at most half of a part");
  // In a large counter, bit 40 and all higher bits count documents.
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

  // Does the same as add() in a third of the time, because it does not test for `full`. Both parts of the new counter must
  // be below 2^15.
  TERMSIFT_INLINE void add_bounded(std::uint32_t cell, std::uint32_t value) const { small[cell] += one_document + value; }
  static constexpr std::uint64_t bound = std::uint64_t{1} << PackedEntry::most_value_bits;

  // Adds any number of occurrences but no document.
  void add_occurrences(std::uint32_t cell, std::uint64_t n) const {
    large[cell] += n;
    small[cell] |= moved;
  }

  // Returns all counts of the cell in the layout of a large counter, given the small counter. Clears the large counter.
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

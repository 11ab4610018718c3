// Text that grows at its end, and the table of characters. Kernels use both, so every function here is inlined.
#pragma once

#include <atomic>
#include <cstdint>

#include "termsift/portability.hpp"
#include "termsift/utf8.hpp"

namespace termsift {

// The replacement of each character (see Mapped). The array grows while other threads read it.
using MappedEntry = std::atomic<std::uint64_t>;

// For kernels. The standard libraries always inline a load, so no SIMD target's copy of it is kept.
TERMSIFT_INLINE std::uint64_t read_entry(const MappedEntry* entry) { return entry->load(std::memory_order_relaxed); }

// Bytes with one bit for each. The bits after the last byte, to the end of their word, are zero.
struct MarkedBytes {
  std::uint8_t* bytes = nullptr;
  std::uint64_t* marks = nullptr;
  std::int64_t size = 0;
  bool ascii = true;  // whether all characters read so far are ASCII

  // Adds the `n` bytes that were written behind the last byte. No mark is set beyond them; n <= 64.
  TERMSIFT_INLINE void append(std::int64_t n, std::uint64_t new_marks) {
    std::uint64_t* const word = marks + size / 64;
    const std::int64_t bit = size % 64;
    word[0] |= new_marks << bit;
    word[1] = new_marks >> 1 >> (63 - bit);  // by 64 - bit, which may be 64
    size += n;
  }
};

}  // namespace termsift

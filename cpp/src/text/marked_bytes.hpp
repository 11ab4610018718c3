// Types for kernels: text that grows at its end, and the entries of CharacterMap. Every function is inlined.
#pragma once

#include <atomic>
#include <cstdint>

#include "termsift/portability.hpp"
#include "termsift/utf8.hpp"

namespace termsift {

// The replacement of one character (see Mapped). A thread may set an entry while other threads read it.
using MappedEntry = std::atomic<std::uint64_t>;

// Reads an entry in a kernel. Standard libraries always inline load(), so no SIMD target emits its own copy of load().
TERMSIFT_INLINE std::uint64_t read_entry(const MappedEntry* entry) { return entry->load(std::memory_order_relaxed); }

// Bytes with one mark bit for each byte. In the last word of marks, all bits after the bit of the last byte are zero.
struct MarkedBytes {
  std::uint8_t* bytes = nullptr;
  std::uint64_t* marks = nullptr;
  std::int64_t size = 0;
  bool ascii = true;  // whether all characters read so far are ASCII

  // Adds the `n` <= 64 bytes that were written after the last byte, with their marks. Precondition: in new_marks, the bits
  // from bit n on are 0.
  TERMSIFT_INLINE void append(std::int64_t n, std::uint64_t new_marks) {
    std::uint64_t* const word = marks + size / 64;
    const std::int64_t bit = size % 64;
    word[0] |= new_marks << bit;
    word[1] = new_marks >> 1 >> (63 - bit);  // two shifts, because a shift by 64 is undefined
    size += n;
  }
};

}  // namespace termsift

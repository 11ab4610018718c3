// The loops over text and over the marks of words. They are compiled once for each SIMD target.
#pragma once

#include <cstdint>

#include "text/marked_bytes.hpp"

namespace termsift {

// The rules for the replacement and the marks of characters.
struct ScanRules {
  const MappedEntry* entries;  // CharacterMap::entries
  std::uint8_t case_bit;       // 0x20 makes capital letters lowercase, 0 keeps them
  bool spaces;                 // whether white space is marked; otherwise word characters are marked
};

template <class Unit>
using ReadUnits = std::int64_t (*)(const Unit* text, std::int64_t at, std::int64_t limit, std::int64_t end,
                                   const ScanRules& rules, MarkedBytes& out);

struct ScanKernels {
  // Copies `text` to `out`, with capital letters changed by `case_bit`. For each byte, writes a bit to `marks`. The bit is
  // set for white space if `spaces`, and otherwise for word characters. Stops before the first block of 64 bytes that is
  // incomplete or not ASCII. Returns the number of bytes before that block.
  std::int64_t (*read_ascii)(const std::uint8_t* text, std::int64_t n, std::uint8_t case_bit, bool spaces, std::uint8_t* out,
                             std::uint64_t* marks);
  // Appends text from `at` on, in blocks of up to 64 units. Stops before the first block that begins at `limit` or later. It
  // also stops before a block that contains a character without a simple entry (Mapped::simple). In UTF-8, it also stops
  // before a block in which a replacement changes the length. Returns the start of the block before which it stopped. The
  // text ends at `end`. `out` must have room for four bytes per unit and 256 more. In UTF-8, 67 bytes must be readable,
  // starting at the first byte of each block.
  ReadUnits<std::uint8_t> read_utf8;
  ReadUnits<std::uint8_t> read_latin1;
  ReadUnits<std::uint16_t> read_ucs2;
  ReadUnits<std::uint32_t> read_ucs4;
  // Writes the start and the end of each run of two or more set bits, as `first` plus the index of the bit. Returns how many
  // numbers it wrote. No run may begin before the first bit, and the last bit must not be set. `bounds` needs room for 64
  // numbers more than are written.
  std::int64_t (*cut)(const std::uint64_t* marks, std::int64_t n_words, std::uint32_t first, std::uint32_t* bounds);

  static const ScanKernels baseline, avx2, avx512;
};

}  // namespace termsift

// The loops over text and over the marks of its words. They are compiled once for each SIMD target.
#pragma once

#include <cstdint>

#include "text/marked_bytes.hpp"

namespace termsift {

// How a loop reads the characters of a document that is not all ASCII.
struct ScanRules {
  const MappedEntry* entries;  // CharacterMap::entries
  std::uint8_t case_bit;       // 0x20 makes capital letters lowercase, 0 keeps them
  bool spaces;                 // whether white space is marked; else word characters are
};

template <class Unit>
using ReadUnits = std::int64_t (*)(const Unit* text, std::int64_t at, std::int64_t limit, std::int64_t end,
                                   const ScanRules& rules, MarkedBytes& out);

struct ScanKernels {
  // Copies `text` to `out`, with capital letters changed by `case_bit`, and writes one bit for each byte to
  // `marks`: whether it is part of a word or, with `spaces`, white space. Stops before the first block of 64 bytes that is
  // incomplete or not ASCII. Returns the number of bytes before that block.
  std::int64_t (*read_ascii)(const std::uint8_t* text, std::int64_t n, std::uint8_t case_bit, bool spaces, std::uint8_t* out,
                             std::uint64_t* marks);
  // Appends text from `at` on, in blocks of up to 64 units. Stops at a block that begins at `limit` or later or has a
  // character that it cannot take, and returns its begin. A block takes characters with simple entries; in UTF-8 they must
  // also keep their length. The text ends at `end`. `out` must have room for four bytes per unit and 256 more. In UTF-8, 67
  // bytes must be readable from the begin of each block.
  ReadUnits<std::uint8_t> read_utf8;
  ReadUnits<std::uint8_t> read_latin1;
  ReadUnits<std::uint16_t> read_ucs2;
  ReadUnits<std::uint32_t> read_ucs4;
  // Writes the begins and ends of runs of two or more bits, as first + the number of the bit. Returns how many it wrote. No
  // run begins before the first bit or ends after the last. There must be room for 64 more numbers.
  std::int64_t (*cut)(const std::uint64_t* marks, std::int64_t n_words, std::uint32_t first, std::uint32_t* bounds);

  static const ScanKernels baseline, avx2, avx512;
};

}  // namespace termsift

// The loops over text in ASCII and over the marks of its words. They are compiled once for each SIMD target.
#pragma once

#include <cstdint>

namespace termsift {

struct ScanKernels {
  // Copies `text` to `out`, with capital letters changed by `case_bit` (block_impl.hpp), and writes one bit for each byte
  // to `marks`: whether it is of a word, or white space. Stops before the first block of 64 bytes that is incomplete or not
  // ASCII, and returns the number of bytes before it.
  std::int64_t (*read_ascii)(const std::uint8_t* text, std::int64_t n, std::uint8_t case_bit, bool spaces, std::uint8_t* out,
                             std::uint64_t* marks);
  // Writes the begin and end of every run of two or more ones, as first + the number of the bit, and returns how many
  // numbers were written. The last bit must be zero. There must be room for 64 n_words + 64 numbers.
  std::int64_t (*cut)(const std::uint64_t* marks, std::int64_t n_words, std::uint32_t first, std::uint32_t* bounds);

  static const ScanKernels baseline, avx2, avx512;
};

}  // namespace termsift

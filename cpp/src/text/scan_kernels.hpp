// The loops over text in ASCII and over the marks of its words. They are compiled once for each SIMD target.
#pragma once

#include <cstdint>

namespace termsift {

struct ScanKernels {
  // Copies `text` to `out`, with capital letters changed by `case_bit` (block_impl.hpp), and writes one bit for each byte
  // to `marks`: whether it is of a word, or white space. Goes on in blocks of 64 bytes until one is not ASCII or incomplete,
  // and returns the number of bytes in those before it.
  std::int64_t (*read_ascii)(const std::uint8_t* text, std::int64_t n, std::uint8_t case_bit, bool spaces, std::uint8_t* out,
                             std::uint64_t* marks);
  // Writes where the runs of two or more bits begin and end, as first + the number of the bit, and returns how many numbers
  // that are. No run begins before the first bit or ends after the last. There must be room for 64 n_words + 64 numbers.
  std::int64_t (*cut)(const std::uint64_t* marks, std::int64_t n_words, std::uint32_t first, std::uint32_t* bounds);

  static const ScanKernels baseline, avx2, avx512;
};

}  // namespace termsift

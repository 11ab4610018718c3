// As in logarithms.hpp, nothing here may use a function of another file unless it is always inlined.
#include "text/scan_kernels.hpp"

#include "text/block_impl.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

template <bool spaces>
std::int64_t read(const std::uint8_t* text, std::int64_t n, std::uint8_t case_bit, std::uint8_t* out, std::uint64_t* marks) {
  std::int64_t at = 0;
  for (; at + 64 <= n; at += 64) {
    const BlockMarks block = read_block(text + at, case_bit, spaces, out + at);
    if (block.high != 0) break;
    *marks++ = block.marked;
  }
  return at;
}

std::int64_t read_ascii(const std::uint8_t* text, std::int64_t n, std::uint8_t case_bit, bool spaces, std::uint8_t* out,
                        std::uint64_t* marks) {
  return spaces ? read<true>(text, n, case_bit, out, marks) : read<false>(text, n, case_bit, out, marks);
}

#ifndef __AVX512F__
TERMSIFT_INLINE std::uint32_t lowest_bit(std::uint64_t bits) {
  return static_cast<std::uint32_t>(__builtin_ctzll(bits | std::uint64_t{1} << 63));
}
#endif

// A run begins or ends at a bit if the bit before it is set and just one of the bit and of the one two before. So a begin is
// found one bit late, when the run is known to have two bits.
std::int64_t cut(const std::uint64_t* marks, std::int64_t n_words, std::uint32_t first, std::uint32_t* bounds) {
  std::uint32_t* at = bounds;
  std::uint64_t before = 0;
  for (std::int64_t w = 0; w < n_words; ++w, first += 64) {
    const std::uint64_t word = marks[w];
    const std::uint64_t one_before = word << 1 | before >> 63, two_before = word << 2 | before >> 62;
    std::uint64_t changes = one_before & (word ^ two_before);
    before = word;
#ifdef __AVX512F__
    __m512i places = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(first)),
                                      _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    for (int i = 0; i < 64; i += 16) {
      const auto here = static_cast<__mmask16>(changes >> i), begins = static_cast<__mmask16>(here & word >> i);
      const __m512i found = _mm512_mask_sub_epi32(places, begins, places, _mm512_set1_epi32(1));
      _mm512_storeu_si512(at, _mm512_maskz_compress_epi32(here, found));
      at += __builtin_popcount(here);
      places = _mm512_add_epi32(places, _mm512_set1_epi32(16));
    }
#else
    // Begins and ends take turns.
    std::uint32_t* const next = at + __builtin_popcountll(changes);
    const auto at_end = static_cast<std::uint32_t>((at - bounds) & 1);
    const std::uint32_t even = first - (1 - at_end), odd = first - at_end;
    while (at < next) {
      for (int i = 0; i < 8; i += 2) {  // eight at a time, even if there are fewer
        at[i] = even + lowest_bit(changes);
        changes &= changes - 1;
        at[i + 1] = odd + lowest_bit(changes);
        changes &= changes - 1;
      }
      at += 8;
    }
    at = next;
#endif
  }
  return at - bounds;
}

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

namespace termsift {

const ScanKernels ScanKernels::TERMSIFT_TARGET{simd::TERMSIFT_TARGET::read_ascii, simd::TERMSIFT_TARGET::cut};

}  // namespace termsift

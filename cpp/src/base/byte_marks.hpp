// Tests all bytes of a 64-byte block at once. Kernels include this file, so all its functions are inlined.
#pragma once

#include <cstdint>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "termsift/portability.hpp"

namespace termsift {

// 64 bytes of text, if possible in one vector. With vectors of 16 bytes, counting texts takes a sixth longer than with 64.
class Bytes64 {
 public:
#if defined(__AVX512BW__)
  explicit TERMSIFT_INLINE Bytes64(const std::uint8_t* text) : bytes_(_mm512_loadu_si512(text)) {}
  // Sets bit i of the result if byte i is in [first, first + n). Precondition: n <= 128.
  TERMSIFT_INLINE std::uint64_t within(int first, int n) const { return bits_within(bytes_, first, n); }
  // Sets bit i of the result if byte i has the only bit of `bit`.
  TERMSIFT_INLINE std::uint64_t with_bit(std::uint8_t bit) const {
    return _mm512_test_epi8_mask(bytes_, _mm512_set1_epi8(static_cast<char>(bit)));
  }
  // Writes the bytes to `out`, where each ASCII letter gets the bits that are set in `bit`.
  TERMSIFT_INLINE void write(std::uint8_t bit, std::uint8_t* out) const {
    const __mmask64 letters = bits_within(_mm512_or_si512(bytes_, _mm512_set1_epi8(0x20)), 'a', 26);
    const __m512i changed = _mm512_or_si512(bytes_, _mm512_set1_epi8(static_cast<char>(bit)));
    _mm512_storeu_si512(out, _mm512_mask_blend_epi8(letters, bytes_, changed));
  }

 private:
  static TERMSIFT_INLINE std::uint64_t bits_within(__m512i bytes, int first, int n) {
    return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8(static_cast<char>(first))),
                                  _mm512_set1_epi8(static_cast<char>(n)));
  }
  __m512i bytes_;
#elif defined(__SSE2__)
  explicit TERMSIFT_INLINE Bytes64(const std::uint8_t* text) {
    for (int i = 0; i < 4; ++i) bytes_[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + 16 * i));
  }
  TERMSIFT_INLINE std::uint64_t within(int first, int n) const {
    std::uint64_t all = 0;
    for (int i = 0; i < 4; ++i) all |= bits(vector_within(bytes_[i], first, n)) << 16 * i;
    return all;
  }
  TERMSIFT_INLINE std::uint64_t with_bit(std::uint8_t bit) const {
    const __m128i wanted = _mm_set1_epi8(static_cast<char>(bit));
    std::uint64_t all = 0;
    for (int i = 0; i < 4; ++i) all |= bits(_mm_cmpeq_epi8(_mm_and_si128(bytes_[i], wanted), wanted)) << 16 * i;
    return all;
  }
  TERMSIFT_INLINE void write(std::uint8_t bit, std::uint8_t* out) const {
    for (int i = 0; i < 4; ++i) {
      const __m128i letters = vector_within(_mm_or_si128(bytes_[i], _mm_set1_epi8(0x20)), 'a', 26);
      const __m128i changed = _mm_or_si128(bytes_[i], _mm_and_si128(letters, _mm_set1_epi8(static_cast<char>(bit))));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 16 * i), changed);
    }
  }

 private:
  static TERMSIFT_INLINE std::uint64_t bits(__m128i bytes) {
    return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes));
  }
  static TERMSIFT_INLINE __m128i vector_within(__m128i bytes, int first, int n) {
    return _mm_cmplt_epi8(_mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(-128 - first))),
                          _mm_set1_epi8(static_cast<char>(-128 + n)));
  }
  __m128i bytes_[4];
#else
  explicit TERMSIFT_INLINE Bytes64(const std::uint8_t* text) : text_(text) {}
  TERMSIFT_INLINE std::uint64_t within(int first, int n) const {
    constexpr std::uint64_t ones = 0x0101010101010101, high = ones << 7;
    const std::uint64_t from = ones * static_cast<std::uint64_t>(first), room = ones * static_cast<std::uint64_t>(128 - n);
    std::uint64_t all = 0;
    for (int i = 0; i < 64; i += 8) {
      std::uint64_t bytes = 0;
      copy_bytes(&bytes, text_ + i, sizeof bytes);
      bytes = low_byte_first(bytes);
      // Subtracts `first` from each byte, without a borrow from the next byte.
      const std::uint64_t less = ((bytes | high) - (from & ~high)) ^ ((bytes ^ ~from) & high);
      const std::uint64_t found = ~(less | ((less & ~high) + room)) & high;
      all |= ((found >> 7) * 0x0102040810204080 >> 56) << i;
    }
    return all;
  }
  TERMSIFT_INLINE std::uint64_t with_bit(std::uint8_t bit) const {
    std::uint64_t all = 0;
    for (int i = 0; i < 64; ++i) all |= std::uint64_t{(text_[i] & bit) != 0} << i;
    return all;
  }
  TERMSIFT_INLINE void write(std::uint8_t bit, std::uint8_t* out) const {
    for (int i = 0; i < 64; ++i) {
      const bool is_letter = static_cast<std::uint8_t>((text_[i] | 0x20) - 'a') < 26;
      out[i] = static_cast<std::uint8_t>(text_[i] | (is_letter ? bit : 0));
    }
  }

 private:
  const std::uint8_t* text_;
#endif

 public:
  TERMSIFT_INLINE std::uint64_t equal(char c) const { return within(static_cast<unsigned char>(c), 1); }
  TERMSIFT_INLINE std::uint64_t high() const { return within(0x80, 0x80); }
};

}  // namespace termsift

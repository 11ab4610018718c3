// One bit for each of 64 bytes.
#pragma once

#include <cstdint>
#ifdef __SSE2__
#include <emmintrin.h>
#define TERMSIFT_SSE2_BYTES
#endif

namespace termsift {

// 64 bytes of text. Vectors of 16 bytes are as fast here as longer vectors.
class Bytes64 {
 public:
#ifdef TERMSIFT_SSE2_BYTES
  explicit Bytes64(const std::uint8_t* text) {
    for (int i = 0; i < 4; ++i) bytes_[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + 16 * i));
  }
  std::uint64_t equal(char c) const {
    const __m128i all = _mm_set1_epi8(c);
    return bits([&](__m128i bytes) { return _mm_cmpeq_epi8(bytes, all); });
  }
  std::uint64_t below(char c) const {  // c > 0
    const __m128i most = _mm_set1_epi8(static_cast<char>(c - 1));
    return bits([&](__m128i bytes) { return _mm_cmpeq_epi8(_mm_min_epu8(bytes, most), bytes); });
  }
  std::uint64_t high() const {
    return bits([](__m128i bytes) { return bytes; });
  }

 private:
  template <class F>
  std::uint64_t bits(const F& f) const {
    std::uint64_t all = 0;
    for (int i = 0; i < 4; ++i) all |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(f(bytes_[i])))} << 16 * i;
    return all;
  }
  __m128i bytes_[4];
#else
  explicit Bytes64(const std::uint8_t* text) : text_(text) {}
  std::uint64_t equal(char c) const {
    return bits([c](std::uint8_t byte) { return byte == static_cast<std::uint8_t>(c); });
  }
  std::uint64_t below(char c) const {
    return bits([c](std::uint8_t byte) { return byte < static_cast<std::uint8_t>(c); });
  }
  std::uint64_t high() const {
    return bits([](std::uint8_t byte) { return byte >= 0x80; });
  }

 private:
  template <class F>
  std::uint64_t bits(const F& f) const {
    std::uint64_t all = 0;
    for (int i = 0; i < 64; ++i) all |= std::uint64_t{f(text_[i])} << i;
    return all;
  }
  const std::uint8_t* text_;
#endif
};

}  // namespace termsift

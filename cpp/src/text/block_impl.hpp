// Lowercases and marks 64 bytes of text, for one SIMD target. Vectors of 16 bytes are nearly as fast as vectors of 64.
#pragma once

#include <cstdint>
#ifdef __SSE2__
#include <immintrin.h>
#define TERMSIFT_SSE2
#endif

#include "termsift/portability.hpp"

namespace termsift {

struct BlockMarks {
  std::uint64_t marked;  // the ASCII characters of words, or ASCII white space
  std::uint64_t high;    // the bytes that are not ASCII
};

// The bytes that begin a UTF-8 character, by its length, and the bytes that continue one. Bytes from 0xF8 on are in none of
// these.
struct Utf8Marks {
  std::uint64_t two, three, four, following;
};

// Writes 64 bytes of `text` to `out`, with ASCII capital letters changed by `case_bit`: 0x20 makes them lowercase, 0 keeps
// them.
#if defined(__AVX512BW__)

TERMSIFT_INLINE BlockMarks read_block(const std::uint8_t* text, std::uint8_t case_bit, bool spaces, std::uint8_t* out) {
  const auto within = [](__m512i bytes, int first, int n) TERMSIFT_INLINE_LAMBDA {
    return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8(static_cast<char>(first))),
                                  _mm512_set1_epi8(static_cast<char>(n)));
  };
  const __m512i bytes = _mm512_loadu_si512(text);
  const __mmask64 letters = within(_mm512_or_si512(bytes, _mm512_set1_epi8(0x20)), 'a', 26);
  const __m512i changed = _mm512_or_si512(bytes, _mm512_set1_epi8(static_cast<char>(case_bit)));
  _mm512_storeu_si512(out, _mm512_mask_blend_epi8(letters, bytes, changed));
  const __mmask64 underscores = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('_'));
  const std::uint64_t marked = spaces ? within(bytes, 9, 5) | within(bytes, 28, 5)
                                      : letters | within(bytes, '0', 10) | underscores;
  return {marked, _mm512_movepi8_mask(bytes)};
}

TERMSIFT_INLINE Utf8Marks mark_utf8(const std::uint8_t* text) {
  const __m512i bytes = _mm512_loadu_si512(text);
  const auto from = [bytes](int first) TERMSIFT_INLINE_LAMBDA {
    return std::uint64_t{_mm512_cmpge_epu8_mask(bytes, _mm512_set1_epi8(static_cast<char>(first)))};
  };
  const std::uint64_t two = from(0xc0), three = from(0xe0), four = from(0xf0), none = from(0xf8);
  return {two & ~three, three & ~four, four & ~none, _mm512_movepi8_mask(bytes) & ~two};
}

#elif defined(TERMSIFT_SSE2)

TERMSIFT_INLINE __m128i bytes_within(__m128i bytes, int first, int n) {
  return _mm_cmplt_epi8(_mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(-128 - first))),
                        _mm_set1_epi8(static_cast<char>(-128 + n)));
}

TERMSIFT_INLINE BlockMarks read_block(const std::uint8_t* text, std::uint8_t case_bit, bool spaces, std::uint8_t* out) {
  BlockMarks marks{};
  for (int i = 0; i < 64; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + i));
    const __m128i letters = bytes_within(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 26);
    const __m128i changed = _mm_and_si128(letters, _mm_set1_epi8(static_cast<char>(case_bit)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), _mm_or_si128(bytes, changed));
    const __m128i marked = spaces ? _mm_or_si128(bytes_within(bytes, 9, 5), bytes_within(bytes, 28, 5))
                                  : _mm_or_si128(_mm_or_si128(letters, bytes_within(bytes, '0', 10)),
                                                 _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')));
    marks.marked |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(marked))} << i;
    marks.high |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(bytes))} << i;
  }
  return marks;
}

TERMSIFT_INLINE std::uint64_t marks_from(__m128i bytes, int first) {
  const __m128i from = _mm_cmpeq_epi8(_mm_max_epu8(bytes, _mm_set1_epi8(static_cast<char>(first))), bytes);
  return static_cast<std::uint32_t>(_mm_movemask_epi8(from));
}

TERMSIFT_INLINE Utf8Marks mark_utf8(const std::uint8_t* text) {
  std::uint64_t high = 0, two = 0, three = 0, four = 0, none = 0;
  for (int i = 0; i < 64; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + i));
    high |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(bytes))} << i;
    two |= marks_from(bytes, 0xc0) << i;
    three |= marks_from(bytes, 0xe0) << i;
    four |= marks_from(bytes, 0xf0) << i;
    none |= marks_from(bytes, 0xf8) << i;
  }
  return {two & ~three, three & ~four, four & ~none, high & ~two};
}

#else

TERMSIFT_INLINE BlockMarks read_block(const std::uint8_t* text, std::uint8_t case_bit, bool spaces, std::uint8_t* out) {
  BlockMarks marks{};
  for (int i = 0; i < 64; ++i) {
    const auto within = [byte = text[i]](int first, int n) { return static_cast<std::uint8_t>(byte - first) < n; };
    const bool letter = within('a', 26) || within('A', 26);
    out[i] = static_cast<std::uint8_t>(text[i] | (letter ? case_bit : 0));
    const bool marked = spaces ? within(9, 5) || within(28, 5) : letter || within('0', 10) || text[i] == '_';
    marks.marked |= std::uint64_t{marked} << i;
    marks.high |= std::uint64_t{text[i] >= 0x80} << i;
  }
  return marks;
}

TERMSIFT_INLINE Utf8Marks mark_utf8(const std::uint8_t* text) {
  Utf8Marks marks{};
  for (int i = 0; i < 64; ++i) {
    const std::uint8_t byte = text[i];
    marks.two |= std::uint64_t{byte >= 0xc0 && byte < 0xe0} << i;
    marks.three |= std::uint64_t{byte >= 0xe0 && byte < 0xf0} << i;
    marks.four |= std::uint64_t{byte >= 0xf0 && byte < 0xf8} << i;
    marks.following |= std::uint64_t{byte >= 0x80 && byte < 0xc0} << i;
  }
  return marks;
}

#endif

}  // namespace termsift

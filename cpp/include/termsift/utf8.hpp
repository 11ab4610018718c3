// Encodes and decodes characters as UTF-8.
#pragma once

#include <cstdint>
#include <cstring>

namespace termsift {

inline constexpr char32_t n_code_points = 0x110000;

inline int utf8_length(std::uint8_t first) { return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4; }

// Writes a character (even a lone surrogate), and returns the number of bytes.
inline int write_utf8(char32_t c, std::uint8_t* out) {
  constexpr std::uint8_t leads[] = {0, 0xc0, 0xe0, 0xf0};
  const int length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (int i = length - 1; i > 0; --i, c >>= 6) out[i] = static_cast<std::uint8_t>(0x80 | (c & 0x3f));
  out[0] = static_cast<std::uint8_t>(leads[length - 1] | c);
  return length;
}

// Sets c to the character at `at`. Returns the number of the character's bytes, or 0 if the bytes are invalid UTF-8, such as
// overlong forms and surrogates.
inline int read_utf8(const std::uint8_t* at, const std::uint8_t* end, char32_t& c) {
  const std::int64_t left = end - at;
  const auto follows = [&](int i) { return left > i && (at[i] & 0xc0) == 0x80; };
  const auto part = [&](int i, int shift) { return static_cast<char32_t>(at[i] & 0x3f) << shift; };
  if (at[0] < 0x80) {
    c = at[0];
    return 1;
  }
  if (at[0] < 0xe0) {
    if (!follows(1)) return 0;
    c = static_cast<char32_t>(at[0] & 0x1f) << 6 | part(1, 0);
    return at[0] >= 0xc2 ? 2 : 0;
  }
  if (at[0] < 0xf0) {
    if (!follows(1) || !follows(2)) return 0;
    c = static_cast<char32_t>(at[0] & 0xf) << 12 | part(1, 6) | part(2, 0);
    return c >= 0x800 && (c < 0xd800 || c >= 0xe000) ? 3 : 0;
  }
  if (!follows(1) || !follows(2) || !follows(3)) return 0;
  c = static_cast<char32_t>(at[0] - 0xf0) << 18 | part(1, 12) | part(2, 6) | part(3, 0);
  return c >= 0x10000 && c < n_code_points ? 4 : 0;
}

// Returns the offset of the first invalid character, or `size` if all are valid.
inline std::int64_t first_invalid_utf8(const std::uint8_t* text, std::int64_t size) {
  for (std::int64_t i = 0; i < size;) {
    if (std::uint64_t word = 0; i + 8 <= size) {
      std::memcpy(&word, text + i, 8);
      if ((word & 0x8080808080808080) == 0) {
        i += 8;
        continue;
      }
    }
    char32_t c = 0;
    const int length = read_utf8(text + i, text + size, c);
    if (length == 0) return i;
    i += length;
  }
  return size;
}

}  // namespace termsift

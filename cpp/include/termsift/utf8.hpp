// Validity of UTF-8.
#pragma once

#include <cstdint>
#include <cstring>

namespace termsift {

// Returns the offset of the first invalid UTF-8 character (overlong forms and surrogates are invalid), or `size`.
inline std::int64_t first_invalid_utf8(const std::uint8_t* text, std::int64_t size) {
  const auto follows = [&](std::int64_t i) { return i < size && (text[i] & 0xc0) == 0x80; };
  for (std::int64_t i = 0; i < size;) {
    if (std::uint64_t word = 0; i + 8 <= size) {
      std::memcpy(&word, text + i, 8);
      if ((word & 0x8080808080808080) == 0) {
        i += 8;
        continue;
      }
    }
    const std::uint8_t lead = text[i];
    if (lead < 0x80) {
      ++i;
    } else if (lead < 0xe0) {
      if (lead < 0xc2 || !follows(i + 1)) return i;
      i += 2;
    } else if (lead < 0xf0) {
      if (!follows(i + 1) || !follows(i + 2)) return i;
      if ((lead == 0xe0 && text[i + 1] < 0xa0) || (lead == 0xed && text[i + 1] >= 0xa0)) return i;
      i += 3;
    } else {
      if (lead > 0xf4 || !follows(i + 1) || !follows(i + 2) || !follows(i + 3)) return i;
      if ((lead == 0xf0 && text[i + 1] < 0x90) || (lead == 0xf4 && text[i + 1] >= 0x90)) return i;
      i += 4;
    }
  }
  return size;
}

}  // namespace termsift

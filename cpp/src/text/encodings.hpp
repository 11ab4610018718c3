// Reads the characters of an encoding.
#pragma once

#include <cstdint>

#include "termsift/utf8.hpp"

namespace termsift {

// read(at, end, c) sets c and returns the character's length in units, or 0 if the character is invalid. before(begin, at)
// returns the start of the character that ends at `at`. Neither read() nor before() reads outside the text.
struct Utf8 {
  using Unit = std::uint8_t;
  static int read(const Unit* at, const Unit* end, char32_t& c) { return read_utf8(at, end, c); }
  static const Unit* before(const Unit* begin, const Unit* at) {
    do --at;
    while (at > begin && (*at & 0xc0) == 0x80);
    return at;
  }
};

template <class T>
struct OneUnit {
  using Unit = T;
  static int read(const Unit* at, const Unit*, char32_t& c) {
    c = *at;
    return c < n_code_points ? 1 : 0;
  }
  static const Unit* before(const Unit*, const Unit* at) { return at - 1; }
};

}  // namespace termsift

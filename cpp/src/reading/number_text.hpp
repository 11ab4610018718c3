// Reads numbers from text that goes on for at least 8 readable bytes after a character that is in no number. The text of
// LineBlocks does.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "termsift/portability.hpp"

namespace termsift {

inline unsigned digit_of(char c) { return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0'; }  // above 9: no digit

// Eight characters, of which the first ones may be digits.
struct EightCharacters {
  std::uint64_t values;  // of digits, the first in the lowest byte
  std::uint64_t others;  // marks the first character that is no digit

  TERMSIFT_INLINE explicit EightCharacters(const char* p) {
    copy_bytes(&values, p, 8);
    values = low_byte_first(values) ^ 0x3030303030303030;
    others = ((values + 0x7676767676767676) | values) & 0x8080808080808080;
  }
  TERMSIFT_INLINE int n_digits() const { return lowest_set(others) >> 3; }  // if `others` is not 0
  // Returns the number with the first n digits.
  TERMSIFT_INLINE std::uint64_t number(int n) const {
    std::uint64_t word = values << (64 - 8 * n);  // the digits with leading zeros
    word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ff;
    word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffff;
    return (word * 10000 + (word >> 32)) & 0xffffffff;
  }
};

// Reads up to 18 digits and returns their end. Returns p if there is no digit, or if there are more than 18.
TERMSIFT_INLINE const char* read_digits(const char* p, std::int64_t& value) {
  // Most numbers have less than 8 digits. All their characters are processed at once, because a loop over the digits ends at
  // a place that the processor cannot predict.
  const EightCharacters word(p);
  if (unlikely(word.others == 0)) {
    std::uint64_t sum = 0;
    int n = 0;
    for (; digit_of(p[n]) <= 9; ++n) {
      if (n == 18) return p;
      sum = 10 * sum + digit_of(p[n]);
    }
    value = static_cast<std::int64_t>(sum);
    return p + n;
  }
  const int n = word.n_digits();
  if (unlikely(n == 0)) return p;
  value = static_cast<std::int64_t>(word.number(n));
  return p + n;
}

// Returns the integer that the whole text is, [+] digits, or nothing if it is none or exceeds int64.
inline std::optional<std::int64_t> whole_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uint64_t sum = 0;
  for (const char c : text) {
    const unsigned digit = digit_of(c);
    if (digit > 9 || sum > (most - digit) / 10) return std::nullopt;
    sum = 10 * sum + digit;
  }
  return static_cast<std::int64_t>(sum);
}

// Returns the double that is nearest to whole / 10^places, where whole > 0 and 0 < places < 20.
inline double nearest_quotient(std::uint64_t whole, int places) {
  constexpr std::uint64_t ten_places = 10000000000;
  constexpr std::uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
  std::uint64_t divisor = places < 10 ? powers[places] : ten_places * powers[places - 10];
  const int whole_shift = std::countl_zero(whole), divisor_shift = std::countl_zero(divisor);
  whole <<= whole_shift;
  divisor <<= divisor_shift;
  // The quotient of both has its first bit before the point or after it. Its first 64 bits are computed.
  const bool is_less = whole < divisor;
  const std::uint64_t high = is_less ? whole : whole >> 1, low = is_less ? 0 : whole << 63;
  const std::uint64_t quotient = wide_quotient(high, low, divisor);
  const bool has_rest = low != quotient * divisor;  // the difference of both is the remainder
  // Round to 53 bits, and to an even number if the rest is exactly half.
  std::uint64_t mantissa = quotient >> 11;
  const std::uint64_t rest = quotient & 0x7ff, half = 0x400;
  mantissa += rest > half || (rest == half && (has_rest || (mantissa & 1) != 0));
  const int exponent = 11 - (is_less ? 64 : 63) + divisor_shift - whole_shift;
  return static_cast<double>(mantissa) * bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

// Reads [+-] digits [. digits] [e [+-] digits] with a digit before the e, and returns the end. Sets `value` to the nearest
// double, or to infinity if the number is too large. Returns null if the text begins with no such number.
inline const char* read_decimal(const char* p, double& value) {
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  const char* const begin = p;
  constexpr int most_digits = 19;  // so many digits fit into 64 bits
  std::uint64_t digits = 0;
  int kept = 0;               // the number of digits in `digits`, without leading zeros
  std::int64_t exponent = 0;  // the number is about digits * 10^exponent
  bool exact = true;
  const auto read = [&](bool after_point) {
    constexpr std::uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    const char* const first = p;
    if (kept == 0)
      while (*p == '0') ++p;
    for (int n = 8; n == 8 && kept <= most_digits - 8; p += n, kept += n) {
      const EightCharacters word(p);
      n = word.others == 0 ? 8 : word.n_digits();
      if (n == 0) break;
      digits = powers[n] * digits + word.number(n);
    }
    for (; digit_of(*p) <= 9; ++p) {
      if (kept < most_digits) {
        digits = 10 * digits + digit_of(*p);
        ++kept;
      } else {
        exact &= *p == '0';
        ++exponent;
      }
    }
    if (after_point) exponent -= p - first;
    return p - first;
  };
  std::int64_t n_digits = read(false);
  if (*p == '.') {
    ++p;
    n_digits += read(true);
  }
  if (n_digits == 0) return nullptr;
  if (*p == 'e' || *p == 'E') {
    ++p;
    const bool below = *p == '-';
    if (below || *p == '+') ++p;
    if (digit_of(*p) > 9) return nullptr;
    constexpr std::int64_t enough = std::int64_t{1} << 55;  // no text has as many digits
    std::int64_t power = 0;
    for (; digit_of(*p) <= 9; ++p) power = power < enough ? 10 * power + digit_of(*p) : power;
    exponent += below ? -power : power;
  }
  const auto put = [&](double magnitude) {
    value = negative ? -magnitude : magnitude;
    return p;
  };
  if (kept == 0) return put(0);
  // The product and the quotient of two exact doubles are rounded correctly.
  constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (exact && digits <= std::uint64_t{1} << 53 && exponent >= -22 && exponent <= 22) {
    const auto whole = static_cast<double>(digits);
    return put(exponent < 0 ? whole / powers[-exponent] : whole * powers[exponent]);
  }
  if (exact && exponent < 0 && exponent > -20) return put(nearest_quotient(digits, static_cast<int>(-exponent)));
  if (const auto nearest = nearest_double({begin, static_cast<std::size_t>(p - begin)})) return put(*nearest);
  return put(kept + exponent > 0 ? std::numeric_limits<double>::infinity() : 0);  // beyond the range of doubles
}

// Returns the number that the whole text is, or nothing if it is none. The character after the text must be in no number.
inline std::optional<double> decimal_number(std::string_view text) {
  double value = 0;
  if (text.empty() || read_decimal(text.data(), value) != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace termsift

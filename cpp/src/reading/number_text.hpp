// Reads numbers from text that goes on for at least 8 readable bytes after its end, as the text of LineBlocks does.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "termsift/portability.hpp"

namespace termsift {

inline unsigned digit_of(char c) { return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0'; }  // above 9: no digit

// Reads up to 18 digits and returns their end. Returns p if there is no digit, or if there are more than 18.
TERMSIFT_INLINE const char* read_digits(const char* p, std::int64_t& value) {
  // Most numbers have less than 8 digits. All bytes of the word are processed at once, because a loop over the digits ends
  // at a place that the processor cannot predict.
  std::uint64_t word = 0;
  copy_bytes(&word, p, 8);
  word = low_byte_first(word) ^ 0x3030303030303030;                                  // a digit becomes its value
  const std::uint64_t others = ((word + 0x7676767676767676) | word) & 0x8080808080808080;  // marks the first other byte
  if (unlikely(others == 0)) {
    std::uint64_t sum = 0;
    int n = 0;
    for (; digit_of(p[n]) <= 9; ++n) {
      if (n == 18) return p;
      sum = 10 * sum + digit_of(p[n]);
    }
    value = static_cast<std::int64_t>(sum);
    return p + n;
  }
  const int n = lowest_set(others) >> 3;
  if (unlikely(n == 0)) return p;
  word <<= 64 - 8 * n;  // the digits with leading zeros
  word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ff;
  word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffff;
  value = static_cast<std::int64_t>((word * 10000 + (word >> 32)) & 0xffffffff);
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

// Returns the double that is nearest to the whole text, [+-] digits [. digits] [e [+-] digits] with a digit before the e, or
// infinity if the number is too large. Returns nothing if the text is no such number.
inline std::optional<double> decimal_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const double sign = negative ? -1 : 1;
  // Numbers with so many characters have more digits than the fast path below can take.
  constexpr std::size_t many_characters = 18;
  const bool begins_well = !text.empty() && (digit_of(text[0]) <= 9 || text[0] == '.');  // not inf or nan
  if (text.size() >= many_characters && begins_well)
    if (const std::optional<double> nearest = nearest_double(text)) return sign * *nearest;
  const char *p = text.data(), *const end = p + text.size();
  constexpr int most_digits = 19;  // so many digits fit into 64 bits
  std::uint64_t digits = 0;
  int kept = 0;               // the number of digits in `digits`
  std::int64_t n_digits = 0;  // the number of digits in the text
  std::int64_t exponent = 0;  // the number is about digits * 10^exponent
  bool has_point = false, exact = true;
  for (; p != end; ++p) {
    if (*p == '.' && !has_point) {
      has_point = true;
      continue;
    }
    const unsigned digit = digit_of(*p);
    if (digit > 9) break;
    ++n_digits;
    if (kept == 0 && digit == 0) {
      exponent -= has_point;
      continue;
    }
    if (kept < most_digits) {
      digits = 10 * digits + digit;
      ++kept;
      exponent -= has_point;
    } else {
      exact &= digit == 0;
      exponent += !has_point;
    }
  }
  if (n_digits == 0) return std::nullopt;
  if (p != end && (*p == 'e' || *p == 'E')) {
    ++p;
    const bool below = p != end && *p == '-';
    if (p != end && (*p == '-' || *p == '+')) ++p;
    if (p == end) return std::nullopt;
    constexpr std::int64_t enough = std::int64_t{1} << 55;  // no text has as many digits
    std::int64_t power = 0;
    for (; p != end && digit_of(*p) <= 9; ++p) power = power < enough ? 10 * power + digit_of(*p) : power;
    exponent += below ? -power : power;
  }
  if (p != end) return std::nullopt;
  if (kept == 0) return sign * 0.0;
  // The product and the quotient of two exact doubles are rounded correctly.
  constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (exact && digits <= std::uint64_t{1} << 53 && exponent >= -22 && exponent <= 22) {
    const double whole = sign * static_cast<double>(digits);
    return exponent < 0 ? whole / powers[-exponent] : whole * powers[exponent];
  }
  if (const std::optional<double> nearest = nearest_double(text)) return sign * *nearest;
  return kept + exponent > 0 ? sign * std::numeric_limits<double>::infinity() : sign * 0.0;  // beyond the range of doubles
}

}  // namespace termsift

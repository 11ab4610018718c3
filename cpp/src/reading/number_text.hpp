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

// Powers of ten with binary exponents: 10^power is at least significands[i] * 2^exponents[i] for i = power + most_power, and
// below (significands[i] + 1) * 2^exponents[i], with 2^63 <= significands[i] < 2^64.
struct PowersOfTen {
  static constexpr int most_power = 64;
  std::uint64_t significands[2 * most_power + 1] = {};
  int exponents[2 * most_power + 1] = {};

  constexpr PowersOfTen() {
    // Each step keeps 128 bits and is less than one unit too small, so even the last step cannot spoil the first 64 bits
    // unless they are followed by some 57 equal bits. The tests compare all powers with exact ones.
    Significand up{std::uint64_t{1} << 63, 0}, down = up;
    set(0, up.high, -63);
    for (int i = 1, up_exponent = -63, down_exponent = -63; i <= most_power; ++i) {
      up_exponent += up.times_ten();
      down_exponent += down.by_ten();
      set(i, up.high, up_exponent);
      set(-i, down.high, down_exponent);
    }
  }

 private:
  struct Significand {  // with the highest bit set
    std::uint64_t high, low;

    // Multiplies by 10, and returns how much the exponent grows.
    constexpr int times_ten() {
      const std::uint64_t mask = 0xffffffff;
      std::uint64_t limbs[4] = {low & mask, low >> 32, high & mask, high >> 32}, carry = 0;
      for (std::uint64_t& limb : limbs) carry += 10 * limb, limb = carry & mask, carry >>= 32;
      const int shift = carry > 7 ? 4 : 3;
      low = limbs[0] | limbs[1] << 32;
      high = limbs[2] | limbs[3] << 32;
      low = low >> shift | high << (64 - shift);
      high = high >> shift | carry << (64 - shift);
      return shift;
    }
    // Divides by 10, and returns how much the exponent grows.
    constexpr int by_ten() {
      std::uint64_t limbs[5] = {high >> 32, high & 0xffffffff, low >> 32, low & 0xffffffff, 0}, rest = 0;
      for (std::uint64_t& limb : limbs) rest = rest << 32 | limb, limb = rest / 10, rest %= 10;
      const int shift = limbs[0] >> 28 != 0 ? 3 : 4;
      high = limbs[0] << 32 | limbs[1];
      low = limbs[2] << 32 | limbs[3];
      high = high << shift | low >> (64 - shift);
      low = low << shift | limbs[4] >> (32 - shift);
      return -shift;
    }
  };
  constexpr void set(int power, std::uint64_t significand, int exponent) {
    significands[most_power + power] = significand;
    exponents[most_power + power] = exponent;
  }
};
inline constexpr PowersOfTen powers_of_ten;

// Sets `value` to the double that is nearest to whole * 10^power, where whole > 0, and returns true. Returns false for one
// in about 700 numbers, those near the middle between two doubles, and for powers of more than PowersOfTen::most_power.
TERMSIFT_INLINE bool nearest_product(std::uint64_t whole, std::int64_t power, double& value) {
  constexpr int most = PowersOfTen::most_power;
  if (unlikely(power < -most || power > most)) return false;
  const int whole_shift = std::countl_zero(whole);
  // The exact product is at least `product` and less than product + 2, in units of 2^64.
  const std::uint64_t product = high_product(whole << whole_shift, powers_of_ten.significands[most + power]);
  // Round to 53 bits. Only the distance from the middle of two doubles matters.
  const int extra = 10 + static_cast<int>(product >> 63);
  const std::uint64_t rest = product & ((std::uint64_t{1} << extra) - 1), half = std::uint64_t{1} << (extra - 1);
  if (unlikely(half - rest <= 1)) return false;  // the difference wraps around if the rest is larger
  const std::uint64_t mantissa = (product >> extra) + (rest > half);
  const int exponent = powers_of_ten.exponents[most + power] + 64 - whole_shift + extra;
  value = static_cast<double>(mantissa) * bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
  return true;
}

// Reads what follows the point of a number that has the digits `whole` before it: digits [e [+-] digits]. Sets `value` to
// the nearest double and returns the end. Returns null if there is no such text, for long and unusual numbers, which
// read_decimal reads, and for zero.
TERMSIFT_INLINE const char* read_fraction(const char* p, std::uint64_t whole, double& value) {
  constexpr std::uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  constexpr std::uint64_t ten_places = 10000000000;
  const EightCharacters first(p);
  std::uint64_t digits = 0, most = ten_places;  // a product below 10^19 fits into 64 bits
  int n = 8;
  if (first.others != 0) {
    n = first.n_digits();
    if (unlikely(n == 0)) return nullptr;
    digits = whole * powers[n] + first.number(n);
  } else {
    // Numbers with all their digits have a number of digits that a processor cannot predict, so nothing branches on it.
    const EightCharacters second(p + 8);
    const int more = second.others == 0 ? 8 : second.n_digits();
    digits = (whole * powers[8] + first.number(8)) * powers[more] + (more == 0 ? 0 : second.number(more));
    most = 1000;
    n += more;
  }
  p += n;
  if (unlikely(whole >= most || digits == 0 || digit_of(*p) <= 9)) return nullptr;
  int exponent = 0;
  if ((*p | 0x20) == 'e') {
    ++p;
    const bool below = *p == '-';
    if (below || *p == '+') ++p;
    int n_digits = 0;
    for (; n_digits < 4 && digit_of(*p) <= 9; ++p, ++n_digits) exponent = 10 * exponent + static_cast<int>(digit_of(*p));
    if (unlikely(n_digits == 0 || n_digits == 4)) return nullptr;
    if (below) exponent = -exponent;
  }
  return nearest_product(digits, exponent - n, value) ? p : nullptr;
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
  if (double magnitude = 0; exact && nearest_product(digits, exponent, magnitude)) return put(magnitude);
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

// Exact reading of decimal numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "reading/lines.hpp"
#include "termsift/portability.hpp"

namespace termsift {

// A number of the form [+-] digits [. digits] [e [+-] digits] with a digit before the e. Its value is digits * 10^exponent.
struct Decimal {
  std::string_view text;  // without a plus
  bool negative = false;
  bool complete = true;      // whether `digits` holds all digits
  std::uint64_t digits = 0;  // without trailing zeros
  std::int64_t exponent = 0;
  std::int64_t magnitude = 0;  // the value is below 10^magnitude and at least 10^(magnitude - 1)

  // Returns nothing if the text has another form.
  static std::optional<Decimal> read(const char* p, const char* end) {
    Decimal number;
    if (p != end && (*p == '-' || *p == '+')) number.negative = *p++ == '-';
    number.text = {p - number.negative, end};
    std::int64_t n_digits = 0, significant = 0, zeros = 0, after_point = 0;
    bool point = false;
    for (; p != end; ++p) {
      if (*p == '.' && !point) {
        point = true;
        continue;
      }
      const unsigned digit = digit_of(*p);
      if (digit > 9) break;
      ++n_digits;
      after_point += point;
      significant += significant > 0 || digit > 0;
      if (digit > 0)
        number.append(std::exchange(zeros, 0), digit);
      else
        zeros += significant > 0;
    }
    if (n_digits == 0) return std::nullopt;
    std::int64_t power = 0;
    if (p != end && (*p == 'e' || *p == 'E')) {
      ++p;
      const bool below = p != end && *p == '-';
      if (p != end && (*p == '-' || *p == '+')) ++p;
      if (p == end) return std::nullopt;
      constexpr std::int64_t enough = std::int64_t{1} << 55;  // no text has as many digits
      for (; p != end && digit_of(*p) <= 9; ++p) power = std::min(10 * power + digit_of(*p), enough);
      if (below) power = -power;
    }
    if (p != end) return std::nullopt;
    number.exponent = zeros - after_point + power;
    number.magnitude = significant - after_point + power;
    return number;
  }

  // Returns the value if it is an integer that int64 holds.
  std::optional<std::int64_t> whole() const {
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    if (digits == 0) return 0;
    if (!complete || exponent < 0) return std::nullopt;
    std::uint64_t value = digits;
    for (std::int64_t i = 0; i < exponent; ++i) {
      if (value > most / 10) return std::nullopt;
      value *= 10;
    }
    if (value > most) return std::nullopt;
    return negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
  }

  // Returns the nearest double, or infinity if the value is too large.
  double value() const {
    // The quotient or product of two exact doubles is rounded correctly (Clinger's fast path).
    constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const double sign = negative ? -1 : 1;
    if (digits == 0) return sign * 0.0;
    if (complete && digits <= std::uint64_t{1} << 53 && -22 <= exponent && exponent <= 22) {
      const double whole_digits = sign * static_cast<double>(digits);
      return exponent < 0 ? whole_digits / powers[-exponent] : whole_digits * powers[exponent];
    }
    if (const std::optional<double> nearest = nearest_double(text)) return *nearest;
    return magnitude > 0 ? sign * std::numeric_limits<double>::infinity() : sign * 0.0;
  }

 private:
  void append(std::int64_t zeros, unsigned digit) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    for (; complete && zeros >= 0; --zeros) {
      if (digits > (most - 9) / 10)
        complete = false;
      else
        digits *= 10;
    }
    if (complete) digits += digit;
  }
};

}  // namespace termsift

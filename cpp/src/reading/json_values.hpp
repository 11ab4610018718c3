// Reads the values of a JSON text in place, without decoding them.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/byte_marks.hpp"
#include "termsift/portability.hpp"
#include "termsift/utf8.hpp"

namespace termsift::json {

using Place = std::uint8_t*;

// An error at one place of a JSON text: what was expected there, and how to correct the text.
struct Fault {
  Place at;
  const char* expected;
  const char* cure;

  std::string told(const std::string& place) const { return std::string(expected) + " at " + place + cure; }
};
// Thrown if the JSON text ends within a value.
struct Cut {};

enum class Kind : std::uint8_t { none, string, whole, fraction, truth, null, object, array };

// The bytes of a JSON value in the text. The quotes of a string are left out.
struct Value {
  Kind kind = Kind::none;
  Place begin = nullptr, end = nullptr;
  bool has_escapes = false;

  std::string_view text() const { return {reinterpret_cast<const char*>(begin), static_cast<std::size_t>(end - begin)}; }
};

inline bool is_digit(std::uint8_t c) { return c >= '0' && c <= '9'; }

inline bool is_hexadecimal(std::uint8_t c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }

// Reads JSON as Python's json module does, so NaN and Infinity are numbers, and a string must not have control characters.
// Precondition: 64 bytes after the text are readable.
class Cursor {
 public:
  Cursor(Place at, Place end) : at_(at), end_(end) {}

  Place at() const { return at_; }
  bool at_end() const { return at_ >= end_; }
  void skip_blanks() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
  }
  bool take(char c) {
    if (at_end() || *at_ != static_cast<std::uint8_t>(c)) return false;
    ++at_;
    return true;
  }
  [[noreturn]] void refuse(const char* expected, const char* cure = "") const {
    if (at_end()) throw Cut();
    throw Fault{at_, expected, cure};
  }

  // Reads a string after its first quote has been read.
  Value string() {
    Value value{Kind::string, at_, nullptr, false};
    for (;;) {
      const Bytes64 bytes(at_);
      const std::uint64_t stops = bytes.equal('"') | bytes.equal('\\') | bytes.within(0, 0x20);
      at_ += stops == 0 ? 64 : lowest_set(stops);
      if (at_end()) throw Cut();
      if (stops == 0) continue;
      if (*at_ == '"') break;
      if (*at_ != '\\') refuse("expected no control character in a string", "; write a line end as \\n");
      value.has_escapes = true;
      escape();
    }
    value.end = at_++;
    return value;
  }

  // Reads a key and its colon.
  Value key() {
    skip_blanks();
    if (!take('"')) refuse("expected a key in double quotes");
    const Value key = string();
    skip_blanks();
    if (!take(':')) refuse("expected a colon after a key");
    return key;
  }

  // Reads any value. Nested values are read without recursion.
  Value value() {
    skip_blanks();
    if (take('"')) return string();
    if (at_end()) throw Cut();
    if (*at_ == '{' || *at_ == '[') return nested();
    return scalar();
  }

 private:
  void escape() {
    if (end_ - at_ < 2) throw Cut();
    const char c = static_cast<char>(at_[1]);
    if (std::strchr("\"\\/bfnrtu", c) == nullptr || c == '\0') refuse("expected one of \"\\/bfnrtu after a backslash");
    const int size = c == 'u' ? 6 : 2;
    if (end_ - at_ < size) throw Cut();
    if (!std::all_of(at_ + 2, at_ + size, is_hexadecimal)) refuse("expected four hexadecimal digits after \\u");
    at_ += size;
  }

  Value scalar() {
    Value value{Kind::none, at_, nullptr, false};
    for (const auto& [word, kind] : {std::pair{"true", Kind::truth}, {"false", Kind::truth}, {"null", Kind::null},
                                     {"NaN", Kind::fraction}, {"Infinity", Kind::fraction}, {"-Infinity", Kind::fraction}}) {
      const auto size = std::strlen(word), left = static_cast<std::size_t>(end_ - at_);
      if (std::memcmp(at_, word, std::min(size, left)) != 0) continue;
      if (left < size && (left > 1 || *at_ != '-')) throw Cut();
      if (left < size) break;  // a minus at the end of the text may begin a number
      at_ += size;
      value.kind = kind;
      value.end = at_;
      return value;
    }
    value.kind = Kind::whole;
    take('-');
    if (!take('0')) digits();
    if (take('.')) digits(), value.kind = Kind::fraction;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      digits(), value.kind = Kind::fraction;
    }
    value.end = at_;
    return value;
  }
  void digits() {
    if (at_end() || !is_digit(*at_)) refuse("expected a JSON value");
    while (!at_end() && is_digit(*at_)) ++at_;
  }

  Value nested() {
    Value whole{*at_ == '{' ? Kind::object : Kind::array, at_, nullptr, false};
    std::string open;  // the brackets that have not been closed
    bool is_value_next = true;
    do {
      skip_blanks();
      if (is_value_next) {
        if (at_end()) throw Cut();
        const auto c = static_cast<char>(*at_);
        is_value_next = false;
        if (c != '{' && c != '[') {
          static_cast<void>(take('"') ? string() : scalar());
          continue;
        }
        open += c;
        ++at_;
        skip_blanks();
        if (take(c == '{' ? '}' : ']')) {
          open.pop_back();
        } else {
          if (c == '{') key();
          is_value_next = true;
        }
      } else if (take(',')) {
        is_value_next = true;
        if (open.back() == '{') key();
      } else if (take(open.back() == '{' ? '}' : ']')) {
        open.pop_back();
      } else {
        refuse("expected a comma or a closing bracket");
      }
    } while (!open.empty());
    whole.end = at_;
    return whole;
  }

  Place at_;
  Place const end_;
};

inline std::uint32_t hex_of(const std::uint8_t* at) {
  std::uint32_t c = 0;
  std::from_chars(reinterpret_cast<const char*>(at), reinterpret_cast<const char*>(at) + 4, c, 16);
  return c;
}

// Replaces the escape sequences of a JSON string in place. Returns whether the string has lone surrogates.
inline bool unescape(Value& value) {
  if (!value.has_escapes) return false;
  bool has_surrogates = false;
  Place to = value.begin;
  for (Place from = value.begin; from < value.end;) {
    auto* const stop = static_cast<Place>(std::memchr(from, '\\', static_cast<std::size_t>(value.end - from)));
    const auto n = (stop == nullptr ? value.end : stop) - from;
    std::memmove(to, from, static_cast<std::size_t>(n));
    to += n;
    if (stop == nullptr) break;
    from = stop + 2;
    switch (stop[1]) {
      case 'b': *to++ = '\b'; break;
      case 'f': *to++ = '\f'; break;
      case 'n': *to++ = '\n'; break;
      case 'r': *to++ = '\r'; break;
      case 't': *to++ = '\t'; break;
      case 'u': {
        std::uint32_t c = hex_of(from);
        from += 4;
        const bool is_high = c >= 0xd800 && c < 0xdc00 && value.end - from >= 6 && from[0] == '\\' && from[1] == 'u';
        if (const std::uint32_t low = is_high ? hex_of(from + 2) : 0; low >= 0xdc00 && low < 0xe000) {
          c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
          from += 6;
        }
        has_surrogates |= c >= 0xd800 && c < 0xe000;
        to += write_utf8(c, to);
        break;
      }
      default: *to++ = stop[1];
    }
  }
  value.end = to;
  value.has_escapes = false;
  return has_surrogates;
}

// Returns an unescaped copy of a string. The JSON text is not changed.
inline std::string unescaped(Value value) {
  std::string copy(value.text());
  value.begin = reinterpret_cast<Place>(copy.data());
  value.end = value.begin + copy.size();
  unescape(value);
  copy.resize(value.text().size());
  return copy;
}

// Returns the code points of a text. The text must be valid UTF-8, but may also encode lone surrogates.
inline std::u32string code_points(std::string_view text) {
  std::u32string all;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<std::uint8_t>(text[i]);
    const auto n = static_cast<std::size_t>(utf8_length(lead));
    char32_t c = n == 1 ? lead : lead & (0x7fU >> n);
    for (std::size_t k = 1; k < n; ++k) c = c << 6 | (static_cast<std::uint8_t>(text[i + k]) & 0x3fU);
    all += c;
    i += n;
  }
  return all;
}

// Returns a number such as 1.0, 10e-1 or -0 as it is written without a point or an exponent, or nullopt if the number is
// not whole or has more digits than any double.
inline std::optional<std::string> as_whole(std::string_view number) {
  constexpr std::ptrdiff_t most_digits = 309;
  const bool is_negative = number.front() == '-';
  std::size_t i = is_negative ? 1 : 0;
  std::string digits;
  std::ptrdiff_t n_zeros = 0;  // The zeros that follow the digits. If negative, so many digits follow the point.
  for (bool is_after_point = false; i < number.size() && number[i] != 'e' && number[i] != 'E'; ++i) {
    if (number[i] == '.') {
      is_after_point = true;
    } else if (is_digit(static_cast<std::uint8_t>(number[i]))) {
      digits += number[i];
      n_zeros -= is_after_point ? 1 : 0;
    } else {
      return std::nullopt;  // NaN or Infinity
    }
  }
  if (i < number.size()) {
    const bool is_below_one = number[++i] == '-';
    if (!is_digit(static_cast<std::uint8_t>(number[i]))) ++i;
    std::ptrdiff_t exponent = 0;
    for (; i < number.size(); ++i) exponent = std::min<std::ptrdiff_t>(exponent * 10 + (number[i] - '0'), 1 << 30);
    n_zeros += is_below_one ? -exponent : exponent;
  }
  digits.erase(0, digits.find_first_not_of('0'));
  if (digits.empty()) return "0";
  for (; n_zeros < 0 && digits.back() == '0'; ++n_zeros) digits.pop_back();
  if (n_zeros < 0 || std::ssize(digits) + n_zeros > most_digits) return std::nullopt;
  digits.append(static_cast<std::size_t>(n_zeros), '0');
  return is_negative ? "-" + digits : digits;
}

inline const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::whole: return "a whole number";
    case Kind::fraction: return "a number with a fraction";
    case Kind::truth: return "true or false";
    case Kind::null: return "null";
    case Kind::object: return "an object";
    case Kind::array: return "an array";
    default: return "a string";
  }
}

}  // namespace termsift::json

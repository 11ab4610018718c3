// The parts that the tests of both text formats share: plain parsing of tokens and numbers, and random changes of texts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "termsift/svmlight.hpp"
#include "termsift/types.hpp"

namespace plain_text {

using namespace termsift;
using Random = std::mt19937_64;

inline constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

inline std::size_t below(Random& random, std::size_t n) { return static_cast<std::size_t>(random() % n); }

// Returns parse(a copy of the text). The memory of the copy ends with the text, so that a sanitizer sees a read beyond it.
template <class Parse>
auto parse_exact(const std::string& text, const Parse& parse) {
  const std::unique_ptr<char[]> exact(new char[text.size()]);
  std::copy(text.begin(), text.end(), exact.get());
  return parse(std::string_view(exact.get(), text.size()));
}

template <class T>
std::string listed(const LargeArray<T>& array, std::int64_t n) {
  return check::show(std::vector<T>(array.get(), array.get() + n));
}

inline std::string told(const BadLine& bad) {
  return std::to_string(bad.line) + ": " + bad.expected + "; " + bad.found + (bad.cut ? "..." : "");
}

// ---- tokens and numbers ------------------------------------------------------------------------------------------------

inline std::vector<std::string> split(const std::string& text, const std::string& at) {
  std::vector<std::string> parts{""};
  for (const char c : text)
    if (at.find(c) != std::string::npos)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

inline std::vector<std::string> tokens_of(const std::string& line) {
  std::vector<std::string> tokens;
  for (const std::string& token : split(line, " \t\r\v\f"))
    if (!token.empty()) tokens.push_back(token);
  return tokens;
}

inline bool all_digits(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// Whether the text is a decimal number. strtod would also accept hexadecimal digits and words.
inline bool is_number(std::string text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.erase(0, 1);
  if (const auto e = text.find_first_of("eE"); e != std::string::npos) {
    std::string power = text.substr(e + 1);
    if (!power.empty() && (power[0] == '+' || power[0] == '-')) power.erase(0, 1);
    if (!all_digits(power)) return false;
    text.resize(e);
  }
  if (const auto point = text.find('.'); point != std::string::npos) text.erase(point, 1);
  return all_digits(text);
}

inline bool is_index(std::string text) {
  if (!text.empty() && text[0] == '+') text.erase(0, 1);
  if (!all_digits(text)) return false;
  text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
  const std::string limit = std::to_string(most);
  return text.size() < limit.size() || (text.size() == limit.size() && text <= limit);
}

// Checks that parse() is interrupted by its poll. It polls after poll_interval at the earliest, so it is called repeatedly.
template <class Parse>
void check_interrupted(const Parse& parse) {
  const auto forever = [&] {
    for (;;) parse();
  };
  CHECK_THROWS((forever(), 0), Interrupted, "interrupted");
}

}  // namespace plain_text

// A plain parser of svmlight text, and the comparison of the core's parser with it.
#pragma once

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "termsift/svmlight.hpp"

namespace plain_svmlight {

using namespace termsift;
using Random = std::mt19937_64;

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
  const std::string limit = std::to_string(std::numeric_limits<std::int64_t>::max());
  return text.size() < limit.size() || (text.size() == limit.size() && text <= limit);
}

// ---- parsing ------------------------------------------------------------------------------------------------------------

inline SvmlightOptions options(bool skip = false, int n_threads = 1) {
  SvmlightOptions o;
  o.skip = skip;
  o.threads.count = n_threads;
  return o;
}

inline SvmlightBlock parse(const std::string& text, const SvmlightOptions& o) {
  return parse_exact(text, [&](std::string_view exact) { return parse_svmlight(exact, o); });
}

// Describes everything in a block.
inline std::string describe(const SvmlightBlock& block) {
  std::string all = listed(block.indptr, block.n_docs + 1) + listed(block.indices, block.n_entries);
  if (block.exact) {
    all += listed(block.data, block.n_entries);
  } else {
    std::vector<double> counts;
    for (std::int64_t i = 0; i < block.n_entries; ++i) counts.push_back(std::bit_cast<double>(block.data[i]));
    all += " as doubles " + check::show(counts);
  }
  all += listed(block.labels, block.n_labels);
  all += listed(block.label_indptr, block.n_docs + 1);
  all += " lines " + std::to_string(block.n_lines) + " skipped " + std::to_string(block.n_skipped);
  for (const BadLine& bad : block.skipped) all.append(" ").append(told(bad));
  if (block.unlabelled) all.append(" unlabelled ").append(told(*block.unlabelled));
  return all;
}

inline std::string parsed(const std::string& text, const SvmlightOptions& o) {
  try {
    return describe(parse(text, o));
  } catch (const LineError& error) {
    return told(error.bad);
  }
}

// ---- the plain parser: strings, strtod and long double -----------------------------------------------------------------

struct Plain {
  std::vector<std::int64_t> indptr{0}, indices, label_indptr{0};
  std::vector<std::string> counts;
  std::vector<double> labels;
  std::vector<std::int64_t> bad;  // lines
};

// Returns the double that is nearest to a number, infinity if that is zero unlike the number.
inline double value_of(const std::string& number) {
  errno = 0;
  const double value = std::strtod(number.c_str(), nullptr);
  return errno == ERANGE && value == 0 ? HUGE_VAL : value;
}

inline bool plain_line(const std::string& line, Plain& out) {
  std::vector<std::string> tokens = tokens_of(line);
  for (const std::string& label : split(tokens[0], ",")) {
    if (!is_number(label)) return false;
    out.labels.push_back(value_of(label));
    if (!(std::abs(out.labels.back()) < 9007199254740992.0)) return false;
  }
  tokens.erase(tokens.begin());
  for (const std::string& token : tokens) {
    const auto colon = token.find(':');
    if (colon == std::string::npos) return false;
    const std::string index = token.substr(0, colon), count = token.substr(colon + 1);
    if (index == "qid") {
      if (!is_index(count)) return false;
      continue;
    }
    if (!is_index(index) || !is_number(count)) return false;
    const double value = value_of(count);
    if (value < 0 || std::isinf(value)) return false;
    out.indices.push_back(std::strtoll(index.c_str(), nullptr, 10));
    out.counts.push_back(count);
  }
  out.indptr.push_back(static_cast<std::int64_t>(out.indices.size()));
  out.label_indptr.push_back(static_cast<std::int64_t>(out.labels.size()));
  return true;
}

inline Plain plainly(const std::string& text) {
  Plain all;
  std::int64_t number = 0;
  for (const std::string& line : split(text, "\n")) {
    ++number;
    const std::string content = line.substr(0, line.find('#'));
    if (content.find_first_not_of(" \t\r\v\f") == std::string::npos) continue;
    Plain longer = all;
    if (plain_line(content, longer))
      all = std::move(longer);
    else
      all.bad.push_back(number);
  }
  return all;
}

// Checks that skipping wrong lines returns what the plain parser returns, and that not skipping reports the first wrong
// line. Without skipping a line may lack labels.
inline void check_against_plain(const std::string& text) {
  const Plain plain = plainly(text);
  const SvmlightBlock block = parse(text, options(true));
  const auto n_docs = std::ssize(plain.indptr) - 1;
  CHECK_EQ(block.n_docs, n_docs);
  CHECK_EQ(listed(block.indptr, n_docs + 1), check::show(plain.indptr));
  CHECK_EQ(listed(block.indices, block.n_entries), check::show(plain.indices));
  CHECK_EQ(listed(block.labels, block.n_labels), check::show(plain.labels));
  CHECK_EQ(listed(block.label_indptr, n_docs + 1), check::show(plain.label_indptr));
  for (std::int64_t i = 0; i < block.n_entries; ++i) {
    const std::string& count = plain.counts[static_cast<std::size_t>(i)];
    if (block.exact && is_index(count))
      CHECK_EQ(block.data[i], std::strtoll(count.c_str(), nullptr, 10));
    else
      CHECK_EQ(block.exact ? static_cast<double>(block.data[i]) : std::bit_cast<double>(block.data[i]),
               std::strtod(count.c_str(), nullptr));
  }
  CHECK_EQ(block.n_skipped, std::ssize(plain.bad));
  CHECK_EQ(block.n_lines, std::count(text.begin(), text.end(), '\n'));
  const BadLine* first = nullptr;  // that no option accepts
  for (std::size_t i = 0; i < block.skipped.size(); ++i) {
    CHECK_EQ(block.skipped[i].line, plain.bad[i]);
    const bool lacks_label = block.skipped[i].expected.starts_with("a label before");
    if (first == nullptr && !lacks_label) first = &block.skipped[i];
  }
  const std::string strict = parsed(text, options());
  if (plain.bad.empty())
    CHECK_EQ(strict, describe(block));
  else if (first != nullptr && first == &block.skipped.front())
    CHECK_EQ(strict, told(*first));
}

}  // namespace plain_svmlight

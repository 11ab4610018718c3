// A plain parser of Matrix Market text, and descriptions to compare the core's parser with it.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plain_text.hpp"
#include "termsift/matrix_market.hpp"

namespace plain_matrix_market {

using namespace termsift;
using namespace plain_text;

inline MatrixMarketEntries parse(const std::string& text, int n_threads = 1) {
  return parse_exact(text, [&](std::string_view exact) { return parse_matrix_market(exact, {n_threads, {}}); });
}

inline std::string shown(std::int64_t n_rows, std::int64_t n_columns, const std::vector<std::int32_t>& rows,
                         const std::vector<std::int32_t>& columns, const std::string& values) {
  return std::to_string(n_rows) + " x " + std::to_string(n_columns) + " " + check::show(rows) + check::show(columns) +
         values;
}

// Describes everything that is parsed, or the line of the error.
inline std::string parsed(const std::string& text, int n_threads = 1) {
  try {
    const MatrixMarketEntries out = parse(text, n_threads);
    const auto vector = [&](const auto& array) { return std::vector(array.get(), array.get() + out.n_entries); };
    std::vector<double> doubles;
    for (const std::int64_t bits : vector(out.data)) doubles.push_back(std::bit_cast<double>(bits));
    return shown(out.n_rows, out.n_columns, vector(out.rows), vector(out.columns),
                 out.exact ? check::show(vector(out.data)) : " as doubles " + check::show(doubles));
  } catch (const LineError& error) {
    return "line " + std::to_string(error.bad.line);
  }
}

// Returns the error that the core reports.
inline std::string complaint(const std::string& text) {
  try {
    parse(text);
  } catch (const LineError& error) {
    return told(error.bad);
  }
  return "nothing";
}

// ---- the plain parser --------------------------------------------------------------------------------------------------

struct Wrong {
  std::size_t line;
};

inline bool is_whole(std::string text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '+' || negative)) text.erase(0, 1);
  if (!all_digits(text)) return false;
  text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
  return is_index(text) || (negative && text == "9223372036854775808");
}

inline std::string plainly(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  for (const std::string& line : split(text, "\n")) lines.push_back(tokens_of(line));
  if (text.empty() || text.back() == '\n') lines.pop_back();
  const auto require = [](bool right, std::size_t line) {
    if (!right) throw Wrong{line};
  };
  const auto below = [](const std::string& token, std::int64_t most) {
    return is_index(token) && std::strtoll(token.c_str(), nullptr, 10) <= most;
  };
  try {
    std::vector<std::string> words = lines.empty() ? std::vector<std::string>() : lines[0];
    for (std::string& word : words)
      for (char& c : word)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    require(words.size() >= 5 && (words[0] == "%%matrixmarket" || words[0] == "%matrixmarket") && words[1] == "matrix", 1);
    const std::string &format = words[2], &field = words[3], &symmetry = words[4];
    const bool array = format == "array", pattern = field == "pattern", general = symmetry == "general";
    const bool exact = field == "integer" || field == "unsigned-integer", skew = symmetry == "skew-symmetric";
    require(array || format == "coordinate", 1);
    require(exact || (pattern && !array) || field == "real" || field == "double", 1);
    require(general || skew || symmetry == "symmetric", 1);
    std::size_t at = 1;
    while (at < lines.size() && (lines[at].empty() || lines[at][0][0] == '%')) ++at;
    require(at < lines.size() && lines[at].size() == (array ? 2u : 3u), at + 1);
    for (std::size_t i = 0; i < lines[at].size(); ++i)
      require(below(lines[at][i], i < 2 ? 2147483647 : most), at + 1);
    std::vector<std::int64_t> size;
    for (const std::string& token : lines[at]) size.push_back(std::strtoll(token.c_str(), nullptr, 10));
    require(general || size[0] == size[1], at + 1);
    std::int64_t declared = array ? size[0] * (general ? size[1] : skew ? size[0] - 1 : size[0] + 1) : size[2];
    if (array && !general) declared /= 2;

    std::vector<std::tuple<std::int64_t, std::int64_t, std::string>> entries;
    std::int64_t n = 0, row = skew, column = 0;
    while (++at < lines.size()) {
      const std::vector<std::string>& line = lines[at];
      if (line.empty()) continue;
      require(n++ < declared && line.size() == (array ? 1u : pattern ? 2u : 3u), at + 1);
      const std::string value = pattern ? "1" : line.back();
      require(exact ? is_whole(value) : is_number(value) && !std::isinf(std::strtod(value.c_str(), nullptr)), at + 1);
      if (array) {
        while (row == size[0]) row = general ? 0 : column + 1 + skew, ++column;
        if (std::strtod(value.c_str(), nullptr) != 0) entries.emplace_back(row, column, value);
        ++row;
      } else {
        for (std::size_t i = 0; i < 2; ++i)
          require(below(line[i], size[i]) && std::strtoll(line[i].c_str(), nullptr, 10) > 0, at + 1);
        entries.emplace_back(std::strtoll(line[0].c_str(), nullptr, 10) - 1, std::strtoll(line[1].c_str(), nullptr, 10) - 1,
                             value);
      }
    }
    require(n == declared, lines.size() + 1);
    std::vector<std::int32_t> rows, columns;
    std::vector<std::int64_t> whole;
    std::vector<double> doubles;
    for (const bool mirror : {false, true})
      for (const auto& [i, j, value] : entries) {
        if (mirror && (general || i == j)) continue;
        rows.push_back(static_cast<std::int32_t>(mirror ? j : i));
        columns.push_back(static_cast<std::int32_t>(mirror ? i : j));
        const auto number = static_cast<std::uint64_t>(exact ? std::strtoll(value.c_str(), nullptr, 10) : 0);
        whole.push_back(static_cast<std::int64_t>(mirror && skew ? 0 - number : number));
        doubles.push_back((mirror && skew ? -1 : 1) * std::strtod(value.c_str(), nullptr));
      }
    return shown(size[0], size[1], rows, columns, exact ? check::show(whole) : " as doubles " + check::show(doubles));
  } catch (const Wrong& wrong) {
    return "line " + std::to_string(wrong.line);
  }
}

}  // namespace plain_matrix_market

// Reads whole matrices, and plain readers to compare with: tokens are split and converted one by one.
#pragma once

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "read_tables.hpp"
#include "termsift/matrix_reader.hpp"

namespace read_matrices {

using namespace termsift;
using Random = std::mt19937_64;

inline std::size_t below(Random& random, std::size_t n) { return static_cast<std::size_t>(random() % n); }

struct Sizes {
  std::int64_t block_bytes = 1 << 14, piece_bytes = 1 << 14, most_read = 1 << 14;
  int n_threads = 1;
};
inline const std::vector<Sizes> all_sizes = {
    {1 << 14, 1 << 14, 1 << 14, 1}, {1, 1, 1, 1}, {7, 3, 5, 3}, {64, 16, 1 << 14, 2}};

template <class Options = MatrixOptions>
Options options_of(const Sizes& sizes) {
  Options options;
  options.block_bytes = sizes.block_bytes;
  options.piece_bytes = sizes.piece_bytes;
  if (sizes.block_bytes < 100) options.range_bits = 1;
  return options;
}

// ---- tokens and numbers --------------------------------------------------------------------------------------------------

inline std::vector<std::string> split(const std::string& text, const std::string& at) {
  std::vector<std::string> parts{""};
  for (const char c : text)
    if (at.find(c) != std::string::npos) parts.emplace_back();
    else parts.back() += c;
  return parts;
}

inline std::vector<std::string> tokens_of(const std::string& line, const std::string& blanks) {
  std::vector<std::string> tokens = split(line, blanks);
  tokens.erase(std::remove(tokens.begin(), tokens.end(), ""), tokens.end());
  return tokens;
}

inline std::vector<std::string> lines_of(std::string text) {
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  std::vector<std::string> lines = split(text, "\n");
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

inline bool all_digits(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// Returns whether the text is a decimal number. strtod would also accept hexadecimal digits and words.
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

inline double number_of(const std::string& text) { return std::strtod(text.c_str(), nullptr) + 0.0; }

// Returns the value of [+] digits, or -1 if the text has another form or exceeds int64.
inline std::int64_t whole_of(std::string text, bool with_plus = true) {
  if (with_plus && !text.empty() && text[0] == '+') text.erase(0, 1);
  if (!all_digits(text)) return -1;
  errno = 0;
  const long long value = std::strtoll(text.c_str(), nullptr, 10);
  return errno == ERANGE ? -1 : value;
}

// ---- svmlight ------------------------------------------------------------------------------------------------------------

// What a reader has found: a text for each document, "label label|index:count ...", and the numbers of bad lines.
struct Svmlight {
  std::vector<std::string> rows;
  std::vector<std::int64_t> numbers;  // of the documents, where skipped lines count
  std::vector<std::int64_t> bad;      // the numbers of the first bad lines
  std::int64_t n_bad = 0;
  std::int64_t error = 0;             // the line of the error, or 0 if there is none
  std::string fault;

  std::string described() const {
    return error > 0 ? "error in line " + std::to_string(error)
                     : check::show(rows) + check::show(numbers) + check::show(bad) + std::to_string(n_bad);
  }
};

inline std::string shown(double number) { return check::show(number); }

inline Svmlight read_svmlight(const std::string& text, std::int64_t index_base, std::int64_t n_terms, bool skip,
                              const Sizes& sizes) {
  auto options = options_of<SvmlightReader::Options>(sizes);
  options.index_base = index_base;
  options.n_terms = n_terms;
  options.skip = skip;
  SvmlightReader reader(read_tables::reads(text, sizes.most_read), options);
  Svmlight found;
  MatrixBlock block;
  try {
    while (reader.next(block, {sizes.n_threads, {}}))
      for (std::int64_t i = 0; i < block.size; ++i) {
        std::vector<std::string> labels;
        for (std::int64_t l = block.label_indptr[i]; l < block.label_indptr[i + 1]; ++l) {
          const MatrixLabel& label = reader.labels().at(static_cast<std::size_t>(block.codes[l]));
          labels.push_back(label.is_number ? shown(label.number) : "'" + label.word + "'");
        }
        std::sort(labels.begin(), labels.end());
        std::string row;
        for (const std::string& label : labels) row += label + " ";
        row += "|";
        for (std::int64_t e = block.indptr[i]; e < block.indptr[i + 1]; ++e) {
          CHECK(block.indices[e] <= block.last_index);
          row += " " + std::to_string(block.indices[e]) + ":";
          row += shown(block.exact ? static_cast<double>(block.data[e]) : std::bit_cast<double>(block.data[e]));
        }
        found.rows.push_back(row);
        const auto is_before = [&](std::int64_t place) { return place <= i; };
        const auto n_before = std::count_if(block.skipped.begin(), block.skipped.end(), is_before);
        found.numbers.push_back(block.first + i + n_before);
      }
  } catch (const RowError& error) {
    found.error = error.row.first_line;
    found.fault = error.row.fault;
    CHECK(!reader.next(block, {}));
  }
  for (const BadRow& row : reader.skipped()) found.bad.push_back(row.first_line);
  found.n_bad = reader.n_skipped();
  return found;
}

inline bool is_control_free(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// Returns whether the text is valid UTF-8, by the table of well-formed sequences in the Unicode standard.
inline bool is_utf8(const std::string& text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto within = [&](std::size_t i, unsigned low, unsigned high) { return byte(i) >= low && byte(i) <= high; };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned c = byte(i);
    std::size_t more = 0;
    unsigned low = 0x80, high = 0xbf;  // of the second byte
    if (c < 0x80) more = 0;
    else if (c >= 0xc2 && c <= 0xdf) more = 1;
    else if (c >= 0xe0 && c <= 0xef) more = 2, low = c == 0xe0 ? 0xa0 : 0x80, high = c == 0xed ? 0x9f : 0xbf;
    else if (c >= 0xf0 && c <= 0xf4) more = 3, low = c == 0xf0 ? 0x90 : 0x80, high = c == 0xf4 ? 0x8f : 0xbf;
    else return false;
    if (more > 0 && !within(i + 1, low, high)) return false;
    for (std::size_t k = 2; k <= more; ++k)
      if (!within(i + k, 0x80, 0xbf)) return false;
    i += more + 1;
  }
  return true;
}

// Sets `row` to the description of a line's document. Returns false for a bad line. `declared` has the three numbers of the
// first line, or nothing.
inline bool plain_line(const std::string& line, std::int64_t base, std::int64_t n_terms,
                       const std::vector<std::int64_t>& declared, std::string& row) {
  std::vector<std::string> tokens = tokens_of(line.substr(0, line.find('#')), " \t\r\v\f"), labels;
  if (!tokens.empty() && tokens[0].find(':') == std::string::npos) {
    for (const std::string& label : split(tokens[0], ",")) {
      if (!declared.empty()) {
        const std::int64_t number = whole_of(label);
        if (number < 0 || number >= declared[2] || static_cast<double>(number) >= 0x1p53) return false;
        labels.push_back(shown(static_cast<double>(number)));
      } else if (is_number(label)) {
        if (!(std::abs(number_of(label)) < 0x1p53)) return false;
        labels.push_back(shown(number_of(label)));
      } else {
        std::string lower = label;
        if (!lower.empty() && (lower[0] == '+' || lower[0] == '-')) lower.erase(0, 1);
        std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
          return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
        });
        if (label.empty() || lower == "nan" || lower == "inf" || lower == "infinity") return false;
        if (!is_control_free(label) || !is_utf8(label)) return false;
        labels.push_back("'" + label + "'");
      }
    }
    tokens.erase(tokens.begin());
  } else if (declared.empty()) {
    return false;
  }
  if (!tokens.empty() && tokens[0].starts_with("qid:")) {
    std::string id = tokens[0].substr(4);
    if (id.starts_with("-")) id.erase(0, 1);
    if (whole_of(id) < 0) return false;
    tokens.erase(tokens.begin());
  }
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  for (const std::string& label : labels) row += label + " ";
  row += "|";
  if (!declared.empty()) base = 0, n_terms = std::min(n_terms, declared[1]);
  std::int64_t before = base - 1;
  for (const std::string& token : tokens) {
    const auto colon = token.find(':');
    if (colon == std::string::npos) return false;
    const std::int64_t index = whole_of(token.substr(0, colon));
    const std::string count = token.substr(colon + 1);
    if (index < base || index >= base + n_terms || index <= before || !is_number(count)) return false;
    const double value = number_of(count);
    if (!(value >= 0 && value < 0x1p53)) return false;
    row += " " + std::to_string(index - base) + ":" + shown(value);
    before = index;
  }
  return true;
}

inline Svmlight plain_svmlight(const std::string& text, std::int64_t base, std::int64_t n_terms, bool skip) {
  std::vector<std::string> lines = lines_of(text);
  std::vector<std::int64_t> declared;
  if (!lines.empty()) {
    for (const std::string& token : tokens_of(lines[0], " \t\r\v\f")) declared.push_back(whole_of(token, false));
    if (declared.size() != 3 || *std::min_element(declared.begin(), declared.end()) < 0) declared.clear();
  }
  Svmlight found;
  if (!declared.empty() && (declared[1] > max_terms || declared[1] > n_terms)) {
    found.error = 1;
    return found;
  }
  std::int64_t n = 0;  // the number of documents, including bad lines
  for (std::size_t i = declared.empty() ? 0 : 1; i < lines.size(); ++i) {
    const bool is_empty = tokens_of(lines[i], " \t\r\v\f").empty();
    const auto number = static_cast<std::int64_t>(i + 1);
    const bool is_comment = tokens_of(lines[i].substr(0, lines[i].find('#')), " \t\r\v\f").empty();
    if (declared.empty() ? is_comment : n == declared[0] && is_empty) continue;
    if (!declared.empty() && n == declared[0]) {
      found.error = number;
      return found;
    }
    std::string row;
    if (plain_line(lines[i], base, n_terms, declared, row)) {
      found.rows.push_back(row);
      found.numbers.push_back(n);
    } else {
      ++found.n_bad;
      if (found.bad.size() < 5) found.bad.push_back(number);
      if (!skip) {
        found.error = number;
        return found;
      }
    }
    ++n;
  }
  if (!declared.empty() && n < declared[0]) found.error = static_cast<std::int64_t>(lines.size()) + 1;
  return found;
}

// Checks that text is read as by the plain reader, whatever the blocks, the pieces and the threads.
inline void check_svmlight(const std::string& text, std::int64_t base = 1, std::int64_t n_terms = max_terms,
                           const std::vector<Sizes>& sizes = all_sizes) {
  for (const bool skip : {false, true}) {
    const std::string want = plain_svmlight(text, base, n_terms, skip).described();
    for (const Sizes& of_blocks : sizes)
      CHECK_EQ(read_svmlight(text, base, n_terms, skip, of_blocks).described() + " of\n" + text, want + " of\n" + text);
  }
}

// ---- Matrix Market -------------------------------------------------------------------------------------------------------

struct Market {
  std::int64_t n_rows = 0, n_columns = 0;
  bool exact = false;
  std::vector<std::vector<std::pair<TermId, std::string>>> rows;  // for each row, the columns and the counts
  bool is_by_row = true, is_by_column = true;                     // whether the entries are sorted so
  bool overflows = false;
  std::int64_t error = 0;  // the line of the error, or 0 if there is none
  std::string fault;

  std::string described() const {
    if (error > 0) return "error in line " + std::to_string(error);
    if (overflows) return "overflow";
    std::string all = std::to_string(n_rows) + " " + std::to_string(n_columns) + (exact ? " exact" : "");
    for (const auto& row : rows) {
      all += "\n";
      for (const auto& [column, count] : row) all.append(" ").append(std::to_string(column)).append(":").append(count);
    }
    return all;
  }
};

enum class Way { whole, rows, columns };

inline std::string count_of(std::int64_t bits, bool exact) {
  return exact ? std::to_string(bits) : shown(std::bit_cast<double>(bits));
}

// Sets `sorted` to false if the file cannot be read in this way, because it is not sorted.
inline Market read_market(const std::string& text, Way way, const Sizes& sizes, bool& sorted) {
  MarketReader reader(read_tables::reads(text, sizes.most_read), options_of(sizes));
  const Threads threads{sizes.n_threads, {}};
  Market found;
  try {
    const MarketReader::Header& header = reader.header();
    found.n_rows = header.n_rows;
    found.n_columns = header.n_columns;
    found.exact = header.exact;
    found.rows.resize(static_cast<std::size_t>(header.n_rows));
    const auto take = [&](const MatrixBlock& block, bool by_column) {
      CHECK_EQ(block.indptr[0], 0);
      CHECK_EQ(block.indptr[block.size], block.n_entries);
      for (std::int64_t i = 0; i < block.size; ++i)
        for (std::int64_t e = block.indptr[i]; e < block.indptr[i + 1]; ++e) {
          if (e > block.indptr[i]) CHECK(block.indices[e - 1] < block.indices[e]);
          const auto line = static_cast<TermId>(block.first + i), index = block.indices[e];
          found.rows.at(static_cast<std::size_t>(by_column ? index : line))
              .emplace_back(by_column ? line : index, count_of(block.data[e], block.exact));
        }
    };
    if (way == Way::whole) {
      take(reader.whole(threads), false);
      return found;
    }
    MatrixBlock block;
    std::int64_t n = 0;
    static_cast<void>(reader.order(threads));
    while (reader.next(block, way == Way::columns, threads)) {
      CHECK_EQ(block.first, n);
      n += block.size;
      take(block, way == Way::columns);
    }
    CHECK_EQ(n, way == Way::columns ? header.n_columns : header.n_rows);
  } catch (const RowError& error) {
    CHECK(!error.can_skip);
    found.error = error.row.first_line;
    found.fault = error.row.fault;
  } catch (const MarketReader::OutOfOrder&) {
    sorted = false;
  } catch (const CountOverflow&) {
    found.overflows = true;
  }
  return found;
}

struct WrongLine {
  std::size_t line;
};

inline Market plain_market(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  for (std::string line : lines_of(text)) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(tokens_of(line, " \t"));
  }
  Market found;
  const auto require = [](bool right, std::size_t line) {
    if (!right) throw WrongLine{line};
  };
  try {
    std::vector<std::string> words = lines.empty() ? std::vector<std::string>() : lines[0];
    for (std::string& word : words)
      for (char& c : word)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    require(words.size() == 5 && words[0] == "%%matrixmarket" && words[1] == "matrix", 1);
    const std::string &form = words[2], &field = words[3], &symmetry = words[4];
    const bool array = form == "array", pattern = field == "pattern", general = symmetry == "general";
    found.exact = field == "integer" || field == "unsigned-integer";
    require(array || form == "coordinate", 1);
    require(found.exact || (pattern && !array) || field == "real" || field == "double", 1);
    require(general || symmetry == "symmetric" || symmetry == "hermitian", 1);
    std::size_t at = 1;
    while (at < lines.size() && (lines[at].empty() || lines[at][0][0] == '%')) ++at;
    require(at < lines.size() && lines[at].size() == (array ? 2u : 3u), std::min(at, lines.size()) + 1);
    std::vector<std::int64_t> size;
    for (const std::string& token : lines[at]) {
      size.push_back(whole_of(token, false));
      require(size.back() >= 0 && (size.size() == 3 || size.back() <= max_terms), at + 1);
    }
    require(general || size[0] == size[1], at + 1);
    if (array) size.push_back(general ? size[0] * size[1] : size[0] * (size[0] + 1) / 2);
    found.n_rows = size[0];
    found.n_columns = size[1];
    if (found.n_rows > 1000) return found;  // the tests do not read so many rows
    std::vector<std::map<TermId, std::int64_t>> sums(static_cast<std::size_t>(size[0]));  // bits
    const auto add = [&](std::int64_t row, std::int64_t column, std::int64_t bits) {
      const auto [known, is_new] = sums[static_cast<std::size_t>(row)].try_emplace(static_cast<TermId>(column), bits);
      if (is_new) return;
      if (!found.exact)
        known->second = std::bit_cast<std::int64_t>(std::bit_cast<double>(known->second) + std::bit_cast<double>(bits));
      else if (known->second > std::numeric_limits<std::int64_t>::max() - bits) found.overflows = true;
      else known->second += bits;
    };
    std::int64_t n = 0, row = 0, column = 0, row_before = -1, column_before = -1;
    const std::size_t n_lines = lines.size();
    while (++at < n_lines) {
      const std::vector<std::string>& line = lines[at];
      if (line.empty()) continue;
      require(n++ < size[2] && line.size() == (array ? 1u : pattern ? 2u : 3u), at + 1);
      std::int64_t bits = std::bit_cast<std::int64_t>(1.0);
      const std::string value = line.back();
      if (found.exact) {
        bits = whole_of(value.starts_with("-0") ? value.substr(1) : value, false);
        require(bits >= 0 && (value[0] != '-' || bits == 0), at + 1);
      } else if (!pattern) {
        const double number = number_of(value);
        require(is_number(value) && number >= 0 && !std::isinf(number), at + 1);
        bits = std::bit_cast<std::int64_t>(number);
      }
      if (array) {
        if (bits != 0) add(row, column, bits);
        if (bits != 0 && !general && row != column) add(column, row, bits);
        if (++row == size[0]) row = general ? 0 : column + 1, ++column;
        continue;
      }
      for (std::size_t i = 0; i < 2; ++i) {
        const std::int64_t index = whole_of(line[i], false);
        require(index >= 1 && index <= size[i], at + 1);
        (i == 0 ? row : column) = index - 1;
      }
      found.is_by_row &= row >= row_before;
      found.is_by_column &= column >= column_before;
      row_before = row;
      column_before = column;
      add(row, column, bits);
      if (!general && row != column) add(column, row, bits);
    }
    require(n == size[2], n_lines + 1);
    if (array) found.is_by_row = false;
    for (const auto& of_row : sums) {
      found.rows.emplace_back();
      for (const auto& [of_column, bits] : of_row) found.rows.back().emplace_back(of_column, count_of(bits, found.exact));
    }
  } catch (const WrongLine& wrong) {
    found.error = static_cast<std::int64_t>(wrong.line);
  }
  return found;
}

// Checks that a file is read as by the plain reader, as a whole and, if it is sorted, by rows and by columns, whatever the
// blocks, the pieces and the threads.
inline void check_market(const std::string& text, const std::vector<Sizes>& sizes = all_sizes) {
  const Market plain = plain_market(text);
  if (plain.error == 0 && plain.n_rows > 1000) return;
  const std::string want = plain.described() + " of\n" + text;
  const bool symmetric = plain.error == 0 && text.find("general") > text.find('\n');
  for (const Sizes& of_blocks : sizes)
    for (const Way way : {Way::whole, Way::rows, Way::columns}) {
      if (way != Way::whole && (symmetric || plain.n_columns > 1000)) continue;
      bool sorted = true;
      const Market found = read_market(text, way, of_blocks, sorted);
      if (sorted && way != Way::whole && plain.error > 0 && found.overflows) continue;  // the sum comes before the error
      if (sorted) CHECK_EQ(found.described() + " of\n" + text, want);
      else CHECK(plain.error > 0 || !(way == Way::rows ? plain.is_by_row : plain.is_by_column));
    }
}

}  // namespace read_matrices

#include "termsift/matrix_market.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

#include "reading/decimal.hpp"
#include "reading/lines.hpp"

namespace termsift {
namespace {

constexpr std::int64_t most_rows = std::numeric_limits<std::int32_t>::max();

// ---- the lines before the entries ----------------------------------------------------------------------------------------

enum class Symmetry { general, symmetric, skew };

struct Header {
  bool array = false, pattern = false, exact = false;
  Symmetry symmetry = Symmetry::general;
  std::int64_t n_rows = 0, n_columns = 0, n_entries = 0;
  std::int64_t line = 1;  // the line with the size
};

class HeaderReader : LineCursor<> {
 public:
  explicit HeaderReader(std::string_view text) : LineCursor(text, 1) {}

  Header read() {
    word("%%MatrixMarket, which a Matrix Market file begins with", {"%%matrixmarket", "%matrixmarket"});
    word("matrix", {"matrix"});
    out_.array = word("coordinate or array", {"coordinate", "array"}) == 1;
    const std::size_t field =
        out_.array ? word("real, integer or unsigned-integer", {"real", "double", "integer", "unsigned-integer"})
                   : word("real, integer, unsigned-integer or pattern",
                          {"real", "double", "integer", "unsigned-integer", "pattern"});
    out_.exact = field == 2 || field == 3;
    out_.pattern = field == 4;
    out_.symmetry = Symmetry{static_cast<int>(
        word("general, symmetric or skew-symmetric", {"general", "symmetric", "skew-symmetric"}))};
    next_line();
    while (p_ != end_ && (token().empty() || token().front() == '%')) next_line();
    size();
    out_.line = line_;
    return out_;
  }

  const char* rest() const { return p_; }

 private:
  // Returns the next token of the line, empty at its end.
  std::string_view token() {
    next_token();
    return {p_, token_end()};
  }

  [[noreturn]] void wrong(std::string expected) {
    next_token();
    throw LineError(bad_token(std::move(expected), token_end()));
  }

  // Reads one of the words and returns its position among them.
  std::size_t word(const char* expected, std::initializer_list<std::string_view> words) {
    const std::string_view found = token();
    const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; };
    for (const std::string_view& known : words) {
      if (!std::equal(found.begin(), found.end(), known.begin(), known.end(), same)) continue;
      p_ += found.size();
      return static_cast<std::size_t>(&known - words.begin());
    }
    wrong(expected);
  }

  std::int64_t number(const char* what, std::int64_t most) {
    const std::string_view found = token();
    const auto value = read_index(found.data(), found.data() + found.size());
    if (!value || *value > most) wrong(std::string(what) + " from 0 to " + std::to_string(most));
    return *value;
  }

  void size() {
    const auto skip = [this] { p_ += token().size(); };
    out_.n_rows = number("a number of rows", most_rows);
    skip();
    out_.n_columns = number("a number of columns", most_rows);
    if (out_.symmetry != Symmetry::general && out_.n_rows != out_.n_columns)
      wrong("as many columns as rows, because line 1 says that the matrix is symmetric");
    skip();
    const std::int64_t n = out_.n_rows;
    if (!out_.array) {
      out_.n_entries = number("a number of entries", std::numeric_limits<std::int64_t>::max());
      skip();
    } else if (out_.symmetry == Symmetry::general) {
      out_.n_entries = n * out_.n_columns;
    } else {
      out_.n_entries = n * (out_.symmetry == Symmetry::symmetric ? n + 1 : n - 1) / 2;
    }
    if (!token().empty()) wrong("the end of the line, after the size of the matrix");
    p_ = after_line(p_, end_);
  }

  Header out_;
};

// ---- the entries ---------------------------------------------------------------------------------------------------------

// The entries are parsed into arrays that have an element for every line. If lines were blank, the entries are moved
// together afterwards.
struct MatrixMarketPiece : TextPiece {
  std::int64_t begin = 0;  // where its part of the arrays begins
  std::int64_t n = 0;      // entries
  BadLine bad;
};

class MatrixMarketParser : LineCursor<> {
 public:
  MatrixMarketParser(MatrixMarketPiece& piece, const Header& header, const MatrixMarketEntries& out, Worker& worker)
      : LineCursor(piece.text, piece.line),
        piece_(piece),
        header_(header),
        worker_(worker),
        rows_(out.rows.get() + piece.begin),
        columns_(out.columns.get() + piece.begin),
        data_(out.data.get() + piece.begin) {}

  // Parses the lines up to the first wrong one. Returns whether all are right.
  bool run() {
    for (; p_ != end_; next_line())
      if (next_token() && !entry()) return false;
    return true;
  }

 private:
  bool entry() {
    if ((piece_.n & 0x3fff) == 0) worker_.check();
    if (piece_.n == most_) text_changed();
    if (!header_.array && !(index(header_.n_rows, "row", rows_[piece_.n]) &&
                            index(header_.n_columns, "column", columns_[piece_.n])))
      return false;
    if (header_.pattern)
      data_[piece_.n] = std::bit_cast<std::int64_t>(1.0);
    else if (!value(data_[piece_.n]))
      return false;
    if (next_token()) return wrong("the end of the line after an entry");
    ++piece_.n;
    return true;
  }

  bool index(std::int64_t most, const char* what, std::int32_t& out) {
    next_token();
    std::int64_t number = 0;
    const char* stop = read_digits(p_, end_, number);
    if (stop == p_ || stop - p_ > 18 || (stop != end_ && !ends_token(*stop))) {
      stop = token_end();
      number = read_index(p_, stop).value_or(0);
    }
    if (number < 1 || number > most) return wrong(std::string("a ") + what + " from 1 to " + std::to_string(most));
    out = static_cast<std::int32_t>(number - 1);
    p_ = stop;
    return true;
  }

  bool value(std::int64_t& out) {
    next_token();
    std::int64_t whole = 0;
    const char* stop = read_digits(p_, end_, whole);
    if (stop != p_ && stop - p_ <= 15 && (stop == end_ || ends_token(*stop))) {
      out = header_.exact ? whole : std::bit_cast<std::int64_t>(static_cast<double>(whole));
      p_ = stop;
      return true;
    }
    stop = token_end();
    if (header_.exact) {
      const auto number = read_whole(p_, stop);
      if (!number) return wrong("a whole number below 2^63, because line 1 says integer; other numbers need real there");
      out = *number;
    } else {
      const auto number = Decimal::read(p_, stop);
      const double nearest = number ? number->value() : std::numeric_limits<double>::infinity();
      if (std::isinf(nearest)) return wrong("a finite number");
      out = std::bit_cast<std::int64_t>(nearest);
    }
    p_ = stop;
    return true;
  }

  // Notes the error of the token that begins here.
  bool wrong(std::string expected) {
    piece_.bad = bad_token(std::move(expected), token_end());
    return false;
  }

  MatrixMarketPiece& piece_;
  const Header& header_;
  Worker& worker_;
  const std::int64_t most_ = piece_.n_lines();
  std::int32_t* const rows_;
  std::int32_t* const columns_;
  std::int64_t* const data_;
};

// ---- all pieces ----------------------------------------------------------------------------------------------------------

MatrixMarketEntries uninitialised(const Header& header, std::int64_t n) {
  MatrixMarketEntries out;
  out.n_rows = header.n_rows;
  out.n_columns = header.n_columns;
  out.n_entries = n;
  out.exact = header.exact;
  out.rows = LargeArray<std::int32_t>::uninitialised(n);
  out.columns = LargeArray<std::int32_t>::uninitialised(n);
  out.data = LargeArray<std::int64_t>::uninitialised(n);
  return out;
}

const char* declares(const Header& header) { return header.array ? " asks for" : " declares"; }

// Finds the first line beyond the declared entries.
class ExcessFinder : LineCursor<> {
 public:
  explicit ExcessFinder(const MatrixMarketPiece& piece) : LineCursor(piece.text, piece.line) {}

  // Returns the error of line n of the piece, counted from 0 without blank lines.
  BadLine find(std::int64_t n, const Header& header) {
    for (; p_ != end_; next_line())
      if (next_token() && n-- == 0)
        return bad_token("no more entries than the " + std::to_string(header.n_entries) + " that line " +
                             std::to_string(header.line) + declares(header), token_end());
    text_changed();
  }
};

// Closes the gaps between the pieces, and compares the number of entries with the declared one.
void join(const std::vector<MatrixMarketPiece>& pieces, std::size_t failed, const Header& header, MatrixMarketEntries& out) {
  out.n_entries = 0;
  std::int64_t line = header.line + 1;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const MatrixMarketPiece& piece = pieces[i];
    const std::int64_t left = header.n_entries - out.n_entries;
    if (piece.n > left || (piece.n == left && i == failed)) throw LineError(ExcessFinder(piece).find(left, header));
    if (i == failed) throw LineError(piece.bad);
    if (piece.begin != out.n_entries) {
      std::copy_n(out.rows.get() + piece.begin, piece.n, out.rows.get() + out.n_entries);
      std::copy_n(out.columns.get() + piece.begin, piece.n, out.columns.get() + out.n_entries);
      std::copy_n(out.data.get() + piece.begin, piece.n, out.data.get() + out.n_entries);
    }
    out.n_entries += piece.n;
    line = piece.line + piece.n_lines();
  }
  if (out.n_entries < header.n_entries) {
    const std::string entry = std::to_string(out.n_entries + 1), all = std::to_string(header.n_entries);
    throw LineError({line, "entry " + entry + " of the " + all + " that line " + std::to_string(header.line) +
                               declares(header), "", false});
  }
}

// Sets the rows and columns of the values of an array, and leaves out zeros.
void place(const Header& header, MatrixMarketEntries& out) {
  const auto is_zero = [&](std::int64_t bits) {
    return out.exact ? bits == 0 : std::bit_cast<double>(bits) == 0;
  };
  const auto first_row = [&](std::int64_t column) {
    return header.symmetry == Symmetry::general ? 0 : column + (header.symmetry == Symmetry::skew);
  };
  std::int64_t n = 0, column = 0, row = first_row(0);
  for (std::int64_t i = 0; i < out.n_entries; ++i, ++row) {
    while (row == header.n_rows) row = first_row(++column);
    if (is_zero(out.data[i])) continue;
    out.rows[n] = static_cast<std::int32_t>(row);
    out.columns[n] = static_cast<std::int32_t>(column);
    out.data[n++] = out.data[i];
  }
  out.n_entries = n;
}

// Adds the entries on the other side of the diagonal.
MatrixMarketEntries mirrored(const Header& header, const MatrixMarketEntries& in) {
  std::int64_t n = in.n_entries;
  for (std::int64_t i = 0; i < in.n_entries; ++i) n += in.rows[i] != in.columns[i];
  MatrixMarketEntries out = uninitialised(header, n);
  std::copy_n(in.rows.get(), in.n_entries, out.rows.get());
  std::copy_n(in.columns.get(), in.n_entries, out.columns.get());
  std::copy_n(in.data.get(), in.n_entries, out.data.get());
  n = in.n_entries;
  for (std::int64_t i = 0; i < in.n_entries; ++i) {
    if (in.rows[i] == in.columns[i]) continue;
    out.rows[n] = in.columns[i];
    out.columns[n] = in.rows[i];
    // The lowest integer is its own negative, as in numpy.
    const std::int64_t bits = in.data[i];
    const std::int64_t negative = in.exact ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(bits))
                                           : std::bit_cast<std::int64_t>(-std::bit_cast<double>(bits));
    out.data[n++] = header.symmetry == Symmetry::skew ? negative : bits;
  }
  return out;
}

}  // namespace

MatrixMarketEntries parse_matrix_market(std::string_view text, const Threads& threads) {
  HeaderReader reader(text);
  const Header header = reader.read();
  text.remove_prefix(static_cast<std::size_t>(reader.rest() - text.data()));
  const Threads enough = worth(threads, static_cast<std::int64_t>(text.size()), piece_bytes);
  auto pieces = cut<MatrixMarketPiece>(text, header.line + 1, enough, [](const MatrixMarketPiece&) {});
  std::int64_t n_lines = 0;
  for (MatrixMarketPiece& piece : pieces) piece.begin = std::exchange(n_lines, n_lines + piece.n_lines());
  MatrixMarketEntries out = uninitialised(header, n_lines);
  const std::size_t failed = parse_pieces(
      pieces, enough,
      [&](MatrixMarketPiece& piece, Worker& worker) { return MatrixMarketParser(piece, header, out, worker).run(); });
  join(pieces, failed, header, out);
  if (header.array) place(header, out);
  return header.symmetry == Symmetry::general ? std::move(out) : mirrored(header, out);
}

}  // namespace termsift

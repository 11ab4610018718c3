#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <utility>

#include "reading/line_blocks.hpp"
#include "reading/number_text.hpp"
#include "termsift/matrix_reader.hpp"

namespace termsift {
namespace {

using Header = MarketReader::Header;

bool is_market_blank(char c) { return c == ' ' || c == '\t'; }

// ---- the lines before the entries ----------------------------------------------------------------------------------------

// The tokens of a line, which ends with a line feed or with a carriage return and a line feed.
class LineTokens {
 public:
  LineTokens(std::string_view line, std::int64_t number) : p_(line.data()), end_(p_ + line.size() - 1), number_(number) {
    if (p_ != end_ && end_[-1] == '\r') --end_;
  }

  // Returns the next token of the line, which is empty at the end.
  std::string_view next() {
    p_ = std::find_if_not(p_, end_, is_market_blank);
    const char* const begin = std::exchange(p_, std::find_if(p_, end_, is_market_blank));
    return {begin, at(p_ - begin)};
  }

  [[noreturn]] void wrong(const std::string& expected, std::string_view found) const {
    refuse(number_, "expected " + expected + ", found " + quoted(found));
  }

  // Reads one of the words in any case, and returns its position among them.
  std::size_t word(const std::string& expected, std::initializer_list<std::string_view> words) {
    const std::string_view found = next();
    const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; };
    for (const std::string_view& known : words)
      if (std::equal(found.begin(), found.end(), known.begin(), known.end(), same)) return at(&known - words.begin());
    wrong(expected, found);
  }

  std::int64_t number(const std::string& what, std::int64_t most) {
    const std::string_view found = next();
    const auto value = found.starts_with('+') ? std::nullopt : whole_number(found);
    if (!value || *value > most) wrong("the number of " + what + ", from 0 to " + std::to_string(most), found);
    return *value;
  }

  void end(const std::string& after) {
    if (const std::string_view found = next(); !found.empty()) wrong("the end of the line after " + after, found);
  }

 private:
  const char *p_, *end_;
  std::int64_t number_;
};

Header words_of(LineTokens line) {
  Header header;
  line.word("'%%MatrixMarket matrix coordinate integer general' or the like", {"%%matrixmarket"});
  const std::string form = "'%%MatrixMarket matrix coordinate integer general' or the like, with ";
  line.word(form + "matrix as word 2", {"matrix"});
  header.array = line.word(form + "coordinate or array as word 3", {"coordinate", "array"}) == 1;
  const std::size_t field =
      header.array
          ? line.word(form + "integer or real as word 4", {"real", "double", "integer", "unsigned-integer"})
          : line.word(form + "integer, real or pattern as word 4",
                      {"real", "double", "integer", "unsigned-integer", "pattern"});
  header.exact = field == 2 || field == 3;
  header.pattern = field == 4;
  header.symmetric = line.word(form + "general or symmetric as word 5", {"general", "symmetric", "hermitian"}) != 0;
  line.end("the five words");
  return header;
}

void read_sizes(LineTokens line, Header& header) {
  header.n_rows = line.number("rows", max_terms);
  header.n_columns = line.number("columns", max_terms);
  const std::int64_t n = header.n_rows;
  if (header.symmetric && n != header.n_columns)
    line.wrong("as many columns as rows, because line 1 says that the matrix is symmetric",
               std::to_string(header.n_columns));
  if (!header.array) header.n_entries = line.number("entries", std::numeric_limits<std::int64_t>::max());
  else header.n_entries = header.symmetric ? n * (n + 1) / 2 : n * header.n_columns;
  line.end("the sizes of the matrix");
}

// ---- the entries ---------------------------------------------------------------------------------------------------------

// Entries in the order of the text. Rows and columns are numbered from 0.
struct Entries {
  std::int64_t size = 0, room = 0;
  LargeArray<TermId> rows, columns;
  LargeArray<std::int64_t> data;

  static Entries uninitialised(std::int64_t n) {
    return {0, n, LargeArray<TermId>::uninitialised(n), LargeArray<TermId>::uninitialised(n),
            LargeArray<std::int64_t>::uninitialised(n)};
  }
  // Copies n entries of `from`, which may be these entries.
  void append(const Entries& from, std::int64_t begin, std::int64_t n) {
    if (&from != this || begin != size) {
      std::copy_n(from.rows.get() + begin, n, rows.get() + size);
      std::copy_n(from.columns.get() + begin, n, columns.get() + size);
      std::copy_n(from.data.get() + begin, n, data.get() + size);
    }
    size += n;
  }
  // Drops the entries before `first`, and makes room for n entries in all, or for more if they are likely to come. The room
  // at least doubles, so that entries are copied only a few times.
  void keep_from(std::int64_t first, std::int64_t n, std::int64_t likely = 0) {
    const std::int64_t kept = size - first;
    if (n > room) {
      Entries larger = uninitialised(std::max({n, 2 * kept, likely}));
      larger.append(*this, first, kept);
      *this = std::move(larger);
    } else if (first > 0) {
      size = 0;
      append(*this, first, kept);
    }
  }
};

// Whether entries are sorted by rows and by columns, and whether they are even sorted strictly, by row and column or by
// column and row.
struct Sorted {
  bool rows = true, columns = true, rows_strictly = true, columns_strictly = true;

  TERMSIFT_INLINE void follow(TermId row, TermId column, TermId next_row, TermId next_column) {
    rows &= next_row >= row;
    columns &= next_column >= column;
    rows_strictly &= (next_row > row) | ((next_row == row) & (next_column > column));
    columns_strictly &= (next_column > column) | ((next_column == column) & (next_row > row));
  }
  void merge(const Sorted& other) {
    rows &= other.rows;
    columns &= other.columns;
    rows_strictly &= other.rows_strictly;
    columns_strictly &= other.columns_strictly;
  }
};

// The entries of a piece are parsed into arrays that have an element for every line. If lines were blank, the entries are
// moved together afterwards.
struct MarketPiece : TextPiece {
  std::int64_t begin = 0, n = 0;
  Sorted sorted;
  BadRow bad;
};

class MarketParser {
 public:
  MarketParser(MarketPiece& piece, const Header& header, const Entries& out, Worker& worker)
      : p_(piece.text.data()), end_(p_ + piece.text.size()), line_(piece.line), piece_(piece), header_(header),
        worker_(worker), rows_(out.rows.get() + piece.begin), columns_(out.columns.get() + piece.begin),
        data_(out.data.get() + piece.begin) {}

  // Parses the lines up to the first bad line. Returns whether there is none.
  bool run() {
    const bool right = header_.array ? values() : header_.pattern ? entries<true>() : entries<false>();
    if (!right) piece_.bad = {line_, line_, std::move(fault_)};
    return right;
  }

 private:
  // Goes to the next token of the line. Returns false at the end of the line.
  bool next_token() {
    while (is_market_blank(*p_)) ++p_;
    return *p_ != '\n' && !(*p_ == '\r' && p_[1] == '\n');
  }
  void next_line() {
    p_ += 1 + (*p_ == '\r');
    ++line_;
  }
  static bool ends_token(const char* p) {
    return is_market_blank(*p) || *p == '\n' || (*p == '\r' && p[1] == '\n');
  }

  bool wrong(const std::string& expected) {
    const char* stop = p_;
    while (!ends_token(stop)) ++stop;
    fault_ = "expected " + expected + ", found " + quoted({p_, at(stop - p_)});
    return false;
  }

  template <bool pattern>
  bool entries() {
    std::int64_t n = 0;
    TermId row = -1, column = -1;
    Sorted sorted;
    for (; p_ != end_; next_line()) {
      if (!next_token()) continue;
      if (unlikely((n & 0x3fff) == 0)) worker_.check();
      TermId next_row = 0, next_column = 0;
      if (!index("row", header_.n_rows, next_row) || !index("column", header_.n_columns, next_column))
        return piece_.n = n, false;
      if constexpr (pattern) data_[n] = std::bit_cast<std::int64_t>(1.0);
      else if (!value(data_[n])) return piece_.n = n, false;
      if (unlikely(*p_ != '\n') && next_token())
        return piece_.n = n, wrong(pattern ? "the end of the line after a row and a column, because line 1 says pattern"
                                           : "the end of the line after a row, a column and a count");
      if (n > 0) sorted.follow(row, column, next_row, next_column);
      rows_[n] = row = next_row;
      columns_[n++] = column = next_column;
    }
    piece_.n = n;
    piece_.sorted = sorted;
    return true;
  }

  bool values() {
    std::int64_t n = 0;
    for (; p_ != end_; next_line()) {
      if (!next_token()) continue;
      if (unlikely((n & 0x3fff) == 0)) worker_.check();
      if (!value(data_[n])) return piece_.n = n, false;
      if (unlikely(*p_ != '\n') && next_token())
        return piece_.n = n, wrong("the end of the line after a count, because line 1 says array");
      ++n;
    }
    piece_.n = n;
    return true;
  }

  TERMSIFT_INLINE bool index(const char* what, std::int64_t most, TermId& out) {
    if (is_market_blank(*p_)) ++p_;
    if (unlikely(digit_of(*p_) > 9) && !next_token()) return missing(what, most);
    std::int64_t number = 0;
    const char* const stop = read_digits(p_, number);
    if (unlikely(stop == p_ || number < 1 || number > most || !ends_token(stop))) return unusual_index(what, most, out);
    out = static_cast<TermId>(number - 1);
    p_ = stop;
    return true;
  }

  bool missing(const char* what, std::int64_t most) { return wrong(expected_index(what, most)); }
  static std::string expected_index(const char* what, std::int64_t most) {
    if (most == 0) return std::string("no entry, because there are no ") + what + "s";
    return std::string("a ") + what + " from 1 to " + std::to_string(most);
  }

  // Reads an index with many leading zeros, or finds its fault.
  bool unusual_index(const char* what, std::int64_t most, TermId& out) {
    const char* stop = p_;
    while (!ends_token(stop)) ++stop;
    const auto number = *p_ == '+' ? std::nullopt : whole_number({p_, at(stop - p_)});
    if (!number || *number < 1 || *number > most) return wrong(expected_index(what, most));
    out = static_cast<TermId>(*number - 1);
    p_ = stop;
    return true;
  }

  TERMSIFT_INLINE bool value(std::int64_t& out) {
    if (is_market_blank(*p_)) ++p_;
    if (unlikely(is_market_blank(*p_))) next_token();
    std::int64_t whole = 0;
    const char* stop = p_ + 1;
    if (const unsigned digit = digit_of(*p_); digit <= 9 && *stop <= ' ') whole = digit;  // most counts have one digit
    else stop = read_digits(p_, whole);
    if (*stop == '.' && stop != p_ && !header_.exact) {
      double number = 0;
      const char* const end = read_fraction(stop + 1, static_cast<std::uint64_t>(whole), number);
      if (unlikely(end == nullptr || !ends_token(end))) return unusual_value(out);
      out = std::bit_cast<std::int64_t>(number);
      p_ = end;
      return true;
    }
    if (unlikely(stop == p_ || !ends_token(stop) || whole > std::int64_t{1} << 53)) return unusual_value(out);
    out = header_.exact ? whole : std::bit_cast<std::int64_t>(static_cast<double>(whole));
    p_ = stop;
    return true;
  }

  bool unusual_value(std::int64_t& out) {
    if (!header_.exact) {
      double number = 0;
      const char* const end = read_decimal(p_, number);
      if (end == nullptr || !ends_token(end) || !(number >= 0) || std::isinf(number))
        return wrong("a finite number of 0 or more");
      out = std::bit_cast<std::int64_t>(number + 0.0);  // -0 becomes 0
      p_ = end;
      return true;
    }
    const char* stop = p_;
    while (!ends_token(stop)) ++stop;
    const std::string_view text(p_, at(stop - p_));
    const std::string_view digits = text.starts_with("-0") ? text.substr(1) : text;
    const auto number = text.starts_with('+') ? std::nullopt : whole_number(digits);
    if (!number || (text[0] == '-' && *number != 0))
      return wrong("a whole number from 0 to below 2^63, because line 1 says integer; other counts need real there");
    out = *number;
    p_ = stop;
    return true;
  }

  const char* p_;
  const char* const end_;
  std::int64_t line_;
  MarketPiece& piece_;
  const Header& header_;
  Worker& worker_;
  TermId* const rows_;
  TermId* const columns_;
  std::int64_t* const data_;
  std::string fault_;
};

// Throws the error of entry n of a piece, where blank lines are no entries.
[[noreturn]] void refuse_entry(const MarketPiece& piece, std::int64_t n, const std::string& expected) {
  std::int64_t line = piece.line;
  for (const char *p = piece.text.data(), *const end = p + piece.text.size();; ++line) {
    const char* const stop = find_byte(p, end, '\n');
    std::string_view found(p, at(stop - p));
    if (found.ends_with('\r')) found.remove_suffix(1);
    if (!std::all_of(found.begin(), found.end(), is_market_blank) && n-- == 0)
      refuse(line, expected + ", found " + quoted(found));
    p = stop + 1;
  }
}

bool is_zero(std::int64_t bits, bool exact) { return exact ? bits == 0 : std::bit_cast<double>(bits) == 0; }

// Sorts the entries of a row by column, and adds up those of the same column in their order. Returns how many are left.
std::int64_t tidy_row(TermId* indices, std::int64_t* data, std::int64_t n, bool exact,
                      std::vector<std::pair<TermId, std::int64_t>>& entries) {
  if (std::adjacent_find(indices, indices + n, std::greater_equal<>()) == indices + n) return n;
  entries.clear();
  for (std::int64_t i = 0; i < n; ++i) entries.emplace_back(indices[i], data[i]);
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::int64_t kept = 0;
  for (const auto& [index, bits] : entries) {
    if (kept == 0 || indices[kept - 1] != index) {
      indices[kept] = index;
      data[kept++] = bits;
      continue;
    }
    std::int64_t& sum = data[kept - 1];
    if (!exact) sum = std::bit_cast<std::int64_t>(std::bit_cast<double>(sum) + std::bit_cast<double>(bits));
    else if (sum > std::numeric_limits<std::int64_t>::max() - bits)
      throw CountOverflow("the sum of repeated entries exceeds 2^63 - 1");
    else sum += bits;
  }
  return kept;
}

// Makes the indices of every row (or column) of a block increase strictly.
void tidy(MatrixBlock& block, const Threads& threads) {
  std::vector<std::pair<TermId, std::int64_t>> entries;
  std::int64_t n = 0, begin = 0;
  for_each_range(block.size, 1 << 12, {1, threads.poll}, [&](std::int64_t first, std::int64_t last, Worker&) {
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t end = block.indptr[row + 1];
      std::copy(block.indices.get() + begin, block.indices.get() + end, block.indices.get() + n);
      std::copy(block.data.get() + begin, block.data.get() + end, block.data.get() + n);
      n += tidy_row(block.indices.get() + n, block.data.get() + n, end - begin, block.exact, entries);
      begin = end;
      block.indptr[row + 1] = n;
    }
  });
  block.n_entries = n;
}

// Sets the offsets of the rows (or columns) of a block. `rows` are the sorted rows of its n entries.
void mark_rows(const TermId* rows, std::int64_t n, MatrixBlock& block, const Threads& threads) {
  block.indptr = LargeArray<std::int64_t>::uninitialised(block.size + 1);
  for_each_range(block.size + 1, 1 << 16, worth(threads, block.size + 1), [&](std::int64_t from, std::int64_t to, Worker&) {
    const TermId *const end = rows + n, *at_row = std::lower_bound(rows, end, block.first + from);
    for (std::int64_t i = from; i < to; ++i) {
      while (at_row != end && *at_row < block.first + i) ++at_row;
      block.indptr[i] = at_row - rows;
    }
  });
}

// Sorts entries by row. The entries of a row keep their order. In a symmetric matrix, entries outside of the diagonal also
// count on its other side.
//
// Copying every entry straight to its row would write to as many places as there are rows, which do not stay in the cache.
// So entries are first copied to ranges of rows, in 8 bytes each if their counts are small.
class RowSort {
 public:
  RowSort(const Header& header, int range_bits)
      : n_rows_(header.n_rows), exact_(header.exact), mirrors_(header.symmetric), row_bits_(range_bits) {
    constexpr std::int64_t most_ranges = 512;
    while (n_rows_ >> row_bits_ >= most_ranges) ++row_bits_;
    n_ranges_ = n_rows_ == 0 ? 0 : ((n_rows_ - 1) >> row_bits_) + 1;
  }

  // Copies the entries from `first` on, which follow all earlier ones.
  void add(const Entries& entries, std::int64_t first, const Threads& all_threads) {
    const std::int64_t n = entries.size - first;
    const Threads threads = worth(all_threads, n);
    const std::size_t before = parts_.size();
    parts_.resize(before + at(threads.count));
    for_each_block(threads.count, threads, [&](std::int64_t i, Worker& worker) {
      const std::int64_t begin = first + n * i / threads.count, end = first + n * (i + 1) / threads.count;
      if (exact_ && are_small(entries.data.get() + begin, entries.data.get() + end))
        fill<true>(parts_[before + at(i)], entries, begin, end, worker);
      else
        fill<false>(parts_[before + at(i)], entries, begin, end, worker);
    });
  }

  // Moves all entries to the block.
  void finish(MatrixBlock& block, const Threads& all_threads) {
    std::vector<std::int64_t> begins(at(n_ranges_) + 1, 0);
    for (std::int64_t range = 0; range < n_ranges_; ++range) {
      begins[at(range) + 1] = begins[at(range)];
      for (const Part& part : parts_) begins[at(range) + 1] += part.begins[at(range) + 1] - part.begins[at(range)];
    }
    block.n_entries = begins.back();
    block.indptr = LargeArray<std::int64_t>::uninitialised(n_rows_ + 1);
    block.indptr[0] = 0;
    block.indices = LargeArray<TermId>::uninitialised(block.n_entries);
    block.data = LargeArray<std::int64_t>::uninitialised(block.n_entries);
    for_each_block(n_ranges_, worth(all_threads, block.n_entries), [&](std::int64_t range, Worker& worker) {
      const std::int64_t first = range << row_bits_, n = std::min(n_rows_ - first, std::int64_t{1} << row_bits_);
      std::int64_t* const ends = block.indptr.get() + 1 + first;
      std::fill_n(ends, n, 0);
      for (const Part& part : parts_) {
        worker.check();
        for_each_key(part, range, [&](std::int64_t, std::uint64_t key) { ++ends[row_of(key)]; });
      }
      std::exclusive_scan(ends, ends + n, ends, begins[at(range)]);
      for (const Part& part : parts_) {
        worker.check();
        const std::int64_t* const data = part.data.get();
        if (data == nullptr) {
          for_each_key(part, range, [&](std::int64_t, std::uint64_t key) {
            const std::int64_t place = ends[row_of(key)]++;
            block.indices[place] = static_cast<TermId>(key >> 32);
            block.data[place] = static_cast<std::int64_t>(key & (small_count() - 1));
          });
        } else {
          for_each_key(part, range, [&](std::int64_t i, std::uint64_t key) {
            const std::int64_t place = ends[row_of(key)]++;
            block.indices[place] = static_cast<TermId>(key >> 32);
            block.data[place] = data[i];
          });
        }
      }
    });
    parts_.clear();
  }

 private:
  // Consecutive entries of the text, sorted by range. A key holds the column (32 bits), the row within its range (row_bits_)
  // and, if it is small, the count. If a count of the part is large, all counts are in `data`.
  struct Part {
    std::vector<std::int64_t> begins;  // (n_ranges + 1,)
    LargeArray<std::uint64_t> keys;
    LargeArray<std::int64_t> data;
  };

  std::uint64_t small_count() const { return std::uint64_t{1} << (32 - row_bits_); }
  bool are_small(const std::int64_t* begin, const std::int64_t* end) const {
    std::uint64_t bits = 0;
    for (; begin != end; ++begin) bits |= static_cast<std::uint64_t>(*begin);
    return bits < small_count();
  }
  std::uint64_t row_of(std::uint64_t key) const {
    return (key & 0xffffffff) >> (32 - row_bits_);
  }

  template <class F>
  static void for_each_key(const Part& part, std::int64_t range, const F& f) {
    const std::uint64_t* const keys = part.keys.get();
    for (std::int64_t i = part.begins[at(range)], end = part.begins[at(range) + 1]; i < end; ++i) f(i, keys[i]);
  }

  // Calls f(row, column, i) for each entry i and, if necessary, for its mirror image.
  template <class F>
  void visit(const Entries& entries, std::int64_t begin, std::int64_t end, Worker& worker, const F& f) const {
    for (std::int64_t i = begin; i < end; ++i) {
      if ((i & 0xffff) == 0) worker.check();
      const TermId row = entries.rows[i], column = entries.columns[i];
      f(row, column, i);
      if (mirrors_ && row != column) f(column, row, i);
    }
  }

  template <bool small>
  void fill(Part& part, const Entries& entries, std::int64_t begin, std::int64_t end, Worker& worker) const {
    part.begins.assign(at(n_ranges_) + 1, 0);
    visit(entries, begin, end, worker, [&](TermId row, TermId, std::int64_t) { ++part.begins[at(row >> row_bits_) + 1]; });
    std::partial_sum(part.begins.begin(), part.begins.end(), part.begins.begin());
    const std::int64_t n = part.begins.back();
    part.keys = LargeArray<std::uint64_t>::uninitialised(n);
    if (!small) part.data = LargeArray<std::int64_t>::uninitialised(n);
    std::vector<std::int64_t> next(part.begins.begin(), part.begins.end() - 1);
    const std::uint64_t in_range = (std::uint64_t{1} << row_bits_) - 1;
    visit(entries, begin, end, worker, [&](TermId row, TermId column, std::int64_t i) {
      const auto bits = static_cast<std::uint64_t>(entries.data[i]);
      const std::int64_t place = next[at(row >> row_bits_)]++;
      part.keys[place] = static_cast<std::uint64_t>(column) << 32 |
                         (static_cast<std::uint64_t>(row) & in_range) << (32 - row_bits_) | (small ? bits : 0);
      if (!small) part.data[place] = static_cast<std::int64_t>(bits);
    });
  }

  const std::int64_t n_rows_;
  const bool exact_, mirrors_;
  int row_bits_;
  std::int64_t n_ranges_ = 0;
  std::vector<Part> parts_;
};

}  // namespace

struct MarketReader::State {
  State(TableReader::Read read, const MatrixOptions& given) : blocks(std::move(read), given.block_bytes), options(given) {}

  std::string declared() const {
    return std::to_string(header.n_entries) + " entries that line " + std::to_string(header.line) +
           (header.array ? " asks for" : " declares");
  }
  std::string_view line_of_header();
  void read_header();
  bool read(const Threads& threads);
  void join(std::vector<MarketPiece>& pieces, std::size_t failed, std::int64_t n_before);
  void place(std::int64_t first);

  LineBlocks blocks;
  MatrixOptions options;
  Header header;
  bool has_header = false, at_end = false;
  bool keeps_all = false;       // whether all entries are kept until the end of the file
  std::string_view text;        // what follows the header in the first block
  std::int64_t line = 1;        // the number of the next line
  std::int64_t n_read = 0;      // the number of entries that were read
  std::int64_t n_returned = 0;  // the number of rows or columns that were returned
  Sorted sorted;                // of all entries that were read
  Entries entries = Entries::uninitialised(0);  // the entries from `first` on were read but not yet returned
  std::int64_t first = 0;
};

MarketReader::MarketReader(TableReader::Read read, const MatrixOptions& options)
    : state_(std::make_unique<State>(std::move(read), options)) {}
MarketReader::~MarketReader() = default;

// ---- reading -------------------------------------------------------------------------------------------------------------

// Returns the next line before the entries, with its line feed, or an empty text at the end of the file.
std::string_view MarketReader::State::line_of_header() {
  if (text.empty()) text = blocks.next(line);
  const std::size_t size = text.empty() ? 0 : text.find('\n') + 1;
  const std::string_view found = text.substr(0, size);
  text.remove_prefix(size);
  ++line;
  return found;
}

void MarketReader::State::read_header() {
  has_header = true;
  constexpr std::string_view nothing = "\n";
  const std::string_view banner = line_of_header();
  header = words_of({banner.empty() ? nothing : banner, 1});
  for (;;) {
    const std::string_view found = line_of_header();
    if (!found.empty()) {
      const std::string_view token = LineTokens(found, line - 1).next();
      if (token.empty() || token[0] == '%') continue;
    }
    header.line = line - 1;
    return read_sizes({found.empty() ? nothing : found, header.line}, header);
  }
}

// Reads more entries after those that were not yet returned. Returns false at the end of the file.
bool MarketReader::State::read(const Threads& all_threads) {
  std::string_view more = std::exchange(text, {});
  if (more.empty() && !at_end) more = blocks.next(line);
  if (more.empty()) {
    if (!at_end && n_read < header.n_entries)
      refuse(line, "expected entry " + std::to_string(n_read + 1) + " of the " + declared() + ", found the end of the file");
    at_end = true;
    return false;
  }
  const Threads threads = worth(all_threads, static_cast<std::int64_t>(more.size()), options.piece_bytes);
  auto pieces = cut_lines<MarketPiece>(more, options.piece_bytes, line, threads, [](const MarketPiece&) {});
  const std::int64_t n_kept = entries.size - first;
  std::int64_t n_lines = n_kept;
  for (MarketPiece& piece : pieces) piece.begin = std::exchange(n_lines, n_lines + piece.n_lines);
  // A header may lie, so memory for all entries is taken only if those that were read are a good share of them.
  constexpr std::int64_t good_share = 16;
  const std::int64_t likely = keeps_all ? std::min(header.n_entries, good_share * n_lines) : 0;
  entries.keep_from(std::exchange(first, 0), n_lines, likely);
  const std::size_t failed = parse_pieces(pieces, blocks, threads, [&](MarketPiece& piece, Worker& worker) {
    return MarketParser(piece, header, entries, worker).run();
  });
  line += n_lines - n_kept;
  join(pieces, failed, n_kept);
  return true;
}

// Closes the gaps between the pieces, and compares the number of entries with the declared number.
void MarketReader::State::join(std::vector<MarketPiece>& pieces, std::size_t failed, std::int64_t n_before) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    MarketPiece& piece = pieces[i];
    const std::int64_t left = header.n_entries - n_read;
    if (piece.n > left || (piece.n == left && i == failed))
      refuse_entry(piece, left, "expected no more than the " + declared());
    if (i == failed) throw RowError(std::move(piece.bad), false);
    if (piece.n > 0 && !header.array) {
      if (entries.size > 0)
        piece.sorted.follow(entries.rows[entries.size - 1], entries.columns[entries.size - 1], entries.rows[piece.begin],
                            entries.columns[piece.begin]);
      sorted.merge(piece.sorted);
    }
    entries.append(entries, piece.begin, piece.n);
    n_read += piece.n;
  }
  if (header.array) place(n_before);
}

// Sets the rows and columns of the counts of an array from the entry `from` on, and leaves out zeros.
void MarketReader::State::place(std::int64_t from) {
  std::int64_t kept = from, place = n_read - (entries.size - from);
  std::int64_t column = 0, row = 0;
  if (header.n_rows > 0) {
    if (!header.symmetric) {
      column = place / header.n_rows;
      row = place % header.n_rows;
    } else {  // column j has the rows from j on
      for (; place >= header.n_rows - column && column < header.n_columns; ++column) place -= header.n_rows - column;
      row = column + place;
    }
  }
  for (std::int64_t i = from; i < entries.size; ++i, ++row) {
    if (row == header.n_rows) {
      ++column;
      row = header.symmetric ? column : 0;
    }
    if (is_zero(entries.data[i], header.exact)) continue;
    entries.rows[kept] = static_cast<TermId>(row);
    entries.columns[kept] = static_cast<TermId>(column);
    entries.data[kept++] = entries.data[i];
  }
  entries.size = kept;
  sorted.rows = sorted.rows_strictly = false;
}

// ---- rows and columns ----------------------------------------------------------------------------------------------------

const Header& MarketReader::header() {
  if (!state_->has_header) state_->read_header();
  return state_->header;
}

MarketReader::Order MarketReader::order(const Threads& threads) {
  header();
  if (state_->n_read == 0 && !state_->at_end) state_->read(threads);
  const Entries& entries = state_->entries;
  if (state_->header.symmetric) return Order::none;
  if (state_->header.array) return state_->header.n_columns > 0 ? Order::columns : Order::none;
  const bool one_column = entries.size > 1 && entries.columns[0] == entries.columns[entries.size - 1];
  if (state_->sorted.rows && !(state_->sorted.columns && one_column)) return Order::rows;
  return state_->sorted.columns ? Order::columns : Order::none;
}

bool MarketReader::next(MatrixBlock& block, bool by_column, const Threads& threads) {
  State& s = *state_;
  header();
  block = MatrixBlock();
  const std::int64_t n_all = by_column ? s.header.n_columns : s.header.n_rows;
  if (s.n_returned == n_all) {
    while (s.read(threads)) {  // checks the rest of the file, which may hold blank lines
    }
    return false;
  }
  const auto lines = [&]() -> LargeArray<TermId>& { return by_column ? s.entries.columns : s.entries.rows; };
  const auto check_order = [&] {
    if (!(by_column ? s.sorted.columns : s.sorted.rows)) throw OutOfOrder();
  };
  // Read until a row is complete, which it is when another row begins, or when all entries are read.
  check_order();
  const auto has_all = [&] { return s.at_end || s.n_read == s.header.n_entries; };
  while (!has_all() && (s.entries.size == s.first || lines()[s.entries.size - 1] == s.n_returned)) {
    s.read(threads);
    check_order();
  }
  // Rows without entries may be many, so a block has at most so many rows.
  constexpr std::int64_t most_rows = std::int64_t{1} << 22;
  std::int64_t stop = has_all() ? n_all : lines()[s.entries.size - 1];
  stop = std::min(stop, s.n_returned + most_rows);
  const TermId *const begin = lines().get() + s.first, *const all_end = lines().get() + s.entries.size;
  const TermId* const end = std::lower_bound(begin, all_end, stop);
  block.first = s.n_returned;
  block.size = stop - s.n_returned;
  block.n_entries = end - begin;
  block.exact = s.header.exact;
  mark_rows(begin, block.n_entries, block, threads);
  LargeArray<TermId>& indices = by_column ? s.entries.rows : s.entries.columns;
  if (s.first == 0 && block.n_entries * 2 >= s.entries.size) {  // take the arrays, and copy what remains
    const std::int64_t left = s.entries.size - block.n_entries;
    Entries rest = Entries::uninitialised(left);
    rest.append(s.entries, block.n_entries, left);
    block.indices = std::move(indices);
    block.data = std::move(s.entries.data);
    s.entries = std::move(rest);
  } else {
    block.indices = LargeArray<TermId>::uninitialised(block.n_entries);
    block.data = LargeArray<std::int64_t>::uninitialised(block.n_entries);
    std::copy_n(indices.get() + s.first, block.n_entries, block.indices.get());
    std::copy_n(s.entries.data.get() + s.first, block.n_entries, block.data.get());
    s.first += block.n_entries;
  }
  s.n_returned = stop;
  if (!(by_column ? s.sorted.columns_strictly : s.sorted.rows_strictly)) tidy(block, threads);
  return true;
}

// ---- all entries in any order --------------------------------------------------------------------------------------------

MatrixBlock MarketReader::whole(const Threads& threads) {
  State& s = *state_;
  header();
  // Rows in order need no sorting. If a later block is out of order, the entries so far are sorted, too.
  const bool mirrors = s.header.symmetric;
  const auto in_order = [&] { return s.sorted.rows && !mirrors; };
  RowSort sort(s.header, s.options.range_bits);
  TermId row = -1, column = -1;  // of the last entry that was sorted
  const auto take = [&] {
    s.keeps_all = in_order();
    const std::int64_t n = s.entries.size;
    if (s.keeps_all || s.first == n) return;
    if (row >= 0) s.sorted.follow(row, column, s.entries.rows[s.first], s.entries.columns[s.first]);
    row = s.entries.rows[n - 1], column = s.entries.columns[n - 1];
    sort.add(s.entries, std::exchange(s.first, n), threads);
  };
  take();  // order() may have read some entries
  while (s.read(threads)) take();
  MatrixBlock block;
  block.size = s.header.n_rows;
  block.exact = s.header.exact;
  if (in_order()) {
    block.n_entries = s.entries.size;
    mark_rows(s.entries.rows.get(), s.entries.size, block, threads);
    block.indices = std::move(s.entries.columns);
    block.data = std::move(s.entries.data);
  }
  s.entries = Entries::uninitialised(0);
  s.first = 0;
  if (!in_order()) sort.finish(block, threads);
  if (mirrors || !(s.sorted.rows_strictly || s.sorted.columns_strictly)) tidy(block, threads);
  s.n_returned = block.size;
  return block;
}

}  // namespace termsift

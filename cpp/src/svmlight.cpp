#include "termsift/svmlight.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

namespace termsift {
namespace {

// Some ten thousand tokens: enough for a thread to be worth its while, few enough to be asked about an interruption between.
constexpr std::int64_t piece_bytes = 1 << 18;
constexpr std::int64_t longest_found = 40;  // bytes of a token that are told
constexpr double label_limit = 9007199254740992;  // 2^53: from here on two labels might become one

// ---- characters ----------------------------------------------------------------------------------------------------------

constexpr std::array<bool, 256> blanks = [] {
  std::array<bool, 256> table{};
  for (const char c : {' ', '\t', '\r', '\v', '\f'}) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

constexpr std::array<bool, 256> token_ends = [] {
  std::array<bool, 256> table = blanks;
  for (const char c : {'\n', '#'}) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

bool is_blank(char c) { return blanks[static_cast<unsigned char>(c)]; }
bool ends_token(char c) { return token_ends[static_cast<unsigned char>(c)]; }
unsigned digit_of(char c) { return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0'; }  // above 9: none

const char* find(const char* p, const char* end, char c) {
  const void* found = p == end ? nullptr : std::memchr(p, c, static_cast<std::size_t>(end - p));
  return found == nullptr ? end : static_cast<const char*>(found);
}

const char* after_line(const char* p, const char* end) {
  p = find(p, end, '\n');
  return p == end ? end : p + 1;
}

const char* token_end(const char* p, const char* end) { return std::find_if(p, end, ends_token); }

// ---- numbers -------------------------------------------------------------------------------------------------------------

// A number as written: [+-] digits [. digits] [e [+-] digits], with a digit before the e. It is digits * 10^exponent.
struct Decimal {
  std::string_view text;  // without a plus
  bool negative = false;
  bool complete = true;      // whether `digits` holds all digits
  std::uint64_t digits = 0;  // without the zeros at the end
  std::int64_t exponent = 0;
  std::int64_t magnitude = 0;  // it is below 10^magnitude, and at least a tenth of that

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
      constexpr std::int64_t enough = std::int64_t{1} << 55;  // more digits than a text has
      for (; p != end && digit_of(*p) <= 9; ++p) power = std::min(10 * power + digit_of(*p), enough);
      if (below) power = -power;
    }
    if (p != end) return std::nullopt;
    number.exponent = zeros - after_point + power;
    number.magnitude = significant - after_point + power;
    return number;
  }

  // The number, if it is whole and int64 holds it.
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

  // The nearest double; infinite if none is near.
  double value() const {
    // Of two doubles that are exact the quotient or product is the nearest one (Clinger's fast path).
    constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const double sign = negative ? -1 : 1;
    if (digits == 0) return sign * 0.0;
    if (complete && digits <= std::uint64_t{1} << 53 && -22 <= exponent && exponent <= 22) {
      const double whole_digits = sign * static_cast<double>(digits);
      return exponent < 0 ? whole_digits / powers[-exponent] : whole_digits * powers[exponent];
    }
    double nearest = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), nearest);
    // What lies beyond the doubles on either side is one error, and libraries differ in what they store.
    if (error != std::errc()) return magnitude > 0 ? sign * std::numeric_limits<double>::infinity() : sign * 0.0;
    return nearest;
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

// ---- pieces of the text --------------------------------------------------------------------------------------------------

// Where the things of a piece begin in the arrays, or how many there are.
struct Places {
  std::int64_t entries = 0, docs = 0, labels = 0;
};

// Lines that one thread parses. They are parsed into places of the arrays that are as many as there can be, and moved
// together afterwards if there were fewer: only comments, blank lines, query ids and skipped lines make them fewer.
struct Piece {
  std::string_view text;
  std::int64_t n_newlines = 0;
  Places most;               // how many there can be
  std::int64_t line = 0;     // the number of the first line
  Places begin;              // where they were put
  Places n;                  // how many there are
  bool exact = true;
  std::int64_t n_bad = 0;
  std::vector<BadLine> bad;  // the first of them
  std::optional<BadLine> unlabelled;
};

std::vector<Piece> cut(std::string_view text) {
  std::vector<Piece> pieces;
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) {
    const char* const stop = end - p <= piece_bytes ? end : after_line(p + piece_bytes, end);
    pieces.emplace_back().text = {p, stop};
    p = stop;
  }
  return pieces;
}

// In place of std::count, which counts in eight bytes each and took a third of the time of parsing.
std::int64_t count(std::string_view text, char c) {
  constexpr std::size_t width = 32, most_rows = 255;
  std::int64_t sum = 0;
  const char* p = text.data();
  const char* const end = p + text.size();
  while (static_cast<std::size_t>(end - p) >= width) {
    std::array<std::uint8_t, width> sums{};
    const std::size_t rows = std::min(static_cast<std::size_t>(end - p) / width, most_rows);
    for (std::size_t row = 0; row < rows; ++row, p += width)
      for (std::size_t i = 0; i < width; ++i) sums[i] = static_cast<std::uint8_t>(sums[i] + (p[i] == c));
    for (const std::uint8_t n : sums) sum += n;
  }
  return sum + std::count(p, end, c);
}

void measure(Piece& piece, bool multilabel) {
  piece.n_newlines = count(piece.text, '\n');
  piece.most.entries = count(piece.text, ':');
  piece.most.docs = piece.n_newlines + (piece.text.back() != '\n');
  piece.most.labels = piece.most.docs + (multilabel ? count(piece.text, ',') : 0);
}

// ---- parsing -------------------------------------------------------------------------------------------------------------

[[noreturn]] void text_changed() { throw std::runtime_error("the text was changed while it was parsed"); }

// Replaces whole numbers by the bits of their doubles.
void as_doubles(std::int64_t* begin, std::int64_t* end) {
  std::transform(begin, end, begin, [](std::int64_t x) { return std::bit_cast<std::int64_t>(static_cast<double>(x)); });
}

// An index or a query's id: [+] digits.
std::optional<std::int64_t> read_index(const char* p, const char* end) {
  if (p != end && *p == '+') ++p;
  std::int64_t index = 0;
  const auto [stop, error] = std::from_chars(p, end, index);
  if (stop != end || error != std::errc() || *p == '-') return std::nullopt;
  return index;
}

class Parser {
 public:
  Parser(Piece& piece, const SvmlightBlock& out, const SvmlightOptions& options, Worker& worker)
      : piece_(piece),
        options_(options),
        worker_(worker),
        p_(piece.text.data()),
        end_(piece.text.data() + piece.text.size()),
        indices_(out.indices.get() + piece.begin.entries),
        data_(out.data.get() + piece.begin.entries),
        row_ends_(out.indptr.get() + 1 + piece.begin.docs),
        labels_(out.labels.get() + piece.begin.labels),
        label_ends_(options.multilabel ? out.label_indptr.get() + 1 + piece.begin.docs : nullptr) {}

  // Parses the lines, up to the first that is wrong unless such are skipped.
  void run() {
    for (line_ = piece_.line; p_ != end_; ++line_) {
      if (next_token() && !document()) {
        ++piece_.n_bad;
        if (piece_.bad.size() < SvmlightBlock::most_told) piece_.bad.push_back(std::move(fault_));
        if (!options_.skip) return;
      }
      p_ = after_line(p_, end_);
    }
  }

 private:
  // Goes to the next token of the line, if there is one.
  bool next_token() {
    while (p_ != end_ && is_blank(*p_)) ++p_;
    return p_ != end_ && *p_ != '\n' && *p_ != '#';
  }

  // A document, or nothing of it if its line is wrong.
  bool document() {
    n_ = piece_.n;
    exact_ = piece_.exact;
    const char* const first_end = token_end(p_, end_);
    const bool labelled = find(p_, first_end, ':') == first_end;
    BadLine unlabelled;
    if (!labelled) {
      wrong("a label before the first index:count", first_end);
      if (!options_.multilabel || !options_.unlabelled) return false;
      unlabelled = std::move(fault_);
    } else if (!labels(first_end)) {
      return false;
    }
    while (next_token())
      if (!entry()) return false;
    if (n_.docs == piece_.most.docs) text_changed();
    if (piece_.exact && !exact_) as_doubles(data_, data_ + piece_.n.entries);
    row_ends_[n_.docs] = n_.entries;
    if (label_ends_ != nullptr) label_ends_[n_.docs] = n_.labels;
    ++n_.docs;
    if (!labelled && !piece_.unlabelled) piece_.unlabelled = std::move(unlabelled);
    piece_.n = n_;
    piece_.exact = exact_;
    return true;
  }

  bool labels(const char* end) {
    if (!options_.multilabel && find(p_, end, ',') != end) return wrong("one label", end);
    for (const char* p = p_;; ++p) {
      const char* const stop = find(p, end, ',');
      const std::optional<Decimal> number = Decimal::read(p, stop);
      if (!number || !(std::abs(number->value()) < label_limit))
        return wrong(options_.multilabel ? "a label, a number below 2^53, or several with commas between them"
                                         : "a label, a number below 2^53", end);
      if (n_.labels == piece_.most.labels) text_changed();
      labels_[n_.labels++] = number->value();
      p = stop;
      if (p == end) break;
    }
    p_ = end;
    return true;
  }

  bool entry() {
    if ((++steps_ & 0x3fff) == 0) worker_.check();
    // Nearly every entry is digits, a colon and digits, too few of either to leave int64.
    std::int64_t index = 0, count = 0;
    const char* const colon = digits(p_, index);
    if (colon != p_ && colon - p_ <= 18 && colon != end_ && *colon == ':' && is_index(index)) {
      const char* const stop = digits(colon + 1, count);
      if (stop != colon + 1 && stop - colon <= 19 && (stop == end_ || ends_token(*stop))) {
        p_ = stop;
        put(index, count);
        return true;
      }
    }
    return unusual_entry();
  }

  // Reads digits, wrong if there are more than 18, and returns where they end.
  const char* digits(const char* p, std::int64_t& value) const {
    std::uint64_t sum = 0;
    for (; p != end_ && digit_of(*p) <= 9; ++p) sum = 10 * sum + digit_of(*p);
    value = static_cast<std::int64_t>(sum);
    return p;
  }

  bool is_index(std::int64_t index) const { return options_.min_index <= index && index <= options_.max_index; }

  bool unusual_entry() {
    const char* const end = token_end(p_, end_);
    const char* const colon = find(p_, end, ':');
    if (colon == end) return wrong("index:count", end);
    if (std::string_view(p_, colon) == "qid") {
      if (!read_index(colon + 1, end)) return wrong("a whole number after qid:", end);
      p_ = end;
      return true;
    }
    const std::optional<std::int64_t> index = read_index(p_, colon);
    if (!index || !is_index(*index))
      return wrong("an index from " + std::to_string(options_.min_index) + " to " + std::to_string(options_.max_index) +
                       " before the colon" + options_.index_note, end);
    const std::optional<Decimal> number = Decimal::read(colon + 1, end);
    const double value = number ? number->value() : 0;
    if (!number || value < 0 || std::isinf(value)) return wrong("a finite count of 0 or more after the colon", end);
    p_ = end;
    if (const std::optional<std::int64_t> whole = number->whole())
      put(*index, *whole);
    else
      put(*index, value);
    return true;
  }

  void put(std::int64_t index, std::int64_t count) {
    put_bits(index, exact_ ? count : std::bit_cast<std::int64_t>(static_cast<double>(count)));
  }
  void put(std::int64_t index, double count) {
    // The line may yet be skipped, and leave the counts before it exact.
    if (std::exchange(exact_, false)) as_doubles(data_ + piece_.n.entries, data_ + n_.entries);
    put_bits(index, std::bit_cast<std::int64_t>(count));
  }
  void put_bits(std::int64_t index, std::int64_t bits) {
    if (n_.entries == piece_.most.entries) text_changed();
    indices_[n_.entries] = index;
    data_[n_.entries++] = bits;
  }

  // Says what is wrong with the token that begins here.
  bool wrong(std::string expected, const char* end) {
    const bool cut = end - p_ > longest_found;
    fault_ = {line_, std::move(expected), std::string(p_, cut ? p_ + longest_found : end), cut};
    return false;
  }

  Piece& piece_;
  const SvmlightOptions& options_;
  Worker& worker_;
  const char* p_;
  const char* const end_;
  std::int64_t* const indices_;
  std::int64_t* const data_;
  std::int64_t* const row_ends_;
  double* const labels_;
  std::int64_t* const label_ends_;
  std::int64_t line_ = 0;
  std::int64_t steps_ = 0;
  // With the line that is being parsed: how many there are, and whether all are whole.
  Places n_;
  bool exact_ = true;
  BadLine fault_;
};

// ---- all pieces ----------------------------------------------------------------------------------------------------------

// Gives each piece its first line and its places, and returns how many places there are.
Places lay_out(std::vector<Piece>& pieces, std::int64_t first_line) {
  Places all;
  for (Piece& piece : pieces) {
    piece.line = first_line;
    first_line += piece.n_newlines;
    piece.begin = all;
    all.entries += piece.most.entries;
    all.docs += piece.most.docs;
    all.labels += piece.most.labels;
  }
  return all;
}

// Parses the pieces, but for those after one with an error.
void parse(std::vector<Piece>& pieces, const SvmlightBlock& out, const SvmlightOptions& options, const Threads& threads) {
  std::atomic<std::int64_t> failed{std::ssize(pieces)};
  for_each_block(std::ssize(pieces), threads, [&](std::int64_t i, Worker& worker) {
    if (i > failed) return;
    Piece& piece = pieces[static_cast<std::size_t>(i)];
    Parser(piece, out, options, worker).run();
    if (options.skip || piece.n_bad == 0) return;
    // Not thrown here: another thread may yet find one in an earlier piece.
    for (std::int64_t lowest = failed; i < lowest && !failed.compare_exchange_weak(lowest, i);) {
    }
  });
  if (failed < std::ssize(pieces)) throw SvmlightError(pieces[static_cast<std::size_t>(failed.load())].bad.front());
}

// Closes the gaps between what the pieces hold, sums that up, and has every count in one form.
void join(std::vector<Piece>& pieces, SvmlightBlock& out, const Threads& threads) {
  const auto move = [](auto* array, std::int64_t from, std::int64_t to, std::int64_t n) {
    if (from != to) std::copy_n(array + from, n, array + to);
  };
  for (Piece& piece : pieces) {
    const Places from = std::exchange(piece.begin, {out.n_entries, out.n_docs, out.n_labels});
    move(out.indices.get(), from.entries, out.n_entries, piece.n.entries);
    move(out.data.get(), from.entries, out.n_entries, piece.n.entries);
    move(out.labels.get(), from.labels, out.n_labels, piece.n.labels);
    move(out.indptr.get() + 1, from.docs, out.n_docs, piece.n.docs);
    if (out.label_indptr.get() != nullptr) move(out.label_indptr.get() + 1, from.docs, out.n_docs, piece.n.docs);
    out.n_entries += piece.n.entries;
    out.n_docs += piece.n.docs;
    out.n_labels += piece.n.labels;
    out.n_lines += piece.n_newlines;
    out.exact &= piece.exact;
    out.n_skipped += piece.n_bad;
    for (BadLine& bad : piece.bad)
      if (out.skipped.size() < SvmlightBlock::most_told) out.skipped.push_back(std::move(bad));
    if (!out.unlabelled) out.unlabelled = std::move(piece.unlabelled);
  }
  for_each_block(std::ssize(pieces), threads, [&](std::int64_t i, Worker&) {
    const Piece& piece = pieces[static_cast<std::size_t>(i)];
    const auto shift = [&](std::int64_t* ends, std::int64_t by) {
      std::for_each_n(ends + 1 + piece.begin.docs, piece.n.docs, [by](std::int64_t& end) { end += by; });
    };
    shift(out.indptr.get(), piece.begin.entries);
    if (out.label_indptr.get() != nullptr) shift(out.label_indptr.get(), piece.begin.labels);
    std::int64_t* const counts = out.data.get() + piece.begin.entries;
    if (piece.exact && !out.exact) as_doubles(counts, counts + piece.n.entries);
  });
}

}  // namespace

SvmlightBlock parse_svmlight(std::string_view text, const SvmlightOptions& options) {
  const Threads threads = worth(options.threads, static_cast<std::int64_t>(text.size()), piece_bytes);
  std::vector<Piece> pieces = cut(text);
  for_each_block(std::ssize(pieces), threads,
                 [&](std::int64_t i, Worker&) { measure(pieces[static_cast<std::size_t>(i)], options.multilabel); });
  const Places most = lay_out(pieces, options.first_line);

  SvmlightBlock out;
  out.indptr = LargeArray<std::int64_t>::uninitialised(most.docs + 1);
  out.indices = LargeArray<std::int64_t>::uninitialised(most.entries);
  out.data = LargeArray<std::int64_t>::uninitialised(most.entries);
  out.labels = LargeArray<double>::uninitialised(most.labels);
  out.indptr[0] = 0;
  if (options.multilabel) {
    out.label_indptr = LargeArray<std::int64_t>::uninitialised(most.docs + 1);
    out.label_indptr[0] = 0;
  }
  parse(pieces, out, options, threads);
  join(pieces, out, threads);
  return out;
}

}  // namespace termsift

#include "termsift/svmlight.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "termsift/portability.hpp"
#include "termsift/types.hpp"

namespace termsift {
namespace {

constexpr double label_limit = 0x1p53;  // from which on two labels could become one double

// ---- characters and numbers ----------------------------------------------------------------------------------------------

unsigned digit_of(char c) { return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0'; }  // above 9: none
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n'); }
bool ends_token(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == '#'; }

const char* find(const char* p, const char* end, char c) {
  const void* found = p == end ? nullptr : std::memchr(p, c, static_cast<std::size_t>(end - p));
  return found == nullptr ? end : static_cast<const char*>(found);
}

// Returns how often a character occurs. Counting 240 bytes in a byte takes a fraction of the time of std::count.
std::int64_t count(std::string_view text, char c) {
  constexpr std::size_t width = 240;
  std::int64_t sum = 0;
  for (std::size_t begin = 0; begin < text.size(); begin += width) {
    std::uint8_t n = 0;
    for (const char other : text.substr(begin, width)) n = static_cast<std::uint8_t>(n + (other == c));
    sum += n;
  }
  return sum;
}

// Reads digits and returns where they end. The value is wrong if there are more than 18.
const char* read_digits(const char* p, const char* end, std::int64_t& value) {
  std::uint64_t sum = 0;
  for (; p != end && digit_of(*p) <= 9; ++p) sum = 10 * sum + digit_of(*p);
  value = static_cast<std::int64_t>(sum);
  return p;
}

// Reads [+] digits.
std::optional<std::int64_t> read_whole(const char* p, const char* end) {
  p += p != end && *p == '+';
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(p, end, number);
  if (p == end || digit_of(*p) > 9 || stop != end || error != std::errc()) return std::nullopt;
  return number;
}

// Reads [+-] digits [. digits] [e [+-] digits]. Returns no number that nearest_double refuses.
std::optional<double> read_number(const char* p, const char* end) {
  const char* const begin = p != end && *p == '+' ? p + 1 : p;
  p += p != end && (*p == '+' || *p == '-');
  if (p == end || (digit_of(*p) > 9 && *p != '.')) return std::nullopt;  // infinities and NaN, among others
  return nearest_double({begin, end});
}

// ---- pieces of the text --------------------------------------------------------------------------------------------------

// Numbers of elements in the arrays.
struct Sizes {
  std::int64_t entries = 0, docs = 0, labels = 0;
};

// Whole lines that one thread parses into parts of the arrays that have room for as many elements as the piece can have. It
// has fewer if it has comments, blank lines, query ids or skipped lines; the parts are then moved together afterwards.
struct Piece {
  std::string_view text;
  std::int64_t n_newlines = 0;
  std::int64_t line = 0;     // the number of the first line
  Sizes begin;               // where its parts of the arrays begin
  Sizes n;                   // the elements that it has
  bool exact = true;
  std::int64_t n_bad = 0;
  std::vector<BadLine> bad;  // the first of them
  std::optional<BadLine> unlabelled;
};

// Replaces integers by the bits of their doubles.
void as_doubles(std::int64_t* begin, std::int64_t* end) {
  std::transform(begin, end, begin, [](std::int64_t x) { return std::bit_cast<std::int64_t>(static_cast<double>(x)); });
}

class Parser {
 public:
  Parser(Piece& piece, const SvmlightBlock& out, const SvmlightOptions& options, Worker& worker)
      : p_(piece.text.data()), end_(p_ + piece.text.size()), line_(piece.line), piece_(piece), options_(options),
        worker_(worker), indices_(out.indices.get() + piece.begin.entries), data_(out.data.get() + piece.begin.entries),
        row_ends_(out.indptr.get() + 1 + piece.begin.docs), labels_(out.labels.get() + piece.begin.labels),
        label_ends_(out.label_indptr.get() + 1 + piece.begin.docs) {}

  // Parses the lines. Stops at the first wrong one, unless wrong lines are skipped.
  void run() {
    for (; p_ != end_; next_line()) {
      if (!next_token() || document()) continue;
      ++piece_.n_bad;
      if (piece_.bad.size() < SvmlightBlock::most_told) piece_.bad.push_back(std::move(fault_));
      if (!options_.skip) return;
    }
  }

 private:
  void next_line() {
    if (p_ == end_ || *p_ != '\n') p_ = find(p_, end_, '\n');  // usually this is already the end of the line
    p_ += p_ != end_;
    ++line_;
  }

  // Goes to the next token of the line. Returns false at the end of the line.
  bool next_token() {
    while (p_ != end_ && is_blank(*p_)) ++p_;
    return p_ != end_ && *p_ != '\n' && *p_ != '#';
  }

  // Returns the end of the token that begins here.
  const char* token_end() const { return std::find_if(p_, end_, ends_token); }

  // Parses a document. Returns false, and leaves the piece as it was, if the line is wrong.
  bool document() {
    n_ = piece_.n;
    exact_ = piece_.exact;
    const char* const first_end = token_end();
    const bool labelled = find(p_, first_end, ':') == first_end;
    BadLine unlabelled;
    if (!labelled) {
      wrong("a label before the first index:count", first_end);
      if (options_.skip) return false;
      unlabelled = std::move(fault_);
    } else if (!labels(first_end)) {
      return false;
    }
    while (next_token())
      if (!entry()) return false;
    if (piece_.exact && !exact_) as_doubles(data_, data_ + piece_.n.entries);
    row_ends_[n_.docs] = n_.entries;
    label_ends_[n_.docs] = n_.labels;
    ++n_.docs;
    if (!labelled && !piece_.unlabelled) piece_.unlabelled = std::move(unlabelled);
    piece_.n = n_;
    piece_.exact = exact_;
    return true;
  }

  bool labels(const char* end) {
    for (const char* p = p_;; ++p) {
      const char* const stop = find(p, end, ',');
      const std::optional<double> number = read_number(p, stop);
      if (!number || !(std::abs(*number) < label_limit))
        return wrong("a label, a number below 2^53, or several with commas between them", end);
      labels_[n_.labels++] = *number;
      p = stop;
      if (p == end) break;
    }
    p_ = end;
    return true;
  }

  bool entry() {
    if ((++steps_ & 0x3fff) == 0) worker_.check();
    // Nearly every entry is digits, a colon and digits, and both numbers fit into int64.
    std::int64_t index = 0, count = 0;
    const char* const colon = read_digits(p_, end_, index);
    if (colon != p_ && colon - p_ <= 18 && colon != end_ && *colon == ':' && is_index(index)) {
      const char* const stop = read_digits(colon + 1, end_, count);
      if (stop != colon + 1 && stop - colon <= 19 && (stop == end_ || ends_token(*stop))) {
        p_ = stop;
        put(index, count);
        return true;
      }
    }
    return unusual_entry();
  }

  bool is_index(std::int64_t index) const { return options_.min_index <= index && index <= options_.max_index; }

  bool unusual_entry() {
    const char* const end = token_end();
    const char* const colon = find(p_, end, ':');
    if (colon == end) return wrong("index:count", end);
    if (std::string_view(p_, colon) == "qid") {
      if (!read_whole(colon + 1, end)) return wrong("a whole number after qid:", end);
      p_ = end;
      return true;
    }
    const std::optional<std::int64_t> index = read_whole(p_, colon), whole = read_whole(colon + 1, end);
    if (!index || !is_index(*index))
      return wrong("an index from " + std::to_string(options_.min_index) + " to " + std::to_string(options_.max_index) +
                       " before the colon" + options_.index_note, end);
    const std::optional<double> count = whole ? 0 : read_number(colon + 1, end);
    if (!count || *count < 0) return wrong("a finite count of 0 or more after the colon", end);
    p_ = end;
    if (whole) put(*index, *whole);
    else if (*count < 0x1p63 && *count == std::floor(*count)) put(*index, static_cast<std::int64_t>(*count));
    else put(*index, *count);
    return true;
  }

  void put(std::int64_t index, std::int64_t count) {
    put_bits(index, exact_ ? count : std::bit_cast<std::int64_t>(static_cast<double>(count)));
  }
  void put(std::int64_t index, double count) {
    // The line may still be skipped; the counts of the lines before it then stay exact.
    if (std::exchange(exact_, false)) as_doubles(data_ + piece_.n.entries, data_ + n_.entries);
    put_bits(index, std::bit_cast<std::int64_t>(count));
  }
  void put_bits(std::int64_t index, std::int64_t bits) {
    indices_[n_.entries] = index;
    data_[n_.entries++] = bits;
  }

  // Records the error of the bytes up to `end`, and quotes the first of them.
  bool wrong(std::string expected, const char* end) {
    constexpr std::int64_t longest_found = 40;
    const bool cut = end - p_ > longest_found;
    fault_ = {line_, std::move(expected), std::string(p_, cut ? p_ + longest_found : end), cut};
    return false;
  }

  const char* p_;
  const char* const end_;
  std::int64_t line_;
  Piece& piece_;
  const SvmlightOptions& options_;
  Worker& worker_;
  std::int64_t* const indices_;
  std::int64_t* const data_;
  std::int64_t* const row_ends_;
  double* const labels_;
  std::int64_t* const label_ends_;
  std::int64_t steps_ = 0;
  // These include the line that is being parsed.
  Sizes n_;
  bool exact_ = true;
  BadLine fault_;
};

// Cuts the text into pieces, and returns the most elements that the arrays can have.
Sizes cut(std::string_view text, std::int64_t first_line, const Threads& threads, std::vector<Piece>& pieces) {
  constexpr std::int64_t piece_bytes = 1 << 18;  // some ten thousand tokens
  const char* const end = text.data() + text.size();
  for (const char *p = text.data(), *stop; p != end; p = stop) {
    stop = end - p <= piece_bytes ? end : find(p + piece_bytes, end, '\n');
    stop += stop != end;
    pieces.emplace_back().text = {p, stop};
  }
  std::vector<Sizes> most(pieces.size());
  for_each_block(std::ssize(pieces), threads, [&](std::int64_t i, Worker&) {
    Piece& piece = pieces[at(i)];
    piece.n_newlines = count(piece.text, '\n');
    const std::int64_t docs = piece.n_newlines + (piece.text.back() != '\n');
    most[at(i)] = {count(piece.text, ':'), docs, docs + count(piece.text, ',')};
  });
  Sizes all;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    pieces[i].line = std::exchange(first_line, first_line + pieces[i].n_newlines);
    pieces[i].begin = std::exchange(all, {all.entries + most[i].entries, all.docs + most[i].docs,
                                          all.labels + most[i].labels});
  }
  return all;
}

// Closes the gaps between the pieces, adds up their sizes, and converts the counts to one form.
void join(std::vector<Piece>& pieces, SvmlightBlock& out, const Threads& threads) {
  const auto move = [](auto* array, std::int64_t from, std::int64_t to, std::int64_t n) {
    if (from != to) std::copy_n(array + from, n, array + to);
  };
  for (Piece& piece : pieces) {
    const Sizes from = std::exchange(piece.begin, {out.n_entries, out.n_docs, out.n_labels});
    move(out.indices.get(), from.entries, out.n_entries, piece.n.entries);
    move(out.data.get(), from.entries, out.n_entries, piece.n.entries);
    move(out.labels.get(), from.labels, out.n_labels, piece.n.labels);
    move(out.indptr.get() + 1, from.docs, out.n_docs, piece.n.docs);
    move(out.label_indptr.get() + 1, from.docs, out.n_docs, piece.n.docs);
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
    const Piece& piece = pieces[at(i)];
    const auto shift = [&](std::int64_t* ends, std::int64_t by) {
      std::for_each_n(ends + 1 + piece.begin.docs, piece.n.docs, [by](std::int64_t& end) { end += by; });
    };
    shift(out.indptr.get(), piece.begin.entries);
    shift(out.label_indptr.get(), piece.begin.labels);
    std::int64_t* const counts = out.data.get() + piece.begin.entries;
    if (piece.exact && !out.exact) as_doubles(counts, counts + piece.n.entries);
  });
}

}  // namespace

SvmlightBlock parse_svmlight(std::string_view text, const SvmlightOptions& options) {
  const Threads threads = worth(options.threads, static_cast<std::int64_t>(text.size()), 1 << 18);
  std::vector<Piece> pieces;
  const Sizes most = cut(text, options.first_line, threads, pieces);

  SvmlightBlock out;
  out.indptr = LargeArray<std::int64_t>::uninitialised(most.docs + 1);
  out.indices = LargeArray<std::int64_t>::uninitialised(most.entries);
  out.data = LargeArray<std::int64_t>::uninitialised(most.entries);
  out.label_indptr = LargeArray<std::int64_t>::uninitialised(most.docs + 1);
  out.labels = LargeArray<double>::uninitialised(most.labels);
  out.indptr[0] = out.label_indptr[0] = 0;
  std::atomic<std::int64_t> first_wrong{std::ssize(pieces)};
  for_each_block(std::ssize(pieces), threads, [&](std::int64_t i, Worker& worker) {
    if (i > first_wrong) return;
    Parser(pieces[at(i)], out, options, worker).run();
    if (options.skip || pieces[at(i)].n_bad == 0) return;
    // Do not throw here: another thread may still find a wrong line in an earlier piece.
    for (std::int64_t lowest = first_wrong; i < lowest && !first_wrong.compare_exchange_weak(lowest, i);) {
    }
  });
  if (first_wrong < std::ssize(pieces)) throw LineError(pieces[at(first_wrong)].bad.front());
  join(pieces, out, threads);
  return out;
}

}  // namespace termsift

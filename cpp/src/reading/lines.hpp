// What the parsers of text share: tokens of a line, and pieces of the text for several threads.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "termsift/bad_line.hpp"
#include "termsift/parallel.hpp"

namespace termsift {

// ---- characters and numbers ----------------------------------------------------------------------------------------------

inline unsigned digit_of(char c) { return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0'; }  // above 9: none

inline const char* find(const char* p, const char* end, char c) {
  const void* found = p == end ? nullptr : std::memchr(p, c, static_cast<std::size_t>(end - p));
  return found == nullptr ? end : static_cast<const char*>(found);
}

inline const char* after_line(const char* p, const char* end) {
  p = find(p, end, '\n');
  return p == end ? end : p + 1;
}

// Reads digits and returns where they end. The value is wrong if there are more than 18.
inline const char* read_digits(const char* p, const char* end, std::int64_t& value) {
  std::uint64_t sum = 0;
  for (; p != end && digit_of(*p) <= 9; ++p) sum = 10 * sum + digit_of(*p);
  value = static_cast<std::int64_t>(sum);
  return p;
}

// Reads an integer: [+-] digits.
inline std::optional<std::int64_t> read_whole(const char* p, const char* end) {
  if (end - p > 1 && *p == '+' && p[1] != '-') ++p;
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(p, end, number);
  if (stop != end || error != std::errc()) return std::nullopt;
  return number;
}

// Reads an index, a size or an identifier: [+] digits.
inline std::optional<std::int64_t> read_index(const char* p, const char* end) {
  return p != end && *p == '-' ? std::nullopt : read_whole(p, end);
}

[[noreturn]] inline void text_changed() { throw std::runtime_error("the text was changed while it was parsed"); }

// ---- tokens --------------------------------------------------------------------------------------------------------------

// A position in a text of lines whose tokens are separated by blanks. If `comment` is not a newline, it begins a comment
// that goes to the end of the line.
template <char comment = '\n'>
class LineCursor {
 public:
  LineCursor(std::string_view text, std::int64_t line) : p_(text.data()), end_(p_ + text.size()), line_(line) {}

 protected:
  static bool ends_token(char c) { return (kinds[static_cast<unsigned char>(c)] & token_end_bit) != 0; }

  // Goes to the next token of the line. Returns false at the end of the line.
  bool next_token() {
    while (p_ != end_ && kinds[static_cast<unsigned char>(*p_)] == (blank_bit | token_end_bit)) ++p_;
    return p_ != end_ && *p_ != '\n' && *p_ != comment;
  }

  // Returns the end of the token that begins here.
  const char* token_end() const { return std::find_if(p_, end_, ends_token); }

  void next_line() {
    if (p_ == end_ || *p_ != '\n') p_ = find(p_, end_, '\n');  // usually this is already the end of the line
    p_ += p_ != end_;
    ++line_;
  }

  // Returns the error that something else was expected in place of the bytes up to `end`. It quotes the first of them.
  BadLine bad_token(std::string expected, const char* end) const {
    constexpr std::int64_t longest_found = 40;
    const bool cut = end - p_ > longest_found;
    return {line_, std::move(expected), std::string(p_, cut ? p_ + longest_found : end), cut};
  }

  const char* p_;
  const char* const end_;
  std::int64_t line_;

 private:
  static constexpr std::uint8_t blank_bit = 1, token_end_bit = 2;
  static constexpr std::array<std::uint8_t, 256> kinds = [] {
    std::array<std::uint8_t, 256> table{};
    for (const char c : {' ', '\t', '\r', '\v', '\f'}) table[static_cast<unsigned char>(c)] = blank_bit | token_end_bit;
    for (const char c : {'\n', comment}) table[static_cast<unsigned char>(c)] = token_end_bit;
    return table;
  }();
};

// ---- pieces of the text --------------------------------------------------------------------------------------------------

// Some ten thousand tokens: enough work for a thread, and few enough to check for an interruption in between.
inline constexpr std::int64_t piece_bytes = 1 << 18;

// Whole lines that one thread parses.
struct TextPiece {
  std::string_view text;
  std::int64_t n_newlines = 0;
  std::int64_t line = 0;  // the number of the first line

  std::int64_t n_lines() const { return n_newlines + (text.back() != '\n'); }
};

// Returns how often a character occurs. Counting 240 bytes in a byte takes a fraction of the time of std::count.
inline std::int64_t count(std::string_view text, char c) {
  constexpr std::size_t width = 240;
  std::int64_t sum = 0;
  for (std::size_t begin = 0; begin < text.size(); begin += width) {
    std::uint8_t n = 0;
    for (const char other : text.substr(begin, width)) n = static_cast<std::uint8_t>(n + (other == c));
    sum += n;
  }
  return sum;
}

// Cuts the text into pieces of a class derived from TextPiece, whose lines are numbered from first_line. Calls
// measure(piece) for each, on any thread.
template <class Piece, class Measure>
std::vector<Piece> cut(std::string_view text, std::int64_t first_line, const Threads& threads, const Measure& measure) {
  std::vector<Piece> pieces;
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) {
    const char* const stop = end - p <= piece_bytes ? end : after_line(p + piece_bytes, end);
    pieces.emplace_back().text = {p, stop};
    p = stop;
  }
  for_each_block(std::ssize(pieces), threads, [&](std::int64_t i, Worker&) {
    Piece& piece = pieces[static_cast<std::size_t>(i)];
    piece.n_newlines = count(piece.text, '\n');
    measure(piece);
  });
  for (Piece& piece : pieces) piece.line = std::exchange(first_line, first_line + piece.n_newlines);
  return pieces;
}

// Calls parse(piece, worker), which returns whether every line is right, for each piece. Returns the position of the first
// piece with a wrong line, or the number of pieces. Pieces after a wrong one may be skipped.
template <class Piece, class Parse>
std::size_t parse_pieces(std::vector<Piece>& pieces, const Threads& threads, const Parse& parse) {
  std::atomic<std::int64_t> failed{std::ssize(pieces)};
  for_each_block(std::ssize(pieces), threads, [&](std::int64_t i, Worker& worker) {
    if (i > failed || parse(pieces[static_cast<std::size_t>(i)], worker)) return;
    // Do not throw here: another thread may still find a wrong line in an earlier piece.
    for (std::int64_t lowest = failed; i < lowest && !failed.compare_exchange_weak(lowest, i);) {
    }
  });
  return static_cast<std::size_t>(failed.load());
}

}  // namespace termsift

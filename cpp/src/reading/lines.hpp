// What the parsers of text share: characters, what is wrong with a line, and pieces of the text for several threads.
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

// ---- characters ----------------------------------------------------------------------------------------------------------

inline constexpr std::array<bool, 256> blanks = [] {
  std::array<bool, 256> table{};
  for (const char c : {' ', '\t', '\r', '\v', '\f'}) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

inline bool is_blank(char c) { return blanks[static_cast<unsigned char>(c)]; }
inline unsigned digit_of(char c) { return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0'; }  // above 9: none

inline const char* find(const char* p, const char* end, char c) {
  const void* found = p == end ? nullptr : std::memchr(p, c, static_cast<std::size_t>(end - p));
  return found == nullptr ? end : static_cast<const char*>(found);
}

inline const char* after_line(const char* p, const char* end) {
  p = find(p, end, '\n');
  return p == end ? end : p + 1;
}

// Reads digits, wrong if there are more than 18, and returns where they end.
inline const char* read_digits(const char* p, const char* end, std::int64_t& value) {
  std::uint64_t sum = 0;
  for (; p != end && digit_of(*p) <= 9; ++p) sum = 10 * sum + digit_of(*p);
  value = static_cast<std::int64_t>(sum);
  return p;
}

// A whole number: [+-] digits.
inline std::optional<std::int64_t> read_whole(const char* p, const char* end) {
  if (end - p > 1 && *p == '+' && p[1] != '-') ++p;
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(p, end, number);
  if (stop != end || error != std::errc()) return std::nullopt;
  return number;
}

// An index, a size or an identifier: [+] digits.
inline std::optional<std::int64_t> read_index(const char* p, const char* end) {
  return p != end && *p == '-' ? std::nullopt : read_whole(p, end);
}

// The error of a line that has the bytes from `p` to `end` where something else was expected. It quotes the first of them.
inline BadLine bad_line(std::int64_t line, std::string expected, const char* p, const char* end) {
  constexpr std::int64_t longest_found = 40;
  const bool cut = end - p > longest_found;
  return {line, std::move(expected), std::string(p, cut ? p + longest_found : end), cut};
}

[[noreturn]] inline void text_changed() { throw std::runtime_error("the text was changed while it was parsed"); }

// ---- pieces of the text --------------------------------------------------------------------------------------------------

// Some ten thousand tokens: enough for a thread to be worth its while, few enough to be asked about an interruption between.
inline constexpr std::int64_t piece_bytes = 1 << 18;

// Whole lines that one thread parses.
struct TextPiece {
  std::string_view text;
  std::int64_t n_newlines = 0;
  std::int64_t line = 0;  // the number of the first line
};

// Cuts the text into pieces, which are of a class derived from TextPiece.
template <class Piece>
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
inline std::int64_t count(std::string_view text, char c) {
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

// Parses the pieces by parse(piece, worker), which returns whether every line is right. Returns the position of the first
// piece that has a wrong line, or the number of pieces; those after it may be left out.
template <class Piece, class Parse>
std::size_t parse_pieces(std::vector<Piece>& pieces, const Threads& threads, const Parse& parse) {
  std::atomic<std::int64_t> failed{std::ssize(pieces)};
  for_each_block(std::ssize(pieces), threads, [&](std::int64_t i, Worker& worker) {
    if (i > failed || parse(pieces[static_cast<std::size_t>(i)], worker)) return;
    // Not thrown here: another thread may yet find one in an earlier piece.
    for (std::int64_t lowest = failed; i < lowest && !failed.compare_exchange_weak(lowest, i);) {
    }
  });
  return static_cast<std::size_t>(failed.load());
}

}  // namespace termsift

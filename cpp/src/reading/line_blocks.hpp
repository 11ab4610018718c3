// What the readers of matrices share: blocks of whole lines, pieces of a block for several threads, and messages.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "termsift/large_memory.hpp"
#include "termsift/parallel.hpp"
#include "termsift/table_reader.hpp"
#include "termsift/types.hpp"

namespace termsift {

inline const char* find_byte(const char* p, const char* end, char c) {
  const void* const found = p == end ? nullptr : std::memchr(p, c, at(end - p));
  return found == nullptr ? end : static_cast<const char*>(found);
}

// Returns how often a character occurs. Counting 240 bytes in a byte takes a fraction of the time of std::count.
inline std::int64_t count_byte(std::string_view text, char c) {
  constexpr std::size_t width = 240;
  std::int64_t sum = 0;
  for (std::size_t begin = 0; begin < text.size(); begin += width) {
    std::uint8_t n = 0;
    for (const char other : text.substr(begin, width)) n = static_cast<std::uint8_t>(n + (other == c));
    sum += n;
  }
  return sum;
}

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }  // the blanks of C, among them the line feed

// Returns the first bytes of a text in quotes for a message, with control characters as escapes.
inline std::string quoted(std::string_view text) {
  if (text.empty()) return "nothing";
  constexpr std::size_t longest = 40;
  std::size_t size = std::min(text.size(), longest);
  if (size < text.size())
    while (size > longest - 4 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;  // a whole character
  std::string out = "'";
  for (const char c : text.substr(0, size)) {
    const auto byte = static_cast<unsigned char>(c);
    constexpr const char* hex = "0123456789abcdef";
    if (byte < 0x20 || byte == 0x7f) out.append("\\x").append({hex[byte >> 4], hex[byte & 15]});
    else out += c;
  }
  return out.append(size < text.size() ? "'..." : "'");
}

// Throws the error of a line that cannot be skipped.
[[noreturn]] inline void refuse(std::int64_t line, std::string fault) {
  throw RowError({line, line, std::move(fault)}, false);
}

// Reads text in blocks of whole lines. The memory grows with the longest line.
class LineBlocks {
 public:
  LineBlocks(TableReader::Read read, std::int64_t block_bytes) : read_(std::move(read)), wanted_(block_bytes) {}

  // Returns the next whole lines, or an empty text at the end. The last line ends with a line feed even if the content does
  // not. At least `padding` more bytes are readable. The text stays valid until the next call. `line` is the number of the
  // next line, for errors.
  std::string_view next(std::int64_t line) {
    std::int64_t searched = size_ - at_;  // the end of the last block, a part of a line
    if (std::exchange(is_ahead_, false)) {
      if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
      std::swap(now_, ahead_);
    } else {
      std::memmove(now_.bytes.get(), now_.bytes.get() + at_, at(searched));
    }
    size_ = std::max(searched, std::exchange(n_ahead_, 0));
    at_ = 0;
    for (std::int64_t wanted = std::max(wanted_, searched + 1);; wanted = 2 * size_) {
      size_ = fill(now_, size_, wanted);
      const char* const text = now_.bytes.get();
      for (std::int64_t end = size_; end > searched; --end)
        if (text[end - 1] == '\n') return upto(end);
      if (at_end_) {
        if (size_ == 0) return {};
        now_.bytes[size_++] = '\n';  // `fill` left room for this byte
        return upto(size_);
      }
      if (size_ >= longest_line) refuse(line, "the line is longer than 2 GiB; lines must end with line feeds");
      searched = size_;
    }
  }

  // Reads the text after the present block into other memory, while other threads parse the block. An error is thrown by the
  // next call of next(), after all errors of the block.
  void read_ahead() {
    if (at_end_) return;
    is_ahead_ = true;
    const std::int64_t begun = size_ - at_;
    try {
      ahead_.reserve(0, std::max(wanted_, begun + 1));
      std::memcpy(ahead_.bytes.get(), now_.bytes.get() + at_, at(begun));
      n_ahead_ = fill(ahead_, begun, std::max(wanted_, begun + 1));
    } catch (...) {
      error_ = std::current_exception();
    }
  }

 private:
  static constexpr std::int64_t padding = 64, longest_line = (std::int64_t{1} << 31) - 2;

  struct Bytes {
    // Makes room for `wanted` bytes, one line feed and the padding, and keeps the first `size` bytes.
    void reserve(std::int64_t size, std::int64_t wanted) {
      if (room >= wanted) return;
      auto larger = LargeArray<char>::uninitialised(wanted + 1 + padding);
      std::memcpy(larger.get(), bytes.get(), at(size));
      bytes = std::move(larger);
      room = wanted;
    }

    LargeArray<char> bytes = LargeArray<char>::uninitialised(padding + 1);
    std::int64_t room = 0;
  };

  std::string_view upto(std::int64_t end) {
    at_ = end;
    std::memset(now_.bytes.get() + size_, '\n', padding);
    return {now_.bytes.get(), at(end)};
  }

  // Reads more bytes after the first `size` until there are `wanted` or until the end, and returns how many there are.
  std::int64_t fill(Bytes& to, std::int64_t size, std::int64_t wanted) {
    if (at_start_) {
      at_start_ = false;
      constexpr std::int64_t mark_bytes = 3;  // the size of a UTF-8 byte order mark, which is left out
      size = fill(to, size, mark_bytes);
      if (size == mark_bytes && std::memcmp(to.bytes.get(), "\xef\xbb\xbf", mark_bytes) == 0) size = 0;
    }
    to.reserve(size, wanted);
    while (size < wanted && !at_end_) {
      const std::int64_t n = read_(reinterpret_cast<std::uint8_t*>(to.bytes.get() + size), wanted - size);
      if (n < 0 || n > wanted - size) throw std::runtime_error("a file returned more bytes than were asked for");
      at_end_ = n == 0;
      size += n;
    }
    return size;
  }

  TableReader::Read read_;
  std::int64_t wanted_;
  Bytes now_, ahead_;
  std::int64_t size_ = 0, at_ = 0;  // the size of the content, and where the next block begins
  bool at_start_ = true, at_end_ = false;
  bool is_ahead_ = false;           // whether `ahead_` holds the next bytes, or there is an error
  std::int64_t n_ahead_ = 0;        // how many
  std::exception_ptr error_;
};

// Whole lines that one thread parses.
struct TextPiece {
  std::string_view text;
  std::int64_t n_lines = 0;
  std::int64_t line = 0;  // the number of the first line
};

// Cuts a block into pieces of a class derived from TextPiece, whose lines are numbered from `line`. Calls measure(piece) for
// each, on any thread.
template <class Piece, class Measure>
std::vector<Piece> cut_lines(std::string_view block, std::int64_t piece_bytes, std::int64_t line, const Threads& threads,
                             const Measure& measure) {
  std::vector<Piece> pieces;
  const char* const end = block.data() + block.size();
  for (const char *p = block.data(), *stop; p != end; p = stop) {
    stop = end - p <= piece_bytes ? end : find_byte(p + piece_bytes - 1, end, '\n') + 1;
    pieces.emplace_back().text = {p, stop};
  }
  for_each_block(std::ssize(pieces), threads, [&](std::int64_t i, Worker&) {
    Piece& piece = pieces[at(i)];
    piece.n_lines = count_byte(piece.text, '\n');
    measure(piece);
  });
  for (Piece& piece : pieces) piece.line = std::exchange(line, line + piece.n_lines);
  return pieces;
}

// Calls parse(piece, worker), which returns whether every line is right, for each piece. Returns the position of the first
// piece with a wrong line, or the number of pieces. Pieces after a wrong one may be left out. If there are several threads,
// one of them first reads the bytes after the block, because nothing is faster on two threads if only one can read.
template <class Piece, class Parse>
std::size_t parse_pieces(std::vector<Piece>& pieces, LineBlocks& blocks, const Threads& threads, const Parse& parse) {
  std::atomic<std::int64_t> failed{std::ssize(pieces)};
  const std::int64_t n_ahead = threads.count > 1 ? 1 : 0;
  for_each_block(std::ssize(pieces) + n_ahead, threads, [&](std::int64_t block, Worker& worker) {
    if (block < n_ahead) return blocks.read_ahead();
    const std::int64_t i = block - n_ahead;
    if (i > failed) return;
    worker.check();
    if (parse(pieces[at(i)], worker)) return;
    // Do not throw here: another thread may still find a wrong line in an earlier piece.
    for (std::int64_t lowest = failed; i < lowest && !failed.compare_exchange_weak(lowest, i);) {
    }
  });
  return at(failed.load());
}

}  // namespace termsift

// Reads a document in any encoding piece by piece, and writes it as normalised UTF-8.
#pragma once

#include <cstdint>

#include "termsift/texts.hpp"
#include "text/character_map.hpp"
#include "text/scan_kernels.hpp"

namespace termsift {

// Owns text that grows at its end.
class NormalText {
 public:
  std::uint8_t* bytes() const { return all_.bytes; }
  std::uint64_t* marks() const { return all_.marks; }
  std::int64_t size() const { return all_.size; }
  std::int64_t room() const { return room_; }
  MarkedBytes& all() { return all_; }  // callers may append to it

  void clear();  // frees the memory of an unusually long text
  // Makes room for n further bytes, and for the 128 bytes that a loop may write after them.
  void reserve(std::int64_t n);
  // Adds n bytes after they and their marks have been written. Both n and size() must be multiples of 64.
  void append_blocks(std::int64_t n) { marks()[(all_.size += n) / 64] = 0; }
  // Adds one or more unmarked bytes, so that the size becomes a multiple of 64.
  void align();
  // Removes the bytes before `begin`. All bytes from `begin` on must be marked. Inserts unmarked bytes at the start to make
  // the size a multiple of 64, and returns the number of inserted bytes.
  std::int64_t keep_marked(std::int64_t begin);

 private:
  LargeArray<std::uint8_t> bytes_;
  LargeArray<std::uint64_t> marks_;
  MarkedBytes all_;
  std::int64_t room_ = 0;
};

class Normaliser {
 public:
  // Marks white space if marks_spaces is true, and otherwise the characters of words.
  Normaliser(const TextRules& rules, bool marks_spaces)
      : map_(CharacterMap::of(rules.lowercase, rules.strip_accents)),
        rules_{map_.entries(), static_cast<std::uint8_t>(rules.lowercase ? 0x20 : 0), marks_spaces} {}

  // Starts on a document. `document` is its number for error messages.
  void open(const Text& text, std::int64_t document);
  // Appends about the next `n` units of the document, or fewer at its end.
  void read(std::int64_t n, NormalText& out);
  bool at_end() const { return at_ == text_.length; }
  bool ascii() const { return ascii_; }  // whether the document is ASCII so far

 private:
  // Reads blocks of 64 ASCII bytes, if the text so far ends at a multiple of 64.
  void read_ascii(std::int64_t limit, NormalText& out);
  void read_utf8(std::int64_t limit, NormalText& out);
  template <class Unit>
  void read_units(ReadUnits<Unit> kernel, std::int64_t limit, NormalText& out);
  template <class Encoding>
  void read_some(std::int64_t n, std::int64_t limit, NormalText& out);
  template <class Encoding>
  void read_one(std::int64_t limit, NormalText& out);
  template <class Encoding>
  bool sigma_is_final() const;
  [[noreturn]] void refuse() const;

  const CharacterMap& map_;
  ScanRules rules_;
  Text text_;
  std::int64_t document_ = 0, at_ = 0;
  bool ascii_ = true;
};

}  // namespace termsift

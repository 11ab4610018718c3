// A document in any encoding, read piece by piece into lowercase UTF-8.
#pragma once

#include <cstdint>

#include "termsift/texts.hpp"
#include "text/character_map.hpp"

namespace termsift {

// Text that grows at its end, with one bit for each byte. The bits after the last byte, to the end of their word, are zero.
class NormalText {
 public:
  std::uint8_t* bytes() const { return bytes_.get(); }
  std::uint64_t* marks() const { return marks_.get(); }
  std::int64_t size() const { return size_; }

  void clear() {
    reserve(64);
    size_ = 0;
    marks_[0] = 0;
  }
  // Makes room for n further bytes, and for 128 that a loop may write beyond them.
  void reserve(std::int64_t n);
  // Adds `n` bytes, which have been written behind the last.
  void append(std::int64_t n, std::uint64_t marks) {  // n <= 64
    const std::int64_t word = size_ / 64, bit = size_ % 64;
    marks_[word] |= marks << bit;
    if (bit + n >= 64) marks_[word + 1] = bit == 0 ? 0 : marks >> (64 - bit);
    size_ += n;
  }
  // Adds n bytes of which the marks have been written too. Both n and size() are multiples of 64.
  void append_blocks(std::int64_t n) { marks_[(size_ += n) / 64] = 0; }
  // Adds bytes without marks, at least one, up to a multiple of 64.
  void align();
  // Removes the bytes before `begin`; all others must be marked. Puts unmarked bytes before them, so that the size is a
  // multiple of 64, and returns how many.
  std::int64_t keep_marked(std::int64_t begin);

 private:
  LargeArray<std::uint8_t> bytes_;
  LargeArray<std::uint64_t> marks_;
  std::int64_t size_ = 0, room_ = 0;
};

class Normaliser {
 public:
  // Marks the characters of words, or white space.
  Normaliser(const TextRules& rules, bool marks_spaces)
      : map_(CharacterMap::of(rules.lowercase, rules.strip_accents)),
        marks_spaces_(marks_spaces),
        case_bit_(rules.lowercase ? 0x20 : 0) {}

  // Begins with a document. Its number is for messages.
  void open(const Text& text, std::int64_t document);
  // Appends the next `n` units of the document, or a few more, or those that are left.
  void read(std::int64_t n, NormalText& out);
  bool at_end() const { return at_ == text_.length; }
  bool ascii() const { return ascii_; }  // whether the document is ASCII as far as it was read

 private:
  // Reads blocks of 64 bytes up to one that is not ASCII, if the text so far ends with such a block.
  void read_ascii(std::int64_t limit, NormalText& out);
  void read_utf8(std::int64_t limit, NormalText& out);
  template <class Unit>
  void read_units(std::int64_t limit, NormalText& out);
  template <class Encoding>
  void read_one(std::int64_t limit, NormalText& out);
  template <class Encoding>
  bool sigma_is_final() const;
  [[noreturn]] void refuse() const;

  const CharacterMap& map_;
  bool marks_spaces_;
  std::uint8_t case_bit_;
  Text text_;
  std::int64_t document_ = 0, at_ = 0;
  bool ascii_ = true;
};

}  // namespace termsift

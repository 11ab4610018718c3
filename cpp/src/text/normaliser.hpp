// Reads a document in any encoding piece by piece, and writes the replacement of each character as UTF-8.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "termsift/characters.hpp"
#include "termsift/large_memory.hpp"
#include "termsift/text_rules.hpp"
#include "termsift/texts.hpp"
#include "text/composer.hpp"
#include "text/text_kernels.hpp"

namespace termsift {

inline constexpr char32_t capital_sigma = 0x3a3, small_sigma = 0x3c3, final_sigma = 0x3c2;

// The bytes that replace a character (at most four), the number of these bytes and their marks. One 64-bit word holds all of
// a Mapped, so that a thread reads it atomically. The word is zero until the character is looked up.
class Mapped {
 public:
  Mapped() = default;
  explicit Mapped(std::uint64_t all) : bits(all) {}
  // Returns whether bytes() is the whole replacement of the character. Returns false if the character has not been looked
  // up, or if several characters replace it (see CharacterMap::Expansion). The lowercase form of a capital sigma depends on
  // its neighbours, so bytes() may have to be replaced by a final sigma (see ScanRules::sigmas).
  bool simple() const { return (bits >> 56) != 0; }
  std::uint32_t bytes() const { return static_cast<std::uint32_t>(bits); }
  int length() const { return static_cast<int>(bits >> 32 & 0xff); }
  // Returns one set bit per byte if the replacement is a word character (with `spaces`: white space), and otherwise 0.
  std::uint64_t marks(bool spaces) const { return bits >> (spaces ? 52 : 48) & 0xf; }

  // Kernels read the bits themselves. Bits 40 to 47 hold the number of bytes of the replacement if the character has as many
  // bytes, and otherwise 0. They also hold 0 for a lone surrogate.
  std::uint64_t bits = 0;
};

// The replacements of all characters (lowercase, without accents, or both). A thread adds each new character that it meets.
class CharacterMap {
 public:
  struct Expansion {
    std::uint64_t words = 0, spaces = 0;  // one bit per byte: `words` marks word characters, `spaces` marks white space
    std::uint8_t length = 0;
    std::uint8_t bytes[64] = {};
  };

  static const CharacterMap& of(bool lowercase, StripAccents strip_accents);

  // Precondition: c < n_code_points.
  Mapped operator[](char32_t c) const { return Mapped(mapped_[c].load(std::memory_order_relaxed)); }
  // Returns the array that operator[] reads. An element of the array is the `bits` of a Mapped.
  const MappedEntry* entries() const { return mapped_.get(); }
  // Like operator[], but first looks the character up if the map does not have it yet.
  Mapped find(char32_t c) const;
  // Returns the bytes that replace c. Precondition: find(c) is not simple.
  const Expansion& expansion(char32_t c) const;

  bool lowercase() const { return lowercase_; }

 private:
  CharacterMap(bool lowercase, StripAccents strip_accents);
  // Returns the only map of these rules. A map reserves 18 MB of addresses, so it is made when it is first used.
  template <bool lowercase, StripAccents strip_accents>
  static const CharacterMap& only();
  std::u32string written(char32_t c) const;

  bool lowercase_;
  StripAccents strip_accents_;
  // One entry for every code point. Only code points that occur take memory.
  LargeArray<MappedEntry> mapped_;
  LargeArray<std::atomic<const Expansion*>> expansions_;
};

// Owns the bytes of a text and their marks. New bytes are appended.
class NormalText {
 public:
  std::uint8_t* bytes() const { return all_.bytes; }
  std::uint64_t* marks() const { return all_.marks; }
  std::int64_t size() const { return all_.size; }
  std::int64_t room() const { return room_; }
  MarkedBytes& all() { return all_; }  // callers may append to the result

  void clear();  // removes all text; if it was unusually long, also frees its memory
  // Makes room for n further bytes, and for the 128 bytes that a loop may write after them.
  void reserve(std::int64_t n);
  // Adds one or more unmarked bytes, the first of them a zero, so that the size becomes a multiple of 64.
  void align();
  // Removes the bytes before `begin`. All bytes from `begin` on must be marked. Inserts unmarked bytes at the start to make
  // the size a multiple of 64, and returns the number of inserted bytes.
  std::int64_t keep_marked(std::int64_t begin);
  // Keeps only the bytes [begin, end), without their marks.
  void keep_unmarked(std::int64_t begin, std::int64_t end);

 private:
  LargeArray<std::uint8_t> bytes_;
  LargeArray<std::uint64_t> marks_;
  MarkedBytes all_;
  std::int64_t room_ = 0;
};

class Normaliser {
 public:
  // Marks white space if marks_spaces is true, and otherwise word characters.
  Normaliser(const TextRules& rules, bool marks_spaces)
      : map_(CharacterMap::of(rules.lowercase, rules.strip_accents)),
        rules_{map_.entries(), static_cast<std::uint8_t>(rules.lowercase ? 0x20 : 0), marks_spaces,
               rules.lowercase && rules.strip_accents != StripAccents::ascii},  // ASCII has no sigma
        form_(rules.normalize) {
    if (form_ != NormalForm::none) composer_ = std::make_unique<Composer>(form_);
  }

  // Starts on a document. `document` is the document's number in error messages.
  void open(const Text& text, std::int64_t document);
  // Appends the next `n` or so code units of the document, or fewer at the end of the document.
  void read(std::int64_t n, NormalText& out);
  bool at_end() const { return at_ == text_.length && part_end_ == whole_.length; }
  bool ascii() const { return ascii_; }  // whether all characters read so far are ASCII

 private:
  void read_utf8(std::int64_t limit, NormalText& out);
  template <class Unit>
  void read_units(ReadUnits<Unit> kernel, std::int64_t limit, NormalText& out);
  template <class Encoding>
  void read_some(std::int64_t n, std::int64_t limit, NormalText& out);
  template <class Encoding>
  void read_one(std::int64_t limit, NormalText& out);
  template <class Encoding>
  bool sigma_is_final(std::int64_t at) const;
  template <class Encoding>
  bool set_final_sigmas(NormalText& out) const;
  // Makes text_ the next part of the document in the normal form. A part ends before a character that separates the parts:
  // neither normalisation nor the rule for final sigmas looks beyond it.
  void normalise_part();
  template <class Encoding>
  void normalise_part();
  template <class Encoding>
  std::int64_t next_separator(std::int64_t at) const;
  // Refuses the character at `at` in text_.
  [[noreturn]] void refuse(std::int64_t at) const;

  const CharacterMap& map_;
  ScanRules rules_;
  NormalForm form_;
  std::unique_ptr<Composer> composer_;  // null if texts are not normalised
  Text whole_;  // the document
  Text text_;   // the document, or its current part in the normal form
  std::int64_t document_ = 0, at_ = 0;
  std::int64_t part_ = 0, part_end_ = 0;  // the bounds of the current part in the document
  bool ascii_ = true;
};

}  // namespace termsift

// How each character is written in the text from which tokens are cut.
#pragma once

#include <atomic>
#include <cstdint>

#include "termsift/characters.hpp"
#include "termsift/large_memory.hpp"
#include "termsift/text_rules.hpp"
#include "termsift/utf8.hpp"
#include "text/marked_bytes.hpp"

namespace termsift {

inline constexpr char32_t capital_sigma = 0x3a3, small_sigma = 0x3c3, final_sigma = 0x3c2;

// The bytes that replace a character, at most four, with their number and marks, in one word: no thread reads half of it.
// Zero if the character has not been looked up yet.
class Mapped {
 public:
  Mapped() = default;
  explicit Mapped(std::uint64_t all) : bits(all) {}
  // Whether this is the whole replacement. It is not for a character that becomes several (see CharacterMap::Expansion), nor
  // for the capital sigma: its lowercase depends on its neighbours.
  bool simple() const { return (bits >> 56) != 0; }
  std::uint32_t bytes() const { return static_cast<std::uint32_t>(bits); }
  int length() const { return static_cast<int>(bits >> 32 & 0xff); }
  // The number of bytes if replacement keeps it, else zero. Zero for lone surrogates.
  int length_in_place() const { return static_cast<int>(bits >> 40 & 0xff); }
  // One bit for each byte of a word character or, with `spaces`, of white space; else zero.
  std::uint64_t marks(bool spaces) const { return bits >> (spaces ? 52 : 48) & 0xf; }

  std::uint64_t bits = 0;
};

// The replacement of every character: its lowercase, without accents, or both. Any thread fills it as characters occur.
class CharacterMap {
 public:
  struct Expansion {
    std::uint64_t words = 0, spaces = 0;  // a bit for each byte
    std::uint8_t length = 0;
    std::uint8_t bytes[64] = {};
  };

  static const CharacterMap& of(bool lowercase, StripAccents strip_accents);

  // c < n_code_points.
  Mapped operator[](char32_t c) const { return Mapped(mapped_[c].load(std::memory_order_relaxed)); }
  // The array that operator[] reads: the bits of Mapped.
  const MappedEntry* entries() const { return mapped_.get(); }
  // Like operator[], but the character may be new.
  Mapped find(char32_t c) const;
  // Returns the bytes that replace a character that is not simple, other than the capital sigma.
  const Expansion& expansion(char32_t c) const;

  bool lowercase() const { return lowercase_; }

 private:
  CharacterMap(bool lowercase, StripAccents strip_accents);
  std::u32string written(char32_t c) const;

  bool lowercase_;
  StripAccents strip_accents_;
  // One entry for every code point. Only code points that occur take memory.
  LargeArray<MappedEntry> mapped_;
  LargeArray<std::atomic<const Expansion*>> expansions_;
};

Casing casing(char32_t c);

}  // namespace termsift

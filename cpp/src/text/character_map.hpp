// Maps each character of a text to its replacement. Tokens are cut from the replacements.
#pragma once

#include <atomic>
#include <cstdint>

#include "termsift/characters.hpp"
#include "termsift/large_memory.hpp"
#include "termsift/text_rules.hpp"
#include "text/scan_kernels.hpp"

namespace termsift {

inline constexpr char32_t capital_sigma = 0x3a3, small_sigma = 0x3c3, final_sigma = 0x3c2;

// The bytes that replace a character (at most four), their number and their marks. All three are packed into one 64-bit
// word, so that a thread reads them atomically. The word is zero if the character has not been looked up yet.
class Mapped {
 public:
  Mapped() = default;
  explicit Mapped(std::uint64_t all) : bits(all) {}
  // Returns whether these bytes are the whole replacement. Returns false if the character has not been looked up yet, or
  // becomes several characters (see CharacterMap::Expansion). Also returns false for a capital sigma to be lowercased,
  // because the lowercase form of a sigma depends on its neighbours.
  bool simple() const { return (bits >> 56) != 0; }
  std::uint32_t bytes() const { return static_cast<std::uint32_t>(bits); }
  int length() const { return static_cast<int>(bits >> 32 & 0xff); }
  // If the character and its replacement have the same number of bytes, returns this number. Otherwise, and for a lone
  // surrogate, returns 0.
  int length_in_place() const { return static_cast<int>(bits >> 40 & 0xff); }
  // Returns one set bit per byte if the replacement is a word character, and otherwise 0. If `spaces`, tests for white space
  // instead.
  std::uint64_t marks(bool spaces) const { return bits >> (spaces ? 52 : 48) & 0xf; }

  std::uint64_t bits = 0;
};

// The replacements of all characters (lowercase, without accents, or both). Threads add characters when they first occur.
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
  // The array that operator[] reads. Its elements are the bits of Mapped.
  const MappedEntry* entries() const { return mapped_.get(); }
  // Like operator[], but first looks the character up if the map does not have it yet.
  Mapped find(char32_t c) const;
  // Returns the bytes that replace c. Precondition: find(c) is not simple, and c is not a capital sigma.
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

// Properties of characters, from the language that calls the core. The core has no Unicode tables of its own, so it cuts
// words as the running Python would.
#pragma once

#include <cstdint>
#include <string>

namespace termsift {

struct Character {
  char32_t lower;  // its lowercase, if that is one character
  bool word;       // a letter, a digit or "_", as `\w`
  bool space;      // white space, as `\s`
};

// Which characters decide whether a capital sigma is final.
enum class Casing : std::uint8_t { unknown, none, cased, ignorable };
inline constexpr char32_t n_casings_at_once = 64;

// Any thread may call these functions, even several at once. They must always give the same answers.
struct CharacterSource {
  Character (*character)(char32_t c) = nullptr;
  // Writes the casings of n_casings_at_once characters, from `first` on.
  void (*casings)(char32_t first, Casing* casings) = nullptr;
  // Returns the compatibility decomposition (NFKD) without combining characters.
  std::u32string (*without_accents)(char32_t c) = nullptr;
};

// Must be called before any text is cut.
void use_characters(const CharacterSource& source);

}  // namespace termsift

// Properties of characters, from the Unicode tables of the running Python, so the core and Python cut the same words.
#pragma once

#include <cstdint>
#include <string>

namespace termsift {

struct Character {
  char32_t lower;  // the lowercase form, if it is one character
  bool word;       // whether `\w` matches the character: a letter, a digit or "_"
  bool space;      // whether `\s` matches the character: white space
};

// The role of a character in the rule that decides whether a capital sigma is final.
enum class Casing : std::uint8_t { unknown, none, cased, ignorable };
inline constexpr char32_t n_casings_at_once = 64;

// Several threads may call the functions of a CharacterSource at once. Each function must always return the same result for
// the same character.
struct CharacterSource {
  Character (*character)(char32_t c) = nullptr;
  // Writes the casings of n_casings_at_once characters, from `first` on.
  void (*casings)(char32_t first, Casing* casings) = nullptr;
  // Returns the compatibility decomposition (NFKD) of c without combining characters.
  std::u32string (*without_accents)(char32_t c) = nullptr;
};

// use_characters() must be called before any text is cut into terms.
void use_characters(const CharacterSource& source);

}  // namespace termsift

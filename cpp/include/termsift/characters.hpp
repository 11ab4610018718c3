// Properties of characters, from the Unicode tables of the running Python, so the core and Python cut the same words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace termsift {

struct Character {
  char32_t lower;  // the lowercase form, if it is one character
  bool word;       // whether `\w` matches the character: a letter, a digit or "_"
  bool space;      // whether `\s` matches the character: white space
};

// The role of a character in the rule that decides whether a capital sigma is final.
enum class Casing : std::uint8_t { unknown, none, cased, ignorable };
inline constexpr char32_t n_characters_at_once = 64;

// The role of a character in the order of combining marks, and in words.
struct Mark {
  std::uint8_t combining_class;  // the canonical combining class; 0 for all characters that keep their place
  bool combines;                 // whether the character is a combining mark (of the category Mn, Mc or Me)
};

// Two characters that normalisation replaces by one.
struct Composition {
  char32_t first, second, whole;
};

// Several threads may call the functions of a CharacterSource at once. Each function must always return the same result for
// the same character.
struct CharacterSource {
  Character (*character)(char32_t c) = nullptr;
  // Writes the casings of n_characters_at_once characters, from `first` on.
  void (*casings)(char32_t first, Casing* casings) = nullptr;
  // Writes the marks of n_characters_at_once characters, from `first` on.
  void (*marks)(char32_t first, Mark* marks) = nullptr;
  // Returns the compatibility decomposition (NFKD) of c without combining characters.
  std::u32string (*without_accents)(char32_t c) = nullptr;
  // Returns the canonical decomposition (NFD) of c, or its compatibility decomposition (NFKD).
  std::u32string (*decomposed)(char32_t c, bool compatibly) = nullptr;
  // Returns all canonical compositions but those of Hangul, which follow from a formula.
  std::vector<Composition> (*compositions)() = nullptr;
};

// use_characters() must be called before any text is cut into terms.
void use_characters(const CharacterSource& source);

}  // namespace termsift

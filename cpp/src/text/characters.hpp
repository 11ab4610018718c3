// Looks characters up in the tables of the CharacterSource, and keeps what it has found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "termsift/characters.hpp"

namespace termsift {

Character character(char32_t c);
Casing casing(char32_t c);
// Returns the canonical combining class of a character.
std::uint8_t combining_class(char32_t c);
// Returns whether a character is a combining mark.
bool is_mark(char32_t c);
// Returns whether a valid text of UTF-8, or the zero that ends a text, begins with a combining mark.
bool begins_with_mark(const std::uint8_t* text);

// The following results are not kept.
std::u32string without_accents(char32_t c);
std::u32string decomposed(char32_t c, bool compatibly);
std::vector<Composition> compositions();

}  // namespace termsift

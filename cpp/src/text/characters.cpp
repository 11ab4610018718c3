#include "text/characters.hpp"

#include <atomic>
#include <stdexcept>

#include "termsift/large_memory.hpp"
#include "termsift/utf8.hpp"

namespace termsift {
namespace {

CharacterSource& source() {
  static CharacterSource installed;
  return installed;
}

}  // namespace

void use_characters(const CharacterSource& installed) { source() = installed; }

Character character(char32_t c) {
  if (source().character == nullptr) throw std::logic_error("use_characters must be called before a text is cut");
  return source().character(c);
}

Casing casing(char32_t c) {
  static const auto& casings = *new auto(LargeArray<std::atomic<Casing>>::zeroed_for_few(n_code_points));
  if (const Casing known = casings[c].load(std::memory_order_relaxed); known != Casing::unknown) return known;
  const char32_t first = c / n_characters_at_once * n_characters_at_once;
  Casing found[n_characters_at_once];
  source().casings(first, found);
  for (char32_t i = 0; i < n_characters_at_once; ++i) casings[first + i].store(found[i], std::memory_order_relaxed);
  return found[c - first];
}

namespace {

// Returns the mark of a character: its combining class, and above it a bit that is set if the character combines.
std::uint32_t mark(char32_t c) {
  constexpr std::uint32_t combines = 0x100, known = 0x200;
  static const auto& marks = *new auto(LargeArray<std::atomic<std::uint16_t>>::zeroed_for_few(n_code_points));
  if (const std::uint32_t mark = marks[c].load(std::memory_order_relaxed); mark != 0) return mark;
  const char32_t first = c / n_characters_at_once * n_characters_at_once;
  Mark found[n_characters_at_once];
  source().marks(first, found);
  for (char32_t i = 0; i < n_characters_at_once; ++i) {
    const std::uint32_t all = found[i].combining_class | (found[i].combines ? combines : 0) | known;
    marks[first + i].store(static_cast<std::uint16_t>(all), std::memory_order_relaxed);
  }
  return marks[c].load(std::memory_order_relaxed);
}

}  // namespace

std::uint8_t combining_class(char32_t c) { return static_cast<std::uint8_t>(mark(c)); }
bool is_mark(char32_t c) { return (mark(c) & 0x100) != 0; }
bool begins_with_mark(const std::uint8_t* text) {
  if (text[0] < 0xcc) return false;  // a character below U+0300, so no mark
  const int n_bytes = utf8_length(text[0]);
  char32_t c = text[0] & (0x7fu >> n_bytes);
  for (int i = 1; i < n_bytes; ++i) c = c << 6 | (text[i] & 0x3fu);
  return is_mark(c);
}
std::u32string without_accents(char32_t c) { return source().without_accents(c); }
std::u32string decomposed(char32_t c, bool compatibly) { return source().decomposed(c, compatibly); }
std::vector<Composition> compositions() { return source().compositions(); }

}  // namespace termsift

#include "text/normaliser.hpp"

#include <array>
#include <memory>
#include <stdexcept>

namespace termsift {
namespace {

// Characters are looked up in groups, because the characters of a script have neighbouring code points.
constexpr char32_t group = 64;

CharacterSource& source() {
  static CharacterSource installed;
  return installed;
}

Character character(char32_t c) {
  if (source().character == nullptr) throw std::logic_error("use_characters must be called before a text is cut");
  return source().character(c);
}

std::uint64_t ones(int n) { return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }

}  // namespace

void use_characters(const CharacterSource& installed) { source() = installed; }

CharacterMap::CharacterMap(bool lowercase, StripAccents strip_accents)
    : lowercase_(lowercase),
      strip_accents_(strip_accents),
      mapped_(LargeArray<MappedEntry>::zeroed_for_few(n_code_points)),
      expansions_(LargeArray<std::atomic<const Expansion*>>::zeroed_for_few(n_code_points)) {}

const CharacterMap& CharacterMap::of(bool lowercase, StripAccents strip_accents) {
  using enum StripAccents;
  // The maps are never destroyed, because another thread may be cutting texts while the process exits.
  static const auto& maps = *new std::array<CharacterMap, 6>{
      CharacterMap(false, none),  CharacterMap(true, none),     CharacterMap(false, ascii),
      CharacterMap(true, ascii), CharacterMap(false, unicode), CharacterMap(true, unicode)};
  return maps[2 * static_cast<std::size_t>(strip_accents) + lowercase];
}

std::u32string CharacterMap::written(char32_t c) const {
  std::u32string lower(1, c);
  // U+0130, a capital I with a dot, is the only character whose lowercase form has two characters.
  if (lowercase_) lower = c == 0x130 ? std::u32string{U'i', 0x307} : std::u32string(1, character(c).lower);
  if (strip_accents_ == StripAccents::none || c < 0x80) return lower;
  std::u32string stripped;
  for (const char32_t l : lower)
    for (const char32_t part : source().without_accents(l))
      if (strip_accents_ == StripAccents::unicode || part < 0x80) stripped += part;
  return stripped;
}

Mapped CharacterMap::find(char32_t c) const {
  if (const Mapped known = (*this)[c]; known.bits != 0) return known;
  const char32_t first = c / group * group;
  for (char32_t each = first; each < first + group; ++each) {
    constexpr std::uint64_t simple = std::uint64_t{1} << 56, several = std::uint64_t{1} << 48;
    const std::u32string text = written(each);
    std::uint64_t bits = simple;
    if (text.size() > 1 || (lowercase_ && each == capital_sigma)) {
      bits = several;
    } else if (text.size() == 1) {
      std::uint8_t before[4], after[4];
      const int length = write_utf8(text[0], after);
      for (int i = 0; i < length; ++i) bits |= std::uint64_t{after[i]} << 8 * i;
      bits |= static_cast<std::uint64_t>(length) << 32;
      const bool surrogate = each >= 0xd800 && each < 0xe000;
      if (write_utf8(each, before) == length && !surrogate) bits |= static_cast<std::uint64_t>(length) << 40;
      const Character facts = character(text[0]);
      if (facts.word) bits |= ones(length) << 48;
      if (facts.space) bits |= ones(length) << 52;
    }
    mapped_[each].store(bits, std::memory_order_relaxed);
  }
  return (*this)[c];
}

const CharacterMap::Expansion& CharacterMap::expansion(char32_t c) const {
  if (const Expansion* known = expansions_[c].load(std::memory_order_acquire)) return *known;
  auto made = std::make_unique<Expansion>();
  for (const char32_t part : written(c)) {
    if (made->length + 4 > 64) throw std::length_error("a character decomposes into more than 60 bytes");
    const int length = write_utf8(part, made->bytes + made->length);
    const Character facts = character(part);
    if (facts.word) made->words |= ones(length) << made->length;
    if (facts.space) made->spaces |= ones(length) << made->length;
    made->length = static_cast<std::uint8_t>(made->length + length);
  }
  // If another thread has already stored this expansion, `made` is freed. Stored expansions are never freed.
  const Expansion* stored = nullptr;
  if (expansions_[c].compare_exchange_strong(stored, made.get(), std::memory_order_acq_rel)) stored = made.release();
  return *stored;
}

Casing casing(char32_t c) {
  static const auto& casings = *new auto(LargeArray<std::atomic<Casing>>::zeroed_for_few(n_code_points));
  if (const Casing known = casings[c].load(std::memory_order_relaxed); known != Casing::unknown) return known;
  const char32_t first = c / n_casings_at_once * n_casings_at_once;
  Casing found[n_casings_at_once];
  source().casings(first, found);
  for (char32_t i = 0; i < n_casings_at_once; ++i) casings[first + i].store(found[i], std::memory_order_relaxed);
  return found[c - first];
}

}  // namespace termsift

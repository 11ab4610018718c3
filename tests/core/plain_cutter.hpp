// Splits texts in a plain loop over code points. A small table of characters replaces Python's table.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "check.hpp"
#include "termsift/characters.hpp"
#include "termsift/text_rules.hpp"
#include "text/cutter.hpp"
#include "text/normaliser.hpp"

namespace plain_cutter {

using namespace termsift;

inline bool in(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

// Returns the properties of a character from a small part of Unicode. This part has letters whose lower case takes fewer or
// more bytes in UTF-8, and digits of four bytes.
inline Character character(char32_t c) {
  Character facts{c, false, false};
  facts.space = in(c, 9, 13) || in(c, 28, 32) || c == 0x85 || c == 0xa0 || in(c, 0x2000, 0x200a) || c == 0x3000;
  const bool upper = in(c, 'A', 'Z') || (in(c, 0xc0, 0xde) && c != 0xd7) || in(c, 0x391, 0x3a9) || in(c, 0x410, 0x42f);
  if (upper) facts.lower = c + 32;
  if (c == 0x130) facts.lower = 'i';
  if (c == 0x212a) facts.lower = 'k';    // lower case takes one byte, not three
  if (c == 0x23a) facts.lower = 0x2c65;  // lower case takes three bytes, not two
  if (c == 0x2c62) facts.lower = 0x26b;  // lower case takes two bytes, not three
  if (in(c, 0x10400, 0x10427)) facts.lower = c + 40;
  facts.word = upper || facts.lower != c || in(c, 'a', 'z') || in(c, '0', '9') || c == '_' ||
               (in(c, 0xdf, 0xff) && c != 0xf7) ||
               in(c, 0x100, 0x2af) || in(c, 0x370, 0x3ff) || in(c, 0x430, 0x52f) || in(c, 0x1e00, 0x1fff) || c == 0x2c65 ||
               in(c, 0x4e00, 0x9fff) || in(c, 0xac00, 0xd7a3) || in(c, 0x10428, 0x1044f) || in(c, 0x1d7ce, 0x1d7ff);
  return facts;
}

inline Casing casing(char32_t c) {
  if (c == '\'' || c == '.' || c == 0xad || in(c, 0x300, 0x36f)) return Casing::ignorable;
  return character(c).word && !in(c, '0', '9') && c != '_' && c < 0x4e00 ? Casing::cased : Casing::none;
}

inline void casings(char32_t first, Casing* casings) {
  for (char32_t i = 0; i < n_characters_at_once; ++i) casings[i] = casing(first + i);
}

inline std::u32string without_accents(char32_t c) {
  static const std::map<char32_t, std::u32string> decompositions{
      {0xa0, U" "}, {0xa8, U" "}, {0xc9, U"E"}, {0xe0, U"a"}, {0xe9, U"e"}, {0xf1, U"n"}, {0xbd, U"1\u20442"},
      {0x2003, U" "}, {0x2115, U"N"}, {0xfb01, U"fi"}, {0xac00, U"\u1100\u1161"}, {0x301, U""}, {0x307, U""},
      {0xfdfa, U"صلى الله عليه وسلم"}, {0x3ac, U"α"}, {0x439, U"и"}};
  const auto found = decompositions.find(c);
  return found == decompositions.end() ? std::u32string(1, c) : found->second;
}

// A small part of Unicode's decompositions: accents of several classes, a singleton, an exclusion, a composition of three,
// two signs of class 0 that compose, compatibility characters, and letters of Hangul.
struct Decomposition {
  std::u32string parts;
  bool compatible = false;   // whether only NFKD has it
  bool is_excluded = false;  // whether the parts do not compose again
};

inline const std::map<char32_t, Decomposition>& decompositions() {
  static const std::map<char32_t, Decomposition> all{
      {0xa0, {U" ", true}}, {0xbd, {U"1\u20442", true}}, {0xc9, {U"E\u0301"}}, {0xe0, {U"a\u0300"}}, {0xe2, {U"a\u0302"}},
      {0xe9, {U"e\u0301"}}, {0xf1, {U"n\u0303"}}, {0x130, {U"I\u0307"}}, {0x1ea1, {U"a\u0323"}},
      {0x1ead, {U"\u1ea1\u0302"}}, {0x340, {U"\u0300", false, true}}, {0x344, {U"\u0308\u0301", false, true}},
      {0x3ac, {U"\u03b1\u0301"}}, {0x3d2, {U"\u03a5", true}}, {0x439, {U"\u0438\u0306"}}, {0x9cb, {U"\u09c7\u09be"}},
      {0x958, {U"\u0915\u093c", false, true}}, {0x212a, {U"K", false, true}}, {0x2115, {U"N", true}},
      {0x3f9, {U"\u03a3", true}}, {0xfb01, {U"fi", true}}, {0xff21, {U"A", true}}, {0x304c, {U"\u304b\u3099"}}};
  return all;
}

inline std::uint8_t combining_class(char32_t c) {
  if (c == 0x93c) return 7;
  if (c == 0x3099) return 8;
  if (c == 0x323) return 220;
  return in(c, 0x300, 0x344) ? 230 : 0;
}

inline void marks(char32_t first, Mark* marks) {
  for (char32_t i = 0; i < n_characters_at_once; ++i) {
    const char32_t c = first + i;
    marks[i] = {combining_class(c), combining_class(c) != 0 || c == 0x9c7 || c == 0x9be};
  }
}

inline std::u32string decomposed(char32_t c, bool compatibly) {
  if (in(c, 0xac00, 0xd7a3)) {
    const char32_t index = c - 0xac00;
    std::u32string letters{0x1100 + index / 588, 0x1161 + index % 588 / 28};
    if (index % 28 != 0) letters += 0x11a7 + index % 28;
    return letters;
  }
  const auto found = decompositions().find(c);
  if (found == decompositions().end() || (found->second.compatible && !compatibly)) return std::u32string(1, c);
  std::u32string parts;
  for (const char32_t part : found->second.parts) parts += decomposed(part, compatibly);
  return parts;
}

inline std::vector<Composition> compositions() {
  std::vector<Composition> found;
  for (const auto& [c, one] : decompositions())
    if (!one.compatible && !one.is_excluded) found.push_back({one.parts[0], one.parts[1], c});
  return found;
}

// Returns a text in a normal form, by the steps of the Unicode standard, each in a loop over the whole text.
inline std::u32string normal_form(const std::u32string& text, NormalForm form) {
  if (form == NormalForm::none) return text;
  static const std::vector<Composition> pairs = compositions();
  std::u32string parts, whole;
  for (const char32_t c : text) parts += decomposed(c, form == NormalForm::nfkc);
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t at = i; at > 0; --at) {
      if (combining_class(parts[at]) == 0 || combining_class(parts[at - 1]) <= combining_class(parts[at])) break;
      std::swap(parts[at - 1], parts[at]);
    }
  for (const char32_t c : parts) {
    std::size_t base = whole.size();
    while (base > 0 && combining_class(whole[base - 1]) != 0) --base;
    const bool is_blocked = base < whole.size() && combining_class(whole.back()) >= combining_class(c);
    char32_t joined = 0;
    if (base > 0 && !is_blocked) {
      const char32_t before = whole[base - 1];
      for (const Composition& one : pairs)
        if (one.first == before && one.second == c) joined = one.whole;
      if (in(before, 0x1100, 0x1112) && in(c, 0x1161, 0x1175)) joined = 0xac00 + (before - 0x1100) * 588 + (c - 0x1161) * 28;
      if (in(before, 0xac00, 0xd7a3) && (before - 0xac00) % 28 == 0 && in(c, 0x11a8, 0x11c2)) joined = before + c - 0x11a7;
    }
    if (joined != 0) whole[base - 1] = joined;
    else whole += c;
  }
  return whole;
}

inline void use_plain_characters() {
  use_characters({character, casings, marks, without_accents, decomposed, compositions});
}

inline std::string utf8(const std::u32string& text) {
  std::string out;
  for (const char32_t c : text) {
    std::uint8_t bytes[4];
    out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(write_utf8(c, bytes)));
  }
  return out;
}

inline bool sigma_is_final(const std::u32string& text, std::size_t at) {
  std::size_t before = at;
  while (before > 0 && casing(text[before - 1]) == Casing::ignorable) --before;
  if (before == 0 || casing(text[before - 1]) != Casing::cased) return false;
  std::size_t after = at + 1;
  while (after < text.size() && casing(text[after]) == Casing::ignorable) ++after;
  return after == text.size() || casing(text[after]) != Casing::cased;
}

inline std::u32string normal(const std::u32string& given, const TextRules& rules) {
  const std::u32string text = normal_form(given, rules.normalize);
  std::u32string lower;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    if (!rules.lowercase) lower += c;
    else if (c == 0x130) lower += U"i\u0307";
    else if (c == 0x3a3) lower += sigma_is_final(text, i) ? U'\x3c2' : U'\x3c3';
    else lower += character(c).lower;
  }
  if (rules.strip_accents == StripAccents::none) return lower;
  std::u32string stripped;
  for (const char32_t c : lower)
    for (const char32_t part : without_accents(c))
      if (part < 0x80 || rules.strip_accents == StripAccents::unicode) stripped += part;
  return stripped;
}

inline std::vector<std::u32string> words(const std::u32string& text) {
  std::vector<std::u32string> found(1);
  for (const char32_t c : text) {
    if (character(c).word) found.back() += c;
    else found.emplace_back();
  }
  std::erase_if(found, [](const std::u32string& word) { return word.size() < 2; });
  return found;
}

// Returns the same n-grams as scikit-learn's _char_ngrams.
inline std::vector<std::u32string> char_ngrams(const std::u32string& text, const TextRules& rules) {
  std::u32string squeezed;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && character(text[end]).space) ++end;
    if (end - i > 1) squeezed += U' ';
    else squeezed += text[i];
    i = end > i + 1 ? end : i + 1;
  }
  std::vector<std::u32string> found;
  for (auto n = static_cast<std::size_t>(rules.min_n); n <= static_cast<std::size_t>(rules.max_n); ++n)
    for (std::size_t i = 0; i + n <= squeezed.size(); ++i) found.push_back(squeezed.substr(i, n));
  return found;
}

// Returns the same n-grams as scikit-learn's _char_wb_ngrams.
inline std::vector<std::u32string> char_wb_ngrams(const std::u32string& text, const TextRules& rules) {
  std::vector<std::u32string> padded(1, U" "), found;
  for (const char32_t c : text) {
    if (!character(c).space) padded.back() += c;
    else if (padded.back() != U" ") padded.emplace_back(U" ");
  }
  if (padded.back() == U" ") padded.pop_back();
  for (std::u32string& word : padded) {
    word += U' ';
    for (auto n = static_cast<std::size_t>(rules.min_n); n <= static_cast<std::size_t>(rules.max_n); ++n) {
      std::size_t offset = 0;
      found.push_back(word.substr(0, n));
      while (offset + n < word.size()) found.push_back(word.substr(++offset, n));
      if (offset == 0) break;
    }
  }
  return found;
}

// Returns the tokens of a text, in any order.
inline std::vector<std::string> tokens_of(const std::u32string& text, const TextRules& rules) {
  const std::u32string whole = normal(text, rules);
  std::vector<std::string> found;
  for (const std::u32string& token : rules.analyzer == Analyzer::word    ? words(whole)
                                     : rules.analyzer == Analyzer::chars ? char_ngrams(whole, rules)
                                                                         : char_wb_ngrams(whole, rules))
    found.push_back(utf8(token));
  return found;
}

using Cut = std::vector<std::vector<std::string>>;  // the tokens of each document

// Encoded texts. The memory of each text ends with the text, so a sanitizer detects reads beyond the end.
class Encoded {
 public:
  void add(const std::u32string& text, TextEncoding encoding) {
    switch (encoding) {
      case TextEncoding::utf8: return hold(plain_cutter::utf8(text), encoding);
      case TextEncoding::latin1: return hold(std::basic_string<char>(text.begin(), text.end()), encoding);
      case TextEncoding::ucs2: return hold(std::u16string(text.begin(), text.end()), encoding);
      case TextEncoding::ucs4: return hold(text, encoding);
      case TextEncoding::tokens: break;  // these tests cut texts
    }
  }
  template <class Unit>
  void hold(const std::basic_string<Unit>& units, TextEncoding encoding) {
    const std::size_t bytes = units.size() * sizeof(Unit);
    memory_.emplace_back(new std::uint8_t[bytes]);
    std::memcpy(memory_.back().get(), units.data(), bytes);
    texts_.push_back({memory_.back().get(), static_cast<std::int64_t>(units.size()), encoding});
  }
  Texts texts() const { return texts_; }

 private:
  std::vector<std::unique_ptr<std::uint8_t[]>> memory_;
  std::vector<Text> texts_;
};

inline Cut cut(Texts texts, const TextRules& rules, std::int64_t piece) {
  const auto cutter = Cutter::of(rules, piece);
  Cut found(texts.size());
  cutter->start(texts, 0, static_cast<std::int64_t>(texts.size()));
  Tokens tokens;
  std::int64_t document = -1;
  while (cutter->next(tokens)) {
    std::int64_t token = 0;
    for (const auto& part : tokens.parts) {
      CHECK(part.document == document || part.document == document + 1);  // documents come in order, and none is left out
      document = part.document;
      for (; token < part.end; ++token) {
        const std::uint32_t begin = tokens.bounds[static_cast<std::size_t>(2 * token)],
                            end = tokens.bounds[static_cast<std::size_t>(2 * token + 1)];
        found[static_cast<std::size_t>(document)].emplace_back(reinterpret_cast<const char*>(tokens.bytes) + begin,
                                                               end - begin);
      }
    }
    CHECK_EQ(token, tokens.n_tokens);
  }
  CHECK_EQ(document + 1, static_cast<std::int64_t>(texts.size()));
  return found;
}

// Returns the offset of the first byte that is not valid UTF-8, or -1.
inline std::int64_t first_wrong_byte(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    char32_t c = 0;
    int length = 0;
    for (int n = 1; n <= 4 && i + static_cast<std::size_t>(n) <= text.size() && length == 0; ++n) {
      const auto byte = [&](int k) { return static_cast<std::uint8_t>(text[i + static_cast<std::size_t>(k)]); };
      c = n == 1 ? byte(0) : byte(0) & (0x7fu >> n);
      for (int k = 1; k < n; ++k) c = c << 6 | (byte(k) & 0x3fu);
      std::uint8_t again[4];
      if (c < n_code_points && (c < 0xd800 || c >= 0xe000) && write_utf8(c, again) == n &&
          std::memcmp(again, text.data() + i, static_cast<std::size_t>(n)) == 0)
        length = n;
    }
    if (length == 0) return static_cast<std::int64_t>(i);
    i += static_cast<std::size_t>(length);
  }
  return -1;
}

}  // namespace plain_cutter

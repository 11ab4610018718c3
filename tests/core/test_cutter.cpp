#include "text/cutter.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>

#include "check.hpp"
#include "plain_cutter.hpp"
#include "termsift/runtime.hpp"

using namespace termsift;

namespace {

using Random = std::mt19937_64;
using Cut = std::vector<std::vector<std::string>>;  // of each document

// Texts in one encoding. The memory of each ends with it, so that a sanitizer sees a read beyond.
class Encoded {
 public:
  void add(const std::u32string& text, TextEncoding encoding) {
    switch (encoding) {
      case TextEncoding::utf8: return hold(plain_cutter::utf8(text), encoding);
      case TextEncoding::latin1: return hold(std::basic_string<char>(text.begin(), text.end()), encoding);
      case TextEncoding::ucs2: return hold(std::u16string(text.begin(), text.end()), encoding);
      case TextEncoding::ucs4: return hold(text, encoding);
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

Cut cut(Texts texts, const TextRules& rules, std::int64_t piece) {
  Cutter cutter(rules, piece);
  Cut found(texts.size());
  cutter.start(texts, 0, static_cast<std::int64_t>(texts.size()));
  Tokens tokens;
  std::int64_t document = -1;
  while (cutter.next(tokens)) {
    std::int64_t token = 0;
    for (const auto& part : tokens.parts) {
      CHECK(part.document == document || part.document == document + 1);  // in order, and none is left out
      document = part.document;
      for (; token < part.end; ++token) {
        const std::uint32_t begin = tokens.bounds[static_cast<std::size_t>(2 * token)],
                            end = tokens.bounds[static_cast<std::size_t>(2 * token + 1)];
        found[static_cast<std::size_t>(document)].emplace_back(reinterpret_cast<const char*>(tokens.bytes) + begin, end - begin);
      }
    }
    CHECK_EQ(token, tokens.n_tokens);
  }
  CHECK_EQ(document + 1, static_cast<std::int64_t>(texts.size()));
  return found;
}

// Returns a random text of a mixture of scripts that the encoding can hold.
std::u32string random_text(Random& random, TextEncoding encoding, std::size_t n) {
  static const std::vector<std::u32string> alphabets{
      U"abcXYZ019_", U"aZ  ,.\n\t-'", U"ab é É ß À\u0085\u00a0\u00a8\u00bdñ×", U"Σσς α'Ω\u0301ά.ΑΣ", U"Жжй Ия", U"\u0130i\u0307I",
      U"\u212a\u023a\u2c62\u2c65 x", U"中文 字\u3000", U"\u2003\u2115\ufb01\uac00 \ufdfa", U"\U00010400\U00010428\U0001d7ce \U0001f600"};
  const std::size_t usable = encoding == TextEncoding::latin1 ? 3 : encoding == TextEncoding::ucs2 ? 9 : 10;
  std::u32string text;
  while (text.size() < n) {
    const std::u32string& alphabet = alphabets[random() % usable];
    for (std::size_t i = random() % 20; i > 0; --i) text += alphabet[random() % alphabet.size()];
    if (random() % 10 == 0) text.append(random() % 200, random() % 2 == 0 ? U'a' : U' ');
  }
  text.resize(n);
  return text;
}

constexpr TextEncoding encodings[] = {TextEncoding::utf8, TextEncoding::latin1, TextEncoding::ucs2, TextEncoding::ucs4};

void check_random(TextRules rules, int rounds, std::size_t longest) {
  plain_cutter::use();
  Random random(1);
  for (const std::string& target : simd_targets()) {
    use_simd_target(target);
    for (int round = 0; round < rounds; ++round) {
      rules.lowercase = random() % 4 != 0;
      rules.strip_accents = static_cast<StripAccents>(random() % 3);
      for (const TextEncoding encoding : encodings) {
        Encoded texts;
        Cut expected;
        for (std::size_t n = random() % 5; n > 0; --n) {
          const std::u32string text = random_text(random, encoding, random() % longest);
          texts.add(text, encoding);
          expected.push_back(plain_cutter::tokens(text, rules));
          std::sort(expected.back().begin(), expected.back().end());
        }
        const std::int64_t piece = round % 2 == 0 ? 1 << 16 : static_cast<std::int64_t>(64 + random() % 300);
        Cut found = cut(texts.texts(), rules, piece);
        for (auto& tokens : found) std::sort(tokens.begin(), tokens.end());
        CHECK_EQ(found, expected);
      }
    }
  }
}

}  // namespace

TEST(words_are_those_of_the_plain_loop) { check_random({}, 300, 700); }

TEST(ngrams_of_characters_are_those_of_the_plain_loop) {
  for (const Analyzer analyzer : {Analyzer::chars, Analyzer::char_wb})
    for (const auto& [min_n, max_n] : std::vector<std::pair<int, int>>{{1, 1}, {1, 3}, {2, 4}, {3, 3}, {5, 30}, {300, 301}}) {
      TextRules rules;
      rules.analyzer = analyzer;
      rules.min_n = min_n;
      rules.max_n = max_n;
      check_random(rules, 40, 500);
    }
}

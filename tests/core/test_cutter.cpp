#include "text/cutter.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "check.hpp"
#include "plain_cutter.hpp"
#include "termsift/runtime.hpp"
#include "text/normaliser.hpp"

using namespace termsift;
using namespace plain_cutter;

namespace {

// The first use of a character fills a table. In this test, several threads fill the same tables at once. No other test uses
// the characters of this test, because filled tables stay filled.
TEST(tables_of_characters_may_be_filled_by_several_threads_at_once) {
  use_plain_characters();
  std::u32string text;
  for (char32_t c = 0x1e00; c < 0x2000; ++c) text += {c, c, U' '};
  for (char32_t c = 0xac40; c < 0xacc0; ++c) text += {c, 0x3a3, c, U' '};
  for (char32_t c = 0x10400; c < 0x10450; ++c) text += {c, 0xfdfa, c, 0x300, 0x3a3, U' '};
  TextRules rules;
  rules.strip_accents = StripAccents::unicode;
  Cut expected{tokens_of(text, rules)};
  std::vector<Cut> found(4);
  std::vector<std::thread> threads;
  std::atomic<int> waiting{static_cast<int>(found.size())};
  for (Cut& own : found)
    threads.emplace_back([&] {
      Encoded texts;
      texts.add(text, TextEncoding::ucs4);
      for (--waiting; waiting > 0;) std::this_thread::yield();
      own = cut(texts.texts(), rules, 1 << 16);
    });
  for (std::thread& thread : threads) thread.join();
  for (const Cut& own : found) CHECK_EQ(own, expected);
}

}  // namespace

TEST(lone_surrogates_pass_in_python_strings) {
  use_plain_characters();
  for (const TextEncoding encoding : {TextEncoding::ucs2, TextEncoding::ucs4}) {
    Encoded texts;
    texts.add(std::u32string{U'a', U'b', 0xd800, U'c', U'd', 0xdfff}, encoding);
    CHECK_EQ(cut(texts.texts(), {}, 64), (Cut{{"ab", "cd"}}));
    TextRules rules;
    rules.analyzer = Analyzer::char_wb;
    rules.min_n = rules.max_n = 7;
    CHECK_EQ(cut(texts.texts(), rules, 64), (Cut{{" ab\xed\xa0\x80" "cd\xed\xbf\xbf", "ab\xed\xa0\x80" "cd\xed\xbf\xbf "}}));
  }
}

TEST(lengths_around_a_block) {
  use_plain_characters();
  for (const std::string& target : simd_targets()) {
    use_simd_target(target);
    for (const std::u32string letter : {U"a", U"é", U"É", U"中"})
      for (std::size_t n = 0; n < 140; ++n)
        for (std::size_t blanks = 0; blanks < 3; ++blanks) {
          std::u32string text(blanks, U' ');
          for (std::size_t i = 0; i < n; ++i) text += letter;
          for (const TextEncoding encoding : {TextEncoding::utf8, TextEncoding::ucs2}) {
            Encoded texts;
            texts.add(text, encoding);
            texts.add(text + U" bc d", encoding);
            CHECK_EQ(cut(texts.texts(), {}, 1 << 16),
                     (Cut{tokens_of(text, {}), tokens_of(text + U" bc d", {})}));
          }
        }
  }
}

TEST(a_sigma_is_final_across_pieces) {
  use_plain_characters();
  for (const std::size_t n : {1u, 50u, 64u, 500u})
    for (const std::u32string before : {U"α", U"1", U""})
      for (const std::u32string after : {U"α", U" ", U""}) {
        const std::u32string text = before + std::u32string(n, U'\'') + U"Σ" + std::u32string(n, U'.') + after + U"ΑΣ ΑΣ1";
        for (const TextEncoding encoding : {TextEncoding::utf8, TextEncoding::ucs2}) {
          Encoded texts;
          texts.add(text, encoding);
          CHECK_EQ(cut(texts.texts(), {}, 64), Cut{tokens_of(text, {})});
        }
      }
}

TEST(capital_sigmas_around_blocks_and_pieces) {
  use_plain_characters();
  const std::u32string letters = U"\u03a3\u0391\u03c3'\u0301 1\u4e2d\u0130b";
  for (const std::string& target : simd_targets()) {
    use_simd_target(target);
    for (std::size_t seed = 1; seed < 200; ++seed) {
      std::u32string text;
      for (std::size_t i = 0, state = seed; i < 40 + seed; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        text += letters[(state >> 40) % (seed % 2 == 0 ? letters.size() : 6)];
      }
      for (const StripAccents accents : {StripAccents::none, StripAccents::ascii, StripAccents::unicode})
        for (const TextEncoding encoding : {TextEncoding::utf8, TextEncoding::ucs2, TextEncoding::ucs4}) {
          TextRules rules;
          rules.strip_accents = accents;
          Encoded texts;
          texts.add(text, encoding);
          CHECK_EQ(cut(texts.texts(), rules, 64), Cut{tokens_of(text, rules)});
        }
    }
  }
}

TEST_OF_ONE_THREAD(texts_are_normalised_across_pieces) {
  use_plain_characters();
  TextRules rules;
  // A text longer than a part, with a mark, a long run of marks or Hangul letters where the part would end.
  for (const NormalForm form : {NormalForm::nfc, NormalForm::nfkc})
    for (const std::u32string odd : {U"e\u0301", U"\u1100\u1161\u11a8", U"\u212a", U"\u1ea1\u0302", U"\ufb01\u0301"})
      for (const std::u32string filler : {U"a ", U"\u4e2d", U"\u0416", U"\uac00"})
        for (const std::int64_t before : {0, 1, 65534, 65535, 65536, 65537, 131070}) {
          std::u32string text;
          while (std::ssize(text) < before) text += filler;
          text.resize(static_cast<std::size_t>(before), U'a');
          text += odd + std::u32string(300, 0x323) + U"\u0302" + odd + U" bc \u03a3";
          rules.normalize = form;
          const Cut expected{tokens_of(text, rules), tokens_of(odd + odd, rules)};
          for (const TextEncoding encoding : {TextEncoding::utf8, TextEncoding::ucs2, TextEncoding::ucs4}) {
            Encoded texts;
            texts.add(text, encoding);
            texts.add(odd + odd, encoding);
            CHECK(cut(texts.texts(), rules, 1 << 16) == expected);
          }
        }
}

TEST(the_first_wrong_byte_is_named_in_a_text_that_is_normalised) {
  use_plain_characters();
  TextRules rules;
  rules.normalize = NormalForm::nfc;
  for (const std::size_t before : {0u, 1u, 60u, 65535u, 65536u, 70000u})
    for (const std::string wrong : {"\x80", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"})
      for (const std::string start : {"", "e\xcc\x81"}) {
        std::string text = start + std::string(before, 'a') + wrong + " b e\xcc\x81";
        Encoded texts;
        texts.hold(text, TextEncoding::utf8);
        try {
          cut(texts.texts(), rules, 1 << 16);
          CHECK(false);
        } catch (const BadText& bad) {
          CHECK_EQ(bad.byte, static_cast<std::int64_t>(start.size() + before));
        }
      }
}

TEST(words_that_end_at_a_mark_are_counted) {
  use_plain_characters();
  for (const TextEncoding encoding : {TextEncoding::utf8, TextEncoding::ucs2})
    for (const std::int64_t piece : {64, 1 << 16}) {
      Encoded texts;
      for (int i = 0; i < 50; ++i) texts.add(U"re\u0301sume\u0301 na\u0302 \u4e2d\u0301 bc, de", encoding);
      const auto cutter = Cutter::of({}, piece);
      cutter->start(texts.texts(), 0, 50);
      Tokens tokens;
      while (cutter->next(tokens)) {}
      const CutWords words = cutter->take_cut_words();
      CHECK_EQ(words.all, 250);
      CHECK_EQ(words.before_mark, 200);
      CHECK_EQ(cutter->take_cut_words().all, 0);
    }
}

TEST_OF_ONE_THREAD(a_long_word_is_one_token) {
  use_plain_characters();
  for (const TextEncoding encoding : {TextEncoding::utf8, TextEncoding::ucs2, TextEncoding::ucs4})
    for (const std::size_t n : {100u, 1000u, 100'000u})
      for (const std::int64_t piece : {64, 1 << 16})
        for (const char32_t letter : {U'é', U'中'}) {
          const std::u32string word(n, letter), text = U"a bc " + word + U" de " + word;
          Encoded both;
          both.add(text, encoding);
          both.add(word, encoding);
          CHECK(cut(both.texts(), {}, piece) == (Cut{tokens_of(text, {}), tokens_of(word, {})}));
        }
  const std::string word(1'000'000, 'w');
  Encoded texts;
  texts.hold("a bc " + word + " de " + word, TextEncoding::utf8);
  CHECK(cut(texts.texts(), {}, 64) == (Cut{{"bc", word, "de", word}}));
  const auto words = Cutter::of({}, 64);
  words->start(texts.texts(), 0, 1);
  Tokens bounds;
  std::size_t most = 0;
  while (words->next(bounds)) most = std::max(most, bounds.bounds.size());
  CHECK(most < 1000);  // the list of bounds once had an element for each byte
  NormalText text;
  text.reserve(1 << 26);
  text.clear();
  CHECK(text.room() < 1000);
  TextRules rules;
  rules.analyzer = Analyzer::char_wb;
  rules.min_n = rules.max_n = 100'000;
  const auto cutter = Cutter::of(rules);
  cutter->start(texts.texts(), 0, 1);
  Tokens tokens;
  std::int64_t n = 0;
  while (cutter->next(tokens)) n += tokens.n_tokens;
  CHECK_EQ(n, 2 + 1 + 2 * (1'000'002 - 100'000 + 1));
}

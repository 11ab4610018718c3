// Counts the stems of words in place of the words.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "termsift/text_rules.hpp"
#include "text/cutter.hpp"
#include "text/term_table.hpp"
#include "text/token_counting.hpp"

namespace termsift {

// The words of one thread, and where their stems are counted. Asks for the stem of each distinct word once. A word then
// costs one search in a table, as without stems, because its slot knows the slot of its stem.
class StemmedWords {
 public:
  // `stems` is the table in which stems are counted. If `inserts` is false, no stem may be added, and unknown stems have the
  // slot of an unknown term. Precondition: rules.stems is set.
  StemmedWords(const TextRules& rules, WordTable& stems, bool inserts);

  WordTable& words() { return words_; }
  WordTable& stems() { return stems_; }
  std::uint32_t n_stop() const { return n_stop_; }
  std::int64_t n_bytes() const { return words_.n_bytes(); }
  // Asks for the stems of all new words of a piece in one call, if the last piece had many. In Python, a call takes long
  // while other threads call, too.
  void look_ahead(const TokenSpans& tokens, std::span<const Part> parts);
  // Returns the slot of the stem of a word, given the word's slot. Throws what the function of the stems throws, and
  // WrongArgument if the stem has a blank, and words are joined by blanks.
  Slot<WordKey>& stem_of(Slot<WordKey>& word) {
    if (word.tag == 0) [[unlikely]]
      ask_for_stems({word.id});
    return *slots_[word.at_or_count];
  }
  // Returns the id of the stem of a word, given the word's id.
  std::uint32_t stem_id(std::uint32_t word) const { return stem_ids_[word]; }

  // Makes count_tokens() count stems in `counts`, while it looks up words.
  template <class Counts>
  class Counter {
   public:
    Counter(StemmedWords& words, Counts& counts) : words_(words), counts_(counts) {}

    template <class Inner>
    struct Count {
      StemmedWords& words;
      Inner inner;
      void add(Slot<WordKey>& word) { inner.add(words.stem_of(word)); }
      void end() { inner.end(); }
    };
    template <class Table>
    auto begin_part(Table&, const Part& part, std::int64_t n_tokens) {
      auto inner = counts_.begin_part(words_.stems(), part, n_tokens);
      return Count<decltype(inner)>{words_, inner};
    }

   private:
    StemmedWords& words_;
    Counts& counts_;
  };

 private:
  class NewWords;

  void ask_for_stems(const std::vector<std::uint32_t>& words);
  std::uint32_t number_of(const std::string& stem);

  const std::shared_ptr<WordStems> stems_of_;
  const bool joins_, inserts_;
  // First the stop words. In the slot of a word, `at_or_count` is the index of its stem in slots_, and `tag` is 0 until the
  // stem is known, or asked for.
  WordTable words_;
  std::uint32_t n_stop_ = 0;
  WordTable& stems_;
  const Slot<WordKey>* first_slot_ = nullptr;  // of stems_, which moves its slots when it grows
  std::vector<Slot<WordKey>*> slots_;
  std::vector<std::uint32_t> stem_ids_;        // the id of the stem of each word
  std::size_t n_new_ = 0;                      // the new words of the last piece
};

}  // namespace termsift

#include "text/stemmed_words.hpp"

#include <stdexcept>
#include <string_view>
#include <utility>

#include "text/thread_counter.hpp"

namespace termsift {

std::vector<std::string> WordStems::of(const std::vector<std::string>& words) {
  const std::lock_guard held(mutex_);
  std::vector<std::string> asked;
  for (const std::string& word : words)
    if (!known_.contains(word)) asked.push_back(word);
  if (!asked.empty()) {
    const std::vector<std::string> found = function_(asked);
    if (found.size() != asked.size()) throw std::invalid_argument("each word needs a stem");
    for (std::size_t i = 0; i < asked.size(); ++i) known_.emplace(asked[i], found[i]);
  }
  std::vector<std::string> stems;
  for (const std::string& word : words) stems.push_back(known_.at(word));
  return stems;
}

StemmedWords::StemmedWords(const TextRules& rules, WordTable& stems, bool inserts)
    : stems_of_(rules.stems), joins_(rules.max_n > 1), inserts_(inserts), words_(true), stems_(stems) {
  for (const std::string& word : rules.stop_words)
    if (!word.empty()) insert_word(word, words_);
  n_stop_ = words_.size();
}

// Makes count_tokens() list the words whose stems are not known.
class StemmedWords::NewWords {
 public:
  struct Count {
    std::vector<std::uint32_t>& words;
    void add(Slot<WordKey>& word) {
      if (word.tag != 0) return;
      word.tag = 1;
      words.push_back(word.id);
    }
    void end() {}
  };
  template <class Table>
  Count begin_part(Table&, const Part&, std::int64_t) {
    return {words};
  }
  std::vector<std::uint32_t> words;
};

void StemmedWords::look_ahead(const TokenSpans& tokens, std::span<const Part> parts) {
  constexpr std::size_t many = 16;
  if (std::exchange(n_new_, 0) < many) return;
  NewWords found;
  count_tokens<false>(words_, TokenSource<true>{words_, tokens}, parts, n_stop_, found, {});
  if (!found.words.empty()) ask_for_stems(found.words);
}

void StemmedWords::ask_for_stems(const std::vector<std::uint32_t>& words) {
  std::vector<std::string> texts;
  char buffer[WordKey::most_bytes];
  for (const std::uint32_t word : words) texts.emplace_back(words_.bytes(words_.keys()[word], buffer));
  const std::vector<std::string> stems = stems_of_->of(texts);
  stem_ids_.resize(words_.size(), no_term);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (joins_ && stems[i].find(' ') != std::string::npos)
      throw WrongArgument("stem", "stem returned '" + stems[i] + "' for the word '" + texts[i] +
                                      "', which has a blank, but blanks join the words of n-grams: return a stem without "
                                      "one");
    const WordKey& key = words_.keys()[words[i]];
    Slot<WordKey>* const slot = words_.find(words_.hash()(key), [&](const WordKey& other) { return other == key; });
    slot->at_or_count = number_of(stems[i]);
    slot->tag = 1;
    stem_ids_[words[i]] = slots_[slot->at_or_count]->id;
  }
  n_new_ += words.size();
}

// Returns the index of a stem in slots_.
std::uint32_t StemmedWords::number_of(const std::string& stem) {
  std::string readable = stem;
  readable.resize(stem.size() + WordKey::most_bytes);  // key_of_token() reads 16 bytes
  const std::string_view token(readable.data(), stem.size());
  const WordKey key = key_of_token(token, stems_.hash());
  if (!inserts_) {
    slots_.push_back(stems_.find_token(key, token));
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  Slot<WordKey>* const slot = stems_.find_or_insert(key, token);
  if (slots_.size() < stems_.size()) slots_.resize(stems_.size());
  slots_[slot->id] = slot;
  if (first_slot_ != stems_.homes().slots) {
    first_slot_ = stems_.homes().slots;
    for (Slot<WordKey>* each = stems_.homes().slots; const Slot<WordKey>& known : stems_.slots()) {
      if (!known.key.is_empty()) slots_[known.id] = each;
      ++each;
    }
  }
  return slot->id;
}

}  // namespace termsift

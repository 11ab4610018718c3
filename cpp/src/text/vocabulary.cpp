#include "text/vocabulary.hpp"

#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "termsift/types.hpp"
#include "text/bucket_sort.hpp"

namespace termsift {
namespace {

std::uint64_t big_endian(std::uint64_t value) {
  if constexpr (std::endian::native == std::endian::big) return value;
  std::uint64_t turned = 0;
  for (int byte = 0; byte < 8; ++byte) turned |= (value >> (8 * byte) & 0xFF) << (56 - 8 * byte);
  return turned;
}

// Returns a word as the table has it; a word outside lies in its arena.
SortedWord sorted_word(const WordTable& table, const WordKey& key) {
  if (!key.is_outside()) return {{big_endian(key.low), big_endian(key.high)}, nullptr, 0};
  const std::string_view bytes = table.outside(key);
  std::uint64_t first[2] = {0, 0};
  std::memcpy(first, bytes.data(), std::min<std::size_t>(bytes.size(), sizeof first));
  return {{big_endian(first[0]), big_endian(first[1])}, bytes.data(), static_cast<std::uint32_t>(bytes.size())};
}

// A term of one table, to be sorted among those of all.
template <class Key>
struct Met {
  Key key;
  std::uint32_t table, id, documents;
};

bool before(const SortedWord& a, const SortedWord& b) { return a < b; }
bool before(NgramKey a, NgramKey b) { return a.pair_plus_one < b.pair_plus_one; }

// Sorts the terms of all tables, unites those that are equal, and sets ranks[table][id] and documents[rank].
template <class Key>
void unite(std::vector<Met<Key>> met, const Threads& threads, std::vector<Key>& sorted, std::vector<std::int64_t>& documents,
           const std::vector<std::int32_t*>& ranks) {
  sort_in_buckets(met, [](const Met<Key>& a, const Met<Key>& b) { return before(a.key, b.key); }, threads);
  for (const Met<Key>& term : met) {
    if (sorted.empty() || !(sorted.back() == term.key)) {
      sorted.push_back(term.key);
      documents.push_back(0);
    }
    documents.back() += term.documents;
    if (static_cast<std::int64_t>(sorted.size()) > max_terms)
      throw std::length_error("the texts have more than 2^31 - 1 different terms");
    ranks[term.table][term.id] = static_cast<std::int32_t>(sorted.size() - 1);
  }
}

}  // namespace

std::string_view SortedWord::bytes(char* buffer) const {
  if (outside != nullptr) return {outside, outside_size};
  const std::uint64_t bytes[2] = {big_endian(first[0]), big_endian(first[1])};
  std::memcpy(buffer, bytes, sizeof bytes);
  std::size_t size = sizeof bytes;
  while (size > 0 && buffer[size - 1] == 0) --size;  // a key that ends with a zero byte is outside
  return {buffer, size};
}

bool SortedWord::operator==(const SortedWord& other) const {
  if (first[0] != other.first[0] || first[1] != other.first[1] || (outside == nullptr) != (other.outside == nullptr))
    return false;
  const std::string_view mine(outside, outside_size), others(other.outside, other.outside_size);
  return mine == others;
}

bool SortedWord::operator<(const SortedWord& other) const {
  if (first[0] != other.first[0]) return first[0] < other.first[0];
  if (first[1] != other.first[1]) return first[1] < other.first[1];
  if (outside == nullptr && other.outside == nullptr) return false;
  char buffer[16], other_buffer[16];
  return bytes(buffer) < other.bytes(other_buffer);
}

Vocabulary::Vocabulary(std::span<TermTables* const> tables, std::uint32_t n_stop, std::int64_t min_n, const Threads& threads)
    : terms_(tables.size()), min_n_(static_cast<std::size_t>(min_n)) {
  sort_words(tables, n_stop, threads);
  const std::size_t max_n = tables.empty() ? 1 : 1 + tables[0]->ngrams.size();
  for (std::size_t n = 2; n <= max_n; ++n) sort_ngrams(tables, n, threads);
  number_terms(tables, max_n, threads);
}

void Vocabulary::sort_words(std::span<TermTables* const> tables, std::uint32_t n_stop, const Threads& threads) {
  std::vector<Met<SortedWord>> met;
  std::vector<std::int32_t*> ranks;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    WordTable& words = tables[t]->words;
    ranks.push_back(terms_[t].emplace_back(Ranks::uninitialised(words.size())).get());
    std::fill(ranks[t], ranks[t] + std::min(n_stop, words.size()), -1);
    met.reserve(met.size() + words.size());
    words.for_each_slot([&](const Slot<WordKey>& slot) {
      if (slot.id < n_stop) return;
      met.push_back({sorted_word(words, slot.key), static_cast<std::uint32_t>(t), slot.id, slot.documents});
    });
    words.drop_slots();
  }
  unite(std::move(met), threads, words_, documents_.emplace_back(), ranks);
}

void Vocabulary::sort_ngrams(std::span<TermTables* const> tables, std::size_t n, const Threads& threads) {
  std::vector<Met<NgramKey>> met;
  std::vector<std::int32_t*> ranks;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    NgramTable& ngrams = tables[t]->ngrams[n - 2];
    ranks.push_back(terms_[t].emplace_back(Ranks::uninitialised(ngrams.size())).get());
    met.reserve(met.size() + ngrams.size());
    const std::int32_t *const prefixes = terms_[t][n - 2].get(), *const words = terms_[t][0].get();
    ngrams.for_each_slot([&](const Slot<NgramKey>& slot) {
      const auto prefix = static_cast<std::uint32_t>(prefixes[slot.key.prefix()]);
      const auto word = static_cast<std::uint32_t>(words[slot.key.word()]);
      met.push_back({NgramKey::of(prefix, word), static_cast<std::uint32_t>(t), slot.id, slot.documents});
    });
    ngrams.drop_slots();
  }
  unite(std::move(met), threads, ngrams_.emplace_back(), documents_.emplace_back(), ranks);
}

std::int64_t Vocabulary::n_of_length(std::size_t n) const {
  return static_cast<std::int64_t>(n == 1 ? words_.size() : ngrams_[n - 2].size());
}

// Numbers the n-grams of every length from the ranks among those of the same length: each comes after its prefix, and after
// all that begin with a smaller sibling. Replaces the ranks in terms_. O(n-grams).
void Vocabulary::number_terms(std::span<TermTables* const> tables, std::size_t max_n, const Threads& threads) {
  // At n - 1: first how many terms each n-gram begins, itself included; then where they begin.
  std::vector<std::vector<std::int64_t>> places;
  for (std::size_t n = 1; n <= max_n; ++n)
    places.emplace_back(static_cast<std::size_t>(n_of_length(n)), n >= min_n_ ? 1 : 0);
  for (std::size_t n = max_n; n > 1; --n)
    for (std::size_t i = 0; i < places[n - 1].size(); ++i) places[n - 2][ngrams_[n - 2][i].prefix()] += places[n - 1][i];
  for (std::int64_t& place : places[0]) place = std::exchange(n_terms_, n_terms_ + place);
  if (n_terms_ > max_terms) throw std::length_error("the texts have more than 2^31 - 1 different terms");
  for (std::size_t n = 2; n <= max_n; ++n) {
    std::int64_t next = 0;
    for (std::size_t i = 0; i < places[n - 1].size(); ++i) {
      const std::uint32_t prefix = ngrams_[n - 2][i].prefix();
      if (i == 0 || prefix != ngrams_[n - 2][i - 1].prefix()) next = places[n - 2][prefix] + (n - 1 >= min_n_ ? 1 : 0);
      places[n - 1][i] = std::exchange(next, next + places[n - 1][i]);
    }
  }
  rows_ = LargeArray<std::int64_t>::uninitialised(n_terms_);
  for (std::size_t n = min_n_; n <= max_n; ++n)
    for (std::size_t i = 0; i < places[n - 1].size(); ++i) rows_[places[n - 1][i]] = documents_[n - 1][i];
  documents_.clear();
  for_each_block(static_cast<std::int64_t>(terms_.size() * max_n), threads, [&](std::int64_t block, Worker&) {
    const std::size_t n = 1 + static_cast<std::size_t>(block) % max_n;
    const std::size_t table = static_cast<std::size_t>(block) / max_n;
    const auto term_of = [&](std::int32_t rank) {
      return n < min_n_ || rank < 0 ? -1 : static_cast<std::int32_t>(places[n - 1][static_cast<std::size_t>(rank)]);
    };
    std::int32_t* const terms = terms_[table][n - 1].get();
    std::transform(terms, terms + tables[table]->size(n), terms, term_of);
  });
}

void Vocabulary::for_each_term(const std::function<void(std::int64_t, std::string_view)>& visit) const {
  const std::size_t max_n = 1 + ngrams_.size();
  std::int64_t term = 0;
  std::string text;
  char buffer[16];
  std::vector<std::size_t> next(max_n, 0);  // at n - 1: the next n-gram
  // Visits the n-gram next[n - 1] and all that it begins.
  const auto descend = [&](const auto& self, std::size_t n) -> void {
    const std::size_t rank = next[n - 1]++;
    if (n >= min_n_) visit(term++, text);
    for (; n < max_n && next[n] < ngrams_[n - 1].size() && ngrams_[n - 1][next[n]].prefix() == rank;) {
      const std::size_t size = text.size();
      text.append(" ").append(words_[ngrams_[n - 1][next[n]].word()].bytes(buffer));
      self(self, n + 1);
      text.resize(size);
    }
  };
  while (next[0] < words_.size()) {
    text = words_[next[0]].bytes(buffer);
    descend(descend, 1);
  }
}

}  // namespace termsift

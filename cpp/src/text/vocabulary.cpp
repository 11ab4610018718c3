#include "text/vocabulary.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
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
SortedWord sorted_key(const WordTable& table, const WordKey& key) {
  if (!key.is_outside()) return {{big_endian(key.low), big_endian(key.high)}, nullptr};
  const std::string_view bytes = table.outside(key);
  std::uint64_t first[2] = {0, 0};
  std::memcpy(first, bytes.data(), std::min<std::size_t>(bytes.size(), sizeof first));
  return {{big_endian(first[0]), big_endian(first[1])}, bytes.data()};
}

std::string_view outside_bytes(const SortedWord& word) {
  std::uint32_t size = 0;
  std::memcpy(&size, word.outside - sizeof size, sizeof size);
  return {word.outside, size};
}

void check_number_of_terms(std::int64_t n) {
  if (n > max_terms) throw std::length_error("the texts have more than 2^31 - 1 different terms");
}

// A term of one table, to be sorted among those of all.
template <class Key>
struct Met {
  Key key;
  std::uint32_t table, id, documents;
};

bool before(const SortedWord& a, const SortedWord& b) { return a < b; }
bool before(NgramKey a, NgramKey b) { return a.pair_plus_one < b.pair_plus_one; }
SortPrefix prefix_of(const SortedWord& word) { return {word.first[0], word.first[1]}; }
SortPrefix prefix_of(NgramKey key) { return {key.pair_plus_one, 0}; }

// Slots of a table, which a thread takes at once.
struct SlotBlock {
  std::size_t table, begin, end;
};

std::vector<SlotBlock> slot_blocks(std::size_t table, std::size_t n_slots) {
  constexpr std::size_t least_slots = std::size_t{1} << 14, most_blocks = 256;
  const std::size_t size = std::max(least_slots, n_slots / most_blocks);
  std::vector<SlotBlock> blocks;
  for (std::size_t begin = 0; begin < n_slots; begin += size)
    blocks.push_back({table, begin, std::min(begin + size, n_slots)});
  return blocks;
}

// Sorts the terms of the tables but those below n_stop, unites equal ones, and sets ranks[table][id]. key(table, slot) is
// what a slot's term is sorted by. Drops the slots.
template <class Table, class KeyOf>
auto unite(std::span<Table* const> tables, std::uint32_t n_stop, std::span<std::int32_t* const> ranks, const KeyOf& key,
           const Threads& threads) {
  using Key = decltype(key(0, tables[0]->slots()[0]));
  std::vector<SlotBlock> blocks;
  std::int64_t n_met = 0;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    n_met += tables[t]->size() - std::min(n_stop, tables[t]->size());
    const std::vector<SlotBlock> of_table = slot_blocks(t, tables[t]->slots().size());
    blocks.insert(blocks.end(), of_table.begin(), of_table.end());
  }
  const auto visit = [&](std::int64_t b, const auto& f) {
    const SlotBlock& block = blocks[static_cast<std::size_t>(b)];
    for (const auto& slot : tables[block.table]->slots().subspan(block.begin, block.end - block.begin)) {
      if (slot.key.is_empty() || slot.id < n_stop) continue;
      if (!f(Met<Key>{key(block.table, slot), static_cast<std::uint32_t>(block.table), slot.id, slot.documents})) return;
    }
  };
  const auto prefix = [](const Met<Key>& met) { return prefix_of(met.key); };
  const auto n_blocks = static_cast<std::int64_t>(blocks.size());
  const Buckets<Met<Key>> buckets = in_buckets<Met<Key>>(n_met, n_blocks, visit, prefix, threads);
  for (Table* const table : tables) table->drop_slots();

  std::vector<std::int64_t> begins(static_cast<std::size_t>(buckets.n_buckets()) + 1, 0);  // in the ranks
  for_each_block(buckets.n_buckets(), threads, [&](std::int64_t b, Worker& worker) {
    worker.check();
    std::sort(buckets.begin(b), buckets.end(b),
              [](const Met<Key>& met, const Met<Key>& other) { return before(met.key, other.key); });
    for (const Met<Key>* met = buckets.begin(b); met != buckets.end(b); ++met)
      begins[static_cast<std::size_t>(b) + 1] += met == buckets.begin(b) || !(met->key == met[-1].key);
  });
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  check_number_of_terms(begins.back());
  SortedTerms<Key> sorted{begins.back(), LargeArray<Key>::uninitialised(begins.back()),
                          LargeArray<std::int64_t>::uninitialised(begins.back())};
  for_each_block(buckets.n_buckets(), threads, [&](std::int64_t b, Worker& worker) {
    worker.check();
    std::int64_t next = begins[static_cast<std::size_t>(b)];
    for (const Met<Key>* met = buckets.begin(b); met != buckets.end(b); ++met) {
      if (met == buckets.begin(b) || !(met->key == met[-1].key)) {
        sorted.keys[next] = met->key;
        sorted.documents[next++] = 0;
      }
      sorted.documents[next - 1] += met->documents;
      ranks[met->table][met->id] = static_cast<std::int32_t>(next - 1);
    }
  });
  return sorted;
}

}  // namespace

std::string_view SortedWord::bytes(char* buffer) const {
  if (outside != nullptr) return outside_bytes(*this);
  const std::uint64_t bytes[2] = {big_endian(first[0]), big_endian(first[1])};
  std::memcpy(buffer, bytes, sizeof bytes);
  std::size_t size = sizeof bytes;
  while (size > 0 && buffer[size - 1] == 0) --size;  // a key that ends with a zero byte is outside
  return {buffer, size};
}

bool SortedWord::operator==(const SortedWord& other) const {
  if (first[0] != other.first[0] || first[1] != other.first[1] || (outside == nullptr) != (other.outside == nullptr))
    return false;
  return outside == nullptr || outside_bytes(*this) == outside_bytes(other);
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
  std::vector<WordTable*> words;
  std::vector<std::int32_t*> ranks;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    words.push_back(&tables[t]->words);
    ranks.push_back(terms_[t].emplace_back(Ranks::uninitialised(words[t]->size())).get());
    std::fill(ranks[t], ranks[t] + std::min(n_stop, words[t]->size()), -1);
  }
  const auto key = [&](std::size_t table, const Slot<WordKey>& slot) { return sorted_key(*words[table], slot.key); };
  words_ = unite<WordTable>(words, n_stop, ranks, key, threads);
}

void Vocabulary::sort_ngrams(std::span<TermTables* const> tables, std::size_t n, const Threads& threads) {
  std::vector<NgramTable*> ngrams;
  std::vector<std::int32_t*> ranks;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    ngrams.push_back(&tables[t]->ngrams[n - 2]);
    ranks.push_back(terms_[t].emplace_back(Ranks::uninitialised(ngrams[t]->size())).get());
  }
  const auto key = [&](std::size_t table, const Slot<NgramKey>& slot) {
    const std::int32_t *const prefixes = terms_[table][n - 2].get(), *const words = terms_[table][0].get();
    return NgramKey::of(static_cast<std::uint32_t>(prefixes[slot.key.prefix()]),
                        static_cast<std::uint32_t>(words[slot.key.word()]));
  };
  ngrams_.push_back(unite<NgramTable>(ngrams, 0, ranks, key, threads));
}

// Numbers the n-grams of every length from the ranks among those of the same length: each comes after its prefix, and after
// all that begin with a smaller sibling. Replaces the ranks in terms_. O(n-grams).
void Vocabulary::number_terms(std::span<TermTables* const> tables, std::size_t max_n, const Threads& threads) {
  if (max_n == 1) {  // a word's rank is its term
    n_terms_ = words_.size;
    rows_ = std::move(words_.documents);
    return;
  }
  // At n - 1: first how many terms each n-gram begins, itself included; then where they begin.
  std::vector<LargeArray<std::int64_t>> places;
  for (std::size_t n = 1; n <= max_n; ++n) {
    places.push_back(LargeArray<std::int64_t>::uninitialised(n_of_length(n)));
    std::fill_n(places[n - 1].get(), n_of_length(n), n >= min_n_ ? 1 : 0);
  }
  for (std::size_t n = max_n; n > 1; --n)
    for (std::int64_t i = 0; i < n_of_length(n); ++i) places[n - 2][ngrams_[n - 2].keys[i].prefix()] += places[n - 1][i];
  for (std::int64_t i = 0; i < n_of_length(1); ++i) places[0][i] = std::exchange(n_terms_, n_terms_ + places[0][i]);
  check_number_of_terms(n_terms_);
  for (std::size_t n = 2; n <= max_n; ++n) {
    std::int64_t next = 0, before = -1;
    for (std::int64_t i = 0; i < n_of_length(n); ++i) {
      const std::int64_t prefix = ngrams_[n - 2].keys[i].prefix();
      if (std::exchange(before, prefix) != prefix) next = places[n - 2][prefix] + (n - 1 >= min_n_ ? 1 : 0);
      places[n - 1][i] = std::exchange(next, next + places[n - 1][i]);
    }
  }
  rows_ = LargeArray<std::int64_t>::uninitialised(n_terms_);
  for (std::size_t n = 1; n <= max_n; ++n) {
    const LargeArray<std::int64_t> documents = std::move(n == 1 ? words_.documents : ngrams_[n - 2].documents);
    for (std::int64_t i = 0; n >= min_n_ && i < n_of_length(n); ++i) rows_[places[n - 1][i]] = documents[i];
    for (std::size_t t = 0; t < tables.size(); ++t) {
      std::int32_t* const terms = terms_[t][n - 1].get();
      constexpr std::int64_t block_size = 1 << 16;
      const std::int64_t n_ids = tables[t]->size(n);
      for_each_block((n_ids + block_size - 1) / block_size, threads, [&](std::int64_t block, Worker&) {
        std::transform(terms + block * block_size, terms + std::min(n_ids, (block + 1) * block_size),
                       terms + block * block_size, [&](std::int32_t rank) {
                         return n < min_n_ || rank < 0 ? -1 : static_cast<std::int32_t>(places[n - 1][rank]);
                       });
      });
    }
  }
}

void Vocabulary::for_each_term(const std::function<void(std::int64_t, std::string_view)>& visit) const {
  const std::size_t max_n = 1 + ngrams_.size();
  std::int64_t term = 0;
  std::string text;
  char buffer[16];
  std::vector<std::int64_t> next(max_n, 0);  // at n - 1: the next n-gram
  // Visits the n-gram next[n - 1] and all that it begins.
  const auto descend = [&](const auto& self, std::size_t n) -> void {
    const std::int64_t rank = next[n - 1]++;
    if (n >= min_n_) visit(term++, text);
    if (n == max_n) return;
    const SortedTerms<NgramKey>& longer = ngrams_[n - 1];
    for (; next[n] < longer.size && longer.keys[next[n]].prefix() == rank;) {
      const std::size_t size = text.size();
      text.append(" ").append(words_.keys[longer.keys[next[n]].word()].bytes(buffer));
      self(self, n + 1);
      text.resize(size);
    }
  };
  while (next[0] < words_.size) {
    text = words_.keys[next[0]].bytes(buffer);
    descend(descend, 1);
  }
}

}  // namespace termsift

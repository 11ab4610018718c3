#include "text/vocabulary.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/per_thread.hpp"
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

// Returns a word of a table; an outside word lies in the table's arena.
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

// A term of one table, with its place there.
template <class Key>
struct Met {
  Key key;
  std::uint32_t table, id;
  std::int64_t documents;
};

bool before(const SortedWord& a, const SortedWord& b) { return a < b; }
bool before(NgramKey a, NgramKey b) { return a.pair_plus_one < b.pair_plus_one; }
SortPrefix prefix_of(const SortedWord& word) { return {word.first[0], word.first[1]}; }
SortPrefix prefix_of(NgramKey key) { return {key.pair_plus_one, 0}; }

// Calls body(begin, end) for ranges of ids that make up [0, n).
template <class F>
void for_ids(std::int64_t n, const Threads& threads, const F& body) {
  constexpr std::int64_t at_once = 1 << 16;
  for_each_block((n + at_once - 1) / at_once, threads, [&](std::int64_t block, Worker& worker) {
    worker.check();
    body(block * at_once, std::min(n, (block + 1) * at_once));
  });
}

// The words of all tables but stop words, in parts of hashes that begin with the same bits. A word has the same hash in
// every table, so each part is united separately, in the cache. Then each word is sorted only once: with two threads most
// words of a large vocabulary are in both tables.
class WordsOfTables {
 public:
  WordsOfTables(std::span<WordTable* const> tables, std::uint32_t n_stop) : tables_(tables), n_stop_(n_stop) {
    for (const WordTable* table : tables) n_words_ += table->size();
    constexpr std::int64_t per_part = 1 << 12;
    bits_ = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n_words_ / per_part)));
    same_.resize(std::min<std::size_t>(tables.size(), 1));
    for (std::size_t t = 1; t < tables.size(); ++t) same_.push_back(LargeArray<Place>::uninitialised(tables[t]->size()));
  }
  std::int64_t n_words() const { return n_words_; }  // a word of several tables counts as several
  std::int64_t n_parts() const { return std::int64_t{1} << bits_; }

  // Appends the distinct words of a part. A word of several tables is appended from the first table.
  void visit(std::int64_t part, std::vector<Met<SortedWord>>& words) {
    std::vector<std::uint64_t> hashes;
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      const auto add = [&](const Slot<WordKey>& slot, std::uint64_t hash) {
        if (slot.id < n_stop_) return;
        words.push_back({sorted_key(*tables_[t], slot.key), static_cast<std::uint32_t>(t), slot.id, slot.documents});
        if (tables_.size() > 1) hashes.push_back(hash << bits_);
      };
      tables_[t]->for_each_in_part(static_cast<std::uint64_t>(part), bits_, add);
    }
    if (tables_.size() > 1) unite(words, hashes);
  }
  // Copies ranks to the words that visit() left out.
  void copy_ranks(std::span<std::int32_t* const> ranks, const Threads& threads) const {
    for (std::size_t t = 1; t < tables_.size(); ++t)
      for_ids(tables_[t]->size(), threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t id = std::max<std::int64_t>(begin, n_stop_); id < end; ++id)
          ranks[t][id] = ranks[same_[t][id].table][same_[t][id].id];
      });
  }

 private:
  struct Place {
    std::uint32_t table, id;
  };

  // Keeps the first of equal words, and adds the documents of the others to it. hashes[i] is a hash of words[i].
  void unite(std::vector<Met<SortedWord>>& words, std::span<const std::uint64_t> hashes) {
    const int bits = std::max(static_cast<int>(std::bit_width(2 * words.size())), 1);
    const std::size_t last = (std::size_t{1} << bits) - 1;
    std::vector<std::uint32_t> heads(last + 1, 0);  // 1 + the place of a kept word, or 0
    std::uint32_t kept = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Met<SortedWord> word = words[i];
      std::size_t at = hashes[i] >> (64 - bits);
      while (heads[at] != 0 && !(words[heads[at] - 1].key == word.key)) at = (at + 1) & last;
      if (heads[at] == 0) {
        words[kept] = word;
        heads[at] = ++kept;
      } else {
        words[heads[at] - 1].documents += word.documents;
      }
      if (word.table > 0) same_[word.table][word.id] = {words[heads[at] - 1].table, words[heads[at] - 1].id};
    }
    words.resize(kept);
  }

  std::span<WordTable* const> tables_;
  std::uint32_t n_stop_;
  std::int64_t n_words_ = 0;
  int bits_ = 0;
  std::vector<LargeArray<Place>> same_;  // at [table][id], not for the first table: the word that visit() appends
};

// The n-grams of all tables as pairs of ranks. Each part has n-grams of one table.
class NgramsOfTables {
 public:
  // Ranks of the prefixes and of the words of a table.
  struct Ranks {
    const std::int32_t *prefixes, *words;
  };
  NgramsOfTables(std::span<NgramTable* const> tables, std::vector<Ranks> ranks) : tables_(tables), ranks_(std::move(ranks)) {
    constexpr std::size_t at_once = std::size_t{1} << 13;
    for (std::size_t t = 0; t < tables.size(); ++t) {
      n_ngrams_ += tables[t]->size();
      for (std::size_t begin = 0; begin < tables[t]->slots().size(); begin += at_once)
        parts_.push_back({t, tables[t]->slots().subspan(begin, std::min(at_once, tables[t]->slots().size() - begin))});
    }
  }
  std::int64_t n_ngrams() const { return n_ngrams_; }  // an n-gram of several tables counts as several
  std::int64_t n_parts() const { return static_cast<std::int64_t>(parts_.size()); }
  void visit(std::int64_t part, std::vector<Met<NgramKey>>& ngrams) const {
    const auto& [t, slots] = parts_[static_cast<std::size_t>(part)];
    for (const Slot<NgramKey>& slot : slots) {
      if (slot.key.is_empty()) continue;
      const NgramKey key = NgramKey::of(static_cast<std::uint32_t>(ranks_[t].prefixes[slot.key.prefix()]),
                                        static_cast<std::uint32_t>(ranks_[t].words[slot.key.word()]));
      ngrams.push_back({key, static_cast<std::uint32_t>(t), slot.id, slot.documents});
    }
  }

 private:
  struct TablePart {
    std::size_t table;
    std::span<const Slot<NgramKey>> slots;
  };
  std::span<NgramTable* const> tables_;
  std::vector<Ranks> ranks_;
  std::int64_t n_ngrams_ = 0;
  std::vector<TablePart> parts_;
};

// Sorts n terms of tables, unites equal ones, and sets ranks[table][id]. visit(part, terms) appends the terms of a part.
// Takes over the memory of the tables' slots.
template <class Key, class Table, class Visit>
SortedTerms<Key> sorted_terms(std::span<Table* const> tables, std::int64_t n, std::int64_t n_parts, const Visit& visit,
                              std::span<std::int32_t* const> ranks, const Threads& threads) {
  const auto prefix = [](const Met<Key>& met) { return prefix_of(met.key); };
  const Buckets<Met<Key>> buckets(n, n_parts, visit, prefix, threads);
  typename Table::Memory largest;
  for (Table* const table : tables) {
    typename Table::Memory memory = table->take_slots();
    if (memory.size > largest.size) largest = std::move(memory);
  }
  // Calls f(term, whether it differs from the previous term) for the terms of a sorted bucket.
  const auto for_each_term = [&](std::int64_t b, const auto& f) {
    const Met<Key>* last = nullptr;
    buckets.for_each_span(b, [&](std::span<const Met<Key>> span) {
      for (const Met<Key>& met : span) {
        f(met, last == nullptr || !(met.key == last->key));
        last = &met;
      }
    });
  };
  std::vector<std::int64_t> begins(static_cast<std::size_t>(buckets.size()) + 1, 0);  // in the ranks
  PerThread<BucketSorter<Met<Key>>> sorters(worth(threads, buckets.size(), 1));
  for_each_block(buckets.size(), threads, [&](std::int64_t b, Worker& worker) {
    worker.check();
    std::uint32_t steps = 0;  // words with the same first 16 bytes share a bucket
    const auto less = [&](const Met<Key>& met, const Met<Key>& other) {
      if (++steps % (1 << 16) == 0) worker.check();
      return before(met.key, other.key);
    };
    sorters.own(worker).sort(buckets, b, prefix, less);
    for_each_term(b, [&](const Met<Key>&, bool differs) { begins[static_cast<std::size_t>(b) + 1] += differs; });
  });
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  check_number_of_terms(begins.back());
  SortedTerms<Key> sorted(begins.back(), std::move(largest.bytes), largest.size);
  for_each_block(buckets.size(), threads, [&](std::int64_t b, Worker& worker) {
    worker.check();
    std::int64_t next = begins[static_cast<std::size_t>(b)];
    for_each_term(b, [&](const Met<Key>& met, bool differs) {
      if (differs) {
        sorted.keys[next] = met.key;
        sorted.documents[next++] = 0;
      }
      sorted.documents[next - 1] += met.documents;
      ranks[met.table][met.id] = static_cast<std::int32_t>(next - 1);
    });
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
  WordsOfTables all(words, n_stop);
  const auto visit = [&](std::int64_t part, std::vector<Met<SortedWord>>& found) { all.visit(part, found); };
  words_ = sorted_terms<SortedWord, WordTable>(words, all.n_words(), all.n_parts(), visit, ranks, threads);
  all.copy_ranks(ranks, threads);
}

void Vocabulary::sort_ngrams(std::span<TermTables* const> tables, std::size_t n, const Threads& threads) {
  std::vector<NgramTable*> ngrams;
  std::vector<std::int32_t*> ranks;
  std::vector<NgramsOfTables::Ranks> of_parts;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    ngrams.push_back(&tables[t]->ngrams[n - 2]);
    of_parts.push_back({terms_[t][n - 2].get(), terms_[t][0].get()});
    ranks.push_back(terms_[t].emplace_back(Ranks::uninitialised(ngrams[t]->size())).get());
  }
  const NgramsOfTables all(ngrams, of_parts);
  const auto visit = [&](std::int64_t part, std::vector<Met<NgramKey>>& found) { all.visit(part, found); };
  ngrams_.push_back(sorted_terms<NgramKey, NgramTable>(ngrams, all.n_ngrams(), all.n_parts(), visit, ranks, threads));
}

// Returns, at n - 1, the term of each sorted n-gram of n words, or the first term that it begins if it is no term. Sets
// n_terms_.
std::vector<LargeArray<std::int64_t>> Vocabulary::places_of_terms(std::size_t max_n, Worker& worker) {
  const auto for_each_ngram = [&](std::size_t n, const auto& f) {
    for (std::int64_t i = 0; i < n_of_length(n); ++i) {
      if (i % (1 << 16) == 0) worker.check();
      f(i);
    }
  };
  std::vector<LargeArray<std::int64_t>> places;  // first the number of terms that each n-gram begins (itself too)
  for (std::size_t n = 1; n <= max_n; ++n) {
    places.push_back(LargeArray<std::int64_t>::uninitialised(n_of_length(n)));
    for_each_ngram(n, [&](std::int64_t i) { places[n - 1][i] = n >= min_n_ ? 1 : 0; });
  }
  for (std::size_t n = max_n; n > 1; --n)
    for_each_ngram(n, [&](std::int64_t i) { places[n - 2][ngrams_[n - 2].keys[i].prefix()] += places[n - 1][i]; });
  for_each_ngram(1, [&](std::int64_t i) { places[0][i] = std::exchange(n_terms_, n_terms_ + places[0][i]); });
  check_number_of_terms(n_terms_);
  for (std::size_t n = 2; n <= max_n; ++n) {
    std::int64_t next = 0, before = -1;
    for_each_ngram(n, [&](std::int64_t i) {
      const std::int64_t prefix = ngrams_[n - 2].keys[i].prefix();
      if (std::exchange(before, prefix) != prefix) next = places[n - 2][prefix] + (n - 1 >= min_n_ ? 1 : 0);
      places[n - 1][i] = std::exchange(next, next + places[n - 1][i]);
    });
  }
  return places;
}

// Numbers the n-grams of all lengths, given their ranks within a length: each comes after its prefix, and after all n-grams
// that begin with a smaller sibling. Replaces the ranks in terms_. O(n-grams).
void Vocabulary::number_terms(std::span<TermTables* const> tables, std::size_t max_n, const Threads& threads) {
  if (max_n == 1) {  // a word's rank is its term
    n_terms_ = words_.size;
    return;
  }
  std::vector<LargeArray<std::int64_t>> places;
  for_each_block(1, threads, [&](std::int64_t, Worker& worker) { places = places_of_terms(max_n, worker); });
  rows_ = LargeArray<std::int64_t>::uninitialised(n_terms_);
  for (std::size_t n = 1; n <= max_n; ++n) {
    const std::int64_t* const documents = n == 1 ? words_.documents : ngrams_[n - 2].documents;
    const std::int64_t* const own = places[n - 1].get();
    for_ids(n < min_n_ ? 0 : n_of_length(n), threads, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) rows_[own[i]] = documents[i];
    });
    for (std::size_t t = 0; t < tables.size(); ++t) {
      std::int32_t* const terms = terms_[t][n - 1].get();
      for_ids(tables[t]->size(n), threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t id = begin; id < end; ++id)
          terms[id] = n < min_n_ || terms[id] < 0 ? -1 : static_cast<std::int32_t>(own[terms[id]]);
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
  // Visits the n-gram next[n - 1] and all longer n-grams that begin with it.
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

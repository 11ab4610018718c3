#include "text/vocabulary.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/bucket_sort.hpp"
#include "termsift/types.hpp"

namespace termsift {
namespace {

// Returns the sortable form of a word. The form of an outside token (see WordKey) points into the table's arena_.
SortedWord sorted_key(const WordTable& table, const WordKey& key) {
  if (!key.is_outside()) return {{high_byte_first(key.low), high_byte_first(key.high)}, nullptr};
  const std::string_view bytes = table.outside(key);
  std::uint64_t first[2] = {0, 0};
  std::memcpy(first, bytes.data(), std::min<std::size_t>(bytes.size(), sizeof first));
  return {{high_byte_first(first[0]), high_byte_first(first[1])}, bytes.data()};
}

std::string_view outside_bytes(const SortedWord& word) {
  std::uint32_t size = 0;
  std::memcpy(&size, word.outside - sizeof size, sizeof size);
  return {word.outside, size};
}

void check_number_of_terms(std::int64_t n) {
  if (n > max_terms) throw std::length_error("the texts have more than 2^31 - 1 different terms");
}

// A term, its table, its id in this table, and the number of rows with the term.
template <class Key>
struct Met {
  Key key;
  std::uint32_t table, id;
  std::int64_t documents;
};

std::uint64_t prefix_of(const SortedWord& word) { return word.first[0]; }
std::uint64_t prefix_of(NgramKey key) { return key.pair_plus_one; }

// Finds the slot of a word in one of the tables before table t. Returns the earlier table and the slot, or t if no earlier
// table has the word. Slots are in the order of their hashes. If the words of table t are searched in slot order, the
// earlier tables are visited in slot order, too.
std::pair<std::size_t, const Slot<WordKey>*> find_earlier(std::span<WordTable* const> tables, std::size_t t,
                                                          const WordKey& key) {
  const std::string_view token = key.is_outside() ? tables[t]->outside(key) : std::string_view();
  for (std::size_t earlier = 0; earlier < t; ++earlier) {
    const auto* const slot = tables[earlier]->find_token(key, token);
    if (!slot->key.is_empty()) return {earlier, slot};
  }
  return {t, nullptr};
}
// The word ids in the keys of n-grams differ between tables, so equal n-grams are found only after sorting.
std::pair<std::size_t, const Slot<NgramKey>*> find_earlier(std::span<NgramTable* const>, std::size_t t, NgramKey) {
  return {t, nullptr};
}

constexpr std::int64_t ids_at_once = 1 << 16;

// Sorts the terms of all tables except terms with ids below n_stop, unites equal terms, and sets ranks[table][id].
// key_of(table, key) returns the sortable form of a key. Frees the slots of the tables.
template <class Key, class Table, class KeyOf>
SortedTerms<Key> sorted_terms(std::span<Table* const> tables, std::uint32_t n_stop, const KeyOf& key_of,
                              std::span<std::int32_t* const> ranks, const Threads& threads) {
  struct Part {
    std::size_t table;
    std::span<const Slot<typename Table::KeyType>> slots;
  };
  constexpr std::size_t part_slots = std::size_t{1} << 13;
  // A term of one table that an earlier table also has. Only the term of the earlier table is sorted.
  struct Repeated {
    std::uint32_t id, documents, table, id_there;
  };
  std::vector<Part> parts;
  std::vector<std::int64_t> first_parts{0};  // first_parts[t] is the first part of table t
  std::int64_t n = 0;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const auto slots = tables[t]->slots();
    n += tables[t]->size();
    for (std::size_t begin = 0; begin < slots.size(); begin += part_slots)
      parts.push_back({t, slots.subspan(begin, std::min(part_slots, slots.size() - begin))});
    first_parts.push_back(std::ssize(parts));
  }
  std::vector<std::vector<Repeated>> repeated(parts.size());
  const auto visit = [&](std::int64_t part, std::vector<Met<Key>>& terms) {
    const auto& [t, slots] = parts[static_cast<std::size_t>(part)];
    repeated[static_cast<std::size_t>(part)].clear();  // the part may have been visited before
    for (const auto& slot : slots) {
      if (slot.key.is_empty() || slot.id < n_stop) continue;
      if (const auto [earlier, there] = find_earlier(tables, t, slot.key); earlier < t)
        repeated[static_cast<std::size_t>(part)].push_back(
            {slot.id, slot.documents, static_cast<std::uint32_t>(earlier), there->id});
      else
        terms.push_back({key_of(t, slot.key), static_cast<std::uint32_t>(t), slot.id, slot.documents});
    }
  };
  const auto prefix = [](const Met<Key>& met) { return prefix_of(met.key); };
  Buckets<Met<Key>> buckets(n, std::ssize(parts), visit, prefix, threads);
  for (Table* const table : tables) table->free_slots();
  const auto differs = [](std::span<const Met<Key>> terms, std::size_t i) {  // whether term i differs from term i - 1
    return i == 0 || !(terms[i].key == terms[i - 1].key);
  };
  std::vector<std::int64_t> begins(static_cast<std::size_t>(buckets.size()) + 1, 0);  // the first rank of each bucket
  PerThread<BucketSorter<Met<Key>>> sorters(worth(threads, buckets.size(), 1));
  for_each_block(buckets.size(), threads, [&](std::int64_t block, Worker& worker) {
    const auto b = static_cast<std::size_t>(block);
    worker.check();
    std::uint32_t steps = 0;  // a bucket may be large, because words with the same first 8 bytes share a bucket
    const std::span<Met<Key>> terms = buckets.gather(b);
    sorters.own(worker).sort(terms, prefix, [&](const Met<Key>& met, const Met<Key>& other) {
      if (++steps % (1 << 16) == 0) worker.check();
      return met.key < other.key;
    });
    for (std::size_t i = 0; i < terms.size(); ++i) begins[b + 1] += differs(terms, i);
  });
  buckets.end_gathering();
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  check_number_of_terms(begins.back());
  SortedTerms<Key> sorted{begins.back(), LargeArray<Key>::uninitialised(begins.back()),
                          LargeArray<std::int64_t>::zeroed(begins.back())};
  for_each_block(buckets.size(), threads, [&](std::int64_t block, Worker& worker) {
    const auto b = static_cast<std::size_t>(block);
    worker.check();
    const std::span<const Met<Key>> terms = buckets[b];
    std::int64_t next = begins[b];
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const Met<Key>& met = terms[i];
      if (differs(terms, i)) sorted.keys[next++] = met.key;
      sorted.documents[next - 1] += met.documents;
      ranks[met.table][met.id] = static_cast<std::int32_t>(next - 1);
    }
  });
  for (std::size_t t = 1; t < tables.size(); ++t)
    for_each_block(first_parts[t + 1] - first_parts[t], threads, [&](std::int64_t block, Worker& worker) {
      worker.check();
      for (const Repeated& term : repeated[static_cast<std::size_t>(first_parts[t] + block)]) {
        const std::int32_t rank = ranks[t][term.id] = ranks[term.table][term.id_there];
        sorted.documents[rank] += term.documents;
      }
    });
  return sorted;
}

}  // namespace

std::string_view SortedWord::bytes(char* buffer) const {
  if (outside != nullptr) return outside_bytes(*this);
  const std::uint64_t in_order[2] = {high_byte_first(first[0]), high_byte_first(first[1])};
  std::memcpy(buffer, in_order, sizeof in_order);
  const bool is_long = first[1] != 0;
  return {buffer, (is_long ? 16U : 8U) - static_cast<std::size_t>(std::countr_zero(first[is_long ? 1 : 0])) / 8};
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

Vocabulary::Vocabulary(std::span<TermTables* const> tables, std::int64_t min_n, const Threads& threads)
    : terms_(tables.size()), min_n_(static_cast<std::size_t>(min_n)) {
  sort_words(tables, threads);
  const std::size_t max_n = tables.empty() ? 1 : 1 + tables[0]->ngrams.size();
  for (std::size_t n = 2; n <= max_n; ++n) sort_ngrams(tables, n, threads);
  number_terms(tables, max_n, threads);
  if (max_n > 1 && has_control_characters())
    for_each_block(1, threads, [&](std::int64_t, Worker& worker) { sort_strings(tables, worker); });
}

// Returns whether a character of a word sorts below a blank.
bool Vocabulary::has_control_characters() const {
  char buffer[16];
  for (std::int64_t i = 0; i < words_.size; ++i)
    for (const char c : words_.keys[i].bytes(buffer))
      if (static_cast<unsigned char>(c) < ' ') return true;
  return false;
}

// Numbers all terms again, in the order of their bytes. O(n log n) comparisons of strings.
void Vocabulary::sort_strings(std::span<TermTables* const> tables, Worker& worker) {
  std::vector<std::string> strings;
  for_each_term([&](std::int64_t term, std::string_view text) {
    if (term % (1 << 16) == 0) worker.check();
    strings.emplace_back(text);
  });
  std::vector<std::int32_t> order(strings.size()), number(strings.size());
  std::iota(order.begin(), order.end(), 0);
  std::uint32_t steps = 0;
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    if (++steps % (1 << 16) == 0) worker.check();
    return strings[static_cast<std::size_t>(a)] < strings[static_cast<std::size_t>(b)];
  });
  LargeArray<std::int64_t> rows = LargeArray<std::int64_t>::uninitialised(n_terms_);
  for (std::size_t i = 0; i < order.size(); ++i) {
    number[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    rows[static_cast<std::int64_t>(i)] = rows_[order[i]];
    strings_.push_back(std::move(strings[static_cast<std::size_t>(order[i])]));
  }
  rows_ = std::move(rows);
  for (std::size_t t = 0; t < terms_.size(); ++t)
    for (std::size_t n = 1; n <= terms_[t].size(); ++n)
      for (std::int64_t id = 0; id < tables[t]->size(n); ++id)
        if (std::int32_t& term = terms_[t][n - 1][id]; term >= 0) term = number[static_cast<std::size_t>(term)];
}

void Vocabulary::sort_words(std::span<TermTables* const> tables, const Threads& threads) {
  const std::uint32_t n_stop = tables.empty() ? 0 : tables[0]->n_stop;
  std::vector<WordTable*> words;
  std::vector<std::int32_t*> ranks;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    words.push_back(&tables[t]->words);
    ranks.push_back(terms_[t].emplace_back(Ranks::uninitialised(words[t]->size())).get());
    std::fill_n(ranks[t], n_stop, -1);
  }
  const auto key_of = [&](std::size_t t, const WordKey& key) { return sorted_key(*words[t], key); };
  words_ = sorted_terms<SortedWord, WordTable>(words, n_stop, key_of, ranks, threads);
}

void Vocabulary::sort_ngrams(std::span<TermTables* const> tables, std::size_t n, const Threads& threads) {
  std::vector<NgramTable*> ngrams;
  std::vector<std::int32_t*> ranks;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    ngrams.push_back(&tables[t]->ngrams[n - 2]);
    ranks.push_back(terms_[t].emplace_back(Ranks::uninitialised(ngrams[t]->size())).get());
  }
  const auto key_of = [&](std::size_t t, NgramKey key) {
    return NgramKey::of(static_cast<std::uint32_t>(terms_[t][n - 2][key.prefix()]),
                        static_cast<std::uint32_t>(terms_[t][0][key.word()]));
  };
  ngrams_.push_back(sorted_terms<NgramKey, NgramTable>(ngrams, 0, key_of, ranks, threads));
}

// Sets n_terms_. Returns `places`: places[n - 1][i] is the number of the term that is the i-th sorted n-gram of n words. If
// an n-gram is too short to be a term, its element of `places` is the number of the first term that begins with the n-gram.
std::vector<LargeArray<std::int64_t>> Vocabulary::places_of_terms(std::size_t max_n, Worker& worker) {
  const auto for_each_ngram = [&](std::size_t n, const auto& f) {
    for (std::int64_t i = 0; i < n_of_length(n); ++i) {
      if (i % (1 << 16) == 0) worker.check();
      f(i);
    }
  };
  std::vector<LargeArray<std::int64_t>> places;  // at first, the number of terms that are or begin with each n-gram
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

// Numbers all terms, given the rank of each n-gram among the n-grams of the same n. An n-gram comes after its prefix, after
// all smaller n-grams with the same prefix, and after all n-grams that begin with these smaller n-grams. Replaces the ranks
// in terms_ with the numbers of terms. O(n-grams).
void Vocabulary::number_terms(std::span<TermTables* const> tables, std::size_t max_n, const Threads& threads) {
  if (max_n == 1) {  // if all terms are words, a word's rank is the number of its term
    n_terms_ = words_.size;
    return;
  }
  std::vector<LargeArray<std::int64_t>> places;
  for_each_block(1, threads, [&](std::int64_t, Worker& worker) { places = places_of_terms(max_n, worker); });
  rows_ = LargeArray<std::int64_t>::uninitialised(n_terms_);
  for (std::size_t n = 1; n <= max_n; ++n) {
    const std::int64_t* const documents = (n == 1 ? words_.documents : ngrams_[n - 2].documents).get();
    const std::int64_t* const own = places[n - 1].get();
    const std::int64_t n_ids = n < min_n_ ? 0 : n_of_length(n);
    for_each_range(n_ids, ids_at_once, threads, [&](std::int64_t begin, std::int64_t end, Worker&) {
      for (std::int64_t i = begin; i < end; ++i) rows_[own[i]] = documents[i];
    });
    for (std::size_t t = 0; t < tables.size(); ++t) {
      std::int32_t* const terms = terms_[t][n - 1].get();
      for_each_range(tables[t]->size(n), ids_at_once, threads, [&](std::int64_t begin, std::int64_t end, Worker&) {
        for (std::int64_t id = begin; id < end; ++id)
          terms[id] = n < min_n_ || terms[id] < 0 ? -1 : static_cast<std::int32_t>(own[terms[id]]);
      });
    }
  }
}

void Vocabulary::for_each_term(const std::function<void(std::int64_t, std::string_view)>& visit) const {
  if (!strings_.empty()) {
    for (std::size_t i = 0; i < strings_.size(); ++i) visit(static_cast<std::int64_t>(i), strings_[i]);
    return;
  }
  char buffer[16];
  if (ngrams_.empty()) {
    for (std::int64_t i = 0; i < words_.size; ++i) visit(i, words_.keys[i].bytes(buffer));
    return;
  }
  const std::size_t max_n = 1 + ngrams_.size();
  std::int64_t term = 0;
  std::string text;
  std::vector<std::int64_t> next(max_n, 0);  // next[n - 1] is the next n-gram of n words to visit
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

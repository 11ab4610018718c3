// Keys and hashes of terms. Open-addressing hash tables, which map terms to ids 0, 1, ... in the order of first occurrence.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "termsift/large_memory.hpp"
#include "termsift/portability.hpp"
#include "text/tuning.hpp"

namespace termsift {

// ---- keys and hashes ----------------------------------------------------------------------------------------------------

inline std::uint64_t load_u64(const void* bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// The key of a word or of an n-gram of characters. A token of at most 16 bytes, padded with zeros, is its own key unless its
// last byte is zero. Tokens that are empty, have more than 16 bytes or end with a zero byte are called "outside" tokens. In
// the key of an outside token, `low` is a hash of its bytes, and `high` is outside_bits plus the offset of its bytes in the
// table's arena_.
struct WordKey {
  std::uint64_t low = 0, high = 0;

  static constexpr std::uint64_t outside_bits = std::uint64_t{0xFF} << 56;  // UTF-8 never has a byte 0xFF
  static constexpr std::uint32_t most_bytes = 16;

  bool is_empty() const { return (low | high) == 0; }
  bool is_outside() const { return high >= outside_bits; }
  std::uint64_t arena_offset() const { return high - outside_bits; }
  // Returns the bytes of a token that is its own key. The bytes lie in `buffer`, which must have room for most_bytes bytes.
  std::string_view bytes(char* buffer) const {
    std::memcpy(buffer, &low, sizeof low);
    std::memcpy(buffer + sizeof low, &high, sizeof high);
    std::size_t size = most_bytes;
    while (buffer[size - 1] == 0) --size;  // zeros are padding, because no token that is its own key ends with a zero byte
    return {buffer, size};
  }
  bool operator==(const WordKey& other) const { return ((low ^ other.low) | (high ^ other.high)) == 0; }
};

// The key of an n-gram of words: the id of its prefix (the first n - 1 words), and the id of its last word.
struct NgramKey {
  std::uint64_t pair_plus_one = 0;  // 0 for an empty slot

  static NgramKey of(std::uint32_t prefix, std::uint32_t word) { return {((std::uint64_t{prefix} << 32) | word) + 1}; }
  std::uint32_t prefix() const { return static_cast<std::uint32_t>((pair_plus_one - 1) >> 32); }
  std::uint32_t word() const { return static_cast<std::uint32_t>(pair_plus_one - 1); }
  bool is_empty() const { return pair_plus_one == 0; }
  auto operator<=>(const NgramKey&) const = default;
};

class KeyHash {
 public:
  KeyHash() : KeyHash(text_tuning().seed) {}
  explicit KeyHash(const std::uint64_t (&seed)[3]) : seed_{seed[0], seed[1], seed[2]} {}
  std::uint64_t operator()(const WordKey& key) const {
    return key.is_outside() ? key.low : fold(key.low ^ seed_[0], key.high ^ seed_[1]);
  }
  std::uint64_t operator()(const NgramKey& key) const { return fold(key.pair_plus_one ^ seed_[0], seed_[1] | 1); }
  std::uint64_t of_bytes(std::string_view bytes) const {
    std::uint64_t hash = fold(bytes.size() ^ seed_[2], seed_[0] | 1);
    for (; bytes.size() >= 16; bytes.remove_prefix(16))
      hash = fold(load_u64(bytes.data()) ^ seed_[0] ^ hash, load_u64(bytes.data() + 8) ^ seed_[1]);
    char rest[16] = {};
    std::memcpy(rest, bytes.data(), bytes.size());
    return fold(load_u64(rest) ^ seed_[1] ^ hash, load_u64(rest + 8) ^ seed_[2]);
  }

 private:
  std::uint64_t seed_[3];
};

// Returns the key of a token for a search. The key of an outside token (see WordKey) lacks the arena offset. At least 16
// bytes from the token's start must be readable.
inline WordKey key_of_token(std::string_view token, const KeyHash& hash) {
  // For an empty token, the unsigned difference is large.
  if (token.size() - 1 >= WordKey::most_bytes || token.back() == 0) [[unlikely]]
    return {hash.of_bytes(token), WordKey::outside_bits};
  static constexpr std::uint8_t mask[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
  const std::uint8_t* const kept = mask + (16 - token.size());  // makes the bytes after the token zero
  return {load_u64(token.data()) & load_u64(kept), load_u64(token.data() + 8) & load_u64(kept + 8)};
}

// Returns the hash of a word or of an n-gram of characters.
inline std::uint64_t word_hash(std::string_view bytes) {
  static constexpr std::uint64_t seed[3] = {0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0};  // digits of pi
  return KeyHash(seed).of_bytes(bytes);
}

// Returns the hash of n words from the hash of the first n - 1 words and the hash of the last word.
inline std::uint64_t ngram_hash(std::uint64_t prefix, std::uint64_t word) {
  return fold(prefix ^ 0x082EFA98EC4E6C89, word ^ 0x452821E638D01377);
}

// MurmurHash3_x86_32 by Austin Appleby, in the public domain, with seed 0.
inline std::int32_t murmur3(std::string_view bytes) {
  constexpr std::uint32_t c1 = 0xCC9E2D51, c2 = 0x1B873593;
  const auto mixed = [](std::uint32_t k) { return std::rotl(k * c1, 15) * c2; };
  const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<std::uint8_t>(bytes[i])}; };
  std::uint32_t hash = 0;
  std::size_t i = 0;
  for (; i + 4 <= bytes.size(); i += 4)
    hash = std::rotl(hash ^ mixed(byte(i) | byte(i + 1) << 8 | byte(i + 2) << 16 | byte(i + 3) << 24), 13) * 5 + 0xE6546B64;
  std::uint32_t rest = 0;
  for (std::size_t j = bytes.size(); j > i; --j) rest = rest << 8 | byte(j - 1);
  if (i < bytes.size()) hash ^= mixed(rest);
  hash ^= static_cast<std::uint32_t>(bytes.size());
  hash = (hash ^ hash >> 16) * 0x85EBCA6B;
  hash = (hash ^ hash >> 13) * 0xC2B2AE35;
  return static_cast<std::int32_t>(hash ^ hash >> 16);
}

// Returns the column that scikit-learn's HashingVectorizer gives to a term with this hash.
inline std::int32_t column_of(std::int32_t hash, std::int32_t n_columns) {
  // The smallest hash, whose absolute value does not fit into 32 bits, gets the same column as in scikit-learn.
  return hash == std::numeric_limits<std::int32_t>::min()
             ? (std::numeric_limits<std::int32_t>::max() - (n_columns - 1)) % n_columns
             : (hash < 0 ? -hash : hash) % n_columns;
}

// ---- tables -------------------------------------------------------------------------------------------------------------

inline constexpr std::uint32_t no_term = 0xFFFFFFFF;

// A slot holds all data that counting a token reads and writes, so a token costs one cache miss instead of two.
template <class Key>
struct Slot {
  Key key;
  std::uint32_t id;
  std::uint32_t tag;          // the tag of the last document that contains the term
  std::uint32_t at_or_count;  // when counting by document: the term's place in the document's row; by class: see ClassRows
  std::uint32_t documents;    // when counting by document: the number of rows with the term; by class: see ClassRows
};

// A hash table in which at most three quarters of the slots are filled. A slot takes 32 bytes for words and 24 for n-grams.
// A term of a large table therefore takes 32 to 86 bytes, or 1.5 times as much while the table grows.
template <class Key>
class SlotTable {
 public:
  using KeyType = Key;
  static constexpr std::uint32_t most_terms = std::uint32_t{1} << 31;

  explicit SlotTable(bool keeps_keys = false) : keeps_keys_(keeps_keys) { resize(text_tuning().first_slots); }

  std::uint32_t size() const { return size_; }
  std::int64_t n_bytes() const { return n_slots_ * std::int64_t{sizeof(Slot<Key>)}; }
  const KeyHash& hash() const { return hash_; }
  // Finds the slot where the search for a hash begins. A Homes object is valid until a key is inserted.
  struct Homes {
    Slot<Key>* slots;
    int shift;
    bool is_large;
    Slot<Key>* of(std::uint64_t hash) const { return slots + (hash >> shift); }
    // In a large table, few terms are in the slot where their search begins, so searches continue in the next cache lines.
    // Prefetching three of the next cache lines, too, saves a fifth of the time to look up 3 million words.
    void prefetch(const Slot<Key>* home) const {
      prefetch_for_write(home);
      for (int next = 2; is_large && next <= 6; next += 2) prefetch_for_write(home + next);
    }
  };
  Homes homes() const { return {slots_, shift_, is_large_}; }
  // Returns the key of each id, or an empty vector if the table does not keep keys.
  const std::vector<Key>& keys() const { return keys_; }

  // Returns the slot whose key satisfies same(key), or an empty slot if there is no such key.
  template <class Same>
  Slot<Key>* find(std::uint64_t hash, const Same& same) const {
    Slot<Key>* slot = homes().of(hash);
    for (; !slot->key.is_empty() && !same(slot->key);) slot = next(slot);
    return slot;
  }

  // Fills the empty slot that find() returned, or a new slot if the table must grow.
  Slot<Key>* insert(Slot<Key>* slot, const Key& key) {
    if (size_ == most_terms) throw std::length_error("the texts have more than 2^31 different terms");
    if (size_ >= most_taken_) {
      grow();
      slot = find(hash_(key), [](const Key&) { return false; });
    }
    if (keeps_keys_) keys_.push_back(key);
    *slot = {key, size_++, 0, 0, 0};
    return slot;
  }

  template <class F>
  void for_each_slot(const F& f) const {
    for (std::int64_t i = 0; i < n_slots_; ++i)
      if (!slots_[i].key.is_empty()) f(slots_[i]);
  }
  std::span<const Slot<Key>> slots() const { return {slots_, static_cast<std::size_t>(n_slots_)}; }
  // Makes a table of few terms sparse, so that a search for an unknown word usually ends at its first slot.
  void spread() {
    while (n_slots_ < 16 * std::int64_t{size_} && n_slots_ < (1 << 14)) grow();
  }
  // Gives empty slots the id no_term. No key may be inserted afterwards.
  void mark_empty_slots() {
    for (Slot<Key>* slot = slots_; slot < slots_ + n_slots_; ++slot)
      if (slot->key.is_empty()) slot->id = no_term;
  }
  // Removes all terms and keeps the memory.
  void clear() {
    std::fill_n(slots_, n_slots_, Slot<Key>{});
    size_ = 0;
  }
  // Frees the slots. No term can be looked up in a table without slots.
  void free_slots() {
    memory_ = {};
    n_slots_ = 0;
  }

 private:
  Slot<Key>* next(Slot<Key>* slot) const { return ++slot == slots_ + n_slots_ ? slots_ : slot; }
  void resize(std::int64_t n_slots) {
    // A slot of 32 bytes must lie in one cache line, because only one line is prefetched.
    constexpr std::size_t line = 64;
    memory_ = LargeArray<std::byte>::zeroed(n_slots * std::int64_t{sizeof(Slot<Key>)} + std::int64_t{line});
    void* aligned = memory_.get();
    std::size_t room = line;
    slots_ = static_cast<Slot<Key>*>(std::align(line, 1, aligned, room));
    n_slots_ = n_slots;
    // A large table, which never fits into the cache, is filled more densely than a small one to take fewer memory pages.
    is_large_ = n_slots > text_tuning().small_slots;
    most_taken_ = is_large_ ? n_slots / 4 * 3 : n_slots / 2;
    for (shift_ = 64; n_slots > 1; n_slots /= 2) --shift_;
  }
  // Small tables grow fourfold, because each growth costs page faults.
  void grow() {
    const LargeArray<std::byte> held = std::move(memory_);
    const Slot<Key>* const old = slots_;
    const std::int64_t n_old = n_slots_;
    resize(n_old * (n_old < (1 << 16) ? 4 : 2));
    for (std::int64_t i = 0; i < n_old; ++i)
      if (!old[i].key.is_empty()) *find(hash_(old[i].key), [](const Key&) { return false; }) = old[i];
  }

  KeyHash hash_;
  LargeArray<std::byte> memory_;
  Slot<Key>* slots_ = nullptr;
  std::vector<Key> keys_;
  std::int64_t n_slots_ = 0, most_taken_ = 0;
  int shift_ = 64;
  bool is_large_ = false;
  std::uint32_t size_ = 0;
  bool keeps_keys_;
};

// The table of tokens, which are words or n-grams of characters.
class WordTable : public SlotTable<WordKey> {
 public:
  using SlotTable::SlotTable;

  std::int64_t n_bytes() const { return SlotTable::n_bytes() + static_cast<std::int64_t>(arena_.size()); }
  // Returns the slot of a token (which may be an outside token, see WordKey), or an empty slot.
  Slot<WordKey>* find_token(const WordKey& key, std::string_view token) const {
    const std::uint64_t hashed = hash()(key);
    if (!key.is_outside()) return find(hashed, [&](const WordKey& other) { return key == other; });
    return find(hashed, [&](const WordKey& other) {
      return other.is_outside() && other.low == key.low && outside(other) == token;
    });
  }
  Slot<WordKey>* find_or_insert(WordKey key, std::string_view token) {
    Slot<WordKey>* const slot = find_token(key, token);
    if (!slot->key.is_empty()) return slot;
    if (key.is_outside()) {
      key.high += arena_.size();
      const auto size = static_cast<std::uint32_t>(token.size());
      const auto* const length = reinterpret_cast<const char*>(&size);
      arena_.insert(arena_.end(), length, length + sizeof size);
      arena_.insert(arena_.end(), token.begin(), token.end());
    }
    return insert(slot, key);
  }
  void clear() {
    SlotTable::clear();
    arena_.resize(1);
  }
  // Inserts all terms of another table. Element i of the result is the new id of the term that has id i in `other`.
  std::vector<std::uint32_t> insert_all(const WordTable& other) {
    std::vector<std::uint32_t> ids(other.size());
    // All tables have the same hash function. If terms were inserted in the order of their slots, the terms inserted so far
    // would always crowd into one region of this table.
    constexpr std::size_t step = 32;
    const auto slots = other.slots();
    for (std::size_t first = 0; first < step; ++first)
      for (std::size_t i = first; i < slots.size(); i += step) {
        if (i + 8 * step < slots.size()) homes().prefetch(homes().of(hash()(slots[i + 8 * step].key)));
        WordKey key = slots[i].key;
        if (key.is_empty()) continue;
        const std::string_view token = key.is_outside() ? other.outside(key) : std::string_view();
        if (key.is_outside()) key.high = WordKey::outside_bits;
        ids[slots[i].id] = find_or_insert(key, token)->id;
      }
    return ids;
  }
  // Returns the bytes of an outside token (see WordKey).
  std::string_view outside(const WordKey& key) const {
    const char* const place = arena_.data() + key.arena_offset();
    std::uint32_t size = 0;
    std::memcpy(&size, place, sizeof size);
    return {place + sizeof size, size};
  }
  // Returns the bytes of a token. The bytes may lie in `buffer`, which must have room for WordKey::most_bytes bytes.
  std::string_view bytes(const WordKey& key, char* buffer) const {
    return key.is_outside() ? outside(key) : key.bytes(buffer);
  }

 private:
  std::vector<char> arena_ = {0};  // the length and the bytes of each outside token; offset 0 is never used
};

class NgramTable : public SlotTable<NgramKey> {
 public:
  using SlotTable::SlotTable;

  Slot<NgramKey>* find_key(NgramKey key) const {
    return find(hash()(key), [key](NgramKey other) { return key == other; });
  }
  Slot<NgramKey>* find_or_insert(NgramKey key) {
    Slot<NgramKey>* const slot = find_key(key);
    return slot->key.is_empty() ? insert(slot, key) : slot;
  }
};

// The terms that a thread has found: words, and n-grams of 2, 3, ... words.
struct TermTables {
  TermTables(std::int64_t max_n, bool keeps_keys) : words(keeps_keys) {
    for (std::int64_t n = 2; n <= max_n; ++n) ngrams.emplace_back(keeps_keys);
  }
  std::uint32_t size(std::size_t n) const { return n == 1 ? words.size() : ngrams[n - 2].size(); }
  std::int64_t n_bytes() const {
    std::int64_t sum = words.n_bytes();
    for (const NgramTable& table : ngrams) sum += table.n_bytes();
    return sum;
  }

  WordTable words;
  std::vector<NgramTable> ngrams;  // ngrams[n - 2] has the n-grams of n words
  std::uint32_t n_stop = 0;        // the first n_stop words are stop words
};

}  // namespace termsift

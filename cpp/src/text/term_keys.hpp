// Keys of terms in hash tables. Hashes of terms for sketches and buckets, which are the same in every process.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "termsift/portability.hpp"
#include "text/tuning.hpp"

namespace termsift {

inline std::uint64_t load_u64(const void* bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// The key of a word or of an n-gram of characters. A token of at most 16 bytes is its own key, padded with zeros, unless its
// last byte is zero. All other tokens are "outside" tokens. In the key of an outside token, `low` is a hash of its bytes,
// and `high` is outside_bits plus the offset of its bytes in the arena of the table.
struct WordKey {
  std::uint64_t low = 0, high = 0;

  static constexpr std::uint64_t outside_bits = std::uint64_t{0xFF} << 56;  // UTF-8 never has a byte 0xFF
  static constexpr std::uint32_t most_bytes = 16;

  bool is_empty() const { return (low | high) == 0; }
  bool is_outside() const { return high >= outside_bits; }
  std::uint64_t arena_offset() const { return high - outside_bits; }
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

// A seeded hash function of keys.
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

// Returns the key of a token for a search. If the token is "outside" (see WordKey), its key has no arena offset. 16 bytes
// must be readable, and the token must not be empty.
inline WordKey key_of_token(std::string_view token, const KeyHash& hash) {
  if (token.size() > WordKey::most_bytes || token.back() == 0) [[unlikely]]
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
  // The absolute value of the smallest hash does not fit into 32 bits. This hash gets the same column as in scikit-learn.
  return hash == std::numeric_limits<std::int32_t>::min()
             ? (std::numeric_limits<std::int32_t>::max() - (n_columns - 1)) % n_columns
             : (hash < 0 ? -hash : hash) % n_columns;
}

}  // namespace termsift

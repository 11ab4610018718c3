// Keys for terms in hash tables.
#pragma once

#include <cstdint>
#include <cstring>

#include "termsift/portability.hpp"
#include "text/tuning.hpp"

namespace termsift {

inline std::uint64_t load_u64(const std::uint8_t* bytes) {
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
  std::uint64_t of_bytes(const std::uint8_t* bytes, std::size_t size) const {
    std::uint64_t hash = fold(size ^ seed_[2], seed_[0] | 1);
    for (; size >= 16; bytes += 16, size -= 16)
      hash = fold(load_u64(bytes) ^ seed_[0] ^ hash, load_u64(bytes + 8) ^ seed_[1]);
    std::uint8_t rest[16] = {};
    std::memcpy(rest, bytes, size);
    return fold(load_u64(rest) ^ seed_[1] ^ hash, load_u64(rest + 8) ^ seed_[2]);
  }

 private:
  std::uint64_t seed_[3];
};

// Returns the first `size` <= 16 bytes, padded with zeros. 16 bytes must be readable.
inline WordKey padded_key(const std::uint8_t* bytes, std::uint32_t size) {
  static constexpr std::uint8_t mask[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
  const std::uint8_t* const kept = mask + (16 - size);
  return {load_u64(bytes) & load_u64(kept), load_u64(bytes + 8) & load_u64(kept + 8)};
}

// Returns the key of a token for a search. If the token is "outside" (see WordKey), its key has no arena offset. 16 bytes
// must be readable, and the token must not be empty.
inline WordKey key_of_token(const std::uint8_t* bytes, std::uint32_t size, const KeyHash& hash) {
  if (size > WordKey::most_bytes || bytes[size - 1] == 0) [[unlikely]]
    return {hash.of_bytes(bytes, size), WordKey::outside_bits};
  return padded_key(bytes, size);
}

}  // namespace termsift

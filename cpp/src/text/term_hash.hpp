// Hash functions for sketches and buckets of terms. A term has the same hash in every process.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>

#include "text/term_keys.hpp"

namespace termsift {

// Returns the hash of a word or of an n-gram of characters.
inline std::uint64_t word_hash(const std::uint8_t* bytes, std::uint32_t size) {
  static constexpr std::uint64_t seed[3] = {0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0};  // digits of pi
  return KeyHash(seed).of_bytes(bytes, size);
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

// Returns the column of a term with this hash, as scikit-learn's HashingVectorizer does.
inline std::int32_t column_of(std::int32_t hash, std::int32_t n_columns) {
  // The absolute value of the least hash does not fit 32 bits. This hash gets the same column as in scikit-learn.
  return hash == std::numeric_limits<std::int32_t>::min()
             ? (std::numeric_limits<std::int32_t>::max() - (n_columns - 1)) % n_columns
             : (hash < 0 ? -hash : hash) % n_columns;
}

}  // namespace termsift

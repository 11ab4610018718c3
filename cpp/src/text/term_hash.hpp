// Hashes of terms that are the same in every process, for sketches of terms.
#pragma once

#include <cstdint>

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

}  // namespace termsift

// Bits of words, for kernels: always inlined, so that no SIMD target's version of them is kept.
#pragma once

#include <cstdint>

#include "termsift/inline.hpp"

#if !defined(__GNUC__)
#include <bit>
#endif

namespace termsift {

// Returns the number of the lowest bit that is set; one must be.
TERMSIFT_INLINE int lowest_set(std::uint64_t bits) {
#if defined(__GNUC__)
  return __builtin_ctzll(bits);
#else
  return std::countr_zero(bits);
#endif
}

TERMSIFT_INLINE int count_set(std::uint64_t bits) {
#if defined(__GNUC__)
  return __builtin_popcountll(bits);
#else
  return std::popcount(bits);
#endif
}

}  // namespace termsift

// Bits and bytes of words, for kernels: always inlined, so that no SIMD target's version of them is kept.
#pragma once

#include <cstddef>
#include <cstdint>

#include "termsift/inline.hpp"

#if !defined(__GNUC__)
#include <bit>
#include <cstring>
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

// As std::memcpy.
TERMSIFT_INLINE void copy_bytes(void* to, const void* from, std::size_t n) {
#if defined(__GNUC__)
  __builtin_memcpy(to, from, n);
#else
  std::memcpy(to, from, n);
#endif
}

}  // namespace termsift

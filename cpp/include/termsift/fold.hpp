// The step of the hash functions of labels and of terms.
#pragma once

#include <cstdint>

#ifdef _MSC_VER
#include <intrin.h>
#endif

namespace termsift {

// Multiplies to 128 bits and folds them: a strong mixing in one multiplication.
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
  std::uint64_t high = 0;
  const std::uint64_t low = _umul128(a, b, &high);
  return low ^ high;
#endif
}

}  // namespace termsift

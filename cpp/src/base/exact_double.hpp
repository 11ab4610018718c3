// Counts as double-doubles.
#pragma once

#include <cstdint>

#include "termsift/double_double.hpp"

namespace termsift {

// Returns the count without loss. An int64 above 2^53 may not be a double, but each of its halves is one.
TERMSIFT_INLINE DoubleDouble exact_double(std::int64_t count) {
  const std::int64_t low = count & 0xffffffff;
  return quick_two_sum(static_cast<double>(count - low), static_cast<double>(low));
}
TERMSIFT_INLINE DoubleDouble exact_double(double count) { return {count, 0}; }

}  // namespace termsift

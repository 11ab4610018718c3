// A count as a double-double, without loss.
#pragma once

#include <cstdint>

#include "termsift/double_double.hpp"

namespace termsift {

// An int64 above 2^53 is no double; its halves are.
TERMSIFT_INLINE DoubleDouble exact_double(std::int64_t count) {
  const std::int64_t low = count & 0xffffffff;
  return quick_two_sum(static_cast<double>(count - low), static_cast<double>(low));
}
TERMSIFT_INLINE DoubleDouble exact_double(double count) { return {count, 0}; }

}  // namespace termsift

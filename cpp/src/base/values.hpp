// Converts values of a matrix to counts, and to text for messages.
#pragma once

#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>

#include "termsift/portability.hpp"
#include "termsift/types.hpp"

namespace termsift {

template <CountType Count, class Value>
TERMSIFT_INLINE Count as_count(Value value) {
  if constexpr (std::is_same_v<Value, Bool>)
    return static_cast<Count>(value != Bool{0});
  else
    return static_cast<Count>(value);
}

template <class Value>
std::string text(Value value) {
  if constexpr (std::is_floating_point_v<Value>) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.*g", std::numeric_limits<Value>::max_digits10, static_cast<double>(value));
    return buffer;
  } else if constexpr (std::is_same_v<Value, Bool>) {
    return value == Bool{0} ? "0" : "1";
  } else {
    return std::to_string(value);
  }
}

}  // namespace termsift

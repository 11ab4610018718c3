// The values of a matrix: as counts, and as text for messages.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "termsift/inline.hpp"
#include "termsift/types.hpp"

namespace termsift {

template <CountType Count, class Value>
TERMSIFT_INLINE Count as_count(Value value) {
  if constexpr (std::is_same_v<Value, Bool>)
    return static_cast<Count>(value != Bool{0});
  else
    return static_cast<Count>(value);
}

inline std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return buffer;
}
inline std::string text(float value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.9g", static_cast<double>(value));
  return buffer;
}
template <class Value>
std::string text(Value value) {
  return std::to_string(value);
}
inline std::string text(Bool value) { return text(static_cast<double>(value)); }

}  // namespace termsift

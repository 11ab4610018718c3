// What Python holds: exact or float counts.
#pragma once

#include <variant>

#include "termsift/class_counts.hpp"

namespace termsift::bindings {

// Immutable; every operation returns a new one.
using CountsObject = std::variant<ClassCounts<std::int64_t>, ClassCounts<double>>;

}  // namespace termsift::bindings

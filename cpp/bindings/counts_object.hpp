// What Python holds: exact or float counts.
#pragma once

#include <variant>

#include "pybind11.hpp"
#include "termsift/class_counts.hpp"

namespace termsift::bindings {

// Immutable; every operation returns a new one.
using CountsObject = std::variant<ClassCounts<std::int64_t>, ClassCounts<double>>;

// The counts that a Python object of class Counts holds; a Python error for another object.
const CountsObject& counts_of(const pybind11::handle& object);

}  // namespace termsift::bindings

// The counts that a Python object holds.
#pragma once

#include <variant>

#include "pybind11.hpp"
#include "termsift/class_counts.hpp"

namespace termsift::bindings {

// Exact or float counts. They are immutable: every operation returns new ones.
using CountsObject = std::variant<ClassCounts<std::int64_t>, ClassCounts<double>>;

// Returns the counts of a Python object of class Counts. Raises a Python error for another object.
const CountsObject& counts_of(const pybind11::handle& object);

// Returns a Python object of class Counts.
pybind11::object to_python(CountsObject counts);

}  // namespace termsift::bindings

// The documents that a Python object of class Texts holds.
#pragma once

#include <memory>
#include <vector>

#include "pybind11.hpp"
#include "termsift/texts.hpp"

namespace termsift::bindings {

// Returns the documents of a Python object of class Texts, which must outlive the result. Raises a Python error for another
// object. A call that throws BadText raises BadTextError in Python, whatever binding it came through.
Texts texts_of(const py::handle& object);

// Returns a Python object of class Texts whose documents lie in what `owner` holds.
py::object texts_object(std::vector<Text> texts, std::shared_ptr<const void> owner);

}  // namespace termsift::bindings

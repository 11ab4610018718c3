// Helpers for the bindings of the text parsers.
#pragma once

#include <string_view>
#include <utility>

#include "pybind11.hpp"
#include "termsift/bad_line.hpp"

namespace termsift::bindings {

// The bytes of a Python object, which cannot be resized during this lifetime.
class Bytes {
 public:
  explicit Bytes(const py::object& object) {
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_SIMPLE) != 0) throw py::error_already_set();
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() { PyBuffer_Release(&buffer_); }
  std::string_view text() const { return {static_cast<const char*>(buffer_.buf), static_cast<std::size_t>(buffer_.len)}; }

 private:
  Py_buffer buffer_{};
};

// Returns "expected ..., found '...'". Python's repr escapes control characters.
inline py::str message(const BadLine& bad) {
  if (bad.found.empty()) return py::str("expected {}, found nothing").format(bad.expected);
  const py::object found = py::bytes(bad.found).attr("decode")("utf-8", "backslashreplace");
  return py::str("expected {}, found {!r}{}").format(bad.expected, found, bad.cut ? "..." : "");
}

// Returns parse(), called without the GIL. Raises ValueError for a wrong line, naming the line and, if given, the file.
template <class Parse>
auto parse_text(const py::str& file, const Parse& parse) {
  try {
    return without_gil(parse);
  } catch (const LineError& error) {
    const char* const form = py::len(file) > 0 ? "{}, line {}: {}" : "{}line {}: {}";
    PyErr_SetObject(PyExc_ValueError, py::str(form).format(file, error.bad.line, message(error.bad)).ptr());
    throw py::error_already_set();
  }
}

// Returns the values as a numpy array: int64 if exact, else float64, whose bits they are.
inline py::array values(LargeArray<std::int64_t> data, std::int64_t n, bool exact) {
  const py::array whole = to_numpy(std::move(data), {n});
  return exact ? whole : py::array(whole.attr("view")(py::dtype::of<double>()));
}

}  // namespace termsift::bindings

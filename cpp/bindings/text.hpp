// What the bindings of the parsers of text share.
#pragma once

#include <string_view>
#include <utility>

#include "pybind11.hpp"
#include "termsift/bad_line.hpp"

namespace termsift::bindings {

// The bytes of an object, which cannot be resized meanwhile.
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

// "expected ..., found '...'", or nothing at the end; Python's repr escapes what no terminal should see.
inline py::str message(const BadLine& bad) {
  if (bad.found.empty()) return py::str("expected {}, found nothing").format(bad.expected);
  const py::object found = py::bytes(bad.found).attr("decode")("utf-8", "backslashreplace");
  return py::str("expected {}, found {!r}{}").format(bad.expected, found, bad.cut ? "..." : "");
}

// Parses without the GIL; a line that is wrong is a ValueError with the name of the file, if it has one, and of the line.
template <class Parse>
auto parse_text(const py::str& file, const Parse& parse) {
  try {
    return without_gil(parse);
  } catch (const LineError& error) {
    const char* const form = py::len(file) > 0 ? "{}, line {}: {}" : "{}line {}: {}";
    const py::str told = py::str(form).format(file, error.bad.line, message(error.bad));
    PyErr_SetObject(PyExc_ValueError, told.ptr());
    throw py::error_already_set();
  }
}

// Values as int64 or, if they are the bits of doubles, as float64.
inline py::array values(LargeArray<std::int64_t> data, std::int64_t n, bool exact) {
  std::int64_t* const raw = data.release();
  const py::capsule owner(raw, [](void* memory) { FreeMemory{}(memory); });
  const py::dtype dtype = exact ? py::dtype::of<std::int64_t>() : py::dtype::of<double>();
  return py::array(dtype, {n}, {}, raw, owner);
}

}  // namespace termsift::bindings

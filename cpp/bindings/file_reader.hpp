// What the bindings of all readers of files share.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

#include "pybind11.hpp"
#include "termsift/table_reader.hpp"

namespace termsift::bindings {

inline py::str described(const py::str& file, const BadRow& row) {
  const char* const form = row.first_line == row.last_line ? "{0}, line {1}: {3}" : "{0}, lines {1} to {2}: {3}";
  const py::object fault = py::bytes(row.fault).attr("decode")("utf-8", "backslashreplace");
  return py::str(form).format(file, row.first_line, row.last_line, fault);
}

// Returns a function that calls readinto(buffer) of a Python file. Any thread may call the returned function.
inline TableReader::Read python_read(py::object readinto) {
  return [readinto = std::make_shared<py::object>(std::move(readinto))](std::uint8_t* to, std::int64_t n) {
    return or_sleep_at_exit([&] {
      const py::gil_scoped_acquire gil;
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      const auto buffer = py::memoryview::from_memory(static_cast<void*>(to), static_cast<py::ssize_t>(n));
      struct Release {  // releases the memoryview, which the traceback of an exception may keep alive
        const py::memoryview& view;
        ~Release() {
          Py_XDECREF(PyObject_CallMethod(view.ptr(), "release", nullptr));
          PyErr_Clear();
        }
      } const release{buffer};
      return (*readinto)(buffer).cast<std::int64_t>();
    });
  };
}

// A reader of a file with a name, which one thread at a time may use.
class FileReader {
 public:
  explicit FileReader(py::str file) : file_(std::move(file)) {}

  const py::str& file() const { return file_; }

  // Returns f(), computed without the GIL. Errors of rows become Python errors with the file and the line. Throws
  // std::logic_error if another thread is reading.
  template <class F>
  auto reading(const F& f) {
    if (is_busy_.exchange(true)) throw std::logic_error("another thread is reading this file");
    struct Free {
      std::atomic<bool>& flag;
      ~Free() { flag = false; }
    } const free{is_busy_};
    try {
      return without_gil(f);
    } catch (const RowError& error) {
      const py::str cure = error.can_skip ? "; on_error='skip' leaves it out" : "";
      PyErr_SetObject(PyExc_ValueError, (described(file_, error.row) + cure).ptr());
      throw py::error_already_set();
    }
  }

 private:
  py::str file_;
  std::atomic<bool> is_busy_{false};
};

}  // namespace termsift::bindings

// The one include of pybind11, and what every binding needs of it.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "termsift/large_memory.hpp"
#include "termsift/parallel.hpp"
#include "termsift/types.hpp"

namespace termsift::bindings {

namespace py = pybind11;
using namespace py::literals;

// Threads for a call made from Python: Ctrl-C is asked about, with the GIL, between blocks of work.
inline Threads python_threads(int n_threads) {
  return {effective_n_threads(n_threads), [] {
            const py::gil_scoped_acquire gil;
            return PyErr_CheckSignals() != 0;
          }};
}

// Runs f without the GIL. If the poll stopped it, the signal handler's exception (KeyboardInterrupt) is pending and goes on.
template <class F>
auto without_gil(const F& f) {
  try {
    const py::gil_scoped_release release;
    return f();
  } catch (const Interrupted&) {
    throw py::error_already_set();
  }
}

// Hands a C++ array to numpy without a copy.
template <class T>
py::array_t<T> to_numpy(LargeArray<T> data, py::array::ShapeContainer shape) {
  T* const raw = data.release();
  const py::capsule owner(raw, [](void* memory) { FreeMemory{}(memory); });
  return py::array_t<T>(std::move(shape), raw, owner);
}

void register_counts(py::module_& module);
void register_scores(py::module_& module);
void register_runtime(py::module_& module);

}  // namespace termsift::bindings

// The only include of pybind11, and helpers for every binding.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#ifdef __GLIBCXX__
#include <cxxabi.h>
#endif
#include <chrono>
#include <thread>

#include "termsift/large_memory.hpp"
#include "termsift/parallel.hpp"
#include "termsift/types.hpp"

namespace termsift::bindings {

namespace py = pybind11;
using namespace py::literals;

// Calls f, which acquires the GIL. While the interpreter exits, Python before 3.14 ends such a thread by pthread_exit, and
// that must not unwind through noexcept functions. The thread sleeps until the process ends instead, as it does from 3.14
// on.
template <class F>
auto or_sleep_at_exit(const F& f) {
#ifdef __GLIBCXX__
  try {
    return f();
  } catch (const abi::__forced_unwind&) {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
#else
  return f();
#endif
}

// Replaces py::gil_scoped_release, whose destructor is noexcept.
class WithoutGil {
 public:
  WithoutGil() = default;
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
  ~WithoutGil() {
    or_sleep_at_exit([this] { PyEval_RestoreThread(state_); });
  }

 private:
  PyThreadState* const state_ = PyEval_SaveThread();
};

// Returns the threads of a call from Python, which check for Ctrl-C, with the GIL, between blocks of work.
inline Threads python_threads(int n_threads) {
  return {effective_n_threads(n_threads), [] {
            return or_sleep_at_exit([] {
              const py::gil_scoped_acquire gil;
              return PyErr_CheckSignals() != 0;
            });
          }};
}

// Step `i` of a loop that holds the GIL. Checks for Ctrl-C now and then.
inline void check_signals(std::int64_t i) {
  if (i % (1 << 16) == 0 && PyErr_CheckSignals() != 0) throw py::error_already_set();
}

// Returns the progress function that calls `report`; empty for None.
inline Progress python_progress(const py::object& report) {
  if (report.is_none()) return {};
  return [&report](std::int64_t done) {
    or_sleep_at_exit([&] {
      const py::gil_scoped_acquire gil;
      report(done);
    });
  };
}

// Runs f without the GIL. If the poll stopped it, raises the pending exception of the signal handler (KeyboardInterrupt).
template <class F>
auto without_gil(const F& f) {
  try {
    const WithoutGil released;
    return f();
  } catch (const Interrupted&) {
    throw py::error_already_set();
  }
}

// Returns the memory as a numpy array, which owns it.
template <class T>
py::array_t<T> to_numpy(LargeArray<T> data, py::array::ShapeContainer shape) {
  T* const raw = data.release();
  const py::capsule owner(raw, [](void* memory) { FreeMemory{}(memory); });
  return py::array_t<T>(std::move(shape), raw, owner);
}

void register_characters();
void register_conditional_gain(py::module_& module);
void register_counts(py::module_& module);
void register_scores(py::module_& module);
void register_greedy(py::module_& module);
void register_labels(py::module_& module);
void register_linear_machines(py::module_& module);
void register_naive_bayes(py::module_& module);
void register_tables(py::module_& module);
void register_text_counting(py::module_& module);
void register_texts(py::module_& module);

}  // namespace termsift::bindings

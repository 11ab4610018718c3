// Helpers for all Python bindings. The bindings include pybind11 only through this file.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#ifdef __GLIBCXX__
#include <cxxabi.h>
#endif
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "termsift/class_counts.hpp"
#include "termsift/csr_view.hpp"
#include "termsift/large_memory.hpp"
#include "termsift/parallel.hpp"
#include "termsift/scores.hpp"
#include "termsift/texts.hpp"
#include "termsift/types.hpp"

namespace termsift::bindings {

namespace py = pybind11;
using namespace py::literals;

// Calls f, which acquires the GIL. While the interpreter exits, Python before 3.14 calls pthread_exit in a thread that
// acquires the GIL. pthread_exit unwinds the stack, and the unwinding must not reach noexcept functions. or_sleep_at_exit
// therefore catches the unwinding and lets the thread sleep until the process ends, as Python 3.14 does.
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

// Releases the GIL, like py::gil_scoped_release, but with a destructor that survives pthread_exit (see or_sleep_at_exit).
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

// Returns the Threads for a call from Python, whose `poll` acquires the GIL and checks for Ctrl-C.
inline Threads python_threads(int n_threads) {
  return {effective_n_threads(n_threads), [] {
            return or_sleep_at_exit([] {
              const py::gil_scoped_acquire gil;
              return PyErr_CheckSignals() != 0;
            });
          }};
}

// Checks for Ctrl-C in every 65,536th step i of a loop that holds the GIL.
inline void check_signals(std::int64_t i) {
  if (i % (1 << 16) == 0 && PyErr_CheckSignals() != 0) throw py::error_already_set();
}

// Returns a progress function that calls `report`, or an empty function if `report` is None.
inline Progress python_progress(const py::object& report) {
  if (report.is_none()) return {};
  return [&report](std::int64_t done) {
    or_sleep_at_exit([&] {
      const py::gil_scoped_acquire gil;
      report(done);
    });
  };
}

// Runs f without the GIL. If `poll` stopped f, raises the exception that the signal handler has set (KeyboardInterrupt).
template <class F>
auto without_gil(const F& f) {
  try {
    const WithoutGil released;
    return f();
  } catch (const Interrupted&) {
    throw py::error_already_set();
  }
}

// Returns f(threads), computed without the GIL.
template <class F>
auto on_threads(int n_threads, const F& f) {
  const Threads threads = python_threads(n_threads);
  return without_gil([&] { return f(threads); });
}

// Returns a numpy array that owns the memory of `data`.
template <class T>
py::array_t<T> to_numpy(LargeArray<T> data, py::array::ShapeContainer shape) {
  const py::capsule owner(data.get(), [](void* memory) { FreeMemory{}(memory); });
  return py::array_t<T>(std::move(shape), data.release(), owner);  // if no capsule is made, `data` frees its memory
}

// Returns an array of the given shape. f(elements, threads) computes the elements without the GIL.
template <class T, class F>
py::array_t<T> computed(const std::vector<std::int64_t>& shape, int n_threads, const F& f) {
  std::int64_t size = 1;
  for (const std::int64_t n : shape) size *= n;
  auto elements = LargeArray<T>::uninitialised(size);
  on_threads(n_threads, [&](const Threads& threads) { f(elements.get(), threads); });
  return to_numpy(std::move(elements), shape);
}

// ---- strings as UTF-8; a lone surrogate takes three bytes ----------------------------------------------------------------

inline std::string encoded(const py::handle& string) {
  PyObject* const bytes = PyUnicode_AsEncodedString(string.ptr(), "utf-8", "surrogatepass");
  if (bytes == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::bytes>(bytes);
}

// Raises TypeError if an element is not a string.
inline std::vector<std::string> all_encoded(const py::sequence& strings, const char* name) {
  std::vector<std::string> all;
  for (const py::object string : strings) {  // keeps the string alive if a signal handler changes the sequence
    check_signals(static_cast<std::int64_t>(all.size()));
    if (!PyUnicode_Check(string.ptr()))
      throw py::type_error(std::string(name) + " must be strings, found " + Py_TYPE(string.ptr())->tp_name);
    all.push_back(encoded(string));
  }
  return all;
}

inline bool is_ascii(std::string_view bytes) {
  std::uint64_t eight = 0, all = 0;
  for (; bytes.size() >= sizeof eight; bytes.remove_prefix(sizeof eight)) {
    std::memcpy(&eight, bytes.data(), sizeof eight);
    all |= eight;
  }
  for (const char c : bytes) all |= static_cast<unsigned char>(c);
  return (all & 0x8080808080808080) == 0;
}

// Copying ASCII takes half as long as Python's decoder. Python has one object for each string of one character, which only
// the decoder finds.
inline py::str decoded(std::string_view bytes) {
  const auto size = static_cast<py::ssize_t>(bytes.size());
  const bool copies = size > 1 && is_ascii(bytes);
  PyObject* const string =
      copies ? PyUnicode_New(size, 127) : PyUnicode_DecodeUTF8(bytes.data(), size, "surrogatepass");
  if (string != nullptr && copies) std::memcpy(PyUnicode_1BYTE_DATA(string), bytes.data(), bytes.size());
  if (string == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(string);
}

// ---- numpy dtypes as C++ types ------------------------------------------------------------------------------------------

template <class T>
bool has_dtype(const py::array& array) {
  if constexpr (std::is_same_v<T, Bool>)
    return py::isinstance<py::array_t<bool>>(array);
  else
    return py::isinstance<py::array_t<T>>(array);
}

inline void require_vector(const py::array& array, const char* name) {
  if (array.ndim() != 1 || !(array.flags() & py::array::c_style))
    throw py::value_error(std::string(name) + " must be a contiguous vector");
}

template <class T>
const T* vector_data(const py::array& array, const char* name) {
  require_vector(array, name);
  if (!has_dtype<T>(array))
    throw py::type_error(std::string(name) + " has the dtype " + py::str(array.dtype()).cast<std::string>());
  return static_cast<const T*>(array.data());
}

template <class T>
std::span<const T> span_of(const py::array& array, const char* name) {
  const T* const data = vector_data<T>(array, name);
  return {data, static_cast<std::size_t>(array.size())};
}

using B2 = std::pair<double, double>;  // the smoothing b2 as a double-double: its value and its rounding error
using Prior = std::optional<py::array>;

// Returns an Estimation with b1, b2 and the prior weights in the array `prior`, which must outlive the Estimation.
inline Estimation estimation(double b1, const B2& b2, const Prior& prior) {
  Estimation e{b1, b2.first, {}, b2.second};
  if (prior) e.prior_weights = span_of<double>(*prior, "class_prior");
  return e;
}

// Returns a view of the three arrays, which must outlive the view. No array is converted. Raises TypeError for a dtype that
// TERMSIFT_FOR_EACH_MATRIX does not list.
inline AnyCsr csr_of(const py::array& indptr, const py::array& indices, const py::array& data, std::int64_t n_columns) {
  require_vector(data, "data");
  if (indptr.size() < 1) throw py::value_error("indptr is empty, expected one entry more than rows");
  if (indices.size() != data.size()) throw py::value_error("indices and data differ in length");
  const bool narrow = has_dtype<std::int32_t>(indptr);
#define TERMSIFT_TRY(Index, Value)                                                                                  \
  if (narrow == std::is_same_v<Index, std::int32_t> && has_dtype<Value>(data))                                      \
    return CsrView<Index, Value>{indptr.size() - 1, n_columns, data.size(), vector_data<Index>(indptr, "indptr"),   \
                                 vector_data<Index>(indices, "indices"), static_cast<const Value*>(data.data())};
  TERMSIFT_FOR_EACH_MATRIX(TERMSIFT_TRY)
#undef TERMSIFT_TRY
  throw py::type_error("counts cannot have the dtype " + py::str(data.dtype()).cast<std::string>());
}

// ---- counts and texts that a Python object holds ------------------------------------------------------------------------

// Exact or float counts. Counts are immutable, so every operation returns new counts.
using CountsObject = std::variant<ClassCounts<std::int64_t>, ClassCounts<double>>;

// Returns the counts of a Python object of class Counts. Raises a Python error for an object that is not a Counts.
const CountsObject& counts_of(const py::handle& object);

// Returns f(counts), where `counts` is the ClassCounts in the Python object.
template <class F>
auto with_counts(const py::handle& object, const F& f) {
  return std::visit(f, counts_of(object));
}

// Returns a Python object of class Counts.
py::object to_python(CountsObject counts);

// Returns the documents of a Python object of class Texts, which must outlive the result. Raises TypeError for an object
// that is not a Texts. A BadText that a binding throws becomes BadTextError in Python.
Texts texts_of(const py::handle& object);

// Returns a Python object of class Texts whose documents lie in the memory that `owner` holds.
py::object texts_object(std::vector<Text> texts, std::shared_ptr<const void> owner);

// ---- modules ------------------------------------------------------------------------------------------------------------

void register_characters();
void register_counts(py::module_& module);
void register_scores(py::module_& module);
void register_selectors(py::module_& module);
void register_labels(py::module_& module);
void register_matrices(py::module_& module);
void register_tables(py::module_& module);
void register_patterns(py::module_& module);
void register_text_counting(py::module_& module);
void register_texts(py::module_& module);

}  // namespace termsift::bindings

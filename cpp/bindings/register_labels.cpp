#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pybind11.hpp"
#include "termsift/label_table.hpp"

namespace termsift::bindings {
namespace {

// Codes of labels: equal labels have the same number.
class Numbering {
 public:
  explicit Numbering(std::int64_t n) : n_(n), codes_(LargeArray<std::int32_t>::uninitialised(n)) {}

  std::int64_t size() const { return n_; }
  std::int32_t& code(std::int64_t i) const { return codes_[i]; }
  std::int64_t first(std::int32_t number) const { return firsts_[static_cast<std::size_t>(number)]; }
  std::int32_t next() const { return static_cast<std::int32_t>(firsts_.size()); }
  // Returns the number of a new distinct label, which first occurs as label i.
  std::int32_t add(std::int64_t i) {
    if (next() == std::numeric_limits<std::int32_t>::max()) throw std::length_error("there are 2^31 different labels");
    firsts_.push_back(i);
    return next() - 1;
  }
  // Gives label i its number. If the number is next(), the label is new.
  void put(std::int64_t i, std::int32_t number) { codes_[i] = number == next() ? add(i) : number; }
  // Returns the codes and the position of the first label of each number.
  py::tuple result() && {
    const py::array_t<std::int64_t> firsts(static_cast<py::ssize_t>(firsts_.size()), firsts_.data());
    return py::make_tuple(to_numpy(std::move(codes_), {n_}), firsts);
  }

 private:
  std::int64_t n_;
  LargeArray<std::int32_t> codes_;
  std::vector<std::int64_t> firsts_;
};

// ---- arrays --------------------------------------------------------------------------------------------------------------

// Numbers labels of `size` bytes each. `width` is `size`, or 0 if no code is specialised for it.
template <std::size_t width>
void number_bytes(const char* bytes, std::size_t size, Numbering& numbering) {
  if constexpr (width != 0) size = width;
  LabelTable table;
  for (std::int64_t i = 0; i < numbering.size(); ++i) {
    const char* const label = bytes + static_cast<std::size_t>(i) * size;
    const auto same = [&](std::int32_t number) {
      return std::memcmp(bytes + static_cast<std::size_t>(numbering.first(number)) * size, label, size) == 0;
    };
    numbering.put(i, table.find_or_add(label_hash::of_bytes(label, size), numbering.next(), same));
  }
}

// Numbers the elements of a contiguous vector by their bytes.
py::tuple number_elements(const py::array& labels) {
  require_vector(labels, "labels");
  Numbering numbering(labels.size());
  const auto size = static_cast<std::size_t>(labels.itemsize());
  const auto number = size == 8 ? number_bytes<8> : size == 4 ? number_bytes<4> : number_bytes<0>;
  const auto* const data = static_cast<const char*>(labels.data());
  without_gil([&] { number(data, size, numbering); });
  return std::move(numbering).result();
}

// ---- strings and other objects -------------------------------------------------------------------------------------------

// Remembers the numbers of some addresses. Most labels of a list are the same few objects, so few objects are read.
class Identities {
 public:
  std::int32_t& of(const void* address) {
    const auto bits = reinterpret_cast<std::uintptr_t>(address);
    Known& known = known_[label_hash::of_word(bits) >> (64 - n_bits)];
    if (known.address != address) known = {address, -1};
    return known.number;
  }

 private:
  static constexpr int n_bits = 12;
  struct Known {
    const void* address = nullptr;
    std::int32_t number = -1;
  };
  std::vector<Known> known_ = std::vector<Known>(std::size_t{1} << n_bits);
};

std::size_t bytes_of(PyObject* string) {
  return static_cast<std::size_t>(PyUnicode_GET_LENGTH(string)) * static_cast<std::size_t>(PyUnicode_KIND(string));
}

// Returns whether two strings have the same characters.
bool are_equal(PyObject* a, PyObject* b) {
  return PyUnicode_GET_LENGTH(a) == PyUnicode_GET_LENGTH(b) && PyUnicode_KIND(a) == PyUnicode_KIND(b) &&
         std::memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), bytes_of(a)) == 0;
}

// Numbers the items of a list or of a vector of objects: strings by their characters (in a third of the time of a
// dictionary), all others by ==. A string and an equal object of a different class have different numbers. Raises TypeError
// for an item that is not hashable.
py::tuple number_objects(const py::object& labels) {
  const bool is_list = PyList_Check(labels.ptr());
  PyObject* const* elements = nullptr;
  std::int64_t n = 0;
  if (is_list) {
    n = PyList_GET_SIZE(labels.ptr());
  } else {
    const auto array = py::cast<py::array>(labels);
    require_vector(array, "labels");
    n = array.size();
    elements = static_cast<PyObject* const*>(array.data());
  }
  Numbering numbering(n);
  Identities identities;
  LabelTable strings;
  py::dict others;
  std::vector<py::object> firsts;  // by number; owned, because comparing may change the list
  for (std::int64_t i = 0; i < n; ++i) {
    check_signals(i);
    if (is_list && i >= PyList_GET_SIZE(labels.ptr())) throw py::value_error("the labels changed while they were read");
    PyObject* item = is_list ? PyList_GET_ITEM(labels.ptr(), i) : elements[i];
    if (item == nullptr) item = Py_None;  // numpy allows it
    std::int32_t& known = identities.of(item);
    if (known < 0) {
      const auto label = py::reinterpret_borrow<py::object>(item);
      if (PyUnicode_CheckExact(item)) {
#if PY_VERSION_HEX < 0x030C0000
        if (PyUnicode_READY(item) != 0) throw py::error_already_set();
#endif
        const std::uint64_t hash = label_hash::of_bytes(PyUnicode_DATA(item), bytes_of(item));
        known = strings.find_or_add(hash, numbering.next(), [&](std::int32_t number) {
          return are_equal(item, firsts[static_cast<std::size_t>(number)].ptr());
        });
      } else {
        const py::int_ next(numbering.next());
        const PyObject* const number = PyDict_SetDefault(others.ptr(), item, next.ptr());
        if (number == nullptr) throw py::error_already_set();
        known = static_cast<std::int32_t>(PyLong_AsLong(const_cast<PyObject*>(number)));
      }
      if (known == numbering.next()) firsts.push_back(label);
    }
    numbering.put(i, known);
  }
  return std::move(numbering).result();
}

// Numbers the strings of a column. Missing strings have a number of their own.
py::tuple number_texts(const py::object& labels) {
  const Texts texts = texts_of(labels);
  Numbering numbering(static_cast<std::int64_t>(texts.size()));
  without_gil([&] {
    LabelTable table;
    for (std::int64_t i = 0; i < numbering.size(); ++i) {
      const Text& text = texts[static_cast<std::size_t>(i)];
      const auto size = static_cast<std::size_t>(text.length);  // Arrow has UTF-8
      const auto same = [&](std::int32_t number) {
        const Text& other = texts[static_cast<std::size_t>(numbering.first(number))];
        return (other.data == nullptr) == (text.data == nullptr) && other.length == text.length &&
               (size == 0 || std::memcmp(other.data, text.data, size) == 0);
      };
      numbering.put(i, table.find_or_add(label_hash::of_bytes(text.data, size), numbering.next(), same));
    }
  });
  return std::move(numbering).result();
}

py::tuple number_labels(const py::object& labels) {
  if (PyList_Check(labels.ptr())) return number_objects(labels);
  if (!py::isinstance<py::array>(labels)) return number_texts(labels);
  const auto array = py::reinterpret_borrow<py::array>(labels);
  return array.dtype().kind() == 'O' ? number_objects(labels) : number_elements(array);
}

}  // namespace

void register_labels(py::module_& module) {
  module.def("number_labels", &number_labels, "labels"_a,
             "The number of each label, and the position of each number's first label.");
}

}  // namespace termsift::bindings

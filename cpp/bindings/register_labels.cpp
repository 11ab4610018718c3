#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dispatch.hpp"
#include "pybind11.hpp"
#include "termsift/label_table.hpp"
#include "texts_object.hpp"

namespace termsift::bindings {
namespace {

// The codes of labels: numbers of the distinct ones.
class Numbering {
 public:
  explicit Numbering(std::int64_t n) : n_(n), codes_(LargeArray<std::int32_t>::uninitialised(n)) {}

  std::int64_t size() const { return n_; }
  std::int32_t& code(std::int64_t i) const { return codes_[i]; }
  std::int64_t first(std::int32_t number) const { return firsts_[static_cast<std::size_t>(number)]; }
  std::int32_t next() const { return static_cast<std::int32_t>(firsts_.size()); }
  // Returns the number of a distinct label, which label i is the first to be.
  std::int32_t add(std::int64_t i) {
    if (next() == std::numeric_limits<std::int32_t>::max()) throw std::length_error("there are 2^31 different labels");
    firsts_.push_back(i);
    return next() - 1;
  }
  // Gives label i its number. If it is next(), this is the first such label.
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

// Words of a small range are looked up in a table, others by their hash. Those of the table are numbered in their own order,
// so that the codes of most collections need not be changed when classes are sorted. Floats have no table: 0.0 and -0.0 are
// equal, and the first of them that occurs names the class.
template <class Word>
void number_words(const Word* words, bool are_floats, Numbering& numbering) {
  const std::int64_t n = numbering.size();
  if (n == 0) return;
  Word low = words[0], high = words[0];
  for (std::int64_t i = 1; i < n; ++i) {
    low = std::min(low, words[i]);
    high = std::max(high, words[i]);
  }
  const std::uint64_t range = high - low;
  if (!are_floats && range <= 4 * static_cast<std::uint64_t>(n) + 256) {
    std::vector<std::int64_t> table(range + 1, -1);  // first positions, and then numbers
    for (std::int64_t i = n; i-- > 0;) table[words[i] - low] = i;
    for (std::int64_t& entry : table)
      if (entry >= 0) entry = numbering.add(entry);
    for (std::int64_t i = 0; i < n; ++i) numbering.code(i) = static_cast<std::int32_t>(table[words[i] - low]);
    return;
  }
  LabelTable table;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto same = [&](std::int32_t number) { return words[numbering.first(number)] == words[i]; };
    numbering.put(i, table.find_or_add(label_hash::of_word(words[i]), numbering.next(), same));
  }
}

void number_bytes(const char* bytes, std::size_t width, Numbering& numbering) {
  LabelTable table;
  for (std::int64_t i = 0; i < numbering.size(); ++i) {
    const char* const label = bytes + static_cast<std::size_t>(i) * width;
    const auto same = [&](std::int32_t number) {
      return std::memcmp(bytes + static_cast<std::size_t>(numbering.first(number)) * width, label, width) == 0;
    };
    numbering.put(i, table.find_or_add(label_hash::of_bytes(label, width), numbering.next(), same));
  }
}

// Numbers the elements of a contiguous vector by their bytes.
py::tuple number_elements(const py::array& labels) {
  require_vector(labels, "labels");
  Numbering numbering(labels.size());
  const auto width = static_cast<std::size_t>(labels.itemsize());
  const void* const data = labels.data();
  const bool are_floats = labels.dtype().kind() == 'f';
  without_gil([&] {
    switch (reinterpret_cast<std::uintptr_t>(data) % std::max<std::size_t>(width, 1) == 0 ? width : 0) {
      case 1: return number_words(static_cast<const std::uint8_t*>(data), are_floats, numbering);
      case 2: return number_words(static_cast<const std::uint16_t*>(data), are_floats, numbering);
      case 4: return number_words(static_cast<const std::uint32_t*>(data), are_floats, numbering);
      case 8: return number_words(static_cast<const std::uint64_t*>(data), are_floats, numbering);
      default: return number_bytes(static_cast<const char*>(data), width, numbering);
    }
  });
  return std::move(numbering).result();
}

// ---- strings and other objects -------------------------------------------------------------------------------------------

// Remembers the numbers of some addresses. Labels of a list are mostly the same few objects, which need not be read then.
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

// The characters of a string, which stay where they are.
struct Characters {
  const void* data;
  std::size_t size;  // in bytes
  int unit;          // bytes of one character

  bool operator==(const Characters& other) const {
    return size == other.size && unit == other.unit && std::memcmp(data, other.data, size) == 0;
  }
};

class StringTable {
 public:
  // Returns the number of an equal string, or `next`.
  std::int32_t number(const Characters& string, std::int32_t next) {
    const auto same = [&](std::int32_t number) { return strings_[static_cast<std::size_t>(number)] == string; };
    const std::int32_t number = table_.find_or_add(label_hash::of_bytes(string.data, string.size), next, same);
    if (number == next) {
      strings_.resize(static_cast<std::size_t>(next), {nullptr, 0, 0});  // numbers of what is no string
      strings_.push_back(string);
    }
    return number;
  }

 private:
  LabelTable table_;
  std::vector<Characters> strings_;
};

// Numbers the items of a list or of a vector of objects: strings by their characters, all others by ==. A string and an
// equal object of another class have two numbers. Raises TypeError for what is not hashable.
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
  StringTable strings;
  py::dict others;
  std::vector<py::object> held;  // the first of each, because comparing may run code that changes what holds them
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
        const auto unit = static_cast<int>(PyUnicode_KIND(item));
        const auto size = static_cast<std::size_t>(PyUnicode_GET_LENGTH(item)) * static_cast<std::size_t>(unit);
        known = strings.number({PyUnicode_DATA(item), size, unit}, numbering.next());
      } else {
        const py::int_ next(numbering.next());
        const PyObject* const number = PyDict_SetDefault(others.ptr(), item, next.ptr());
        if (number == nullptr) throw py::error_already_set();
        known = static_cast<std::int32_t>(PyLong_AsLong(const_cast<PyObject*>(number)));
      }
      if (known == numbering.next()) held.push_back(label);
    }
    numbering.put(i, known);
  }
  return std::move(numbering).result();
}

// Numbers the strings of a column. Those that are missing have a number of their own.
py::tuple number_texts(const py::object& labels) {
  const Texts texts = texts_of(labels);
  Numbering numbering(static_cast<std::int64_t>(texts.size()));
  without_gil([&] {
    Identities identities;
    StringTable strings;
    for (std::int64_t i = 0; i < numbering.size(); ++i) {
      const Text& text = texts[static_cast<std::size_t>(i)];
      std::int32_t& known = identities.of(text.data);
      // Two strings at one address may differ in length. All that are missing have none.
      if (known < 0 || texts[static_cast<std::size_t>(numbering.first(known))].length != text.length) {
        const int unit = text.encoding == TextEncoding::ucs4 ? 4 : text.encoding == TextEncoding::ucs2 ? 2 : 1;
        const auto size = static_cast<std::size_t>(text.length) * static_cast<std::size_t>(unit);
        known = text.data == nullptr ? numbering.next() : strings.number({text.data, size, unit}, numbering.next());
      }
      numbering.put(i, known);
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

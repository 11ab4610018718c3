#include <cstring>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pybind11.hpp"

namespace termsift::bindings {
namespace {

// Numbers labels in the order of their first occurrence. Equal labels get the same number.
class Numbering {
 public:
  explicit Numbering(std::int64_t n) : n_(n), codes_(LargeArray<std::int32_t>::uninitialised(n)) {}

  std::int32_t next() const { return static_cast<std::int32_t>(firsts_.size()); }
  // Sets the number of label i. For a new label, `number` must be next().
  void put(std::int64_t i, std::int32_t number) {
    if (number == std::numeric_limits<std::int32_t>::max()) throw std::length_error("there are 2^31 different labels");
    if (number == next()) firsts_.push_back(i);
    codes_[i] = number;
  }
  // Sets the number of label i to the number of an earlier label.
  void repeat(std::int64_t i, std::int32_t number) { codes_[i] = number; }
  // Returns two arrays: the number of each label, and the position at which each number first occurs.
  py::tuple result() && {
    const py::array_t<std::int64_t> firsts(static_cast<py::ssize_t>(firsts_.size()), firsts_.data());
    return py::make_tuple(to_numpy(std::move(codes_), {n_}), firsts);
  }

 private:
  std::int64_t n_;
  LargeArray<std::int32_t> codes_;
  std::vector<std::int64_t> firsts_;
};

// Numbers n labels by their bytes. bytes_of(i) returns the bytes of label i, or a null pointer if the label is missing. All
// missing labels share one number.
template <class BytesOf>
py::tuple number_bytes(std::int64_t n, const BytesOf& bytes_of) {
  Numbering numbering(n);
  without_gil([&] {
    std::unordered_map<std::string_view, std::int32_t> numbers;
    std::int32_t missing = -1;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::string_view bytes = bytes_of(i);
      if (bytes.data() == nullptr && missing < 0) missing = numbering.next();
      numbering.put(i, bytes.data() == nullptr ? missing : numbers.try_emplace(bytes, numbering.next()).first->second);
    }
  });
  return std::move(numbering).result();
}

// A cache that maps the 64 bits of a label to its number. Most labels are found in the cache, because labels usually repeat
// a few objects or integers. Only labels outside the cache must be hashed.
class KnownNumbers {
  static constexpr int n_bits = 12;

 public:
  static constexpr std::size_t size = std::size_t{1} << n_bits;

  // Returns a reference to the number of the label with the given bits. If the number is -1, the label is not in the cache,
  // and the caller must set its number.
  std::int32_t& of(std::uint64_t bits) {
    Known& known = known_[place(bits)];
    if (known.bits != bits) known = {bits, -1};
    return known.number;
  }
  // Returns the place of a label in the cache, below `size`. The cache has one label in each place.
  static std::size_t place(std::uint64_t bits) { return bits * 0x9E3779B97F4A7C15 >> (64 - n_bits); }

 private:
  struct Known {
    std::uint64_t bits = 0;
    std::int32_t number = -1;
  };
  std::vector<Known> known_ = std::vector<Known>(size);
};

// Numbers n labels of at most 8 bytes. bits_of(i) returns the bytes of label i, followed by zeros.
template <class BitsOf>
py::tuple number_short(std::int64_t n, const BitsOf& bits_of) {
  Numbering numbering(n);
  without_gil([&] {
    std::unordered_map<std::uint64_t, std::int32_t> numbers;
    KnownNumbers known_numbers;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint64_t bits = bits_of(i);
      std::int32_t& known = known_numbers.of(bits);
      if (known >= 0) {
        numbering.repeat(i, known);
        continue;
      }
      known = numbers.try_emplace(bits, numbering.next()).first->second;
      numbering.put(i, known);
    }
  });
  return std::move(numbering).result();
}

// memcpy is compiled to a single load only if its size is a constant. A call of memcpy takes longer than numbering a label.
template <class Bits>
py::tuple number_words(std::int64_t n, const char* data) {
  return number_short(n, [=](std::int64_t i) {
    Bits bits;
    std::memcpy(&bits, data + static_cast<std::size_t>(i) * sizeof bits, sizeof bits);
    return std::uint64_t{bits};
  });
}

// Numbers the items of a list or of a contiguous numpy vector of objects. Equal items (==) get the same number. Raises
// TypeError for an item that is not hashable.
py::tuple number_objects(const py::object& labels) {
  const bool is_list = PyList_Check(labels.ptr());
  PyObject* const* elements = nullptr;
  std::int64_t n = 0;
  if (is_list) {
    n = PyList_GET_SIZE(labels.ptr());
  } else {
    const auto array = py::cast<py::array>(labels);
    n = array.size();
    elements = static_cast<PyObject* const*>(array.data());
  }
  Numbering numbering(n);
  KnownNumbers known_numbers;
  std::vector<py::object> known(KnownNumbers::size);  // keeps the labels in the cache, so that no other gets an address
  py::dict numbers;
  for (std::int64_t i = 0; i < n; ++i) {
    check_signals(i);
    if (is_list && i >= PyList_GET_SIZE(labels.ptr())) throw py::value_error("the labels changed while they were read");
#if PY_VERSION_HEX >= 0x030D0000
    // Without the GIL, another thread may change the list and free the item, so this loop holds the item.
    const auto held = py::reinterpret_steal<py::object>(is_list ? PyList_GetItemRef(labels.ptr(), i) : nullptr);
    if (is_list && !held) throw py::error_already_set();
    PyObject* item = is_list ? held.ptr() : elements[i];
#else
    PyObject* item = is_list ? PyList_GET_ITEM(labels.ptr(), i) : elements[i];
#endif
    if (item == nullptr) item = Py_None;  // numpy, too, reads a null pointer in an array of objects as None
    const std::uint64_t address{reinterpret_cast<std::uintptr_t>(item)};
    std::int32_t& number = known_numbers.of(address);
    if (number < 0) {
      const auto label = py::reinterpret_borrow<py::object>(item);
      known[KnownNumbers::place(address)] = label;
      const py::int_ next(numbering.next());
      PyObject* const found = PyDict_SetDefault(numbers.ptr(), item, next.ptr());
      if (found == nullptr) throw py::error_already_set();
      number = static_cast<std::int32_t>(PyLong_AsLong(found));
    }
    numbering.put(i, number);
  }
  return std::move(numbering).result();
}

py::tuple number_labels(const py::object& labels) {
  if (PyList_Check(labels.ptr())) return number_objects(labels);
  if (!py::isinstance<py::array>(labels)) {
    const Texts texts = texts_of(labels);
    return number_bytes(std::ssize(texts), [&](std::int64_t i) {
      const Text& text = texts[static_cast<std::size_t>(i)];  // UTF-8, because labels in a Texts object come from Arrow
      return std::string_view(static_cast<const char*>(text.data), static_cast<std::size_t>(text.length));
    });
  }
  const auto array = py::reinterpret_borrow<py::array>(labels);
  require_vector(array, "labels");
  if (array.dtype().kind() == 'O') return number_objects(labels);
  const auto* const data = static_cast<const char*>(array.data());
  const auto size = static_cast<std::size_t>(array.itemsize());
  if (size == sizeof(std::uint64_t)) return number_words<std::uint64_t>(array.size(), data);
  if (size == sizeof(std::uint32_t)) return number_words<std::uint32_t>(array.size(), data);
  if (size < sizeof(std::uint64_t))
    return number_short(array.size(), [=](std::int64_t i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, data + static_cast<std::size_t>(i) * size, size);
      return bits;
    });
  return number_bytes(array.size(), [=](std::int64_t i) {
    return std::string_view(data + static_cast<std::size_t>(i) * size, size);
  });
}

// Returns the array of numbers[code] for each code. numpy's take would first copy the codes to int64.
py::object renumber(const py::array& codes, const py::array& numbers) {
  const auto from = span_of<std::int32_t>(codes, "codes"), to = span_of<std::int32_t>(numbers, "numbers");
  auto result = LargeArray<std::int32_t>::uninitialised(std::ssize(from));
  const bool all_exist = without_gil([&] {
    bool exist = true;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto code = static_cast<std::size_t>(from[i]);  // a negative code becomes large
      if (code >= to.size()) exist = false;
      else result[static_cast<std::int64_t>(i)] = to[code];
    }
    return exist;
  });
  if (!all_exist) throw py::index_error("a code has no number");
  return to_numpy(std::move(result), {std::ssize(from)});
}

}  // namespace

void register_labels(py::module_& module) {
  module.def("number_labels", &number_labels, "labels"_a,
             "Return the number of each label, and the position of the first label with each number.");
  module.def("renumber", &renumber, "codes"_a, "numbers"_a, "Return numbers[codes], for int32 codes and numbers.");
}

}  // namespace termsift::bindings

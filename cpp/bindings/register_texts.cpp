#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pybind11.hpp"
#include "termsift/arrow_texts.hpp"
#include "termsift/name_union.hpp"
#include "termsift/utf8.hpp"
#include "termsift/whole_files.hpp"

namespace termsift::bindings {
namespace {

std::shared_ptr<const void> owner_of(py::object object) { return std::make_shared<const py::object>(std::move(object)); }

// ---- from Python objects -------------------------------------------------------------------------------------------------

// Returns text_of(item, i) for each item of a list or tuple. The result keeps the items alive if the list changes later.
template <class TextOf>
HeldTexts of_items(const py::object& sequence, const char* expected, const TextOf& text_of) {
  if (!PyList_Check(sequence.ptr()) && !PyTuple_Check(sequence.ptr()))
    throw py::type_error(std::string("texts must be a list or a tuple of ") + expected);
  const py::tuple items(sequence);
  const auto n = static_cast<py::ssize_t>(items.size());
  HeldTexts result;
  result.texts.reserve(static_cast<std::size_t>(n));
  for (py::ssize_t i = 0; i < n; ++i) {
    check_signals(i);
    result.texts.push_back(text_of(PyTuple_GET_ITEM(items.ptr(), i), i));
  }
  result.owners.push_back(owner_of(items));
  return result;
}

[[noreturn]] void refuse(PyObject* item, py::ssize_t row, const char* expected) {
  const char* kind = Py_TYPE(item)->tp_name;
  const char* article = std::strchr("aeiou", kind[0]) != nullptr ? "an" : "a";
  const bool are_words = PyList_Check(item) != 0 || PyTuple_Check(item) != 0;
  const char* cure =
      are_words ? "; of texts that are cut already, pass ' '.join(words) for each, and analyzer=str.split" : "";
  PyErr_Format(PyExc_TypeError, "texts has %s %s at %zd, expected %s%s", article, kind, row, expected, cure);
  throw py::error_already_set();
}

// Returns whether `item` stands for a missing text. A missing text is None, an object that is not equal to itself (NaN,
// NaT), or an object whose comparison `item == item` has no truth value (pandas' NA).
bool is_missing(PyObject* item) {
  if (item == Py_None) return true;
  const auto equal = py::reinterpret_steal<py::object>(PyObject_RichCompare(item, item, Py_EQ));
  const int truth = equal ? PyObject_IsTrue(equal.ptr()) : -1;
  const bool no_truth = truth < 0 && PyErr_ExceptionMatches(PyExc_TypeError) != 0;
  PyErr_Clear();
  return truth == 0 || no_truth;
}

// Returns the characters of a Python string. The characters are not converted to UTF-8, because a string caches its UTF-8
// form.
Text text_of(PyObject* string) {
#if PY_VERSION_HEX < 0x030C0000
  if (PyUnicode_READY(string) != 0) throw py::error_already_set();
#endif
  const auto encoding = [&] {
    switch (PyUnicode_KIND(string)) {
      case PyUnicode_1BYTE_KIND: return TextEncoding::latin1;
      case PyUnicode_2BYTE_KIND: return TextEncoding::ucs2;
      default: return TextEncoding::ucs4;
    }
  }();
  return {PyUnicode_DATA(string), PyUnicode_GET_LENGTH(string), encoding};
}

HeldTexts of_strings(const py::object& strings, bool allow_missing, py::ssize_t first_row) {
  return of_items(strings, "strings", [&](PyObject* item, py::ssize_t i) -> Text {
    if (PyUnicode_Check(item)) return text_of(item);
    if (!allow_missing || !is_missing(item)) refuse(item, first_row + i, "strings");
    return {};
  });
}

HeldTexts of_bytes(const py::object& documents) {
  return of_items(documents, "bytes", [](PyObject* item, py::ssize_t i) -> Text {
    if (!PyBytes_Check(item)) refuse(item, i, "bytes");
    return {PyBytes_AS_STRING(item), PyBytes_GET_SIZE(item), TextEncoding::utf8};
  });
}

py::object python_text(const Text& text) {
  if (text.data == nullptr) return py::none();
  if (text.encoding == TextEncoding::tokens) throw py::type_error("a list of tokens is no text");
  const auto length = static_cast<py::ssize_t>(text.length);
  PyObject* const string = text.encoding == TextEncoding::utf8
                               ? PyUnicode_DecodeUTF8(static_cast<const char*>(text.data), length, nullptr)
                               : PyUnicode_FromKindAndData(static_cast<int>(unit_bytes(text.encoding)), text.data, length);
  if (string == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(string);
}

// ---- from the tokens that a Python function cuts -------------------------------------------------------------------------

// Collects lists of tokens in one block of memory (see TextEncoding::tokens).
class TokenArena {
 public:
  std::size_t size() const { return size_; }
  void append(PyObject* string) {
    const Text token = text_of(string);
    std::uint8_t* const start = reserve(sizeof(std::uint32_t) + 4 * static_cast<std::size_t>(token.length));
    std::uint8_t* at = start + sizeof(std::uint32_t);
    switch (token.encoding) {
      case TextEncoding::ucs2: at = encode<std::uint16_t>(token, at); break;
      case TextEncoding::ucs4: at = encode<std::uint32_t>(token, at); break;
      default:
        if (PyUnicode_IS_ASCII(string)) {
          std::memcpy(at, token.data, static_cast<std::size_t>(token.length));
          at += token.length;
        } else {
          at = encode<std::uint8_t>(token, at);
        }
    }
    const auto n = static_cast<std::size_t>(at - start) - sizeof(std::uint32_t);
    if (n >= std::size_t{1} << 31) throw py::value_error("a term has 2 GB or more");
    const auto written = static_cast<std::uint32_t>(n);
    std::memcpy(start, &written, sizeof written);
    size_ += sizeof written + n;
  }
  // Returns the memory, with 64 readable bytes after the tokens.
  std::vector<std::uint8_t> release() {
    reserve(64);
    return std::move(bytes_);
  }

 private:
  // Returns the end of the tokens, after making room for n further bytes.
  std::uint8_t* reserve(std::size_t n) {
    if (bytes_.size() < size_ + n) bytes_.resize(2 * bytes_.size() + n + 1024);
    return bytes_.data() + size_;
  }
  // Writes a token, which may have lone surrogates, as UTF-8. Returns the end of the bytes.
  template <class Unit>
  static std::uint8_t* encode(const Text& token, std::uint8_t* at) {
    const auto* const units = static_cast<const Unit*>(token.data);
    for (std::int64_t i = 0; i < token.length; ++i) at += write_utf8(units[i], at);
    return at;
  }

  std::vector<std::uint8_t> bytes_;
  std::size_t size_ = 0;
};

// Calls cut(text) for the texts from number `first` on, and returns the strings over which the results iterate as lists of
// tokens. Ends at the last text, or when the lists take about `n_bytes` bytes. If the result for text i is not iterable, or
// if one of its elements is not a string, calls refuse(value, i), which must raise an error.
HeldTexts of_tokens(const HeldTexts& texts, const py::function& cut, const py::function& refuse, std::size_t first,
                    std::size_t n_bytes) {
  TokenArena arena;
  std::vector<std::size_t> ends{0};
  const auto refuse_value = [&](PyObject* value, std::size_t i) {
    refuse(py::handle(value), i);
    throw py::type_error("expected an iterable of strings");
  };
  const auto append = [&](PyObject* token, std::size_t i) {
    if (!PyUnicode_Check(token)) refuse_value(token, i);
    arena.append(token);
  };
  for (std::size_t i = first; i < texts.texts.size() && arena.size() < n_bytes; ++i) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    const py::object terms = cut(python_text(texts.texts[i]));
    if (Py_TYPE(terms.ptr())->tp_iter == nullptr) refuse_value(terms.ptr(), i);
    if (PyList_CheckExact(terms.ptr())) {
      const py::tuple tokens(terms);  // stays as it is, even if another thread changes the list
      for (std::size_t k = 0; k < tokens.size(); ++k)
        append(PyTuple_GET_ITEM(tokens.ptr(), static_cast<py::ssize_t>(k)), i);
    } else {
      std::int64_t n = 0;
      for (const py::handle token : py::reinterpret_steal<py::iterator>(PyObject_GetIter(terms.ptr()))) {
        check_signals(++n);
        append(token.ptr(), i);
      }
    }
    ends.push_back(arena.size());
  }
  auto bytes = std::make_shared<const std::vector<std::uint8_t>>(arena.release());
  HeldTexts result;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i)
    result.texts.push_back(
        {bytes->data() + ends[i], static_cast<std::int64_t>(ends[i + 1] - ends[i]), TextEncoding::tokens});
  result.owners.push_back(std::move(bytes));
  return result;
}

// ---- from Arrow ----------------------------------------------------------------------------------------------------------

template <class T>
T& in_capsule(const py::handle& capsule, const char* name) {
  void* const pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (pointer == nullptr) throw py::error_already_set();
  return *static_cast<T*>(pointer);
}

// Reads an Arrow stream without the GIL, because the source of the stream may have to acquire the GIL on another thread.
HeldTexts of_arrow(const py::object& source, const std::optional<std::string>& column) {
  const Threads threads = python_threads(1);
  try {
    if (py::hasattr(source, "__arrow_c_stream__")) {
      const py::object capsule = source.attr("__arrow_c_stream__")();
      auto& stream = in_capsule<ArrowArrayStream>(capsule, "arrow_array_stream");
      return without_gil([&] { return texts_of_stream(stream, column, threads.poll); });
    }
    if (py::hasattr(source, "__arrow_c_array__")) {
      const py::tuple capsules = source.attr("__arrow_c_array__")();
      auto& schema = in_capsule<ArrowSchema>(capsules[0], "arrow_schema");
      auto& array = in_capsule<ArrowArray>(capsules[1], "arrow_array");
      return without_gil([&] { return texts_of_array(schema, array, column, threads.poll); });
    }
  } catch (const NotStrings& error) {
    throw py::type_error(error.what());
  }
  throw py::type_error("expected an object with the Arrow interface (__arrow_c_stream__), found a " +
                       std::string(Py_TYPE(source.ptr())->tp_name));
}

// ---- from files ----------------------------------------------------------------------------------------------------------

HeldTexts of_files(const py::iterable& names, int n_threads) {
  std::vector<std::string> paths;
  for (const py::handle path : names) {
    check_signals(static_cast<std::int64_t>(paths.size()));
    PyObject* bytes = nullptr;
    if (PyUnicode_FSConverter(path.ptr(), &bytes) == 0) throw py::error_already_set();
    paths.push_back(py::reinterpret_steal<py::bytes>(bytes));
  }
  const Threads threads = python_threads(n_threads);
  try {
    auto files = std::make_shared<std::vector<WholeFile>>(without_gil([&] { return read_files(paths, threads); }));
    HeldTexts result;
    for (const WholeFile& file : *files) {
      const std::string_view bytes(file.bytes.get(), static_cast<std::size_t>(file.n_bytes));
      const std::int64_t mark = bytes.starts_with("\xef\xbb\xbf") ? 3 : 0;  // the byte order mark is not part of the text
      result.texts.push_back({bytes.data() + mark, file.n_bytes - mark, TextEncoding::utf8});
    }
    result.owners.push_back(std::move(files));
    return result;
  } catch (const FileError& error) {
    const auto name = py::reinterpret_steal<py::object>(PyUnicode_DecodeFSDefault(error.path.c_str()));
    if (error.code == termsift::not_regular) {
      const char* const why = "is a pipe, a socket or a device; copy it to a regular file";
      const py::tuple values = py::make_tuple(EINVAL, why, name);
      PyErr_SetObject(PyExc_OSError, values.ptr());
    } else {
      errno = error.code;
      PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, name.ptr());
    }
    throw py::error_already_set();
  }
}

// ---- the class -----------------------------------------------------------------------------------------------------------

const Text& text_at(const HeldTexts& object, std::int64_t i) {
  if (i < 0 || static_cast<std::size_t>(i) >= object.texts.size())
    throw py::index_error("no text " + std::to_string(i) + " among " + std::to_string(object.texts.size()));
  return object.texts[static_cast<std::size_t>(i)];
}

py::array_t<std::int64_t> missing(const HeldTexts& object) {
  std::vector<std::int64_t> found;
  for (std::size_t i = 0; i < object.texts.size(); ++i)
    if (object.texts[i].data == nullptr) found.push_back(static_cast<std::int64_t>(i));
  return py::array_t<std::int64_t>(static_cast<py::ssize_t>(found.size()), found.data());
}

HeldTexts take(const HeldTexts& object, const py::array& positions) {
  HeldTexts result;
  result.owners = object.owners;
  for (const std::int64_t i : span_of<std::int64_t>(positions, "positions")) result.texts.push_back(text_at(object, i));
  return result;
}

// ---- several columns -----------------------------------------------------------------------------------------------------

// Calls f with each character of a text. Returns false, at the first wrong byte, if a text is not valid UTF-8.
template <class F>
bool for_each_character(const Text& text, const F& f) {
  const auto units = [&](const auto* at) {
    for (std::int64_t i = 0; i < text.length; ++i) f(static_cast<char32_t>(at[i]));
    return true;
  };
  switch (text.encoding) {
    case TextEncoding::latin1: return units(static_cast<const std::uint8_t*>(text.data));
    case TextEncoding::ucs2: return units(static_cast<const std::uint16_t*>(text.data));
    case TextEncoding::ucs4: return units(static_cast<const std::uint32_t*>(text.data));
    default: break;
  }
  const auto* const begin = static_cast<const std::uint8_t*>(text.data);
  for (const std::uint8_t* at = begin; at < begin + text.length;) {
    char32_t c = 0;
    const int length = read_utf8(at, begin + text.length, c);
    if (length == 0) return false;
    f(c);
    at += length;
  }
  return true;
}

// Joins the texts of each row by blanks. A missing text is like an empty one, but a row without a text is missing. A row is
// UTF-8 unless it has lone surrogates.
HeldTexts joined(const py::list& columns) {
  std::vector<Texts> parts;
  for (const py::handle column : columns) parts.push_back(texts_of(column));
  const std::size_t n_rows = parts.empty() ? 0 : parts[0].size();
  for (const Texts& part : parts)
    if (part.size() != n_rows) throw py::value_error("the columns have different lengths");
  struct Memory {
    std::string bytes;
    std::deque<std::u32string> wide;
  };
  auto memory = std::make_shared<Memory>();
  HeldTexts result;
  result.texts.resize(n_rows);
  std::vector<std::size_t> begins(n_rows, 0);  // of the rows that are UTF-8, because `bytes` may move while it grows
  std::vector<bool> are_utf8(n_rows, false);
  for (std::size_t row = 0; row < n_rows; ++row) {
    check_signals(static_cast<std::int64_t>(row));
    std::string& bytes = memory->bytes;
    begins[row] = bytes.size();
    bool has_text = false, has_surrogates = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Text& text = parts[i][row];
      if (i > 0) bytes += ' ';
      if (text.encoding == TextEncoding::tokens) throw py::type_error("a list of tokens is no text");
      if (text.data == nullptr) continue;
      has_text = true;
      if (text.encoding == TextEncoding::utf8) {
        bytes.append(static_cast<const char*>(text.data), static_cast<std::size_t>(text.length));
        continue;
      }
      for_each_character(text, [&](char32_t c) {
        std::uint8_t character[4];
        const int n = write_utf8(c, character);
        bytes.append(reinterpret_cast<const char*>(character), static_cast<std::size_t>(n));
        has_surrogates |= c >= 0xd800 && c < 0xe000;
      });
    }
    are_utf8[row] = has_text;
    result.texts[row].length = static_cast<std::int64_t>(has_text ? bytes.size() - begins[row] : 0);
    if (!has_surrogates) continue;
    std::u32string wide;
    bool is_valid = true;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) wide += U' ';
      if (parts[i][row].data != nullptr) is_valid &= for_each_character(parts[i][row], [&](char32_t c) { wide += c; });
    }
    if (!is_valid) continue;  // counting names the wrong byte
    const std::u32string& kept = memory->wide.emplace_back(std::move(wide));
    result.texts[row] = {kept.data(), static_cast<std::int64_t>(kept.size()), TextEncoding::ucs4};
    are_utf8[row] = false;
  }
  for (std::size_t row = 0; row < n_rows; ++row)
    if (are_utf8[row]) result.texts[row].data = memory->bytes.data() + begins[row];
  result.owners.push_back(std::move(memory));
  return result;
}

// ---- errors --------------------------------------------------------------------------------------------------------------

PyObject* bad_text_error = nullptr;  // the Python class BadTextError, which is never freed

void register_bad_text(py::module_& module) {
  const py::dict attributes("document"_a = 0, "byte"_a = 0, "__module__"_a = "termsift._core");
  bad_text_error = PyErr_NewExceptionWithDoc("termsift._core.BadTextError", "A text is not valid UTF-8.", PyExc_ValueError,
                                             attributes.ptr());
  if (bad_text_error == nullptr) throw py::error_already_set();
  module.add_object("BadTextError", bad_text_error);
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);  // never null
    } catch (const BadText& bad) {
      const py::object error = py::handle(bad_text_error)(bad.what());
      error.attr("document") = bad.document;
      error.attr("byte") = bad.byte;
      PyErr_SetObject(bad_text_error, error.ptr());
    }
  });
}

// Returns the columns of both lists of names in their union, and the place of each column's name in both lists together.
py::tuple unite_names_of(const py::object& first, const py::object& second, int n_threads) {
  const HeldTexts a = of_strings(first, false, 0), b = of_strings(second, false, 0);
  const NameUnion all =
      on_threads(n_threads, [&](const Threads& threads) { return unite_names(a.texts, b.texts, threads); });
  if (all.repeated >= 0) {
    const auto n_first = std::ssize(a.texts);
    const Text& name = all.repeated < n_first ? a.texts[at(all.repeated)] : b.texts[at(all.repeated - n_first)];
    throw py::value_error("the vocabularies differ, and " + encoded(py::repr(python_text(name))) + " names " +
                          std::to_string(all.n_repeated) + " terms");
  }
  const auto array = [](const std::vector<std::int64_t>& values) {
    return py::array_t<std::int64_t>(static_cast<py::ssize_t>(values.size()), values.data());
  };
  return py::make_tuple(array(all.column_of_first), array(all.column_of_second), array(all.order));
}

}  // namespace

Texts texts_of(const py::handle& object) {
  if (!py::isinstance<HeldTexts>(object))
    throw py::type_error(std::string("texts must be a _core.Texts, found a ") + Py_TYPE(object.ptr())->tp_name);
  return py::cast<const HeldTexts&>(object).texts;
}

py::object texts_object(std::vector<Text> texts, std::shared_ptr<const void> owner) {
  return py::cast(HeldTexts{std::move(texts), {std::move(owner)}});
}

void register_texts(py::module_& module) {
  register_bad_text(module);
  py::class_<HeldTexts>(module, "Texts", "Immutable views of documents. No text is copied.")
      .def_static("of_strings", &of_strings, "strings"_a, "allow_missing"_a = false, "first_row"_a = 0)
      .def_static("of_arrow", &of_arrow, "stream"_a, "column"_a = py::none())
      .def_static("of_bytes", &of_bytes, "documents"_a)
      .def_static("of_files", &of_files, "paths"_a, "n_threads"_a = 0)
      .def_static("of_tokens", &of_tokens, "texts"_a, "cut"_a, "refuse"_a, "first"_a = 0,
                  "n_bytes"_a = std::size_t{1} << 24)
      .def_static("joined", &joined, "columns"_a)
      .def("__len__", [](const HeldTexts& object) { return object.texts.size(); })
      .def("__getitem__", [](const HeldTexts& object, std::int64_t i) { return python_text(text_at(object, i)); }, "i"_a)
      .def_property_readonly("n_bytes", [](const HeldTexts& object) {
        std::int64_t sum = 0;
        for (const Text& text : object.texts) sum += bytes_of(text);
        return sum;
      })
      .def_property_readonly("n_empty", [](const HeldTexts& object) { return n_empty_of(object.texts); })
      .def_property_readonly("missing", &missing)
      .def_property_readonly("is_utf8", [](const HeldTexts& object) {
        return std::all_of(object.texts.begin(), object.texts.end(), [](const Text& text) {
          return text.encoding != TextEncoding::utf8 ||
                 first_invalid_utf8(static_cast<const std::uint8_t*>(text.data), text.length) == text.length;
        });
      })
      .def_property_readonly("has_zero_bytes", [](const HeldTexts& object) {
        return std::any_of(object.texts.begin(), object.texts.end(), [](const Text& text) {
          const std::int64_t head = std::min<std::int64_t>(text.length, 1 << 12);  // where the encoding of a text shows
          const auto n = static_cast<std::size_t>(head);
          return text.encoding == TextEncoding::utf8 && n > 0 && std::memchr(text.data, 0, n) != nullptr;
        });
      })
      .def("take", &take, "positions"_a);
  module.def("unite_names", &unite_names_of, "first"_a, "second"_a, "n_threads"_a = 0);
}

}  // namespace termsift::bindings

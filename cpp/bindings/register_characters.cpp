// Passes the Unicode tables of the running Python to the core.
#include "pybind11.hpp"
#include "termsift/characters.hpp"

namespace termsift::bindings {
namespace {

// character() does not acquire the GIL, because it only reads tables of the interpreter.
Character character(char32_t c) {
  return {static_cast<char32_t>(Py_UNICODE_TOLOWER(static_cast<Py_UCS4>(c))),
          Py_UNICODE_ISALNUM(static_cast<Py_UCS4>(c)) || c == U'_', Py_UNICODE_ISSPACE(static_cast<Py_UCS4>(c)) != 0};
}

py::str text(std::initializer_list<char32_t> characters) {
  const std::u32string_view view(characters.begin(), characters.size());
  PyObject* const made = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, view.data(), static_cast<Py_ssize_t>(view.size()));
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(made);
}

// Finds the casings of the characters from `first` on by calling str.lower. str.lower turns a capital sigma at the end of a
// string into a final sigma if a cased letter precedes the sigma, even if case-ignorable characters lie between the two.
void casings(char32_t first, Casing* casings) {
  or_sleep_at_exit([=] {
    const py::gil_scoped_acquire gil;
    constexpr char32_t sigma = 0x3a3, final_sigma = 0x3c2;
    const auto ends_finally = [](const py::str& string) {
      const py::str lower = string.attr("lower")();
      return PyUnicode_READ_CHAR(lower.ptr(), PyUnicode_GET_LENGTH(lower.ptr()) - 1) == final_sigma;
    };
    for (char32_t i = 0; i < n_casings_at_once; ++i) {
      const char32_t c = first + i;
      const bool cased = ends_finally(text({c, sigma}));
      const bool either = ends_finally(text({U'A', c, sigma}));
      casings[i] = cased ? Casing::cased : either ? Casing::ignorable : Casing::none;
    }
  });
}

std::u32string without_accents(char32_t c) {
  return or_sleep_at_exit([=] {
    const py::gil_scoped_acquire gil;
    const py::module_ unicodedata = py::module_::import("unicodedata");
    const py::object combining = unicodedata.attr("combining");
    const py::str whole = unicodedata.attr("normalize")("NFKD", text({c}));
    std::u32string kept;
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(whole.ptr()); ++i) {
      const char32_t part = PyUnicode_READ_CHAR(whole.ptr(), i);
      if (combining(text({part})).cast<int>() == 0) kept += part;
    }
    return kept;
  });
}

}  // namespace

void register_characters() { use_characters({character, casings, without_accents}); }

}  // namespace termsift::bindings

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

py::str text(std::u32string_view view) {
  PyObject* const made = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, view.data(), static_cast<Py_ssize_t>(view.size()));
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(made);
}
py::str text(std::initializer_list<char32_t> characters) {
  return text(std::u32string_view(characters.begin(), characters.size()));
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
    for (char32_t i = 0; i < n_characters_at_once; ++i) {
      const char32_t c = first + i;
      const bool cased = ends_finally(text({c, sigma}));
      const bool either = ends_finally(text({U'A', c, sigma}));
      casings[i] = cased ? Casing::cased : either ? Casing::ignorable : Casing::none;
    }
  });
}

std::u32string characters_of(const py::str& string) {
  std::u32string all;
  for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(string.ptr()); ++i) all += PyUnicode_READ_CHAR(string.ptr(), i);
  return all;
}

void marks(char32_t first, Mark* marks) {
  or_sleep_at_exit([=] {
    const py::gil_scoped_acquire gil;
    const py::module_ unicodedata = py::module_::import("unicodedata");
    const py::object combining = unicodedata.attr("combining"), category = unicodedata.attr("category");
    for (char32_t i = 0; i < n_characters_at_once; ++i) {
      const py::str c = text({first + i});
      const py::str of_c = category(c);
      marks[i] = {combining(c).cast<std::uint8_t>(), PyUnicode_READ_CHAR(of_c.ptr(), 0) == U'M'};
    }
  });
}

std::u32string decomposed(char32_t c, bool compatibly) {
  return or_sleep_at_exit([=] {
    const py::gil_scoped_acquire gil;
    const py::object normalize = py::module_::import("unicodedata").attr("normalize");
    return characters_of(normalize(compatibly ? "NFKD" : "NFD", text({c})));
  });
}

// Finds the characters that Python composes from their own decompositions, which excludes some.
std::vector<Composition> compositions() {
  return or_sleep_at_exit([] {
    const py::gil_scoped_acquire gil;
    const py::module_ unicodedata = py::module_::import("unicodedata");
    const py::object normalize = unicodedata.attr("normalize"), decomposition = unicodedata.attr("decomposition"),
                     is_normalized = unicodedata.attr("is_normalized");
    constexpr char32_t n_characters = 0x110000, block = 1024, first_syllable = 0xac00, last_syllable = 0xd7a3;
    std::vector<Composition> found;
    for (char32_t first = 0; first < n_characters; first += block) {
      std::u32string all;
      for (char32_t c = first; c < first + block; ++c) all += c;
      if (is_normalized("NFD", text(all)).cast<bool>()) continue;  // no character decomposes
      for (const char32_t c : all) {
        if (c >= first_syllable && c <= last_syllable) continue;
        const py::str written = decomposition(text({c}));  // such as "0041 0300"
        if (PyUnicode_GET_LENGTH(written.ptr()) == 0 || PyUnicode_READ_CHAR(written.ptr(), 0) == U'<') continue;
        const py::list parts = written.attr("split")();
        if (parts.size() != 2) continue;
        std::u32string pair;
        for (const py::handle part : parts)
          pair += static_cast<char32_t>(std::stoul(part.cast<std::string>(), nullptr, 16));
        if (characters_of(normalize("NFC", text(pair))) == std::u32string(1, c)) found.push_back({pair[0], pair[1], c});
      }
    }
    return found;
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

void register_characters() { use_characters({character, casings, marks, without_accents, decomposed, compositions}); }

}  // namespace termsift::bindings

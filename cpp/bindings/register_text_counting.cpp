#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pybind11.hpp"
#include "termsift/text_counter.hpp"

namespace termsift::bindings {
namespace {

using Columns = std::optional<py::array>;

// Returns the stems that a function of Python returns for a list of words.
std::shared_ptr<WordStems> stems_by(const py::object& function) {
  // The last copy of the rules may be destroyed without the GIL.
  const std::shared_ptr<const py::object> held(new py::object(function), [](const py::object* object) {
    or_sleep_at_exit([=] {
      const py::gil_scoped_acquire gil;
      delete object;
    });
  });
  return std::make_shared<WordStems>([held](const std::vector<std::string>& words) {
    return or_sleep_at_exit([&] {
      const py::gil_scoped_acquire gil;
      py::list strings;
      for (const std::string& word : words) strings.append(decoded(word));
      return all_encoded((*held)(strings), "stems");
    });
  });
}

TextRules rules_of(const std::string& analyzer, bool lowercase, const std::optional<std::string>& strip_accents,
                   std::int64_t min_n, std::int64_t max_n, const py::sequence& stop_words,
                   const std::optional<std::string>& normalize, std::shared_ptr<TokenPattern> pattern,
                   const py::object& stem) {
  TextRules rules;
  rules.pattern = std::move(pattern);
  if (!stem.is_none()) rules.stems = stems_by(stem);
  if (analyzer == "char")
    rules.analyzer = Analyzer::chars;
  else if (analyzer == "char_wb")
    rules.analyzer = Analyzer::char_wb;
  else if (analyzer == "tokens")
    rules.analyzer = Analyzer::tokens;
  else if (analyzer != "word")
    throw py::value_error("analyzer must be 'word', 'char', 'char_wb' or 'tokens', got '" + analyzer + "'");
  rules.lowercase = lowercase;
  if (strip_accents == "ascii")
    rules.strip_accents = StripAccents::ascii;
  else if (strip_accents == "unicode")
    rules.strip_accents = StripAccents::unicode;
  else if (strip_accents)
    throw py::value_error("strip_accents must be None, 'ascii' or 'unicode', got '" + *strip_accents + "'");
  if (normalize == "NFC")
    rules.normalize = NormalForm::nfc;
  else if (normalize == "NFKC")
    rules.normalize = NormalForm::nfkc;
  else if (normalize)
    throw py::value_error("normalize must be None, 'NFC' or 'NFKC', got '" + *normalize + "'");
  if (min_n < 1 || max_n < min_n)
    throw py::value_error("the range of n-grams must be 1 <= min_n <= max_n, got (" + std::to_string(min_n) + ", " +
                          std::to_string(max_n) + ")");
  // The number of words in an n-gram is limited, because each length of n-grams has a separate table.
  constexpr std::int64_t most_words = 1000;
  if (rules.analyzer == Analyzer::word && max_n > most_words)
    throw py::value_error("n-grams may have at most " + std::to_string(most_words) + " words, got " + std::to_string(max_n));
  rules.min_n = min_n;
  rules.max_n = max_n;
  rules.stop_words = all_encoded(stop_words, "stop words");
  return rules;
}

// Copies an array that C++ code uses without the GIL, because another Python thread could change the original meanwhile.
template <class T = std::int32_t>
std::vector<T> copied(const std::optional<py::array>& array, const char* name) {
  if (!array) return {};
  const auto elements = span_of<T>(*array, name);
  return {elements.begin(), elements.end()};
}

// Returns (data, indices, indptr).
py::tuple arrays_of(TextMatrix matrix) {
  py::array data = to_numpy(std::move(matrix.data), {matrix.n_entries});
  py::array indices = to_numpy(std::move(matrix.indices), {matrix.n_entries});
  return py::make_tuple(data, indices, to_numpy(std::move(matrix.indptr), {matrix.n_rows + 1}));
}

// Without `indptr`, each document has one of the `classes`. Otherwise document d has classes[indptr[d]:indptr[d + 1]].
void add(TextCounter& counter, const py::object& texts, const std::optional<py::array>& classes, int n_threads,
         const std::optional<py::array>& indptr) {
  const Texts documents = texts_of(texts);
  const auto of_documents = copied<ClassId>(classes, "classes");
  const auto ends = copied<std::int64_t>(indptr, "indptr");
  on_threads(n_threads, [&](const Threads& threads) {
    if (!indptr) return counter.add(documents, of_documents, threads);
    const LabelView labels{std::numeric_limits<ClassId>::max(), std::ssize(of_documents), ends.data(), of_documents.data()};
    if (std::ssize(ends) != std::ssize(documents) + 1) throw std::invalid_argument("each document needs an end in indptr");
    counter.add_labelled(documents, labels, threads);
  });
}

// Makes a container for the terms that have a column, and puts the terms into the places that places(container) returns.
template <class Make, class Places>
auto terms_in(const TextCounter& counter, const Columns& columns, const Make& make, const Places& places) {
  const std::vector<std::int32_t> of_terms = copied(columns, "columns");
  const auto is_kept = [](std::int32_t column) { return column >= 0; };
  auto container = make(of_terms.empty() ? counter.n_terms() : std::count_if(of_terms.begin(), of_terms.end(), is_kept));
  PyObject** const first = places(container);
  std::int64_t n = 0;
  counter.for_each_term(of_terms, [&](std::int64_t, std::string_view bytes) {
    check_signals(n);
    Py_XDECREF(std::exchange(first[n++], decoded(bytes).release().ptr()));
  });
  return container;
}

py::list terms(const TextCounter& counter, const Columns& columns) {
  return terms_in(counter, columns, [](std::int64_t n) { return py::list(n); },
                  [](const py::list& list) { return PySequence_Fast_ITEMS(list.ptr()); });
}

// Returns an array of str. Making the array from a list would take a third as long again.
py::array term_array(const TextCounter& counter, const Columns& columns) {
  return terms_in(counter, columns, [](std::int64_t n) { return py::array(py::dtype("O"), std::vector<py::ssize_t>{n}); },
                  [](py::array& array) { return static_cast<PyObject**>(array.mutable_data()); });
}

py::tuple matrix(const TextCounter& counter, const Columns& columns, int n_threads) {
  const std::vector<std::int32_t> of_terms = copied(columns, "columns");
  return arrays_of(on_threads(n_threads, [&](const Threads& threads) { return counter.matrix(of_terms, threads); }));
}

py::object counts(const TextCounter& counter, std::int64_t n_classes, const Columns& columns, bool binary, int n_threads) {
  const std::vector<std::int32_t> of_terms = copied(columns, "columns");
  const auto count = [&](const Threads& threads) { return counter.counts(of_terms, n_classes, binary, threads); };
  return bindings::to_python(on_threads(n_threads, count));
}

py::array index_sums(const TextIndex& index, const py::object& texts, const py::array& weights, bool binary, int n_threads) {
  const Texts documents = texts_of(texts);
  const py::array flat = weights.attr("ravel")();
  const auto of_terms = span_of<double>(flat, "weights");
  const py::ssize_t n = weights.shape(1);
  const auto sum = [&](const Threads& threads) { return index.sums(documents, of_terms, n, binary, threads); };
  return to_numpy(on_threads(n_threads, sum), {std::ssize(documents), n});
}

// Returns a Python method that calls f, a function of TextCounter that returns one value per term.
auto by_term(LargeArray<std::int64_t> (TextCounter::*f)(const Threads&) const) {
  return [f](const TextCounter& counter, int n_threads) {
    const auto values = [&](const Threads& threads) { return (counter.*f)(threads); };
    return to_numpy(on_threads(n_threads, values), {counter.n_terms()});
  };
}

}  // namespace

void register_text_counting(py::module_& module) {
  py::class_<TextRules>(module, "TextRules", "Rules for cutting texts into terms.")
      .def(py::init(&rules_of), "analyzer"_a, "lowercase"_a, "strip_accents"_a, "min_n"_a, "max_n"_a, "stop_words"_a,
           "normalize"_a = py::none(), "pattern"_a = py::none(), "stem"_a = py::none())
      .def("with_sketch",
           [](const TextRules& rules, std::shared_ptr<TermSketch> sketch, std::uint8_t least) {
             TextRules gated = rules;
             gated.sketch = std::move(sketch);
             gated.least = least;
             return gated;
           }, "sketch"_a, "least"_a);
  py::class_<TermSketch, std::shared_ptr<TermSketch>>(module, "TermSketch", "Bounds on the document frequencies of terms.")
      .def(py::init<std::int64_t>(), "n_counters"_a)
      .def("add",
           [](TermSketch& sketch, const TextRules& rules, const py::object& texts, int n_threads) {
             const Texts documents = texts_of(texts);
             on_threads(n_threads, [&](const Threads& threads) { sketch.add(rules, documents, threads); });
           }, "rules"_a, "texts"_a, "n_threads"_a = 0)
      .def_property_readonly("counters", [](const py::object& self) {
        const std::span<std::uint8_t> counters = self.cast<TermSketch&>().counters();
        return py::array_t<std::uint8_t>(static_cast<py::ssize_t>(counters.size()), counters.data(), self);
      });
  py::class_<TextCounter>(module, "TextCounter", "Learns the terms of texts and counts them, by document or by class.")
      .def(py::init<const TextRules&, bool>(), "rules"_a, "by_class"_a = false)
      .def("add", &add, "texts"_a, "classes"_a = py::none(), "n_threads"_a = 0, "indptr"_a = py::none())
      .def("sort",
           [](TextCounter& counter, int n_threads) {
             on_threads(n_threads, [&](const Threads& threads) { counter.sort(threads); });
           }, "n_threads"_a = 0)
      .def_property_readonly("n_empty", &TextCounter::n_empty)
      .def_property_readonly("n_words", &TextCounter::n_words)
      .def_property_readonly("n_before_marks", &TextCounter::n_before_marks)
      .def_property_readonly("n_bytes", &TextCounter::n_bytes)
      .def_property_readonly("n_terms", &TextCounter::n_terms)
      .def("document_frequency", by_term(&TextCounter::document_frequency), "n_threads"_a = 0)
      .def("term_frequency", by_term(&TextCounter::term_frequency), "n_threads"_a = 0)
      .def("terms", &terms, "columns"_a = py::none())
      .def("term_array", &term_array, "columns"_a = py::none())
      .def("matrix", &matrix, "columns"_a = py::none(), "n_threads"_a = 0)
      .def("counts", &counts, "n_classes"_a, "columns"_a = py::none(), "binary"_a = false, "n_threads"_a = 0);
  py::class_<TextIndex>(module, "TextIndex", "Counts the terms of a vocabulary in texts.")
      .def(py::init([](const TextRules& rules, const py::sequence& terms) {
             const std::vector<std::string> of_index = all_encoded(terms, "terms");
             return on_threads(
                 1, [&](const Threads& threads) { return std::make_unique<TextIndex>(rules, of_index, threads.poll); });
           }), "rules"_a, "terms"_a)
      .def("matrix",
           [](const TextIndex& index, const py::object& texts, int n_threads) {
             const Texts documents = texts_of(texts);
             const auto count = [&](const Threads& threads) { return index.matrix(documents, threads); };
             return arrays_of(on_threads(n_threads, count));
           }, "texts"_a, "n_threads"_a = 0)
      .def("sums", &index_sums, "texts"_a, "weights"_a, "binary"_a = false, "n_threads"_a = 0);
  module.def("hashed_matrix",
             [](const TextRules& rules, const py::object& texts, std::int32_t n_columns, bool alternate_sign,
                int n_threads) {
               const Texts documents = texts_of(texts);
               return arrays_of(on_threads(n_threads, [&](const Threads& threads) {
                 return hashed_matrix(rules, documents, n_columns, alternate_sign, threads);
               }));
             }, "rules"_a, "texts"_a, "n_columns"_a, "alternate_sign"_a, "n_threads"_a = 0);
}

}  // namespace termsift::bindings

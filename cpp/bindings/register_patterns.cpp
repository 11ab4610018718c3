// Passes regular expressions, which the package has translated, to the core.
#include <stdexcept>
#include <string>

#include "pybind11.hpp"
#include "termsift/token_pattern.hpp"
#include "termsift/utf8.hpp"

namespace termsift::bindings {
namespace {

std::vector<std::uint8_t> bytes_in(const py::array& array, const char* name) {
  const py::array flat = array.attr("ravel")();
  const auto elements = span_of<std::uint8_t>(flat, name);
  return {elements.begin(), elements.end()};
}

// `steps` has a row (kind, a, b, c) for each step. The characters from starts[i] to starts[i + 1] have classes[i].
std::shared_ptr<TokenPattern> pattern_of(const py::array& steps, const py::array& starts, const py::array& classes,
                                         const py::array& sets, const py::array& tests, const py::array& context_after,
                                         bool asks_for_last_newline, int skip_before, int skip_after) {
  if (steps.ndim() != 2 || steps.shape(1) != 4 || sets.ndim() != 2 || tests.ndim() != 3 || sets.shape(1) < 3 ||
      tests.shape(2) != sets.shape(1))
    throw std::invalid_argument("malformed pattern: the shapes");
  PatternProgram program;
  const py::array flat = steps.attr("ravel")();
  const auto numbers = span_of<std::int32_t>(flat, "steps");
  for (std::size_t i = 0; i + 3 < numbers.size(); i += 4)
    program.steps.push_back(
        {static_cast<PatternStep::Kind>(numbers[i]), numbers[i + 1], numbers[i + 2], numbers[i + 3]});
  const auto from = span_of<std::int32_t>(starts, "starts");
  const std::vector<std::uint8_t> of_ranges = bytes_in(classes, "classes");
  if (from.size() != of_ranges.size()) throw std::invalid_argument("malformed pattern: the ranges");
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::int32_t end = i + 1 < from.size() ? from[i + 1] : static_cast<std::int32_t>(n_code_points);
    if (from[i] != static_cast<std::int32_t>(program.class_of.size()) || end < from[i])
      throw std::invalid_argument("malformed pattern: the ranges");
    program.class_of.resize(static_cast<std::size_t>(end), of_ranges[i]);
  }
  program.n_classes = static_cast<int>(sets.shape(1)) - 2;
  program.n_sets = static_cast<int>(sets.shape(0));
  program.n_tests = static_cast<int>(tests.shape(0));
  program.n_contexts = static_cast<int>(tests.shape(1));
  program.sets = bytes_in(sets, "sets");
  program.tests = bytes_in(tests, "tests");
  program.context_after = bytes_in(context_after, "contexts");
  program.asks_for_last_newline = asks_for_last_newline;
  program.skip_before = skip_before;
  program.skip_after = skip_after;
  return without_gil([&] { return std::make_shared<TokenPattern>(std::move(program)); });
}

py::list matches(const std::shared_ptr<TokenPattern>& pattern, const py::object& texts, std::int64_t piece) {
  const Texts documents = texts_of(texts);
  py::list all;
  for (const std::vector<std::string>& of_text : without_gil([&] { return all_matches(pattern, documents, piece); })) {
    py::list strings;
    for (const std::string& match : of_text) strings.append(decoded(match));
    all.append(strings);
  }
  return all;
}

}  // namespace

void register_patterns(py::module_& module) {
  py::class_<TokenPattern, std::shared_ptr<TokenPattern>>(module, "TokenPattern", "A regular expression for words.")
      .def(py::init(&pattern_of), "steps"_a, "starts"_a, "classes"_a, "sets"_a, "tests"_a, "context_after"_a,
           "asks_for_last_newline"_a, "skip_before"_a, "skip_after"_a)
      .def("matches", &matches, "texts"_a, "piece"_a = 1 << 16);
}

}  // namespace termsift::bindings

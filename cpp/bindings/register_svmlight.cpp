#include <string>
#include <string_view>
#include <utility>

#include "pybind11.hpp"
#include "termsift/svmlight.hpp"

namespace termsift::bindings {
namespace {

// Returns "expected ..., found '...'". Python's repr escapes control characters.
py::str message(const BadLine& bad) {
  if (bad.found.empty()) return py::str("expected {}, found nothing").format(bad.expected);
  const py::object found = py::bytes(bad.found).attr("decode")("utf-8", "backslashreplace");
  return py::str("expected {}, found {!r}{}").format(bad.expected, found, bad.cut ? "..." : "");
}

py::dict parse_svmlight(const py::buffer& block, const py::str& file, std::int64_t first_line, bool skip, int n_threads,
                        std::int64_t min_index, std::int64_t max_index, const std::string& index_note) {
  const py::buffer_info bytes = block.request();
  const std::string_view text(static_cast<const char*>(bytes.ptr), static_cast<std::size_t>(bytes.size));
  const SvmlightOptions options{first_line, min_index, max_index, index_note, skip, python_threads(n_threads)};
  SvmlightBlock parsed;
  try {
    parsed = without_gil([&] { return parse_svmlight(text, options); });
  } catch (const LineError& error) {
    const py::str what = py::str("{}, line {}: {}").format(file, error.bad.line, message(error.bad));
    PyErr_SetObject(PyExc_ValueError, what.ptr());
    throw py::error_already_set();
  }
  py::list skipped;
  for (const BadLine& bad : parsed.skipped) skipped.append(py::make_tuple(bad.line, message(bad)));
  py::object unlabelled = py::none();
  if (parsed.unlabelled) unlabelled = py::make_tuple(parsed.unlabelled->line, message(*parsed.unlabelled));
  py::object data = to_numpy(std::move(parsed.data), {parsed.n_entries});
  if (!parsed.exact) data = data.attr("view")(py::dtype::of<double>());
  return py::dict("indptr"_a = to_numpy(std::move(parsed.indptr), {parsed.n_docs + 1}),
                  "indices"_a = to_numpy(std::move(parsed.indices), {parsed.n_entries}), "data"_a = data,
                  "labels"_a = to_numpy(std::move(parsed.labels), {parsed.n_labels}),
                  "label_indptr"_a = to_numpy(std::move(parsed.label_indptr), {parsed.n_docs + 1}),
                  "n_lines"_a = parsed.n_lines, "n_skipped"_a = parsed.n_skipped, "skipped"_a = skipped,
                  "unlabelled"_a = unlabelled);
}

}  // namespace

void register_svmlight(py::module_& module) {
  module.def("parse_svmlight", &parse_svmlight, "block"_a, py::kw_only(), "file"_a, "first_line"_a, "skip"_a, "n_threads"_a,
             "min_index"_a = 0, "max_index"_a = std::numeric_limits<std::int64_t>::max(), "index_note"_a = "");
}

}  // namespace termsift::bindings

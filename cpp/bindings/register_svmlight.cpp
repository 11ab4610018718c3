#include <string>
#include <utility>

#include "pybind11.hpp"
#include "text.hpp"
#include "termsift/svmlight.hpp"

namespace termsift::bindings {
namespace {

py::dict parse_svmlight(const py::object& block, std::int64_t first_line, bool multilabel, bool skip, int n_threads,
               bool may_lack_labels, std::int64_t min_index, std::int64_t max_index, const std::string& index_note,
               const py::str& file) {
  const Bytes bytes(block);
  const SvmlightOptions options{first_line, min_index, max_index, index_note,
                                multilabel, may_lack_labels, skip, python_threads(n_threads)};
  SvmlightBlock parsed = parse_text(file, [&] { return parse_svmlight(bytes.text(), options); });
  py::list skipped;
  for (const BadLine& bad : parsed.skipped) skipped.append(py::make_tuple(bad.line, message(bad)));
  py::object unlabelled = py::none(), label_indptr = py::none();
  if (parsed.unlabelled) unlabelled = py::make_tuple(parsed.unlabelled->line, message(*parsed.unlabelled));
  if (multilabel) label_indptr = to_numpy(std::move(parsed.label_indptr), {parsed.n_docs + 1});
  return py::dict("indptr"_a = to_numpy(std::move(parsed.indptr), {parsed.n_docs + 1}),
                  "indices"_a = to_numpy(std::move(parsed.indices), {parsed.n_entries}),
                  "data"_a = values(std::move(parsed.data), parsed.n_entries, parsed.exact),
                  "labels"_a = to_numpy(std::move(parsed.labels), {parsed.n_labels}), "label_indptr"_a = label_indptr,
                  "n_lines"_a = parsed.n_lines, "n_skipped"_a = parsed.n_skipped, "skipped"_a = skipped,
                  "unlabelled"_a = unlabelled);
}

}  // namespace

void register_svmlight(py::module_& module) {
  module.def("parse_svmlight", &parse_svmlight, "block"_a, py::kw_only(), "first_line"_a, "multilabel"_a, "skip"_a,
             "n_threads"_a, "unlabelled"_a = true, "min_index"_a = 0,
             "max_index"_a = std::numeric_limits<std::int64_t>::max(), "index_note"_a = "", "file"_a = "");
}

}  // namespace termsift::bindings

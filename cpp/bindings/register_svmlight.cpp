#include <string>
#include <utility>

#include "pybind11.hpp"
#include "termsift/svmlight.hpp"

namespace termsift::bindings {
namespace {

// The bytes of an object, which cannot be resized meanwhile.
class Bytes {
 public:
  explicit Bytes(const py::object& object) {
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_SIMPLE) != 0) throw py::error_already_set();
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() { PyBuffer_Release(&buffer_); }
  std::string_view text() const { return {static_cast<const char*>(buffer_.buf), static_cast<std::size_t>(buffer_.len)}; }

 private:
  Py_buffer buffer_{};
};

// "expected ..., found '...'"; Python's repr escapes what no terminal should see.
py::str message(const BadLine& bad) {
  const py::object found = py::bytes(bad.found).attr("decode")("utf-8", "backslashreplace");
  return py::str("expected {}, found {!r}{}").format(bad.expected, found, bad.cut ? "..." : "");
}

// Counts as int64 or, if they are not all whole, as float64.
py::array counts(SvmlightBlock& block) {
  std::int64_t* const raw = block.data.release();
  const py::capsule owner(raw, [](void* memory) { FreeMemory{}(memory); });
  const py::dtype dtype = block.exact ? py::dtype::of<std::int64_t>() : py::dtype::of<double>();
  return py::array(dtype, {block.n_entries}, {}, raw, owner);
}

py::dict parse(const py::object& block, std::int64_t first_line, bool multilabel, bool skip, int n_threads,
               bool may_lack_labels, std::int64_t min_index, std::int64_t max_index, const std::string& index_note,
               const py::str& file) {
  const Bytes bytes(block);
  const SvmlightOptions options{first_line, min_index, max_index, index_note,
                                multilabel, may_lack_labels, skip, python_threads(n_threads)};
  SvmlightBlock parsed;
  try {
    parsed = without_gil([&] { return parse_svmlight(bytes.text(), options); });
  } catch (const SvmlightError& error) {
    const char* const form = py::len(file) > 0 ? "{}, line {}: {}" : "{}line {}: {}";
    const py::str told = py::str(form).format(file, error.bad.line, message(error.bad));
    PyErr_SetObject(PyExc_ValueError, told.ptr());
    throw py::error_already_set();
  }
  py::list skipped;
  for (const BadLine& bad : parsed.skipped) skipped.append(py::make_tuple(bad.line, message(bad)));
  py::object unlabelled = py::none(), label_indptr = py::none();
  if (parsed.unlabelled) unlabelled = py::make_tuple(parsed.unlabelled->line, message(*parsed.unlabelled));
  if (multilabel) label_indptr = to_numpy(std::move(parsed.label_indptr), {parsed.n_docs + 1});
  return py::dict("indptr"_a = to_numpy(std::move(parsed.indptr), {parsed.n_docs + 1}),
                  "indices"_a = to_numpy(std::move(parsed.indices), {parsed.n_entries}), "data"_a = counts(parsed),
                  "labels"_a = to_numpy(std::move(parsed.labels), {parsed.n_labels}), "label_indptr"_a = label_indptr,
                  "n_lines"_a = parsed.n_lines, "n_skipped"_a = parsed.n_skipped, "skipped"_a = skipped,
                  "unlabelled"_a = unlabelled);
}

}  // namespace

void register_svmlight(py::module_& module) {
  module.def("parse_svmlight", &parse, "block"_a, py::kw_only(), "first_line"_a, "multilabel"_a, "skip"_a, "n_threads"_a,
             "unlabelled"_a = true, "min_index"_a = 0, "max_index"_a = std::numeric_limits<std::int64_t>::max(),
             "index_note"_a = "", "file"_a = "");
}

}  // namespace termsift::bindings

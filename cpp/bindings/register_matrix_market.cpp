#include <utility>

#include "pybind11.hpp"
#include "termsift/matrix_market.hpp"
#include "text.hpp"

namespace termsift::bindings {
namespace {

py::tuple parse_matrix_market(const py::object& text, int n_threads, const py::str& file) {
  const Bytes bytes(text);
  const Threads threads = python_threads(n_threads);
  MatrixMarketEntries parsed = parse_text(file, [&] { return parse_matrix_market(bytes.text(), threads); });
  const std::int64_t n = parsed.n_entries;
  return py::make_tuple(values(std::move(parsed.data), n, parsed.exact), to_numpy(std::move(parsed.rows), {n}),
                        to_numpy(std::move(parsed.columns), {n}), py::make_tuple(parsed.n_rows, parsed.n_columns));
}

}  // namespace

void register_matrix_market(py::module_& module) {
  module.def("parse_matrix_market", &parse_matrix_market, "text"_a, py::kw_only(), "n_threads"_a, "file"_a = "");
}

}  // namespace termsift::bindings

#include <optional>
#include <variant>

#include "counts_object.hpp"
#include "dispatch.hpp"
#include "pybind11.hpp"
#include "termsift/greedy.hpp"

namespace termsift::bindings {

namespace {

using B2 = std::pair<double, double>;
using Prior = std::optional<py::array>;

py::tuple select(const py::object& counts, double b1, const B2& b2, const Prior& prior, std::int64_t k, bool exhaustive,
                 int n_threads, const py::object& progress) {
  return std::visit(
      [&](const auto& c) -> py::tuple {
        const Threads threads = python_threads(n_threads);
        const Estimation e = estimation(b1, b2, prior);
        const Progress report = python_progress(progress);
        GreedyRanking ranking = without_gil([&] { return greedy(c, e, k, exhaustive, threads, report); });
        return py::make_tuple(to_numpy(std::move(ranking.indices), {k}), to_numpy(std::move(ranking.divergences), {k}),
                              ranking.informative, ranking.evaluations);
      },
      counts_of(counts));
}

double divergence_of(const py::object& counts, double b1, const B2& b2, const Prior& prior, const py::array& indices) {
  const std::span terms(vector_data<std::int64_t>(indices, "indices"), static_cast<std::size_t>(indices.size()));
  return std::visit(
      [&](const auto& c) {
        const Estimation e = estimation(b1, b2, prior);
        return without_gil([&] { return divergence(c, e, terms); });
      },
      counts_of(counts));
}

}  // namespace

void register_greedy(py::module_& module) {
  module.def("greedy", &select, "counts"_a, "b1"_a, "b2"_a, "prior"_a, "k"_a, "exhaustive"_a, "n_threads"_a, "progress"_a);
  module.def("divergence", &divergence_of, "counts"_a, "b1"_a, "b2"_a, "prior"_a, "indices"_a);
}

}  // namespace termsift::bindings

#include <memory>
#include <optional>
#include <variant>

#include "counts_object.hpp"
#include "dispatch.hpp"
#include "pybind11.hpp"
#include "termsift/ranking.hpp"
#include "termsift/scores.hpp"

namespace termsift::bindings {

namespace {

py::array score_terms(const py::object& counts, Measure measure, Aggregate aggregate, double b1,
                      const std::pair<double, double>& b2, const std::optional<py::array>& prior, int n_threads) {
  return std::visit(
      [&](const auto& c) -> py::array {
        auto scores = LargeArray<double>::uninitialised(c.n_terms);
        const Threads threads = python_threads(n_threads);
        const Estimation e = estimation(b1, b2, prior);
        without_gil([&] { score(c, e, measure, aggregate, threads, scores.get()); });
        return to_numpy(std::move(scores), {c.n_terms});
      },
      counts_of(counts));
}

py::array score_classes(const py::object& counts, Measure measure, double b1, const std::pair<double, double>& b2,
                        const std::optional<py::array>& prior, int n_threads) {
  return std::visit(
      [&](const auto& c) -> py::array {
        const auto n_classes = static_cast<std::int64_t>(c.rows.size());
        auto scores = LargeArray<double>::uninitialised(n_classes * c.n_terms);
        const Threads threads = python_threads(n_threads);
        const Estimation e = estimation(b1, b2, prior);
        without_gil([&] { class_scores(c, e, measure, threads, scores.get()); });
        return to_numpy(std::move(scores), {n_classes, c.n_terms});
      },
      counts_of(counts));
}

py::array rank(const py::array& scores, std::int64_t k) {
  const auto* data = vector_data<double>(scores, "scores");
  if (k < 0 || k > scores.size()) throw py::value_error("k must be in [0, number of scores]");
  auto indices = LargeArray<std::int64_t>::uninitialised(k);
  without_gil([&] { top_k(data, scores.size(), k, indices.get()); });
  return to_numpy(std::move(indices), {k});
}

py::array sums(const py::array& values) {
  const auto* data = vector_data<double>(values, "values");
  auto result = LargeArray<double>::uninitialised(values.size());
  without_gil([&] { running_sums(data, values.size(), result.get()); });
  return to_numpy(std::move(result), {values.size()});
}

}  // namespace

void register_scores(py::module_& module) {
  py::enum_<Measure>(module, "Measure")
      .value("kl", Measure::kl)
      .value("nu_j", Measure::nu_j)
      .value("nu_pearson", Measure::nu_pearson)
      .value("bernoulli_kl", Measure::bernoulli_kl)
      .value("bernoulli_nu_j", Measure::bernoulli_nu_j)
      .value("bernoulli_nu_pearson", Measure::bernoulli_nu_pearson)
      .value("poisson_kl", Measure::poisson_kl)
      .value("poisson_nu_j", Measure::poisson_nu_j)
      .value("poisson_nu_pearson", Measure::poisson_nu_pearson);
  py::enum_<Aggregate>(module, "Aggregate").value("sum", Aggregate::sum).value("mean", Aggregate::mean).value("max", Aggregate::max);
  module.def("score", &score_terms, "counts"_a, "measure"_a, "aggregate"_a, "b1"_a, "b2"_a, "prior"_a, "n_threads"_a);
  module.def("class_scores", &score_classes, "counts"_a, "measure"_a, "b1"_a, "b2"_a, "prior"_a, "n_threads"_a);
  module.def("running_sums", &sums, "values"_a);
  module.def("top_k", &rank, "scores"_a, "k"_a);
}

}  // namespace termsift::bindings

#include <optional>

#include "dispatch.hpp"
#include "pybind11.hpp"
#include "termsift/conditional_gain.hpp"

namespace termsift::bindings {

namespace {

// Returns (indices, gains, evaluations).
py::tuple choose(const py::array& indptr, const py::array& indices, const py::array& data, std::int64_t n_terms,
                 const py::array& classes, std::int32_t n_classes, const std::optional<py::array>& weights, double shape,
                 double temper, double step, std::int64_t k, int n_threads, const py::object& progress,
                 std::int32_t classes_in_play, double balance, double cost, std::int32_t epochs) {
  const auto codes = span_of<std::int32_t>(classes, "classes");
  const auto weight = weights ? span_of<double>(*weights, "weights") : std::span<const double>();
  const Threads threads = python_threads(n_threads);
  const Progress report = python_progress(progress);
  const AnyCsr x = csr_of(indptr, indices, data, n_terms);
  GuideOptions guide;
  guide.cost = cost;
  guide.epochs = epochs;
  const ConditionalGain options{shape, temper, step, k, classes_in_play, balance, guide};
  GainRanking ranking =
      without_gil([&] { return conditional_gain(x, codes, n_classes, weight, options, threads, report); });
  return py::make_tuple(to_numpy(std::move(ranking.indices), {k}), to_numpy(std::move(ranking.gains), {k}),
                        ranking.evaluations);
}

}  // namespace

void register_conditional_gain(py::module_& module) {
  module.def("conditional_gain", &choose, "indptr"_a, "indices"_a, "data"_a, "n_terms"_a, "classes"_a, "n_classes"_a,
             "weights"_a, "shape"_a, "temper"_a, "step"_a, "k"_a, "n_threads"_a, "progress"_a,
             "classes_in_play"_a = ConditionalGain{}.classes_in_play, "balance"_a = ConditionalGain{}.balance,
             "cost"_a = GuideOptions{}.cost, "epochs"_a = GuideOptions{}.epochs);
}

}  // namespace termsift::bindings

#include <numeric>
#include <optional>
#include <vector>

#include "dispatch.hpp"
#include "pybind11.hpp"
#include "termsift/linear_machines.hpp"

namespace termsift::bindings {

namespace {

// Returns the weights (n_terms + 1, n_classes), intercepts last. For tests only: guided gain never keeps all weights.
py::array train(const py::array& indptr, const py::array& indices, const py::array& data, std::int64_t n_terms,
                const py::array& classes, std::int32_t n_classes, const std::optional<py::array>& weights, double cost,
                std::int32_t epochs, int n_threads) {
  const auto codes = span_of<std::int32_t>(classes, "classes");
  const auto weight = weights ? span_of<double>(*weights, "weights") : std::span<const double>();
  const Threads threads = python_threads(n_threads);
  const AnyCsr x = csr_of(indptr, indices, data, n_terms);
  auto all = LargeArray<float>::zeroed((n_terms + 1) * n_classes);
  without_gil([&] {
    const CsrFacts facts = check_csr(x, {}, threads);
    std::vector<std::int64_t> rows(codes.size());
    std::iota(rows.begin(), rows.end(), 0);
    train_linear_machines({x, facts.distinct, rows, codes, n_classes, weight}, {cost, epochs}, threads,
                          [&](const MachineBlock& block) {
                            for (std::size_t row = 0; row <= block.terms.size(); ++row) {
                              const std::int64_t t = row < block.terms.size() ? block.terms[row] : n_terms;
                              for (std::int64_t j = 0; j < block.n; ++j)
                                all[t * n_classes + block.first + j] =
                                    block.weights[static_cast<std::int64_t>(row) * machine_lanes + j];
                            }
                          });
  });
  return to_numpy(std::move(all), {n_terms + 1, std::int64_t{n_classes}});
}

}  // namespace

void register_linear_machines(py::module_& module) {
  module.def("linear_machines", &train, "indptr"_a, "indices"_a, "data"_a, "n_terms"_a, "classes"_a, "n_classes"_a,
             "weights"_a, "cost"_a, "epochs"_a, "n_threads"_a);
}

}  // namespace termsift::bindings

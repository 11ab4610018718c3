#include <optional>
#include <variant>

#include "counts_object.hpp"
#include "dispatch.hpp"
#include "pybind11.hpp"
#include "termsift/naive_bayes.hpp"

namespace termsift::bindings {

namespace {

// Returns (hits, predicted), each of shape (ks, classes).
py::tuple classify(const py::object& counts, EventModel model, double b1, const py::array& ranking, const py::array& ks,
                   const py::array& indptr, const py::array& indices, const py::array& data, std::int64_t n_terms,
                   const py::array& labels, TermWeight term_weight, const std::optional<py::array>& weights, int n_threads) {
  const NaiveBayes bayes{model, b1, span_of<std::int64_t>(ranking, "ranking"), span_of<std::int64_t>(ks, "ks")};
  const auto codes = span_of<ClassId>(labels, "labels");
  const auto document_weights = weights ? span_of<std::int64_t>(*weights, "weights") : std::span<const std::int64_t>{};
  return std::visit(
      [&](const auto& c) -> py::tuple {
        const auto n_classes = static_cast<std::int64_t>(c.rows.size()), n_ks = static_cast<std::int64_t>(ks.size());
        auto hits = LargeArray<std::int64_t>::uninitialised(n_ks * n_classes);
        auto predicted = LargeArray<std::int64_t>::uninitialised(n_ks * n_classes);
        const Threads threads = python_threads(n_threads);
        const LabelledDocuments documents{csr_of(indptr, indices, data, n_terms), codes, term_weight, document_weights};
        without_gil([&] { classify_by_prefixes(c, bayes, documents, threads, hits.get(), predicted.get()); });
        return py::make_tuple(to_numpy(std::move(hits), {n_ks, n_classes}),
                              to_numpy(std::move(predicted), {n_ks, n_classes}));
      },
      counts_of(counts));
}

}  // namespace

void register_naive_bayes(py::module_& module) {
  module.def("classify_by_prefixes", &classify, "counts"_a, "model"_a, "b1"_a, "ranking"_a, "ks"_a, "indptr"_a, "indices"_a,
             "data"_a, "n_terms"_a, "labels"_a, "term_weight"_a, "weights"_a, "n_threads"_a);
}

}  // namespace termsift::bindings

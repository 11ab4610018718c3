#include <algorithm>

#include "pybind11.hpp"
#include "termsift/contingency.hpp"
#include "termsift/rank_sums.hpp"
#include "termsift/ranking.hpp"
#include "termsift/scores.hpp"

namespace termsift::bindings {

namespace {

template <class AnyMeasure>
py::array score_terms(const py::object& counts, AnyMeasure measure, Aggregate aggregate, double b1, const B2& b2,
                      const Prior& prior, int n_threads) {
  return with_counts(counts, [&](const auto& c) -> py::array {
    return computed<double>({c.n_terms}, n_threads, [&, options = estimation(b1, b2, prior)](auto* scores, auto& threads) {
      score(c, options, measure, aggregate, threads, scores);
    });
  });
}

// Returns an array of class scores (if Result is double) or directions, of shape (n_classes, n_terms).
template <class Result, class AnyMeasure>
py::array score_classes(const py::object& counts, AnyMeasure measure, double b1, const B2& b2, const Prior& prior,
                        int n_threads) {
  return with_counts(counts, [&](const auto& c) -> py::array {
    const auto n_classes = static_cast<std::int64_t>(c.rows.size());
    const auto options = estimation(b1, b2, prior);
    return computed<Result>({n_classes, c.n_terms}, n_threads, [&](Result* results, const Threads& threads) {
      class_results(c, options, measure, threads, results);
    });
  });
}

// Returns the directions and the scores of pairs of a class and a term.
template <class AnyMeasure>
py::tuple find_scores_of_pairs(const py::object& counts, AnyMeasure measure, double b1, const B2& b2, const Prior& prior,
                               int n_threads, const py::array& starts, const py::array& terms) {
  return with_counts(counts, [&](const auto& c) -> py::tuple {
    const auto begins = span_of<std::int64_t>(starts, "starts");
    const auto of_pairs = span_of<TermId>(terms, "terms");
    const bool fits = begins.size() == c.rows.size() + 1 && begins.front() == 0 && begins.back() == terms.size() &&
                      std::is_sorted(begins.begin(), begins.end()) &&
                      std::all_of(of_pairs.begin(), of_pairs.end(), [&](TermId t) { return 0 <= t && t < c.n_terms; });
    if (!fits) throw std::invalid_argument("wrong starts of the classes, or wrong indices of terms");
    auto directions = LargeArray<std::int8_t>::uninitialised(terms.size());
    auto scores = LargeArray<double>::uninitialised(terms.size());
    const Threads threads = python_threads(n_threads);
    const auto options = estimation(b1, b2, prior);
    const Pairs pairs{begins.data(), of_pairs.data()};
    without_gil([&] { score_pairs(c, options, measure, threads, pairs, scores.get(), directions.get()); });
    return py::make_tuple(to_numpy(std::move(directions), {terms.size()}),
                          to_numpy(std::move(scores), {terms.size()}));
  });
}

py::tuple find_strongest_class(const py::object& counts, ContingencyMeasure measure, int n_threads) {
  return with_counts(counts, [&](const auto& c) -> py::tuple {
    py::array_t<double> scores(c.n_terms);
    py::array_t<std::int64_t> classes(c.n_terms);
    py::array_t<std::int8_t> signs(c.n_terms);
    const Threads threads = python_threads(n_threads);
    without_gil([&, to = scores.mutable_data(), of = classes.mutable_data(), sign = signs.mutable_data()] {
      strongest_class(c, measure, threads, to, of, sign);
    });
    return py::make_tuple(scores, classes, signs);
  });
}

template <class AnyMeasure>
py::tuple rank_in_turns(const py::object& counts, AnyMeasure measure, double b1, const B2& b2, const Prior& prior,
                        std::int64_t k, int n_threads) {
  return with_counts(counts, [&](const auto& c) -> py::tuple {
    if (k < 0 || k > c.n_terms) throw py::value_error("k must be in [0, number of terms]");
    py::array_t<std::int64_t> indices(k), classes(k);
    py::array_t<double> scores(k);
    const Threads threads = python_threads(n_threads);
    const auto options = estimation(b1, b2, prior);
    without_gil([&, at = indices.mutable_data(), to = scores.mutable_data(), of = classes.mutable_data()] {
      round_robin(c, options, measure, k, threads, at, to, of);
    });
    return py::make_tuple(indices, scores, classes);
  });
}

}  // namespace

void register_scores(py::module_& module) {
  py::enum_<Measure>(module, "Measure")
      .value("kl", Measure::kl)
      .value("nu_j", Measure::nu_j)
      .value("nu_pearson", Measure::nu_pearson);
  py::enum_<Aggregate>(module, "Aggregate")
      .value("sum", Aggregate::sum)
      .value("mean", Aggregate::mean)
      .value("max", Aggregate::max);
  py::enum_<ContingencyMeasure> contingency_measure(module, "ContingencyMeasure");
  for (int m = 0; m < n_contingency_methods; ++m)
    contingency_measure.value(name_of(ContingencyMeasure{static_cast<std::uint8_t>(m)}),
                              ContingencyMeasure{static_cast<std::uint8_t>(m)});
  const auto define_scores = [&]<class AnyMeasure>(AnyMeasure) {
    module.def("score", &score_terms<AnyMeasure>, "counts"_a, "measure"_a, "aggregate"_a, "b1"_a, "b2"_a, "prior"_a,
               "n_threads"_a);
    module.def("class_scores", &score_classes<double, AnyMeasure>, "counts"_a, "measure"_a, "b1"_a, "b2"_a, "prior"_a,
               "n_threads"_a);
    module.def("class_directions", &score_classes<std::int8_t, AnyMeasure>, "counts"_a, "measure"_a, "b1"_a, "b2"_a,
               "prior"_a, "n_threads"_a);
    module.def("score_pairs", &find_scores_of_pairs<AnyMeasure>, "counts"_a, "measure"_a, "b1"_a, "b2"_a, "prior"_a,
               "n_threads"_a, "starts"_a, "terms"_a);
    module.def("round_robin", &rank_in_turns<AnyMeasure>, "counts"_a, "measure"_a, "b1"_a, "b2"_a, "prior"_a, "k"_a,
               "n_threads"_a);
  };
  define_scores(Measure{});
  define_scores(ContingencyMeasure{});
  module.def("collection_scores", [](const py::object& counts, ContingencyMeasure measure, int n_threads) {
    return with_counts(counts, [&](const auto& c) -> py::array {
      return computed<double>({c.n_terms}, n_threads, [&](double* scores, const Threads& threads) {
        collection_scores(c, measure, threads, scores);
      });
    });
  }, "counts"_a, "measure"_a, "n_threads"_a);
  module.def("strongest_class", &find_strongest_class, "counts"_a, "measure"_a, "n_threads"_a);
  module.def("rank_sums", [](const py::array& indptr, const py::array& indices, const py::array& data, std::int64_t n_terms,
                             const py::array& documents, std::int64_t n_first, int n_threads) {
    const auto rows = span_of<std::int64_t>(documents, "documents");
    const AnyCsr x = csr_of(indptr, indices, data, n_terms);
    return computed<double>({n_terms}, n_threads, [&](double* z, const Threads& threads) {
      rank_sums(x, rows, n_first, threads, z);
    });
  }, "indptr"_a, "indices"_a, "data"_a, "n_terms"_a, "documents"_a, "n_first"_a, "n_threads"_a);
  module.def("running_sums", [](const py::array& values) {
    const auto* data = vector_data<double>(values, "values");
    return computed<double>({values.size()}, 1, [&](double* result, const Threads&) {
      running_sums(data, values.size(), result);
    });
  }, "values"_a);
  module.def("top_k", [](const py::array& scores, std::int64_t k, int n_threads) {
    const auto* data = vector_data<double>(scores, "scores");
    if (k < 0 || k > scores.size()) throw py::value_error("k must be in [0, number of scores]");
    return computed<std::int64_t>({k}, n_threads, [&](std::int64_t* indices, const Threads& threads) {
      top_k(data, scores.size(), k, threads, indices);
    });
  }, "scores"_a, "k"_a, "n_threads"_a);
}

}  // namespace termsift::bindings

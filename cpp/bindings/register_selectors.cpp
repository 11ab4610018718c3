#include <array>
#include <numeric>

#include "pybind11.hpp"
#include "termsift/conditional_gain.hpp"
#include "termsift/greedy.hpp"
#include "termsift/linear_machines.hpp"
#include "termsift/naive_bayes.hpp"
#include "termsift/posteriors.hpp"

namespace termsift::bindings {
namespace {

// Checks the sizes on which the core relies.
void require_sizes(std::int64_t k, std::int64_t n_terms, const AnyCsr* x = nullptr, std::size_t n_labels = 0,
                   std::size_t n_weights = 0) {
  if (k < 0 || k > n_terms) throw py::value_error("k must be in [0, " + std::to_string(n_terms) + "]");
  if (x != nullptr && static_cast<std::size_t>(x->n_rows) != n_labels) throw py::value_error("y and X differ in length");
  if (x != nullptr && n_weights > 0 && n_weights != n_labels)
    throw py::value_error("sample_weight and X differ in length");
}

py::tuple select(const py::object& counts, double b1, const B2& b2, const Prior& prior, std::int64_t k, bool exhaustive,
                 int n_threads, const py::object& progress) {
  return with_counts(counts, [&](const auto& c) -> py::tuple {
    const Threads threads = python_threads(n_threads);
    const Estimation e = estimation(b1, b2, prior);
    require_sizes(k, c.n_terms);
    const Progress report = python_progress(progress);
    GreedyRanking ranking = without_gil([&] { return greedy(c, e, k, exhaustive, threads, report); });
    return py::make_tuple(to_numpy(std::move(ranking.indices), {k}), to_numpy(std::move(ranking.divergences), {k}),
                          ranking.informative, ranking.evaluations);
  });
}

// Returns (indices, gains, evaluations).
py::tuple choose(const py::array& indptr, const py::array& indices, const py::array& data, std::int64_t n_terms,
                 const py::array& classes, const std::optional<py::array>& weights, double shape, double temper,
                 double step, std::int64_t k, int n_threads, const py::object& progress, std::int32_t classes_in_play,
                 double balance, double cost, std::int32_t epochs) {
  const auto codes = span_of<std::int32_t>(classes, "classes");
  const auto weight = weights ? span_of<double>(*weights, "weights") : std::span<const double>();
  const Threads threads = python_threads(n_threads);
  const Progress report = python_progress(progress);
  const AnyCsr x = csr_of(indptr, indices, data, n_terms);
  require_sizes(k, n_terms, &x, codes.size(), weight.size());
  const ConditionalGain options{shape, temper, step, k, classes_in_play, balance, {cost, epochs}};
  GainRanking ranking = without_gil([&] { return conditional_gain(x, codes, weight, options, threads, report); });
  return py::make_tuple(to_numpy(std::move(ranking.indices), {k}), to_numpy(std::move(ranking.gains), {k}),
                        ranking.evaluations);
}

// Returns the arrays (hits, predicted), each of shape (number of ks, n_classes).
py::tuple classify(const py::object& counts, EventModel model, double b1, const py::array& ranking, const py::array& ks,
                   const py::array& indptr, const py::array& indices, const py::array& data, std::int64_t n_terms,
                   const py::array& labels, TermWeight term_weight, int n_threads) {
  const NaiveBayes bayes{model, b1, span_of<std::int64_t>(ranking, "ranking"), span_of<std::int64_t>(ks, "ks")};
  const auto codes = span_of<ClassId>(labels, "labels");
  return with_counts(counts, [&](const auto& c) -> py::tuple {
    const auto n_classes = static_cast<std::int64_t>(c.rows.size()), n_ks = static_cast<std::int64_t>(ks.size());
    auto hits = LargeArray<std::int64_t>::uninitialised(n_ks * n_classes);
    auto predicted = LargeArray<std::int64_t>::uninitialised(n_ks * n_classes);
    const Threads threads = python_threads(n_threads);
    const LabelledDocuments documents{csr_of(indptr, indices, data, n_terms), codes, term_weight};
    without_gil([&] { classify_by_prefixes(c, bayes, documents, threads, hits.get(), predicted.get()); });
    return py::make_tuple(to_numpy(std::move(hits), {n_ks, n_classes}),
                          to_numpy(std::move(predicted), {n_ks, n_classes}));
  });
}

// Returns the classifier of these arrays. `pairs` holds of_class, of_term, first_pair and pair_class, or is None if
// the weights are those of all terms and classes.
using Pairs = std::optional<std::array<py::array, 4>>;

LinearClasses linear_classes(const py::array& constant, const std::optional<py::array>& term_of, const py::array& weights,
                             const Pairs& pairs) {
  LinearClasses classes;
  classes.constant = span_of<double>(constant, "constant");
  if (term_of) classes.term_of = span_of<std::int32_t>(*term_of, "term_of");
  const bool is_table = weights.ndim() == 2 && (weights.flags() & py::array::c_style) && has_dtype<double>(weights);
  if (!pairs && !is_table) throw py::value_error("weights must be a contiguous array of two dimensions");
  if (!pairs) {
    classes.weights = {static_cast<const double*>(weights.data()), at(weights.size())};
    classes.stride = weights.shape(1);
    return classes;
  }
  classes.weights = span_of<double>(weights, "weights");
  classes.of_class = span_of<double>((*pairs)[0], "of_class");
  classes.of_term = span_of<double>((*pairs)[1], "of_term");
  classes.first_pair = span_of<std::int64_t>((*pairs)[2], "first_pair");
  classes.pair_class = span_of<std::int32_t>((*pairs)[3], "pair_class");
  return classes;
}

// Returns the log posteriors of documents, of shape (n_docs, n_classes).
py::array posteriors(const py::array& constant, const std::optional<py::array>& term_of, const py::array& weights,
                     const Pairs& pairs, const py::array& indptr, const py::array& indices, const py::array& data,
                     std::int64_t n_columns, TermWeight term_weight, int n_threads) {
  const LinearClasses classes = linear_classes(constant, term_of, weights, pairs);
  const AnyCsr x = csr_of(indptr, indices, data, n_columns);
  return computed<double>({x.n_rows, std::ssize(classes.constant)}, n_threads, [&](double* out, const Threads& threads) {
    log_posteriors(classes, x, term_weight, threads, out);
  });
}

// Returns the position of the predicted class of each document.
py::array predict(const py::array& constant, const std::optional<py::array>& term_of, const py::array& weights,
                  const Pairs& pairs, const py::array& indptr, const py::array& indices, const py::array& data,
                  std::int64_t n_columns, TermWeight term_weight, double tie, int n_threads) {
  const LinearClasses classes = linear_classes(constant, term_of, weights, pairs);
  const AnyCsr x = csr_of(indptr, indices, data, n_columns);
  return computed<ClassId>({x.n_rows}, n_threads, [&](ClassId* out, const Threads& threads) {
    predict_classes(classes, x, term_weight, tie, threads, out);
  });
}

// Returns the weights of all linear machines as an array (n_terms + 1, n_classes), whose last row holds the intercepts. Only
// tests call train(), because guided gain never keeps all weights.
py::array train(const py::array& indptr, const py::array& indices, const py::array& data, std::int64_t n_terms,
                const py::array& classes, std::int32_t n_classes, const std::optional<py::array>& weights, double cost,
                std::int32_t epochs, int n_threads) {
  const auto codes = span_of<std::int32_t>(classes, "classes");
  const auto weight = weights ? span_of<double>(*weights, "weights") : std::span<const double>();
  const Threads threads = python_threads(n_threads);
  const AnyCsr x = csr_of(indptr, indices, data, n_terms);
  require_sizes(0, n_terms, &x, codes.size(), weight.size());
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

void register_selectors(py::module_& module) {
  module.def("greedy", &select, "counts"_a, "b1"_a, "b2"_a, "prior"_a, "k"_a, "exhaustive"_a, "n_threads"_a, "progress"_a);
  module.def("conditional_gain", &choose, "indptr"_a, "indices"_a, "data"_a, "n_terms"_a, "classes"_a,
             "weights"_a, "shape"_a, "temper"_a, "step"_a, "k"_a, "n_threads"_a, "progress"_a,
             "classes_in_play"_a = ConditionalGain{}.classes_in_play, "balance"_a = ConditionalGain{}.balance,
             "cost"_a = ConditionalGain{}.machines.cost, "epochs"_a = ConditionalGain{}.machines.epochs);
  module.def("classify_by_prefixes", &classify, "counts"_a, "model"_a, "b1"_a, "ranking"_a, "ks"_a, "indptr"_a, "indices"_a,
             "data"_a, "n_terms"_a, "labels"_a, "term_weight"_a, "n_threads"_a);
  module.def("log_posteriors", &posteriors, "constant"_a, "term_of"_a, "weights"_a, "pairs"_a, "indptr"_a, "indices"_a,
             "data"_a, "n_columns"_a, "term_weight"_a, "n_threads"_a);
  module.def("predict_classes", &predict, "constant"_a, "term_of"_a, "weights"_a, "pairs"_a, "indptr"_a, "indices"_a,
             "data"_a, "n_columns"_a, "term_weight"_a, "tie"_a, "n_threads"_a);
  module.def("linear_machines", &train, "indptr"_a, "indices"_a, "data"_a, "n_terms"_a, "classes"_a, "n_classes"_a,
             "weights"_a, "cost"_a, "epochs"_a, "n_threads"_a);
}

}  // namespace termsift::bindings

#include <algorithm>
#include <optional>
#include <variant>

#include "counts_object.hpp"
#include "dispatch.hpp"
#include "pybind11.hpp"
#include "termsift/counting.hpp"

namespace termsift::bindings {
namespace {

// A Python class for the variant: pybind11 would otherwise convert a bare std::variant by value.
struct Counts {
  CountsObject value;
};

Counts empty_counts(std::int64_t n_classes, bool exact) {
  const auto make = [&]<class Count>(Count) {
    return ClassCounts<Count>{
        0, 0, {static_cast<std::size_t>(n_classes), std::make_shared<const ClassRow<Count>>(ClassRow<Count>::with_capacity(0))}, nullptr};
  };
  if (exact) return {make(std::int64_t{})};
  return {make(double{})};
}

template <CountType Count>
ClassCounts<Count> as(const Counts& counts, const Threads& threads) {
  if constexpr (std::is_same_v<Count, double>)
    if (const auto* exact = std::get_if<ClassCounts<std::int64_t>>(&counts.value)) return to_float(*exact, threads);
  return std::get<ClassCounts<Count>>(counts.value);
}

// Applies f to both operands in their common type: exact if both are.
template <class F>
Counts combine(const Counts& a, const Counts& b, int n_threads, const F& f) {
  const Threads threads = python_threads(n_threads);
  return without_gil([&]() -> Counts {
    if (a.value.index() == 0 && b.value.index() == 0)
      return {f(as<std::int64_t>(a, threads), as<std::int64_t>(b, threads), threads)};
    return {f(as<double>(a, threads), as<double>(b, threads), threads)};
  });
}

Counts updated(const Counts& counts, const py::array& indptr, const py::array& indices, const py::array& data,
               std::int64_t n_terms, const std::optional<py::array>& label_indptr, const py::array& codes,
               const std::optional<py::array>& weights, int n_threads) {
  const Threads threads = python_threads(n_threads);
  const LabelView labels{
      std::visit([](const auto& c) { return static_cast<std::int64_t>(c.rows.size()); }, counts.value), codes.size(),
      label_indptr ? vector_data<std::int64_t>(*label_indptr, "label_indptr") : nullptr, vector_data<ClassId>(codes, "codes")};
  const std::int64_t n_docs = indptr.size() - 1;
  if (label_indptr && label_indptr->size() != n_docs + 1) throw py::value_error("y and X differ in length");
  if (weights && weights->size() != n_docs) throw py::value_error("sample_weight and X differ in length");
  std::optional<Counts> result;
  visit_csr(indptr, indices, data, n_terms, [&]<class Index, class Value>(const CsrView<Index, Value>& x) {
    const auto add = [&]<class Count>(Count) {
      const Count* w = weights ? vector_data<Count>(*weights, "sample_weight") : nullptr;
      result = without_gil([&]() -> Counts {
        const CsrFacts facts = check_csr(x, {}, threads);
        check_labels(labels, n_docs);
        return {count_documents(as<Count>(counts, threads), x, facts, labels, w, threads)};
      });
    };
    if constexpr (!std::is_floating_point_v<Value>) {
      if (counts.value.index() == 0 && (!weights || has_dtype<std::int64_t>(*weights))) return add(std::int64_t{});
    }
    if (weights && has_dtype<std::int64_t>(*weights)) throw py::type_error("float counts take float weights");
    add(double{});
  });
  return std::move(*result);
}

void check(const py::array& indptr, const py::array& indices, const py::array& data, std::int64_t n_columns,
           const std::string& name, bool transposed, int n_threads) {
  const Threads threads = python_threads(n_threads);
  visit_csr(indptr, indices, data, n_columns,
            [&](const auto& x) { without_gil([&] { return check_csr(x, {name, transposed}, threads); }); });
}

// ---- arrays out and in: what a file holds ------------------------------------------------------------------------------

template <CountType Count>
std::vector<ClassRowPtr<Count>> all_rows(const ClassCounts<Count>& counts) {
  auto rows = counts.rows;
  if (counts.collection) rows.push_back(counts.collection);
  return rows;
}

// One value a row, as an array.
template <CountType Count, class F>
py::array row_values(const std::vector<ClassRowPtr<Count>>& rows, const F& f) {
  py::array_t<Count> values(static_cast<py::ssize_t>(rows.size()));
  std::transform(rows.begin(), rows.end(), values.mutable_data(), [&](const auto& row) { return f(*row); });
  return values;
}

template <CountType Count, class T>
py::array concatenated(const std::vector<ClassRowPtr<Count>>& rows, const std::unique_ptr<T[]> ClassRow<Count>::*member) {
  std::int64_t n = 0;
  for (const auto& row : rows) n += row->size;
  py::array_t<T> all(n);
  T* out = all.mutable_data();
  for (const auto& row : rows) out = std::copy_n(((*row).*member).get(), row->size, out);
  return all;
}

py::array offsets(const auto& rows) {
  py::array_t<std::int64_t> indptr(static_cast<py::ssize_t>(rows.size()) + 1);
  std::int64_t* out = indptr.mutable_data();
  *out = 0;
  for (const auto& row : rows) out[1] = out[0] + row->size, ++out;
  return indptr;
}

// The data, indices and indptr of a table of the rows.
template <CountType Count>
py::tuple table(const std::vector<ClassRowPtr<Count>>& rows, const std::unique_ptr<Count[]> ClassRow<Count>::*member) {
  return py::make_tuple(concatenated(rows, member), concatenated(rows, &ClassRow<Count>::terms), offsets(rows));
}

py::dict to_arrays(const Counts& counts) {
  return std::visit(
      []<class Count>(const ClassCounts<Count>& c) {
        const auto rows = all_rows(c);
        return py::dict("n_terms"_a = c.n_terms, "n_docs"_a = c.n_docs, "has_collection"_a = c.collection != nullptr,
                        "class_docs"_a = row_values(rows, [](const auto& row) { return row.n_docs; }),
                        "indptr"_a = offsets(rows), "terms"_a = concatenated(rows, &ClassRow<Count>::terms),
                        "term_frequency"_a = concatenated(rows, &ClassRow<Count>::term_frequency),
                        "document_frequency"_a = concatenated(rows, &ClassRow<Count>::document_frequency));
      },
      counts.value);
}

template <CountType Count>
Counts from_typed_arrays(std::int64_t n_terms, const py::object& n_docs, bool has_collection, const py::array& class_docs,
                         const py::array& indptr, const py::array& terms, const py::array& tf, const py::array& df) {
  const auto* docs = vector_data<Count>(class_docs, "class_docs");
  const auto* begin = vector_data<std::int64_t>(indptr, "indptr");
  const auto* ids = vector_data<TermId>(terms, "terms");
  const auto* tfs = vector_data<Count>(tf, "term_frequency");
  const auto* dfs = vector_data<Count>(df, "document_frequency");
  const auto n_rows = class_docs.size();
  if (n_terms < 0 || n_terms > max_terms || indptr.size() != n_rows + 1 || begin[0] != 0 || begin[n_rows] != terms.size() ||
      tf.size() != terms.size() || df.size() != terms.size() || (has_collection && n_rows < 1))
    throw py::value_error("the arrays of the counts do not fit together");
  ClassCounts<Count> counts{n_terms, n_docs.cast<Count>(), {}, nullptr};
  for (py::ssize_t c = 0; c < n_rows; ++c) {
    if (begin[c + 1] < begin[c] || begin[c + 1] > terms.size())
      throw py::value_error("the offsets of the counts decrease at class " + std::to_string(c));
    auto row = ClassRow<Count>::with_capacity(begin[c + 1] - begin[c]);
    row.size = begin[c + 1] - begin[c];
    row.n_docs = docs[c];
    std::copy_n(ids + begin[c], row.size, row.terms.get());
    std::copy_n(tfs + begin[c], row.size, row.term_frequency.get());
    std::copy_n(dfs + begin[c], row.size, row.document_frequency.get());
    check_row(row, n_terms);
    row.sum_tokens();
    counts.rows.push_back(std::make_shared<const ClassRow<Count>>(std::move(row)));
  }
  for (const auto& row : counts.rows)
    if (!(row->n_docs <= counts.n_docs)) throw py::value_error("a class has more documents than there are");
  if (has_collection) {
    counts.collection = counts.rows.back();
    counts.rows.pop_back();
  }
  return {std::move(counts)};
}

Counts from_arrays(std::int64_t n_terms, const py::object& n_docs, bool has_collection, const py::array& class_docs,
                   const py::array& indptr, const py::array& terms, const py::array& tf, const py::array& df) {
  const auto make = has_dtype<std::int64_t>(class_docs) ? from_typed_arrays<std::int64_t> : from_typed_arrays<double>;
  return make(n_terms, n_docs, has_collection, class_docs, indptr, terms, tf, df);
}

}  // namespace

const CountsObject& counts_of(const py::handle& object) { return object.cast<const Counts&>().value; }

void register_counts(py::module_& module) {
  // One exception for both conventions: the design's ValueError for bad input, Python's OverflowError for arithmetic.
  const py::object bases = py::make_tuple(py::handle(PyExc_OverflowError), py::handle(PyExc_ValueError));
  py::register_exception<CountOverflow>(module, "CountOverflowError", bases);

  py::class_<Counts>(module, "Counts", "Counts of terms by class number; immutable. See termsift.ClassCounts.")
      .def(py::init(&empty_counts), "n_classes"_a, "exact"_a)
      .def_property_readonly("exact", [](const Counts& c) { return c.value.index() == 0; })
      .def_property_readonly("n_terms", [](const Counts& c) { return std::visit([](const auto& v) { return v.n_terms; }, c.value); })
      .def_property_readonly("n_docs", [](const Counts& c) { return std::visit([](const auto& v) { return py::cast(v.n_docs); }, c.value); })
      .def_property_readonly("n_pairs", [](const Counts& c) {
        return std::visit([](const auto& v) {
          std::int64_t pairs = 0;
          for (const auto& row : v.rows) pairs += row->size;
          return pairs;
        }, c.value);
      })
      .def_property_readonly("class_docs", [](const Counts& c) {
        return std::visit([](const auto& v) { return row_values(v.rows, [](const auto& row) { return row.n_docs; }); }, c.value);
      })
      .def_property_readonly("class_tokens", [](const Counts& c) {
        return std::visit([](const auto& v) { return row_values(v.rows, [](const auto& row) { return row.n_tokens; }); }, c.value);
      })
      .def("updated", &updated, "indptr"_a, "indices"_a, "data"_a, "n_terms"_a, "label_indptr"_a, "codes"_a, "weights"_a, "n_threads"_a)
      .def("with_classes", [](const Counts& c, const std::vector<std::int64_t>& map) -> Counts {
        return std::visit([&](const auto& v) -> Counts { return {with_classes(v, map)}; }, c.value);
      }, "map"_a)
      .def("merge", [](const Counts& a, const Counts& b, int n_threads) {
        return combine(a, b, n_threads, [](const auto& x, const auto& y, const Threads& threads) { return merge(x, y, threads); });
      }, "other"_a, "n_threads"_a = 0)
      .def("subtract", [](const Counts& a, const Counts& b, int n_threads) {
        return combine(a, b, n_threads, [](const auto& x, const auto& y, const Threads& threads) { return subtract(x, y, threads); });
      }, "part"_a, "n_threads"_a = 0)
      .def("with_collection", [](const Counts& c) -> Counts {
        return std::visit([](auto v) -> Counts { v.collection = collection_row(v); return {std::move(v)}; }, c.value);
      })
      .def("term_frequency", [](const Counts& c) {
        return std::visit([]<class Count>(const ClassCounts<Count>& v) { return table(v.rows, &ClassRow<Count>::term_frequency); }, c.value);
      })
      .def("document_frequency", [](const Counts& c) {
        return std::visit([]<class Count>(const ClassCounts<Count>& v) { return table(v.rows, &ClassRow<Count>::document_frequency); }, c.value);
      })
      .def("to_arrays", &to_arrays)
      .def_static("from_arrays", &from_arrays, "n_terms"_a, "n_docs"_a, "has_collection"_a, "class_docs"_a, "indptr"_a,
                  "terms"_a, "term_frequency"_a, "document_frequency"_a);
  module.def("check_csr", &check, "indptr"_a, "indices"_a, "data"_a, "n_columns"_a, "name"_a, "transposed"_a,
             "n_threads"_a);
  module.attr("max_terms") = max_terms;
}

}  // namespace termsift::bindings

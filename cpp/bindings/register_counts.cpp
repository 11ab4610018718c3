#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <tuple>
#include <variant>

#include "pybind11.hpp"
#include "termsift/counting.hpp"
#include "termsift/class_counts.hpp"
#include "termsift/columns_and_classes.hpp"

namespace termsift::bindings {
namespace {

// The Python class Counts wraps a std::variant, because pybind11 would pass a bare std::variant by value.
struct Counts {
  CountsObject value;

  bool exact() const { return value.index() == 0; }
  // Returns f(counts), where `counts` is the ClassCounts in the variant.
  template <class F>
  auto visit(const F& f) const {
    return std::visit(f, value);
  }
};

Counts empty_counts(std::int64_t n_classes, bool exact) {
  const auto make = [&]<class Count>(Count) {
    return ClassCounts<Count>{
        0, 0, {static_cast<std::size_t>(n_classes),
               std::make_shared<const ClassRow<Count>>(ClassRow<Count>::with_capacity(0))}, nullptr};
  };
  if (exact) return {make(std::int64_t{})};
  return {make(double{})};
}

// The index in counting_paths of the path that use_counting_path forces, or -1 if no path is forced.
std::atomic<int> forced_path{-1};

template <CountType Count>
ClassCounts<Count> as(const Counts& counts, const Threads& threads) {
  if constexpr (std::is_same_v<Count, double>)
    if (const auto* exact = std::get_if<ClassCounts<std::int64_t>>(&counts.value)) return to_float(*exact, threads);
  return std::get<ClassCounts<Count>>(counts.value);
}

// Returns f(a, b, threads). If a or b holds float counts, f gets both a and b as float counts.
template <class F>
Counts combine(const Counts& a, const Counts& b, int n_threads, const F& f) {
  const Threads threads = python_threads(n_threads);
  return without_gil([&]() -> Counts {
    if (a.exact() && b.exact()) return {f(as<std::int64_t>(a, threads), as<std::int64_t>(b, threads), threads)};
    return {f(as<double>(a, threads), as<double>(b, threads), threads)};
  });
}

// Returns the counts f(counts, threads), computed without the GIL.
template <class F>
Counts derived(const Counts& counts, int n_threads, const F& f) {
  const Threads threads = python_threads(n_threads);
  return without_gil([&] { return counts.visit([&](const auto& c) -> Counts { return {f(c, threads)}; }); });
}

// Returns the frequency of each term in the collection, as an array of n_terms numbers.
py::array totals(const Counts& counts, bool of_documents, int n_threads) {
  return counts.visit([&]<class Count>(const ClassCounts<Count>& c) -> py::array {
    const auto frequency = of_documents ? &ClassRow<Count>::document_frequency : &ClassRow<Count>::term_frequency;
    return computed<Count>({c.n_terms}, n_threads, [&](Count* out, const Threads& threads) {
      collection_totals(c, frequency, out, threads);
    });
  });
}

// Returns whether all numbers are equal, and either both counts or none are exact.
bool equals(const Counts& a, const Counts& b, int n_threads) {
  if (a.exact() != b.exact()) return false;
  return a.visit([&]<class Count>(const ClassCounts<Count>& c) {
    const auto& other = std::get<ClassCounts<Count>>(b.value);
    return on_threads(n_threads, [&](const Threads& threads) { return equal(c, other, threads); });
  });
}

CountingOptions counting_options(int n_threads, std::int64_t window_bytes, TermWeight term_weight) {
  CountingOptions options{python_threads(n_threads), window_bytes, {}, term_weight};
  if (const int forced = forced_path; forced >= 0) options.path = counting_paths[forced];
  return options;
}

LabelView label_view(std::int64_t n_classes, const std::optional<py::array>& label_indptr, const py::array& codes,
                     std::int64_t n_docs) {
  if (label_indptr && label_indptr->size() != n_docs + 1) throw py::value_error("y and X differ in length");
  return {n_classes, codes.size(), label_indptr ? vector_data<std::int64_t>(*label_indptr, "label_indptr") : nullptr,
          vector_data<ClassId>(codes, "codes")};
}

// Returns whether the counts of the entries are integers.
bool are_integers(const AnyCsr& x, TermWeight term_weight) {
  return term_weight == TermWeight::binary || (term_weight == TermWeight::raw && !x.holds_floats);
}

// Adds the documents of a matrix to `counts`. Returns the new counts and the name of the counting path. If `by_term` is
// true, the matrix is CSC, and otherwise CSR. Returns nullopt if count_columns() cannot count a CSC matrix.
std::optional<std::pair<Counts, std::string>> updated(
    const Counts& counts, const py::array& indptr, const py::array& indices, const py::array& data, std::int64_t n_columns,
    bool by_term, const std::optional<py::array>& label_indptr, const py::array& codes,
    const std::optional<py::array>& weights, TermWeight term_weight, int n_threads, std::int64_t window_bytes) {
  const CountingOptions options = counting_options(n_threads, window_bytes, term_weight);
  const Threads& threads = options.threads;
  CountingPath path{};
  const std::int64_t n_docs = by_term ? n_columns : indptr.size() - 1;
  const LabelView labels =
      label_view(counts.visit([](const auto& c) { return std::ssize(c.rows); }), label_indptr, codes, n_docs);
  if (weights && weights->size() != n_docs) throw py::value_error("sample_weight and X differ in length");
  const AnyCsr x = csr_of(indptr, indices, data, n_columns);
  const auto with_documents = [&]<class Count>(Count) {
    const Count* w = weights ? vector_data<Count>(*weights, "sample_weight") : nullptr;
    return without_gil([&]() -> std::optional<Counts> {
      check_labels(labels, n_docs);
      if (by_term) {
        auto columns = count_columns(as<Count>(counts, threads), x, labels, options);
        return columns ? std::optional(Counts{*std::move(columns)}) : std::nullopt;
      }
      auto counted = count_documents(as<Count>(counts, threads), x, labels, w, options);
      path = counted.path;
      return Counts{std::move(counted.counts)};
    });
  };
  const bool exact = are_integers(x, term_weight) && counts.exact() && (!weights || has_dtype<std::int64_t>(*weights));
  if (!exact && weights && has_dtype<std::int64_t>(*weights)) throw py::type_error("float counts take float weights");
  auto result = exact ? with_documents(std::int64_t{}) : with_documents(double{});
  if (!result) return std::nullopt;
  return std::pair{*std::move(result), std::string(by_term ? "columns" : name(path))};
}

// Counts that grow block by block, of documents with ever new classes. A block takes time only for its own documents.
class GrowingCounts {
 public:
  explicit GrowingCounts(Counts counts) : counts_(std::move(counts)) {}

  // Adds the documents of a CSR matrix, whose class numbers are below n_classes. Returns the name of the counting path.
  std::string add(const py::array& indptr, const py::array& indices, const py::array& data, std::int64_t n_columns,
                  const std::optional<py::array>& label_indptr, const py::array& codes, std::int64_t n_classes,
                  TermWeight term_weight, int n_threads, std::int64_t window_bytes) {
    const CountingOptions options = counting_options(n_threads, window_bytes, term_weight);
    const std::int64_t n_docs = indptr.size() - 1;
    const AnyCsr x = csr_of(indptr, indices, data, n_columns);
    const Used used(*this);
    with_classes(n_classes);
    const LabelView labels =
        label_view(counts_.visit([](const auto& c) { return std::ssize(c.rows); }), label_indptr, codes, n_docs);
    return without_gil([&]() -> std::string {
      check_labels(labels, n_docs);
      if (counts_.exact() && !are_integers(x, term_weight)) counts_ = {as<double>(counts_, options.threads)};
      return std::visit([&]<class Count>(ClassCounts<Count>& counts) {
        return name(add_documents<Count>(counts, x, labels, nullptr, options));
      }, counts_.value);
    });
  }

  // Returns the counts, with empty classes at the end if there are less than n_classes.
  Counts counts(std::int64_t n_classes) {
    const Used used(*this);
    with_classes(n_classes);
    return counts_;
  }

 private:
  struct Used {  // refuses a second thread
    explicit Used(GrowingCounts& counts) : flag(counts.is_used_) {
      if (flag.exchange(true)) throw std::logic_error("another thread uses these counts");
    }
    ~Used() { flag = false; }
    std::atomic<bool>& flag;
  };
  void with_classes(std::int64_t n_classes) {
    std::visit([&]<class Count>(ClassCounts<Count>& counts) {
      const auto n = static_cast<std::size_t>(std::max<std::int64_t>(n_classes, 0));
      if (n > counts.rows.size())
        counts.rows.resize(n, std::make_shared<const ClassRow<Count>>(ClassRow<Count>::with_capacity(0)));
    }, counts_.value);
  }

  Counts counts_;
  std::atomic<bool> is_used_{false};
};

// ---- conversion to and from arrays -------------------------------------------------------------------------------------

template <CountType Count>
std::vector<ClassRowPtr<Count>> all_rows(const ClassCounts<Count>& counts) {
  auto rows = counts.rows;
  if (counts.collection) rows.push_back(counts.collection);
  return rows;
}

// Returns an array of f(row) for each row.
template <CountType Count, class F>
py::array row_values(const std::vector<ClassRowPtr<Count>>& rows, const F& f) {
  py::array_t<std::invoke_result_t<F, const ClassRow<Count>&>> values(static_cast<py::ssize_t>(rows.size()));
  std::transform(rows.begin(), rows.end(), values.mutable_data(), [&](const auto& row) { return f(*row); });
  return values;
}

// Returns the getter of a Python property whose value is an array with f(row) for the row of each class.
template <class F>
auto of_classes(const F& f) {
  return [f](const Counts& counts) { return counts.visit([&](const auto& c) { return row_values(c.rows, f); }); };
}

// Returns the getter of a Python property whose value is f(counts) for the ClassCounts in the object.
template <class F>
auto of_counts(const F& f) {
  return [f](const Counts& counts) { return counts.visit([&](const auto& c) { return f(c); }); };
}

// Returns an array of at(row, i) for every pair i of every row.
template <class T, CountType Count, class At>
py::array concatenated(const std::vector<ClassRowPtr<Count>>& rows, const At& at) {
  std::int64_t n = 0;
  for (const auto& row : rows) n += row->size;
  py::array_t<T> all(n);
  T* out = all.mutable_data();
  for (const auto& row : rows)
    for (std::int64_t i = 0; i < row->size; ++i) *out++ = at(*row, i);
  return all;
}

py::array all_terms(const auto& rows) {
  return concatenated<TermId>(rows, [](const auto& row, std::int64_t i) { return row.terms[i]; });
}

template <CountType Count>
py::array all_frequencies(const std::vector<ClassRowPtr<Count>>& rows, Frequencies<Count> ClassRow<Count>::*member) {
  return concatenated<Count>(rows, [&](const auto& row, std::int64_t i) { return (row.*member)[i]; });
}

py::array offsets(const auto& rows) {
  py::array_t<std::int64_t> indptr(static_cast<py::ssize_t>(rows.size()) + 1);
  std::int64_t* out = indptr.mutable_data();
  *out = 0;
  for (const auto& row : rows) out[1] = out[0] + row->size, ++out;
  return indptr;
}

// Returns (data, indices, indptr) of a CSR matrix of the document frequencies or of the term frequencies.
py::tuple csr_arrays(const Counts& counts, bool of_documents) {
  return counts.visit([&]<class Count>(const ClassCounts<Count>& c) {
    const auto member = of_documents ? &ClassRow<Count>::document_frequency : &ClassRow<Count>::term_frequency;
    return py::make_tuple(all_frequencies(c.rows, member), all_terms(c.rows), offsets(c.rows));
  });
}

py::dict to_arrays(const Counts& counts) {
  return counts.visit([]<class Count>(const ClassCounts<Count>& c) {
    const auto rows = all_rows(c);
    return py::dict("n_terms"_a = c.n_terms, "n_docs"_a = c.n_docs, "has_collection"_a = c.collection != nullptr,
                    "class_docs"_a = row_values(rows, [](const auto& row) { return row.n_docs; }),
                    "indptr"_a = offsets(rows), "terms"_a = all_terms(rows),
                    "unlisted_tokens"_a = row_values(rows, [](const auto& row) { return row.n_unlisted; }),
                    "term_frequency"_a = all_frequencies(rows, &ClassRow<Count>::term_frequency),
                    "document_frequency"_a = all_frequencies(rows, &ClassRow<Count>::document_frequency));
  });
}

// Frequency is the element type of the arrays `tf` and `df`: int64 or uint32 for exact counts, and double for float counts.
template <CountType Count, class Frequency = Count>
Counts from_typed_arrays(std::int64_t n_terms, const py::object& n_docs, bool has_collection, const py::array& class_docs,
                         const py::array& indptr, const py::array& terms, const py::array& tf, const py::array& df,
                         const std::optional<py::array>& unlisted) {
  const auto* docs = vector_data<Count>(class_docs, "class_docs");
  const auto* begin = vector_data<std::int64_t>(indptr, "indptr");
  const auto* ids = vector_data<TermId>(terms, "terms");
  const auto* tfs = vector_data<Frequency>(tf, "term_frequency");
  const auto* dfs = vector_data<Frequency>(df, "document_frequency");
  const auto* others = unlisted ? vector_data<Count>(*unlisted, "unlisted_tokens") : nullptr;
  const auto n_rows = class_docs.size();
  if (n_terms < 0 || n_terms > max_terms || indptr.size() != n_rows + 1 || begin[0] != 0 || begin[n_rows] != terms.size() ||
      tf.size() != terms.size() || df.size() != terms.size() || (unlisted && unlisted->size() != n_rows) ||
      (has_collection && n_rows < 1))
    throw py::value_error("the arrays of the counts do not fit together");
  ClassCounts<Count> counts{n_terms, n_docs.cast<Count>(), {}, nullptr};
  for (py::ssize_t c = 0; c < n_rows; ++c) {
    if (begin[c + 1] < begin[c] || begin[c + 1] > terms.size())
      throw py::value_error("the offsets of the counts decrease at class " + std::to_string(c));
    const auto fits = [](auto x) { return x >= 0 && static_cast<Count>(x) < static_cast<Count>(std::int64_t{1} << 32); };
    const bool narrow = std::is_integral_v<Count> && std::all_of(tfs + begin[c], tfs + begin[c + 1], fits) &&
                        std::all_of(dfs + begin[c], dfs + begin[c + 1], fits);
    auto row = ClassRow<Count>::with_capacity(begin[c + 1] - begin[c], narrow);
    row.size = begin[c + 1] - begin[c];
    row.n_docs = docs[c];
    row.n_unlisted = others == nullptr ? 0 : others[c];
    for (std::int64_t i = 0; i < row.size; ++i)
      row.set_pair(i, ids[begin[c] + i], static_cast<Count>(tfs[begin[c] + i]), static_cast<Count>(dfs[begin[c] + i]));
    check_row(row, n_terms);
    row.sum_tokens();
    counts.rows.push_back(std::make_shared<const ClassRow<Count>>(std::move(row)));
  }
  if (has_collection) {
    counts.collection = counts.rows.back();
    counts.rows.pop_back();
  }
  check_collection(counts);
  return {std::move(counts)};
}

Counts from_arrays(std::int64_t n_terms, const py::object& n_docs, bool has_collection, const py::array& class_docs,
                   const py::array& indptr, const py::array& terms, const py::array& tf, const py::array& df,
                   const std::optional<py::array>& unlisted_tokens) {
  const auto make = !has_dtype<std::int64_t>(class_docs) ? from_typed_arrays<double>
                    : has_dtype<std::uint32_t>(tf)       ? from_typed_arrays<std::int64_t, std::uint32_t>
                                                         : from_typed_arrays<std::int64_t>;
  return make(n_terms, n_docs, has_collection, class_docs, indptr, terms, tf, df, unlisted_tokens);
}

}  // namespace

const CountsObject& counts_of(const py::handle& object) { return object.cast<const Counts&>().value; }

py::object to_python(CountsObject counts) { return py::cast(Counts{std::move(counts)}); }

void register_counts(py::module_& module) {
  // CountOverflowError derives from OverflowError, which Python raises when arithmetic overflows, and from ValueError, which
  // other invalid input raises.
  const py::object bases = py::make_tuple(py::handle(PyExc_OverflowError), py::handle(PyExc_ValueError));
  py::register_exception<CountOverflow>(module, "CountOverflowError", bases);
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);  // never null
    } catch (const WrongArgument& wrong) {
      const py::object error = py::handle(PyExc_ValueError)(wrong.what());
      error.attr("argument") = wrong.argument;
      error.attr("arguments") = py::make_tuple(wrong.argument);
      PyErr_SetObject(PyExc_ValueError, error.ptr());
    }
  });

  py::enum_<TermWeight>(module, "TermWeight")
      .value("raw", TermWeight::raw)
      .value("log", TermWeight::log)
      .value("binary", TermWeight::binary);
  py::enum_<EventModel>(module, "EventModel")
      .value("multinomial", EventModel::multinomial)
      .value("binary", EventModel::binary)
      .value("bernoulli", EventModel::bernoulli)
      .value("poisson", EventModel::poisson);
  py::class_<Counts>(module, "Counts", "Immutable counts of terms by class number. See termsift.ClassCounts.")
      .def(py::init(&empty_counts), "n_classes"_a, "exact"_a)
      .def_property_readonly("exact", &Counts::exact)
      .def_property_readonly("has_collection", of_counts([](const auto& c) { return c.collection != nullptr; }))
      .def_property_readonly("n_terms", of_counts([](const auto& c) { return c.n_terms; }))
      .def_property_readonly("n_docs", of_counts([](const auto& c) { return py::cast(c.n_docs); }))
      .def_property_readonly("n_pairs", of_counts([](const auto& c) {
        std::int64_t pairs = 0;
        for (const auto& row : c.rows) pairs += row->size;
        return pairs;
      }))
      .def_property_readonly("class_docs", of_classes([](const auto& row) { return row.n_docs; }))
      .def_property_readonly("class_tokens", of_classes([](const auto& row) { return row.n_tokens; }))
      .def_property_readonly("unlisted_tokens", of_classes([](const auto& row) { return row.n_unlisted; }))
      .def_property_readonly("undocumented", of_classes([](const auto& row) { return row.has_unknown_documents(); }))
      .def("updated", &updated, "indptr"_a, "indices"_a, "data"_a, "n_columns"_a, "by_term"_a, "label_indptr"_a, "codes"_a,
           "weights"_a, "term_weight"_a, "n_threads"_a, "window_bytes"_a)
      .def("with_classes", [](const Counts& c, const std::vector<std::int64_t>& map) {
        return c.visit([&](const auto& v) -> Counts { return {with_classes(v, map)}; });
      }, "map"_a)
      .def("merge", [](const Counts& a, const Counts& b, int n_threads) {
        return combine(a, b, n_threads, [](const auto&... of) { return merge(of...); });
      }, "other"_a, "n_threads"_a = 0)
      .def("subtract", [](const Counts& a, const Counts& b, int n_threads) {
        return combine(a, b, n_threads, [](const auto&... of) { return subtract(of...); });
      }, "part"_a, "n_threads"_a = 0)
      .def("as_counted_by", [](const Counts& c, EventModel model, int n_threads) {
        return derived(c, n_threads, [&](const auto&... of) { return as_counted_by(model, of...); });
      }, "model"_a, "n_threads"_a = 0)
      .def("of_terms", [](const Counts& c, const py::array& terms, int n_threads) {
        const auto chosen = span_of<std::int64_t>(terms, "terms");
        return derived(c, n_threads, [&](const auto& v, const Threads& threads) { return of_terms(v, chosen, threads); });
      }, "terms"_a, "n_threads"_a = 0)
      .def("in_columns", [](const Counts& c, const py::array& new_column, std::int64_t n_terms, int n_threads) {
        const auto columns = span_of<std::int64_t>(new_column, "new_column");
        return derived(c, n_threads, [&](const auto& v, const Threads& threads) {
          return in_columns(v, columns, n_terms, threads);
        });
      }, "new_column"_a, "n_terms"_a, "n_threads"_a = 0)
      .def("of_classes", [](const Counts& c, const std::vector<std::vector<std::int64_t>>& groups, int n_threads) {
        return derived(c, n_threads, [&](const auto& v, const Threads& threads) { return of_classes(v, groups, threads); });
      }, "groups"_a, "n_threads"_a = 0)
      .def("collection_term_frequency", [](const Counts& c, int n_threads) { return totals(c, false, n_threads); },
           "n_threads"_a = 0)
      .def("collection_document_frequency", [](const Counts& c, int n_threads) { return totals(c, true, n_threads); },
           "n_threads"_a = 0)
      .def("equals", &equals, "other"_a, "n_threads"_a = 0)
      .def("with_collection", [](const Counts& c) {
        return derived(c, 0, [](auto v, const Threads& threads) { v.collection = collection_row(v, threads); return v; });
      })
      .def("first_fraction", [](const Counts& c) -> std::optional<std::tuple<std::int64_t, std::int64_t, double>> {
        const auto* counts = std::get_if<ClassCounts<double>>(&c.value);
        if (counts == nullptr) return std::nullopt;
        for (std::size_t k = 0; k < counts->rows.size(); ++k) {
          const ClassRow<double>& row = *counts->rows[k];
          for (std::int64_t i = 0; i < row.size; ++i)
            if (const double x = row.term_frequency[i]; x != std::floor(x))
              return std::tuple{static_cast<std::int64_t>(k), std::int64_t{row.terms[i]}, x};
        }
        return std::nullopt;
      })
      .def("as_one_class", [](const Counts& c) {
        return derived(c, 0, []<class Count>(const ClassCounts<Count>& v, const Threads& threads) {
          return ClassCounts<Count>{v.n_terms, v.n_docs, {collection_row(v, threads)}, nullptr};
        });
      })
      .def("term_frequency", [](const Counts& c) { return csr_arrays(c, false); })
      .def("document_frequency", [](const Counts& c) { return csr_arrays(c, true); })
      .def("to_arrays", &to_arrays)
      .def_static("from_arrays", &from_arrays, "n_terms"_a, "n_docs"_a, "has_collection"_a, "class_docs"_a, "indptr"_a,
                  "terms"_a, "term_frequency"_a, "document_frequency"_a, "unlisted_tokens"_a = py::none());
  py::class_<GrowingCounts>(module, "GrowingCounts", "Counts of a stream of blocks, in which new classes may appear.")
      .def(py::init<Counts>(), "counts"_a)
      .def("add", &GrowingCounts::add, "indptr"_a, "indices"_a, "data"_a, "n_columns"_a, "label_indptr"_a, "codes"_a,
           "n_classes"_a, "term_weight"_a, "n_threads"_a, "window_bytes"_a)
      .def("counts", &GrowingCounts::counts, "n_classes"_a);
  module.def("check_csr", [](const py::array& indptr, const py::array& indices, const py::array& data,
                             std::int64_t n_columns, const std::string& name, bool transposed, int n_threads) {
    const Threads threads = python_threads(n_threads);
    const AnyCsr x = csr_of(indptr, indices, data, n_columns);
    without_gil([&] { check_csr(x, {name, transposed}, threads); });
  }, "indptr"_a, "indices"_a, "data"_a, "n_columns"_a, "name"_a, "transposed"_a, "n_threads"_a);
  module.attr("max_terms") = max_terms;
  module.attr("default_window_bytes") = default_window_bytes;
  module.def("counting_paths", [] {
    std::vector<std::string> names;
    for (const CountingPath path : counting_paths) names.emplace_back(name(path));
    return names;
  });
  // use_counting_path lets tests check that all counting paths return the same bits.
  module.def("use_counting_path", [](const std::optional<std::string>& wanted) {
    if (!wanted) return forced_path.store(-1);
    for (int i = 0; i < static_cast<int>(std::size(counting_paths)); ++i)
      if (*wanted == name(counting_paths[i])) return forced_path.store(i);
    throw py::value_error("no counting path '" + *wanted + "'");
  }, "name"_a);
}

}  // namespace termsift::bindings

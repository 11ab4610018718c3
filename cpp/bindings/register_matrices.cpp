#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "file_reader.hpp"
#include "pybind11.hpp"
#include "termsift/matrix_reader.hpp"

namespace termsift::bindings {
namespace {

template <class Reader>
struct MatrixFile : FileReader {
  template <class Options>
  MatrixFile(const py::object& readinto, py::str file, const Options& options)
      : FileReader(std::move(file)), reader(python_read(readinto), options) {}

  Reader reader;
};
using SvmlightFile = MatrixFile<SvmlightReader>;
using MarketFile = MatrixFile<MarketReader>;

MatrixOptions matrix_options(std::int64_t block_bytes) {
  if (block_bytes < 1) throw py::value_error("block_bytes must be positive");
  MatrixOptions options;
  options.block_bytes = block_bytes;
  return options;
}

py::array_t<std::int32_t> narrowed(const LargeArray<std::int64_t>& from, std::int64_t n) {
  py::array_t<std::int32_t> to(n);
  std::transform(from.get(), from.get() + n, to.mutable_data(), [](std::int64_t x) { return static_cast<std::int32_t>(x); });
  return to;
}

// Returns the arrays indptr, indices and data. The two arrays of indices have the same dtype, as scipy and the core expect.
py::tuple arrays(MatrixBlock& block) {
  const bool narrow = block.n_entries <= std::numeric_limits<std::int32_t>::max();
  py::object indptr = narrow ? py::object(narrowed(block.indptr, block.size + 1))
                             : py::object(to_numpy(std::move(block.indptr), {block.size + 1}));
  py::object indices = to_numpy(std::move(block.indices), {block.n_entries});
  if (!narrow) indices = indices.attr("astype")(py::dtype::of<std::int64_t>());
  py::object data = to_numpy(std::move(block.data), {block.n_entries});
  if (!block.exact) data = data.attr("view")(py::dtype::of<double>());
  return py::make_tuple(indptr, indices, data);
}

// Returns the arrays of the next rows, the largest index, the number of the first row, the numbers of rows before each
// skipped line, and the offsets (None if each row has one label) and classes of the rows. Returns None at the end.
py::object read_svmlight(SvmlightFile& file, int n_threads) {
  const Threads threads = python_threads(n_threads);
  MatrixBlock block;
  if (!file.reading([&] { return file.reader.next(block, threads); })) return py::none();
  py::object ends = py::none();
  if (!block.one_label_each) ends = to_numpy(std::move(block.label_indptr), {block.size + 1});
  const py::array_t<std::int64_t> skipped(std::ssize(block.skipped), block.skipped.data());
  const py::object codes = to_numpy(std::move(block.codes), {block.n_labels});
  return py::make_tuple(arrays(block), block.last_index, block.first, skipped, ends, codes);
}

// Returns the classes after the first ones: integers, floats and words.
py::list svmlight_labels(const SvmlightFile& file, std::size_t first) {
  py::list all;
  const std::vector<MatrixLabel>& labels = file.reader.labels();
  for (; first < labels.size(); ++first) {
    const MatrixLabel& label = labels[first];
    if (!label.is_number) all.append(decoded(label.word));
    else if (label.number == std::floor(label.number)) all.append(static_cast<std::int64_t>(label.number));
    else all.append(label.number);
  }
  return all;
}

// Returns the first class that is a word, and a line that has it.
py::tuple first_word(const SvmlightFile& file) {
  for (const MatrixLabel& label : file.reader.labels())
    if (!label.is_number) return py::make_tuple(decoded(label.word), label.line);
  throw py::value_error("no class is a word");
}

// Returns the arrays of the next rows or columns and the number of the first one. Returns None at the end, and False if the
// entries are not sorted.
py::object read_market(MarketFile& file, bool by_column, int n_threads) {
  const Threads threads = python_threads(n_threads);
  MatrixBlock block;
  try {
    if (!file.reading([&] { return file.reader.next(block, by_column, threads); })) return py::none();
  } catch (const MarketReader::OutOfOrder&) {
    return py::bool_(false);
  }
  return py::make_tuple(arrays(block), block.first);
}

}  // namespace

void register_matrices(py::module_& module) {
  const std::int64_t block_bytes = MatrixOptions{}.block_bytes;
  py::class_<SvmlightFile>(module, "SvmlightFile", "Rows of a matrix and their labels in svmlight text.")
      .def(py::init([](const py::object& readinto, const py::str& file, std::int64_t index_base, std::int64_t n_terms,
                       bool skip, std::int64_t bytes) {
             const SvmlightReader::Options options{matrix_options(bytes), index_base, n_terms, skip};
             return std::make_unique<SvmlightFile>(readinto, file, options);
           }),
           "readinto"_a, "file"_a, py::kw_only(), "index_base"_a = 1, "n_terms"_a = max_terms, "skip"_a = false,
           "block_bytes"_a = block_bytes)
      .def("read", &read_svmlight, "n_threads"_a = 0)
      .def("labels", &svmlight_labels, "first"_a = 0)
      .def("first_word", &first_word)
      .def_property_readonly("n_terms", [](const SvmlightFile& file) { return file.reader.declared_terms(); })
      .def_property_readonly("n_skipped", [](const SvmlightFile& file) { return file.reader.n_skipped(); })
      .def_property_readonly("skipped", [](const SvmlightFile& file) {
        py::list all;
        for (const BadRow& row : file.reader.skipped()) all.append(described(file.file(), row));
        return all;
      });
  py::class_<MarketFile>(module, "MarketFile", "A matrix in the Matrix Market format.")
      .def(py::init([](const py::object& readinto, const py::str& file, std::int64_t bytes) {
             return std::make_unique<MarketFile>(readinto, file, matrix_options(bytes));
           }),
           "readinto"_a, "file"_a, py::kw_only(), "block_bytes"_a = block_bytes)
      .def("header", [](MarketFile& file) {
        return file.reading([&] {
          const MarketReader::Header& header = file.reader.header();
          const std::string form = header.array ? "array" : "coordinate";
          const std::string field = header.pattern ? "pattern" : header.exact ? "integer" : "real";
          const std::string kind = form + " " + field + (header.symmetric ? " symmetric" : " general");
          return std::tuple{header.n_rows, header.n_columns, header.exact, kind};
        });
      })
      .def("order", [](MarketFile& file, int n_threads) {
        const Threads threads = python_threads(n_threads);
        const auto order = file.reading([&] { return file.reader.order(threads); });
        return order == MarketReader::Order::rows ? "rows" : order == MarketReader::Order::columns ? "columns" : "none";
      }, "n_threads"_a = 0)
      .def("read", &read_market, "by_column"_a, "n_threads"_a = 0)
      .def("whole", [](MarketFile& file, int n_threads) {
        const Threads threads = python_threads(n_threads);
        MatrixBlock block = file.reading([&] { return file.reader.whole(threads); });
        return arrays(block);
      }, "n_threads"_a = 0);
}

}  // namespace termsift::bindings

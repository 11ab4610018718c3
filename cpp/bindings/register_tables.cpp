#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "file_reader.hpp"
#include "pybind11.hpp"
#include "termsift/table_reader.hpp"
#include "termsift/text_counter.hpp"

namespace termsift::bindings {
namespace {

// The Python class Table, which holds a table reader and the name of its file for error messages.
class Table : public FileReader {
 public:
  Table(std::unique_ptr<TableReader> reader, py::str file) : FileReader(std::move(file)), reader_(std::move(reader)) {}
  virtual ~Table() = default;

  const TableReader& reader() const { return *reader_; }

  // Returns f(reader), computed without the GIL. Throws std::logic_error if another thread is reading the table.
  template <class F>
  auto reading(const F& f) {
    return FileReader::reading([&] { return f(*reader_); });
  }

 private:
  std::unique_ptr<TableReader> reader_;
};

struct DelimitedTable : Table {
  using Table::Table;
};
struct JsonTable : Table {
  using Table::Table;
};

TableReader::Options options_of(const py::list& labels, bool skip, const std::string& encoding, std::int64_t block_bytes,
                                bool unlabelled) {
  if (block_bytes < 1) throw py::value_error("block_bytes must be positive");
  return {all_encoded(labels, "labels"), skip, encoding, block_bytes, unlabelled};
}

// Returns the texts of the next block, their classes and the numbers of their rows, or None at the end of the table.
py::object read(Table& table) {
  auto block = std::make_shared<TableBlock>();
  if (!table.reading([&](TableReader& reader) { return reader.next(*block); })) return py::none();
  const py::array_t<ClassId> classes(static_cast<py::ssize_t>(block->classes.size()), block->classes.data());
  const std::vector<std::int64_t> numbers = block->rows();
  const py::array_t<std::int64_t> rows(static_cast<py::ssize_t>(numbers.size()), numbers.data());
  std::vector<Text> texts = std::move(block->texts);
  return py::make_tuple(texts_object(std::move(texts), std::move(block)), classes, rows);
}

py::list labels(const Table& table, std::size_t first) {
  py::list all;
  const std::vector<std::string>& of_classes = table.reader().labels();
  for (; first < of_classes.size(); ++first) all.append(decoded(of_classes[first]));
  return all;
}

py::list skipped(const Table& table) {
  py::list all;
  for (const BadRow& row : table.reader().skipped()) all.append(described(table.file(), row));
  return all;
}

// Splits the first rows at the delimiter. Returns the number of each row's first line, the fields, and the fault or None.
py::list first_rows(DelimitedTable& table, char delimiter, std::int64_t most, bool is_header) {
  const std::vector<DelimitedReader::Row> rows = table.reading(
      [&](TableReader& reader) { return static_cast<DelimitedReader&>(reader).first_rows(delimiter, most, is_header); });
  py::list found;
  for (const DelimitedReader::Row& row : rows) {
    py::list fields;
    for (const std::string& field : row.fields) fields.append(py::bytes(field).attr("decode")("utf-8", "replace"));
    py::object fault = py::none();
    if (!row.fault.empty()) fault = described(table.file(), {row.first_line, row.last_line, row.fault});
    found.append(py::make_tuple(row.first_line, fields, fault));
  }
  return found;
}

std::int64_t skip_lines(DelimitedTable& table, std::int64_t n) {
  return table.reading([&](TableReader& reader) { return static_cast<DelimitedReader&>(reader).skip_lines(n); });
}

void choose_columns(DelimitedTable& table, char delimiter, const std::vector<std::int64_t>& texts, std::int64_t label,
                    std::int64_t n_fields, bool has_header) {
  for (const std::int64_t column : texts)
    if (column < 0 || column >= n_fields) throw py::value_error("a column of texts is out of range");
  if (label < 0 || label >= n_fields || texts.empty()) throw py::value_error("the column of labels is out of range");
  table.reading([&](TableReader& reader) {
    static_cast<DelimitedReader&>(reader).choose(delimiter, texts, label, n_fields, has_header);
    return true;
  });
}

}  // namespace

void register_tables(py::module_& module) {
  const std::int64_t block_bytes = TableReader::Options{}.block_bytes;
  py::class_<Table>(module, "Table", "A table of labelled texts, which is read in blocks.")
      .def("read", &read)
      .def("count",
           [](Table& table, TextCounter& counter, std::int64_t n_bytes, int n_threads) {
             const Threads threads = python_threads(n_threads);
             return table.reading([&](TableReader& reader) { return counter.add(reader, n_bytes, threads); });
           }, "counter"_a, "n_bytes"_a, "n_threads"_a = 0)
      .def_property_readonly("is_done", [](const Table& table) { return table.reader().is_done(); })
      .def("labels", &labels, "first"_a = 0)
      .def_property_readonly("n_skipped", [](const Table& table) { return table.reader().n_skipped(); })
      .def_property_readonly("skipped", &skipped);
  py::class_<DelimitedTable, Table>(module, "DelimitedTable", "Rows of delimited fields.")
      .def(py::init([](const py::object& readinto, const py::str& file, std::optional<char> quote,
                       std::optional<char> escape, std::optional<char> comment, const py::list& labels, bool skip,
                       const std::string& encoding, std::int64_t bytes, bool unlabelled) {
             const TableReader::Options options = options_of(labels, skip, encoding, bytes, unlabelled);
             const DelimitedReader::Dialect dialect{quote, escape, comment};
             return std::make_unique<DelimitedTable>(
                 std::make_unique<DelimitedReader>(python_read(readinto), options, dialect), file);
           }),
           "readinto"_a, "file"_a, py::kw_only(), "quote"_a, "escape"_a = py::none(), "comment"_a = py::none(),
           "labels"_a = py::list(), "skip"_a = false, "encoding"_a = "UTF-8", "block_bytes"_a = block_bytes,
           "unlabelled"_a = false)
      .def("skip_lines", &skip_lines, "n"_a)
      .def("first_rows", &first_rows, "delimiter"_a, "most"_a, "is_header"_a = false)
      .def("choose", &choose_columns, "delimiter"_a, "texts"_a, "label"_a, "n_fields"_a, "has_header"_a);
  py::class_<JsonTable, Table>(module, "JsonTable", "JSON objects, one per line or all in one array.")
      .def(py::init([](const py::object& readinto, const py::str& file, const py::list& texts, const py::str& label,
                       bool may_be_array, const py::list& labels, bool skip, const std::string& encoding,
                       std::int64_t bytes, bool unlabelled) {
             const TableReader::Options options = options_of(labels, skip, encoding, bytes, unlabelled);
             return std::make_unique<JsonTable>(
                 std::make_unique<JsonReader>(python_read(readinto), options, all_encoded(texts, "texts"), encoded(label),
                                              may_be_array), file);
           }),
           "readinto"_a, "file"_a, py::kw_only(), "texts"_a, "label"_a, "may_be_array"_a = false,
           "labels"_a = py::list(), "skip"_a = false, "encoding"_a = "UTF-8", "block_bytes"_a = block_bytes,
           "unlabelled"_a = false);
}

}  // namespace termsift::bindings

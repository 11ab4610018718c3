// Takes any bytes as a table of delimited fields or of JSON objects. The rows that are read, left out or refused must not
// depend on the sizes of the blocks. The fast reader of regular rows must agree with the reader that goes row by row.
#define CHECK_WITHOUT_MAIN
#include "../read_tables.hpp"
#include "fuzz.hpp"

using namespace read_tables;

namespace {

struct Dialect {
  char delimiter;
  bool quoted, has_header;
  std::int64_t n_fields, label;
  std::vector<std::int64_t> texts;
};

Table delimited(const std::string& content, const Dialect& dialect, bool skip, std::int64_t block_bytes, std::int64_t most) {
  DelimitedReader reader(reads(content, most), options(skip, block_bytes), dialect.quoted);
  const auto choose = [&] {
    reader.choose(dialect.delimiter, dialect.texts, dialect.label, dialect.n_fields, dialect.has_header);
  };
  return read_all(reader, choose);
}

std::string first_row(const std::string& content, const Dialect& dialect, std::int64_t block_bytes, std::int64_t most) {
  DelimitedReader reader(reads(content, most), options(false, block_bytes), dialect.quoted);
  try {
    const DelimitedReader::Row row = reader.first_row(dialect.delimiter);
    return check::show(row.fields) + told({row.first_line, row.last_line, row.fault});
  } catch (const RowError& error) {
    return told(error.row);
  }
}

// The error must be about the first bad row, or about a fault that always raises an error.
void check_error(const Table& raised, const Table& skipped) {
  if (!raised.error) return fuzz::require_equal(skipped.described(), raised.described(), "nothing is bad, but");
  const BadRow& first = skipped.skipped.empty() ? skipped.error.value_or(BadRow{}) : skipped.skipped.front();
  fuzz::require_equal(told(*raised.error), told(first), "the error");
}

// A first row with a wrong number of fields makes the row-by-row reader read the whole block.
void check_machine(const std::string& content, const Dialect& dialect) {
  const std::string bad_row = dialect.n_fields == 1 ? std::string("x") + dialect.delimiter + "x\n" : "x\n";
  const Table walked = delimited(content, dialect, true, 1 << 14, 1 << 14);
  Table by_machine = delimited(bad_row + content, dialect, true, 1 << 14, 1 << 14);
  fuzz::require(by_machine.n_skipped > 0, "the machine leaves out the first row");
  --by_machine.n_skipped;
  by_machine.skipped.erase(by_machine.skipped.begin());
  const auto shift = [](BadRow& row) { --row.first_line, --row.last_line; };
  std::for_each(by_machine.skipped.begin(), by_machine.skipped.end(), shift);
  if (by_machine.error) shift(*by_machine.error);
  if (walked.skipped.size() > by_machine.skipped.size()) by_machine.skipped.push_back(walked.skipped.back());
  fuzz::require_equal(walked.described(), by_machine.described(), "the machine");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  const bool is_json = bytes.flag(), is_array = bytes.flag();
  Dialect dialect{",;\t|a"[bytes.below(5)], bytes.flag(), bytes.flag(), 1 + bytes.below(4), 0, {}};
  dialect.label = bytes.below(static_cast<int>(dialect.n_fields));
  for (int i = 1 + bytes.below(2); i > 0; --i) dialect.texts.push_back(bytes.below(static_cast<int>(dialect.n_fields)));
  std::string content;
  while (bytes.left() > 0) content += static_cast<char>(bytes.take<std::uint8_t>());
  const std::string mark = "\xef\xbb\xbf";
  while (content.starts_with(mark)) content.erase(0, mark.size());

  const auto read = [&](const std::string& from, bool skip, std::int64_t block_bytes, std::int64_t most) {
    if (!is_json) return delimited(from, dialect, skip, block_bytes, most);
    JsonReader reader(reads(from, most), options(skip, block_bytes), {"text", "a"}, "label", is_array);
    return read_all(reader);
  };
  Table whole[2];
  for (const bool skip : {false, true}) {
    whole[skip] = read(content, skip, 1 << 14, 1 << 14);
    const std::string expected = whole[skip].described();
    for (const auto& [block_bytes, most] : {std::pair{1, 1}, {1, 64}, {7, 3}, {64, 1 << 14}})
      fuzz::require_equal(read(content, skip, block_bytes, most).described(), expected, "in small blocks");
    for (const std::int64_t block_bytes : {1, 5})
      fuzz::require_equal(read(mark + content, skip, block_bytes, 2).described(), expected, "with a byte order mark");
  }
  check_error(whole[0], whole[1]);
  if (is_json) return 0;
  fuzz::require_equal(first_row(content, dialect, 1, 1), first_row(content, dialect, 1 << 14, 1 << 14), "the first row");
  if (!dialect.has_header) check_machine(content, dialect);
  return 0;
}

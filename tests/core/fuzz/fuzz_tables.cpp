// Takes any bytes as a table of delimited fields or of JSON objects. The rows that are read, left out or refused must not
// depend on the sizes of the blocks. The fast reader of regular rows must agree with the reader that goes row by row, and
// both with a plain reader that goes byte by byte.
#define CHECK_WITHOUT_MAIN
#include "../read_tables.hpp"
#include "fuzz.hpp"

using namespace read_tables;

namespace {

struct Dialect {
  char delimiter;
  DelimitedReader::Dialect marks;
  bool has_header;
  std::int64_t n_fields, label;
  std::vector<std::int64_t> texts;
};

Table delimited(const std::string& content, const Dialect& dialect, bool skip, std::int64_t block_bytes, std::int64_t most) {
  DelimitedReader reader(reads(content, most), options(skip, block_bytes), dialect.marks);
  const auto choose = [&] {
    reader.choose(dialect.delimiter, dialect.texts, dialect.label, dialect.n_fields, dialect.has_header);
  };
  return read_all(reader, choose);
}

std::string first_rows(const std::string& content, const Dialect& dialect, std::int64_t block_bytes, std::int64_t most) {
  DelimitedReader reader(reads(content, most), options(false, block_bytes), dialect.marks);
  std::string all;
  try {
    for (const std::int64_t n : {1, 3})
      for (const DelimitedReader::Row& row : reader.first_rows(dialect.delimiter, n))
        all += check::show(row.fields) + told({row.first_line, row.last_line, row.fault});
    return all;
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

// Skipping lines must be like cutting them off, except for the numbers of lines and a byte order mark.
void check_skipped_lines(const std::string& content, const Dialect& dialect, int n, std::int64_t block_bytes) {
  const auto read = [&](const std::string& from, std::int64_t n_lines) {
    DelimitedReader reader(reads(from, block_bytes), options(true, block_bytes), dialect.marks);
    const std::int64_t n_skipped = reader.skip_lines(n_lines);
    return std::pair{n_skipped, read_all(reader, [&] {
      reader.choose(dialect.delimiter, dialect.texts, dialect.label, dialect.n_fields, dialect.has_header);
    })};
  };
  std::size_t begin = 0;
  std::int64_t n_lines = 0;
  for (; n_lines < n && begin < content.size(); ++n_lines)
    begin = std::min(content.find('\n', begin), content.size() - 1) + 1;
  if (content.compare(begin, 3, "\xef\xbb\xbf") == 0) return;
  auto [n_skipped, skipped] = read(content, n);
  fuzz::require(n_skipped == n_lines, "the number of skipped lines");
  Table cut = read(content.substr(begin), 0).second;
  if (n_lines == n) {  // otherwise no row is left
    for (BadRow& row : cut.skipped) row.first_line += n, row.last_line += n;
    if (cut.error) cut.error->first_line += n, cut.error->last_line += n;
  }
  fuzz::require_equal(skipped.described(), cut.described(), "skipped lines");
}

// Splits the content into rows byte by byte. Returns nothing if anything in it may be a fault.
std::optional<std::vector<std::vector<std::string>>> plain_rows(const std::string& content, const Dialect& dialect) {
  const DelimitedReader::Dialect& marks = dialect.marks;
  if (marks.is_plain() && content.find('\r') != content.npos && content.find('\n') == content.npos) return std::nullopt;
  std::vector<std::vector<std::string>> rows;
  std::size_t i = 0;
  const auto at = [&](std::optional<char> mark) { return mark && i < content.size() && content[i] == *mark; };
  while (i < content.size()) {
    if (at(marks.comment)) {
      i = std::min(content.find('\n', i), content.size() - 1) + 1;
      continue;
    }
    std::vector<std::string> row;
    for (bool is_over = false; !is_over;) {
      std::string field;
      bool is_quoted = false;
      if (at(marks.quote)) {
        is_quoted = true;
        for (++i;; ++i) {
          if (i == content.size()) return std::nullopt;
          if (at(marks.escape)) {
            if (++i == content.size()) return std::nullopt;
          } else if (at(marks.quote)) {
            ++i;
            if (!at(marks.quote)) break;
          }
          field += content[i];
        }
      }
      for (;; ++i) {
        std::size_t end = i;  // where a line feed or the end of the content follows carriage returns
        while (end < content.size() && content[end] == '\r') ++end;
        if (end == content.size() || content[end] == '\n') {
          i = std::min(end + 1, content.size());
          is_over = true;
          break;
        }
        if (end > i && !marks.is_plain()) return std::nullopt;  // a carriage return without a line feed
        if (at(dialect.delimiter)) break;
        if (is_quoted) return std::nullopt;  // text after a closing quote
        if (at(marks.escape)) {
          if (++i == content.size()) return std::nullopt;
          const bool is_end = content[i] == '\n' || content[i] == '\r';
          if (is_end && i + 1 == content.size()) return std::nullopt;  // the file ends within the field
        }
        field += content[i];
      }
      if (!is_over) ++i;
      row.push_back(std::move(field));
      if (is_over && row.size() == 1 && row[0].empty() && !is_quoted) row.clear();
    }
    if (!row.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

void check_plainly(const std::string& content, const Dialect& dialect) {
  const auto rows = plain_rows(content, dialect);
  const Table read = delimited(content, dialect, true, 1 << 14, 1 << 14);
  if (!rows) return;
  fuzz::require(!read.error, "a table without a fault is refused");
  if (read.n_skipped > 0) return;
  std::vector<std::string> expected;
  for (const std::vector<std::string>& row : *rows) {
    if (dialect.has_header && &row == &rows->front()) continue;
    fuzz::require(static_cast<std::int64_t>(row.size()) == dialect.n_fields, "the number of fields");
    std::string& text = expected.emplace_back(row[static_cast<std::size_t>(dialect.label)] + "|");
    for (std::size_t t = 0; t < dialect.texts.size(); ++t)
      text += (t > 0 ? " " : "") + row[static_cast<std::size_t>(dialect.texts[t])];
  }
  fuzz::require_equal(check::show(read.rows), check::show(expected), "the plain reader");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  const bool is_json = bytes.flag(), is_array = bytes.flag();
  const char delimiter = ",;\t|a"[bytes.below(5)];
  const int marks = bytes.below(256);  // the first bit says whether there are quotes
  Dialect dialect{delimiter, {}, bytes.flag(), 1 + bytes.below(4), 0, {}};
  dialect.marks.quote = (marks & 1) == 0 ? std::nullopt : std::optional((marks & 8) == 0 ? '"' : '\'');
  if ((marks & 2) != 0) dialect.marks.escape = '\\';
  if ((marks & 4) != 0) dialect.marks.comment = '#';
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
  fuzz::require_equal(first_rows(content, dialect, 1, 1), first_rows(content, dialect, 1 << 14, 1 << 14), "the first rows");
  for (const int n : {0, 1, 2, 5}) check_skipped_lines(content, dialect, n, n == 1 ? 1 << 14 : 1 + n);
  check_plainly(content, dialect);
  if (!dialect.has_header) check_machine(content, dialect);
  return 0;
}

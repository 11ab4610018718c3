// Reads labelled texts from tables. A table consists of rows of delimited fields, or of JSON objects.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "termsift/large_memory.hpp"
#include "termsift/texts.hpp"
#include "termsift/types.hpp"

namespace termsift {

// Texts that were read together, their classes, and the memory that holds the texts.
struct TableBlock {
  std::vector<Text> texts;
  std::vector<ClassId> classes;
  std::int64_t first_row = 0;         // the number of rows before the block, without the header and blank lines
  std::vector<std::int64_t> skipped;  // the number of texts before each bad row of the block

  // Returns the row number of each text, from 0.
  std::vector<std::int64_t> rows() const;

  LargeArray<std::uint8_t> bytes;     // the content, followed by at least `padding` bytes
  std::int64_t room = 0;              // the length of `bytes`, without the padding
  std::deque<std::string> joined;     // texts that `bytes` does not contain, such as joined fields
  std::deque<std::u32string> wide;    // texts with lone surrogates, which UTF-8 cannot hold
};

// A malformed row, which may have several lines.
struct BadRow {
  std::int64_t first_line, last_line;
  std::string fault;
};

struct RowError : std::invalid_argument {
  RowError(BadRow bad, bool skippable) : std::invalid_argument(bad.fault), row(std::move(bad)), can_skip(skippable) {}
  BadRow row;
  bool can_skip;  // whether the start of the next row is known, so that this row can be skipped
};

// Reads rows in blocks, in order. Classes are numbered in the order in which their labels first occur.
class TableReader {
 public:
  // Reads up to n bytes into the array `to`. Returns the number of bytes read, which is 0 only at the end of the content.
  using Read = std::function<std::int64_t(std::uint8_t* to, std::int64_t n)>;

  struct Options {
    std::vector<std::string> labels = {};     // labels that are numbered 0, 1, ... before any row is read
    bool skip = false;                        // whether bad rows are skipped; otherwise the first bad row throws RowError
    std::string encoding = "UTF-8";           // the encoding of the file, used only in messages; Read returns UTF-8
    std::int64_t block_bytes = 1 << 20;
    bool unlabelled = false;                  // whether all documents belong to one class without a name
  };

  TableReader(Read read, Options options);
  virtual ~TableReader() = default;

  // Reads the next rows into `block` and reuses its memory. Returns false at the end of the table. The memory of a block
  // grows with the longest row. After an exception, next() returns false. Only one thread at a time may call next().
  bool next(TableBlock& block);

  const std::vector<std::string>& labels() const { return options_.labels; }
  bool is_done() const { return is_done_; }  // whether next() has returned false or thrown
  std::int64_t bytes_read() const { return bytes_read_; }
  std::int64_t n_skipped() const { return n_skipped_; }
  const std::vector<BadRow>& skipped() const { return skipped_; }  // the first few skipped rows

 protected:
  static constexpr std::int64_t padding = 64;  // number of readable and writable bytes after the content
  // An unclosed quote makes the rest of a file one row. The reader rejects such a row before it fills the memory.
  static constexpr std::int64_t longest_row = (std::int64_t{1} << 31) - 2, longest_header = std::int64_t{1} << 26;
  static constexpr const char* too_long =
      "the row that begins here is longer than 2 GiB; a closing quote may be missing";

  // Adds the complete rows in the first `size` bytes of the block, and returns the number of bytes in these rows. If is_last
  // is true, the table ends after `size` bytes, and the last row needs no line feed.
  virtual std::int64_t parse(TableBlock& block, std::int64_t size, bool is_last) = 0;

  // Throws an error if the table is incomplete when its content ends.
  virtual void finish() {}

  // Enlarges block.bytes to at least `room` bytes and keeps its first `size` bytes.
  static void reserve(TableBlock& block, std::int64_t size, std::int64_t room);
  // Reads until the block has `wanted` bytes or the content ends. Returns the number of bytes in the block.
  std::int64_t fill(TableBlock& block, std::int64_t size, std::int64_t wanted);
  bool at_end() const { return at_end_; }
  // Returns the class of a label, or -1 for an empty or blank label.
  ClassId class_of(std::string_view label);
  // Skips a bad row after the texts of the block if Options::skip is true, and otherwise throws RowError.
  void complain(TableBlock& block, std::int64_t first_line, std::int64_t last_line, std::string fault);
  // Throws RowError for a row that cannot be skipped, because the start of the next row is unknown.
  [[noreturn]] static void refuse(std::int64_t first_line, std::int64_t last_line, std::string fault);
  // units() returns the distance between two places in a line. The unit is a byte if the file is UTF-8, and otherwise a
  // character, because Read returns only UTF-8. place() returns the name of a place, such as "byte 5".
  std::int64_t units(const std::uint8_t* begin, const std::uint8_t* end) const;
  std::string place(std::int64_t n_units) const;
  // Returns the message for a byte that is invalid in the encoding of the file.
  std::string wrong_byte(std::int64_t n_units) const;

  Options options_;
  std::vector<std::uint8_t> pending_;  // content that was read but not yet parsed
  std::int64_t line_ = 1;              // the number of the line that is parsed next

 private:
  ClassId add(const std::string& label);

  Read read_;
  bool at_start_ = true, at_end_ = false, is_done_ = false;
  std::int64_t bytes_read_ = 0, n_rows_ = 0, n_skipped_ = 0;
  std::vector<BadRow> skipped_;
  std::unordered_map<std::string, ClassId> classes_;  // the class of each label
  ClassId last_class_ = -1;
};

// Reads rows of fields. The reader accepts exactly the rows that Python's csv module accepts with strict=True and the
// characters of the dialect. If the dialect is plain, delimiters separate fields, and carriage returns before a line feed
// are dropped. Lines that begin with the character of comments are left out.
class DelimitedReader final : public TableReader {
 public:
  // The ASCII characters that have a meaning beside the delimiter, which is chosen later. All of them differ.
  struct Dialect {
    std::optional<char> quote = '"', escape = std::nullopt, comment = std::nullopt;

    // Returns whether every line feed ends a row, and every delimiter a field.
    bool is_plain() const { return !quote && !escape; }
  };

  struct Row {
    std::int64_t first_line = 0, last_line = 0, n_lines = 0;
    std::vector<std::string> fields;
    std::string fault;
    bool can_skip = true;
    std::int64_t end = -1;  // the offset of the next row, or -1 if this row is incomplete
  };

  DelimitedReader(Read read, Options options, Dialect dialect)
      : TableReader(std::move(read), std::move(options)), dialect_(dialect) {}

  // Leaves out the next n lines, before any other function is called. Returns their number, which is smaller at the end.
  std::int64_t skip_lines(std::int64_t n);
  // Returns the first rows that are not blank, split at the delimiter: at most `most`, and after the first row only those
  // in the first MiB up to a row that cannot be left out. The rows stay unread. A header of more than 64 MiB is an error.
  std::vector<Row> first_rows(char delimiter, std::int64_t most, bool is_header = false);
  // Chooses the columns. The texts of a row are joined by a blank. A header is skipped, and every other row must have
  // n_fields fields.
  void choose(char delimiter, std::vector<std::int64_t> texts, std::int64_t label, std::int64_t n_fields, bool has_header);

 private:
  static constexpr std::int64_t first_bytes = std::int64_t{1} << 20;

  std::int64_t parse(TableBlock& block, std::int64_t size, bool is_last) override;
  std::int64_t parse_regular(TableBlock& block, std::int64_t n_ends);
  std::int64_t parse_carefully(TableBlock& block, std::int64_t size, bool is_last);
  bool is_written(std::string_view field) const;
  std::size_t write_text(std::string_view field, char* out) const;
  std::string_view text_of(std::string_view field, std::string& copy) const;
  std::string cure_of_number(const std::vector<std::string>& fields) const;
  Row row(const std::uint8_t* data, std::int64_t at, std::int64_t size, bool is_last, char delimiter) const;
  static void split_line(const std::uint8_t* data, std::int64_t at, std::int64_t end, char delimiter, Row& row);

  Dialect dialect_;
  char delimiter_ = ',';
  std::vector<std::int64_t> texts_;
  std::int64_t label_ = 0, n_fields_ = 0;
  std::vector<std::uint32_t> ends_;  // the ends of fields that find_field_ends() found
  std::vector<std::string_view> fields_;  // the fields of the current row
};

// Reads JSON objects, one per line or all in one array. Each object has a string for every key in `texts`, and a label.
class JsonReader final : public TableReader {
 public:
  JsonReader(Read read, Options options, std::vector<std::string> texts, std::string label, bool may_be_array);
  ~JsonReader() override;

 private:
  std::int64_t parse(TableBlock& block, std::int64_t size, bool is_last) override;
  std::int64_t parse_lines(TableBlock& block, std::int64_t size, bool is_last);
  std::int64_t parse_array(TableBlock& block, std::int64_t size, bool is_last);
  void finish() override;
  void take(TableBlock& block, std::int64_t first_line, std::int64_t last_line);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace termsift

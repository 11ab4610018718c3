#include <algorithm>
#include <cstring>
#include <utility>

#include "base/byte_marks.hpp"
#include "termsift/portability.hpp"
#include "termsift/utf8.hpp"
#include "termsift/table_reader.hpp"

namespace termsift {
namespace {

struct FieldEnds {
  std::int64_t n = 0;             // the number of ends
  std::int64_t n_lines = 0;       // the number of line feeds, including those in quotes
  bool is_ascii = true;
  bool is_regular = true;         // false if any row is irregular, which makes the ends meaningless
};

// Bit i of the result is 1 if an odd number of the bits 0 to i is set. If `bits` marks the quotes of a text, the result
// marks every byte that is an opening quote or lies inside quotes.
std::uint64_t parities(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

// Returns the bytes that follow an escape character, given the bytes that are one. An escape character that follows another
// one escapes nothing. The flag `is_open` says whether the last byte before these bytes escapes the first of them, and is
// set for the bytes that follow. Escape characters are rare, so they are visited one by one.
std::uint64_t escaped_bytes(std::uint64_t escapes, bool& is_open) {
  std::uint64_t escaped = is_open ? 1 : 0;
  escapes &= ~escaped;
  is_open = false;
  while (escapes != 0) {
    const int i = lowest_set(escapes);
    escapes &= escapes - 1;
    if (i == 63) {
      is_open = true;
    } else {
      escaped |= std::uint64_t{2} << i;
      escapes &= ~(std::uint64_t{2} << i);
    }
  }
  return escaped;
}

// Finds the ends of the fields in a delimited text. The first row begins at text[0]. Writes one number per end to `ends`:
// 2 * position + 1 at a line feed, 2 * position at a delimiter. In a regular row, a quoted field begins and ends with a
// quote, and all quotes inside it are doubled or escaped. Unless the dialect is plain, a regular row has a line feed after
// every carriage return outside of quotes, and escapes no carriage return. A comment is irregular. The text may stop within
// a field. Preconditions: size < 2^31, and 64 bytes after the text are readable. O(size).
FieldEnds find_field_ends(const std::uint8_t* text, std::int64_t size, char delimiter,
                          const DelimitedReader::Dialect& dialect, std::vector<std::uint32_t>& ends) {
  const bool is_plain = dialect.is_plain(), has_quote = dialect.quote.has_value(), has_escape = dialect.escape.has_value();
  const bool has_comment = dialect.comment.has_value();
  const char quote_mark = dialect.quote.value_or('\0'), escape_mark = dialect.escape.value_or('\0');
  const char comment_mark = dialect.comment.value_or('\0');
  FieldEnds found;
  std::uint64_t inside_before = 0, end_before = 1, closing_before = 0, return_before = 0;  // flags of the byte before `at`
  std::uint64_t start_before = 1;
  bool escape_before = false;
  std::uint64_t irregular = 0, high = 0;
  for (std::int64_t at = 0; at < size; at += 64) {
    const Bytes64 bytes(text + at);
    const std::uint64_t within = size - at < 64 ? (std::uint64_t{1} << (size - at)) - 1 : ~std::uint64_t{0};
    const std::uint64_t line = bytes.equal('\n') & within, divider = bytes.equal(delimiter) & within;
    high |= bytes.high() & within;
    found.n_lines += count_set(line);
    std::uint64_t field_ends = divider | line;
    if (!is_plain) {
      std::uint64_t quote = has_quote ? bytes.equal(quote_mark) & within : 0;
      std::uint64_t carriage = bytes.equal('\r') & within;
      if (has_escape) {
        const std::uint64_t escaped = escaped_bytes(bytes.equal(escape_mark) & within, escape_before);
        irregular |= carriage & escaped;
        quote &= ~escaped;
        field_ends &= ~escaped;
      }
      const std::uint64_t all_ends = field_ends | quote;
      if ((quote | inside_before | closing_before) != 0) {
        const std::uint64_t inside = parities(quote) ^ inside_before;
        const std::uint64_t opening = quote & inside, closing = quote & ~inside;
        irregular |= opening & ~(all_ends << 1 | end_before);
        irregular |= (closing << 1 | closing_before) & within & ~(all_ends | carriage);
        inside_before = std::uint64_t{0} - (inside >> 63);
        closing_before = closing >> 63;
        field_ends &= ~inside;
        carriage &= ~inside;
      }
      end_before = all_ends >> 63;
      irregular |= (carriage << 1 | return_before) & within & ~line;
      return_before = carriage >> 63;
    }
    if (has_comment) {
      const std::uint64_t row_ends = field_ends & line;
      irregular |= bytes.equal(comment_mark) & within & (row_ends << 1 | start_before);
      start_before = row_ends >> 63;
    }
    if (ends.size() < static_cast<std::size_t>(found.n) + 64) ends.resize(2 * ends.size() + 1024);
    for (std::uint32_t* to = ends.data() + found.n; field_ends != 0; field_ends &= field_ends - 1) {
      const int i = lowest_set(field_ends);
      *to++ = static_cast<std::uint32_t>((at + i) << 1) | static_cast<std::uint32_t>(line >> i & 1);
      ++found.n;
    }
  }
  found.is_regular = irregular == 0;
  found.is_ascii = high == 0;
  return found;
}

const char* const quote_cure =
    "; a quote within a quoted field is written twice; if quotes mean nothing in this file, pass quote=''";
const char* const escape_cure = "; if a backslash makes the next character part of the text, pass escape='\\\\'";
const char* const apostrophe_cure = "; if apostrophes quote the fields of this file, pass quote=\"'\"";

const char* const lone_return =
    "a carriage return without a line feed; put a field with a carriage return in quotes, or, if carriage returns end the "
    "lines of this file, replace them by line feeds";

const char* const too_long_header =
    "the header is longer than 64 MiB; a closing quote may be missing, or there is no header (name the columns by "
    "number)";

const char* const returns_end_lines = "carriage returns end the lines of this file; replace them by line feeds";

// Returns the end of the line that begins at `at`, including its line feed if there is one.
std::int64_t line_end(const std::uint8_t* data, std::int64_t at, std::int64_t size) {
  const void* const found = std::memchr(data + at, '\n', static_cast<std::size_t>(size - at));
  return found == nullptr ? size : static_cast<const std::uint8_t*>(found) - data + 1;
}

// Removes the first and the last quote of a quoted field, and replaces each doubled quote between them by one quote. Writes
// the resulting bytes to `out`, which may point into the field, and returns their number.
std::size_t write_unquoted(std::string_view field, char quote, char* out) {
  const char* const begin = out;
  field = field.substr(1, field.size() - 2);
  for (;;) {
    const std::size_t at = std::min(field.find(quote), field.size());
    if (out != field.data()) std::memmove(out, field.data(), at);
    out += at;
    if (at == field.size()) return static_cast<std::size_t>(out - begin);
    *out++ = quote;
    field.remove_prefix(at + 2);
  }
}

// Does the same for a field, quoted or not, in which an escape character makes the next character part of the text.
std::size_t write_unescaped(std::string_view field, std::optional<char> quote, char escape, char* out) {
  const char* const begin = out;
  const bool is_quoted = quote && field.starts_with(*quote);
  if (is_quoted) field = field.substr(1, field.size() - 2);
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] == escape || (is_quoted && field[i] == *quote)) ++i;
    *out++ = field[i];
  }
  return static_cast<std::size_t>(out - begin);
}

}  // namespace

std::vector<DelimitedReader::Row> DelimitedReader::first_rows(char delimiter, std::int64_t most, bool is_header) {
  std::vector<Row> rows;
  TableBlock block;
  auto size = static_cast<std::int64_t>(pending_.size());
  reserve(block, 0, size);
  std::copy(pending_.begin(), pending_.end(), block.bytes.get());
  std::int64_t wanted = most > 1 ? first_bytes : options_.block_bytes;
  for (;; wanted = std::max(2 * size, wanted)) {
    size = fill(block, size, wanted);
    const std::uint8_t* const data = block.bytes.get();
    std::int64_t begin = 0, line = line_;
    rows.clear();
    // Rows after the first are looked at only near the beginning, so that which ones are does not depend on the blocks.
    while (static_cast<std::int64_t>(rows.size()) < most) {
      const std::int64_t end = rows.empty() ? size : std::min(size, first_bytes);
      if (begin >= end) break;
      Row next = row(data, begin, end, at_end() && end == size, delimiter);
      if (next.end < 0) break;
      // Without quoting, a text may have carriage returns. In a file without line feeds, carriage returns end lines.
      const auto has = [&](char c) { return std::memchr(data, c, static_cast<std::size_t>(size) - 1) != nullptr; };
      if (dialect_.is_plain() && at_end() && data[size - 1] != '\n' && has('\r') && !has('\n'))
        refuse(line, line, returns_end_lines);
      next.first_line += line - line_;
      next.last_line += line - line_;
      const bool is_blank = next.fields.empty() && next.fault.empty();
      begin = next.end;
      line += next.n_lines;
      if (is_blank) continue;
      rows.push_back(std::move(next));
      if (!rows.back().can_skip) break;
    }
    if (!rows.empty() || at_end()) {
      pending_.assign(data, data + size);
      return rows;
    }
    if (is_header && size >= longest_header) refuse(line, line, too_long_header);
    if (size >= longest_row) refuse(line, line, too_long);
  }
}

std::int64_t DelimitedReader::skip_lines(std::int64_t n) {
  TableBlock block;
  std::int64_t n_skipped = 0;
  bool is_within = false;  // whether a part of the next line is left out already
  while (n_skipped < n) {
    if (pending_.empty()) {
      const std::int64_t size = fill(block, 0, options_.block_bytes);
      if (size == 0) break;
      pending_.assign(block.bytes.get(), block.bytes.get() + size);
    }
    std::int64_t at = 0;
    const auto size = static_cast<std::int64_t>(pending_.size());
    while (at < size && n_skipped < n) {
      at = line_end(pending_.data(), at, size);
      is_within = pending_[static_cast<std::size_t>(at) - 1] != '\n';
      if (!is_within) ++n_skipped;
    }
    pending_.erase(pending_.begin(), pending_.begin() + at);
  }
  line_ += n_skipped;
  return n_skipped + is_within;  // the last line may lack a line feed
}

void DelimitedReader::choose(char delimiter, std::vector<std::int64_t> texts, std::int64_t label, std::int64_t n_fields,
                             bool has_header) {
  if (has_header) {
    const std::vector<Row> header = first_rows(delimiter, 1);
    const auto end = pending_.begin() + (header.empty() ? 0 : header[0].end);
    line_ += std::count(pending_.begin(), end, '\n');
    pending_.erase(pending_.begin(), end);
  }
  delimiter_ = delimiter;
  texts_ = std::move(texts);
  label_ = label;
  n_fields_ = n_fields;
  fields_.resize(static_cast<std::size_t>(n_fields));
}

std::int64_t DelimitedReader::parse(TableBlock& block, std::int64_t size, bool is_last) {
  std::uint8_t* const data = block.bytes.get();
  const bool is_cut = is_last && data[size - 1] != '\n';  // whether the last row lacks a line feed
  data[size] = '\n';
  const FieldEnds found = find_field_ends(data, size + is_cut, delimiter_, dialect_, ends_);
  if (!found.is_regular) return parse_carefully(block, size, is_last);
  std::int64_t n_ends = found.n;
  while (n_ends > 0 && ends_[static_cast<std::size_t>(n_ends) - 1] % 2 == 0) --n_ends;
  const std::int64_t end = n_ends == 0 ? 0 : std::int64_t{ends_[static_cast<std::size_t>(n_ends) - 1] / 2} + 1;
  if (end == 0 && !is_last) return 0;
  const bool is_whole = !is_last || end == size + is_cut;  // false if the file ends within quotes
  if (!is_whole || (!found.is_ascii && first_invalid_utf8(data, end) != end)) return parse_carefully(block, size, is_last);
  const std::int64_t used = std::min(parse_regular(block, n_ends), size);
  if (used == 0) return parse_carefully(block, size, is_last);
  // Line feeds after the used bytes are left out, because the next block counts them.
  line_ += found.n_lines - is_cut - std::count(data + used, data + size, '\n');
  return used;
}

// Returns whether a field of a regular row differs from its text.
bool DelimitedReader::is_written(std::string_view field) const {
  if (dialect_.quote && field.starts_with(*dialect_.quote)) return true;
  return dialect_.escape && field.find(*dialect_.escape) != field.npos;
}

// Writes the text of a field that is_written() to `out`, which may be one byte after the begin of the field.
std::size_t DelimitedReader::write_text(std::string_view field, char* out) const {
  if (dialect_.escape) return write_unescaped(field, dialect_.quote, *dialect_.escape, out);
  return write_unquoted(field, *dialect_.quote, out);
}

// Returns the text of a field. If it differs from the field, the result points into `copy`.
std::string_view DelimitedReader::text_of(std::string_view field, std::string& copy) const {
  if (!is_written(field)) return field;
  copy.resize(field.size());
  copy.resize(write_text(field, copy.data()));
  return copy;
}

// Adds the rows whose fields end at the first n_ends elements of ends_. Stops before the first bad row. Returns the start of
// the first bad row, or the end of the last row if no row is bad.
std::int64_t DelimitedReader::parse_regular(TableBlock& block, std::int64_t n_ends) {
  char* const data = reinterpret_cast<char*>(block.bytes.get());
  std::int64_t row_begin = 0, begin = 0, n = 0;
  std::string copy;
  for (std::int64_t i = 0; i < n_ends; ++i) {
    const std::uint32_t end = ends_[static_cast<std::size_t>(i)];
    const std::int64_t next = std::int64_t{end / 2} + 1;
    std::int64_t stop = next - 1;
    if (end % 2 != 0)
      while (stop > begin && data[stop - 1] == '\r') --stop;
    if (n < n_fields_) fields_[static_cast<std::size_t>(n)] = {data + begin, static_cast<std::size_t>(stop - begin)};
    ++n;
    begin = next;
    if (end % 2 == 0) continue;
    const bool is_blank = n == 1 && stop == row_begin;
    if (!is_blank) {
      if (n != n_fields_) return row_begin;
      const ClassId id = class_of(text_of(fields_[static_cast<std::size_t>(label_)], copy));
      if (id < 0) return row_begin;
      block.classes.push_back(id);
      std::string_view text = fields_[static_cast<std::size_t>(texts_[0])];
      if (texts_.size() > 1) {
        std::string& joined = block.joined.emplace_back(text_of(text, copy));
        for (std::size_t t = 1; t < texts_.size(); ++t)
          joined.append(" ").append(text_of(fields_[static_cast<std::size_t>(texts_[t])], copy));
        text = joined;
      } else if (is_written(text)) {  // a text may be changed in place, because its bytes are not read again
        char* const from = data + (text.data() - data) + (dialect_.quote && text.starts_with(*dialect_.quote) ? 1 : 0);
        text = {from, write_text(text, from)};
      }
      block.texts.push_back({text.data(), static_cast<std::int64_t>(text.size()), TextEncoding::utf8});
    }
    n = 0;
    row_begin = next;
  }
  return row_begin;
}

// Returns the end of the message about a row that has a wrong number of fields.
std::string DelimitedReader::cure_of_number(const std::vector<std::string>& fields) const {
  const auto any = [&](const auto& is) { return std::any_of(fields.begin(), fields.end(), is); };
  if (dialect_.is_plain() && any([](const std::string& field) { return field.find('\r') != field.npos; }))
    return std::string("; perhaps ").append(returns_end_lines);
  if (!dialect_.escape && any([](const std::string& field) { return field.ends_with('\\'); })) return escape_cure;
  if (static_cast<std::int64_t>(fields.size()) <= n_fields_) return "";
  if (dialect_.quote == '"' && any([](const std::string& field) { return field.starts_with('\''); })) return apostrophe_cure;
  if (!dialect_.quote) return "";
  std::string cure = "; a field with '?' in it must begin and end with a quote";  // GCC 12 warns falsely of a sum here
  cure[cure.find('?')] = delimiter_;
  return cure;
}

std::int64_t DelimitedReader::parse_carefully(TableBlock& block, std::int64_t size, bool is_last) {
  std::int64_t at = 0;
  while (at < size) {
    Row next = row(block.bytes.get(), at, size, is_last, delimiter_);
    if (next.end < 0) break;
    line_ += next.n_lines;
    at = next.end;
    std::vector<std::string>& fields = next.fields;
    const auto n_fields = static_cast<std::int64_t>(fields.size());
    if (fields.empty() && next.fault.empty()) continue;  // skips a blank line
    if (next.fault.empty() && n_fields != n_fields_) {
      next.fault = "expected " + std::to_string(n_fields_) + " fields, found " + std::to_string(n_fields);
      next.fault += cure_of_number(fields);
    }
    ClassId id = -1;
    if (next.fault.empty()) {
      const std::string& label = fields[static_cast<std::size_t>(label_)];
      id = class_of(label);
      if (id < 0) next.fault = label.empty() ? "the label is empty" : "the label is blank";
    }
    if (!next.fault.empty()) {
      if (!next.can_skip) refuse(next.first_line, next.last_line, std::move(next.fault));
      complain(block, next.first_line, next.last_line, std::move(next.fault));
      continue;
    }
    block.joined.emplace_back();
    for (std::size_t i = 0; i < texts_.size(); ++i)
      block.joined.back() += (i > 0 ? " " : "") + fields[static_cast<std::size_t>(texts_[i])];
    const std::string& text = block.joined.back();
    block.texts.push_back({text.data(), static_cast<std::int64_t>(text.size()), TextEncoding::utf8});
    block.classes.push_back(id);
  }
  return at;
}

// Reads the row that begins at `at`. Unless the dialect is plain, row() is the state machine of CPython's Modules/_csv.c
// with strict=True and doublequote=True. Like CPython, row() reads line by line. CPython refuses a last line without a line
// feed if an escaped line feed came before in the same field, and row() reads it. In regular rows, find_field_ends() and
// parse_regular() must find the same fields as row(). A comment is like a blank line.
DelimitedReader::Row DelimitedReader::row(const std::uint8_t* data, std::int64_t at, std::int64_t size, bool is_last,
                                          char delimiter) const {
  enum class State : std::uint8_t {
    start_record, start_field, in_field, in_quotes, after_quote, after_return, escaped, escaped_in_quotes, after_escaped_end
  };
  constexpr int line_is_over = -1, none = -2;
  const auto code = [](std::optional<char> mark) { return mark ? static_cast<unsigned char>(*mark) : none; };
  const int quote = code(dialect_.quote), escape = code(dialect_.escape), comment = code(dialect_.comment);
  Row row;
  row.first_line = line_;
  const std::int64_t begin = at;
  auto state = State::start_record;
  std::string field;
  do {
    if (at == size) {
      if (!is_last) return row;
      row.fault = state == State::in_quotes ? "the last quoted field is not closed" : "the last line ends with an escape";
      break;
    }
    const std::int64_t end = line_end(data, at, size);
    if (data[end - 1] != '\n' && !is_last) return row;
    row.last_line = line_ + row.n_lines++;
    if (at == begin && data[at] == comment) {
      row.end = end;
      return row;
    }
    if (dialect_.is_plain()) {
      split_line(data, at, end, delimiter, row);
      at = end;
      break;
    }
    const std::int64_t line_begin = at;
    for (; at <= end && row.fault.empty(); ++at) {
      const int c = at < end ? data[at] : line_is_over;
      const bool is_end = c == '\n' || c == '\r' || c == line_is_over;
      if (state == State::start_record) {
        if (c == line_is_over) break;
        if (!is_end) state = State::start_field;
        else state = State::after_return;
        if (is_end) continue;
      }
      if (state == State::after_return) {
        if (c == line_is_over) state = State::start_record;
        else if (!is_end) row.fault = lone_return;
      } else if (state == State::escaped || state == State::escaped_in_quotes) {
        field += c == line_is_over ? '\n' : static_cast<char>(c);  // as CPython does; the file ends here
        state = state == State::escaped_in_quotes ? State::in_quotes : is_end ? State::after_escaped_end : State::in_field;
      } else if (state == State::in_quotes) {
        if (c == escape) state = State::escaped_in_quotes;
        else if (c == quote) state = State::after_quote;
        else if (c != line_is_over) field += static_cast<char>(c);
      } else if (state == State::after_quote && c == quote) {
        field += static_cast<char>(c);
        state = State::in_quotes;
      } else if (state == State::after_escaped_end && c == line_is_over && data[at - 1] == '\n') {
        // The field goes on in the next line.
      } else if (is_end || c == static_cast<unsigned char>(delimiter)) {
        row.fields.push_back(std::exchange(field, {}));
        state = !is_end ? State::start_field : c == line_is_over ? State::start_record : State::after_return;
      } else if (state == State::after_quote) {
        const std::string expected = delimiter == '\t' ? "\\t" : std::string(1, delimiter);
        row.fault += "expected '" + expected + "' or the end of the line after a closing quote, ";
        row.fault += "at " + place(units(data + line_begin, data + at));
      } else if (c == escape) {
        state = State::escaped;
      } else if (state == State::start_field && c == quote) {
        state = State::in_quotes;
      } else {
        field += static_cast<char>(c);
        state = State::in_field;
      }
    }
    at = end;
  } while (state != State::start_record && row.fault.empty());
  row.end = at;
  const std::string_view content(reinterpret_cast<const char*>(data) + begin, static_cast<std::size_t>(at - begin));
  if (!row.fault.empty() && dialect_.quote && content.find(*dialect_.quote) != content.npos) {
    row.can_skip = false;  // with a quote in a bad row, the start of the next row is unknown
    const bool may_escape = !dialect_.escape && content.find(std::string{'\\', *dialect_.quote}) != content.npos;
    if (row.fault != lone_return) row.fault += may_escape ? escape_cure : quote_cure;
  }
  if (const std::int64_t bad = begin + first_invalid_utf8(data + begin, at - begin); bad < at && row.can_skip) {
    const std::int64_t n_before = std::count(data + begin, data + bad, '\n');
    std::int64_t line_begin = bad;
    while (line_begin > begin && data[line_begin - 1] != '\n') --line_begin;
    row.first_line = row.last_line = line_ + n_before;
    row.fault = wrong_byte(units(data + line_begin, data + bad));
  }
  return row;
}

void DelimitedReader::split_line(const std::uint8_t* data, std::int64_t at, std::int64_t end, char delimiter, Row& row) {
  while (end > at && (data[end - 1] == '\n' || data[end - 1] == '\r')) --end;
  if (at == end) return;
  std::string_view rest(reinterpret_cast<const char*>(data) + at, static_cast<std::size_t>(end - at));
  for (std::size_t stop = 0; stop != rest.npos; rest.remove_prefix(stop == rest.npos ? 0 : stop + 1)) {
    stop = rest.find(delimiter);
    row.fields.emplace_back(rest.substr(0, stop));
  }
}

}  // namespace termsift

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "reading/byte_marks.hpp"
#include "termsift/utf8.hpp"
#include "termsift/portability.hpp"
#include "termsift/table_reader.hpp"

namespace termsift {
namespace {

using Place = std::uint8_t*;

// What is wrong with a value, and where.
struct Fault {
  Place at;
  std::string what;
};
// Thrown where the text ends within a value.
struct Cut {};

enum class Kind : std::uint8_t { none, string, whole, fraction, truth, null, object, array };

// A value as it stands in the text; a string without its quotes.
struct Value {
  Kind kind = Kind::none;
  Place begin = nullptr, end = nullptr;
  bool has_escapes = false;

  std::string_view text() const { return {reinterpret_cast<const char*>(begin), static_cast<std::size_t>(end - begin)}; }
};

bool is_digit(std::uint8_t c) { return c >= '0' && c <= '9'; }

int hex_value(std::uint8_t c) {
  if (is_digit(c)) return c - '0';
  const int letter = c | 0x20;
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

// Reads JSON as Python's json module does: NaN and Infinity are numbers, and a string has no control characters. 64 bytes
// behind the text are readable.
class Cursor {
 public:
  Cursor(Place at, Place end) : at_(at), end_(end) {}

  Place at() const { return at_; }
  bool at_end() const { return at_ >= end_; }
  void skip_blanks() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
  }
  bool take(char c) {
    if (at_end() || *at_ != static_cast<std::uint8_t>(c)) return false;
    ++at_;
    return true;
  }
  [[noreturn]] void refuse(const char* expected) const {
    if (at_end()) throw Cut();
    throw Fault{at_, expected};
  }

  // Reads a string whose first quote has been read.
  Value string() {
    Value value{Kind::string, at_, nullptr, false};
    for (;;) {
      const Bytes64 bytes(at_);
      const std::uint64_t stops = bytes.equal('"') | bytes.equal('\\') | bytes.below(0x20);
      at_ += stops == 0 ? 64 : lowest_set(stops);
      if (at_end()) throw Cut();
      if (stops == 0) continue;
      if (*at_ == '"') break;
      if (*at_ != '\\') refuse("expected no control character in a string, such as a line end; write it as \\n or \\u000a");
      value.has_escapes = true;
      escape();
    }
    value.end = at_++;
    return value;
  }

  // Reads any value. What is nested is read without recursion.
  Value value() {
    skip_blanks();
    if (take('"')) return string();
    if (at_end()) throw Cut();
    if (*at_ == '{' || *at_ == '[') return nested();
    return scalar();
  }

 private:
  void escape() {
    if (end_ - at_ < 2) throw Cut();
    const char c = static_cast<char>(at_[1]);
    if (std::strchr("\"\\/bfnrtu", c) == nullptr || c == '\0') refuse("expected one of \"\\/bfnrtu after a backslash");
    if (c == 'u') {
      if (end_ - at_ < 6) throw Cut();
      for (int i = 2; i < 6; ++i)
        if (hex_value(at_[i]) < 0) refuse("expected four hexadecimal digits after \\u");
    }
    at_ += c == 'u' ? 6 : 2;
  }

  Value scalar() {
    Value value{Kind::none, at_, nullptr, false};
    for (const auto& [word, kind] : {std::pair{"true", Kind::truth}, {"false", Kind::truth}, {"null", Kind::null},
                                     {"NaN", Kind::fraction}, {"Infinity", Kind::fraction}, {"-Infinity", Kind::fraction}}) {
      const std::size_t size = std::strlen(word), left = static_cast<std::size_t>(end_ - at_);
      if (std::memcmp(at_, word, std::min(size, left)) != 0) continue;
      if (left < size && left > 0 && !(left == 1 && *at_ == '-')) throw Cut();
      if (left < size) break;
      at_ += size;
      value.kind = kind;
      value.end = at_;
      return value;
    }
    value.kind = Kind::whole;
    take('-');
    if (!take('0')) digits();
    if (take('.')) digits(), value.kind = Kind::fraction;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      digits(), value.kind = Kind::fraction;
    }
    value.end = at_;
    return value;
  }
  void digits() {
    if (at_end() || !is_digit(*at_)) refuse("expected a value");
    while (!at_end() && is_digit(*at_)) ++at_;
  }

  Value nested() {
    Value whole{*at_ == '{' ? Kind::object : Kind::array, at_, nullptr, false};
    std::string open;  // the brackets that are open
    bool is_value_next = true;
    do {
      skip_blanks();
      if (is_value_next) {
        const bool is_object = !at_end() && *at_ == '{';
        if (is_object || (!at_end() && *at_ == '[')) {
          open += static_cast<char>(*at_++);
          skip_blanks();
          if (take(is_object ? '}' : ']')) {
            open.pop_back();
            is_value_next = false;
          } else if (is_object) {
            key();
          }
          continue;
        }
        if (take('"')) string();
        else if (at_end()) throw Cut();
        else scalar();
        is_value_next = false;
      } else if (take(',')) {
        is_value_next = true;
        skip_blanks();
        if (open.back() == '{') key();
      } else if (take(open.back() == '{' ? '}' : ']')) {
        open.pop_back();
      } else {
        refuse("expected a comma or a closing bracket");
      }
    } while (!open.empty());
    whole.end = at_;
    return whole;
  }
  void key() {
    if (!take('"')) refuse("expected a key in double quotes");
    string();
    skip_blanks();
    if (!take(':')) refuse("expected a colon after a key");
  }

  Place at_;
  Place const end_;
};

std::uint32_t hex_of(const std::uint8_t* at) {
  std::uint32_t c = 0;
  for (int i = 0; i < 4; ++i) c = c << 4 | static_cast<std::uint32_t>(hex_value(at[i]));
  return c;
}

Place append_utf8(Place to, std::uint32_t c) {  // lone surrogates too
  const auto put = [&](std::uint32_t byte) { *to++ = static_cast<std::uint8_t>(byte); };
  if (c < 0x80) return put(c), to;
  if (c < 0x800) return put(0xc0 | c >> 6), put(0x80 | (c & 0x3f)), to;
  if (c < 0x10000) return put(0xe0 | c >> 12), put(0x80 | (c >> 6 & 0x3f)), put(0x80 | (c & 0x3f)), to;
  return put(0xf0 | c >> 18), put(0x80 | (c >> 12 & 0x3f)), put(0x80 | (c >> 6 & 0x3f)), put(0x80 | (c & 0x3f)), to;
}

// Replaces the escapes of a string, in its place. Returns whether it has lone surrogates.
bool unescape(Value& value) {
  if (!value.has_escapes) return false;
  bool has_surrogates = false;
  Place to = value.begin;
  for (Place from = value.begin; from < value.end;) {
    auto* const stop = static_cast<Place>(std::memchr(from, '\\', static_cast<std::size_t>(value.end - from)));
    const auto n = (stop == nullptr ? value.end : stop) - from;
    std::memmove(to, from, static_cast<std::size_t>(n));
    to += n;
    if (stop == nullptr) break;
    from = stop + 2;
    switch (stop[1]) {
      case 'b': *to++ = '\b'; break;
      case 'f': *to++ = '\f'; break;
      case 'n': *to++ = '\n'; break;
      case 'r': *to++ = '\r'; break;
      case 't': *to++ = '\t'; break;
      case 'u': {
        std::uint32_t c = hex_of(from);
        from += 4;
        const bool is_high = c >= 0xd800 && c < 0xdc00 && value.end - from >= 6 && from[0] == '\\' && from[1] == 'u';
        if (const std::uint32_t low = is_high ? hex_of(from + 2) : 0; low >= 0xdc00 && low < 0xe000) {
          c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
          from += 6;
        }
        has_surrogates |= c >= 0xd800 && c < 0xe000;
        to = append_utf8(to, c);
        break;
      }
      default: *to++ = stop[1];
    }
  }
  value.end = to;
  value.has_escapes = false;
  return has_surrogates;
}

// Returns the code points of valid UTF-8 that may hold lone surrogates.
std::u32string code_points(std::string_view text) {
  std::u32string all;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<std::uint8_t>(text[i]);
    const std::size_t n = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    char32_t c = n == 1 ? lead : lead & (0x7fU >> n);
    for (std::size_t k = 1; k < n; ++k) c = c << 6 | (static_cast<std::uint8_t>(text[i + k]) & 0x3fU);
    all += c;
    i += n;
  }
  return all;
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::whole: return "a whole number";
    case Kind::fraction: return "a number with a fraction";
    case Kind::truth: return "true or false";
    case Kind::null: return "null";
    case Kind::object: return "an object";
    case Kind::array: return "an array";
    default: return "a string";
  }
}

}  // namespace

struct JsonReader::State {
  enum class Layout : std::uint8_t { unknown, lines, array, after_object, over };

  std::vector<std::string> keys;  // of the texts, and then that of the label
  Layout layout;
  std::vector<Value> values;      // of these keys in one object
  std::vector<Value> found;       // its keys

  // Reads an object. The last of several values of a key counts.
  void read_object(Cursor& json) {
    values.assign(keys.size(), {});
    found.clear();
    json.skip_blanks();
    if (!json.take('{')) json.refuse("expected an object in braces");
    json.skip_blanks();
    if (json.take('}')) return;
    std::string unescaped;
    do {
      json.skip_blanks();
      if (!json.take('"')) json.refuse("expected a key in double quotes");
      const Value key = json.string();
      found.push_back(key);
      std::string_view name = key.text();
      if (key.has_escapes) {
        unescaped = name;
        Value copy{Kind::string, reinterpret_cast<Place>(unescaped.data()), nullptr, true};
        copy.end = copy.begin + unescaped.size();
        unescape(copy);
        name = copy.text();
      }
      json.skip_blanks();
      if (!json.take(':')) json.refuse("expected a colon after a key");
      const Value value = json.value();
      for (std::size_t i = 0; i < keys.size(); ++i)
        if (name == keys[i]) values[i] = value;
      json.skip_blanks();
    } while (json.take(','));
    if (!json.take('}')) json.refuse("expected a comma or a closing brace");
  }

  // Returns what is missing in the object, or nothing.
  std::optional<std::string> fault() const {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Kind kind = values[i].kind;
      const bool is_label = i + 1 == keys.size();
      if (kind == Kind::none) {
        std::string all;
        for (const Value& key : found) all += (all.empty() ? "'" : ", '") + std::string(key.text()) + "'";
        return "expected a key '" + keys[i] + "', found " + (all.empty() ? "none" : all) +
               "; name the columns by text and label (--text, --label)";
      }
      if (is_label ? kind != Kind::string && kind != Kind::whole && kind != Kind::truth : kind != Kind::string)
        return std::string(is_label ? "expected a label, a string or a whole number, as '" : "expected a string as '") + keys[i] +
               "', found " + name_of(kind);
    }
    return std::nullopt;
  }
};

JsonReader::JsonReader(Read read, Options options, std::vector<std::string> texts, std::string label, bool may_be_array)
    : TableReader(std::move(read), std::move(options)), state_(new State) {
  state_->keys = std::move(texts);
  state_->keys.push_back(std::move(label));
  state_->layout = may_be_array ? State::Layout::unknown : State::Layout::lines;
}
JsonReader::~JsonReader() = default;

std::int64_t JsonReader::parse(TableBlock& block, std::int64_t size, bool is_last) {
  if (state_->layout == State::Layout::unknown) {
    Cursor json(block.bytes.get(), block.bytes.get() + size);
    json.skip_blanks();
    if (json.at_end()) return is_last ? size : 0;
    state_->layout = *json.at() == '[' ? State::Layout::array : State::Layout::lines;
  }
  return state_->layout == State::Layout::lines ? parse_lines(block, size, is_last) : parse_array(block, size, is_last);
}

// Adds the object that state_ has read, or complains of it.
void JsonReader::take(TableBlock& block, std::int64_t first_line, std::int64_t last_line) {
  std::vector<Value>& values = state_->values;
  if (std::optional<std::string> fault = state_->fault()) return complain(first_line, last_line, std::move(*fault));
  Value& label = values.back();
  // A key may be that of a text and of the label. Only the copy that is unescaped first has escapes.
  const bool is_shared = std::any_of(values.begin(), values.end() - 1, [&](const Value& v) { return v.begin == label.begin; });
  std::string copy;
  if (is_shared) copy = label.text(), label.begin = reinterpret_cast<Place>(copy.data()), label.end = label.begin + copy.size();
  unescape(label);
  const ClassId id = class_of(label.kind == Kind::whole && label.text() == "-0" ? "0" : label.text());
  if (id < 0) return complain(first_line, last_line, label.text().empty() ? "the label is empty" : "the label is blank");
  bool is_wide = false;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) is_wide |= unescape(values[i]);
  std::string_view text = values[0].text();
  if (values.size() > 2) {
    std::string& joined = block.joined.emplace_back();
    for (std::size_t i = 0; i + 1 < values.size(); ++i) (joined += i > 0 ? " " : "") += values[i].text();
    text = joined;
  }
  block.classes.push_back(id);
  if (is_wide) {
    const std::u32string& wide = block.wide.emplace_back(code_points(text));
    block.texts.push_back({wide.data(), static_cast<std::int64_t>(wide.size()), TextEncoding::ucs4});
  } else {
    block.texts.push_back({text.data(), static_cast<std::int64_t>(text.size()), TextEncoding::utf8});
  }
}

std::int64_t JsonReader::parse_lines(TableBlock& block, std::int64_t size, bool is_last) {
  Place const data = block.bytes.get();
  Place const end = data + size;
  std::int64_t used = size;
  while (!is_last && used > 0 && data[used - 1] != '\n') --used;
  const bool is_valid = first_invalid_utf8(data, used) == used;
  for (Place at = data; at < data + used; ++line_) {
    auto* stop = static_cast<Place>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (stop == nullptr) stop = end;
    Cursor json(at, stop);
    json.skip_blanks();
    const std::int64_t bad_byte = is_valid ? stop - at : first_invalid_utf8(at, stop - at);
    if (bad_byte < stop - at) {
      complain(line_, line_, wrong_byte(bad_byte));
    } else if (!json.at_end()) {
      try {
        state_->read_object(json);
        json.skip_blanks();
        if (!json.at_end()) json.refuse("expected nothing more after the object of a line");
        take(block, line_, line_);
      } catch (const Fault& fault) {
        complain(line_, line_, "expected a JSON object: " + fault.what + ", at byte " + std::to_string(fault.at - at));
      } catch (const Cut&) {
        complain(line_, line_, "expected a JSON object, which ends in the line where it begins");
      }
    }
    at = stop + 1;
  }
  return used;
}

std::int64_t JsonReader::parse_array(TableBlock& block, std::int64_t size, bool is_last) {
  using Layout = State::Layout;
  Layout& layout = state_->layout;
  Place const data = block.bytes.get();
  Cursor json(data, data + size);
  Place used = data;
  std::int64_t line = line_;
  const auto whole = [&] {  // all before the cursor has been read
    line += std::count(used, json.at(), '\n');
    used = json.at();
  };
  try {
    for (;;) {
      json.skip_blanks();
      whole();
      if (json.at_end()) {
        if (is_last && layout != Layout::over) throw Cut();
        break;
      }
      if (layout == Layout::over) json.refuse("expected nothing more after the array");
      if (layout == Layout::after_object && json.take(']')) {
        layout = Layout::over;
        continue;
      }
      if (layout == Layout::after_object && !json.take(',')) json.refuse("expected a comma or a closing bracket after an object");
      if (layout == Layout::array) json.take('[');
      const bool is_first = layout == Layout::array;
      json.skip_blanks();
      if (is_first && json.take(']')) {
        layout = Layout::over;
        continue;
      }
      Place const begin = json.at();
      state_->read_object(json);
      layout = Layout::after_object;
      const std::int64_t first_line = line + std::count(used, begin, '\n');
      const std::int64_t bad = first_invalid_utf8(begin, json.at() - begin);
      whole();
      if (bad < json.at() - begin)
        complain(first_line, line, wrong_byte(bad));
      else
        take(block, first_line, line);
    }
  } catch (const Fault& fault) {
    Place line_begin = fault.at;
    while (line_begin > data && line_begin[-1] != '\n') --line_begin;
    line += std::count(used, fault.at, '\n');
    complain(line, line, "expected an array of JSON objects: " + fault.what + ", at byte " + std::to_string(fault.at - line_begin),
             false);
  } catch (const Cut&) {
    if (is_last) complain(line, line, "expected an array of JSON objects; the file ends before its closing bracket", false);
  }
  line_ = line;
  return used - data;
}

}  // namespace termsift

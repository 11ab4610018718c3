#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "reading/json_values.hpp"
#include "termsift/table_reader.hpp"
#include "termsift/utf8.hpp"

namespace termsift {

struct JsonReader::State {
  enum class Layout : std::uint8_t { unknown, lines, array, after_object, over };

  std::vector<std::string> keys;    // the keys of the texts, followed by the key of the label
  Layout layout;
  std::vector<json::Value> values;  // the values of `keys` in the current object
  std::vector<json::Value> found;   // all keys of the current object
  bool is_unlabelled = false;       // whether the last key is that of a text, whose value is no label
  std::vector<bool> occurs, lacks;  // whether an object has the key; whether one lacks it, but is read
  std::int64_t column = 0;          // bytes or characters from the start of the line to the first unused byte

  static constexpr std::size_t keys_shown = 20;

  // Returns a key, shortened for error messages.
  static std::string shortened(std::string_view key) {
    constexpr std::size_t most = 60;
    if (key.size() <= most) return std::string(key);
    std::size_t end = most;
    while (end > 0 && (static_cast<std::uint8_t>(key[end]) & 0xc0) == 0x80) --end;  // keeps characters whole
    return std::string(key.substr(0, end)) + "...";
  }

  // Reads an object. If a key occurs several times, its last value counts.
  void read_object(json::Cursor& cursor) {
    values.assign(keys.size(), {});
    found.clear();
    cursor.skip_blanks();
    if (!cursor.take('{')) {
      const bool is_array = layout == Layout::lines && !cursor.at_end() && *cursor.at() == '[';
      const char* const cure = is_array ? "; a file of one array needs a name that ends in .json" : "";
      cursor.refuse("expected a JSON object in braces", cure);
    }
    cursor.skip_blanks();
    if (cursor.take('}')) return;
    std::string unescaped;
    do {
      const json::Value key = cursor.key();
      found.push_back(key);
      if (key.has_escapes) unescaped = json::unescaped(key);
      const std::string_view name = key.has_escapes ? unescaped : key.text();
      const json::Value value = cursor.value();
      for (std::size_t i = 0; i < keys.size(); ++i)
        if (name == keys[i]) values[i] = value;
      cursor.skip_blanks();
    } while (cursor.take(','));
    if (!cursor.take('}')) cursor.refuse("expected a comma or a closing brace");
  }

  static bool is_missing(json::Kind kind) { return kind == json::Kind::none || kind == json::Kind::null; }

  // Returns what is wrong with the current object, or nullopt if the object has a label and a text. A text of several keys
  // may lack some of them, as a row of a delimited table may have empty fields.
  std::optional<std::string> fault() const {
    using json::Kind;
    const std::size_t n_texts = keys.size() - 1;
    const bool has_text = std::any_of(values.begin(), values.end() - 1,
                                      [](const json::Value& value) { return !is_missing(value.kind); });
    for (std::size_t i = 0; i < (is_unlabelled ? n_texts : keys.size()); ++i) {
      const Kind kind = values[i].kind;
      const bool is_label = i == n_texts;
      if (!is_label && has_text && is_missing(kind)) continue;
      if (kind == Kind::none) {
        std::string keys_found;
        for (std::size_t k = 0; k < std::min(found.size(), keys_shown); ++k)
          keys_found += (k > 0 ? ", '" : "'") + shortened(found[k].text()) + "'";
        if (found.size() > keys_shown) keys_found += ", ...";
        return "expected a key '" + keys[i] + "', found " + (found.empty() ? "none" : keys_found) +
               "; name the columns by text= and label=";
      }
      const bool is_name = kind == Kind::string || (is_label && (kind == Kind::whole || kind == Kind::truth)) ||
                           (is_label && kind == Kind::fraction && json::as_whole(values[i].text()));
      if (!is_name)
        return std::string("expected ") + (is_label ? "a string or a whole number" : "a string") + " as '" +
               keys[i] + "', found " + json::name_of(kind);
    }
    return std::nullopt;
  }
};

JsonReader::JsonReader(Read read, Options options, std::vector<std::string> texts, std::string label, bool may_be_array)
    : TableReader(std::move(read), std::move(options)), state_(new State) {
  state_->keys = std::move(texts);
  state_->keys.push_back(std::move(label));
  state_->occurs.assign(state_->keys.size(), false);
  state_->lacks = state_->occurs;
  state_->is_unlabelled = options_.unlabelled;
  state_->layout = may_be_array ? State::Layout::unknown : State::Layout::lines;
}
JsonReader::~JsonReader() = default;

std::int64_t JsonReader::parse(TableBlock& block, std::int64_t size, bool is_last) {
  if (state_->layout == State::Layout::unknown) {
    json::Cursor cursor(block.bytes.get(), block.bytes.get() + size);
    cursor.skip_blanks();
    if (cursor.at_end()) return is_last ? size : 0;
    state_->layout = *cursor.at() == '[' ? State::Layout::array : State::Layout::lines;
  }
  return state_->layout == State::Layout::lines ? parse_lines(block, size, is_last) : parse_array(block, size, is_last);
}

// Adds the object that state_ has read to the block, or reports what is wrong with the object.
void JsonReader::take(TableBlock& block, std::int64_t first_line, std::int64_t last_line) {
  std::vector<json::Value>& values = state_->values;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i].kind != json::Kind::none) state_->occurs[i] = true;
  if (std::optional<std::string> fault = state_->fault()) return complain(block, first_line, last_line, std::move(*fault));
  // The label is unescaped in a copy, because the same JSON string may also be one of the texts.
  const json::Value& label = values.back();
  std::string copy;
  std::string_view written = label.text();
  if (label.has_escapes) written = copy = json::unescaped(label);
  if (label.kind == json::Kind::fraction || (label.kind == json::Kind::whole && written == "-0"))
    written = copy = *json::as_whole(written);
  const ClassId id = class_of(written);
  if (id < 0) return complain(block, first_line, last_line, written.empty() ? "the label is empty" : "the label is blank");
  bool is_wide = false;
  for (std::size_t i = 0; i + 1 < values.size(); ++i)
    if (values[i].kind == json::Kind::string) is_wide |= json::unescape(values[i]);
  std::string_view text = values[0].text();
  if (values.size() > 2) {
    std::string& joined = block.joined.emplace_back();
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
      joined += i > 0 ? " " : "";
      if (values[i].kind == json::Kind::string) joined += values[i].text();
      if (values[i].kind == json::Kind::none) state_->lacks[i] = true;
    }
    text = joined;
  }
  block.classes.push_back(id);
  if (is_wide) {
    const std::u32string& wide = block.wide.emplace_back(json::code_points(text));
    block.texts.push_back({wide.data(), static_cast<std::int64_t>(wide.size()), TextEncoding::ucs4});
  } else {
    block.texts.push_back({text.data(), static_cast<std::int64_t>(text.size()), TextEncoding::utf8});
  }
}

std::int64_t JsonReader::parse_lines(TableBlock& block, std::int64_t size, bool is_last) {
  json::Place const data = block.bytes.get();
  json::Place const end = data + size;
  std::int64_t used = size;
  while (!is_last && used > 0 && data[used - 1] != '\n') --used;
  const bool is_valid = first_invalid_utf8(data, used) == used;
  for (json::Place at = data; at < data + used; ++line_) {
    auto* stop = static_cast<json::Place>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (stop == nullptr) stop = end;
    json::Cursor cursor(at, stop);
    cursor.skip_blanks();
    const std::int64_t bad_byte = is_valid ? stop - at : first_invalid_utf8(at, stop - at);
    if (bad_byte < stop - at) {
      complain(block, line_, line_, wrong_byte(units(at, at + bad_byte)));
    } else if (!cursor.at_end()) {
      try {
        state_->read_object(cursor);
        cursor.skip_blanks();
        if (!cursor.at_end()) cursor.refuse("expected nothing more after the object of a line");
        take(block, line_, line_);
      } catch (const json::Fault& fault) {
        complain(block, line_, line_, fault.told(place(units(at, fault.at))));
      } catch (const json::Cut&) {
        complain(block, line_, line_,
                 "the JSON object does not end in this line; write each object in one line, or all in one array (.json)");
      }
    }
    at = stop + 1;
  }
  return used;
}

std::int64_t JsonReader::parse_array(TableBlock& block, std::int64_t size, bool is_last) {
  using Layout = State::Layout;
  Layout& layout = state_->layout;
  json::Place const data = block.bytes.get();
  json::Cursor cursor(data, data + size);
  json::Place used = data;
  // Marks all bytes before `to` as used. Line feeds are counted before strings are unescaped, which may add line feeds.
  const auto advance = [&](json::Place to) {
    line_ += std::count(used, to, '\n');
    json::Place line_begin = to;
    while (line_begin > used && line_begin[-1] != '\n') --line_begin;
    state_->column = line_begin > used ? units(line_begin, to) : state_->column + units(used, to);
    used = to;
  };
  try {
    for (;;) {
      cursor.skip_blanks();
      advance(cursor.at());
      if (cursor.at_end()) break;
      if (layout == Layout::over) cursor.refuse("expected nothing more after the array");
      const bool is_first = layout == Layout::array;
      if (!is_first && cursor.take(']')) {
        layout = Layout::over;
        continue;
      }
      if (!cursor.take(is_first ? '[' : ',')) cursor.refuse("expected a comma or a closing bracket after an object");
      cursor.skip_blanks();
      if (is_first && cursor.take(']')) {
        layout = Layout::over;
        continue;
      }
      json::Place const begin = cursor.at();
      const bool is_object = cursor.at_end() || *begin == '{';
      json::Kind other = json::Kind::none;
      if (is_object) state_->read_object(cursor);
      else other = cursor.value().kind;
      if (!is_object && cursor.at_end() && !is_last) throw json::Cut();  // the next block may have more digits of the number
      layout = Layout::after_object;
      advance(begin);
      const std::int64_t first_line = line_, bad = first_invalid_utf8(begin, cursor.at() - begin);
      const bool is_valid = bad == cursor.at() - begin;
      if (!is_valid) {
        advance(begin + bad);
        complain(block, line_, line_, wrong_byte(state_->column));
      }
      advance(cursor.at());
      if (!is_valid) continue;
      if (is_object) take(block, first_line, line_);
      else complain(block, first_line, line_, std::string("expected a JSON object in braces, found ") + name_of(other));
    }
  } catch (const json::Fault& fault) {
    advance(fault.at);
    refuse(line_, line_, fault.told(place(state_->column)));
  } catch (const json::Cut&) {
    if (is_last) finish();
  }
  return used - data;
}

void JsonReader::finish() {
  if (state_->layout == State::Layout::array || state_->layout == State::Layout::after_object)
    refuse(line_, line_, "expected a closing bracket at the end; the array is cut short");
  for (std::size_t i = 0; i + 1 < state_->keys.size(); ++i)  // a key that no object has is misspelt
    if (state_->lacks[i] && !state_->occurs[i])
      refuse(line_, line_, "no object has the key '" + state_->keys[i] + "'; name the columns by text= and label=");
}

}  // namespace termsift

#include "termsift/arrow_texts.hpp"

#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "termsift/types.hpp"

namespace termsift {
namespace {

// Owns a struct of the Arrow C interface. The destructor of an Owned releases the struct.
template <class T>
struct Owned {
  T value{};
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (value.release != nullptr) value.release(&value);
  }
  void take_over(T& from) noexcept {
    value = from;
    from.release = nullptr;
  }
};

// Throws unless `condition` is true. Arrow arrays are made by a library, but their values may come from a damaged file.
void require(bool condition, std::int64_t row, const char* fault) {
  if (!condition) throw std::invalid_argument("the Arrow array is damaged: row " + std::to_string(row) + " " + fault);
}

std::string type_name(std::string_view format) {
  constexpr std::pair<std::string_view, const char*> names[] = {
      {"n", "nulls"},   {"b", "bool"},    {"c", "int8"},    {"C", "uint8"},   {"s", "int16"},       {"S", "uint16"},
      {"i", "int32"},   {"I", "uint32"},  {"l", "int64"},   {"L", "uint64"},  {"e", "float16"},     {"f", "float32"},
      {"g", "float64"}, {"z", "binary"},  {"Z", "binary"},  {"vz", "binary"}, {"+s", "a struct"},   {"+r", "run ends"},
      {"u", "strings"}, {"U", "strings"}, {"vu", "strings"}};
  for (const auto& [known, name] : names)
    if (format == known) return name;
  if (format.starts_with('t')) return "dates or times";
  if (format.starts_with('d')) return "decimals";
  if (format.starts_with("w:")) return "binary";
  if (format.starts_with("+l") || format.starts_with("+L") || format.starts_with("+w") || format.starts_with("+v"))
    return "lists";
  return "the Arrow type '" + std::string(format) + "'";
}

// The format of the strings of an Arrow array or, if the array has a dictionary, of the dictionary's strings.
enum class Form : std::uint8_t { utf8, large_utf8, view, nulls };

struct Layout {
  std::int64_t column = -1;  // the position of the table's column of texts; -1 if there is no table
  char index = 0;            // the format of the dictionary's indices, or 0 without a dictionary
  Form form = Form::utf8;
};

std::string name_of(const ArrowSchema& schema) { return schema.name == nullptr ? "" : schema.name; }

std::string names_of(const ArrowSchema& table) {
  std::string names;
  for (std::int64_t i = 0; i < table.n_children; ++i)
    names += (i > 0 ? ", '" : "'") + name_of(*table.children[i]) + "'";
  return names.empty() ? "none" : names;
}

std::int64_t find_column(const ArrowSchema& table, const std::string& column) {
  std::int64_t found = -1;
  for (std::int64_t i = 0; i < table.n_children; ++i) {
    if (name_of(*table.children[i]) != column) continue;
    if (found >= 0) throw std::invalid_argument("the table has two columns '" + column + "'");
    found = i;
  }
  if (found < 0) throw std::invalid_argument("the table has no column '" + column + "', its columns are " + names_of(table));
  return found;
}

Form form_of(const ArrowSchema& strings, const std::string& name) {
  constexpr std::pair<std::string_view, Form> forms[] = {
      {"u", Form::utf8}, {"U", Form::large_utf8}, {"vu", Form::view}, {"n", Form::nulls}};
  const std::string_view format = strings.format;
  for (const auto& [known, form] : forms)
    if (format == known && strings.dictionary == nullptr) return form;
  throw NotStrings(name + " holds " + type_name(format) + ", expected strings");
}

Layout layout_of(const ArrowSchema& schema, const std::optional<std::string>& column) {
  Layout layout;
  const ArrowSchema* strings = &schema;
  const bool is_table = std::string_view(schema.format) == "+s";
  if (column) {
    if (!is_table) throw NotStrings("expected a table with a column '" + *column + "', found " + type_name(schema.format));
    layout.column = find_column(schema, *column);
    strings = schema.children[layout.column];
  } else if (is_table) {
    throw NotStrings("expected a column of strings, found a table; its columns are " + names_of(schema));
  }
  if (strings->dictionary != nullptr) {
    layout.index = strings->format[0];
    strings = strings->dictionary;
  }
  layout.form = form_of(*strings, column ? "column '" + *column + "'" : "the Arrow array");
  return layout;
}

// Returns element i of a buffer. The buffer need not be aligned.
template <class T>
T load(const void* buffer, std::int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(buffer) + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}

// Tells which elements of an Arrow array are null. Arrays of the type "n" have no buffers, and empty arrays may have none.
class Nulls {
 public:
  explicit Nulls(const ArrowArray& array)
      : bits_(array.null_count == 0 || array.n_buffers == 0 || array.length == 0
                  ? nullptr
                  : static_cast<const std::uint8_t*>(array.buffers[0])),
        offset_(array.offset) {}
  bool has(std::int64_t i) const {
    return bits_ != nullptr && (bits_[(offset_ + i) >> 3] >> ((offset_ + i) & 7) & 1) == 0;
  }

 private:
  const std::uint8_t* const bits_;
  const std::int64_t offset_;
};

// An Arrow array of strings. at(i) is valid for i in [0, length()).
class Strings {
 public:
  Strings(const ArrowArray& array, Form form)
      : form_(form), length_(array.length), offset_(array.offset), buffers_(array.buffers), n_buffers_(array.n_buffers),
        nulls_(array) {}

  std::int64_t length() const { return length_; }

  Text at(std::int64_t i) const {
    if (nulls_.has(i)) return {};
    switch (form_) {
      case Form::utf8: return between<std::int32_t>(i);
      case Form::large_utf8: return between<std::int64_t>(i);
      case Form::view: return view(i);
      default: return {};
    }
  }

 private:
  template <class Offset>
  Text between(std::int64_t i) const {
    const std::int64_t begin = load<Offset>(buffers_[1], offset_ + i), end = load<Offset>(buffers_[1], offset_ + i + 1);
    const std::int64_t last = load<Offset>(buffers_[1], offset_ + length_);
    require(0 <= begin && begin <= end && end <= last, i, "has offsets outside of its bytes");
    if (begin == end) return {"", 0, TextEncoding::utf8};  // an array of empty strings may have no buffer of bytes
    return {static_cast<const char*>(buffers_[2]) + begin, end - begin, TextEncoding::utf8};
  }

  // A string view has 16 bytes and begins with the length of the text. A text of at most 12 bytes follows its length. For a
  // longer text, its first four bytes, the number of a buffer and the text's offset in the buffer follow the length.
  Text view(std::int64_t i) const {
    const char* const at = static_cast<const char*>(buffers_[1]) + 16 * (offset_ + i);
    const auto length = load<std::int32_t>(at, 0);
    require(length >= 0, i, "has a negative length");
    if (length <= 12) return {at + 4, length, TextEncoding::utf8};
    const auto buffer = load<std::int32_t>(at, 2), begin = load<std::int32_t>(at, 3);
    require(0 <= buffer && buffer < n_buffers_ - 3, i, "names a buffer that does not exist");
    const auto size = load<std::int64_t>(buffers_[n_buffers_ - 1], buffer);
    require(0 <= begin && begin + std::int64_t{length} <= size, i, "reaches outside of its buffer");
    return {static_cast<const char*>(buffers_[2 + buffer]) + begin, length, TextEncoding::utf8};
  }

  const Form form_;
  const std::int64_t length_, offset_;
  const void* const* const buffers_;
  const std::int64_t n_buffers_;
  const Nulls nulls_;
};

// Returns the i-th index of an array with a dictionary.
std::int64_t load_index(char format, const void* buffer, std::int64_t i) {
  switch (format) {
    case 'c': return load<std::int8_t>(buffer, i);
    case 'C': return load<std::uint8_t>(buffer, i);
    case 's': return load<std::int16_t>(buffer, i);
    case 'S': return load<std::uint16_t>(buffer, i);
    case 'i': return load<std::int32_t>(buffer, i);
    case 'I': return load<std::uint32_t>(buffer, i);
    default: return load<std::int64_t>(buffer, i);
  }
}

// Appends the texts of an array. A null in the table, its column or the dictionary becomes a missing text.
void append_array(HeldTexts& result, const std::shared_ptr<Owned<ArrowArray>>& owner, const Layout& layout,
                  const Poll& poll) {
  const ArrowArray& rows = owner->value;
  const bool is_table = layout.column >= 0;
  const ArrowArray& column = is_table ? *rows.children[layout.column] : rows;
  const std::int64_t begin = is_table ? rows.offset : 0;
  const Nulls null_rows(rows), nulls(column);
  const Strings strings(layout.index == 0 ? column : *column.dictionary, layout.form);
  for (std::int64_t i = 0; i < rows.length; ++i) {
    if (i % (1 << 20) == 0 && poll && poll()) throw Interrupted();
    Text& text = result.texts.emplace_back();
    if (null_rows.has(i) || nulls.has(begin + i)) continue;
    std::int64_t at = begin + i;
    if (layout.index != 0) {
      at = load_index(layout.index, column.buffers[1], column.offset + at);
      require(0 <= at && at < strings.length(), i, "has no entry in the dictionary");
    }
    text = strings.at(at);
  }
  result.owners.push_back(owner);
}

}  // namespace

HeldTexts texts_of_stream(ArrowArrayStream& stream, const std::optional<std::string>& column, const Poll& poll) {
  Owned<ArrowArrayStream> source;
  source.take_over(stream);
  ArrowArrayStream& s = source.value;
  if (s.release == nullptr) throw std::invalid_argument("the Arrow stream has been read before");
  const auto fail = [&] {
    const char* const why = s.get_last_error == nullptr ? nullptr : s.get_last_error(&s);
    throw std::runtime_error(std::string("the Arrow stream failed: ") + (why == nullptr ? "it gave no reason" : why));
  };
  Owned<ArrowSchema> schema;
  if (s.get_schema(&s, &schema.value) != 0) {
    schema.value.release = nullptr;  // after an error, there is no schema to release
    fail();
  }
  const Layout layout = layout_of(schema.value, column);
  HeldTexts result;
  for (;;) {
    if (poll && poll()) throw Interrupted();  // append_array() does not call poll() for an empty array
    const auto array = std::make_shared<Owned<ArrowArray>>();
    if (s.get_next(&s, &array->value) != 0) {
      array->value.release = nullptr;
      fail();
    }
    if (array->value.release == nullptr) return result;
    append_array(result, array, layout, poll);
  }
}

HeldTexts texts_of_array(ArrowSchema& schema, ArrowArray& array, const std::optional<std::string>& column,
                          const Poll& poll) {
  Owned<ArrowSchema> type;
  const auto owner = std::make_shared<Owned<ArrowArray>>();
  type.take_over(schema);
  owner->take_over(array);
  if (owner->value.release == nullptr) throw std::invalid_argument("the Arrow array has been read before");
  HeldTexts result;
  append_array(result, owner, layout_of(type.value, column), poll);
  return result;
}

}  // namespace termsift

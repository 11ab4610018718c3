#include "termsift/arrow_texts.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "termsift/types.hpp"

namespace termsift {
namespace {

// Releases a struct of the interface at the end.
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

// No length, offset or number of bytes is larger, so that sizes in bytes do not overflow.
constexpr std::int64_t largest_size = std::int64_t{1} << 56;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("the Arrow array is damaged: " + what); }

void require(bool condition, const char* what) {
  if (!condition) refuse(what);
}

// ---- schemas -------------------------------------------------------------------------------------------------------------

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

// The types that are read: strings, nulls alone, and indices into a dictionary of strings.
enum class Form : std::uint8_t { utf8, large_utf8, view, nulls };
constexpr std::string_view index_formats = "cCsSiIlL";

struct Layout {
  std::int64_t n_columns = -1;  // of a table; -1 for an array
  std::int64_t column = 0;      // that of the texts
  char index = 0;               // the format of the indices if there is a dictionary, else 0
  Form form = Form::utf8;       // of the strings
};

std::string_view format_of(const ArrowSchema& schema) {
  if (schema.format == nullptr) refuse("a type has no format");
  return schema.format;
}

std::string name_of(const ArrowSchema& schema) { return schema.name == nullptr ? "" : schema.name; }

std::string names_of(const ArrowSchema& table) {
  std::string names;
  for (std::int64_t i = 0; i < table.n_children; ++i)
    names += (i > 0 ? ", '" : "'") + name_of(*table.children[i]) + "'";
  return names.empty() ? "none" : names;
}

void check_table(const ArrowSchema& table) {
  require(table.n_children >= 0 && (table.n_children == 0 || table.children != nullptr), "a table lacks its columns");
  for (std::int64_t i = 0; i < table.n_children; ++i) require(table.children[i] != nullptr, "a column has no type");
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
  const std::string_view format = format_of(strings);
  for (const auto& [known, form] : forms)
    if (format == known && strings.dictionary == nullptr) return form;
  throw NotStrings(name + " holds " + type_name(format) + ", expected strings");
}

Layout layout_of(const ArrowSchema& schema, const std::optional<std::string>& column) {
  Layout layout;
  const ArrowSchema* strings = &schema;
  const bool is_table = format_of(schema) == "+s";
  if (is_table) check_table(schema);
  if (column) {
    if (!is_table) throw NotStrings("expected a table with a column '" + *column + "', found " + type_name(schema.format));
    layout.n_columns = schema.n_children;
    layout.column = find_column(schema, *column);
    strings = schema.children[layout.column];
  } else if (is_table) {
    throw NotStrings("expected a column of strings, found a table; its columns are " + names_of(schema));
  }
  if (strings->dictionary != nullptr) {
    const std::string_view index = format_of(*strings);
    const bool is_known = index.size() == 1 && index_formats.find(index[0]) != index_formats.npos;
    require(is_known, "the indices of a dictionary have a wrong type");
    layout.index = index[0];
    strings = strings->dictionary;
  }
  layout.form = form_of(*strings, column ? "column '" + *column + "'" : "the Arrow array");
  return layout;
}

// ---- arrays --------------------------------------------------------------------------------------------------------------

// Buffers need not be aligned.
template <class T>
T load(const void* buffer, std::int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(buffer) + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}

void check_array(const ArrowArray& array, std::int64_t n_buffers, std::int64_t n_children, bool has_dictionary) {
  require(array.length >= 0 && array.length <= largest_size, "its length is impossible");
  require(array.offset >= 0 && array.offset <= largest_size, "its offset is impossible");
  require(array.null_count >= -1 && array.null_count <= array.length, "its number of nulls is impossible");
  require(array.n_buffers == n_buffers && (n_buffers == 0 || array.buffers != nullptr), "its number of buffers is wrong");
  const bool has_columns = array.n_children == n_children && (n_children == 0 || array.children != nullptr);
  require(has_columns, "its number of columns is wrong");
  require((array.dictionary != nullptr) == has_dictionary, "its dictionary is missing, or unexpected");
}

class Nulls {
 public:
  explicit Nulls(const ArrowArray& array) : offset_(array.offset) {
    if (array.null_count == 0) return;
    bits_ = static_cast<const std::uint8_t*>(array.buffers[0]);
    require(bits_ != nullptr || array.null_count <= 0, "it has nulls, but no bitmap of them");
  }
  bool has(std::int64_t i) const {
    return bits_ != nullptr && (bits_[(offset_ + i) >> 3] >> ((offset_ + i) & 7) & 1) == 0;
  }

 private:
  const std::uint8_t* bits_ = nullptr;
  std::int64_t offset_;
};

// An array of strings, of which at(i) may be asked for i in [0, length).
class Strings {
 public:
  Strings(const ArrowArray& array, Form form)
      : form_(form), length_(array.length), offset_(array.offset) {
    check(array, form);
    if (form == Form::nulls || length_ == 0) return;
    nulls_.emplace(array);
    elements_ = array.buffers[1];
    require(elements_ != nullptr, "its offsets or views are missing");
    if (form == Form::view) {
      blocks_ = array.buffers + 2;
      n_blocks_ = array.n_buffers - 3;
      block_sizes_ = array.buffers[array.n_buffers - 1];
      require(n_blocks_ == 0 || block_sizes_ != nullptr, "the sizes of its buffers are missing");
    } else {
      bytes_ = static_cast<const char*>(array.buffers[2]);
    }
  }

  std::int64_t length() const { return length_; }

  Text at(std::int64_t i) const {
    switch (form_) {
      case Form::utf8: return between<std::int32_t>(i);
      case Form::large_utf8: return between<std::int64_t>(i);
      case Form::view: return view(i);
      default: return {};
    }
  }

 private:
  static void check(const ArrowArray& array, Form form) {
    std::int64_t n_buffers = 3;
    if (form == Form::view) n_buffers = std::max<std::int64_t>(array.n_buffers, 3);
    if (form == Form::nulls) n_buffers = array.n_buffers == 1 ? 1 : 0;  // polars has one, which holds nothing
    check_array(array, n_buffers, 0, false);
  }

  // The offsets of a null are checked too, so that no offset of an array decreases.
  template <class Offset>
  Text between(std::int64_t i) const {
    const std::int64_t begin = load<Offset>(elements_, offset_ + i), end = load<Offset>(elements_, offset_ + i + 1);
    if (begin < 0 || end < begin)
      refuse("row " + std::to_string(i) + " goes from byte " + std::to_string(begin) + " to " + std::to_string(end));
    if (nulls_->has(i)) return {};
    if (begin == end) return {"", 0, TextEncoding::utf8};
    if (bytes_ == nullptr || end > largest_size)
      refuse("row " + std::to_string(i) + " ends at byte " + std::to_string(end) + ", which no memory has");
    return {bytes_ + begin, end - begin, TextEncoding::utf8};
  }

  // A view has 16 bytes: the length, and then the text itself if it has at most 12 bytes, else its first four bytes, its
  // block and its offset there. A null's view may hold anything.
  Text view(std::int64_t i) const {
    if (nulls_->has(i)) return {};
    const char* const at = static_cast<const char*>(elements_) + 16 * (offset_ + i);
    const auto length = load<std::int32_t>(at, 0), block = load<std::int32_t>(at, 2), begin = load<std::int32_t>(at, 3);
    if (length < 0) refuse("row " + std::to_string(i) + " has " + std::to_string(length) + " bytes");
    if (length <= 12) return {at + 4, length, TextEncoding::utf8};
    if (block < 0 || block >= n_blocks_ || begin < 0 || blocks_[block] == nullptr ||
        load<std::int64_t>(block_sizes_, block) < std::int64_t{begin} + length)
      refuse("row " + std::to_string(i) + " has " + std::to_string(length) + " bytes at " + std::to_string(begin) +
             " of buffer " + std::to_string(block) + ", which has no such bytes");
    return {static_cast<const char*>(blocks_[block]) + begin, length, TextEncoding::utf8};
  }

  Form form_;
  std::int64_t length_, offset_;
  std::optional<Nulls> nulls_;  // of strings, unless there are none
  const void* elements_ = nullptr;  // offsets or views
  const char* bytes_ = nullptr;
  const void** blocks_ = nullptr;
  std::int64_t n_blocks_ = 0;
  const void* block_sizes_ = nullptr;
};

// The indices of an array with a dictionary.
std::int64_t load_index(char format, const void* buffer, std::int64_t i) {
  switch (format) {
    case 'c': return load<std::int8_t>(buffer, i);
    case 'C': return load<std::uint8_t>(buffer, i);
    case 's': return load<std::int16_t>(buffer, i);
    case 'S': return load<std::uint16_t>(buffer, i);
    case 'i': return load<std::int32_t>(buffer, i);
    case 'I': return load<std::uint32_t>(buffer, i);
    default: return load<std::int64_t>(buffer, i);  // above 2^63 it is negative, which is refused
  }
}

// Appends text_at(i) for i in [0, n).
template <class TextAt>
void append(std::vector<Text>& texts, std::int64_t n, const Poll& poll, const TextAt& text_at) {
  constexpr std::int64_t step = 1 << 20;
  const std::size_t before = texts.size(), room = before + static_cast<std::size_t>(n);
  if (room > texts.capacity()) texts.reserve(std::max(room, 2 * texts.capacity()));
  for (std::int64_t begin = 0; begin < n; begin += step) {
    if (poll && poll()) throw Interrupted();
    const std::int64_t end = std::min(n, begin + step);
    texts.resize(before + static_cast<std::size_t>(end));
    for (std::int64_t i = begin; i < end; ++i) texts[before + static_cast<std::size_t>(i)] = text_at(i);
  }
}

// Appends the texts of rows [begin, begin + n) of a column, except where the table has a null.
void append_column(std::vector<Text>& texts, const ArrowArray& array, const Layout& layout, std::int64_t begin,
                   std::int64_t n, const Nulls* table_nulls, const Poll& poll) {
  const auto column_nulls = [&](std::int64_t i) { return table_nulls != nullptr && table_nulls->has(i); };
  if (layout.index == 0) {
    const Strings strings(array, layout.form);
    append(texts, n, poll, [&](std::int64_t i) { return column_nulls(i) ? Text{} : strings.at(begin + i); });
    return;
  }
  check_array(array, 2, 0, true);
  const Strings values(*array.dictionary, layout.form);
  const Nulls nulls(array);
  const void* const indices = array.buffers[1];
  require(n == 0 || indices != nullptr, "the indices of its dictionary are missing");
  append(texts, n, poll, [&](std::int64_t i) -> Text {
    if (column_nulls(i) || nulls.has(begin + i)) return {};
    const std::int64_t index = load_index(layout.index, indices, array.offset + begin + i);
    if (index < 0 || index >= values.length())
      refuse("row " + std::to_string(i) + " is entry " + std::to_string(index) + " of a dictionary of " +
             std::to_string(values.length()));
    return values.at(index);
  });
}

void append_array(ArrowTexts& result, const std::shared_ptr<Owned<ArrowArray>>& owner, const Layout& layout,
                  const Poll& poll) {
  const ArrowArray& array = owner->value;
  if (layout.n_columns < 0) {
    require(array.length >= 0, "its length is impossible");
    append_column(result.texts, array, layout, 0, array.length, nullptr, poll);
  } else {
    check_array(array, 1, layout.n_columns, false);
    const ArrowArray* const column = array.children[layout.column];
    require(column != nullptr, "a column is missing");
    require(column->length >= array.offset + array.length, "a column is shorter than the table");
    const Nulls nulls(array);
    append_column(result.texts, *column, layout, array.offset, array.length, &nulls, poll);
  }
  result.owners.push_back(owner);
}

}  // namespace

ArrowTexts texts_of_stream(ArrowArrayStream& stream, const std::optional<std::string>& column, const Poll& poll) {
  Owned<ArrowArrayStream> source;
  source.take_over(stream);
  ArrowArrayStream& s = source.value;
  require(s.release != nullptr && s.get_schema != nullptr && s.get_next != nullptr, "the stream has been read before");
  const auto fail = [&] {
    const char* const why = s.get_last_error == nullptr ? nullptr : s.get_last_error(&s);
    throw std::runtime_error(std::string("the Arrow stream failed: ") + (why == nullptr ? "it does not say why" : why));
  };
  Owned<ArrowSchema> schema;
  if (s.get_schema(&s, &schema.value) != 0) {
    schema.value.release = nullptr;  // after an error nothing was passed
    fail();
  }
  const Layout layout = layout_of(schema.value, column);
  ArrowTexts result;
  for (;;) {
    if (poll && poll()) throw Interrupted();  // an array may be empty
    const auto array = std::make_shared<Owned<ArrowArray>>();
    if (s.get_next(&s, &array->value) != 0) {
      array->value.release = nullptr;
      fail();
    }
    if (array->value.release == nullptr) return result;
    append_array(result, array, layout, poll);
  }
}

ArrowTexts texts_of_array(ArrowSchema& schema, ArrowArray& array, const std::optional<std::string>& column,
                          const Poll& poll) {
  Owned<ArrowSchema> type;
  const auto owner = std::make_shared<Owned<ArrowArray>>();
  type.take_over(schema);
  owner->take_over(array);
  require(type.value.release != nullptr && owner->value.release != nullptr, "it has been passed on before");
  ArrowTexts result;
  append_array(result, owner, layout_of(type.value, column), poll);
  return result;
}

}  // namespace termsift

// Builds Arrow arrays for the tests.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "termsift/arrow_texts.hpp"

namespace plain_arrow {

using Bytes = std::vector<std::uint8_t>;
using Row = std::optional<std::string>;

// An Arrow array. `dictionary` has one element, or no element for a null pointer.
struct Array {
  std::string format, name;
  std::int64_t length = 0, null_count = 0, offset = 0;
  std::vector<std::optional<Bytes>> buffers;  // a missing value stands for a null pointer
  std::vector<Array> children, dictionary;
};

// ---- exported ------------------------------------------------------------------------------------------------------------

inline int live = 0;  // the number of structs that have not been released

struct Held {
  std::vector<std::unique_ptr<std::uint8_t[]>> memory;
  std::vector<const void*> buffers;
  std::vector<termsift::ArrowArray> arrays;
  std::vector<termsift::ArrowArray*> array_pointers;
  std::vector<termsift::ArrowSchema> schemas;
  std::vector<termsift::ArrowSchema*> schema_pointers;
  std::string format, name;
};

template <class Struct>
void release(Struct* s) {
  auto* const held = static_cast<Held*>(s->private_data);
  if constexpr (std::is_same_v<Struct, termsift::ArrowArray>) {
    for (auto& child : held->arrays)
      if (child.release != nullptr) child.release(&child);
  } else {
    for (auto& child : held->schemas)
      if (child.release != nullptr) child.release(&child);
  }
  delete held;
  --live;
  s->release = nullptr;
}

// In held->schemas, the children come first, and the dictionary is last.
inline termsift::ArrowSchema schema_of(const Array& array) {
  auto* const held = new Held{{}, {}, {}, {}, {}, {}, array.format, array.name};
  ++live;
  for (const Array& child : array.children) held->schemas.push_back(schema_of(child));
  const bool has_dictionary = !array.dictionary.empty();
  if (has_dictionary) held->schemas.push_back(schema_of(array.dictionary[0]));
  for (auto& schema : held->schemas) held->schema_pointers.push_back(&schema);
  return {held->format.c_str(), held->name.c_str(), nullptr, 0, static_cast<std::int64_t>(array.children.size()),
          held->schema_pointers.data(), has_dictionary ? &held->schemas.back() : nullptr, &release<termsift::ArrowSchema>,
          held};
}

// Each buffer has its own memory, which ends with the buffer. Buffers start one byte after an aligned address.
inline termsift::ArrowArray array_of(const Array& array) {
  auto* const held = new Held;
  ++live;
  for (const auto& buffer : array.buffers) {
    if (!buffer) {
      held->buffers.push_back(nullptr);
      continue;
    }
    held->memory.push_back(std::make_unique<std::uint8_t[]>(buffer->size() + 1));
    if (!buffer->empty()) std::memcpy(held->memory.back().get() + 1, buffer->data(), buffer->size());
    held->buffers.push_back(held->memory.back().get() + 1);
  }
  for (const Array& child : array.children) held->arrays.push_back(array_of(child));
  if (!array.dictionary.empty()) held->arrays.push_back(array_of(array.dictionary[0]));
  for (auto& child : held->arrays) held->array_pointers.push_back(&child);
  return {array.length, array.null_count, array.offset, static_cast<std::int64_t>(array.buffers.size()),
          static_cast<std::int64_t>(array.children.size()), held->buffers.data(), held->array_pointers.data(),
          array.dictionary.empty() ? nullptr : &held->arrays.back(), &release<termsift::ArrowArray>, held};
}

// A stream of arrays of one type. The request for array number `fails_at` fails; -1 stands for the request for the type.
struct Stream {
  Array type;
  std::vector<Array> arrays;
  std::optional<int> fails_at = std::nullopt;
  int n_read = -1;
};

inline termsift::ArrowArrayStream stream_of(Stream stream) {
  const auto source = [](termsift::ArrowArrayStream* s) -> Stream& { return *static_cast<Stream*>(s->private_data); };
  static const auto fails = [source](termsift::ArrowArrayStream* s) { return source(s).fails_at == source(s).n_read++; };
  ++live;
  return {[](termsift::ArrowArrayStream* s, termsift::ArrowSchema* out) {
            std::memset(static_cast<void*>(out), fails(s) ? 1 : 0, sizeof *out);  // after an error, *out may hold anything
            if (out->n_children != 0) return 5;
            *out = schema_of(static_cast<Stream*>(s->private_data)->type);
            return 0;
          },
          [](termsift::ArrowArrayStream* s, termsift::ArrowArray* out) {
            std::memset(static_cast<void*>(out), fails(s) ? 1 : 0, sizeof *out);
            if (out->length != 0) return 5;
            auto& self = *static_cast<Stream*>(s->private_data);
            const auto i = static_cast<std::size_t>(self.n_read - 1);
            if (i < self.arrays.size()) *out = array_of(self.arrays[i]);
            return 0;
          },
          [](termsift::ArrowArrayStream*) -> const char* { return "out of paper"; },
          [](termsift::ArrowArrayStream* s) {
            delete static_cast<Stream*>(s->private_data);
            --live;
            s->release = nullptr;
          },
          new Stream(std::move(stream))};
}

// ---- made ----------------------------------------------------------------------------------------------------------------

template <class T>
void put(Bytes& bytes, T value) {
  const auto* const p = reinterpret_cast<const std::uint8_t*>(&value);
  bytes.insert(bytes.end(), p, p + sizeof value);
}

// Returns a bitmap with a 1 for each row that is not null.
inline Bytes bitmap(const std::vector<Row>& rows) {
  Bytes bits((rows.size() + 7) / 8);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i]) bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1U << i % 8);
  return bits;
}

// Returns an Arrow array of strings with the rows from `offset` on; the format is "u", "U" or "vu".
inline Array strings(const std::string& format, const std::vector<Row>& rows, std::int64_t offset = 0) {
  Array array{format, "", static_cast<std::int64_t>(rows.size()) - offset, -1, offset, {bitmap(rows)}, {}, {}};
  Bytes elements, bytes;
  if (format != "vu") {
    for (std::size_t i = 0; i <= rows.size(); ++i) {
      const auto end = static_cast<std::int32_t>(bytes.size());
      format == "u" ? put(elements, end) : put(elements, std::int64_t{end});
      if (i < rows.size() && rows[i]) bytes.insert(bytes.end(), rows[i]->begin(), rows[i]->end());
    }
    array.buffers.insert(array.buffers.end(), {elements, bytes});
    return array;
  }
  std::vector<Bytes> blocks(2);  // long strings alternate between the blocks
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string& row = rows[i] ? *rows[i] : "a null's view may hold anything";
    const auto length = static_cast<std::int32_t>(row.size());
    put(elements, rows[i] ? length : -1);
    const bool is_long = row.size() > 12;
    std::string prefix = row.substr(0, is_long ? 4 : 12);
    prefix.resize(is_long ? 4 : 12);
    elements.insert(elements.end(), prefix.begin(), prefix.end());
    if (!is_long) continue;
    Bytes& block = blocks[i % 2];
    put(elements, static_cast<std::int32_t>(i % 2));
    put(elements, static_cast<std::int32_t>(block.size()));
    block.insert(block.end(), row.begin(), row.end());
  }
  Bytes sizes;
  for (const Bytes& block : blocks) put(sizes, static_cast<std::int64_t>(block.size()));
  array.buffers.insert(array.buffers.end(), {elements, blocks[0], blocks[1], sizes});
  return array;
}

// Returns an array of indices into a dictionary; -1 is null. The format is a letter of Arrow's C interface.
inline Array indices(const std::string& format, const std::vector<int>& values, Array dictionary, std::int64_t offset = 0) {
  std::vector<Row> rows;
  Bytes elements;
  for (const int value : values) {
    rows.push_back(value < 0 ? Row() : Row(""));
    switch (format[0]) {
      case 'c': case 'C': put(elements, static_cast<std::int8_t>(value)); break;
      case 's': case 'S': put(elements, static_cast<std::int16_t>(value)); break;
      case 'i': case 'I': put(elements, static_cast<std::int32_t>(value)); break;
      default: put(elements, static_cast<std::int64_t>(value));
    }
  }
  return {format, "", static_cast<std::int64_t>(values.size()) - offset, -1, offset, {bitmap(rows), elements}, {},
          {std::move(dictionary)}};
}

inline Array named(Array array, const std::string& name) {
  array.name = name;
  return array;
}

// Returns a table of columns of equal length.
inline Array table(std::vector<Array> columns, std::int64_t offset = 0) {
  const std::int64_t length = columns.empty() ? 0 : columns[0].length;
  return {"+s", "", length - offset, 0, offset, {std::nullopt}, std::move(columns), {}};
}

// ---- read ----------------------------------------------------------------------------------------------------------------

// Returns the rows of texts.
inline std::vector<Row> rows_of(const std::vector<termsift::Text>& texts) {
  std::vector<Row> rows;
  for (const termsift::Text& text : texts) {
    rows.emplace_back();
    if (text.data == nullptr) continue;
    rows.back() = std::string(static_cast<const char*>(text.data), static_cast<std::size_t>(text.length));
  }
  return rows;
}

inline std::vector<Row> read_array(const Array& array, const std::optional<std::string>& column = std::nullopt) {
  termsift::ArrowSchema schema = schema_of(array);
  termsift::ArrowArray data = array_of(array);
  try {
    return rows_of(termsift::texts_of_array(schema, data, column).texts);
  } catch (...) {
    // The caller must release the structs that the callee did not take over.
    if (schema.release != nullptr) schema.release(&schema);
    if (data.release != nullptr) data.release(&data);
    throw;
  }
}

inline std::vector<Row> read_stream(const Stream& stream, const std::optional<std::string>& column = std::nullopt) {
  termsift::ArrowArrayStream source = stream_of(stream);
  return rows_of(termsift::texts_of_stream(source, column, {}).texts);
}

}  // namespace plain_arrow

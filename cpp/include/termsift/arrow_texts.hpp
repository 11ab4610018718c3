// Reads columns of strings that other libraries pass through the Arrow C data interface.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "termsift/parallel.hpp"
#include "termsift/texts.hpp"

namespace termsift {

// The Arrow C data and stream interfaces (https://arrow.apache.org/docs/format/CDataInterface.html) define the Arrow
// structs. The owner of an Arrow struct must call its `release` once. The call sets `release` to null, which marks the
// struct as released.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

// Thrown for a column that does not hold strings.
struct NotStrings : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// texts_of_stream() and texts_of_array() return the texts of an array of strings, or of the named `column` of a table. Nulls
// become missing texts. The string types are utf8, large_utf8, utf8_view and dictionaries with such strings. No text is
// copied. Each struct that is passed to the functions is released exactly once, even on errors. The functions trust the
// structure of an Arrow array, but check the offsets, lengths and indices in its buffers. Whether a text is valid UTF-8 is
// checked later, when the text is read.
HeldTexts texts_of_stream(ArrowArrayStream& stream, const std::optional<std::string>& column, const Poll& poll);
HeldTexts texts_of_array(ArrowSchema& schema, ArrowArray& array, const std::optional<std::string>& column,
                          const Poll& poll = {});

}  // namespace termsift

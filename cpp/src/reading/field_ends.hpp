// Where fields and rows of delimited text end, 64 bytes at a time.
#pragma once

#include <cstdint>
#include <vector>

namespace termsift {

struct FieldEnds {
  std::int64_t n = 0;             // the number of ends
  std::int64_t n_lines = 0;       // line feeds, also within quotes
  bool is_ascii = true;
  bool is_regular = true;         // otherwise the ends mean nothing
};

// Finds the ends of the fields of rows that begin at text[0]. Writes 2 * position + (1 at a line feed, 0 at a delimiter) to
// `ends`, which grows. A row is regular if a quote opens a field only at its beginning, closes it only at its end, and is
// doubled within; and, with quoting, if no carriage return stands outside of quotes but before a line feed. Text after the
// last end may be cut anywhere. size < 2^31, and 64 bytes behind the text must be readable. O(size).
FieldEnds find_field_ends(const std::uint8_t* text, std::int64_t size, char delimiter, bool quoted,
                          std::vector<std::uint32_t>& ends);

}  // namespace termsift

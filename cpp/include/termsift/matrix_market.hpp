// Text in the Matrix Market format into the entries of a matrix:
//
//   %%MatrixMarket matrix coordinate|array real|double|integer|unsigned-integer|pattern general|symmetric|skew-symmetric
//   % comments and blank lines
//   rows columns entries            ("rows columns" of an array)
//   row column value                (a line for each entry, counted from 1; "row column" of a pattern, "value" of an array,
//                                   whose values go down one column after the other)
//
// The words of the first line may be in any case, and the rest of that line is ignored. Tokens are separated as in
// svmlight text. Blank lines, but no comments, may stand between the lines of entries.
#pragma once

#include <cstdint>
#include <string_view>

#include "termsift/bad_line.hpp"
#include "termsift/large_memory.hpp"
#include "termsift/parallel.hpp"

namespace termsift {

struct MatrixMarketEntries {
  std::int64_t n_rows = 0, n_columns = 0;  // below 2^31
  std::int64_t n_entries = 0;
  LargeArray<std::int32_t> rows, columns;  // (n_entries,), from 0: in the order of the text, then the mirrored ones
  bool exact = true;                       // whether the first line says that the values are integers
  LargeArray<std::int64_t> data;           // (n_entries,): the values if `exact`, the bits of their doubles if not
};

// Parses a whole text; throws LineError for the first line that is wrong, on any number of threads. Zeros of an array are
// left out. Numbers are rounded correctly. Integers must fit int64, and the values of a real matrix must be finite.
//
// Memory: Takes 16 bytes for each line of entries, and 16 more for each entry that a symmetry mirrors, whatever size the
// text declares.
MatrixMarketEntries parse_matrix_market(std::string_view text, const Threads& threads);

}  // namespace termsift

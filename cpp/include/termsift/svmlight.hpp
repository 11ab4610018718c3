// Text in the svmlight format into the arrays of a matrix:
//
//   label[,label...] [qid:number] index:count ... [# comment]
//
// a line for each document. Blank lines and comment lines are ignored. Tokens are separated by blanks, tabs and carriage
// returns. Indices come in any order, and repeated ones are left as they are: counting adds them up.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "termsift/large_memory.hpp"
#include "termsift/parallel.hpp"

namespace termsift {

struct BadLine {
  std::int64_t line = 0;
  std::string expected;
  std::string found;  // the first bytes of the wrong token; empty at the end of the line or text
  bool cut = false;   // whether the token has more bytes
};

struct LineError : std::invalid_argument {
  explicit LineError(BadLine line) : std::invalid_argument(line.expected), bad(std::move(line)) {}
  BadLine bad;
};

struct SvmlightOptions {
  std::int64_t first_line = 1;  // the number of the text's first line
  std::int64_t min_index = 0;
  std::int64_t max_index = std::numeric_limits<std::int64_t>::max();
  std::string index_note;  // how the error of an index outside these two names them
  bool skip = false;       // whether wrong lines, and lines without a label, are skipped; otherwise wrong lines are an error
  Threads threads;
};

struct SvmlightBlock {
  std::int64_t n_docs = 0, n_entries = 0, n_labels = 0;
  std::int64_t n_lines = 0;            // that end in the text
  LargeArray<std::int64_t> indptr;     // (n_docs + 1,)
  LargeArray<std::int64_t> indices;    // (n_entries,), as written
  bool exact = true;                   // whether every count is a whole number that int64 holds
  LargeArray<std::int64_t> data;       // (n_entries,): the counts if `exact`, the bits of their doubles if not
  LargeArray<std::int64_t> label_indptr;  // (n_docs + 1,)
  LargeArray<double> labels;           // (n_labels,)
  std::int64_t n_skipped = 0;
  std::vector<BadLine> skipped;        // the first most_told of them
  std::optional<BadLine> unlabelled;   // the first line of a document without a label, unless skipped
  static constexpr std::size_t most_told = 100;
};

// Parses whole lines; the last may lack its end. Throws LineError for the first line that is wrong, on any number of
// threads. Counts up to 2^63 - 1 that are digits alone are exact; other numbers are rounded to doubles.
//
// This takes 16 bytes for each colon of the text and 24 for each line, the size of the arrays if there are no comments. A
// line is parsed by one thread.
SvmlightBlock parse_svmlight(std::string_view text, const SvmlightOptions& options);

}  // namespace termsift

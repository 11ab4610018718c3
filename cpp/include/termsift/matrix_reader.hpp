// Reads matrices of counts from text, a block of rows or columns at a time: svmlight text and its relatives, and the Matrix
// Market format.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "termsift/large_memory.hpp"
#include "termsift/parallel.hpp"
#include "termsift/table_reader.hpp"
#include "termsift/types.hpp"

namespace termsift {

// Consecutive rows of a matrix as CSR arrays, or consecutive columns as CSC arrays. Columns increase strictly within a row,
// and rows within a column. Zeros may be stored.
struct MatrixBlock {
  std::int64_t first = 0;             // the number of rows (or columns) before the block, including skipped lines
  std::int64_t size = 0, n_entries = 0;
  LargeArray<std::int64_t> indptr;    // (size + 1,)
  LargeArray<TermId> indices;         // (n_entries,)
  bool exact = true;                  // whether the counts are integers
  LargeArray<std::int64_t> data;      // (n_entries,): the counts if `exact`, and otherwise the bits of doubles
  TermId last_index = -1;             // the largest index of svmlight text

  // The classes of the rows of svmlight text. Each class of a row occurs once.
  std::int64_t n_labels = 0;
  bool one_label_each = true;
  LargeArray<std::int64_t> label_indptr;  // (size + 1,)
  LargeArray<ClassId> codes;              // (n_labels,)
  std::vector<std::int64_t> skipped;      // for each line that was skipped, the number of rows of the block before the line
};

// A class of svmlight text: a number if the whole label is a number, and otherwise a word.
struct MatrixLabel {
  std::string word;
  double number = 0;
  bool is_number = false;
  std::int64_t line = 0;  // of a word, a line with it
};

// Options of both readers. Tests make blocks, pieces and ranges small.
struct MatrixOptions {
  std::int64_t block_bytes = std::int64_t{1} << 24;  // the number of bytes of text that are read at once
  std::int64_t piece_bytes = std::int64_t{1} << 18;  // the number of bytes of text that a thread parses at once
  int range_bits = 12;  // entries in any order are sorted in ranges of 2^range_bits rows, or more if there are many rows
};

// Reads text in which each line is a document:
//
//   label[,label...] [qid:number] index:count ... [# comment]
//
// Blank lines and comments are ignored. Blanks, tabs and carriage returns separate tokens. Indices must increase within a
// line. A count is a number from 0 to below 2^53, such as 2 or 1.5e3. A label is a number between -2^53 and 2^53, where 1,
// +1 and 1.0 are the same class, or a word.
//
// If the first line holds three whole numbers, the text has the form of the extreme classification repository. These three
// numbers are then the numbers of documents, of terms and of labels. Indices count from 0, and labels are whole numbers from
// 0. A document may have no labels: its line begins with a blank or with an index. Every line after the first is a document.
class SvmlightReader {
 public:
  struct Options : MatrixOptions {
    std::int64_t index_base = 1;
    std::int64_t n_terms = max_terms;  // indices must be below index_base + n_terms
    bool skip = false;                 // whether bad lines are skipped; otherwise the first bad line throws RowError
  };

  SvmlightReader(TableReader::Read read, const Options& options);
  ~SvmlightReader();

  // Reads the next lines, and returns false at the end. After an exception, next() returns false. Only one thread at a time
  // may call next(). The result does not depend on the number of threads.
  bool next(MatrixBlock& block, const Threads& threads);

  const std::vector<MatrixLabel>& labels() const;  // the classes in the order in which they first occur
  std::int64_t declared_terms() const;             // the number of terms in the first line, or -1 if there is none
  std::int64_t n_skipped() const;
  const std::vector<BadRow>& skipped() const;      // the first few skipped lines

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Reads the Matrix Market format:
//
//   %%MatrixMarket matrix coordinate|array integer|unsigned-integer|real|double|pattern general|symmetric|hermitian
//   % comments and blank lines
//   rows columns entries            ("rows columns" of an array)
//   row column count                (a line for each entry, counted from 1; "row column" of a pattern, and "count" of an
//                                   array, whose counts go down one column after the other)
//
// The words of the first line may be in any case. Blank lines, but no comments, may stand between the entries. Entries of a
// symmetric matrix also count on the other side of the diagonal. Repeated entries are added up in the order of the text.
// Zeros of an array are left out.
class MarketReader {
 public:
  // What the entries of a file are sorted by, as far as they were read.
  enum class Order : std::uint8_t { rows, columns, none };

  struct Header {
    bool array = false, pattern = false, exact = false, symmetric = false;
    std::int64_t n_rows = 0, n_columns = 0, n_entries = 0;
    std::int64_t line = 1;  // the line with the sizes
  };

  // The exception of next() for an entry that is out of order, such as an entry of a row that an earlier block has.
  struct OutOfOrder : std::exception {};

  MarketReader(TableReader::Read read, const MatrixOptions& options);
  ~MarketReader();

  // Reads the lines before the entries.
  const Header& header();
  // Returns how the entries in the first block of text are sorted. Entries that are sorted by both, such as those of one
  // long column, are taken as sorted by columns if they are in one column. A symmetric matrix is never sorted.
  Order order(const Threads& threads);
  // Reads the next rows, or the next columns if by_column is true. Returns false after the last row or column. Rows
  // without entries are rows, too. Throws OutOfOrder if the entries are not sorted. Every call must pass the same by_column.
  bool next(MatrixBlock& block, bool by_column, const Threads& threads);
  // Reads all entries, in any order, and returns all rows. Besides the result, this takes 8 bytes for each entry, or 16 if
  // the counts are large or fractions. Entries that are sorted by row take 4 bytes.
  MatrixBlock whole(const Threads& threads);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace termsift

// Builds the rows of a CSR matrix from unsorted entries.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "termsift/text_counter.hpp"
#include "text/chunks.hpp"
#include "text/rows.hpp"

namespace termsift {

// Sorts the entries of a chunk of documents by column and distributes them to rows. One radix sort of thousands of entries
// is faster than one sort for each row. Entries of the same row and column are added up. Each thread has its own sorter.
class RowSorter {
 public:
  // Starts on a chunk of at most most_chunk_documents documents. All columns must be below n_columns.
  void start(std::int64_t n_columns) {
    n_columns_ = n_columns;
    size_ = 0;
  }
  void reserve(std::int64_t more) {
    if (std::ssize(entries_) < size_ + more) entries_.resize(static_cast<std::size_t>(2 * size_ + more));
  }
  // Adds an entry. `document` is the position of the document in the chunk. Precondition: there is room for the entry.
  void add(std::int64_t document, std::int32_t column, bool negative, std::uint32_t count) {
    if (count > most_count) [[unlikely]] count = add_large(document, column, negative, count);
    entries_[static_cast<std::size_t>(size_++)] = pack(document, column, negative, count);
  }
  // Sorts the entries, writes the row of each document from begins[document] on, and sets ends[document] to the row's end.
  // O(entries * b / 11), where b is the number of bits of n_columns.
  void write(std::span<const std::int64_t> begins, std::span<std::int64_t> ends, std::int32_t* indices, std::int64_t* data);
  // Adds each document's number of entries to sizes[document]. write() adds up entries with equal columns, so it may write
  // fewer entries.
  void add_sizes(std::int64_t* sizes) const {
    for (const std::uint64_t entry : entries()) ++sizes[document_of(entry)];
  }

 private:
  static constexpr int count_bits = 20, column_shift = 21, document_shift = 52;
  static constexpr std::uint32_t most_count = (1 << count_bits) - 1;
  static_assert(most_chunk_documents <= 1 << (64 - document_shift));

  static std::uint64_t pack(std::int64_t document, std::int32_t column, bool negative, std::uint32_t count) {
    return static_cast<std::uint64_t>(document) << document_shift | static_cast<std::uint64_t>(column) << column_shift |
           static_cast<std::uint64_t>(negative) << count_bits | count;
  }
  static std::int64_t document_of(std::uint64_t entry) { return static_cast<std::int64_t>(entry >> document_shift); }
  static std::int32_t column_of(std::uint64_t entry) {
    return static_cast<std::int32_t>(entry >> column_shift & 0x7FFFFFFF);
  }
  static std::int64_t value_of(std::uint64_t entry) {
    const auto count = static_cast<std::int64_t>(entry & most_count);
    return entry >> count_bits & 1 ? -count : count;
  }
  std::span<const std::uint64_t> entries() const { return {entries_.data(), static_cast<std::size_t>(size_)}; }
  // Splits a large count into several entries, adds all entries except the last, and returns the last entry's count.
  std::uint32_t add_large(std::int64_t document, std::int32_t column, bool negative, std::uint32_t count);
  void sort_by_column(std::int64_t n_documents);

  std::vector<std::uint64_t> entries_, sorted_;  // only the first size_ elements are in use
  std::vector<std::uint32_t> places_;       // for each value of the sorted bits, the place of the next entry with this value
  std::vector<std::int32_t> last_columns_;  // the largest column of each document so far
  std::int64_t n_columns_ = 0, size_ = 0;
};

// Consecutive documents that one thread has counted.
struct CountedChunk {
  std::int64_t begin, end;  // the documents [begin, end)
  std::size_t thread;
};

// Returns the matrix of the documents of all chunks. of_threads[t][n - 1] has the rows of thread t for n-grams of n words.
// `drops` tells whether some entries have no column. No column may occur twice in a document.
TextMatrix matrix_of_rows(std::span<const CountedChunk> chunks,
                          std::span<const std::vector<CountedRows<DocumentEntry>>> of_threads, std::int64_t n_columns,
                          bool drops, const Threads& threads);

}  // namespace termsift

// Rows of a CSR matrix from unsorted entries.
#pragma once

#include <cstdint>
#include <vector>

#include "termsift/large_memory.hpp"
#include "text/chunks.hpp"

namespace termsift {

// Sorts the entries of a chunk of documents by column, all rows at once: the radix sort of tens of thousands of entries
// takes half the time of sorting each row. Entries of the same place are added up. Each thread has its own.
class RowSorter {
 public:
  // Begins with a chunk of at most most_chunk_documents documents, whose columns are below n_columns.
  void start(std::int64_t n_columns) {
    n_columns_ = n_columns;
    size_ = 0;
  }
  // Makes room for `more` entries.
  void reserve(std::int64_t more) {
    reserved_ = size_ + more;
    if (reserved_ > capacity_) grow(reserved_);
  }
  // Adds an entry; `document` counts from the chunk's first. Precondition: there is room.
  void add(std::int64_t document, std::int32_t column, bool negative, std::uint32_t count) {
    if (count > most_count) return add_large(document, column, negative, count);
    entries_[size_++] = pack(document, column, negative, count);
  }
  // Sorts the entries, and writes each row from place[document] on, which is moved to its end.
  // O(entries * (bits of n_columns) / 11).
  void write(std::int64_t* place, std::int32_t* indices, std::int64_t* data);
  // Adds the number of entries of each document to sizes[document]: at least as many as write() will write.
  void add_sizes(std::int64_t* sizes) const {
    for (std::int64_t i = 0; i < size_; ++i) ++sizes[document_of(entries_[i])];
  }

 private:
  static constexpr int count_bits = 20, column_shift = 33, document_shift = 21;
  static constexpr std::uint32_t most_count = (1 << count_bits) - 1;
  static_assert(most_chunk_documents <= 1 << (column_shift - document_shift));

  static std::uint64_t pack(std::int64_t document, std::int32_t column, bool negative, std::uint32_t count) {
    return static_cast<std::uint64_t>(column) << column_shift | static_cast<std::uint64_t>(document) << document_shift |
           static_cast<std::uint64_t>(negative) << count_bits | count;
  }
  static std::int64_t document_of(std::uint64_t entry) {
    return static_cast<std::int64_t>(entry >> document_shift & (most_chunk_documents - 1));
  }
  // A count that does not fit becomes several entries of the same place.
  void add_large(std::int64_t document, std::int32_t column, bool negative, std::uint32_t count);
  void grow(std::int64_t size);
  void sort();

  LargeArray<std::uint64_t> entries_, sorted_;
  std::vector<std::uint32_t> histogram_;
  std::vector<std::int32_t> last_;
  std::int64_t n_columns_ = 0, size_ = 0, capacity_ = 0;
  std::int64_t reserved_ = 0;  // the size after all entries for which room was made
};

}  // namespace termsift

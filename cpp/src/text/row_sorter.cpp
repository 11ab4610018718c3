#include "text/row_sorter.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

namespace termsift {

void RowSorter::add_large(std::int64_t document, std::int32_t column, bool negative, std::uint32_t count) {
  reserved_ += count / most_count;  // the other entries still need the room that was made for them
  if (reserved_ > capacity_) grow(reserved_);
  for (; count > most_count; count -= most_count) entries_[size_++] = pack(document, column, negative, most_count);
  entries_[size_++] = pack(document, column, negative, count);
}

void RowSorter::grow(std::int64_t size) {
  if (size > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("a document has more than 2^32 terms");
  const std::int64_t capacity = std::max(size, 2 * capacity_);
  LargeArray<std::uint64_t> grown = LargeArray<std::uint64_t>::uninitialised(capacity);
  std::copy(entries_.get(), entries_.get() + size_, grown.get());
  sorted_ = {};
  entries_ = std::move(grown);
  sorted_ = LargeArray<std::uint64_t>::uninitialised(capacity);
  capacity_ = capacity;
}

void RowSorter::sort() {
  std::uint64_t* from = entries_.get();
  constexpr std::int64_t few = 256;
  if (size_ < few) return std::sort(from, from + size_);
  std::uint64_t* to = sorted_.get();
  const auto last_column = static_cast<std::uint64_t>(std::max<std::int64_t>(n_columns_ - 1, 1));
  const int bits = static_cast<int>(std::bit_width(last_column));
  const int passes = (bits + 10) / 11, width = (bits + passes - 1) / passes;
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  for (int pass = 0; pass < passes; ++pass) {
    const int shift = column_shift + pass * width;
    histogram_.assign(static_cast<std::size_t>(mask) + 1, 0);
    for (std::int64_t i = 0; i < size_; ++i) ++histogram_[from[i] >> shift & mask];
    std::uint32_t begin = 0;
    for (std::uint32_t& count : histogram_) begin += std::exchange(count, begin);
    for (std::int64_t i = 0; i < size_; ++i) to[histogram_[from[i] >> shift & mask]++] = from[i];
    std::swap(from, to);
  }
  if (from != entries_.get()) std::swap(entries_, sorted_);
}

void RowSorter::write(std::int64_t* place, std::int32_t* indices, std::int64_t* data) {
  sort();
  // The last column of each row so far. Rows are filled side by side.
  last_.assign(static_cast<std::size_t>(most_chunk_documents), -1);
  for (std::int64_t i = 0; i < size_; ++i) {
    const std::uint64_t entry = entries_[i];
    const auto column = static_cast<std::int32_t>(entry >> column_shift);
    const auto document = static_cast<std::size_t>(document_of(entry));
    const auto count = static_cast<std::int64_t>(entry & most_count);
    const std::int64_t value = entry >> count_bits & 1 ? -count : count;
    if (last_[document] == column) [[unlikely]] {
      data[place[document] - 1] += value;
      continue;
    }
    last_[document] = column;
    indices[place[document]] = column;
    data[place[document]++] = value;
  }
}

}  // namespace termsift

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

void RowSorter::sort_by_column() {
  constexpr std::int64_t few = 256;
  std::uint64_t* from = entries_.get();
  // Documents come first in an entry, so this sorts by column within each.
  if (size_ < few) return std::sort(from, from + size_);
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(n_columns_ - 1, 1))));
  const int n_digits = (bits + most_digit_bits - 1) / most_digit_bits, width = (bits + n_digits - 1) / n_digits;
  const std::uint64_t n_values = std::uint64_t{1} << width, mask = n_values - 1;
  places_.assign(static_cast<std::size_t>(n_digits) * n_values, 0);
  for (std::int64_t i = 0; i < size_; ++i)
    for (int d = 0; d < n_digits; ++d)
      ++places_[static_cast<std::uint64_t>(d) * n_values + (from[i] >> (column_shift + d * width) & mask)];
  std::uint64_t* to = sorted_.get();
  for (int d = 0; d < n_digits; ++d) {
    const int shift = column_shift + d * width;
    std::uint32_t* const places = places_.data() + static_cast<std::uint64_t>(d) * n_values;
    std::uint32_t begin = 0;
    for (std::uint64_t value = 0; value < n_values; ++value) begin += std::exchange(places[value], begin);
    for (std::int64_t i = 0; i < size_; ++i) to[places[from[i] >> shift & mask]++] = from[i];
    std::swap(from, to);
  }
  if (from != entries_.get()) std::swap(entries_, sorted_);
}

void RowSorter::write(std::span<std::int64_t> place, std::int32_t* indices, std::int64_t* data) {
  sort_by_column();
  last_columns_.assign(place.size(), -1);
  const std::uint64_t* const entries = entries_.get();
  std::int32_t* const last_columns = last_columns_.data();
  std::int64_t* const places = place.data();
  for (std::int64_t i = 0; i < size_; ++i) {
    const std::int64_t document = document_of(entries[i]);
    const std::int32_t column = column_of(entries[i]);
    if (last_columns[document] == column) [[unlikely]] {
      data[places[document] - 1] += value_of(entries[i]);
      continue;
    }
    last_columns[document] = column;
    const std::int64_t at = places[document]++;
    indices[at] = column;
    data[at] = value_of(entries[i]);
  }
}

}  // namespace termsift

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

void RowSorter::sort(std::int64_t n_documents) {
  std::uint64_t* from = entries_.get();
  constexpr std::int64_t few = 256;
  if (size_ < few) return std::sort(from, from + size_);
  struct Digit {
    int shift, width;
  };
  std::vector<Digit> digits;
  const auto add_digits = [&](int shift, std::int64_t n_values) {
    const auto last = static_cast<std::uint64_t>(std::max<std::int64_t>(n_values - 1, 1));
    const int bits = static_cast<int>(std::bit_width(last)), n = (bits + 10) / 11, width = (bits + n - 1) / n;
    for (int i = 0; i < n; ++i) digits.push_back({shift + i * width, width});
  };
  add_digits(column_shift, n_columns_);
  add_digits(document_shift, n_documents);
  std::uint64_t* to = sorted_.get();
  for (const auto& [shift, width] : digits) {
    const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
    places_.assign(static_cast<std::size_t>(mask) + 1, 0);
    std::uint32_t* const places = places_.data();
    for (std::int64_t i = 0; i < size_; ++i) ++places[from[i] >> shift & mask];
    std::uint32_t begin = 0;
    for (std::uint32_t& count : places_) begin += std::exchange(count, begin);
    for (std::int64_t i = 0; i < size_; ++i) to[places[from[i] >> shift & mask]++] = from[i];
    std::swap(from, to);
  }
  if (from != entries_.get()) std::swap(entries_, sorted_);
}

void RowSorter::write(std::span<std::int64_t> place, std::int32_t* indices, std::int64_t* data) {
  sort(static_cast<std::int64_t>(place.size()));
  const std::uint64_t* const entries = entries_.get();
  for (std::int64_t begin = 0, end = 0; begin < size_; begin = end) {
    const std::int64_t document = document_of(entries[begin]);
    bool repeats = false;
    for (end = begin + 1; end < size_ && document_of(entries[end]) == document; ++end)
      repeats |= (entries[end] ^ entries[end - 1]) >> column_shift == 0;
    std::int64_t& at = place[static_cast<std::size_t>(document)];
    if (!repeats) {
      for (std::int64_t i = begin; i < end; ++i) indices[at + i - begin] = column_of(entries[i]);
      for (std::int64_t i = begin; i < end; ++i) data[at + i - begin] = value_of(entries[i]);
      at += end - begin;
      continue;
    }
    for (std::int64_t i = begin; i < end; ++i) {
      if (i > begin && column_of(entries[i]) == column_of(entries[i - 1])) {
        data[at - 1] += value_of(entries[i]);
        continue;
      }
      indices[at] = column_of(entries[i]);
      data[at++] = value_of(entries[i]);
    }
  }
}

}  // namespace termsift

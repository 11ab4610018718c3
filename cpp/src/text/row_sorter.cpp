#include "text/row_sorter.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

namespace termsift {

void RowSorter::add_large(std::int64_t document, std::int32_t column, bool negative, std::uint32_t count) {
  reserved_ += count / most_count;  // keeps the room that was reserved for the other entries
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

void RowSorter::sort_by_column(std::int64_t n_documents) {
  constexpr int most_bits = 11;  // the largest number of bits that one pass sorts by
  constexpr std::int64_t few = 128;
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(n_columns_ - 1, 1))));
  // If rows are short, one pass over the highest bits suffices, because write() sorts the few columns whose highest bits are
  // equal.
  const int n_passes = size_ <= few * n_documents ? 1 : (bits + most_bits - 1) / most_bits;
  const int width = std::min((bits + n_passes - 1) / n_passes, most_bits);
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  for (int bit = std::max(bits - n_passes * width, 0); bit < bits; bit += width) {
    const int shift = column_shift + bit;
    const std::uint64_t* const from = entries_.get();
    std::uint64_t* const to = sorted_.get();
    places_.assign(mask + 1, 0);
    std::uint32_t* const places = places_.data();
    for (std::int64_t i = 0; i < size_; ++i) ++places[from[i] >> shift & mask];
    std::uint32_t begin = 0;
    for (std::uint32_t& place : places_) begin += std::exchange(place, begin);
    for (std::int64_t i = 0; i < size_; ++i) to[places[from[i] >> shift & mask]++] = from[i];
    std::swap(entries_, sorted_);
  }
}

void RowSorter::write(std::span<const std::int64_t> begins, std::span<std::int64_t> ends, std::int32_t* indices,
                      std::int64_t* data) {
  sort_by_column(static_cast<std::int64_t>(begins.size()));
  std::copy(begins.begin(), begins.end(), ends.begin());
  last_columns_.assign(begins.size(), -1);
  const std::uint64_t* const entries = entries_.get();
  std::int32_t* const last_columns = last_columns_.data();
  std::int64_t* const row_ends = ends.data();
  for (std::int64_t i = 0; i < size_; ++i) {
    const std::int64_t document = document_of(entries[i]), end = row_ends[document];
    const std::int32_t column = column_of(entries[i]);
    std::int64_t at = end;
    if (column > last_columns[document]) [[likely]] {
      last_columns[document] = column;
    } else {
      const std::int64_t begin = begins[static_cast<std::size_t>(document)];
      while (at > begin && indices[at - 1] >= column) --at;
      if (indices[at] == column) {  // at < end, because the row has a column that is not smaller than `column`
        data[at] += value_of(entries[i]);
        continue;
      }
      for (std::int64_t k = end; k > at; --k) {
        indices[k] = indices[k - 1];
        data[k] = data[k - 1];
      }
    }
    indices[at] = column;
    data[at] = value_of(entries[i]);
    row_ends[document] = end + 1;
  }
}

void FinishedRows::take(RowSorter& sorter, std::int64_t first_document, std::int64_t n_documents) {
  begin = first_document;
  std::vector<std::int64_t> begins(static_cast<std::size_t>(n_documents), 0);
  sorter.add_sizes(begins.data());
  std::int64_t room = 0;
  for (std::int64_t& size : begins) room += std::exchange(size, room);
  indices.resize(static_cast<std::size_t>(room));
  data.resize(static_cast<std::size_t>(room));
  std::vector<std::int64_t> ends(begins.size());
  sorter.write(begins, ends, indices.data(), data.data());
  // Entries of the same row and column were added up, so rows may have become shorter. This loop closes the gaps between
  // rows.
  std::int64_t end = 0;
  sizes.resize(begins.size());
  for (std::size_t d = 0; d < begins.size(); ++d) {
    sizes[d] = ends[d] - begins[d];
    std::copy(indices.begin() + begins[d], indices.begin() + ends[d], indices.begin() + end);
    std::copy(data.begin() + begins[d], data.begin() + ends[d], data.begin() + end);
    end += sizes[d];
  }
  indices.resize(static_cast<std::size_t>(end));
  data.resize(static_cast<std::size_t>(end));
}

TextMatrix joined_rows(std::span<FinishedRows> chunks, std::int64_t n_documents, const Threads& threads) {
  TextMatrix matrix;
  matrix.n_rows = n_documents;
  matrix.indptr = LargeArray<std::int64_t>::uninitialised(n_documents + 1);
  std::int64_t row = 0;
  for (const FinishedRows& chunk : chunks)
    for (const std::int64_t size : chunk.sizes) {
      matrix.indptr[row++] = matrix.n_entries;
      matrix.n_entries += size;
    }
  matrix.indptr[n_documents] = matrix.n_entries;
  matrix.indices = LargeArray<std::int32_t>::uninitialised(matrix.n_entries);
  matrix.data = LargeArray<std::int64_t>::uninitialised(matrix.n_entries);
  for_each_block(static_cast<std::int64_t>(chunks.size()), threads, [&](std::int64_t block, Worker& worker) {
    worker.check();
    const FinishedRows chunk = std::move(chunks[static_cast<std::size_t>(block)]);
    std::copy(chunk.indices.begin(), chunk.indices.end(), matrix.indices.get() + matrix.indptr[chunk.begin]);
    std::copy(chunk.data.begin(), chunk.data.end(), matrix.data.get() + matrix.indptr[chunk.begin]);
  });
  return matrix;
}

}  // namespace termsift

#include "text/row_sorter.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "termsift/types.hpp"

namespace termsift {

std::uint32_t RowSorter::add_large(std::int64_t document, std::int32_t column, bool negative, std::uint32_t count) {
  for (; count > most_count; count -= most_count) {
    entries_.resize(entries_.size() + 1);  // makes room for one more entry than reserve() did
    entries_[at(size_++)] = pack(document, column, negative, most_count);
  }
  return count;
}

void RowSorter::sort_by_column(std::int64_t n_documents) {
  constexpr int most_bits = 11;  // the largest number of bits that one pass sorts by
  constexpr std::int64_t few = 128;
  if (size_ > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("a document has more than 2^32 terms");
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(n_columns_ - 1, 1))));
  // If rows are short, one pass over the highest bits suffices, because write() sorts the few columns with equal highest
  // bits.
  const int n_passes = size_ <= few * n_documents ? 1 : (bits + most_bits - 1) / most_bits;
  const int width = std::min((bits + n_passes - 1) / n_passes, most_bits);
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  for (int bit = std::max(bits - n_passes * width, 0); bit < bits; bit += width) {
    const int shift = column_shift + bit;
    sorted_.resize(entries_.size());
    std::uint64_t* const to = sorted_.data();
    places_.assign(mask + 1, 0);
    std::uint32_t* const places = places_.data();
    for (const std::uint64_t entry : entries()) ++places[entry >> shift & mask];
    std::uint32_t begin = 0;
    for (std::uint32_t& place : places_) begin += std::exchange(place, begin);
    for (const std::uint64_t entry : entries()) to[places[entry >> shift & mask]++] = entry;
    std::swap(entries_, sorted_);
  }
}

void RowSorter::write(std::span<const std::int64_t> begins, std::span<std::int64_t> ends, std::int32_t* indices,
                      std::int64_t* data) {
  sort_by_column(static_cast<std::int64_t>(begins.size()));
  std::copy(begins.begin(), begins.end(), ends.begin());
  last_columns_.assign(begins.size(), -1);
  std::int32_t* const last_columns = last_columns_.data();
  std::int64_t* const row_ends = ends.data();
  for (const std::uint64_t entry : entries()) {
    const std::int64_t document = document_of(entry), end = row_ends[document];
    const std::int32_t column = column_of(entry);
    std::int64_t place = end;
    if (column > last_columns[document]) [[likely]] {
      last_columns[document] = column;
    } else {
      const std::int64_t begin = begins[at(document)];
      while (place > begin && indices[place - 1] >= column) --place;
      if (indices[place] == column) {  // place < end, because the row has a column that is not smaller than `column`
        data[place] += value_of(entry);
        continue;
      }
      for (std::int64_t k = end; k > place; --k) {
        indices[k] = indices[k - 1];
        data[k] = data[k - 1];
      }
    }
    indices[place] = column;
    data[place] = value_of(entry);
    row_ends[document] = end + 1;
  }
}

TextMatrix matrix_of_rows(std::span<const CountedChunk> chunks,
                          std::span<const std::vector<CountedRows<DocumentEntry>>> of_threads, std::int64_t n_columns,
                          bool drops, const Threads& threads) {
  const auto n_chunks = std::ssize(chunks);
  // Calls f(row, columns) for each row of a chunk. `columns` has the column of each id, or is null if ids are columns.
  const auto for_each_row = [&](const CountedChunk& chunk, Worker& worker, const auto& f) {
    for (const auto& [store, columns] : of_threads[chunk.thread]) {
      worker.check();
      const auto first = [&rows = store->rows()](std::int64_t document) {
        return std::lower_bound(rows.begin(), rows.end(), document,
                                [](const Row<DocumentEntry>& row, std::int64_t owner) { return row.owner < owner; });
      };
      for (auto row = first(chunk.begin), end = first(chunk.end); row != end; ++row) f(*row, columns);
    }
  };
  TextMatrix matrix;
  matrix.n_rows = chunks.empty() ? 0 : chunks.back().end;
  matrix.indptr = LargeArray<std::int64_t>::zeroed(matrix.n_rows + 1);
  std::int64_t* const indptr = matrix.indptr.get();
  for_each_block(n_chunks, threads, [&](std::int64_t block, Worker& worker) {
    for_each_row(chunks[at(block)], worker, [&](const Row<DocumentEntry>& row, const std::int32_t* columns) {
      const auto is_kept = [&](const DocumentEntry& entry) { return columns[entry.id] >= 0; };
      indptr[row.owner + 1] += drops ? std::count_if(row.entries, row.entries + row.size, is_kept) : row.size;
    });
  });
  std::partial_sum(indptr, indptr + matrix.n_rows + 1, indptr);
  matrix.n_entries = indptr[matrix.n_rows];
  matrix.indices = LargeArray<std::int32_t>::uninitialised(matrix.n_entries);
  matrix.data = LargeArray<std::int64_t>::uninitialised(matrix.n_entries);
  PerThread<RowSorter> sorters(threads);
  for_each_block(n_chunks, threads, [&](std::int64_t block, Worker& worker) {
    const CountedChunk& chunk = chunks[at(block)];
    RowSorter& sorter = sorters.own(worker);
    sorter.start(n_columns);
    for_each_row(chunk, worker, [&](const Row<DocumentEntry>& row, const std::int32_t* columns) {
      sorter.reserve(row.size);
      for (const DocumentEntry& entry : std::span(row.entries, at(row.size)))
        if (const auto column = columns == nullptr ? static_cast<std::int32_t>(entry.id) : columns[entry.id]; column >= 0)
          sorter.add(row.owner - chunk.begin, column, false, entry.count);
    });
    const std::span<const std::int64_t> begins(indptr + chunk.begin, indptr + chunk.end);
    std::vector<std::int64_t> ends(begins.size());
    sorter.write(begins, ends, matrix.indices.get(), matrix.data.get());
  });
  return matrix;
}

}  // namespace termsift

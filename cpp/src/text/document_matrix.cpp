#include "text/document_matrix.hpp"

#include <algorithm>

#include "base/per_thread.hpp"
#include "text/row_sorter.hpp"

namespace termsift {
namespace {

using DocumentRow = Row<DocumentEntry>;

// A chunk's rows for terms of one length.
std::span<const DocumentRow> rows_of(const CountedChunk& chunk, const RowStore<DocumentEntry>& store) {
  const auto begins = [&](std::int64_t document) {
    return std::lower_bound(store.rows().begin(), store.rows().end(), document,
                            [](const DocumentRow& row, std::int64_t owner) { return row.owner < owner; });
  };
  return {begins(chunk.begin), begins(chunk.end)};
}

// Calls f(rows, columns) for every length of counted terms.
template <class F>
void for_each_length(const CountedDocuments& counted, const CountedChunk& chunk, const F& f) {
  for (std::size_t length = 0; length < counted.rows[chunk.thread].size(); ++length)
    f(rows_of(chunk, *counted.rows[chunk.thread][length]), counted.columns[chunk.thread][length]);
}

void gather(const CountedDocuments& counted, const CountedChunk& chunk, RowSorter& sorter, Worker& worker) {
  sorter.start(counted.n_columns);
  for_each_length(counted, chunk, [&](std::span<const DocumentRow> rows, const std::int32_t* columns) {
    worker.check();
    for (const DocumentRow& row : rows) {
      sorter.reserve(row.size);
      sorter.add_row(row.owner - chunk.begin, {row.entries, static_cast<std::size_t>(row.size)}, columns);
    }
  });
}

// Prefetches the elements [begin, end), at most as many as a cache holds.
template <class T>
void prefetch_rows(const T* begin, const T* end) {
  constexpr std::ptrdiff_t line = 64 / sizeof(T), most = (1 << 18) / sizeof(T);
  for (std::ptrdiff_t i = 0; i < std::min(end - begin, most); i += line) prefetch_for_write(begin + i);
}

// Sets sizes[document] to the number of entries.
void count_entries(const CountedDocuments& counted, const CountedChunk& chunk, std::int64_t* sizes) {
  std::fill(sizes + chunk.begin, sizes + chunk.end, 0);
  for_each_length(counted, chunk, [&](std::span<const DocumentRow> rows, const std::int32_t* columns) {
    for (const DocumentRow& row : rows) {
      std::int64_t size = row.size;
      if (counted.drops) {
        size = 0;
        for (std::int64_t i = 0; i < row.size; ++i) size += columns[row.entries[i].id] >= 0;
      }
      sizes[row.owner] += size;
    }
  });
}

}  // namespace

TextMatrix document_matrix(const CountedDocuments& counted, const Threads& threads) {
  TextMatrix matrix;
  matrix.n_rows = counted.n_documents();
  matrix.indptr = LargeArray<std::int64_t>::uninitialised(matrix.n_rows + 1);
  std::int64_t* const sizes = matrix.indptr.get() + 1;
  matrix.indptr[0] = 0;
  const auto n_chunks = static_cast<std::int64_t>(counted.chunks.size());
  PerThread<RowSorter> sorters(worth(threads, n_chunks, 1));
  for_each_block(n_chunks, threads, [&](std::int64_t c, Worker&) {
    count_entries(counted, counted.chunks[static_cast<std::size_t>(c)], sizes);
  });
  for (std::int64_t i = 0; i < matrix.n_rows; ++i) matrix.indptr[i + 1] += matrix.indptr[i];
  matrix.n_entries = matrix.indptr[matrix.n_rows];
  matrix.indices = LargeArray<std::int32_t>::uninitialised(matrix.n_entries);
  matrix.data = LargeArray<std::int64_t>::uninitialised(matrix.n_entries);
  for_each_block(n_chunks, threads, [&](std::int64_t c, Worker& worker) {
    const CountedChunk& chunk = counted.chunks[static_cast<std::size_t>(c)];
    RowSorter& sorter = sorters.own(worker);
    // Prefetch the memory of the rows while their entries are sorted.
    prefetch_rows(matrix.indices.get() + matrix.indptr[chunk.begin], matrix.indices.get() + matrix.indptr[chunk.end]);
    prefetch_rows(matrix.data.get() + matrix.indptr[chunk.begin], matrix.data.get() + matrix.indptr[chunk.end]);
    gather(counted, chunk, sorter, worker);
    const std::span<const std::int64_t> begins(matrix.indptr.get() + chunk.begin, matrix.indptr.get() + chunk.end);
    std::vector<std::int64_t> ends(begins.size());
    sorter.write(begins, ends, matrix.indices.get(), matrix.data.get());
  });
  return matrix;
}

}  // namespace termsift

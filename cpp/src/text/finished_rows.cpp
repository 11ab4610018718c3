#include "text/finished_rows.hpp"

#include <algorithm>
#include <utility>

namespace termsift {

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
  // Entries of the same place were added up, so rows may have become shorter. Close the gaps between them.
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

TextMatrix joined_rows(std::span<const FinishedRows> chunks, std::int64_t n_documents, const Threads& threads) {
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
    const FinishedRows& chunk = chunks[static_cast<std::size_t>(block)];
    std::copy(chunk.indices.begin(), chunk.indices.end(), matrix.indices.get() + matrix.indptr[chunk.begin]);
    std::copy(chunk.data.begin(), chunk.data.end(), matrix.data.get() + matrix.indptr[chunk.begin]);
  });
  return matrix;
}

}  // namespace termsift

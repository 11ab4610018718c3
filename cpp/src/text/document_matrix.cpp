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

}  // namespace

TextMatrix document_matrix(const CountedDocuments& counted, const Threads& threads) {
  std::vector<FinishedRows> finished(counted.chunks.size());
  const std::int64_t n_chunks = std::ssize(finished);
  PerThread<RowSorter> sorters(worth(threads, n_chunks, 1));
  for_each_block(n_chunks, threads, [&](std::int64_t block, Worker& worker) {
    const auto c = static_cast<std::size_t>(block);
    const CountedChunk& chunk = counted.chunks[c];
    RowSorter& sorter = sorters.own(worker);
    sorter.start(counted.n_columns);
    for (std::size_t length = 0; length < counted.rows[chunk.thread].size(); ++length) {
      worker.check();
      for (const DocumentRow& row : rows_of(chunk, *counted.rows[chunk.thread][length])) {
        sorter.reserve(row.size);
        sorter.add_row(row.owner - chunk.begin, {row.entries, static_cast<std::size_t>(row.size)},
                       counted.columns[chunk.thread][length]);
      }
    }
    finished[c].take(sorter, chunk.begin, chunk.end - chunk.begin);
  });
  return joined_rows(finished, counted.n_documents(), threads);
}

}  // namespace termsift

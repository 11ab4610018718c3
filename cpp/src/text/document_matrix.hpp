// The CSR matrix of counted documents.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "termsift/text_counter.hpp"
#include "text/row_store.hpp"

namespace termsift {

// Consecutive documents that one thread counted.
struct CountedChunk {
  std::int64_t begin, end;  // documents
  std::size_t thread;
};

// The rows of all threads: rows[thread][n - 1] has the rows of terms of n words, in increasing order of documents, and
// columns[thread][n - 1] has the column of each such term by id, or -1.
struct CountedDocuments {
  std::vector<CountedChunk> chunks;  // in order
  std::vector<std::vector<const RowStore<DocumentEntry>*>> rows;
  std::vector<std::vector<const std::int32_t*>> columns;
  std::int64_t n_columns;

  std::int64_t n_documents() const { return chunks.empty() ? 0 : chunks.back().end; }
};

// O(entries), parallel over chunks.
TextMatrix document_matrix(const CountedDocuments& counted, const Threads& threads);

}  // namespace termsift

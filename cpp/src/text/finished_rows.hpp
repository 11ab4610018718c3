// Rows of texts whose terms' columns are known beforehand.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "termsift/text_counter.hpp"
#include "text/row_sorter.hpp"

namespace termsift {

// The sorted rows of a chunk of documents.
struct FinishedRows {
  std::int64_t begin = 0;           // the first document
  std::vector<std::int64_t> sizes;  // of each document
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> data;

  // Takes the rows of n_documents documents, whose entries were added to the sorter.
  void take(RowSorter& sorter, std::int64_t first_document, std::int64_t n_documents);
};

// Concatenates the rows of chunks, in order, to a matrix. O(entries), parallel over chunks.
TextMatrix joined_rows(std::span<const FinishedRows> chunks, std::int64_t n_documents, const Threads& threads);

}  // namespace termsift

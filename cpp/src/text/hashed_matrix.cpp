#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "termsift/text_counter.hpp"
#include "text/chunks.hpp"
#include "text/row_sorter.hpp"
#include "text/rows.hpp"
#include "text/term_table.hpp"
#include "text/thread_counter.hpp"

namespace termsift {
namespace {

// The sorted rows of a chunk of documents. Document d has the entries [begins[d], ends[d]) of `indices` and `data`.
struct ChunkRows {
  std::vector<std::int64_t> begins, ends;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> data;
};

// Returns the column of a term. The top bit of the result is set if an occurrence of the term counts as -1.
std::uint32_t signed_column(std::string_view term, std::int32_t n_columns, bool alternate_sign) {
  const std::int32_t hash = murmur3(term);
  const auto column = static_cast<std::uint32_t>(column_of(hash, n_columns));
  return column | static_cast<std::uint32_t>(alternate_sign && hash < 0) << 31;
}

// Counts the terms in one thread's chunks of documents, and remembers the column of each term.
class HashingCounter {
 public:
  HashingCounter(const TextRules& rules, std::int32_t n_columns, bool alternate_sign)
      : rules_(rules), n_columns_(n_columns), alternate_sign_(alternate_sign) {
    start();
  }

  ChunkRows rows(Texts texts, std::int64_t begin, std::int64_t end, Worker& worker) {
    // The tables of terms only avoid hashing a term twice, so tables are emptied when they have become large.
    const auto are_many = [](const auto& columns) { return columns.size() > most_terms; };
    if (std::any_of(columns_.begin(), columns_.end(), are_many)) start();
    counter_->count(texts, begin, end, std::identity(), worker);
    sorter_.start(n_columns_);
    for (std::size_t n = 1; n <= columns_.size(); ++n) {
      hash_new_terms(n);
      RowStore<DocumentEntry>& store = counter_->rows[n - 1].store();
      for (const Row<DocumentEntry>& row : store.rows()) {
        sorter_.reserve(row.size);
        for (std::int64_t i = 0; i < row.size; ++i) {
          const std::uint32_t column = columns_[n - 1][row.entries[i].id];
          const bool negative = column >> 31 != 0;
          sorter_.add(row.owner - begin, static_cast<std::int32_t>(column & 0x7FFFFFFF), negative, row.entries[i].count);
        }
      }
      store.clear();
    }
    ChunkRows rows;
    rows.begins.resize(static_cast<std::size_t>(end - begin), 0);
    rows.ends.resize(rows.begins.size());
    sorter_.add_sizes(rows.begins.data());
    std::int64_t room = 0;
    for (std::int64_t& size : rows.begins) room += std::exchange(size, room);
    rows.indices.resize(static_cast<std::size_t>(room));
    rows.data.resize(static_cast<std::size_t>(room));
    sorter_.write(rows.begins, rows.ends, rows.indices.data(), rows.data.data());
    return rows;
  }

 private:
  static constexpr std::size_t most_terms = std::size_t{1} << 21;

  void start() {
    counter_ = std::make_unique<ThreadCounter<DocumentRows>>(rules_, empty_tables(rules_, true));
    columns_.assign(counter_->rows.size(), {});
  }
  void hash_new_terms(std::size_t n) {
    std::vector<std::uint32_t>& columns = columns_[n - 1];
    for (auto id = static_cast<std::uint32_t>(columns.size()); id < counter_->tables->size(n); ++id) {
      term_.clear();
      append(n, id);
      columns.push_back(signed_column(term_, n_columns_, alternate_sign_));
    }
  }
  void append(std::size_t n, std::uint32_t id) {
    const TermTables& tables = *counter_->tables;
    if (n > 1) {
      const NgramKey key = tables.ngrams[n - 2].keys()[id];
      append(n - 1, key.prefix());
      term_ += ' ';
      id = key.word();
    }
    char buffer[WordKey::most_bytes];
    term_ += tables.words.bytes(tables.words.keys()[id], buffer);
  }

  const TextRules& rules_;
  const std::int32_t n_columns_;
  const bool alternate_sign_;
  std::unique_ptr<ThreadCounter<DocumentRows>> counter_;
  std::vector<std::vector<std::uint32_t>> columns_;  // columns_[n - 1][id] is the signed column of an n-gram of n words
  RowSorter sorter_;
  std::string term_;
};

}  // namespace

TextMatrix hashed_matrix(const TextRules& rules, Texts texts, std::int32_t n_columns, bool alternate_sign,
                         const Threads& threads) {
  if (n_columns < 1) throw std::invalid_argument("the number of columns must be positive, got " + std::to_string(n_columns));
  const std::vector<std::int64_t> bounds = chunk_bounds(texts);
  std::vector<ChunkRows> chunks(bounds.size() - 1);
  PerThread<HashingCounter> counters(threads);
  for_each_chunk(rules, texts, bounds, threads,
                 [&](std::size_t chunk, std::int64_t begin, std::int64_t end, Worker& worker) {
                   chunks[chunk] = counters.own(worker, rules, n_columns, alternate_sign).rows(texts, begin, end, worker);
                 });
  TextMatrix matrix;
  matrix.n_rows = std::ssize(texts);
  matrix.indptr = LargeArray<std::int64_t>::uninitialised(matrix.n_rows + 1);
  std::int64_t row = 0;
  for (const ChunkRows& rows : chunks)
    for (std::size_t d = 0; d < rows.begins.size(); ++d) {
      matrix.indptr[row++] = matrix.n_entries;
      matrix.n_entries += rows.ends[d] - rows.begins[d];
    }
  matrix.indptr[matrix.n_rows] = matrix.n_entries;
  matrix.indices = LargeArray<std::int32_t>::uninitialised(matrix.n_entries);
  matrix.data = LargeArray<std::int64_t>::uninitialised(matrix.n_entries);
  for_each_block(std::ssize(chunks), threads, [&](std::int64_t block, Worker& worker) {
    worker.check();
    const auto chunk = static_cast<std::size_t>(block);
    const ChunkRows rows = std::move(chunks[chunk]);
    std::int64_t to = matrix.indptr[bounds[chunk]];
    for (std::size_t d = 0; d < rows.begins.size(); ++d) {
      std::copy(rows.indices.begin() + rows.begins[d], rows.indices.begin() + rows.ends[d], matrix.indices.get() + to);
      std::copy(rows.data.begin() + rows.begins[d], rows.data.begin() + rows.ends[d], matrix.data.get() + to);
      to += rows.ends[d] - rows.begins[d];
    }
  });
  return matrix;
}

}  // namespace termsift
